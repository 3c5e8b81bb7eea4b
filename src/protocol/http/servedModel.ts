/** Which model a request gets: the one there is, under the name that it was asked by. */
import { AppError } from "../../base/AppError.ts";

export interface ModelNames {
  /** Shown in `/v1/models`; served is any name, unless `strict`. */
  readonly name: string;
  readonly strict: boolean;
  /** When the server started, seconds since 1970. */
  readonly createdSeconds: number;
}

/** The name to answer with. Throws AppError("model-not-found") for another name with `--strict-model`. */
export function servedModel(asked: string | null, { name, strict }: ModelNames): string {
  if (asked === null) return name;
  if (!strict || asked === name) return asked;
  throw new AppError("model-not-found", `The model \`${asked}\` is not served here; \`${name}\` is.`, {
    field: "model",
  });
}
