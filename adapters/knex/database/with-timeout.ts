/** Rejects when a promise has not settled in time, in milliseconds. What the promise stands for goes on. */
export const withTimeout = async <A>(timeoutMs: number, promise: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error('the database, or a free connection to it, did not come in time'));
    }, timeoutMs);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
};
