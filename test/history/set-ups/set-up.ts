import type { Hand } from '../nemesis/nemesis';
import type { Instance } from './instance';

/** A system as somebody runs it, and what can be done to it. */
export interface SetUp {
  readonly name: string;
  /** Gives it running and empty; it is gone afterwards. */
  readonly within: <A>(use: (system: System) => Promise<A>) => Promise<A>;
}

export interface System {
  readonly instances: ReadonlyArray<Instance>;
  /** Each injects one fault at a time; no two of them lay hands on the same thing. */
  readonly hands: ReadonlyArray<Hand>;
  /** What its database servers have told their operator last: shown where a run breaks off. */
  readonly databaseLog?: () => string;
}
