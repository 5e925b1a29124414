import { type Outcome, startProgram } from './command';

/** Runs a program as a user who is not root. Who is root already becomes nobody (65534). */
export const runUnprivileged = (
  command: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> => {
  const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups'];
  return startProgram('setpriv', [...(process.getuid?.() === 0 ? asNobody : []), ...command], { environment })
    .ended;
};
