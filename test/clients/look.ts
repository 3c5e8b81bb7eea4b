/**
 * The tool that the clients' shells run: prints a note, once the server has nothing more to warm. A real tool takes
 * its time; without it a client on a busy machine would outrun the warm pass, and the judge would judge the machine.
 */
export {};

const [note = "", url = ""] = process.argv.slice(2);
const WAIT_MS_MAX = 30_000;
const end = performance.now() + WAIT_MS_MAX;
while (performance.now() < end) {
  const health: unknown = await (await fetch(`${url}/health`)).json();
  if (typeof health === "object" && health !== null && "warm" in health && health.warm === "idle") break;
  await Bun.sleep(10);
}
for (let line = 1; line <= 12; line++) {
  console.log(
    `${line}. Order ${note}${line}: ${line + 2} cans of grey paint, to be fetched on day ${line * 2} of the month.`,
  );
}
