import { expect } from 'chai';
import { eventually } from '../support/eventually';
import { main, needsReadableBuild, projectFolder } from '../support/processes/command';
import { needsPrograms } from '../support/processes/system';
import { removeFolders } from '../support/temporary-folder';
import { type BareMachine, needsBareMachine, startBareMachine } from './support/bare-machine';

/** Installs the service of this checkout as docs/operations.md does, except for the package. */
const install = `
  mkdir -p /opt/animal-store/current/bin /etc/animal-store
  ln -s ${projectFolder}/deploy /opt/animal-store/deploy
  ln -s ${projectFolder} /opt/animal-store/current/lib
  printf '#!/bin/sh\\nexec node ${main} "$@"\\n' >/opt/animal-store/current/bin/animal-store
  chmod 755 /opt/animal-store/current/bin/animal-store
  ln -s /opt/animal-store/deploy/systemd/animal-store /usr/local/bin/
  cp /opt/animal-store/deploy/systemd/*.service /opt/animal-store/deploy/systemd/*.target /etc/systemd/system/
  useradd --system --create-home --home-dir /var/lib/animal-store animal-store
  echo DATABASE_URL=sqlite:/var/lib/animal-store/animals.sqlite3 >/etc/animal-store/environment
  animal-store migrate
  animal-store keys create --name first >first-key
  systemctl daemon-reload`;

/**
 * Lowers the limit of the journal, which is 10,000 lines in 30 s by default. The journal allows up to six times its
 * limit.
 */
const limitJournal = `
  mkdir -p /etc/systemd/journald.conf.d
  printf '[Journal]\\nRateLimitBurst=100\\n' >/etc/systemd/journald.conf.d/limit.conf`;

describe('The unit under systemd', () => {
  needsPrograms('unshare', 'nsenter', 'systemctl', 'curl', 'runuser', 'useradd');
  needsBareMachine();
  let machine: BareMachine;

  before(async function () {
    await needsReadableBuild(this);
    machine = await startBareMachine();
    await machine.enter(limitJournal + install);
  });
  after(() => machine.end());
  after(removeFolders);

  it('goes on after a SIGHUP, which would mean a lost terminal', async () => {
    await machine.enter('systemctl start animal-store && systemctl kill --signal=HUP animal-store');
    await machine.enter('curl --fail http://127.0.0.1:3000/readyz');
    expect(await machine.enter('systemctl show --property=NRestarts --value animal-store')).to.equal('0\n');
    await machine.enter('systemctl stop animal-store && ! systemctl --quiet is-active animal-store');
  });

  it('keeps every log line of a burst of requests', async () => {
    const requests = 1_000;
    await machine.enter(`
      systemctl start animal-store
      curl --silent --output /dev/null --parallel --parallel-max 20 'http://127.0.0.1:3000/v1/pets?[1-${requests}]'
      systemctl stop animal-store`);
    const lines = await machine.enter(
      'journalctl --unit=animal-store --output=cat | grep --count "\\"msg\\":\\"request\\""',
    );
    expect(Number(lines)).to.equal(requests);
  });

  it('runs an instance on the port of its name, and doctor checks this port', async () => {
    await machine.enter('systemctl start animal-store@3010');
    for (const port of [3010, 13010]) await machine.enter(`curl --fail http://127.0.0.1:${port}/readyz`);
    const checked = await machine.enter('animal-store @3010 doctor');
    for (const port of ['PORT 3010', 'ADMIN_PORT 13010'])
      expect(checked).to.include(`${port} on 127.0.0.1 is that of a running animal store`);
    await machine.enter('systemctl stop animal-store@3010');
    expect(await machine.enter('animal-store @3010 doctor')).to.include('PORT 3010 on 127.0.0.1 is free');
  });

  it('takes settings from the file of the unit only, as the unit does', async () => {
    await machine.enter('cd /tmp && echo PORT=wrong >.env && animal-store keys list');
  });

  for (const [name, prepare, advice] of [
    [
      'that the sandbox makes read-only',
      'mkdir FOLDER',
      'or add its folder to ReadWritePaths of the systemd unit',
    ],
    [
      'that its user may not search',
      'mkdir --mode=700 FOLDER',
      'let this user search the folder FOLDER, which',
    ],
  ] as const)
    it(`says what to do about a folder ${name}`, async () => {
      const folder = `/srv/${name.replaceAll(' ', '-')}`;
      const environment = '/etc/animal-store/environment';
      await machine.enter(`
        ${prepare.replace('FOLDER', folder)}
        ${prepare.includes('700') ? '' : `chown animal-store ${folder}`}
        cp ${environment} kept
        echo DATABASE_URL=sqlite:${folder}/animals.sqlite3 >${environment}
        systemctl start --no-block animal-store`);
      await eventually('the log has the advice', 20_000, async () => {
        const { stdout } = await machine.attempt('journalctl --identifier=animal-store --output=cat');
        return stdout.includes(advice.replace('FOLDER', folder));
      });
      await machine.enter(`systemctl stop animal-store; mv kept ${environment}`);
    });

  it('tries again at once while its database is away, and serves soon after it is back', async () => {
    await machine.enter(
      'cd /var/lib/animal-store && mv animals.sqlite3 away && systemctl start --no-block animal-store',
    );
    await eventually('it has tried twice', 20_000, async () => {
      const { stdout } = await machine.attempt('systemctl show --property=NRestarts --value animal-store');
      return Number(stdout) >= 2;
    });
    await machine.enter('cd /var/lib/animal-store && mv away animals.sqlite3');
    await eventually('it is ready', 20_000, () => isServed(3000));
    await machine.enter('systemctl stop animal-store');
  });

  const isServed = async (port: number): Promise<boolean> =>
    (await machine.attempt(`curl --fail http://127.0.0.1:${port}/readyz`)).code === 0;

  for (const units of [['animal-store'], ['animal-store@3001', 'animal-store@3002']]) {
    const ports = units.map((unit) => Number(unit.split('@')[1] ?? 3000));

    it(`stops and starts all of ${units.join(', ')} by the target, also without a start of it before`, async () => {
      await machine.enter(`systemctl enable --now ${units.join(' ')}`);
      for (const port of ports) expect(await isServed(port)).to.equal(true);
      await machine.enter('systemctl stop animal-store.target');
      for (const port of ports) expect(await isServed(port)).to.equal(false);
      await machine.enter('systemctl start animal-store.target');
      for (const port of ports) await eventually(`${port} is ready`, 20_000, () => isServed(port));
      await machine.enter(`systemctl stop animal-store.target && systemctl disable ${units.join(' ')}`);
    });
  }

  it('still starts an instance with the machine after another one was disabled', async () => {
    await machine.enter(
      'systemctl enable animal-store@3001 animal-store@3002 && systemctl disable animal-store@3002',
    );
    const started = await machine.enter('systemctl list-dependencies --plain multi-user.target');
    expect(started).to.include('animal-store@3001.service').and.not.include('animal-store@3002.service');
    await machine.enter('systemctl disable animal-store@3001');
  });

  it('has ended all instances when the stop of the target returns', async () => {
    const state = 'systemctl show --property=ActiveState --value animal-store@3001';
    await machine.enter('systemctl start animal-store@3001');
    expect(await machine.enter(`systemctl stop animal-store.target; ${state}`)).to.equal('inactive\n');
  });

  it('refuses to start animal-store next to enabled instances', async () => {
    await machine.enter('systemctl enable animal-store@3001');
    const { code, stderr } = await machine.attempt('systemctl start animal-store');
    expect(code).to.equal(1);
    expect(stderr).to.include('Assertion failed on job for animal-store.service');
    await machine.enter('systemctl disable animal-store@3001');
  });
});
