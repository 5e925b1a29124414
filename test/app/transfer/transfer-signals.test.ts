import { expect } from 'chai';
import { closeSync, constants, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '../../../adapters/knex';
import { newCatalogue } from '../../support/databases/catalogue';
import {
  killPrograms,
  main,
  type Running,
  startProgram,
  withoutDatabaseLine,
} from '../../support/processes/command';
import { eventually } from '../../support/eventually';
import { makeFolder, removeFolders } from '../../support/temporary-folder';
import { animals, makePipe, newFile, newLargeCatalogue } from './support';

const bound = 15_000;

/**
 * Returns a module that makes its process send itself a signal, some milliseconds after it starts to listen for that
 * signal.
 */
const signalItself = (milliseconds: number, signal = 'SIGTERM'): Promise<string> =>
  newFile(
    'signal-itself.cjs',
    `process.on('newListener', (name) => {
       if (name === '${signal}') setTimeout(() => process.kill(process.pid, name), ${milliseconds});
     });`,
  );

/** Opens a pipe for writing as soon as a process reads it. */
const openToWrite = async (pipe: string): Promise<number> => {
  let writer = -1;
  await eventually('the import has opened the pipe', bound, () => {
    try {
      writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
      return true;
    } catch {
      return false;
    }
  });
  return writer;
};

const startImport = (file: string, ...nodeOptions: ReadonlyArray<string>): Running =>
  startProgram(process.execPath, [
    ...[...nodeOptions, main, 'import', '--dry-run', '--format', 'ndjson', file],
  ]);

const endOf = async ({ ended }: Running) => {
  const { code, signal, stderr } = withoutDatabaseLine(await ended);
  return { code, signal, stderr };
};

const firstLine = 'the animals get new ids; `animal-store copy` keeps ids\n';

const interrupted = {
  code: 143,
  signal: null,
  stderr: `${firstLine}interrupted by SIGTERM: nothing was stored\n`,
};

describe('The first signal', function () {
  this.timeout(2 * bound);
  afterEach(killPrograms);
  afterEach(removeFolders);

  for (const milliseconds of [0, 10, 100]) {
    it(`ends an import ${milliseconds} ms after it begins to start`, async () => {
      const { file } = await newCatalogue();
      const hook = await signalItself(milliseconds);
      const source = await newFile('animals.ndjson', '{"name":"Rex","categoryId":1}\n'.repeat(200_000));
      const running = startProgram(process.execPath, ['--require', hook, main, 'import', source], {
        environment: { DATABASE_URL: `sqlite:${file}` },
      });
      expect(await endOf(running)).to.deep.equal(interrupted);
    });
  }

  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    for (const command of ['backup', 'export'] as const) {
      it(`ends a command ${command} and removes its partial file: ${signal}`, async () => {
        const { environment } = await newLargeCatalogue(200_000);
        const folder = await makeFolder();
        const hook = await signalItself(100, signal);
        const file = join(folder, 'animals.csv');
        const running = startProgram(process.execPath, ['--require', hook, main, command, file], {
          environment,
        });
        expect(await endOf(running)).to.deep.equal({
          code,
          signal: null,
          stderr: `interrupted by ${signal}: ${file} was not written\n`,
        });
        expect(readdirSync(folder)).to.deep.equal([]);
      });
    }
  }

  for (const [command, stderr] of [
    ['import', interrupted.stderr],
    ['export', 'interrupted by SIGTERM: the output is incomplete (0 animals)\n'],
  ] as const) {
    it(`ends an ${command} that waits for another process to migrate the database`, async () => {
      const { file } = await newCatalogue();
      const other = openSqlite(file);
      // The row looks as if an earlier version had written it.
      await other.writes('animal_store_migrations').update({ name: '000_earlier' });
      const transaction = await other.writes.transaction();
      await transaction.raw('create table held (id integer)');
      const hook = await signalItself(1_000);
      const running = startProgram(
        process.execPath,
        [...['--require', hook, main, command], '--format=ndjson', '-'],
        { environment: { DATABASE_URL: `sqlite:${file}` } },
      );
      const end = await endOf(running);
      await transaction.rollback();
      await other.close();
      expect(end).to.deep.equal({ ...interrupted, stderr });
    });
  }

  it('ends an import whose standard input is silent', async () => {
    const pipe = await makePipe();
    const writer = openSync(pipe, 'r+');
    const hook = await signalItself(700);
    const script = `exec "$0" --require ${hook} "$1" import --dry-run --format ndjson - < ${pipe}`;
    const running = startProgram('sh', ['-c', script, process.execPath, main]);
    expect(await endOf(running)).to.deep.equal(interrupted);
    closeSync(writer);
  });

  it('ends an export whose reader has stalled', async () => {
    const { environment } = await newCatalogue(animals(5_000));
    const pipe = await makePipe();
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const script = `exec "$0" "$1" export --format ndjson > ${pipe}`;
    const running = startProgram('sh', ['-c', script, process.execPath, main], { environment });
    await eventually('the export has begun', bound, () => {
      try {
        return readSync(reader, Buffer.alloc(1)) === 1;
      } catch {
        return false;
      }
    });
    running.signal('SIGTERM');
    const { code, stderr } = await endOf(running);
    expect(stderr).to.match(/^interrupted by SIGTERM: the output is incomplete \(\d+ animals\)\n$/);
    expect(code).to.equal(143);
    closeSync(reader);
  });
});

describe('A second SIGHUP', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('does not keep a backup from removing its partial file', async () => {
    const { environment } = await newLargeCatalogue(200_000);
    const folder = await makeFolder();
    const hooks = [await signalItself(100, 'SIGHUP'), await signalItself(105, 'SIGHUP')];
    const options = hooks.flatMap((hook) => ['--require', hook]);
    const file = join(folder, 'backup');
    const running = startProgram(process.execPath, [...options, main, 'backup', file], { environment });
    expect(await endOf(running)).to.deep.equal({
      code: 129,
      signal: null,
      stderr: `interrupted by SIGHUP: ${file} was not written\n`,
    });
    expect(readdirSync(folder)).to.deep.equal([]);
  });
});

describe('An import from a pipe', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('reads what is written later', async () => {
    const pipe = await makePipe();
    const running = startImport(pipe);
    closeSync(await openToWrite(pipe));
    expect((await endOf(running)).stderr).to.equal(
      `${firstLine}dry run: 0 of 0 rows would be stored; nothing was stored\n`,
    );
  });
});
