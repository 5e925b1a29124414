/** An animal of a response: its id, and the rest of its JSON text, which its creator sent. */
export interface Pet {
  readonly id: bigint;
  /** Tells which create made the animal, because each create sends a body of its own. */
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
      readonly walk?: number;
    };

export type Answer =
  | { readonly type: 'pet'; readonly pet: Pet; readonly isReplay: boolean }
  /** A 200. `next` is the last id before the next page, if there is a Link to this page. */
  | { readonly type: 'page'; readonly pets: ReadonlyArray<Pet>; readonly next?: bigint }
  | { readonly type: 'refusal'; readonly status: number; readonly text: string }
  /** The connection ended, or the client waited too long. */
  | { readonly type: 'none'; readonly reason: string };

/** A request to one instance, and its answer. Times are in milliseconds on one monotonic clock. */
export interface Exchange {
  readonly client: number;
  readonly instance: number;
  readonly began: number;
  readonly ended: number;
  /** Milliseconds between `began` and `ended` for which the instance was ready to run and had no processor. */
  readonly starvedMs?: number;
  readonly request: Request;
  readonly answer: Answer;
}

export interface Fault {
  readonly name: string;
  readonly began: number;
  readonly ended: number;
  /** Instances that were stopped or unreachable during the fault, and so need not have answered. */
  readonly silenced: ReadonlyArray<number>;
}

export interface History {
  readonly exchanges: ReadonlyArray<Exchange>;
  readonly faults: ReadonlyArray<Fault>;
}

export interface Acknowledged {
  readonly pet: Pet;
  readonly since: number;
}

export type Create = Extract<Request, { type: 'create' }>;
export type List = Extract<Request, { type: 'list' }>;

export interface Created extends Exchange {
  readonly request: Create;
  readonly answer: Extract<Exchange['answer'], { type: 'pet' }>;
}
export interface Listed extends Exchange {
  readonly request: List;
  readonly answer: Extract<Exchange['answer'], { type: 'page' }>;
}

export const isCreated = (exchange: Exchange): exchange is Created =>
  exchange.request.type === 'create' && exchange.answer.type === 'pet';
export const isListed = (exchange: Exchange): exchange is Listed =>
  exchange.request.type === 'list' && exchange.answer.type === 'page';

export const petsIn = ({ answer }: Exchange): ReadonlyArray<Pet> => {
  if (answer.type === 'pet') return [answer.pet];
  return answer.type === 'page' ? answer.pets : [];
};

/** Returns the acknowledged animals, each by the first 201 of its id. */
export const acknowledgedIn = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<Acknowledged> => {
  const byId = new Map<bigint, Acknowledged>();
  for (const { answer, ended } of exchanges.filter(isCreated)) {
    const first = byId.get(answer.pet.id);
    if (first === undefined || ended < first.since)
      byId.set(answer.pet.id, { pet: answer.pet, since: ended });
  }
  return [...byId.values()];
};

interface Range {
  readonly after: bigint;
  readonly last: bigint | undefined;
  readonly status?: string | undefined;
}

/** Returns the animals of a range that were acknowledged before a time. */
export const acknowledgedBefore = (
  acknowledged: ReadonlyArray<Acknowledged>,
  time: number,
  { after, last, status }: Range,
): ReadonlyArray<Pet> =>
  acknowledged
    .filter(({ since }) => since < time)
    .map(({ pet }) => pet)
    .filter(({ id }) => id > after && (last === undefined || id <= last))
    .filter((pet) => status === undefined || pet.status === status);

export const walksIn = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<ReadonlyArray<Listed>> => {
  const walks = new Map<number, Array<Listed>>();
  for (const page of exchanges.filter(isListed)) {
    const { walk } = page.request;
    if (walk === undefined) continue;
    const pages = walks.get(walk);
    if (pages === undefined) walks.set(walk, [page]);
    else pages.push(page);
  }
  return [...walks.values()];
};

/** True if the walk reached its last page. */
export const isWhole = (walk: ReadonlyArray<Listed>): boolean => walk.at(-1)?.answer.next === undefined;

export const missingFrom = (shown: ReadonlyArray<Pet>, owed: ReadonlyArray<Pet>): ReadonlyArray<Pet> => {
  const ids = new Set(shown.map(({ id }) => id));
  return owed.filter(({ id }) => !ids.has(id));
};

export const nameOf = ({ id, body }: Pet): string => `${id} ${body}`;
const at = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(3)} s`;
export const who = ({ client, instance, began, ended }: Exchange): string =>
  `client ${client} at instance ${instance}, ${at(began)} to ${at(ended)}`;
