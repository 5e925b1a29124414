/** Runs at the first call and shares what it ends with; what has failed is run again at the next. */
export const shareSuccess = <A>(run: () => Promise<A>): (() => Promise<A>) => {
  let shared: Promise<A> | undefined;
  return () =>
    (shared ??= run().catch((cause: unknown) => {
      shared = undefined;
      throw cause;
    }));
};
