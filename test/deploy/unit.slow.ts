import { expect } from 'chai';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { listenOn } from '../support/http/listen';
import { killPrograms, type Outcome, projectFolder, startProgram } from '../support/processes/command';
import { freePort, needsPrograms, pidOf, portsThatBrowsersBlock } from '../support/processes/system';
import { makeFolder, removeFolders } from '../support/temporary-folder';

const units = join(projectFolder, 'deploy/systemd');
const unitFile = join(units, 'animal-store.service');

const run = (program: string, ...programArguments: ReadonlyArray<string>): Promise<Outcome> =>
  startProgram(program, programArguments).ended;

/** Returns the values of a name in the unit file, in order. */
const valuesOf = (unit: string, name: string): ReadonlyArray<string> =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

describe('The systemd unit', () => {
  needsPrograms('systemd-analyze');
  let folder = '';
  let unit = '';

  /** Installs the unit with paths in a folder of this test. */
  before(async () => {
    folder = await makeFolder();
    const installed = join(folder, 'current/lib/node_modules/animal-store-service');
    await mkdir(dirname(installed), { recursive: true });
    await mkdir(join(folder, 'current/bin'));
    await symlink(projectFolder, installed);
    await symlink(join(projectFolder, 'deploy'), join(folder, 'deploy'));
    const program = `#!/bin/sh\nexec node ${installed}/dist/app/main.js "$@"\n`;
    await writeFile(join(folder, 'current/bin/animal-store'), program, { mode: 0o755 });
    unit = (await readFile(unitFile, 'utf8')).replaceAll('/opt/animal-store', folder);
  });

  afterEach(killPrograms);
  after(removeFolders);

  for (const name of ['animal-store.service', 'animal-store@.service', 'animal-store-backup.service']) {
    it(`passes systemd-analyze without a warning, and exposes at most 2.0 of 10: ${name}`, async () => {
      const file = join(await makeFolder(), name);
      const text = await readFile(join(units, name), 'utf8');
      await writeFile(file, text.replaceAll('/opt/animal-store', folder));
      const { code, stdout, stderr } = await run('systemd-analyze', 'verify', file);
      expect({ code, stdout, stderr }).to.deep.equal({ code: 0, stdout: '', stderr: '' });
      const security = await run('systemd-analyze', 'security', '--offline=true', '--threshold=20', file);
      expect(security.code, security.stdout).to.equal(0);
    });
  }

  it('of one of several instances differs only in its ports and its name', async () => {
    const instance = await readFile(join(units, 'animal-store@.service'), 'utf8');
    const lines = (text: string) => text.split('\n').filter((line) => !line.startsWith('#'));
    const single = lines(await readFile(unitFile, 'utf8'));
    expect(lines(instance).filter((line) => !single.includes(line))).to.deep.equal([
      'Description=Animal store, instance %i',
      'Environment=NODE_ENV=production PORT=%i ADMIN_PORT=1%i',
    ]);
    for (const name of ['StartLimitIntervalSec', 'LogRateLimitIntervalSec'])
      expect(valuesOf(instance, name), name).to.deep.equal(['0']);
  });

  it('counts as started once the service is ready, also on a port that fetch refuses', async () => {
    const port = await freePort(portsThatBrowsersBlock);
    const service = createHttpServer((_request, response) => void response.end()).listen(port, '127.0.0.1');
    await once(service, 'listening');
    const [program = '', processId] = valuesOf(unit, 'ExecStartPost')[0]?.split(' ') ?? [];
    expect(processId).to.equal('$MAINPID');
    const checked = await startProgram(program, [String(process.pid)], {
      environment: { PORT: String(port) },
    }).ended;
    service.close();
    expect(checked).to.include({ code: 0, stderr: '' });
  });

  it('does not count as started if the process ends before it is ready', async () => {
    const environment = { PORT: String(await freePort()) };
    const checkReady = join(projectFolder, 'deploy/check-ready.mjs');
    for (const [HOST, reason] of [
      ['127.0.0.1', /^http:\/\/127\.0\.0\.1:[0-9]+\/readyz is not ready: connect ECONNREFUSED/],
      ['[::1]', /^http:\/\/\[::1\]:[0-9]+\/readyz is not ready: connect ECONNREFUSED/],
      ['localhost', /^http:\/\/localhost:[0-9]+\/readyz is not ready: .*ECONNREFUSED/],
    ] as const) {
      const starting = startProgram('sleep', ['1']);
      const words = [String(pidOf(starting))];
      const { code, stderr } = await startProgram(checkReady, words, {
        environment: { ...environment, HOST },
      }).ended;
      expect(code).to.equal(1);
      expect(stderr).to.match(reason);
    }
    const silent = await listenOn(createServer());
    const { port: PORT } = new URL(silent.address);
    const { stderr } = await startProgram(checkReady, [], { environment: { PORT } }).ended;
    await silent.close();
    expect(stderr).to.equal(`${silent.address}/readyz is not ready: no answer within 5 s\n`);
  });
});
