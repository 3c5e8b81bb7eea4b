/** Opens each model file that is named, vocabulary first and then whole, and says what came of it: a line each. */
import { writeSync } from "node:fs";
import { Backend } from "../../ffi/Backend.ts";
import { FfiError } from "../../ffi/FfiError.ts";
import { Model } from "../../ffi/Model.ts";

const backend = Backend.open({});
for (const path of process.argv.slice(2)) writeSync(1, `${open(path)}\n`);

function open(path: string): string {
  try {
    for (const vocabOnly of [true, false]) {
      using model = Model.load(backend, { path, vocabOnly, gpuLayers: 0 });
      model.chatTemplate();
      if (model.vocab.hasTokenizer) model.vocab.tokenise("Hello there", true);
    }
    return "opened";
  } catch (error) {
    if (error instanceof FfiError && !error.message.includes("\n")) return "refused";
    return `odd: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`;
  }
}
