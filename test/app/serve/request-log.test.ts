import { expect } from 'chai';
import { eventually } from '../../support/eventually';
import { call, createPet } from '../../support/http/client';
import { connectTo } from '../../support/http/raw-connection';
import { type LogLine, logLines } from '../../support/service/log-lines';
import { serveInProcess, whileServing } from '../../support/service/serve-in-process';
import type { RunningService } from '../../support/service/service-process';

const key = 'secret-key-of-the-tests';
const keyId = /^env-[0-9a-f]{16}$/;

describe('The log of requests', () => {
  let service: RunningService;

  /** Waits until the line `request` of a request is logged, and returns all log lines with its id. */
  const linesOf = async (requestId: string): Promise<ReadonlyArray<LogLine>> => {
    const lines = () => logLines(service.stdout()).filter((line) => line['requestId'] === requestId);
    await eventually(`a line of ${requestId}`, 20_000, () => lines().some(({ msg }) => msg === 'request'));
    return lines();
  };

  const get = async (path: string, requestId: string, headers: Readonly<Record<string, string>> = {}) => {
    await call(`${service.address}${path}`, { key, headers: { 'X-Request-Id': requestId, ...headers } });
    return linesOf(requestId);
  };

  before('start the service', async () => {
    service = await serveInProcess({ API_KEYS: key, LOG_LEVEL: 'debug' });
  });

  it('has one line for a request, with its identity and result, and nothing else', async () => {
    const lines = await get('/v1/pets?limit=3', 'one');
    expect(lines).to.have.lengthOf(1);
    const [{ time, milliseconds, keyId: id, owner, ...rest } = {}] = lines;
    expect(rest).to.deep.equal({
      level: 'info',
      method: 'GET',
      path: '/v1/pets',
      route: '/v1/pets',
      status: 200,
      requestId: 'one',
      clientAddress: '127.0.0.1',
      msg: 'request',
    });
    expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(milliseconds).to.be.within(0, 60_000);
    expect(id).to.match(keyId);
    expect(owner, 'a key of API_KEYS is its own owner').to.equal(id);
  });

  it('has the id in the first key, which is not of API_KEYS, for a store in memory', () =>
    whileServing({ API_KEYS: '', DATABASE_URL: 'memory:' }, async ({ address, firstKey, stdout }) => {
      await call(`${address}/v1/pets`, { key: firstKey });
      await eventually('the request is logged', 20_000, () => stdout().includes('"msg":"request"'));
      const line = logLines(stdout()).find(({ msg }) => msg === 'request');
      expect(line?.['keyId']).to.match(/^[0-9a-f]{16}$/);
      expect(firstKey).to.include(`animals_${String(line?.['keyId'])}_`);
    }));

  it('has the id of the animal that a create has added', async () => {
    const headers = { 'X-Request-Id': 'created', 'Idempotency-Key': 'k' };
    const body = '{"name":"Rex","categoryId":7}';
    const { text } = await call(`${service.address}/v1/pets`, { method: 'POST', key, body, headers });
    const [line] = await linesOf('created');
    expect(text).to.include(`"id":${String(line?.['petId'])},`);
  });

  it('names unknown parameters at level debug, but never their values', async () => {
    const [line] = await get('/v1/pets?limit=3&token=in-the-query', 'debug');
    expect(line).to.include({ unknownFields: '"token"' });
    expect(service.stdout()).not.to.include('in-the-query');
    await whileServing({ API_KEYS: key }, async ({ address, stdout }) => {
      await call(`${address}/v1/pets?token=in-the-query`, { key });
      await eventually('the request is logged', 20_000, () => stdout().includes('"msg":"request"'));
      expect(stdout()).not.to.include('token');
    });
  });

  it('has the reason instead of a key id if the API key is invalid, and no route if no operation has the path', async () => {
    const [refused] = await get('/v1/pets', 'wrong', { Authorization: 'Bearer another-secret' });
    const reason = { code: 'unauthorized', reason: 'unknown_key' };
    expect(refused)
      .to.include({ status: 401, route: '/v1/pets', ...reason })
      .and.not.have.property('keyId');
    const [unknown] = await get('/v1/nothing', 'unknown');
    expect(unknown).to.include({ status: 404, path: '/v1/nothing' }).and.not.have.property('route');
    expect(unknown?.['keyId']).to.match(keyId);
  });

  it('has only the path of an absolute request target', async () => {
    const connection = connectTo(service.address);
    connection.send(
      'GET http://user:in-the-target@host/v1/pets?a=b HTTP/1.1\r\nHost: host\r\n' +
        'X-Request-Id: absolute\r\nConnection: close\r\n\r\n',
    );
    await connection.closed();
    expect((await linesOf('absolute'))[0]).to.include({ path: '/v1/pets', status: 401 });
  });

  it('reports a client that left before the response', async () => {
    const connection = connectTo(service.address);
    connection.send(
      `POST /v1/pets HTTP/1.1\r\nHost: host\r\nX-Request-Id: left\r\nAuthorization: Bearer ${key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n',
    );
    await connection.received(/100 Continue/);
    connection.reset();
    const lines = await linesOf('left');
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.include({ level: 'info', status: 499, route: '/v1/pets' });
  });

  it('never contains a key, a query, a header or a body', async () => {
    await createPet({ ...service, key }, '{"name":"in-the-body","categoryId":7}');
    await createPet({ ...service, key }, '{"name":"in-the-body","categoryId":7.5}');
    await createPet({ ...service, key }, '"in-the-body');
    await get('/v1/pets?limit=in-the-query', 'last', { 'X-Secret': 'in-a-header' });
    const { stdout, stderr } = await service.stop();
    expect(stdout + stderr).to.not.match(/secret|in-the|in-a/);
  });
});
