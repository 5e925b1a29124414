import type { HttpFailure } from './http-failures';

/** What the log, or a host's `error` event, is told of a failure: an Error, also where something else was thrown. */
export const causeOf = (failure: HttpFailure | undefined): Error | undefined => {
  if (failure === undefined || !('cause' in failure)) return undefined;
  const { cause } = failure;
  return cause instanceof Error ? cause : new Error('what was thrown is no Error', { cause });
};
