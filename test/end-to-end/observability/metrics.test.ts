import { expect } from 'chai';
import { createPet, holdCreate, idOf, keepAliveAgent, listPets } from '../../support/http/client';
import { growth, readMetrics } from '../../support/service/read-metrics';
import { exchangeBytes, getRequest, headOf } from '../../support/http/raw-connection';
import { serveInProcess, whileServing } from '../../support/service/serve-in-process';
import type { RunningService } from '../../support/service/service-process';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const key = 'first-key-of-the-tests';
const other = 'second-key-of-the-tests';
const json = '{"name":"Rex","categoryId":7}';

const requests = 'http_server_request_duration_seconds_count';
const unauthorized = 'animal_store_unauthorized_requests_total';
const rejections = 'animal_store_rejections_total';

const rejected = (status: number): string => `${rejections}{http_response_status_code="${status}"}`;

const counted = (method: string, route: string, status: number): string =>
  `${requests}{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"}`;

const operations = 'db_client_operation_duration_seconds_count';

const operationCount = (name: string): string => `${operations}{db_operation_name="${name}"}`;

const send = (address: string, method: string, path: string, shown = key): Promise<Response> =>
  fetch(`${address}${path}`, { method, headers: { Authorization: `Bearer ${shown}` } });

/** Sends method and path unchanged. fetch would normalise the path and reject some methods. */
const sendRaw = (address: string, method: string, path: string) =>
  exchangeBytes(
    address,
    headOf(`${method} ${path} HTTP/1.1`, 'Host: a', 'Connection: close', `Authorization: Bearer ${key}`),
  );

const settings = { API_KEYS: `${key},${other}`, ADMIN_PORT: '0' };

describe('The metrics of a service on SQLite', () => {
  let service: RunningService;

  before('start the service', async () => {
    service = await serveInProcess({ ...settings, DATABASE_URL: `sqlite:${await newDatabaseFile()}` });
  });
  after(() => service.stop());
  after(removeFolders);

  it('are Prometheus text on a port of their own, and nowhere else', async () => {
    const admin = await service.adminAddress();
    const response = await send(admin, 'GET', '/metrics');
    expect(response.status).to.equal(200);
    expect(response.headers.get('Content-Type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
    const statuses = async (address: string, paths: ReadonlyArray<string>) =>
      Promise.all(paths.map(async (path) => (await send(address, 'GET', path)).status));
    expect(await statuses(admin, ['/livez', '/readyz', '/v1/pets', '/docs', '/'])).to.deep.equal([
      200, 200, 404, 404, 404,
    ]);
    expect(await statuses(service.address, ['/livez', '/readyz', '/metrics'])).to.deep.equal([200, 200, 404]);
  });

  it('have what may happen at 0 before it has: failures, rejections, operations of the database', async () => {
    const samples = await readMetrics(service);
    for (const [method, route, success] of [
      ['GET', '/v1/pets', 200],
      ['POST', '/v1/pets', 201],
      ['GET', '/v1/pets/:petId', 200],
    ] as const) {
      for (const status of [success, 500, 503]) {
        expect(samples.get(counted(method, route, status)), `${method} ${route} ${status}`).to.equal(0);
      }
    }
    for (const status of [400, 405, 408, 413, 417, 431, 505]) {
      expect(samples.get(rejected(status))).to.equal(0);
    }
    for (const reason of ['missing_key', 'malformed_key', 'unknown_key', 'expired_key', 'revoked_key']) {
      expect(samples.get(`${unauthorized}{reason="${reason}"}`), reason).to.equal(0);
    }
    for (const operation of ['list', 'find', 'create']) {
      expect(samples.get(operationCount(operation))).to.equal(0);
    }
  });

  it('show whether it is ready, what runs, and what its database takes', async () => {
    const samples = await readMetrics(service);
    const own = [...samples].filter(([name]) => name.startsWith('animal_store_'));
    const gauges = Object.fromEntries(own.filter(([name]) => !name.includes('{') && !name.includes('total')));
    expect(samples.get('animal_store_build_info{version="0.0.0-test"}')).to.equal(1);
    expect(gauges).to.include({ animal_store_ready: 1, animal_store_valid_api_keys: 2 });
    for (const name of ['database_size', 'write_ahead_log_size', 'disk_available']) {
      expect(gauges[`animal_store_${name}_bytes`], name).to.be.above(0);
    }
  });

  it('count each request once, by route, method and status', async () => {
    const caller = { address: service.address, key };
    const before = await readMetrics(service);
    const { text } = await createPet(caller, json);
    await createPet(caller, json);
    await createPet(caller, '{}');
    await listPets(caller, '?limit=1');
    await listPets(caller, '?limit=2');
    await listPets(caller, '?limit=0');
    await listPets({ ...caller, key: 'wrong-key' });
    await send(service.address, 'HEAD', '/v1/pets');
    await send(service.address, 'GET', `/v1/pets/${idOf(text)}`);
    await send(service.address, 'GET', '/v1/nothing');
    await send(service.address, 'GET', '/livez');
    await exchangeBytes(service.address, 'no HTTP\r\n\r\n');
    await exchangeBytes(service.address, getRequest('/livez', 'Expect: the-unexpected'));
    const after = await readMetrics(service);
    expect(growth(before, after, requests)).to.deep.equal({
      [counted('POST', '/v1/pets', 201)]: 2,
      [counted('POST', '/v1/pets', 400)]: 1,
      [counted('GET', '/v1/pets', 200)]: 2,
      [counted('GET', '/v1/pets', 400)]: 1,
      [counted('GET', '/v1/pets', 401)]: 1,
      [counted('HEAD', '/v1/pets', 200)]: 1,
      [counted('GET', '/v1/pets/:petId', 200)]: 1,
      [counted('GET', '', 404)]: 1,
      [counted('GET', '/livez', 200)]: 1,
    });
    expect(growth(before, after, unauthorized)).to.deep.equal({
      [`${unauthorized}{reason="unknown_key"}`]: 1,
    });
    expect(growth(before, after, rejections)).to.deep.equal({ [rejected(400)]: 1, [rejected(417)]: 1 });
  });

  it('show what is in flight, and not themselves', async () => {
    const active = async () => (await readMetrics(service)).get('http_server_active_requests');
    expect(await active()).to.equal(0);
    const agent = keepAliveAgent();
    const held = await holdCreate({ address: service.address, key }, json, agent);
    expect(await active()).to.equal(1);
    held.sendRest();
    expect((await held.answer).status).to.equal(201);
    agent.destroy();
    expect(await active()).to.equal(0);
  });

  it('count the operations that reach a database, of which requests share some', async () => {
    const caller = { address: service.address, key };
    const before = await readMetrics(service);
    for (let call = 0; call < 3; call += 1) await createPet(caller, json);
    await listPets(caller);
    await Promise.all(Array.from({ length: 20 }, () => send(service.address, 'GET', '/v1/pets/1')));
    const counts = growth(before, await readMetrics(service), operations);
    const { [operationCount('find')]: finds, ...others } = counts;
    expect(others).to.deep.equal({ [operationCount('create')]: 3, [operationCount('list')]: 1 });
    expect(finds).to.be.within(1, 20);
  });

  it('show the pools, the event loop and the process', async () => {
    const samples = await readMetrics(service);
    const pools = [...samples.keys()].filter((name) => name.startsWith('db_client_connection')).toSorted();
    const series = ['reads', 'writes'].flatMap((pool) => [
      `db_client_connections{db_client_connection_pool_name="${pool}",db_client_connection_state="idle"}`,
      `db_client_connections{db_client_connection_pool_name="${pool}",db_client_connection_state="used"}`,
      `db_client_connection_pending_requests{db_client_connection_pool_name="${pool}"}`,
    ]);
    expect(pools).to.deep.equal(series.toSorted());
    expect(samples.get('nodejs_eventloop_lag_p99_seconds')).to.be.above(0);
    expect(samples.get('process_resident_memory_bytes')).to.be.above(1e6);
    expect(samples.get('process_cpu_seconds_total')).to.be.above(0);
    const startedAt = samples.get('process_start_time_seconds') ?? 0;
    expect(Date.now() / 1000 - startedAt).to.be.within(0, 3_600);
  });

  it('get no series from hostile paths, and one for each method that Node knows', async () => {
    const before = await readMetrics(service);
    for (let index = 0; index < 5; index += 1) {
      for (const path of [
        ...[`/v1/pets/${index}${'9'.repeat(30)}`, `/v1/pets/%22%7D%0A${index}`, `/v1/pets?x=${index}`],
        ...[`/v1/${index}`, `/${index}{a="b"}`, `/metrics/${index}`],
      ]) {
        await sendRaw(service.address, 'GET', path);
      }
    }
    for (const method of ['PROPFIND', 'INVENTED']) await sendRaw(service.address, method, '/v1/pets');
    expect(growth(before, await readMetrics(service), requests)).to.deep.equal({
      [counted('GET', '/v1/pets/:petId', 404)]: 10,
      [counted('GET', '', 404)]: 15,
      [counted('GET', '/v1/pets', 200)]: 5,
      [counted('PROPFIND', '', 405)]: 1,
    });
  });
});

describe('The metrics of a service in memory', () => {
  it('have nothing of a database', () =>
    whileServing(settings, async (service) => {
      const names = [...(await readMetrics(service)).keys()];
      const gauges = names.filter((name) => /^(?:animal_store_(?!.*(?:\{|total))|db_client_conn)/.test(name));
      expect(gauges).to.have.members([
        ...['animal_store_ready', 'animal_store_open_connections', 'animal_store_valid_api_keys'],
      ]);
    }));
});
