/** Runs work, and rejects when it has not settled after so many milliseconds; with none left it is not begun. */
export const withTimeout = async <A>(timeoutMs: number, work: () => Promise<A>): Promise<A> => {
  if (timeoutMs <= 0) throw new Error('no time was left to count the request');
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error('the request was not counted in time'));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(), tooLate]);
  } finally {
    clearTimeout(timer);
  }
};
