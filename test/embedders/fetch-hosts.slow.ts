import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '../support/eventually';
import { isRefused, newPet } from '../support/http/client';
import { killPrograms, projectFolder, startProgram } from '../support/processes/command';
import { freePort } from '../support/processes/system';
import { removeFolders } from '../support/temporary-folder';
import { embedderFolder, toolFolder } from './support/embedder-folder';
import { type Command, handle, hosts, key } from './support/fetch-hosts';
import { programs } from './support/programs';

const authorization = { Authorization: `Bearer ${key}` };
const json = { ...authorization, 'Content-Type': 'application/json' };

/** Sends chunks without a Content-Length. Resolves to the status of the response. */
const sendChunks = (url: string, count: number, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: 'POST', headers: json });
    sent.once('error', reject);
    sent.once('response', (response) => {
      text(response).then(() => {
        resolve(response.statusCode ?? 0);
      }, reject);
    });
    for (let index = 0; index < count; index += 1) sent.write(Buffer.alloc(10_000, ' '));
    sent.end();
  });

/** Checks the responses of a host whose store is empty. */
const checkHost = async (pets: string): Promise<void> => {
  const send = (path: string, init: RequestInit = {}) =>
    fetch(pets + path, { ...init, headers: init.body === undefined ? authorization : json });
  const names = ['Rex', 'Tom'];
  for (const name of names) {
    const created = await send('', { method: 'POST', body: newPet(name) });
    expect(created.status, await created.clone().text()).to.equal(201);
    expect(created.headers.get('Cache-Control')).to.equal('no-store');
    const location = new URL(created.headers.get('Location') ?? '', created.url);
    expect(await (await fetch(location, { headers: authorization })).json()).to.include({ name });
  }
  const first = await send('?limit=1');
  const [, next = ''] = /^<(.*)>; rel="next"$/.exec(first.headers.get('Link') ?? '') ?? [];
  expect(await (await send(next)).json()).to.have.nested.property('[0].name', 'Tom');
  const { length } = await first.text();
  const head = await send('?limit=1', { method: 'HEAD' });
  expect(head.status).to.equal(200);
  // Next sends no Content-Length.
  expect(head.headers.get('Content-Length') ?? String(length)).to.equal(String(length));
  expect(await (await fetch(pets)).json()).to.include({ code: 'unauthorized' });

  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses = new Set<number>();
  for (let count = 0; count < 20; count += 1) statuses.add(await sendChunks(pets, 30, agent));
  agent.destroy();
  expect([...statuses], 'statuses of bodies that are too large').to.deep.equal([413]);
  expect((await send('')).status).to.equal(200);
};

const inFolder = (folder: string, port: number) => ({
  folder,
  environment: {
    HOME: folder,
    DENO_DIR: join(folder, 'deno'),
    HOST: '127.0.0.1',
    PORT: String(port),
    NEXT_TELEMETRY_DISABLED: '1',
  },
});

const write = async (folder: string, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
};

const run = async (folder: string, port: number, [program, ...rest]: Command): Promise<void> => {
  const { code, stdout, stderr } = await startProgram(program, rest, inFolder(folder, port)).ended;
  expect(code, stdout + stderr).to.equal(0);
};

/** Starts a host, calls `check` once the host listens, and stops the host. */
const whileServing = async (
  folder: string,
  port: number,
  [program, ...rest]: Command,
  check: () => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const options = inFolder(folder, port);
  const running = startProgram(program, rest, {
    ...options,
    environment: { ...options.environment, ...environment },
  });
  const address = `http://127.0.0.1:${port}`;
  try {
    await eventually(`the host listens`, 60_000, async () => !(await isRefused(address)));
    await check();
  } catch (error) {
    throw new Error(running.stdout() + running.stderr(), { cause: error });
  } finally {
    running.signal('SIGKILL');
    await running.ended;
  }
};

describe('The routes as a function from a Request to a Response', () => {
  after(removeFolders);
  afterEach(killPrograms);

  for (const [name, { packages = [], files, builds = [], start, own }] of Object.entries(hosts)) {
    const [program] = start(0);
    const isThere = existsSync(program);
    const title = `are whole on ${name}, by the line of docs/embedding.md`;
    (isThere ? it : it.skip)(
      isThere ? title : `${title} (skipped: not installed for this platform)`,
      async () => {
        const port = await freePort();
        const folder = await embedderFolder(...packages);
        const texts = { 'handle.mjs': handle, ...files(port) };
        await write(
          folder,
          Object.fromEntries(
            Object.entries(texts).map(([file, content]) => [file, content.replaceAll('3000', String(port))]),
          ),
        );
        for (const build of builds) await run(folder, port, build);
        const pets = `http://127.0.0.1:${port}/v1/pets`;
        await whileServing(folder, port, start(port), async () => {
          await checkHost(pets);
          if (own !== undefined) expect((await fetch(pets, own[0])).status).to.equal(own[1]);
        });
      },
    );
  }

  it('are built by Next without the key and without a database, and are whole then', async () => {
    const port = await freePort();
    const folder = await embedderFolder('next', 'react', 'react-dom', 'knex', 'sqlite3');
    const texts = programs('docs/embedding.md');
    const next = [process.execPath, toolFolder('next/dist/bin/next')] as const;
    await write(folder, {
      'package.json': '{"private":true}',
      'app/layout.jsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;',
      ...Object.fromEntries(
        ['store.mjs', 'next.config.mjs', 'app/api/v1/pets/route.js', 'app/api/v1/pets/[petId]/route.js'].map(
          (name) => [name, texts[name] ?? ''],
        ),
      ),
    });
    await run(folder, port, [...next, 'build', '--webpack']);
    expect(existsSync(join(folder, 'animals.sqlite3')), 'a database of the build').to.equal(false);
    await whileServing(
      folder,
      port,
      [...next, 'start', '--port', String(port)],
      async () => {
        await checkHost(`http://127.0.0.1:${port}/api/v1/pets`);
        const put = await fetch(`http://127.0.0.1:${port}/api/v1/pets`, { method: 'PUT' });
        expect([put.status, await put.text()]).to.deep.equal([405, '']);
      },
      { SHELTER_KEY: key },
    );
  });

  it('compile in a program without the types of Node', async () => {
    const folder = await embedderFolder();
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: false, module: 'nodenext', target: 'ES2022' },
      ...{ lib: ['ES2022', 'DOM'], types: [] },
    };
    await write(folder, {
      'package.json': '{"type":"module"}',
      'handle.ts': handle,
      'tsconfig.json': JSON.stringify({ compilerOptions }),
    });
    const compiler = join(projectFolder, 'node_modules/typescript/bin/tsc');
    await run(folder, 0, [process.execPath, compiler]);
  });
});
