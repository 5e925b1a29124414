import { expect } from 'chai';
import { packService } from '../../deploy/packages/pack';
import { markdownBlocks } from '../support/markdown';
import { prebuiltDriverCache } from '../support/packages';
import { needsPrograms } from '../support/processes/system';
import { makeFolder, removeFolders } from '../support/temporary-folder';
import { type BareMachine, needsBareMachine, npmSettings, startBareMachine } from './support/bare-machine';

/** Returns the shell blocks of a page, in order. */
const shellBlocks = (page: string): ReadonlyArray<string> =>
  markdownBlocks(page)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text);

/** Script that adds an animal with the first key, and prints the names of all animals. */
const addAndList = (name: string, port = 3000): string => `
  key=$(cat first-key)
  curl --silent --fail --show-error --header "Authorization: Bearer $key" --json '{"name":"${name}","categoryId":7}' \\
    http://127.0.0.1:${port}/v1/pets >/dev/null
  animal-store export --format csv - | sed '1d; s/,.*//' | paste -sd' '`;

describe('The commands of the pages on operating, as they are printed', function () {
  needsPrograms('unshare', 'nsenter', 'curl', 'ip', 'runuser', 'useradd');
  needsBareMachine();
  let machine: BareMachine;

  /** Puts the packed service of this checkout, and a copy with a later version, into root's home folder. */
  beforeEach(async () => {
    const tarball = packService(await makeFolder());
    machine = await startBareMachine(npmSettings(await prebuiltDriverCache()));
    await machine.enter(`
      cp ${tarball} .
      mkdir later && tar -xzf ${tarball} -C later
      sed -i 's/"version": "0.1.0"/"version": "0.2.0"/' later/package/package.json
      tar -czf animal-store-service-0.2.0.tgz -C later package`);
  });

  afterEach(() => machine.end());
  after(removeFolders);

  it('install, back up, restore, upgrade and monitor on operations.md', async () => {
    const left = [...shellBlocks('docs/operations.md')];
    /** Runs the next block, which must contain a text. Each block of the page is run once. */
    const runNext = (part: string): Promise<string> => {
      const block = left.shift() ?? '';
      expect(block).to.include(part);
      return machine.enter(block);
    };

    const printed = await runNext('systemctl enable --now animal-store\n');
    const key = /^animals_\S+$/m.exec(printed)?.[0] ?? '';
    await machine.enter(`echo ${key} >first-key`);
    expect(await machine.enter(addAndList('Rex'))).to.equal('Rex\n');
    await machine.enter('animal-store doctor');
    expect(await machine.enter('stat --format=%a%U /etc/animal-store/environment')).to.equal('640root\n');
    // checkout.slow.ts runs these commands.
    expect(left.shift()).to.include('npm prune');

    await runNext('/opt/animal-store/0.2.0/bin/animal-store --environment-file');
    await runNext('systemctl restart animal-store');
    expect(await machine.enter('animal-store --version')).to.include('0.2.0');
    expect(await machine.enter(addAndList('Tom'))).to.equal('Rex Tom\n');
    await runNext('before-0.2.0.backup');
    expect(await machine.enter(addAndList('Max'))).to.equal('Rex Tom Max\n');
    await runNext('ln -sfn 0.1.0');
    expect(await machine.enter('animal-store --version')).to.include('0.1.0');
    expect(await machine.enter(addAndList('Kim'))).to.equal('Rex Tom Kim\n');

    await runNext('animal-store-backup.timer');
    await machine.enter('mkdir -p /var/lib/prometheus/node-exporter');
    await runNext('BACKUP_METRICS_FOLDER');
    expect(await machine.enter('ls /var/backups/animal-store | grep -c "^animals-"')).to.match(/^[12]\n$/);
    expect(await machine.enter('cat /var/lib/prometheus/node-exporter/animal-store.prom')).to.match(
      /^animal_store_last_backup_timestamp_seconds [0-9]+\n$/,
    );
    await runNext('animal-store doctor --full');
    expect(await machine.enter(addAndList('Leo'))).to.equal('Rex Tom Kim Leo\n');

    expect(await runNext('http://127.0.0.1:9464/metrics')).to.include('animal_store_ready 1');
    await runNext('auto-instrumentations-node');
    await machine.enter(addAndList('Ben'));
    expect(await machine.enter('cat /var/log/animal-store.log')).to.include('"trace_id"');
    expect(left).to.deep.equal([]);
  });
});
