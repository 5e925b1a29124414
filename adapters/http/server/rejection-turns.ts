/** How many are written in a turn of the event loop: an eighth of what is worked on in one. */
const rejectionsInTurn = 16;

/**
 * Says when a rejection may be written, first come first served. A client that is refused may ask again at once: without a
 * pace, rejections fill turns of a second's length, in each of which the requests that were admitted go on by one step alone.
 */
export const rejectionTurns = (): (() => Promise<void>) => {
  const waiting: Array<() => void> = [];
  const go = (): void => {
    for (const reject of waiting.splice(0, rejectionsInTurn)) reject();
    if (waiting.length > 0) setImmediate(go);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(go);
    });
};
