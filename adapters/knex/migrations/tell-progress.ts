/** In milliseconds. */
const interval = 5_000;

/**
 * Says every five seconds what goes on, and for how long it has: nothing of what is over by then. The work tells each
 * stage that it enters.
 */
export const tellProgress = async <A>(
  onProgress: (text: string) => void,
  work: (enter: (stage: string) => void) => Promise<A>,
): Promise<A> => {
  const began = performance.now();
  let stage = '';
  const timer = setInterval(() => {
    onProgress(`${stage}: ${Math.round((performance.now() - began) / 1_000)} s so far`);
  }, interval);
  try {
    return await work((next) => {
      stage = next;
    });
  } finally {
    clearInterval(timer);
  }
};
