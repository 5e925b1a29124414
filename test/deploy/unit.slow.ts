import { expect } from 'chai';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freePort, needsPrograms, portsThatBrowsersBlock } from '../support/processes/system';
import { killPrograms, type Outcome, projectFolder, startProgram } from '../support/processes/command';
import { createPet } from '../support/http/client';
import { makeFolder, removeFolders } from '../support/temporary-folder';

const unitFile = join(projectFolder, 'deploy/systemd/animal-store.service');

const run = (program: string, ...programArguments: ReadonlyArray<string>): Promise<Outcome> =>
  startProgram(program, programArguments).ended;

/** Returns the values of a name in the unit file, in order. */
const valuesOf = (unit: string, name: string): ReadonlyArray<string> =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

describe('The systemd unit', () => {
  needsPrograms('systemd-analyze');
  let folder = '';
  let unit = '';

  /** Install the unit with the paths of a folder of this test. */
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
  });

  afterEach(killPrograms);
  after(removeFolders);

  it('passes systemd-analyze without a warning, also with its credentials, and exposes at most 2.0 of 10', async () => {
    const withCredentials = unit
      .replace(/^#((?:LoadCredential|Environment)=)/gm, '$1')
      .replace(/^Environment=DATABASE_URL=.*\n/m, '');
    expect(valuesOf(withCredentials, 'LoadCredential')).to.deep.equal([
      'api-keys:/etc/animal-store/api-keys',
      'database-url:/etc/animal-store/database-url',
    ]);
    for (const text of [unit, withCredentials]) {
      const file = join(await makeFolder(), 'animal-store.service');
      await writeFile(file, text);
      const { code, stdout, stderr } = await run('systemd-analyze', 'verify', file);
      expect({ code, stdout, stderr }).to.deep.equal({ code: 0, stdout: '', stderr: '' });
    }
    const security = await run('systemd-analyze', 'security', '--offline=true', '--threshold=20', unitFile);
    expect(security.code, security.stdout).to.equal(0);
  });

  it('counts as started once the service is ready, also on a port that fetch refuses', async () => {
    const [start = '', afterStart = ''] = [
      valuesOf(unit, 'ExecStart')[0],
      valuesOf(unit, 'ExecStartPost')[0],
    ];
    const environment = {
      PORT: String(await freePort(portsThatBrowsersBlock)),
      NODE_ENV: 'production',
      API_KEYS: 'a-key-of-this-test-that-is-long-enough',
      DATABASE_URL: `sqlite:${join(folder, 'animals.sqlite3')}`,
    };
    const [service = '', ...serviceArguments] = start.split(' ');
    const running = startProgram(service, serviceArguments, { environment });
    const [check = '', ...checkArguments] = afterStart.split(' ');
    const ready = await startProgram(check, checkArguments, { environment }).ended;
    expect(ready, running.stderr()).to.include({ code: 0, stderr: '' });
    const caller = { address: `http://127.0.0.1:${environment.PORT}`, key: environment.API_KEYS };
    expect(await createPet(caller, '{"name":"Rex","categoryId":7}')).to.include({ status: 201 });
    running.signal('SIGTERM');
    expect(await running.ended).to.include({ code: 0 });
  });

  it('does not count as started if the service is not ready', async () => {
    const environment = { PORT: String(await freePort()) };
    const checkReady = join(projectFolder, 'deploy/check-ready.mjs');
    const { code, stderr } = await startProgram(checkReady, ['0.3'], { environment }).ended;
    expect(code).to.equal(1);
    expect(stderr).to.match(/^http:\/\/127\.0\.0\.1:[0-9]+\/readyz is not ready: .*ECONNREFUSED/);
  });
});
