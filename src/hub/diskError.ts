/** What the file system refused, in a sentence. */
import { HubError } from "./HubError.ts";

/** Errors of `node:fs` become HubErrors; others stay what they are. */
export function diskError(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || !("code" in error) || error instanceof HubError) return error;
  const { code } = error;
  if (typeof code !== "string" || !/^(E[A-Z]+$|SQLITE_)/.test(code)) return error;
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") return diskFull(folder, "");
  return new HubError(
    "folder",
    `${folder} cannot be used (${code}); set WARMTURN_HOME to a folder that can.`,
  );
}

/** @param need `": 4.10 GB are lacking for …"`, or "". */
export function diskFull(folder: string, need: string): HubError {
  return new HubError(
    "disk-full",
    `The disk of ${folder} is full${need}; make room (the command "models" lists what is there), or set WARMTURN_HOME to a folder elsewhere.`,
  );
}
