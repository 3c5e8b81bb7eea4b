/** Elements by one call. Text goes in as text: nothing that a model says becomes markup. */

export type Child = Node | string;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className !== "") element.className = className;
  element.append(...children);
  return element;
}

/** Throws where the page has no such element. */
export function byId<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`#${id} is missing`);
}

export function button(label: string, onClick: () => void): HTMLButtonElement {
  const made = el("button", "plain", label);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}
