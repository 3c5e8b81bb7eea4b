/** Runs a command to its end: exit code, and stdout with stderr behind it. Killed after two minutes. */
const RUN_MS_MAX = 120_000;

export async function output(
  command: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<[number, string]> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, ...env, FORCE_COLOR: "0" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: RUN_MS_MAX,
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return [code, stdout + stderr];
}
