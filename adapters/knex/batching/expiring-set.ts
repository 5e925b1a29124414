/**
 * A set in the order of arrival. Each member leaves it, and is expired, at its `endOf`, in milliseconds by
 * `performance.now()`. One timer serves all of them.
 */
export const expiringSet = <A>(endOf: (member: A) => number, expire: (member: A) => void) => {
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
    add: (member: A): void => {
      members.add(member);
      wakeAt(endOf(member));
    },
    /** Answers with whether it was there. */
    delete: (member: A): boolean => members.delete(member),
    /** Expires what is over by now: a busy event loop runs its timers late. */
    expireOverdue: (): void => {
      if (performance.now() >= firstEnd) expireAll();
    },
  };
};
