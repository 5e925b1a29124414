/** In milliseconds. */
const interval = 5_000;

/** What a migration is at; `stage` is to be changed by who does it. */
export interface Progress {
  stage: string;
}

/** Says every five seconds what goes on, and for how long it has: nothing of what is over by then. */
export const tellProgress = async <A>(
  onProgress: (text: string) => void,
  work: (progress: Progress) => Promise<A>,
): Promise<A> => {
  const began = performance.now();
  const progress: Progress = { stage: '' };
  const timer = setInterval(() => {
    onProgress(`${progress.stage}: ${Math.round((performance.now() - began) / 1_000)} s so far`);
  }, interval);
  try {
    return await work(progress);
  } finally {
    clearInterval(timer);
  }
};
