import { expect } from 'chai';
import { open, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { fault, type Figures } from '../faults/support/fault';
import { inFolder } from '../faults/support/in-folder';
import { inTmpfs, remount } from '../faults/support/tmpfs';
import { key, witness } from '../faults/support/witness';
import { type Outcome, runCommand } from '../support/command';
import { killServices, startService } from '../support/service-process';

/** In milliseconds: how long a service may go on after its file is lost. */
const bound = 5_000;

const environmentOf = (file: string) => ({
  DATABASE_URL: `sqlite:${file}`,
  API_KEYS: key,
  LOG_LEVEL: 'silent',
});

/** Takes the file from under a service that is asked all the time; answers with how it ended. */
const losing = async (
  file: string,
  lose: (file: string) => Promise<void>,
): Promise<{ readonly outcome: Outcome; readonly figures: Figures; readonly acknowledged: number }> => {
  const service = await startService(environmentOf(file));
  const { isWell, asksUntilCut, counts } = witness(service.address);
  await isWell();
  const { acknowledged } = counts();
  await lose(file);
  const began = performance.now();
  await Promise.all([asksUntilCut(), service.ended]);
  const milliseconds = Math.round(performance.now() - began);
  expect(milliseconds, 'milliseconds until the end').to.be.below(bound);
  const { answers, refused } = counts();
  return { outcome: await service.ended, figures: { answers, refused, milliseconds }, acknowledged };
};

const refusesToStart = async (file: string, why: RegExp): Promise<Figures> => {
  const { code, stderr } = await runCommand(['serve'], { PORT: '0', ...environmentOf(file) });
  expect(code).to.equal(1);
  expect(stderr).to.match(why);
  return { 'exit code': code ?? '', says: JSON.stringify(stderr.trim()) };
};

const makeDatabase = async (file: string): Promise<void> => {
  const service = await startService(environmentOf(file));
  await witness(service.address).isWell();
  await service.stop();
};

describe('Promise 3: a service without its SQLite file ends and says why', () => {
  afterEach(killServices);

  fault('the file is removed under the service', () =>
    inFolder(async (folder) => {
      const { outcome, figures } = await losing(`${folder}/animals.sqlite3`, (file) => rm(file));
      expect(outcome.code).to.equal(1);
      expect(outcome.stderr).to.include('the database file was removed or replaced');
      return { ...figures, 'exit code': outcome.code ?? '' };
    }),
  ).timeout(30_000);

  fault('the file is replaced by another under the service', () =>
    inFolder(async (folder) => {
      const other = `${folder}/other.sqlite3`;
      await makeDatabase(other);
      const before = await readFile(other);
      const { outcome, figures } = await losing(`${folder}/animals.sqlite3`, (file) => rename(other, file));
      expect(outcome.code).to.equal(1);
      expect(outcome.stderr).to.include('the database file was removed or replaced');
      expect(
        before.equals(await readFile(`${folder}/animals.sqlite3`)),
        'the other file is as it was',
      ).to.equal(true);
      return { ...figures, 'exit code': outcome.code ?? '' };
    }),
  ).timeout(30_000);

  for (const [what, left] of [
    ['to nothing', 0],
    ['to its half', 0.5],
  ] as const) {
    fault(`the file is truncated ${what} under the service`, () =>
      inFolder(async (folder) => {
        const { outcome, figures } = await losing(`${folder}/animals.sqlite3`, async (file) => {
          const { length } = await readFile(file);
          await truncate(file, Math.floor(length * left));
        });
        expect(outcome.code).to.equal(1);
        return { ...figures, 'exit code': outcome.code ?? '' };
      }),
    ).timeout(30_000);
  }

  fault('the file is no database at the start', () =>
    inFolder(async (folder) => {
      const file = `${folder}/animals.sqlite3`;
      await writeFile(file, 'no database, and longer than the hundred bytes of a header'.repeat(100));
      return refusesToStart(file, /the database can't be used: .*not a database/);
    }),
  ).timeout(30_000);

  fault('the file has lost its pages of animals at the start', () =>
    inFolder(async (folder) => {
      const file = `${folder}/animals.sqlite3`;
      await makeDatabase(file);
      const { length } = await readFile(file);
      const handle = await open(file, 'r+');
      await handle.write(Buffer.alloc(length - 4096, 0xff), 0, length - 4096, 4096);
      await handle.close();
      return refusesToStart(file, /the database can't be used: .*malformed/);
    }),
  ).timeout(30_000);

  fault(
    'the file system is read-only at the start',
    () =>
      inTmpfs('4m', async (folder) => {
        const file = `${folder}/animals.sqlite3`;
        await makeDatabase(file);
        await remount(folder, 'ro');
        return refusesToStart(file, /the database can't be used: .*/);
      }),
    { needs: ['mount'] },
  ).timeout(30_000);
});
