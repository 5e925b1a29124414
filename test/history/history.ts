/** An animal as it came: its id, and the rest of its JSON text, which is what its creator sent. */
export interface Pet {
  readonly id: bigint;
  /** Each creation sends a body of its own, so that it tells whose animal this is. */
  readonly body: string;
  readonly status?: string;
}

export type Request =
  | { readonly type: 'create'; readonly body: string; readonly key?: string }
  | { readonly type: 'get'; readonly id: bigint }
  | {
      readonly type: 'list';
      readonly after: bigint;
      readonly limit: number;
      readonly status?: string;
      /** Which walk the page belongs to. */
      readonly walk?: number;
    };

export type Answer =
  /** 201 or 200. */
  | { readonly type: 'pet'; readonly pet: Pet; readonly isReplay: boolean }
  /** 200; `next` is where the Link to the next page goes on, if there is one. */
  | { readonly type: 'page'; readonly pets: ReadonlyArray<Pet>; readonly next?: bigint }
  /** Any other status. */
  | { readonly type: 'refusal'; readonly status: number; readonly text: string }
  /** The connection ended, or nothing came for longer than the client waits. */
  | { readonly type: 'none'; readonly reason: string };

/** One request to one instance, and its answer. Times are in milliseconds, all by one clock that never jumps. */
export interface Exchange {
  readonly client: number;
  readonly instance: number;
  /** Before the first byte was sent. */
  readonly began: number;
  /** After the last byte had come. */
  readonly ended: number;
  /** For how long, meanwhile, the machine kept the instance from a processor that it was ready for. */
  readonly starved?: number;
  readonly request: Request;
  readonly answer: Answer;
}

/** What was done to the system on purpose. */
export interface Fault {
  readonly name: string;
  readonly began: number;
  readonly ended: number;
  /** The instances that were not running, or could not be reached, meanwhile: they owe no answer. */
  readonly silenced: ReadonlyArray<number>;
}

/** All that happened in a run, in the order in which it ended. */
export interface History {
  readonly exchanges: ReadonlyArray<Exchange>;
  readonly faults: ReadonlyArray<Fault>;
}
