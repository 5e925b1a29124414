import { Agent, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { call, owner, parseNextLink } from '../support/http/client';
import { randomFrom } from '../support/random';
import type { Answer, Create, Exchange, List, Pet, Request } from './history';
import type { Instance } from './instance';

const petFrom = (text: string): Pet => {
  const [, id] = /^\{"id":(\d+),/.exec(text) ?? [];
  if (id === undefined) throw new Error(`no animal: ${text}`);
  const status = /"status":"(\w+)"/.exec(text)?.[1];
  return { id: BigInt(id), body: text.replace(/"id":\d+,/, ''), ...(status && { status }) };
};

const pathOf = (request: Request): string => {
  if (request.type === 'create') return '/v1/pets';
  if (request.type === 'get') return `/v1/pets/${request.id}`;
  const status = request.status === undefined ? '' : `&status=${request.status}`;
  return `/v1/pets?limit=${request.limit}&after=${request.after}${status}`;
};

const nextOf = ({ link }: IncomingHttpHeaders): { readonly next?: bigint } => {
  const after = /[?&]after=(\d+)/.exec(parseNextLink(link?.toString()) ?? '')?.[1];
  return after === undefined ? {} : { next: BigInt(after) };
};

/** Time that a client waits, far longer than any answer may take, so that late answers are recorded. */
const longestWaitMs = 30_000;

/** Sends a request. Never rejects. */
const ask = async (address: string, request: Request, agent: Agent): Promise<Answer> => {
  const timer = new AbortController();
  try {
    const url = `${address}${pathOf(request)}`;
    const ofKey = request.type === 'create' && request.key ? { 'Idempotency-Key': `"${request.key}"` } : {};
    const create =
      request.type === 'create' ? { method: 'POST' as const, body: request.body, headers: ofKey } : {};
    const answer = await Promise.race([
      call(url, { ...create, key: owner, agent }),
      delay(longestWaitMs, undefined, { signal: timer.signal }),
    ]);
    if (answer === undefined) return { type: 'none', reason: `nothing came for ${longestWaitMs} ms` };
    const { status, headers, text } = answer;
    if (status !== (request.type === 'create' ? 201 : 200)) return { type: 'refusal', status, text };
    if (request.type === 'list') {
      const pets = (text.slice(1, -1).match(/\{[^{}]*\}/g) ?? []).map(petFrom);
      return { type: 'page', pets, ...nextOf(headers) };
    }
    return { type: 'pet', pet: petFrom(text), isReplay: headers['idempotent-replayed'] === 'true' };
  } catch (error) {
    return { type: 'none', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    timer.abort();
  }
};

const statuses = ['available', 'pending', 'sold', undefined] as const;

const actions = {
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

const longestPauseMs = 100;
const retryPauseMs = [20, 600] as const;
const settleTimeoutMs = 60_000;

const maxAttempts = 8;

const noId = 4_000_000_000_000_000_000n;

export interface WorkloadOptions {
  readonly seed: number;
  readonly clients: number;
  readonly instances: ReadonlyArray<Instance>;
  readonly now: () => number;
}

export const startWorkload = ({ seed, clients, instances, now }: WorkloadOptions) => {
  const exchanges: Array<Exchange> = [];
  const acknowledged: Array<bigint> = [];
  const keyed: Array<Create> = [];
  const unsettled: Array<Create> = [];
  let turn = 0;
  let walks = 0;
  let isOver = false;

  const newClient = (client: number) => {
    const random = randomFrom(seed, `client ${client}`);
    const agents = instances.map(() => new Agent({ keepAlive: true }));
    let made = 0;

    const send = async (request: Request, at?: Instance): Promise<Answer> => {
      const instance = at ?? instances[(turn += 1) % instances.length];
      const agent = agents[instance?.number ?? 0];
      if (instance === undefined || agent === undefined) throw new Error('there is no instance');
      const began = now();
      const starvedBefore = instance.starvedMs();
      const answer = await ask(instance.address, request, agent);
      const starvedMs = Math.max(0, instance.starvedMs() - starvedBefore);
      exchanges.push({ client, instance: instance.number, began, ended: now(), starvedMs, request, answer });
      if (request.type === 'create' && answer.type === 'pet') {
        acknowledged.push(answer.pet.id);
        if (request.key !== undefined && !answer.isReplay) keyed.push(request);
      }
      return answer;
    };
    const newCreate = (): Create => {
      made += 1;
      const status = random.pick(statuses);
      const category = random.pick(['7', '9007199254740993']);
      const ofStatus = status === undefined ? '' : `,"status":"${status}"`;
      return { type: 'create', body: `{"name":"${client}-${made}","categoryId":${category}${ofStatus}}` };
    };
    const newKeyedCreate = (): Create => ({ ...newCreate(), key: `${client}-${made}` });
    const pauseBeforeRetry = (): Promise<void> => delay(random.between(...retryPauseMs));

    const createUnderKey = async (request: Create): Promise<boolean> => {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        if ((await send(request)).type === 'pet') return true;
        await pauseBeforeRetry();
      }
      return false;
    };
    const createSettled = async (request: Create): Promise<void> => {
      if (!(await createUnderKey(request))) unsettled.push(request);
    };
    const walk = async (request: List, at?: Instance): Promise<boolean> => {
      let page = { ...request, walk: (walks += 1) };
      for (let attempt = 0; attempt < maxAttempts;) {
        const answer = await send(page, at);
        if (answer.type === 'page') {
          if (answer.next === undefined) return true;
          page = { ...page, after: answer.next };
          attempt = 0;
        } else {
          await pauseBeforeRetry();
          attempt += 1;
        }
      }
      return false;
    };
    const anyOf = <A>(list: ReadonlyArray<A>): A | undefined => list[random.below(Math.max(1, list.length))];
    const listFrom = (after: bigint, limit: number): List => {
      const status = random.pick(statuses);
      return { type: 'list', after, limit, ...(status && { status }) };
    };

    const act = async (): Promise<unknown> => {
      const action = random.weighted(actions);
      const known = anyOf(acknowledged) ?? 0n;
      const earlier = anyOf(keyed);
      switch (action) {
        case 'create':
          return send(newCreate());
        case 'create with a key':
          return createSettled(newKeyedCreate());
        case 'create with a key, twice at once': {
          const request = newKeyedCreate();
          return Promise.all([createSettled(request), createSettled(request)]);
        }
        case 'retry what was acknowledged':
          return earlier && send(earlier);
        case 'take a key for another animal':
          return earlier && send({ ...earlier, body: newCreate().body });
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
          await delay(random.below(longestPauseMs));
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
    /** Resolves once every client has its last answer. */
    stop: async (): Promise<void> => {
      isOver = true;
      await running;
      for (const { close } of all) close();
    },
    /** After the faults, repeats the creates that got no answer, then lists all animals at every instance. */
    settle: async (): Promise<void> => {
      const last = newClient(clients);
      try {
        for (const request of unsettled)
          await eventually(`${request.body} is created`, settleTimeoutMs, () => last.createUnderKey(request));
        const all: List = { type: 'list', after: 0n, limit: 100 };
        for (const instance of instances)
          await eventually(`${instance.number} lists`, settleTimeoutMs, () => last.walk(all, instance));
      } finally {
        last.close();
      }
    },
  };
};
