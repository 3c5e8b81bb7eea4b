/** One sentence for the person who typed the command. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
