import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { killServices, startService } from '../../support/service/service-process';
import { call, createUnder, newPet, owner } from '../../support/http/client';
import { fault, type Figures } from '../support/fault';
import { startFreezingProxy } from '../../support/postgres/freezing-proxy';
import { inFolder } from '../../support/temporary-folder';
import { urlOf } from '../../support/postgres/postgres-server';
import { type PostgresPair, withPostgresPair } from '../support/databases/postgres-pair';
import { expectStored } from '../support/checks/stored';

const creators = 24;
const readers = 8;

/** All in milliseconds. */
const underLoad = 3_000;
const longestOutage = 45_000;
const longestAnswer = 5_000;
const pause = 50;

/** What becomes of the primary, and of the connections to it. */
type Loss = 'is killed' | 'hangs';

const newLedger = () => ({
  sent: new Set<string>(),
  acknowledged: new Array<string>(),
  /** Creates under a key that have no 201 yet. */
  open: new Set<string>(),
  /** When a 201 came. */
  times: new Array<number>(),
  /** How many creates had another answer, or none. */
  refused: 0,
});
type Ledger = ReturnType<typeof newLedger>;

/** Half of the creates have a key, and are sent again until they are answered with a 201. */
const create = async (address: string, name: string, isKeyed: boolean, ledger: Ledger): Promise<void> => {
  ledger.sent.add(name);
  if (isKeyed) ledger.open.add(name);
  const answer = await (isKeyed
    ? createUnder(address, name, newPet(name))
    : call(`${address}/v1/pets`, { method: 'POST', key: owner, body: newPet(name) }));
  expect(answer.milliseconds, `milliseconds until a ${answer.status}`).to.be.below(longestAnswer);
  if (answer.status === 201) {
    ledger.acknowledged.push(answer.text);
    ledger.times.push(performance.now());
    ledger.open.delete(name);
    return;
  }
  expect(answer.status, answer.text).to.equal(503);
  ledger.refused += 1;
  await delay(pause);
};

const createUntil = async (address: string, client: number, ledger: Ledger, isOver: () => boolean) => {
  for (let count = 0; !isOver(); count += 1) {
    const name = `${client}-${count}`;
    const isKeyed = client % 2 === 0;
    do await create(address, name, isKeyed, ledger);
    while (isKeyed && ledger.open.has(name) && !isOver());
  }
};

/** Reads all the while; answers with when it was refused. */
const readUntil = async (address: string, isOver: () => boolean): Promise<ReadonlyArray<number>> => {
  const refused: Array<number> = [];
  while (!isOver()) {
    const answer = await call(`${address}/v1/pets?limit=5`, { key: owner });
    expect(answer.milliseconds, `milliseconds until a ${answer.status}`).to.be.below(longestAnswer);
    if (answer.status !== 200) {
      expect(answer.status, answer.text).to.equal(503);
      refused.push(performance.now());
    }
    await delay(pause);
  }
  return refused;
};

const longestGap = (times: ReadonlyArray<number>): number =>
  times.reduce((longest, time, place) => Math.max(longest, time - (times[place - 1] ?? time)), 0);

const failOver = async (pair: PostgresPair, loss: Loss): Promise<Figures> => {
  const address = await startFreezingProxy(pair.primary().port);
  try {
    const service = await startService({
      DATABASE_URL: urlOf(address.port),
      API_KEYS: owner,
      LOG_LEVEL: 'silent',
    });
    const ledger = newLedger();
    let isOver = false;
    const load = Promise.all(
      Array.from({ length: creators }, (_, client) =>
        createUntil(service.address, client, ledger, () => isOver),
      ),
    );
    const reads = Promise.all(
      Array.from({ length: readers }, () => readUntil(service.address, () => isOver)),
    );
    await delay(underLoad);
    const lostAt = performance.now();
    if (loss === 'hangs') pair.primary().hang();
    else await pair.primary().kill();
    await pair.failOver();
    address.switchTo(pair.primary().port, loss === 'hangs' ? 'hang' : 'end');
    const switchedAt = performance.now();
    await eventually('creates go on', longestOutage, () => (ledger.times.at(-1) ?? 0) > switchedAt);
    const wellAt = performance.now();
    await pair.addStandby();
    await delay(underLoad);
    isOver = true;
    await load;
    const refusedReads = (await reads).flat();
    for (const name of ledger.open) await create(service.address, name, true, ledger);

    expect([...ledger.open], 'keys that are not answered with a 201').to.deep.equal([]);
    const { stored, lost, twice } = await expectStored({ address: service.address, key: owner }, ledger);
    // Those of the outage were refused while there was no primary; a connection that hangs would refuse more, later.
    const late = refusedReads.filter((time) => time > switchedAt + longestAnswer);
    expect(late.length, 'reads refused after the switch').to.equal(0);
    return {
      creates: ledger.sent.size,
      acknowledged: ledger.acknowledged.length,
      'answered with 503': ledger.refused,
      stored,
      lost,
      twice,
      's without a 201': (longestGap(ledger.times) / 1_000).toFixed(1),
      's from the switch to a 201': ((wellAt - switchedAt) / 1_000).toFixed(1),
      'reads refused': refusedReads.length,
      's from the loss to the last of them': ((Math.max(lostAt, ...refusedReads) - lostAt) / 1_000).toFixed(
        1,
      ),
    };
  } finally {
    await killServices();
    await address.close();
  }
};

/**
 * The primary shows after its restart what it had committed and the standby never got, as PostgreSQL documents: a retry
 * must not take that for done.
 */
const retryBeforeStandby = async (pair: PostgresPair): Promise<Figures> => {
  const address = await startFreezingProxy(pair.primary().port);
  try {
    const service = await startService({
      DATABASE_URL: urlOf(address.port),
      API_KEYS: owner,
      LOG_LEVEL: 'silent',
    });
    const retry = () => createUnder(service.address, 'key', newPet('only on the primary'));
    const isShown = async () =>
      (await call(`${service.address}/v1/pets`, { key: owner })).text.includes('only on the primary');

    pair.replication().freeze();
    expect((await retry()).status, 'a create while the standby is cut off').to.equal(503);
    await pair.primary().kill();
    await pair.primary().start();
    await eventually('the primary shows it', longestOutage, isShown);
    expect((await retry()).status, 'a retry while the standby is cut off').to.equal(503);

    await pair.primary().kill();
    await pair.failOver();
    address.switchTo(pair.primary().port, 'end');
    await pair.addStandby();
    const { status, text } = await retry();
    expect(status, text).to.equal(201);
    const ledger = { sent: new Set(['only on the primary']), acknowledged: [text] };
    const { lost, twice } = await expectStored({ address: service.address, key: owner }, ledger);
    return { lost, twice };
  } finally {
    await killServices();
    await address.close();
  }
};

describe('A synchronous standby takes over behind one address', () => {
  for (const loss of ['is killed', 'hangs'] as const) {
    fault(`PostgreSQL: the primary ${loss}`, () =>
      inFolder((first) =>
        inFolder((second) => withPostgresPair([first, second], (pair) => failOver(pair, loss))),
      ),
    );
  }

  fault('PostgreSQL: a retry acknowledges nothing that the standby lacks', () =>
    inFolder((first) => inFolder((second) => withPostgresPair([first, second], retryBeforeStandby))),
  );
});
