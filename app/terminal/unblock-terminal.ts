import * as t from 'io-ts';

interface Handle {
  readonly setBlocking: (isBlocking: boolean) => unknown;
}

const isHandle = (value: unknown): value is Handle => t.type({ setBlocking: t.Function }).is(value);

/**
 * Makes Node write to a terminal as to a pipe, without waiting. By itself it waits for a terminal in the middle of a call, and
 * where nobody reads that terminal the whole process stands still, deaf to signals. The one way is private in Node.
 */
export const unblockTerminal = (stream: { readonly isTTY?: boolean }): void => {
  const handle: unknown = stream.isTTY === true ? Reflect.get(stream, '_handle') : undefined;
  if (isHandle(handle)) handle.setBlocking(false);
};
