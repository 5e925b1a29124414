import type { RepositoryObserver } from './repository-observer';

/** The same work on a batch, which tells the observer when it has ended, well or not. */
export const observed = <K, A>(
  observer: RepositoryObserver | undefined,
  operation: Parameters<RepositoryObserver['batch']>[0],
  runBatch: (keys: ReadonlyArray<K>) => Promise<A>,
): ((keys: ReadonlyArray<K>) => Promise<A>) => {
  if (observer === undefined) return runBatch;
  return async (keys) => {
    const began = performance.now();
    try {
      return await runBatch(keys);
    } finally {
      observer.batch(operation, keys.length, performance.now() - began);
    }
  };
};
