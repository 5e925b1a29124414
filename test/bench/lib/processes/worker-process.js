import { fork } from 'node:child_process';
import { on } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * A process of its own beside this one: `send` gives it a job, `nextEvent` waits for what it says next. Its file is named
 * from `lib` on.
 */
export const startWorker = (file) => {
  const child = fork(fileURLToPath(new URL(`../${file}`, import.meta.url)));
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error(`${file} ended`)));
  const messages = on(child, 'message', { signal: ended.signal });
  return {
    send: (job) => {
      child.send(job);
    },
    nextEvent: async (expected) => {
      const { value } = await messages.next();
      const [{ event, result }] = value;
      if (event !== expected) throw new Error(`${event} came instead of ${expected}`);
      return result;
    },
    stop: () => {
      child.disconnect();
    },
  };
};
