/** Run by `workers.test.ts`: opens the library in eight Workers at once, ends them, then opens it here. */
import { Backend } from "../../ffi/Backend.ts";
import { Model } from "../../ffi/Model.ts";

const [whole = "", cut = ""] = Bun.argv.slice(2);

function openAndFail(): string {
  using backend = Backend.open();
  using model = Model.load(backend, { path: whole, vocabOnly: true });
  const tokens = model.vocab.tokenise("hello", true).length;
  try {
    Model.load(backend, { path: cut }).close();
    return "a cut file was loaded";
  } catch (error) {
    return `${tokens} ${String(error)}`;
  }
}

if (Bun.isMainThread) {
  const workers = Array.from({ length: 8 }, () => new Worker(import.meta.path, { argv: [whole, cut] }));
  const answers = workers.map(
    (worker) =>
      new Promise<string>((resolve) => {
        worker.onmessage = ({ data }) => resolve(String(data));
      }),
  );
  const ended = workers.map((worker) => new Promise((resolve) => worker.addEventListener("close", resolve)));
  for (const answer of answers) console.log(await answer);
  for (const worker of workers) worker.terminate();
  await Promise.all(ended);
  Bun.gc(true);
  console.log(openAndFail());
  process.exit(0);
} else {
  postMessage(openAndFail());
}
