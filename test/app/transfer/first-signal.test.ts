import { expect } from 'chai';
import { closeSync, constants, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { newCatalogue } from '../../support/databases/catalogue';
import { eventually } from '../../support/eventually';
import {
  killPrograms,
  main,
  type Running,
  startProgram,
  withoutDatabaseLine,
} from '../../support/processes/command';
import { startAtTerminal } from '../../support/processes/terminal';
import { makeFolder, removeFolders } from '../../support/temporary-folder';
import { animals, makePipe, newFile, newLargeCatalogue, someRows } from './support';

const bound = 25_000;

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

const endOf = async ({ ended }: Running) => {
  const { code, signal, stderr } = withoutDatabaseLine(await ended);
  return { code, signal, stderr };
};

const interrupted = {
  code: 143,
  signal: null,
  stderr: `interrupted by SIGTERM: nothing was stored\n`,
};

describe('The first signal', function () {
  this.timeout(2 * bound);
  afterEach(killPrograms);
  afterEach(removeFolders);

  for (const milliseconds of [0, 100]) {
    it(`ends an import ${milliseconds} ms after it begins to start`, async () => {
      const { file } = await newCatalogue();
      const hook = await signalItself(milliseconds);
      const source = await newFile('animals.ndjson', someRows.repeat(200));
      const running = startProgram(process.execPath, ['--require', hook, main, 'import', source], {
        environment: { DATABASE_URL: `sqlite:${file}` },
      });
      expect(await endOf(running)).to.deep.equal(interrupted);
    });
  }

  for (const [command, signal, code] of [
    ['export', 'SIGTERM', 143],
    ['export', 'SIGHUP', 129],
    ['backup', 'SIGTERM', 143],
  ] as const) {
    it(`ends a command ${command} and removes its partial file: ${signal}`, async () => {
      const { environment } = await newLargeCatalogue(200_000);
      const folder = await makeFolder();
      // A terminal may send SIGHUP twice.
      const hooks = [
        await signalItself(100, signal),
        ...(signal === 'SIGHUP' ? [await signalItself(105, signal)] : []),
      ];
      const file = join(folder, 'animals.csv');
      const options = hooks.map((hook) => `--require ${hook}`).join(' ');
      const words = `exec ${process.execPath} ${options} ${main} ${command} ${file}`;
      const { stdout, ...end } = await startAtTerminal(words, { environment }).ended;
      expect(end).to.include({ code, signal: null });
      expect(stdout).to.include(`interrupted by ${signal}: ${file} was not written\r\n`);
      expect(readdirSync(folder)).to.deep.equal([]);
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
    expect(stderr).to.match(/^interrupted by SIGTERM: the output is incomplete \([\d,]+ animals\)\n$/);
    expect(code).to.equal(143);
    closeSync(reader);
  });
});
