import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { columnOf, integrityOf } from '../support/databases/sqlite-files';
import { eventually } from '../support/eventually';
import { environmentOf } from '../support/http/client';
import { markdownBlocks } from '../support/markdown';
import { killPrograms, runCommand, startProgram } from '../support/processes/command';
import { killServices, startService } from '../support/service/service-process';
import { makeFolder, removeFolders } from '../support/temporary-folder';
import { create, expectStored, newLedger } from '../faults/support/ledger';

/** Returns the program of the npm package for this platform, or undefined. */
const findProgram = (): string | undefined => {
  const name = `@flydotio/litestream-${process.platform}-${process.arch}/package.json`;
  try {
    return join(dirname(require.resolve(name)), 'litestream');
  } catch {
    return undefined;
  }
};

describe('Litestream next to a running service', () => {
  const program = findProgram() ?? '';
  before(function () {
    if (program !== '') return;
    process.stdout.write('skipped, since npm has no Litestream for this platform\n');
    this.skip();
  });
  afterEach(killServices);
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('copies every acknowledged animal through load, an import, restarts, kill -9 and a restore, and the store loses none', async () => {
    const folder = await makeFolder();
    const [database, restored, file] = [
      join(folder, 'animals'),
      join(folder, 'restored'),
      join(folder, 'yml'),
    ];
    const [page] = markdownBlocks('docs/operations.md').filter(({ language }) => language === 'yaml');
    const configuration = (page?.text ?? '')
      .replace('/var/lib/animal-store/animals.sqlite3', database)
      .replace('s3://BUCKET/animals', `file://${folder}/replica`);
    expect(configuration).to.include(`${folder}/animals`).and.include(`${folder}/replica`);
    writeFileSync(file, configuration);
    const replicate = () => startProgram(program, ['replicate', '-config', file]);

    const environment = environmentOf(`sqlite:${database}`);
    const ledger = newLedger();
    let service = await startService(environment);
    let litestream = replicate();
    const createSome = async (count: number): Promise<void> => {
      for (let turn = 0; turn < count; turn += 1)
        await Promise.all(
          Array.from({ length: 20 }, () => create(ledger, service.address, `${ledger.sent.size}`)),
        );
    };
    const untilCopied = (): Promise<void> =>
      eventually('Litestream has copied the last change', 60_000, async () => {
        await rm(restored, { force: true });
        const words = ['restore', '-config', file, '-o', restored, database];
        const { code, stderr } = await startProgram(program, words).ended;
        expect(code, stderr).to.equal(0);
        return (await columnOf(restored, 'pets', 'id')).length === ledger.sent.size;
      });
    const expectAllStored = async (): Promise<void> => {
      const { address, stop } = await startService(environment);
      expect(await expectStored({ address }, ledger)).to.equal(ledger.sent.size);
      await stop();
      expect(await integrityOf(database)).to.deep.equal(['ok']);
    };

    await createSome(60);
    const animals = join(folder, 'animals.csv');
    const names = Array.from({ length: 20_000 }, (_, place) => `imported ${place}`);
    for (const name of names) ledger.sent.add(name);
    writeFileSync(animals, `name,categoryId\n${names.map((name) => `${name},7\n`).join('')}`);
    expect(await runCommand(['import', animals], environment)).to.include({ code: 0 });
    await createSome(20);
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      service.signal(signal);
      await service.ended;
      service = await startService(environment);
      await createSome(20);
      litestream.signal(signal);
      await litestream.ended;
      litestream = replicate();
      await createSome(20);
    }
    service.signal('SIGKILL');
    await service.ended;
    await untilCopied();
    litestream.signal('SIGTERM');
    await litestream.ended;
    await expectAllStored();

    expect(await runCommand(['restore', restored, '--replace'], environment)).to.include({ code: 0 });
    service = await startService(environment);
    replicate();
    await createSome(20);
    await untilCopied();
    await service.stop();
    await expectAllStored();
  });
});
