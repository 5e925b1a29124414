import { expect } from 'chai';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectFolder, type Running, startProgram } from '../support/processes/command';
import { eventually } from '../support/eventually';
import { freePort } from '../support/processes/system';
import { isRefused, newPet } from '../support/http/client';
import { servePlainly } from '../support/http/listen';
import { removeFolders } from '../support/temporary-folder';
import { embedderFolder } from './support/embedder-folder';
import { programs } from './support/programs';

interface Host {
  /** Address of the host, without a path. */
  readonly address: string;
  readonly call: (path: string, init?: RequestInit) => Promise<Response>;
  readonly create: (path: string, name: string) => Promise<Response>;
  readonly running: Running;
}

/** Folder of the hosts with other frameworks, to which docs/embedding.md links. */
const examples = join(projectFolder, 'test', 'examples', 'hosts');

const migration = 'migrations/20260101_adoptions.cjs';

/** API key for the programs that read one from their environment. */
const ownKey = 'the-key-of-the-shelter';

/** Hosts that must answer a client alike, each with the path prefix of its routes. */
const hosts = [
  ['koa.mjs', ''],
  ['keys-in-database.mjs', ''],
  ['koa-mount.mjs', '/zoo'],
  ['express.mjs', '/zoo'],
  ['fastify.mjs', '/zoo'],
  ['hono.mjs', '/zoo'],
  ['nest.mjs', '/zoo'],
] as const;

const pet = (id: number, name: string) => `[{"id":${id},"name":"${name}","categoryId":9007199254740993}]`;

describe('The routes in a host of another kind', () => {
  after(removeFolders);

  const texts = {
    ...programs('docs/embedding.md'),
    ...Object.fromEntries(
      [...readdirSync(examples).filter((name) => name.endsWith('.mjs')), migration].map((name) => [
        name,
        readFileSync(join(examples, name), 'utf8'),
      ]),
    ),
  };
  let folder = '';
  before(async () => {
    folder = await embedderFolder(
      ...['koa', '@koa/router', 'knex', 'sqlite3', 'express', 'cors', 'helmet', 'fastify', '@fastify/middie'],
      ...['koa-mount', '@koa/bodyparser', '@koa/cors', '@opentelemetry', 'hono', '@hono/node-server'],
      ...['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', 'reflect-metadata', 'rxjs'],
    );
    await mkdir(join(folder, 'migrations'));
    for (const name of ['store.mjs', migration]) await writeFile(join(folder, name), texts[name] ?? '');
  });

  /** Runs a program of docs/embedding.md on a new database, possibly with a changed text. */
  const withHost = async (
    name: string,
    test: (host: Host) => Promise<void>,
    change: (text: string) => string = (text) => text,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    const port = String(await freePort());
    const text = change(texts[name] ?? '').replaceAll('3000', port);
    await writeFile(join(folder, name), text);
    await rm(join(folder, 'animals.sqlite3'), { force: true });
    const running = startProgram(process.execPath, [name], {
      folder,
      environment: { SHELTER_KEY: ownKey, ...environment },
    });
    const address = `http://127.0.0.1:${port}`;
    const call = (path: string, init: RequestInit = {}): Promise<Response> => {
      const headers = new Headers(init.headers);
      const key = name === 'keys-in-database.mjs' ? running.stdout().trim() : ownKey;
      headers.set('Authorization', `Bearer ${key}`);
      return fetch(new URL(path, address), { ...init, headers });
    };
    try {
      await eventually(
        `${name} listens: ${running.stderr()}`,
        30_000,
        async () => !(await isRefused(address)),
      );
      const create: Host['create'] = (path, petName) =>
        call(path, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: newPet(petName),
        });
      await test({ address, call, create, running });
    } finally {
      running.signal('SIGKILL');
      await running.ended;
    }
  };

  for (const [name, prefix] of hosts) {
    it(`are whole in ${name}: links that hold, Error bodies, and the host's own pages`, () =>
      withHost(name, async ({ address, call, create }) => {
        const pets = `${prefix}/v1/pets`;
        for (const petName of ['Rex', 'Tom', 'Ada']) {
          const created = await create(pets, petName);
          expect(created.status).to.equal(201);
          const location = new URL(created.headers.get('Location') ?? '', created.url);
          expect(await (await call(location.href)).json()).to.include({ name: petName });
        }

        const listed: Array<string> = [];
        for (let path = `${pets}?limit=1`; path !== '';) {
          const response = await call(path);
          listed.push((await response.text()).trim());
          const next = /^<(.*)>; rel="next"$/.exec(response.headers.get('Link') ?? '')?.[1];
          path = next === undefined ? '' : new URL(next, response.url).href;
        }
        expect(listed).to.deep.equal([pet(1, 'Rex'), pet(2, 'Tom'), pet(3, 'Ada')]);

        expect(await (await fetch(address + pets)).json()).to.include({ code: 'unauthorized', status: 401 });
        const unknown = await (await call(`${prefix}/v1/nothing`)).text();
        expect(unknown).to.equal(/express|fastify|nest/.test(name) ? 'Not Found' : 'a page of the host');
        expect(await (await fetch(address)).text()).to.equal('a page of the host');
      }));
  }

  for (const [name, prefix] of [
    ['koa.mjs', ''],
    ['hono.mjs', '/zoo'],
    ['nest.mjs', '/zoo'],
  ] as const) {
    it(`answer a create that arrives while a SIGTERM stops ${name}, which then ends`, () =>
      withHost(name, async ({ address, running }) => {
        const body = newPet('Rex');
        const sent = request(`${address}${prefix}/v1/pets`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${ownKey}`,
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(body),
            Expect: '100-continue',
          },
        });
        sent.flushHeaders();
        await once(sent, 'continue');
        running.signal('SIGTERM');
        await eventually('the host accepts no connections', 10_000, () => isRefused(address));
        const answered = new Promise<IncomingMessage>((resolve) => sent.once('response', resolve));
        sent.end(body);
        const response = await answered;
        expect(response.statusCode, await text(response)).to.equal(201);
        expect(await running.ended).to.include({ code: name === 'nest.mjs' ? null : 0, stderr: '' });
      }));
  }

  it('list their headers for pages of other origins, and tell the host who called', () =>
    withHost('koa.mjs', async ({ address, call, running }) => {
      const origin = { Origin: 'https://a.host' };
      const listed = await call('/v1/pets', { headers: origin });
      expect(listed.headers.get('Access-Control-Allow-Origin')).to.equal('*');
      expect(listed.headers.get('Access-Control-Expose-Headers')).to.include('Link,Location,');
      const preflight = await fetch(`${address}/v1/pets`, {
        method: 'OPTIONS',
        headers: { ...origin, 'Access-Control-Request-Method': 'POST' },
      });
      expect(preflight.status).to.equal(204);
      expect(preflight.headers.get('Access-Control-Allow-Methods')).to.include('POST');
      expect(running.stdout()).to.match(/^GET \/v1\/pets 200 shelter shelter\n/);
    }));

  it('have traces of OpenTelemetry in a program of ES modules, with the options of docs/operations.md', async () => {
    const [, options = ''] =
      /NODE_OPTIONS='(.*--experimental-loader.*)'/.exec(
        readFileSync(join(projectFolder, 'docs/operations.md'), 'utf8'),
      ) ?? [];
    let traces = '';
    const collector = await servePlainly(async (request, response) => {
      traces += await text(request);
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
    const environment = {
      NODE_OPTIONS: options,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_NODE_RESOURCE_DETECTORS: 'none',
    };
    const list = async ({ call }: Host): Promise<void> => {
      expect((await call('/v1/pets')).status).to.equal(200);
      await eventually('the span has the route', 60_000, () => traces.includes('"GET /v1/pets"'));
    };
    await withHost('koa.mjs', list, undefined, environment);
    await collector.close();
  });

  /** Rolls the migrations of the host back with knex's own command. */
  const rollBack = async (): Promise<void> => {
    const script = `
      const knex = require('knex')({
        client: 'sqlite3', connection: { filename: 'shelter.sqlite3' }, useNullAsDefault: true,
        migrations: { directory: './migrations' },
      });
      knex.migrate.rollback().then(() => knex.destroy());`;
    const { code, stderr } = await startProgram(process.execPath, ['--eval', script], { folder }).ended;
    expect(code, stderr).to.equal(0);
  };

  it('share a database with a host that has migrations of its own, and commit with its rows', async () => {
    await withHost('own-database.mjs', async ({ call }) => {
      expect(await (await call('/?name=Rex&adopter=Ada&attempt=1')).text()).to.equal('Ada takes animal 1');
      expect((await call('/?name=Rex&adopter=Bob&attempt=1')).status).to.equal(500);
      expect(await (await call('/v1/pets')).json()).to.have.lengthOf(1);
    });
    // Rolling the host's own migrations back must keep the animals.
    await rollBack();
    await withHost('own-database.mjs', async ({ call }) => {
      expect(await (await call('/v1/pets')).json()).to.deep.equal([{ id: 1, name: 'Rex', categoryId: 7 }]);
      expect(await (await call('/?name=Tom&adopter=Bob&attempt=2')).text()).to.equal('Bob takes animal 2');
    });
  });
});
