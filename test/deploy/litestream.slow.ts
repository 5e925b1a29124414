import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expectStored, newLedger, useUntilOver } from '../faults/support/ledger';
import { columnOf, integrityOf } from '../support/databases/sqlite-files';
import { eventually } from '../support/eventually';
import { environmentOf } from '../support/http/client';
import { markdownBlocks } from '../support/markdown';
import { killPrograms, runCommand, startProgram } from '../support/processes/command';
import { freePort } from '../support/processes/system';
import { killServices, startService } from '../support/service/service-process';
import { inFolder } from '../support/temporary-folder';

const program = process.env['LITESTREAM'] ?? '';

const clients = 16;
const createsPerPhase = 500;

/** Maximum time between the requested time of a restore and the restored state, plus 1 s for rounding. */
const granularityMs = 31_000;

const imported = Array.from({ length: 20_000 }, (_, place) => `imported-${place}`);

/**
 * Returns the configuration of docs/operations.md for a file and a folder. Before version 0.5, Litestream needs a list
 * of replicas.
 */
const configurationOf = (version: string, file: string, replica: string): string => {
  const blocks = markdownBlocks('docs/operations.md').map(({ text }) => text);
  const text = blocks.find((block) => block.includes('replica:\n')) ?? '';
  const adapted = text.replace(/path: .*/, `path: ${file}`).replace(/url: .*/, `url: file://${replica}`);
  return version.startsWith('v0.3.') ? adapted.replace(/replica:\n +/, 'replicas:\n      - ') : adapted;
};

describe('Litestream next to the service', () => {
  before(function () {
    if (program !== '') return;
    process.stdout.write('skipped, since LITESTREAM does not name the program of Litestream\n');
    this.skip();
  });
  afterEach(killServices);
  afterEach(killPrograms);

  it('restores every animal after creates, an import, a restart and kills, and an earlier state', () =>
    inFolder(async (folder) => {
      const file = `${folder}/animals.sqlite3`;
      const [csv, yml] = [`${folder}/animals.csv`, `${folder}/litestream.yml`];
      const { stdout: version } = await startProgram(program, ['version']).ended;
      await writeFile(csv, `name,categoryId\n${imported.join(',7\n')},7\n`);
      await writeFile(yml, configurationOf(version, file, `${folder}/replica`));
      const environment = { ...environmentOf(`sqlite:${file}`), PORT: `${await freePort()}` };
      const restore = async (copy: string, ...options: ReadonlyArray<string>): Promise<Set<unknown>> => {
        const words = ['restore', '-config', yml, ...options, '-o', copy, file];
        const { code, stdout, stderr } = await startProgram(program, words).ended;
        expect(code, stdout + stderr).to.equal(0);
        expect(await integrityOf(copy)).to.deep.equal(['ok']);
        return new Set(await columnOf(copy, 'pets', 'name'));
      };

      let service = await startService(environment);
      const { address } = service;
      const litestream = startProgram(program, ['replicate', '-config', yml]);
      const ledger = newLedger();
      let isOver = false;
      const load = Promise.all(
        Array.from({ length: clients }, (_, client) =>
          useUntilOver({ name: `${client}`, ledger, address: () => address, isOver: () => isOver }),
        ),
      );
      const createMore = (): Promise<void> => {
        const enough = ledger.acknowledged.length + createsPerPhase;
        return eventually('more creates', 60_000, () => ledger.acknowledged.length >= enough);
      };
      let early: number;
      let beforeImport: string;
      try {
        await createMore();
        early = ledger.acknowledged.length;
        await delay(granularityMs);
        beforeImport = new Date().toISOString();
        expect(await runCommand(['import', csv], environment)).to.include({ code: 0 });
        for (const signal of ['SIGTERM', 'SIGKILL', 'SIGKILL'] as const) {
          await createMore();
          service.signal(signal);
          await service.ended;
          service = await startService(environment);
        }
        await createMore();
      } finally {
        isOver = true;
        await load;
      }
      await service.stop();
      // Litestream copies the last changes before it ends.
      litestream.signal('SIGINT');
      await litestream.ended;

      const earlier = await restore(`${folder}/earlier`, '-timestamp', beforeImport);
      expect(earlier.size, 'animals of the earlier state').to.be.at.least(early);
      expect([...earlier].filter((name) => String(name).startsWith('imported'))).to.deep.equal([]);
      const names = await restore(`${folder}/latest`);
      expect(imported.filter((name) => !names.has(name))).to.deep.equal([]);
      const replaced = await runCommand(['restore', `${folder}/latest`, '--replace'], environment);
      expect(replaced.code, replaced.stderr).to.equal(0);
      for (const name of imported) ledger.sent.add(name);
      await expectStored(await startService(environment), ledger);
    }));
});
