/** A set in the order of arrival, whose members leave it when their time is over. */
export interface ExpiringSet<A> {
  readonly members: ReadonlySet<A>;
  readonly add: (member: A) => void;
  /** Answers with whether it was there. */
  readonly delete: (member: A) => boolean;
  /** Expires what is over by now: a busy event loop runs its timers late. */
  readonly expireOverdue: () => void;
}

/** Expires each member at its `endOf`, in milliseconds by `performance.now()`. One timer serves all of them. */
export const expiringSet = <A>(endOf: (member: A) => number, expire: (member: A) => void): ExpiringSet<A> => {
  const members = new Set<A>();
  let timer: NodeJS.Timeout | undefined;
  let firstEnd = Infinity;

  const wakeAt = (end: number): void => {
    if (end >= firstEnd) return;
    clearTimeout(timer);
    firstEnd = end;
    timer = setTimeout(expireAll, end - performance.now()).unref();
  };

  const expireAll = (): void => {
    const now = performance.now();
    firstEnd = Infinity;
    for (const member of members) {
      const end = endOf(member);
      if (end > now) wakeAt(end);
      else if (members.delete(member)) expire(member);
    }
  };

  return {
    members,
    add: (member) => {
      members.add(member);
      wakeAt(endOf(member));
    },
    delete: (member) => members.delete(member),
    expireOverdue: () => {
      if (performance.now() >= firstEnd) expireAll();
    },
  };
};
