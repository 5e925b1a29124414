import { expect } from 'chai';
import { packService } from '../../deploy/packages/pack';
import { markdownBlocks } from '../support/markdown';
import { prebuiltDriverCache } from '../support/packages';
import { needsPrograms } from '../support/processes/system';
import { makeFolder, removeFolders } from '../support/temporary-folder';
import { type BareMachine, needsBareMachine, npmSettings, startBareMachine } from './support/bare-machine';
import { addAndList, addSpamAndDeleteIt, startPostgres } from './support/machine-scripts';

const shellBlocks = (page: string): ReadonlyArray<string> =>
  markdownBlocks(page)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text);

/** Returns the key that the installation has printed. */
const keyIn = (printed: string): string => /^animals_\S+$/m.exec(printed)?.[0] ?? '';

describe('The commands of the pages on operating, as they are printed', function () {
  needsPrograms('unshare', 'nsenter', 'systemctl', 'curl', 'ip', 'jq', 'runuser', 'useradd');
  needsBareMachine();
  let machine: BareMachine;
  let tarball = '';

  before(async () => {
    tarball = packService(await makeFolder());
  });

  /** Puts the packed service of this checkout, and a copy with a later version, into root's home folder. */
  beforeEach(async () => {
    machine = await startBareMachine(await npmSettings(await prebuiltDriverCache()));
    await machine.enter(`
      cp ${tarball} .
      mkdir later && tar -xzf ${tarball} -C later
      sed -i 's/"version": "0.1.0"/"version": "0.2.0"/' later/package/package.json
      cat >>later/package/dist/adapters/knex/migrations/migrations.js <<'END'

      exports.migrations['900_add_colour'] = {
        up: (knex) => knex.schema.alterTable('pets', (table) => table.text('colour')),
        down: (knex) => knex.schema.alterTable('pets', (table) => table.dropColumn('colour')),
      };
END
      tar -czf animal-store-service-0.2.0.tgz -C later package`);
  });

  afterEach(() => machine.end());
  after(removeFolders);

  /** Returns the folder of PostgreSQL's programs. Without a server on this machine, skips the test. */
  const postgresPrograms = async (test: Mocha.Context): Promise<string> => {
    const { stdout } = await machine.attempt('ls -d /usr/lib/postgresql/*/bin | tail -1');
    if (stdout === '') {
      process.stdout.write('skipped, since no PostgreSQL server is installed in /usr/lib/postgresql\n');
      test.skip();
    }
    return stdout.trim();
  };

  it('install, back up, restore, upgrade and monitor on operations.md', async () => {
    const left = [...shellBlocks('docs/operations.md')];
    /** Runs the next block, which must contain a text. Each block of the page is run once. */
    const runNext = (part: string): Promise<string> => {
      const block = left.shift() ?? '';
      expect(block).to.include(part);
      return machine.enter(block);
    };

    const key = keyIn(await runNext('systemctl enable --now animal-store\n'));
    await machine.enter(`echo ${key} >first-key`);
    expect(await machine.enter(addAndList('Rex'))).to.equal('Rex\n');
    await machine.enter('animal-store doctor');
    expect(await machine.enter('stat --format=%a%U /etc/animal-store/environment')).to.equal('640root\n');
    // Leaves out this block, because checkout.slow.ts runs its commands.
    expect(left.shift()).to.include('npm prune');

    await runNext('/opt/animal-store/0.2.0/bin/animal-store --environment-file');
    await runNext('systemctl try-restart');
    expect(await machine.enter('animal-store --version')).to.include('0.2.0');
    expect(await machine.enter(addAndList('Tom'))).to.equal('Rex Tom\n');
    await runNext('before-0.2.0.backup');
    expect(await machine.enter(addAndList('Max'))).to.equal('Rex Tom Max\n');
    await runNext('ln -sfn 0.1.0');
    expect(await machine.enter('animal-store --version')).to.include('0.1.0');
    expect(await machine.enter(addAndList('Kim'))).to.equal('Rex Tom Kim\n');

    expect(await runNext('pets update'))
      .to.include('name: "Tom"\n')
      .and.include('status: "sold"\n');
    await machine.enter("printf 'name,categoryId\\nMia,1\\n' >animals.csv");
    await runNext('pets delete --ids');
    expect(await runNext('log --pet 2')).to.include('pets update by root; before: name "Tom"');

    expect(await machine.enter(addSpamAndDeleteIt())).to.match(/^[0-9]+\n0\n$/);

    await runNext('animal-store-backup.timer');
    await machine.enter('mkdir -p /var/lib/prometheus/node-exporter');
    await runNext('BACKUP_METRICS_FOLDER');
    expect(await machine.enter('ls /var/backups/animal-store | grep -c "^animals-"')).to.match(/^[12]\n$/);
    expect(await machine.enter('cat /var/lib/prometheus/node-exporter/animal-store.prom')).to.match(
      /^animal_store_last_backup_timestamp_seconds [0-9]+\n$/,
    );
    await runNext('animal-store doctor');
    expect(await machine.enter(addAndList('Leo'))).to.equal('Rex Kim Leo\n');

    expect(await runNext('http://127.0.0.1:9464/metrics')).to.include('animal_store_ready 1');
    await runNext('auto-instrumentations-node');
    await machine.enter(addAndList('Ben'));
    expect(await machine.enter('journalctl --identifier=animal-store --output=cat'))
      .to.include('"trace_id"')
      .and.not.include('Warning');
    expect(left).to.deep.equal([]);
  });

  for (const [form, ports] of [
    ['one instance', [3000]],
    ['two instances', [3001, 3002]],
  ] as const) {
    it(`grant, upgrade, back up and restore on postgresql.md, without a SQLite driver, ${form}`, async function () {
      const programs = await postgresPrograms(this);
      const [roles = '', grants = '', migrate = '', dump = '', restore = '', drill = '', ...more] =
        shellBlocks('docs/postgresql.md');
      expect(more).to.deep.equal([]);
      const address = 'postgres://animals:PASSWORD@db.example/animals';
      const [install = '', , upgrade = '', switchVersion = ''] = shellBlocks('docs/operations.md');
      const driver = '--allow-scripts=sqlite3';
      const sqlite = 'sqlite:/var/lib/animal-store/animals.sqlite3';
      const enable = 'systemctl enable --now animal-store\n';
      for (const part of [driver, sqlite, enable]) expect(install).to.include(part);
      await machine.enter(`
        ${startPostgres('db.example', '127.0.0.1', programs)}
        ${startPostgres('new-db.example', '127.0.0.2', programs)}
        ${roles}`);
      // Splits the installation before its `migrate`, so that the owner of the tables can create them, which the
      // service's role may not do.
      const [installProgram = '', ...rest] = install
        .replace(driver, '--ignore-scripts')
        .replace(sqlite, address)
        .replace(
          enable,
          ports.length === 1 ? enable : 'systemctl enable --now animal-store@3001 animal-store@3002\n',
        )
        .split(/(?=^animal-store migrate\n)/m);
      const printed = await machine.enter(`${installProgram}${grants}${rest.join('')}`);
      await machine.enter(`echo ${keyIn(printed)} >first-key`);
      const withoutDriver = '/opt/animal-store/current/bin/animal-store migrate';
      const { code, stderr } = await machine.attempt(`DATABASE_URL=sqlite:x ${withoutDriver}`);
      expect(code, stderr).to.equal(1);
      expect(stderr).to.include('npm rebuild sqlite3');

      /** Adds an animal through each instance, and expects it at the end of the list. */
      const animals: Array<string> = [];
      const addThroughEach = async (name: string): Promise<void> => {
        for (const port of ports) {
          animals.push(`${name}${port}`);
          expect(await machine.enter(addAndList(`${name}${port}`, port))).to.equal(`${animals.join(' ')}\n`);
        }
      };
      const processes = async (): Promise<ReadonlyArray<string>> => {
        const { stdout } = await machine.attempt("pgrep --full 'bin/animal-store [s]erve'");
        return stdout.split('\n').slice(0, -1);
      };

      await addThroughEach('Rex');
      const beforeUpgrade = await processes();
      expect(beforeUpgrade).to.have.lengthOf(ports.length);
      const checked = await machine.attempt(upgrade.replace(driver, '--ignore-scripts'));
      expect(checked.stdout).to.include('must be owner of table');
      await machine.enter(migrate);
      await machine.enter(`
        cp --archive /opt/animal-store/0.2.0 /opt/animal-store/broken
        echo 'throw new Error()' >/opt/animal-store/broken/lib/node_modules/animal-store-service/dist/app/main.js`);
      await machine.attempt(switchVersion.replace('0.2.0', 'broken'));
      const kept = (await processes()).filter((id) => beforeUpgrade.includes(id));
      expect(kept, 'instances that a broken version leaves').to.have.lengthOf(ports.length - 1);
      await machine.enter(switchVersion);
      const upgraded = await processes();
      expect(upgraded).to.have.lengthOf(ports.length);
      expect(upgraded.filter((id) => beforeUpgrade.includes(id))).to.deep.equal([]);
      await machine.enter('animal-store doctor');
      expect(await machine.enter(addSpamAndDeleteIt(ports.at(-1)))).to.match(/^[0-9]+\n0\n$/);

      await machine.enter(dump);
      await machine.enter(drill);
      // Checks that the backup job has enough rights with the service's role, too.
      await machine.enter(`
        install --directory --owner=animal-store /var/backups/animal-store
        systemctl start animal-store-backup.service
        pg_restore --list /var/backups/animal-store/animals-*.backup | grep -q 'TABLE DATA public pets'`);
      await machine.enter(roles.replaceAll('@db.example', '@new-db.example'));
      const [stop = '', ...steps] = restore.split(/(?<=\n)/);
      await machine.enter(stop);
      expect(await processes(), 'processes during the restore').to.deep.equal([]);
      await machine.enter(steps.join(''));
      expect(await machine.enter('cat /etc/animal-store/environment')).to.include('@new-db.example/');
      await addThroughEach('Tom');
      expect(await processes()).to.have.lengthOf(ports.length);
      expect(await machine.enter("systemctl status 'animal-store*'")).to.include('Main PID: ');
    });
  }

  it('move 20,000 animals with the keys of their clients on from-sqlite-to-postgresql.md', async function () {
    const programs = await postgresPrograms(this);
    const [install = ''] = shellBlocks('docs/operations.md');
    const move = shellBlocks('docs/from-sqlite-to-postgresql.md').join('\n');
    const [roles = '', grants = ''] = shellBlocks('docs/postgresql.md');
    const key = keyIn(await machine.enter(install));
    const pets = `curl --silent --fail --show-error --retry 9 --retry-connrefused --header "Authorization: Bearer ${key}" http://127.0.0.1:3000/v1/pets`;
    const createRex = `${pets} --header 'Idempotency-Key: "move"' --json '{"name":"Rex","categoryId":9007199254740993}'`;
    await machine.enter(`
      ${startPostgres('db.example', '127.0.0.1', programs)}
      ${roles}${grants}
      { echo name,categoryId; seq 20000 | sed 's/.*/Tom &,1/'; } >animals.csv
      animal-store import --format csv - <animals.csv`);
    const created = await machine.enter(createRex);
    expect(created).to.include('"id":20001,');

    const [owner, service] = ['animals_owner', 'animals'].map(
      (role) => `postgres://${role}:PASSWORD@db.example/animals`,
    );
    const { code, stdout, stderr } = await machine.attempt(`{\n${move}} <<END\n${owner}\n${service}\nEND`);
    expect(code, `${stdout}${stderr}`).to.equal(0);
    expect(stderr).to.include('copied and compared: 20,001 animals, 1 API key, 1 idempotency key;');
    expect(await machine.enter('cat /etc/animal-store/environment')).to.include(`'${service}'`);
    expect(await machine.enter(`${pets}/7`)).to.equal('{"id":7,"name":"Tom 7","categoryId":1}\n');
    expect(await machine.enter(createRex)).to.equal(created);
  });
});
