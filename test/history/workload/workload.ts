import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import type { Answer, Exchange, Request } from '../history';
import { type Random, randomFrom } from '../../support/random';
import type { Instance } from '../set-ups/instance';
import { ask } from './ask';

type Create = Extract<Request, { type: 'create' }>;
type List = Extract<Request, { type: 'list' }>;

const statuses = ['available', 'pending', 'sold', undefined] as const;

/** What each client does, as often as it says. */
const deeds = {
  create: 20,
  'create with a key': 16,
  'create with a key, twice at once': 4,
  'retry what was acknowledged': 5,
  'take a key for another animal': 2,
  get: 18,
  'get what is not there': 3,
  list: 24,
  'walk from the start': 2,
  'walk from an animal': 6,
};

/** All in milliseconds. */
const longestThought = 100;
const retryPause = [20, 600] as const;
const settleBound = 60_000;

const tries = 8;
const remembered = 2_000;

/** Walks over everything become long in a long run: each client makes few. */
const noId = 4_000_000_000_000_000_000n;

export interface WorkloadOptions {
  readonly seed: number;
  readonly clients: number;
  readonly instances: ReadonlyArray<Instance>;
  readonly now: () => number;
}

/** Clients that send each request to the next of the instances, and what they were answered. */
export const startWorkload = ({ seed, clients, instances, now }: WorkloadOptions) => {
  const exchanges: Array<Exchange> = [];
  const acknowledged: Array<bigint> = [];
  const keyed: Array<Create> = [];
  const unsettled: Array<Create> = [];
  let turn = 0;
  let walks = 0;
  let isOver = false;

  const remember = <A>(list: Array<A>, each: A, random: Random): void => {
    if (list.length < remembered) list.push(each);
    else list[random.below(remembered)] = each;
  };

  const newClient = (client: number) => {
    const random = randomFrom(seed, `client ${client}`);
    const agents = instances.map(() => new Agent({ keepAlive: true }));
    let made = 0;

    const send = async (request: Request, at?: Instance): Promise<Answer> => {
      const instance = at ?? instances[(turn += 1) % instances.length];
      const agent = agents[instance?.number ?? 0];
      if (instance === undefined || agent === undefined) throw new Error('there is no instance');
      const began = now();
      const starvedBefore = instance.starved();
      const answer = await ask(instance.address, request, agent);
      const starved = Math.max(0, instance.starved() - starvedBefore);
      exchanges.push({ client, instance: instance.number, began, ended: now(), starved, request, answer });
      if (request.type === 'create' && answer.type === 'pet') {
        remember(acknowledged, answer.pet.id, random);
        if (request.key !== undefined && !answer.isReplay) remember(keyed, request, random);
      }
      return answer;
    };
    const newBody = (): string => {
      made += 1;
      const status = random.pick(statuses);
      const category = random.pick(['7', '9007199254740993']);
      return `{"name":"${client}-${made}","categoryId":${category}${status === undefined ? '' : `,"status":"${status}"`}}`;
    };
    const think = (): Promise<void> => delay(random.below(longestThought));
    const pauseBeforeRetry = (): Promise<void> => delay(random.between(...retryPause));

    /** Until it has the animal, or has lost patience. */
    const createUnderKey = async (request: Create): Promise<boolean> => {
      for (let attempt = 0; attempt < tries; attempt += 1) {
        if ((await send(request)).type === 'pet') return true;
        await pauseBeforeRetry();
      }
      return false;
    };
    const createSettled = async (request: Create): Promise<void> => {
      if (!(await createUnderKey(request))) unsettled.push(request);
    };
    const walk = async (request: List, at?: Instance): Promise<boolean> => {
      walks += 1;
      const number = walks;
      let after = request.after;
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const answer = await send({ ...request, after, walk: number }, at);
        if (answer.type !== 'page') {
          await pauseBeforeRetry();
          continue;
        }
        if (answer.next === undefined) return true;
        after = answer.next;
        attempt = -1;
      }
      return false;
    };
    const anyOf = <A>(list: ReadonlyArray<A>): A | undefined => list[random.below(Math.max(1, list.length))];
    const listFrom = (after: bigint, limit: number): List => {
      const status = random.pick(statuses);
      return { type: 'list', after, limit, ...(status && { status }) };
    };

    const act = async (): Promise<unknown> => {
      const deed = random.weighted(deeds);
      const known = anyOf(acknowledged) ?? 0n;
      const earlier = anyOf(keyed);
      switch (deed) {
        case 'create':
          return send({ type: 'create', body: newBody() });
        case 'create with a key':
          return createSettled({ type: 'create', body: newBody(), key: `${client}-${made}` });
        case 'create with a key, twice at once': {
          const request: Create = { type: 'create', body: newBody(), key: `${client}-${made}` };
          return Promise.all([createSettled(request), createSettled(request)]);
        }
        case 'retry what was acknowledged':
          return earlier && send(earlier);
        case 'take a key for another animal':
          return earlier && send({ ...earlier, body: newBody() });
        case 'get':
          return send({ type: 'get', id: known });
        case 'get what is not there':
          return send({ type: 'get', id: noId });
        case 'list':
          return send(listFrom(random.pick([0n, known]), random.pick([1, 20, 100])));
        case 'walk from the start':
          return walk(listFrom(0n, 100));
        case 'walk from an animal':
          return walk(listFrom(known, random.pick([5, 20, 100])));
      }
    };
    return {
      run: async (): Promise<void> => {
        while (!isOver) {
          await act();
          await think();
        }
      },
      createUnderKey,
      walk,
      close: () => {
        for (const agent of agents) agent.destroy();
      },
    };
  };

  const all = Array.from({ length: clients }, (_, client) => newClient(client));
  const running = Promise.all(all.map(({ run }) => run()));
  return {
    exchanges,
    /** Ends once every client has its last answer. */
    stop: async (): Promise<void> => {
      isOver = true;
      await running;
      for (const { close } of all) close();
    },
    /** Once the faults are over: what has no answer yet is sent again, and everything is read at every instance. */
    settle: async (): Promise<void> => {
      const last = newClient(clients);
      try {
        for (const request of unsettled)
          await eventually(`${request.body} is created`, settleBound, () => last.createUnderKey(request));
        for (const instance of instances)
          await eventually(`instance ${instance.number} lists`, settleBound, () =>
            last.walk({ type: 'list', after: 0n, limit: 100 }, instance),
          );
      } finally {
        last.close();
      }
    },
  };
};
