import { expect } from 'chai';
import { Agent } from 'node:http';
import type { ClientHttp2Session } from 'node:http2';
import { type Random, randomFrom } from '../support/random';
import { call, idOf } from '../support/http/client';
import { killPrograms } from '../support/processes/command';
import { needsPrograms } from '../support/processes/system';
import { killServices, startService } from '../support/service/service-process';
import { newDatabaseFile, removeFolders } from '../support/temporary-folder';
import {
  attackerKey,
  attackHttp1,
  attackHttp2,
  desynchronize,
  callHttp2,
  openHttp2,
} from './support/aborting-clients';
import { type Proxy, proxies, type StartProxy } from './support/proxies';

const victimKey = 'a-key-of-a-victim-that-is-long-enough';

const attackersOfEachKind = 6;
const victimsOfEachKind = 4;
const durationMs = 6_000;

/** CHAOS_SEED repeats the random choices of an earlier run, but not their exact times. */
const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 32));

const json = { 'content-type': 'application/json' };

interface Answered {
  readonly status: number;
  readonly text: string;
}

type Ask = (path: string, body?: string) => Promise<Answered>;

const victimHttp1 = ({ address }: Proxy): Ask => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return (path, body) =>
    call(`${address}${path}`, {
      key: victimKey,
      agent,
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
};

const victimHttp2 = ({ tlsAddress }: Proxy): Ask => {
  let session: ClientHttp2Session | undefined;
  return (path, body) => {
    if (session === undefined || session.closed || session.destroyed) session = openHttp2(tlsAddress);
    const method = body === undefined ? 'GET' : 'POST';
    const headers = { ':method': method, ':path': path, authorization: `Bearer ${victimKey}` };
    return callHttp2(session, body === undefined ? headers : { ...headers, ...json }, body);
  };
};

/** True for the 503 of an overload. A proxy that reaches no instance sends another text. */
const isShed = ({ status, text }: Answered): boolean =>
  status === 503 && text.includes('too many requests are waiting');

/** Reads and adds animals until told to end. Returns the responses that are wrong. */
const useAsVictim = async (
  ask: Ask,
  pets: ReadonlyArray<string>,
  random: Random,
  isOver: () => boolean,
): Promise<{ readonly right: number; readonly wrong: ReadonlyArray<string> }> => {
  const wrong: Array<string> = [];
  let right = 0;
  while (!isOver()) {
    const name = `victim-${random.below(2 ** 32)}`;
    const pet = pets[random.below(pets.length)] ?? '';
    const isCreate = random.below(3) === 0;
    const answer = await (
      isCreate ? ask('/v1/pets', `{"name":"${name}","categoryId":7}`) : ask(`/v1/pets/${idOf(pet)}`)
    ).catch((error: unknown) => ({ status: 0, text: String(error) }));
    if (isShed(answer)) continue;
    const { status, text } = answer;
    const isRight = isCreate ? status === 201 && text.includes(`"${name}"`) : status === 200 && text === pet;
    if (isRight) right += 1;
    else wrong.push(`${isCreate ? name : pet}: ${status} ${text}`);
  }
  return { right, wrong };
};

type Attack = (proxy: Proxy, random: Random) => Promise<void>;

const attack = async (startProxy: StartProxy) => {
  const settings = {
    ...{ API_KEYS: `${victimKey},${attackerKey}`, TRUST_PROXY: '1', LOG_LEVEL: 'silent' },
    DATABASE_URL: `sqlite:${await newDatabaseFile()}`,
  };
  const first = await startService(settings);
  const second = await startService(settings);
  const proxy = await startProxy([new URL(first.address).host, new URL(second.address).host]);
  const pets: Array<string> = [];
  for (let count = 0; count < 20; count += 1) {
    const body = `{"name":"pet ${count}","categoryId":7}`;
    pets.push((await call(`${first.address}/v1/pets`, { method: 'POST', key: victimKey, body })).text);
  }

  const end = performance.now() + durationMs;
  const isOver = (): boolean => performance.now() > end;
  let attacks = 0;
  const attackUntilOver = async (name: string, send: Attack): Promise<void> => {
    const random = randomFrom(seed, name);
    for (; !isOver(); attacks += 1) await send(proxy, random);
  };
  const attackers = Array.from({ length: attackersOfEachKind }, (_, place) => [
    attackUntilOver(`HTTP/1.1 attacker ${place}`, attackHttp1),
    attackUntilOver(`HTTP/2 attacker ${place}`, attackHttp2),
  ]).flat();
  const victims = Array.from({ length: victimsOfEachKind }, (_, place) =>
    [victimHttp1(proxy), victimHttp2(proxy)].map((ask, kind) =>
      useAsVictim(ask, pets, randomFrom(seed, `victim ${place} ${kind}`), isOver),
    ),
  ).flat();
  await Promise.all([...attackers, attackUntilOver('desynchronizer', desynchronize)]);
  const answers = await Promise.all(victims);

  expect(
    answers.flatMap(({ wrong }) => wrong),
    `seed ${seed}`,
  ).to.deep.equal([]);
  expect(answers.reduce((sum, answer) => sum + answer.right, 0)).to.be.above(100);
};

describe('Clients that abort at random behind a shipped proxy', () => {
  needsPrograms('nginx', 'haproxy', 'openssl');
  afterEach(killPrograms);
  afterEach(killServices);
  afterEach(removeFolders);

  for (const [name, startProxy] of proxies) {
    it(`do not change what others are answered through ${name}`, () => attack(startProxy));
  }
});
