import type { TaskEither } from 'fp-ts/TaskEither';
import type { Ports, Unavailable } from '../core';

/** The adapters behind the core's ports, and what belongs to them. */
export interface Backend {
  readonly ports: Ports;
  /** A key that was made because there was none. Nothing shows it again. */
  readonly firstKey: string | undefined;
  /** What keeps the backend from serving, for anyone to read; nothing when it can. */
  readonly findObstacle: TaskEither<Unavailable, string | undefined>;
  readonly close: () => Promise<void>;
}
