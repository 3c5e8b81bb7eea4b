/**
 * Import directions (ARCHITECTURE.md, "Code map"): the rooms of the house from the ground up. A room imports rooms
 * that stand below it, and of those only the ones it names here; there are no exceptions for single files.
 * `test/unit/repository/importDirections.test.ts` plants an import against each rule.
 */
const forbid = (name, from, to, comment) => ({ name, severity: "error", comment, from, to });

/** Room, and the rooms it may import; lower ones first. A room is a folder of `src`, or `ffi`. */
const ROOMS = [
  ["base", []],
  ["json", []],
  ["plan", []],
  ["hub", []],
  ["grammar", ["json"]],
  ["jinja", ["base", "json"]],
  ["run", ["plan"]],
  ["ffi", ["run"]],
  ["state", ["plan", "run"]],
  ["chat", ["base", "json", "run"]],
  ["prompt", ["base", "json", "jinja", "run", "chat"]],
  ["engine", ["base", "plan", "run", "ffi", "state"]],
  ["warm", ["base", "json", "plan", "run", "ffi", "chat", "prompt"]],
  ["serve", ["base", "json", "plan", "grammar", "run", "chat", "prompt", "warm"]],
  ["protocol", ["base", "json", "run", "chat", "prompt", "serve"]],
  ["config", ["base", "hub", "run", "ffi", "engine", "protocol"]],
  ["start", ["base", "json", "plan", "run", "ffi", "prompt", "engine", "warm", "serve", "protocol", "config"]],
  ["cli", ["base", "json", "plan", "hub", "run", "ffi", "chat", "prompt", "engine", "warm", "config", "start"]],
];

const folderOf = (room) => (room === "ffi" ? "ffi/" : `src/${room}/`);
const anyOf = (rooms) => rooms.map(folderOf).join("|");
const ALL = ROOMS.map(([room]) => room);

const upwards = ROOMS.map(([room, below]) => {
  const others = ALL.filter((one) => one !== room && !below.includes(one));
  return forbid(
    `${room}-imports-only-what-it-names`,
    { path: `^${folderOf(room)}` },
    { path: `^(${anyOf(others)}|src/[^/]+$)` },
    `${room} may import: ${below.join(", ") || "no other room"}.`,
  );
});

module.exports = {
  forbidden: [
    ...upwards,
    forbid("no-cycles", {}, { circular: true }, "A cycle means that two files are one."),
    forbid("only-ffi-imports-bun-ffi", { path: "^(?!ffi/)" }, { path: "^bun:ffi$" }, "One place to check a binding."),
    forbid("one-planner", { path: "^(?!(src/(plan|serve|warm)|test)/)" }, { path: "^src/plan/requestChunks" }, "The request path and the warm path cut, and tests that judge them; nobody else."),
    forbid("only-the-engine-opens-a-context", { path: "^src/(?!engine/)" }, { path: "^ffi/(Context|Sampler)" }, "One context, in the engine Worker."),
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "node_modules" },
  },
};
