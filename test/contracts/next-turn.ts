/** Lets timers, files and sockets have their turn, which a loop over answers that come at once does not. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0));
