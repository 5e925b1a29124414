import { expect } from 'chai';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Outcome, runCommand } from '../support/command';
import { hasWriteAheadLog, integrityOf } from '../support/inspect-sqlite';
import { listPets } from '../support/pet-calls';
import { killServices, startService } from '../support/service-process';
import { makeFolder, newDatabaseFile, removeFolders } from '../support/temporary-folder';

const text = 'A text of more than a hundred bytes, which is as long as the head of a database is. '.repeat(3);

const takePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? String(address.port) : '',
    free: () => new Promise((resolve) => server.close(resolve)),
  };
};

const expectRefusal = ({ code, stdout, stderr }: Outcome, words: RegExp): void => {
  expect(stderr).to.match(words).and.not.match(/\n./);
  expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
};

describe('A start that fails half-way', function () {
  this.timeout(30_000);
  afterEach(killServices);
  afterEach(removeFolders);

  it('says that the port is taken, and gives the database back', async () => {
    const file = await newDatabaseFile();
    const environment = { DATABASE_URL: `sqlite:${file}` };
    const { port, free } = await takePort();
    const outcome = await runCommand(['serve'], { ...environment, PORT: port });
    expectRefusal(outcome, new RegExp(`^animal-store: can't listen: .*EADDRINUSE.*:${port}\n$`));
    expect(hasWriteAheadLog(file)).to.equal(false);
    await free();

    const service = await startService({ ...environment, PORT: port });
    const key = await service.firstKey();
    expect(await listPets({ ...service, key })).to.deep.equal({ status: 200, text: '[]' });
    await service.stop();
    expect(await integrityOf(file)).to.deep.equal(['ok']);
  });

  it('says that it has no such address to listen on', async () => {
    expectRefusal(
      await runCommand(['serve'], { DATABASE_URL: 'memory:', HOST: '192.0.2.1', PORT: '0' }),
      /^animal-store: can't listen: .*192\.0\.2\.1/,
    );
  });

  for (const command of [['serve'], ['keys', 'list']]) {
    it(`leaves alone what is no database: animal-store ${command.join(' ')}`, async () => {
      const folder = await makeFolder();
      writeFileSync(join(folder, 'text'), text);
      mkdirSync(join(folder, 'folder'));
      const run = (file: string) =>
        runCommand(command, { DATABASE_URL: `sqlite:${file}`, PORT: '0' }, folder);

      expectRefusal(await run('text'), /^animal-store: the database can't be used: .*is not a database\n$/);
      expectRefusal(await run('folder'), /^animal-store: the database can't be used: .*unable to open/);
      expectRefusal(await run('no/such/file'), /^animal-store: the database can't be used: .*unable to open/);
      expect(readFileSync(join(folder, 'text'), 'utf8')).to.equal(text);
      expect(readdirSync(folder)).to.have.members(['text', 'folder']);
    });
  }
});
