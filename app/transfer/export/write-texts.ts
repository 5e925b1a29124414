/** Writes texts one behind the other, no faster than they are taken. Rejects when it can't, or is interrupted. */
export type WriteTexts = (texts: AsyncIterable<string>, interruption: AbortSignal) => Promise<void>;
