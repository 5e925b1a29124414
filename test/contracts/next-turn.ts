/** Waits for the next tick of the event loop, so that timers, files and sockets are served. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0));
