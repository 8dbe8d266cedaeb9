#!/usr/bin/env node
// Runs the program of the package for this platform, as if it had been called itself: its standard streams, signals and
// exit code.  No script runs when it is installed.
"use strict";

const { spawn } = require("child_process");
const { constants } = require("os");

// `brawn` has 5 where the operating system says no.
const IO = 5;
const name = `@brawn/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/brawn`);
} catch {
  const there = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);
  const next = there
    ? "install again without --omit=optional (npm), or add the package itself"
    : "brawn is there for linux-x64 and linux-arm64";
  process.stderr.write(`error: ${name}: not found beside the package brawn: ${next}\n`);
  process.exit(IO);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM", "SIGQUIT", "SIGUSR1", "SIGUSR2"]) {
  // One that a terminal sends reaches both: the program decides, and this waits for it.
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  process.stderr.write(`error: ${program}: cannot run it: ${error.message}\n`);
  process.exit(IO);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  // Ends as the program ended.
  process.removeAllListeners(signal);
  try {
    process.kill(process.pid, signal);
  } catch {
    process.exit(128 + (constants.signals[signal] || 0));
  }
});
