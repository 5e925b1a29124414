import type { ServerResponse } from 'node:http';

/** In bytes: what answers may hold in memory while their clients do not read them. */
const mostUnread = 67_108_864;

/** Watches answers; when those that wait to be read hold too much, cuts off the oldest of them. */
export const boundUnreadAnswers = (): ((response: ServerResponse) => void) => {
  const unread = new Map<ServerResponse, number>();
  let total = 0;
  const forget = (response: ServerResponse): void => {
    total -= unread.get(response) ?? 0;
    unread.delete(response);
  };
  return (response) => {
    // The answer is whole then, and what the kernel did not take of it waits here.
    response.on('prefinish', () => {
      const bytes = response.writableLength;
      if (bytes === 0) return;
      unread.set(response, bytes);
      total += bytes;
      response.once('close', () => {
        forget(response);
      });
      for (const [oldest] of unread) {
        if (total <= mostUnread) return;
        forget(oldest);
        oldest.destroy();
      }
    });
  };
};
