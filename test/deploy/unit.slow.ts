import { expect } from 'chai';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freePort, needsPrograms, portsThatBrowsersBlock } from '../support/processes/system';
import {
  killPrograms,
  type Outcome,
  projectFolder,
  startCommand,
  startProgram,
} from '../support/processes/command';
import { makeFolder, removeFolders } from '../support/temporary-folder';

const unitFile = join(projectFolder, 'deploy/systemd/animal-store.service');

const run = (program: string, ...programArguments: ReadonlyArray<string>): Promise<Outcome> =>
  startProgram(program, programArguments).ended;

/** The values that the unit has for a name, in order. */
const valuesOf = (unit: string, name: string): ReadonlyArray<string> =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

describe('The systemd unit', () => {
  needsPrograms('systemd-analyze');
  let folder = '';
  let unit = '';

  /** The unit as it would be where the service is installed in a folder of this test. */
  before(async () => {
    folder = await makeFolder();
    const installed = join(folder, 'lib/node_modules/animal-store-service');
    await mkdir(dirname(installed), { recursive: true });
    await mkdir(join(folder, 'bin'));
    await symlink(projectFolder, installed);
    await writeFile(
      join(folder, 'bin/animal-store'),
      `#!/bin/sh\nexec node ${installed}/dist/app/main.js "$@"\n`,
      {
        mode: 0o755,
      },
    );
    unit = (await readFile(unitFile, 'utf8')).replaceAll('/opt/animal-store', folder);
    await writeFile(join(folder, 'animal-store.service'), unit);
  });

  afterEach(killPrograms);
  after(removeFolders);

  it('is one that systemd takes without a warning', async () => {
    const { code, stdout, stderr } = await run(
      'systemd-analyze',
      'verify',
      join(folder, 'animal-store.service'),
    );
    expect(stdout + stderr).to.equal('');
    expect(code).to.equal(0);
  });

  it('is one with its secrets handed over as credentials, too', async () => {
    const withCredentials = unit
      .replace(/^#((?:LoadCredential|Environment)=)/gm, '$1')
      .replace(/^Environment=DATABASE_URL=.*\n/m, '');
    expect(valuesOf(withCredentials, 'LoadCredential')).to.deep.equal([
      'api-keys:/etc/animal-store/api-keys',
      'database-url:/etc/animal-store/database-url',
    ]);
    const file = join(await makeFolder(), 'animal-store.service');
    await writeFile(file, withCredentials);
    const { code, stdout, stderr } = await run('systemd-analyze', 'verify', file);
    expect(stdout + stderr).to.equal('');
    expect(code).to.equal(0);
  });

  it('exposes little: 2.0 of 10 at most', async () => {
    const { code, stdout } = await run(
      'systemd-analyze',
      'security',
      '--offline=true',
      '--threshold=20',
      unitFile,
    );
    expect(code, stdout).to.equal(0);
  });

  it('is started once the service is ready', async () => {
    const [start = '', afterStart = ''] = [
      valuesOf(unit, 'ExecStart')[0],
      valuesOf(unit, 'ExecStartPost')[0],
    ];
    const environment = {
      PORT: String(await freePort()),
      NODE_ENV: 'production',
      API_KEYS: 'a-key-of-this-test-that-is-long-enough',
      DATABASE_URL: `sqlite:${join(folder, 'animals.sqlite3')}`,
    };
    const [service = '', ...serviceArguments] = start.split(' ');
    const running = startProgram(service, serviceArguments, { environment });
    const [check = '', ...checkArguments] = afterStart.split(' ');
    const ready = await startProgram(check, checkArguments, { environment }).ended;
    expect(ready, running.stderr()).to.include({ code: 0, stderr: '' });
    const address = `http://127.0.0.1:${environment.PORT}/v1/pets`;
    const headers = { Authorization: `Bearer ${environment.API_KEYS}`, 'Content-Type': 'application/json' };
    const created = await fetch(address, { method: 'POST', headers, body: '{"name":"Rex","categoryId":7}' });
    expect(created.status).to.equal(201);
    running.signal('SIGTERM');
    expect(await running.ended).to.include({ code: 0 });
  });

  it('is started on a port that no browser asks', async () => {
    const environment = {
      PORT: String(await freePort(portsThatBrowsersBlock)),
      DATABASE_URL: 'memory:',
    };
    startCommand(['serve'], environment);
    const checkReady = join(projectFolder, 'deploy/check-ready.mjs');
    expect(await startProgram(checkReady, ['30'], { environment }).ended).to.include({ code: 0, stderr: '' });
  });

  it('is not started where the service is not ready', async () => {
    const environment = { PORT: String(await freePort()) };
    const checkReady = join(projectFolder, 'deploy/check-ready.mjs');
    const { code, stderr } = await startProgram(checkReady, ['0.3'], { environment }).ended;
    expect(code).to.equal(1);
    expect(stderr).to.match(/^http:\/\/127\.0\.0\.1:[0-9]+\/readyz is not ready: .*ECONNREFUSED/);
  });
});
