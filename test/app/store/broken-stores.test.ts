import { expect } from 'chai';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenedDatabase } from '../../../adapters/knex';
import { runInProcess } from '../../support/processes/run-in-process';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { logLines } from '../../support/service/log-lines';
import { makeFolder, removeFolders } from '../../support/temporary-folder';
import { doctor, withDatabase } from './checks/support';

type State = (file: string) => void | Promise<void>;

const inDatabase =
  (change: (database: OpenedDatabase) => PromiseLike<unknown>): State =>
  (file) =>
    withDatabase(file, async (database) => {
      await change(database);
    });

const development = {};
const production = { NODE_ENV: 'production' };

/** States of a database file in which `serve` does not start. */
const brokenStates: ReadonlyArray<readonly [title: string, environment: object, state: State]> = [
  [
    'its file is no database',
    development,
    (file) => {
      writeFileSync(file, 'text '.repeat(200));
    },
  ],
  [
    'its file is a folder',
    development,
    (file) => {
      mkdirSync(file);
    },
  ],
  [
    'its tables belong to another program',
    development,
    inDatabase(({ writePool }) => writePool.schema.renameTable('animal_store_migrations', 'others')),
  ],
  [
    'a newer version has migrated it',
    development,
    inDatabase(({ writePool }) =>
      writePool('animal_store_migrations').insert({ name: '999_later.generation-2' }),
    ),
  ],
  ['production has no database', production, () => undefined],
  ['production has no key', production, inDatabase(() => Promise.resolve())],
];

describe('serve and doctor', () => {
  afterEach(removeFolders);

  for (const [title, environment, state] of brokenStates) {
    it(`refuse a store for the same reason: ${title}`, async () => {
      const file = join(await makeFolder(), 'animals.sqlite3');
      await state(file);
      const settings = { ...environment, DATABASE_URL: `sqlite:${file}`, PORT: '0' };
      const existed = existsSync(file);
      const doctor = await runInProcess(['doctor'], settings);
      expect(existsSync(file), 'doctor creates no file').to.equal(existed);
      const serve = await runInProcess(['serve'], settings);
      expect([doctor.code, serve.code], serve.stderr).to.deep.equal([1, 1]);
      const isForPrograms = 'NODE_ENV' in environment;
      const reason = isForPrograms
        ? String(logLines(serve.stderr)[0]?.['msg'])
        : serve.stderr.replace(/^error: /, '').trim();
      expect(doctor.stdout).to.match(/^FAIL/m).and.include(reason);
    });
  }

  it('find the same fault of a server that can lose animals: doctor fails, and serve warns', () =>
    inPostgresDatabase(async (url) => {
      const lossy = `${url}?options=-c%20synchronous_commit=off`;
      const settings = { DATABASE_URL: lossy, NODE_ENV: 'production', API_KEYS: 'a'.repeat(22) };
      await runInProcess(['migrate'], settings);
      const { failed } = await doctor(settings);
      const faults = failed.map(({ text }) => text);
      expect(faults.join()).to.match(/synchronous_commit=off.*; a crash can lose animals/);
      // This address does not exist, so that the service ends after it has opened the database.
      const { stderr } = await runInProcess(['serve'], { ...settings, PORT: '0', HOST: '192.0.2.1' });
      expect(logLines(stderr).map(({ level, msg }) => [level, msg])).to.include.deep.members(
        faults.map((text) => ['warn', text]),
      );
    }));
});
