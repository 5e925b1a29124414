import { expect } from 'chai';
import { checkHistory, type Property } from './check-history';
import type { Answer, Exchange, Fault, History, Pet, Request } from './history';

const deadlineMs = 5_000;

const pet = (id: number, body: string): Pet => ({ id: BigInt(id), body, status: 'sold' });
const rex = pet(1, 'rex');
const tom = pet(2, 'tom');
const ivy = pet(3, 'ivy');

const made = (pet: Pet, isReplay = false): Answer => ({ type: 'pet', pet, isReplay });
const page = (pets: ReadonlyArray<Pet>, next?: Pet): Answer => ({
  type: 'page',
  pets,
  ...(next && { next: next.id }),
});
const refusal = (status: number): Answer => ({ type: 'refusal', status, text: '' });
const none: Answer = { type: 'none', reason: 'ECONNRESET' };

const create = (body: string, key?: string): Request => ({ type: 'create', body, ...(key && { key }) });
const get = (id: number): Request => ({ type: 'get', id: BigInt(id) });
const list = (after: number, limit: number, others: { walk?: number; status?: string } = {}): Request => ({
  type: 'list',
  after: BigInt(after),
  limit,
  ...others,
});

const exchange = (began: number, ended: number, request: Request, answer: Answer): Exchange => ({
  client: 1,
  instance: 2,
  began,
  ended,
  request,
  answer,
});

/** A correct history. A test replaces one exchange, which it finds by its name. */
const right: Readonly<Record<string, Exchange>> = {
  'creates rex': exchange(10, 20, create('rex'), made(rex)),
  'gets rex': exchange(30, 40, get(1), made(rex)),
  'gets what is not there': exchange(30, 40, get(2), refusal(404)),
  'creates tom, without an answer': exchange(50, 60, create('tom', 'key'), none),
  'retries tom': exchange(70, 80, create('tom', 'key'), refusal(409)),
  'retries tom again': exchange(90, 100, create('tom', 'key'), made(tom)),
  'retries what was acknowledged': exchange(110, 120, create('tom', 'key'), made(tom, true)),
  'takes the key for another': exchange(110, 120, create('max', 'key'), refusal(422)),
  'creates ivy': exchange(130, 180, create('ivy'), made(ivy)),
  'lists while ivy is created': exchange(140, 150, list(0, 20), page([rex, tom])),
  'lists a full page': exchange(190, 200, list(0, 2), page([rex, tom], tom)),
  'lists what is sold': exchange(190, 200, list(1, 20, { status: 'sold' }), page([tom, ivy])),
  'refuses a list': exchange(190, 200, list(0, 20), refusal(503)),
  'walks, first page': exchange(210, 220, list(0, 2, { walk: 1 }), page([rex, tom], tom)),
  'walks, last page': exchange(230, 240, list(2, 2, { walk: 1 }), page([ivy])),
};

const cut: Fault = { name: 'kill', began: 45, ended: 55, silenced: [2] };

const historyOf = (exchanges: Readonly<Record<string, Exchange>>, faults = [cut]): History => ({
  exchanges: Object.values(exchanges),
  faults,
});

const violated = (history: History): ReadonlyArray<Property> => [
  ...new Set(checkHistory(history, deadlineMs).map(({ property }) => property)),
];

const wrong = (name: string, change: Partial<Exchange>): History => {
  const before = right[name];
  if (before === undefined) throw new Error(`no exchange ${name}`);
  return historyOf({ ...right, [name]: { ...before, ...change } });
};

const more = (...exchanges: ReadonlyArray<Exchange>): History =>
  historyOf({ ...right, ...Object.fromEntries(exchanges.map((each, place) => [`more ${place}`, each])) });

const without = (name: string): History =>
  historyOf(Object.fromEntries(Object.entries(right).filter(([each]) => each !== name)));

const breaches: ReadonlyArray<readonly [Property, ReadonlyArray<readonly [string, History]>]> = [
  [
    'nothing acknowledged is lost',
    [
      ['an acknowledged animal is not on the last walk', wrong('walks, last page', { answer: page([]) })],
      ['no walk ends the history', without('walks, last page')],
      ['the last walk began before the last create ended', wrong('walks, first page', { began: 170 })],
    ],
  ],
  [
    'nothing is stored twice',
    [
      [
        'a key made two animals',
        wrong('retries what was acknowledged', { answer: made(pet(4, 'tom'), true) }),
      ],
      ['a retry says that it is the first', wrong('retries what was acknowledged', { answer: made(tom) })],
      [
        'one animal is listed under two ids',
        wrong('walks, last page', { answer: page([ivy, pet(4, 'rex')]) }),
      ],
      [
        'an animal without a 201 is stored twice',
        wrong('walks, last page', { answer: page([ivy, pet(4, 'max'), pet(5, 'max')]) }),
      ],
      ['a key took another body', wrong('takes the key for another', { answer: made(pet(4, 'max')) })],
    ],
  ],
  [
    'an id is one animal, which a client sent',
    [
      ['two creates got one id', wrong('creates ivy', { answer: made(pet(1, 'ivy')) })],
      ['an animal changed', wrong('gets rex', { answer: made(pet(1, 'rox')) })],
      ['an animal no client sent', wrong('walks, last page', { answer: page([ivy, pet(4, 'ufo')]) })],
      ['a create got the animal of another', wrong('creates ivy', { answer: made(rex) })],
      ['a get got another id', more(exchange(190, 200, get(1), made(ivy)))],
    ],
  ],
  [
    'a read has what was acknowledged before it began',
    [
      ['a get misses it', wrong('gets rex', { answer: refusal(404) })],
      ['a list misses it', wrong('lists what is sold', { answer: page([tom]) })],
      ['a full page skips it', wrong('lists a full page', { answer: page([rex, ivy], ivy) })],
    ],
  ],
  [
    'a walk ascends and leaves nothing out',
    [
      ['a page descends', wrong('lists a full page', { answer: page([tom, rex], rex) })],
      ['a page begins before it should', wrong('walks, last page', { answer: page([tom, ivy]) })],
      ['a page is too long', wrong('lists a full page', { answer: page([rex, tom, ivy]) })],
      [
        'a page has another status',
        wrong('lists what is sold', { answer: page([tom, { ...ivy, status: 'pending' }]) }),
      ],
      ['a link skips an animal', wrong('walks, first page', { answer: page([rex, tom], ivy) })],
      ['a walk ends too early', wrong('walks, first page', { answer: page([rex, tom]) })],
      ['a page of a walk misses an animal', wrong('walks, first page', { answer: page([rex], rex) })],
    ],
  ],
  [
    'an answer comes within the deadline',
    [
      ['an answer is late', wrong('walks, last page', { ended: 230 + deadlineMs + 1 })],
      ['no answer of an instance that ran', wrong('lists a full page', { answer: none })],
      ['no answer, and another was killed', historyOf(right, [{ ...cut, silenced: [1] }])],
      ['no answer after the fault was over', historyOf(right, [{ ...cut, ended: 49 }])],
    ],
  ],
  [
    'an answer is one that the contract knows',
    [
      ['a 500', wrong('refuses a list', { answer: refusal(500) })],
      ['a 404 to a list', wrong('refuses a list', { answer: refusal(404) })],
      ['a 409 without a key', wrong('creates ivy', { answer: refusal(409) })],
      ['a 422 to a retry of the same body', more(exchange(250, 260, create('may', 'its own'), refusal(422)))],
    ],
  ],
];

describe('checkHistory', () => {
  it('finds nothing in a correct history', () => {
    expect(checkHistory(historyOf(right), deadlineMs)).to.deep.equal([]);
  });

  it('finds nothing if a read showed an animal without a 201 that is lost later and made again by its retry', () => {
    const shown = exchange(80, 85, list(0, 20), page([rex, pet(2, 'ivy'), pet(9, 'tom')]));
    expect(checkHistory(more(shown), deadlineMs)).to.deep.equal([]);
  });

  it('finds nothing if an instance was late only by the time in which it had no processor', () => {
    const late = { ended: 230 + deadlineMs + 400, starvedMs: 401 };
    expect(checkHistory(wrong('walks, last page', late), deadlineMs)).to.deep.equal([]);
    expect(violated(wrong('walks, last page', { ...late, starvedMs: 399 }))).to.deep.equal([
      'an answer comes within the deadline',
    ]);
  });

  for (const [property, histories] of breaches) {
    describe(property, () => {
      for (const [title, history] of histories) {
        it(`is broken if ${title}`, () => {
          expect(violated(history)).to.include(property);
        });
      }
    });
  }
});
