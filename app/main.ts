#!/usr/bin/env node
/* Entry point of the command `animal-store`. Loads the rest only on a version of Node that can run it. */

const endWith = (text: string): never => {
  process.stderr.write(`error: ${text}\n`);
  process.exit(1);
};

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19))
  endWith(`Node ${process.versions.node} is too old; install Node 20.19 or later, best the current LTS`);

const run = async (): Promise<void> => {
  const { prepareSignals, runPreloadedListeners } = await import('./terminal/signals.js');
  prepareSignals();
  const { commandLine } = await import('./commands/command-line.js');
  const exitCode = await commandLine(process.argv, process);
  await runPreloadedListeners();
  process.exit(exitCode);
};

run().catch((error: unknown) => {
  // Loading the program may reach the limit of open files.
  if (!(error instanceof Error && 'code' in error && error.code === 'EMFILE')) throw error;
  endWith('too many open files; raise the limit, `ulimit -n`');
});

export {};
