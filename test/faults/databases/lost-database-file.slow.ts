import { expect } from 'chai';
import { chmod, chown, rename, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { environmentOf } from '../../support/http/client';
import {
  main,
  needsReadableBuild,
  startUnprivileged,
  unprivilegedUser,
} from '../../support/processes/command';
import { killServices, startService, whenServing } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { witness } from '../support/witness';

const boundMs = 15_000;

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

  it('continues after its user could not enter the folder of the file for a moment', async function () {
    await needsReadableBuild(this);
    await inFolder(async (folder) => {
      if (process.getuid?.() === 0) await chown(folder, unprivilegedUser, unprivilegedUser);
      const settings = { PORT: '0', ...settingsOf(`${folder}/animals.sqlite3`) };
      const service = await whenServing(startUnprivileged([process.execPath, main, 'serve'], settings));
      await witness(service.address).expectWorking();
      await chmod(folder, 0o000);
      // The service checks its file every 500 ms, so it has several checks before the folder is accessible again.
      await delay(1_500);
      await chmod(folder, 0o700);
      await witness(service.address).expectWorking();
      expect(await service.stop()).to.include({ code: 0 });
    });
  });
});
