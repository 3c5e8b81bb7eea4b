/** `bun run bench:model --arch qwen35 --params 120M`: makes a random-weight model to measure with, and prints its path. */
import { BENCH_ARCHITECTURES, BENCH_SIZES, type BenchArchitecture, benchModel } from "./model/benchModel.ts";

const argv = process.argv.slice(2);
const optionOf = (name: string, otherwise: string): string => {
  const at = argv.indexOf(name);
  return at < 0 ? otherwise : (argv[at + 1] ?? "");
};
const isArchitecture = (text: string): text is BenchArchitecture =>
  (BENCH_ARCHITECTURES as readonly string[]).includes(text);

const architecture = optionOf("--arch", "qwen3");
const params = optionOf("--params", "120M");
if (!isArchitecture(architecture) || !BENCH_SIZES.includes(params)) {
  console.error(
    `Usage: bun run bench:model [--arch ${BENCH_ARCHITECTURES.join("|")}] [--params ${BENCH_SIZES.join("|")}]`,
  );
  process.exit(2);
}
console.log(benchModel(architecture, params));
