/** An API key as it is given: `KEY`, or `NAME=KEY` where the name is for logs and lists. */
export interface GivenKey {
  readonly name: string | null;
  readonly key: string;
}

/** A key may end in `=`, as base64 does, so a name needs more than that behind its own. */
const NAMED = /^([A-Za-z0-9][\w.-]*)=(.*[^=].*)$/;

export function givenKey(text: string): GivenKey | undefined {
  if (text === "") return undefined;
  const [, name, key] = NAMED.exec(text) ?? [];
  return name === undefined || key === undefined ? { name: null, key: text } : { name, key };
}
