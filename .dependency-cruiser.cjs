/** Import directions (ARCHITECTURE.md, "Code map"). `test/unit/importDirections.test.ts` plants a forbidden import. */
const forbid = (name, from, to, comment) => ({ name, severity: "error", comment, from, to });

module.exports = {
  forbidden: [
    forbid("no-cycles", {}, { circular: true }, "A cycle means that two files are one."),
    forbid("only-ffi-imports-bun-ffi", { path: "^(?!ffi/)" }, { path: "^bun:ffi$" }, "One place to check a binding."),
    forbid("one-planner", { path: "^(?!(src/(prompt|serve|warm)|test)/)" }, { path: "^src/prompt/requestChunks" }, "The request path and the warm path cut, and tests that judge them; nobody else."),
    forbid("ffi-stands-alone", { path: "^ffi/" }, { path: "^src/(?!prompt/TextVocab|engine/(protocol|samplerSettings)|json/)" }, "ffi knows no station."),
    forbid("json-and-errors-are-leaves", { path: "^src/(json/|errors\\.ts)" }, { path: "^src/(?!json/)" }, "They import nothing."),
    forbid("state-knows-plans-only", { path: "^src/state/" }, { path: "^(src/(?!state/|prompt/plan|engine/(protocol|Device))|ffi/)" }, "Kept states know plans and the device."),
    forbid("prompt-knows-no-engine", { path: "^src/prompt/" }, { path: "^(src/(protocol|serve|warm|engine/(?!protocol))|ffi/)" }, "Text side."),
    forbid("chat-knows-no-engine", { path: "^src/chat/" }, { path: "^(src/(protocol|serve|warm|state|engine/(?!protocol))|ffi/)" }, "Text side."),
    forbid("engine-knows-no-text", { path: "^src/engine/" }, { path: "^src/(protocol|serve|warm|chat|json|prompt/(?!plan|TextVocab))" }, "Text, JSON and templates never reach the engine."),
    forbid("grammar-knows-json-only", { path: "^src/grammar/" }, { path: "^(src/(?!grammar/|json/|errors\\.ts)|ffi/)" }, "Schemas in, rules out."),
    forbid("warm-knows-no-protocol", { path: "^src/warm/" }, { path: "^src/(protocol|serve|state/(?!keys))" }, "A warm pass is a request without a protocol."),
    forbid("serve-knows-no-protocol", { path: "^src/serve/" }, { path: "^src/protocol/" }, "Protocols are adapters to and from a Turn."),
    forbid("hub-stands-alone", { path: "^src/hub/" }, { path: "^(src/(?!hub/)|ffi/)" }, "Models by name know no server."),
    forbid("commands-are-on-top", { path: "^src/(?!cli/|main\\.ts)" }, { path: "^src/cli/" }, "A command uses the server, never the other way."),
    forbid("doctor-serves-nobody", { path: "^src/cli/doctor/" }, { path: "^src/(protocol|serve)/" }, "It opens an engine of its own."),
    forbid("only-the-engine-worker-opens-a-context", { path: "^src/(?!engine/)" }, { path: "^ffi/(Context|Sampler)" }, "One context, in the engine Worker."),
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "node_modules" },
  },
};
