import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { databaseKinds, postgresDatabase, sqliteFile } from '../../support/databases/databases';
import { call, createPet, idOf } from '../../support/http/client';
import { execute } from '../../support/postgres/postgres';
import { killPrograms } from '../../support/processes/command';
import { runInProcess } from '../../support/processes/run-in-process';
import { startService } from '../../support/service/service-process';
import { removeFolders } from '../../support/temporary-folder';
import {
  bound,
  contentsOf,
  copy,
  expectFailure,
  fileOf,
  largestSeed,
  makeTables,
  rex,
  tom,
  withBoth,
  withOpen,
} from './copy-support';

describe('The command copy', function () {
  this.timeout(4 * bound);
  afterEach(killPrograms);
  afterEach(removeFolders);

  for (const [sourceKind, makeSource] of databaseKinds) {
    for (const [targetKind, makeTarget] of databaseKinds.filter(([kind]) => kind !== sourceKind)) {
      it(`copies everything from ${sourceKind} to ${targetKind}, where keys of clients go on`, () =>
        withBoth(makeSource, makeTarget, async (source, target) => {
          const environment = { DATABASE_URL: source.databaseUrl };
          const keys = await runInProcess(['keys', 'create', '--name=shop', '--expires=90d'], environment);
          const key = keys.stdout.trim();
          await runInProcess(['keys', 'create', '--name=%'], environment);
          const before = await startService(environment);
          const create = (address: string, json: string, idempotencyKey: string) =>
            call(`${address}/v1/pets`, {
              method: 'POST',
              key,
              body: json,
              headers: { 'Idempotency-Key': idempotencyKey },
            });
          const created = await create(before.address, rex, '"k1"');
          const deleted = await create(before.address, tom, '"k2"');
          await before.stop();
          const lastId = BigInt(idOf(deleted.text));
          expect(lastId).to.equal(largestSeed + 2n);
          await withOpen(source, async ({ writePool }) => {
            await writePool('pets').where({ id: lastId.toString() }).delete();
          });

          const contents = await contentsOf(source);
          const { code, stdout, stderr } = await copy(source.databaseUrl, target.databaseUrl);
          expect(stderr).to.match(
            /\ncopied and compared: 9 animals, 2 API keys, 2 idempotency keys; the next animal gets an id above 9007199254740995\n$/,
          );
          expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
          expect(await contentsOf(target)).to.deep.equal(contents);
          expect(await contentsOf(source)).to.deep.equal(contents);

          const after = await startService({ DATABASE_URL: target.databaseUrl });
          const replayed = await create(after.address, rex, '"k1"');
          expect([replayed.status, replayed.text]).to.deep.equal([201, created.text]);
          expect((await create(after.address, tom, '"k1"')).status).to.equal(422);
          const next = await create(after.address, tom, '"k3"');
          expect(BigInt(idOf(next.text)) > lastId).to.equal(true);
        }));
    }
  }

  it('copies what a killed service has acknowledged, but refuses a SQLite source in use', () =>
    withBoth(sqliteFile, sqliteFile, async (source, target) => {
      const key = 'a-key-of-32-characters-and-more-';
      const service = await startService({ DATABASE_URL: source.databaseUrl, API_KEYS: key });
      await createPet({ ...service, key }, rex);
      await expectFailure(
        source.databaseUrl,
        target.databaseUrl,
        `the database ${source.databaseUrl} can't be used: it is in use; stop the service and every other program that has it open; `,
      );
      expect(existsSync(fileOf(target))).to.equal(false);
      expect((await createPet({ ...service, key }, tom)).status).to.equal(201);

      service.signal('SIGKILL');
      await service.ended;
      expect((await copy(source.databaseUrl, target.databaseUrl)).stderr).to.include('compared: 10 animals,');
    }));

  it('copies from PostgreSQL while the target takes 10 s for a statement', () =>
    withBoth(postgresDatabase, postgresDatabase, async (source, target) => {
      await makeTables(target);
      await execute(
        target.databaseUrl,
        `create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(10); return null; end $$`,
        'create trigger waiting after insert on pets for each statement execute function wait()',
      );
      const { stderr } = await copy(source.databaseUrl, target.databaseUrl);
      expect(stderr).to.include('\ncopied and compared: 8 animals, ');
    }));

  it('gives new animals ids above explicit ones, which the sequence of a PostgreSQL source lacks', () =>
    withBoth(postgresDatabase, sqliteFile, async (source, target) => {
      await execute(source.databaseUrl, 'alter sequence pets_id_seq restart');
      const { stderr } = await copy(source.databaseUrl, target.databaseUrl);
      expect(stderr).to.include(`the next animal gets an id above ${largestSeed}\n`);
    }));
});
