/** An absolute time in milliseconds, by `performance.now()`, after which nobody waits for the answer. */
export type Deadline = number;
