import { type Environment, type Running, startProgram } from './command';

interface Options {
  readonly environment?: Environment;
  readonly folder?: string;
  readonly columns?: number;
}

/** Starts a shell command at a terminal, which the program `script` of util-linux makes. */
export const startAtTerminal = (
  command: string,
  { environment = {}, columns = 80, ...options }: Options = {},
): Running =>
  startProgram('script', ['-qec', `stty cols ${columns}; ${command}`, '/dev/null'], {
    ...options,
    environment: { TERM: 'xterm', SHELL: '/bin/sh', ...environment },
    isFed: true,
  });
