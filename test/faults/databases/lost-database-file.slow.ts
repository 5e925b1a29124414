import { expect } from 'chai';
import { chmod, chown, open, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { environmentOf } from '../../support/http/client';
import {
  main,
  needsReadableBuild,
  runCommand,
  startUnprivileged,
  unprivilegedUser,
} from '../../support/processes/command';
import { killServices, startService, whenServing } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { openSqlite } from '../../../adapters/knex';
import { fault, inTmpfs, makeReadOnly } from '../support/machine';
import { witness } from '../support/witness';

const boundMs = 15_000;

const pageBytes = 4_096;

const settingsOf = (file: string) => environmentOf(`sqlite:${file}`);

const makeDatabase = async (file: string): Promise<void> => {
  const service = await startService(settingsOf(file));
  await witness(service.address).expectWorking();
  await service.stop();
};

const losing = (lose: (file: string) => Promise<void>) => (): Promise<void> =>
  inFolder(async (folder) => {
    const file = `${folder}/animals.sqlite3`;
    await makeDatabase(file);
    const service = await startService(settingsOf(file));
    const { expectWorking, requestUntilCut, acknowledged } = witness(service.address);
    await expectWorking();
    const before = acknowledged.length;
    await lose(file);
    const began = performance.now();
    await requestUntilCut();
    const { code, stderr } = await service.ended;
    expect(performance.now() - began, 'milliseconds until the end').to.be.below(boundMs);
    expect(code).to.equal(1);
    expect(stderr).to.include('the database file or its log was removed or replaced');
    expect(acknowledged.length, 'acknowledged after the loss').to.equal(before);
  });

const refusingToStart = async (
  folder: string,
  make: (file: string) => Promise<void>,
  why: RegExp,
): Promise<void> => {
  const file = `${folder}/animals.sqlite3`;
  await make(file);
  const { code, stderr } = await runCommand(['serve'], { PORT: '0', ...settingsOf(file) });
  expect(code).to.equal(1);
  expect(stderr).to.match(why);
};

describe('A service that loses its SQLite file', () => {
  afterEach(killServices);

  const losses: Readonly<Record<string, (file: string) => Promise<void>>> = {
    'the file is replaced by another': async (file) => {
      const other = `${file}-other`;
      await makeDatabase(other);
      await rename(other, file);
    },
    'its log is removed': (file) => rm(`${file}-wal`),
  };
  for (const [loss, lose] of Object.entries(losses)) {
    it(`ends and says why after ${loss}`, losing(lose));
  }

  it('continues while the file is vacuumed', () =>
    inFolder(async (folder) => {
      const file = `${folder}/animals.sqlite3`;
      const service = await startService(settingsOf(file));
      const { expectWorking, untilWorking, expectAllStored } = witness(service.address);
      await expectWorking();
      const { writes, close } = openSqlite(file);
      await writes.raw('create table filler as select zeroblob(1000000) as content');
      await writes.raw('pragma wal_checkpoint(truncate)');
      const { size: before } = await stat(file);
      await untilWorking();
      await writes.raw('drop table filler');
      await writes.raw('vacuum');
      await writes.raw('pragma wal_checkpoint(truncate)');
      const { size: after } = await stat(file);
      await close();
      expect(after, 'bytes of the file after the vacuum').to.be.below(before);
      await untilWorking();
      await service.stop();
      await expectAllStored((await startService(settingsOf(file))).address);
    }));

  it('continues after its user could not enter the folder of the file for a moment', async function () {
    await needsReadableBuild(this);
    await inFolder(async (folder) => {
      if (process.getuid?.() === 0) await chown(folder, unprivilegedUser, unprivilegedUser);
      const settings = { PORT: '0', ...settingsOf(`${folder}/animals.sqlite3`) };
      const service = await whenServing(startUnprivileged([process.execPath, main, 'serve'], settings));
      await witness(service.address).expectWorking();
      await chmod(folder, 0o000);
      // The service looks at its file every 500 ms.
      await delay(1_500);
      await chmod(folder, 0o700);
      await witness(service.address).expectWorking();
      expect(await service.stop()).to.include({ code: 0 });
    });
  });

  it('does not start if the file has lost a page', () =>
    inFolder((folder) =>
      refusingToStart(
        folder,
        async (file) => {
          await makeDatabase(file);
          const handle = await open(file, 'r+');
          await handle.write(Buffer.alloc(pageBytes - 100, 0xff), 0, pageBytes - 100, 100);
          await handle.close();
        },
        /malformed/,
      ),
    ));

  fault(
    'does not start if the file system is read-only',
    () =>
      inTmpfs('4m', (folder) =>
        refusingToStart(
          folder,
          async (file) => {
            await makeDatabase(file);
            await makeReadOnly(folder);
          },
          /the database sqlite:\S+ can't be used/,
        ),
      ),
    'mount',
  );
});
