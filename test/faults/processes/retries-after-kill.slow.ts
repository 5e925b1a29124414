import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { integrityOf } from '../../support/databases/sqlite-files';
import { killServices, startService } from '../../support/service/service-process';
import { fault } from '../support/fault';
import { inFolder } from '../../support/temporary-folder';
import { createUnder, environmentOf, isReplay, newPet, owner } from '../../support/http/client';
import { expectStored } from '../support/checks/stored';

const clients = 64;
const kills = 20;

/** In milliseconds: the longest time from the first answer of a round to its kill. */
const longestRound = 300;

/** What the clients of all rounds know: the names of what they sent, and the answers that they got. */
interface Ledger {
  readonly sent: Set<string>;
  readonly acknowledged: Array<string>;
  replays: number;
}

/** Sends creates under keys until one has no answer: the name of that one. */
const createUntilCut = async (address: string, prefix: string, ledger: Ledger): Promise<string> => {
  for (let count = 0; ; count += 1) {
    const name = `${prefix}-${count}`;
    ledger.sent.add(name);
    const answer = await createUnder(address, name, newPet(name)).catch(() => undefined);
    if (answer === undefined) return name;
    expect([answer.status, isReplay(answer)], answer.text).to.deep.equal([201, false]);
    ledger.acknowledged.push(answer.text);
  }
};

const retry = async (address: string, name: string, ledger: Ledger): Promise<void> => {
  const answer = await createUnder(address, name, newPet(name));
  expect(answer.status, answer.text).to.equal(201);
  if (isReplay(answer)) ledger.replays += 1;
  ledger.acknowledged.push(answer.text);
};

const round = async (databaseUrl: string, place: number, cut: ReadonlyArray<string>, ledger: Ledger) => {
  const service = await startService(environmentOf(databaseUrl));
  await Promise.all(cut.map((name) => retry(service.address, name, ledger)));
  const all = Promise.all(
    Array.from({ length: clients }, (_, client) =>
      createUntilCut(service.address, `${place}-${client}`, ledger),
    ),
  );
  await delay(Math.random() * longestRound);
  service.signal('SIGKILL');
  await service.ended;
  return all;
};

describe('Promise 2: a retry never makes two animals', () => {
  afterEach(killServices);

  fault('SQLite: kill -9 amid creates under keys, and every one without an answer retried', () =>
    inFolder(async (folder) => {
      const file = `${folder}/animals.sqlite3`;
      const databaseUrl = `sqlite:${file}`;
      const ledger: Ledger = { sent: new Set(), acknowledged: [], replays: 0 };
      let cut: ReadonlyArray<string> = [];
      let retried = 0;
      for (let place = 0; place < kills; place += 1) {
        cut = await round(databaseUrl, place, cut, ledger);
        retried += cut.length;
      }
      const { address, stop } = await startService(environmentOf(databaseUrl));
      await Promise.all(cut.map((name) => retry(address, name, ledger)));
      const { stored, lost, twice } = await expectStored({ address, key: owner }, ledger);
      expect(stored, 'animals').to.equal(ledger.sent.size);
      await stop();
      expect(await integrityOf(file)).to.deep.equal(['ok']);
      return {
        kills,
        clients,
        sent: ledger.sent.size,
        retried,
        'stored before the retry': ledger.replays,
        lost,
        twice,
      };
    }),
  );
});
