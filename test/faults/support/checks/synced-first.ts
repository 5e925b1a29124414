import { expect } from 'chai';

/** A system call in a trace of strace: the lines on which it began and returned. */
interface SystemCall {
  readonly thread: string;
  readonly name: string;
  readonly text: string;
  readonly began: number;
  readonly returned: number;
  readonly result: string;
}

const parse = (trace: string): ReadonlyArray<SystemCall> => {
  const calls: Array<SystemCall> = [];
  const unfinished = new Map<string, Pick<SystemCall, 'name' | 'text' | 'began'>>();
  trace.split('\n').forEach((line, place) => {
    const [, thread, name, text] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    const [, resumedThread = ''] = /^(\d+) +<\.\.\. \w+ resumed>/.exec(line) ?? [];
    const resumed = unfinished.get(resumedThread);
    const result = / = (-?\d+)[^=]*$/.exec(line)?.[1] ?? '';
    if (resumed !== undefined) {
      unfinished.delete(resumedThread);
      calls.push({ ...resumed, thread: resumedThread, text: resumed.text + line, returned: place, result });
    } else if (thread !== undefined && name !== undefined && text !== undefined) {
      if (text.endsWith('<unfinished ...>')) unfinished.set(thread, { name, text, began: place });
      else calls.push({ thread, name, text, began: place, returned: place, result });
    }
  });
  return calls.sort((one, other) => one.began - other.began);
};

interface Expected {
  /** Every name that was acknowledged; each stands in its commit and in its answer. */
  readonly names: ReadonlyArray<string>;
  /** The path of the log that a commit is written to. */
  readonly log: RegExp;
}

/** Checks that each answer was written after a sync of the log, begun after its commit was written there, returned. */
export const expectSyncedFirst = (
  trace: string,
  { names, log }: Expected,
): { readonly answers: number; readonly syncs: number } => {
  const calls = parse(trace);
  const ofLog = calls.filter(({ text }) => log.test(/^\d+<([^>]*)>/.exec(text)?.[1] ?? ''));
  const writes = ofLog.filter(({ name }) => name.startsWith('pwrite'));
  const syncs = ofLog.filter(({ name, result }) => /^f(?:data)?sync$/.test(name) && result === '0');
  const answers = calls.filter(({ text }) => /^\d+<socket:/.test(text) && text.includes('HTTP/1.1 201'));
  for (const animal of names) {
    const written = writes.find(({ text }) => text.includes(animal));
    const answered = answers.find(({ text }) => text.includes(animal));
    if (written === undefined) throw new Error(`${animal} was not written to the log`);
    if (answered === undefined) throw new Error(`the answer to ${animal} was not written`);
    const synced = syncs.find(({ thread, began }) => thread === written.thread && began > written.returned);
    if (synced === undefined) throw new Error(`the commit of ${animal} was not synced`);
    expect(synced.returned, `${animal}: the line of its sync`).to.be.below(answered.began);
  }
  return { answers: names.length, syncs: syncs.length };
};
