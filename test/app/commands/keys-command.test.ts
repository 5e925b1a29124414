import { expect } from 'chai';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Environment, withoutDatabaseLine } from '../../support/processes/command';
import { eventually } from '../../support/eventually';
import { bytesOf } from '../../support/databases/sqlite-files';
import { listPets } from '../../support/http/client';
import { runInProcess } from '../../support/processes/run-in-process';
import { killServices, startService } from '../../support/service/service-process';
import { newCatalogue } from '../../support/databases/catalogue';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

/** In milliseconds: how soon a revoked key is refused everywhere. */
const revocationBound = 5_000;

const names = [
  "-n --json'); DROP TABLE api_keys;--",
  'Zoë 東京 🐢 e\u0301 \u202e"quoted"\\ two\nlines\tand a tab',
  '9007199254740993',
];

interface Store {
  readonly file: string;
  readonly environment: Environment;
}

const newStore = async (): Promise<Store> => {
  const { file, environment } = await newCatalogue();
  return { file, environment: { ...environment, LOG_LEVEL: 'silent' } };
};

const issue = async (environment: Environment, name: string) => {
  const outcome = await runInProcess(['keys', 'create', `--name=${name}`, '--json'], environment);
  const issued: unknown = JSON.parse(outcome.stdout);
  expect(issued).to.include({ name, revokedAt: null });
  const { id, key, ...rest } = Object.assign({ id: '', key: '' }, issued);
  return { id, key, record: { id, ...rest }, outcome };
};

const listed = async (environment: Environment): Promise<unknown> =>
  JSON.parse((await runInProcess(['keys', 'list', '--json'], environment)).stdout);

describe('The keys on the command line', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('are printed alone on standard output, and listed without their secret', async () => {
    const { file, environment } = await newStore();
    const created = await runInProcess(['keys', 'create', '--name', 'shop'], environment);
    expect(created.code).to.equal(0);
    expect(created.stdout).to.match(/^animals_[0-9a-f]{16}_[\w-]{43}\n$/);
    const [key, id = 'no id'] = [created.stdout.trim(), created.stdout.split('_')[1]];
    expect(created.stderr).to.include(`animal-store keys revoke ${id}`).and.not.include(key);

    const { code, stdout, stderr } = await runInProcess(['keys', 'list'], environment);
    expect(stdout).to.match(
      new RegExp(`^${id}  owner ${id}  \\.\\.\\.${key.slice(-4)}  created \\S+Z  valid  "shop"\\n$`),
    );
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: `database: sqlite:${file}\n` });
  });

  it('are created with a warning if API_KEYS is set', async () => {
    const { environment } = await newStore();
    const create = ['keys', 'create', '--name', 'shop'];
    expect((await runInProcess(create, environment)).stderr).not.to.include('warning');
    const warned = await runInProcess(create, {
      ...environment,
      API_KEYS: 'a-key-of-32-characters-and-more-',
    });
    expect(warned.stderr).to.include('a service with API_KEYS ignores the keys in the database');
  });

  it('keep any name byte for byte, in order of creation', async () => {
    const { environment } = await newStore();
    const records: Array<unknown> = [];
    for (const name of names) records.push((await issue(environment, name)).record);
    expect(await listed(environment)).to.deep.equal(records);
  });

  it('are listed with control characters escaped', async () => {
    const { environment } = await newStore();
    const name = 'a\u009b2Jb\u0085c\u007fd\u202ee\u2066f\u2028g\u200fh\u{e0041}i🐢';
    const { id } = await issue(environment, name);
    for (const command of [
      ['keys', 'list'],
      ['keys', 'list', '--json'],
      ['keys', 'revoke', id],
    ]) {
      const { stdout } = await runInProcess(command, environment);
      expect(stdout, command.join(' ')).to.include(
        String.raw`"a\u009b2Jb\u0085c\u007fd\u202ee\u2066f\u2028g\u200fh\udb40\udc41i🐢"`,
      );
    }
    expect(await listed(environment)).to.have.nested.property('[0].name', name);
  });

  it('need a name and a lifetime above 0', async () => {
    const file = await newDatabaseFile();
    const environment = { DATABASE_URL: `sqlite:${file}` };
    for (const options of [['--name='], ['--name=shop', '--expires=0d']]) {
      const { code, stdout } = await runInProcess(['keys', 'create', ...options], environment);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
    }
    expect(existsSync(file)).to.equal(false);
  });

  for (const [what, make] of [
    ['a file that does not exist', () => undefined],
    [
      'an empty file',
      (file: string) => {
        writeFileSync(file, '');
      },
    ],
  ] as const) {
    it(`need a database, and create none: ${what}`, async () => {
      const file = await newDatabaseFile();
      make(file);
      for (const command of [['create', '--name=x'], ['list'], ['rotate', 'x'], ['revoke', 'x']]) {
        expect(await runInProcess(['keys', ...command], { DATABASE_URL: `sqlite:${file}` })).to.include({
          code: 1,
          stdout: '',
          stderr: `animal-store: there is no animal store in sqlite:${file}: set DATABASE_URL to the database, or create one with \`animal-store migrate\`\n`,
        });
      }
      expect(readdirSync(dirname(file))).to.deep.equal(what === 'an empty file' ? ['animals.sqlite3'] : []);
    });
  }

  it('are an empty list on a new database', async () => {
    const { file, environment } = await newStore();
    expect(await listed(environment)).to.deep.equal([]);
    expect(await runInProcess(['keys', 'list'], environment)).to.include({
      code: 0,
      stdout: '',
      stderr: `database: sqlite:${file}\nthere are no keys\n`,
    });
  });

  it('are revoked once: a second time changes nothing', async () => {
    const { environment } = await newStore();
    const [{ id }, other] = [await issue(environment, 'lost'), await issue(environment, 'kept')];
    const first = await runInProcess(['keys', 'revoke', id, '--json'], environment);
    const second = await runInProcess(['keys', 'revoke', id, '--json'], environment);
    const revoked: unknown = JSON.parse(first.stdout);
    expect(revoked).to.include({ id, name: 'lost' });
    expect(revoked)
      .to.have.property('revokedAt')
      .that.matches(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(second).to.deep.equal(first);
    expect(withoutDatabaseLine(first)).to.include({ code: 0, stderr: '' });
    expect(await listed(environment)).to.deep.equal([revoked, other.record]);
  });

  it('expire as told, and never by default', async () => {
    const { environment } = await newStore();
    const { stdout } = await runInProcess(
      ['keys', 'create', '--name=shop', '--expires=90d', '--json'],
      environment,
    );
    const issued: unknown = JSON.parse(stdout);
    const { createdAt, expiresAt } = Object.assign({ createdAt: '', expiresAt: '' }, issued);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).to.be.closeTo(90 * 86_400_000, 60_000);
    expect((await runInProcess(['keys', 'list'], environment)).stdout).to.include(`valid until ${expiresAt}`);
    expect((await issue(environment, 'other')).record).to.include({ expiresAt: null });
    for (const duration of ['90', '-1d', '1y', '']) {
      const refused = await runInProcess(
        ['keys', 'create', '--name=no', `--expires=${duration}`],
        environment,
      );
      expect(refused, duration).to.include({ code: 2, stdout: '' });
    }
    expect(await listed(environment)).to.have.lengthOf(2);
  });

  it('cause a warning when the last valid one is revoked', async () => {
    const { environment } = await newStore();
    const [one, other] = [await issue(environment, 'one'), await issue(environment, 'other')];
    await runInProcess(['keys', 'create', '--name=over', '--expires=0s'], environment);
    const revoke = async (id: string) =>
      withoutDatabaseLine(await runInProcess(['keys', 'revoke', id], environment));
    expect((await revoke(one.id)).stderr).to.equal('');
    const { code, stderr } = await revoke(other.id);
    expect(code).to.equal(0);
    expect(stderr).to.match(/^warning: no valid key is left.*keys create.*\n$/);
  });

  it('fail for an unknown id with exit code 1', async () => {
    const { environment } = await newStore();
    const { record } = await issue(environment, 'shop');
    for (const command of ['revoke', 'rotate']) {
      const { code, stdout, stderr } = withoutDatabaseLine(
        await runInProcess(['keys', command, "x' OR 1=1", '--json'], environment),
      );
      expect(stderr).to.equal(
        "animal-store: no key has the id x' OR 1=1: `animal-store keys list` shows the ids\n",
      );
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    }
    expect(await listed(environment)).to.deep.equal([record]);
  });

  it('get no successor after revocation: exit code 1', async () => {
    const { environment } = await newStore();
    const { id } = await issue(environment, 'shop');
    await runInProcess(['keys', 'revoke', id], environment);
    const records = await listed(environment);
    const { code, stdout, stderr } = withoutDatabaseLine(
      await runInProcess(['keys', 'rotate', id], environment),
    );
    expect(stderr).to.equal(
      `animal-store: key ${id} is revoked: issue a new one with \`animal-store keys create --name NAME\`\n`,
    );
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(await listed(environment)).to.deep.equal(records);
  });

  it('pass their lifetime on to their successor, unless told otherwise', async () => {
    const { environment } = await newStore();
    const created90d = ['keys', 'create', '--name=shop', '--expires=90d'];
    const [, id = 'no id'] = (await runInProcess(created90d, environment)).stdout.split('_');
    for (const [options, days] of [
      [[], 90],
      [['--expires=30d'], 30],
      [['--expires=never'], undefined],
    ] as const) {
      const { stdout, stderr } = await runInProcess(
        ['keys', 'rotate', id, '--json', ...options],
        environment,
      );
      expect(stdout, stderr).not.to.equal('');
      const issued: unknown = JSON.parse(stdout);
      const { createdAt, expiresAt } = Object.assign({ createdAt: '', expiresAt: '' }, issued);
      if (days === undefined) expect(expiresAt).to.equal(null);
      else expect(Date.parse(expiresAt) - Date.parse(createdAt)).to.equal(days * 86_400_000);
    }
  });

  it('are hashes at rest: neither the file nor its log holds a key', async () => {
    const { file, environment } = await newStore();
    const service = await startService(environment);
    const firstKey = await service.firstKey();
    const { key } = await issue(environment, 'shop');
    const whileServing = bytesOf(file);
    await service.stop();
    const afterwards = bytesOf(file);
    for (const issued of [firstKey, key]) {
      const [, id = 'no id', secret = 'no secret'] = /^animals_([0-9a-f]{16})_(.+)$/.exec(issued) ?? [];
      for (const bytes of [whileServing, afterwards]) {
        expect(bytes.includes(id), 'the id').to.equal(true);
        expect(bytes.includes(secret), 'the key').to.equal(false);
        expect(bytes.includes(Buffer.from(secret, 'base64url')), 'its random bits').to.equal(false);
      }
    }
  });

  it('work immediately in a running instance, and are rejected by all within 5 seconds of revocation', async () => {
    const { environment } = await newStore();
    const services = await Promise.all([startService(environment), startService(environment)]);
    const { id, key } = await issue(environment, 'shop');
    const statuses = () =>
      Promise.all(services.map(({ address }) => listPets({ address, key }).then(({ status }) => status)));
    expect(await statuses()).to.deep.equal([200, 200]);

    expect(await runInProcess(['keys', 'revoke', id], environment)).to.include({ code: 0 });
    await eventually('the key is refused everywhere', revocationBound, async () =>
      (await statuses()).every((status) => status === 401),
    );
    expect(await statuses(), 'from then on').to.deep.equal([401, 401]);
  });
});
