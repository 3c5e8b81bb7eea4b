/** Copies of the working tree to break things in; beside them lies what tests look for beside the project. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { output } from "./output.ts";

/** Makes a temporary folder, to be removed by the caller, in which `tree` is the copy. */
export async function copyTree(root: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "warmturn-rules-"));
  const tree = join(folder, "tree");
  const [code, list] = await output(
    ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    root,
  );
  if (code !== 0) throw new Error(`git ls-files failed: ${list}`);
  const isLinked = (name: string): boolean => /^(node_modules|\.cache)(\/|$)/.test(name);
  for (const file of list.split("\0").filter((name) => name !== "" && !isLinked(name))) {
    // Deleted and not yet committed.
    if (existsSync(join(root, file))) cpSync(join(root, file), join(tree, file), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  // The generated models bear a hash of what they are made from and are renamed into place: all copies share them.
  const models = join(".cache", "models");
  mkdirSync(join(root, models), { recursive: true });
  mkdirSync(dirname(join(tree, models)), { recursive: true });
  symlinkSync(join(root, models), join(tree, models));
  const shared = join(root, "..", "shared");
  if (existsSync(shared)) symlinkSync(shared, join(folder, "shared"));
  return folder;
}
