import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { commandLine } from '../../../app/commands/command-line';
import { type Environment, type Outcome, projectFolder, requireCurrentBuild } from './command';

const built = join(projectFolder, 'dist', 'app', 'commands', 'command-line.js');

const hasCommandLine = (value: unknown): value is { readonly commandLine: typeof commandLine } =>
  typeof value === 'object' && value !== null && 'commandLine' in value;

/** The built command line, as a function. */
export const loadCommandLine = (): typeof commandLine => {
  requireCurrentBuild();
  const loaded: unknown = createRequire(__filename)(built);
  if (hasCommandLine(loaded)) return loaded.commandLine;
  throw new Error(`${built} has no command line`);
};

const collector = () => {
  let text = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  return { stream, text: () => text };
};

/**
 * Runs the built command line in this process, which takes a hundredth of the time that a process takes to start. What
 * signals, standard input, the current folder or the end of a process are about needs a real one: `runCommand`.
 */
export const runInProcess = async (
  commandArguments: ReadonlyArray<string>,
  environment: Environment = {},
): Promise<Outcome> => {
  const [stdout, stderr] = [collector(), collector()];
  const { exitCode } = await loadCommandLine()(['node', 'animal-store', ...commandArguments], {
    env: environment,
    stdout: stdout.stream,
    stderr: stderr.stream,
  });
  return { code: exitCode, signal: null, stdout: stdout.text(), stderr: stderr.text() };
};
