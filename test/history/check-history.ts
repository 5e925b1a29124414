import {
  type Acknowledged,
  acknowledgedBefore,
  acknowledgedIn,
  type Created,
  type Exchange,
  type History,
  isCreated,
  isListed,
  isWhole,
  missingFrom,
  nameOf,
  petsIn,
  type Request,
  walksIn,
  who,
} from './history';

export type Property =
  | 'nothing acknowledged is lost'
  | 'nothing is stored twice'
  | 'an id is one animal, which a client sent'
  | 'a read has what was acknowledged before it began'
  | 'a walk ascends and leaves nothing out'
  | 'an answer comes within the deadline'
  | 'an answer is one that the contract knows';

export interface Violation {
  readonly property: Property;
  readonly text: string;
}

/**
 * Checks a history. A running instance must answer within the deadline, plus the time for which it had no processor.
 */
export const checkHistory = (
  { exchanges, faults }: History,
  deadlineMs: number,
): ReadonlyArray<Violation> => {
  const violations: Array<Violation> = [];
  const violate = (property: Property, text: string): void => void violations.push({ property, text });
  const acknowledged = acknowledgedIn(exchanges);
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

  /**
   * True if the exchange must agree with the 201 of the animal. A read that began before the 201 may show an animal
   * that is lost later.
   */
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
    const property = 'an id is one animal, which a client sent';
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
        if (!sent.has(pet.body)) violate(property, `no client sent ${nameOf(pet)} (${who(exchange)})`);
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
        const last = pets.length < exchange.request.limit ? undefined : pets.at(-1)?.id;
        for (const pet of missingFrom(
          pets,
          acknowledgedBefore(acknowledged, began, { ...exchange.request, last }),
        ))
          missing(nameOf(pet));
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
        violate(property, `the next page begins after ${next}, not after its last animal (${who(page)})`);
    }
    for (const walk of walks) {
      const [first] = walk;
      if (first === undefined) continue;
      walk.forEach((page, place) => {
        const expected = place === 0 ? first.request.after : walk[place - 1]?.answer.next;
        if (page.request.after !== expected)
          violate(property, `a page begins after ${page.request.after}, not ${expected} (${who(page)})`);
      });
      const { after, status } = first.request;
      const last = isWhole(walk) ? undefined : (walk.at(-1)?.answer.next ?? after);
      const owed = acknowledgedBefore(acknowledged, first.began, { after, last, status });
      for (const pet of missingFrom(walk.flatMap(petsIn), owed))
        violate(property, `${nameOf(pet)} was left out of a walk (${who(first)})`);
    }
  };

  const checkDeadlines = (): void => {
    const property = 'an answer comes within the deadline';
    for (const exchange of exchanges) {
      const { instance, began, ended, starvedMs = 0, answer } = exchange;
      const isLate = ended - began > deadlineMs + starvedMs;
      if (answer.type !== 'none' && !isLate) continue;
      const isSilenced = faults.some(
        (fault) => fault.silenced.includes(instance) && fault.began <= ended && began <= fault.ended,
      );
      if (isSilenced) continue;
      if (answer.type === 'none') violate(property, `no answer: ${answer.reason} (${who(exchange)})`);
      else
        violate(
          property,
          `${Math.round(ended - began)} ms until an answer, ${Math.round(starvedMs)} ms of it without a processor (${who(exchange)})`,
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
