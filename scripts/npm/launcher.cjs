#!/usr/bin/env node
/** Starts the executable of this platform, which lies in a package of its own; signals and exit code pass through. */
const { spawn } = require("node:child_process");
const { chmodSync, accessSync, constants } = require("node:fs");
const { join, dirname } = require("node:path");

const name = `@warmturn/${process.platform}-${process.arch}`;
let executable;
try {
  executable = join(dirname(require.resolve(`${name}/package.json`)), "warmturn");
} catch {
  console.error(
    `warmturn: there is no executable for ${process.platform}-${process.arch}, or npm left ${name} out (--omit=optional).`,
  );
  process.exit(1);
}
try {
  accessSync(executable, constants.X_OK);
} catch {
  chmodSync(executable, 0o755);
}
const child = spawn(executable, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`warmturn: ${executable} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
