import { say } from './say';

const explain = ({ message }: Error): void => {
  say(`animal-store: standard output was not written: ${message}`);
  process.exitCode = 1;
};

/** Prints data: for a program as one JSON text, else as lines that a person reads. What can't be printed is said. */
export const print = (json: boolean, data: unknown, text: string): void => {
  process.stdout.once('error', explain).write(`${json ? JSON.stringify(data) : text}\n`);
};
