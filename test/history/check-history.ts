import type { Exchange, History, Pet, Request } from './history';

/** What the service promises of a history, whatever was done to it. */
export type Property =
  | 'nothing acknowledged is lost'
  | 'nothing is stored twice'
  | 'an id is one animal, which somebody sent'
  | 'a read has what was acknowledged before it began'
  | 'a walk ascends and leaves nothing out'
  | 'an answer comes within the deadline'
  | 'an answer is one that the contract knows';

export interface Violation {
  readonly property: Property;
  readonly text: string;
}

export interface Limits {
  /**
   * In milliseconds: how long an instance that runs and can be reached may take to answer. What the machine kept it from a
   * processor comes on top.
   */
  readonly deadline: number;
}

/** An animal that was answered with 201, and when that answer was first there. */
interface Acknowledged {
  readonly pet: Pet;
  readonly since: number;
}

type Create = Extract<Request, { type: 'create' }>;
type List = Extract<Request, { type: 'list' }>;

/** A request whose answer is the one that was hoped for. */
interface Created extends Exchange {
  readonly request: Create;
  readonly answer: Extract<Exchange['answer'], { type: 'pet' }>;
}
interface Listed extends Exchange {
  readonly request: List;
  readonly answer: Extract<Exchange['answer'], { type: 'page' }>;
}

const isCreated = (exchange: Exchange): exchange is Created =>
  exchange.request.type === 'create' && exchange.answer.type === 'pet';
const isListed = (exchange: Exchange): exchange is Listed =>
  exchange.request.type === 'list' && exchange.answer.type === 'page';

const petsIn = ({ answer }: Exchange): ReadonlyArray<Pet> => {
  if (answer.type === 'pet') return [answer.pet];
  return answer.type === 'page' ? answer.pets : [];
};

/** By the first 201 of each id, in ascending order of ids. */
const acknowledgedIn = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<Acknowledged> => {
  const byId = new Map<bigint, Acknowledged>();
  for (const { answer, ended } of exchanges.filter(isCreated)) {
    const first = byId.get(answer.pet.id);
    if (first === undefined || ended < first.since)
      byId.set(answer.pet.id, { pet: answer.pet, since: ended });
  }
  return [...byId.values()].sort((one, other) => (one.pet.id < other.pet.id ? -1 : 1));
};

/** Animals behind `after` and up to `last`, of a status if one is named. */
interface Range {
  readonly after: bigint;
  readonly last: bigint | undefined;
  readonly status?: string | undefined;
}

/** Says which animals of a range were acknowledged before a time. */
const acknowledgedBefore = (acknowledged: ReadonlyArray<Acknowledged>) => {
  // Where all that stands behind a place is too young, nobody need look there.
  const earliestFrom = acknowledged.map(({ since }) => since);
  for (let place = acknowledged.length - 2; place >= 0; place -= 1)
    earliestFrom[place] = Math.min(earliestFrom[place] ?? Infinity, earliestFrom[place + 1] ?? Infinity);
  const firstBehind = (id: bigint): number => {
    let [low, high] = [0, acknowledged.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((acknowledged[middle]?.pet.id ?? id) > id) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return (time: number, { after, last, status }: Range): ReadonlyArray<Pet> => {
    const pets: Array<Pet> = [];
    for (let place = firstBehind(after); (earliestFrom[place] ?? Infinity) < time; place += 1) {
      const { pet, since } = acknowledged[place] ?? { since: Infinity };
      if (pet === undefined || (last !== undefined && pet.id > last)) break;
      if (since < time && (status === undefined || pet.status === status)) pets.push(pet);
    }
    return pets;
  };
};

const walksIn = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<ReadonlyArray<Listed>> => {
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

const isWhole = (walk: ReadonlyArray<Listed>): boolean => walk.at(-1)?.answer.next === undefined;

const missingFrom = (shown: ReadonlyArray<Pet>, owed: ReadonlyArray<Pet>): ReadonlyArray<Pet> => {
  const ids = new Set(shown.map(({ id }) => id));
  return owed.filter(({ id }) => !ids.has(id));
};

const nameOf = ({ id, body }: Pet): string => `${id} ${body}`;
const at = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(3)} s`;
const who = ({ client, instance, began, ended }: Exchange): string =>
  `client ${client} at instance ${instance}, ${at(began)} to ${at(ended)}`;

/** Holds a history against every property; a right one gives no violation. */
export const checkHistory = ({ exchanges, faults }: History, limits: Limits): ReadonlyArray<Violation> => {
  const violations: Array<Violation> = [];
  const violate = (property: Property, text: string): void => void violations.push({ property, text });
  const acknowledged = acknowledgedIn(exchanges);
  const owed = acknowledgedBefore(acknowledged);
  const walks = walksIn(exchanges);
  const lastSince = acknowledged.reduce((latest, { since }) => Math.max(latest, since), 0);
  const lastWalks = walks.filter(
    (walk) => isWhole(walk) && walk[0] !== undefined && walk[0].began > lastSince,
  );

  const checkNothingLost = (): void => {
    const property = 'nothing acknowledged is lost';
    const last = lastWalks.find(
      ([first]) => first?.request.after === 0n && first.request.status === undefined,
    );
    if (last === undefined) {
      violate(property, 'no walk over all animals ends the history');
      return;
    }
    const missing = missingFrom(
      last.flatMap(petsIn),
      acknowledged.map(({ pet }) => pet),
    );
    for (const pet of missing) violate(property, `${nameOf(pet)} is not there at the end`);
  };

  /** What a read shows of animals whose 201 it began before may be gone later: nobody was promised it. */
  const isPromised = ({ request, began }: Exchange, { since }: Acknowledged): boolean =>
    request.type === 'create' || since < began;

  const checkNothingTwice = (): void => {
    const property = 'nothing is stored twice';
    const byBody = new Map<string, Acknowledged>();
    for (const each of acknowledged) {
      const first = byBody.get(each.pet.body);
      if (first === undefined || each.since < first.since) byBody.set(each.pet.body, each);
    }
    for (const exchange of exchanges) {
      for (const pet of petsIn(exchange)) {
        const first = byBody.get(pet.body);
        if (first !== undefined && first.pet.id !== pet.id && isPromised(exchange, first))
          violate(property, `${pet.body} is ${first.pet.id} and ${pet.id} (${who(exchange)})`);
      }
    }
    for (const walk of lastWalks) {
      const idOf = new Map<string, bigint>();
      for (const { id, body } of walk.flatMap(petsIn)) {
        const first = idOf.get(body);
        if (first !== undefined) violate(property, `${body} is ${first} and ${id} at the end`);
        idOf.set(body, id);
      }
    }
    const ofKey = new Map<string, Created>();
    for (const exchange of exchanges.filter(isCreated)) {
      const { key } = exchange.request;
      if (key === undefined) continue;
      const { answer } = exchange;
      const first = ofKey.get(key);
      ofKey.set(key, first === undefined || first.answer.isReplay ? exchange : first);
      if (first === undefined) continue;
      if (first.answer.pet.id !== answer.pet.id)
        violate(property, `${key} made ${first.answer.pet.id} and ${answer.pet.id} (${who(exchange)})`);
      else if (!first.answer.isReplay && !answer.isReplay)
        violate(property, `${key} made ${answer.pet.id} twice, neither is a replay (${who(exchange)})`);
    }
  };

  const checkIds = (): void => {
    const property = 'an id is one animal, which somebody sent';
    const sent = new Set(
      exchanges.flatMap(({ request }) => (request.type === 'create' ? [request.body] : [])),
    );
    const byId = new Map(acknowledged.map((each) => [each.pet.id, each]));
    for (const exchange of exchanges) {
      const { request } = exchange;
      for (const pet of petsIn(exchange)) {
        const first = byId.get(pet.id);
        if (first !== undefined && first.pet.body !== pet.body && isPromised(exchange, first))
          violate(property, `${nameOf(pet)} was ${first.pet.body} (${who(exchange)})`);
        if (!sent.has(pet.body)) violate(property, `nobody sent ${nameOf(pet)} (${who(exchange)})`);
        if (request.type === 'create' && request.body !== pet.body)
          violate(property, `${request.body} was answered with ${nameOf(pet)} (${who(exchange)})`);
        if (request.type === 'get' && request.id !== pet.id)
          violate(property, `${request.id} was answered with ${nameOf(pet)} (${who(exchange)})`);
      }
    }
  };

  const checkReads = (): void => {
    const since = new Map(acknowledged.map(({ pet, since }) => [pet.id, since]));
    for (const exchange of exchanges) {
      const { request, answer, began } = exchange;
      const missing = (pet: string): void => {
        violate('a read has what was acknowledged before it began', `${pet} is missing (${who(exchange)})`);
      };
      if (request.type === 'get' && answer.type === 'refusal' && answer.status === 404) {
        if ((since.get(request.id) ?? Infinity) < began) missing(`${request.id}`);
      } else if (isListed(exchange)) {
        const { pets } = exchange.answer;
        // A full page owes nothing behind its last animal.
        const last = pets.length < exchange.request.limit ? undefined : pets.at(-1)?.id;
        for (const pet of missingFrom(pets, owed(began, { ...exchange.request, last }))) missing(nameOf(pet));
      }
    }
  };

  const checkWalks = (): void => {
    const property = 'a walk ascends and leaves nothing out';
    for (const page of exchanges.filter(isListed)) {
      const { after, limit, status } = page.request;
      const { pets, next } = page.answer;
      const ids = [after, ...pets.map(({ id }) => id)];
      if (ids.some((id, place) => place > 0 && id <= (ids[place - 1] ?? id)))
        violate(property, `${ids.join(', ')} do not ascend (${who(page)})`);
      if (pets.length > limit)
        violate(property, `${pets.length} animals where ${limit} may be (${who(page)})`);
      if (status !== undefined && pets.some((pet) => pet.status !== status))
        violate(property, `not all are ${status} (${who(page)})`);
      if (next !== undefined && next !== pets.at(-1)?.id)
        violate(property, `the next page begins behind ${next}, not behind its last animal (${who(page)})`);
    }
    for (const walk of walks) {
      const [first] = walk;
      if (first === undefined) continue;
      walk.forEach((page, place) => {
        const expected = place === 0 ? first.request.after : walk[place - 1]?.answer.next;
        if (page.request.after !== expected)
          violate(property, `a page goes on behind ${page.request.after}, not ${expected} (${who(page)})`);
      });
      const { after, status } = first.request;
      const last = isWhole(walk) ? undefined : (walk.at(-1)?.answer.next ?? after);
      for (const pet of missingFrom(walk.flatMap(petsIn), owed(first.began, { after, last, status })))
        violate(property, `${nameOf(pet)} was left out of a walk (${who(first)})`);
    }
  };

  const checkDeadlines = (): void => {
    const property = 'an answer comes within the deadline';
    for (const exchange of exchanges) {
      const { instance, began, ended, starved = 0, answer } = exchange;
      const isLate = ended - began > limits.deadline + starved;
      if (answer.type !== 'none' && !isLate) continue;
      const isSilenced = faults.some(
        (fault) => fault.silenced.includes(instance) && fault.began <= ended && began <= fault.ended,
      );
      if (isSilenced) continue;
      if (answer.type === 'none') violate(property, `no answer: ${answer.reason} (${who(exchange)})`);
      else
        violate(
          property,
          `${Math.round(ended - began)} ms until an answer, ${Math.round(starved)} ms of it without a processor (${who(exchange)})`,
        );
    }
  };

  const checkStatuses = (): void => {
    const bodiesOf = new Map<string, Set<string>>();
    for (const { request } of exchanges) {
      if (request.type !== 'create' || request.key === undefined) continue;
      bodiesOf.set(request.key, (bodiesOf.get(request.key) ?? new Set()).add(request.body));
    }
    const isKnown = (status: number, request: Request): boolean => {
      const key = request.type === 'create' ? request.key : undefined;
      if (status === 404) return request.type === 'get';
      if (status === 409) return key !== undefined;
      if (status === 422) return key !== undefined && (bodiesOf.get(key)?.size ?? 0) > 1;
      return status === 503;
    };
    for (const exchange of exchanges) {
      const { request, answer } = exchange;
      if (answer.type === 'refusal' && !isKnown(answer.status, request))
        violate(
          'an answer is one that the contract knows',
          `${answer.status} ${answer.text} to a ${request.type} (${who(exchange)})`,
        );
    }
  };

  checkNothingLost();
  checkNothingTwice();
  checkIds();
  checkReads();
  checkWalks();
  checkDeadlines();
  checkStatuses();
  return violations;
};
