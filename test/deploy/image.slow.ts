import { expect } from 'chai';
import { appendFile, copyFile, mkdir } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as t from 'io-ts';
import { decodeOrThrow } from '../../core';
import { killPrograms, projectFolder, type Running, startProgram } from '../support/processes/command';
import { eventually } from '../support/eventually';
import { freePort, needsPrograms } from '../support/processes/system';
import { copyCheckout } from '../support/packages';
import { makeFolder, removeFolders } from '../support/temporary-folder';

const support = join(projectFolder, 'test/deploy/support');
/** Folder that keeps the base of the image between runs, because making it takes long. */
const cache = join(projectFolder, 'node_modules/.cache/image');
const certificates = '/etc/ssl/certs/ca-certificates.crt';
const key = 'a-key-of-this-test-that-is-long-enough';

const environment = { STORAGE_DRIVER: 'vfs', HOME: homedir() };

const run = async (program: string, ...programArguments: ReadonlyArray<string>): Promise<string> => {
  const { code, stdout, stderr } = await startProgram(program, programArguments, { environment }).ended;
  expect(code, `${program} ${programArguments.join(' ')}: ${stderr}${stdout.slice(-2000)}`).to.equal(0);
  return stdout.trim();
};

/** Makes a file with this machine's npm settings and certificates, which npm in the build would not trust otherwise. */
const npmSettings = async (): Promise<string> => {
  const file = join(await makeFolder(), 'npmrc');
  const own = join(homedir(), '.npmrc');
  if (existsSync(own)) await copyFile(own, file);
  await appendFile(file, `\ncafile=${certificates}\n`);
  return file;
};

const Image = t.type({
  Docker: t.type({
    config: t.type({
      User: t.string,
      Labels: t.record(t.string, t.string),
      Env: t.array(t.string),
      Entrypoint: t.array(t.string),
      Cmd: t.array(t.string),
      Volumes: t.record(t.string, t.UnknownRecord),
      Healthcheck: t.type({ Test: t.array(t.string) }),
    }),
  }),
});

type Config = t.TypeOf<typeof Image>['Docker']['config'];

describe('The image', function () {
  this.timeout(1_200_000);
  needsPrograms('buildah', 'debootstrap');
  let container = '';
  let root = '';
  let config: Config;

  before(async () => {
    await run(join(support, 'make-base-images.sh'), cache);
    const npmCache = join(cache, 'npm');
    await mkdir(npmCache, { recursive: true });
    await run(process.execPath, join(support, 'cache-prebuilt-driver.mjs'), npmCache);
    const mounted = [
      `${await npmSettings()}:/root/.npmrc:ro`,
      `${certificates}:${certificates}:ro`,
      `${npmCache}:/root/.npm`,
    ];
    const volumes = mounted.map((volume) => `--volume=${volume}`);
    const options = ['--layers', '--isolation=chroot', '--pull-never', '--format=docker'];
    // Takes all rights on the checkout from other users, as a strict umask of its owner does.
    const checkout = await copyCheckout();
    await run('chmod', '--recursive', 'go-rwx', checkout);
    await run('buildah', 'bud', ...options, ...volumes, '--tag=animal-store', checkout);
    container = await run('buildah', 'from', '--pull-never', 'localhost/animal-store');
    root = await run('buildah', 'mount', container);
    config = decodeOrThrow(Image, JSON.parse(await run('buildah', 'inspect', '--type=image', 'animal-store')))
      .Docker.config;
  });

  afterEach(killPrograms);
  after(async () => {
    if (container !== '') await run('buildah', 'rm', container);
  });
  after(removeFolders);

  /**
   * Starts a command as a container runtime would: as process 1, as the user of the image, with its environment, and
   * with a read-only root except for the volume. The command uses the network of the machine.
   */
  const start = (
    data: string,
    command: ReadonlyArray<string>,
    more: Readonly<Record<string, string>> = {},
  ): Running => {
    const own = Object.fromEntries(
      config.Env.map((line): [string, string] => {
        const [name = '', ...value] = line.split('=');
        return [name, value.join('=')];
      }),
    );
    const script =
      'mount --bind "$0" "$0" && mount --bind "$1" "$0/data" && mount -t proc proc "$0/proc" && ' +
      'mount -o remount,bind,ro "$0" && cd "$0" && root=$0 && user=$2 && shift 2 && ' +
      'exec chroot --userspec="$user" "$root" "$@"';
    return startProgram(
      'unshare',
      ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, root, data, config.User, ...command],
      { environment: { ...own, ...more } },
    );
  };

  const newVolume = async (): Promise<string> => {
    const folder = await makeFolder();
    await run('chown', '1000:1000', folder);
    return folder;
  };

  it('runs as an ordinary user with a number, with node as process 1 and its data in a volume', () => {
    expect(config).to.deep.include({ User: '1000:1000', Entrypoint: ['node', '/service/dist/app/main.js'] });
    expect(config.Cmd).to.deep.equal(['serve']);
    expect(Object.keys(config.Volumes).map((path) => path.replace(/\/$/, ''))).to.deep.equal(['/data']);
  });

  it('has labels of the Open Container Initiative, with the version of the package', () => {
    const { version } = decodeOrThrow(
      t.type({ version: t.string }),
      JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')),
    );
    expect(config.Labels).to.include({
      'org.opencontainers.image.title': 'animal-store',
      'org.opencontainers.image.version': version,
    });
  });

  it('has the files that messages of the service name', () => {
    for (const path of ['docs/postgresql.md', 'docs/configuration.md', 'deploy/postgres/grants.sql']) {
      expect(existsSync(join(root, 'service', path)), path).to.equal(true);
    }
  });

  it('has the driver and the documentation page, but neither a compiler nor development packages', () => {
    for (const path of ['usr/bin/cc', 'usr/bin/make', 'usr/bin/python3', 'service/node_modules/typescript']) {
      expect(existsSync(join(root, path)), path).to.equal(false);
    }
    for (const path of [
      'service/node_modules/sqlite3/build/Release/node_sqlite3.node',
      'service/dist/adapters/web/theme.css',
    ]) {
      expect(existsSync(join(root, path)), path).to.equal(true);
    }
  });

  it('serves on a read-only root, is healthy, keeps its data in the volume, and stops at a SIGTERM', async () => {
    const data = await newVolume();
    const port = String(await freePort());
    const health = config.Healthcheck.Test.slice(1);
    const address = `http://127.0.0.1:${port}/v1/pets`;
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const settings = { PORT: port, API_KEYS: key };

    expect((await start(data, health, settings).ended).code).to.equal(1);
    const migrated = await start(data, ['animal-store', 'migrate'], settings).ended;
    expect(migrated, migrated.stderr).to.include({ code: 0 });
    for (const animals of [0, 1]) {
      const serving = start(data, [...config.Entrypoint, ...config.Cmd], settings);
      await eventually('it is healthy', 60_000, async () => {
        return (await start(data, health, settings).ended).code === 0;
      });
      const listed = await fetch(address, { headers });
      expect(await listed.json()).to.have.length(animals);
      const body = '{"name":"Rex","categoryId":7}';
      expect((await fetch(address, { method: 'POST', headers, body })).status).to.equal(201);
      await run('sh', '-c', `kill -TERM $(cat /proc/${String(serving.pid)}/task/*/children)`);
      expect((await serving.ended).code, serving.stderr()).to.equal(0);
    }
  });
});
