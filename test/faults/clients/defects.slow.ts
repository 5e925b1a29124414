import { expect } from 'chai';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type SqlStore, sqlStores } from '../../support/databases/databases';
import {
  type Answer,
  type Call,
  call,
  environmentOf,
  holdCreate,
  keepAliveAgent,
  owner,
} from '../../support/http/client';
import { logLines } from '../../support/service/log-lines';
import { killServices, startService } from '../../support/service/service-process';
import { goodClient } from '../support/clients';

const opaque = JSON.stringify({
  code: 'internal_error',
  message:
    'internal error; report it to the operator of the service with the X-Request-Id of the response, if it has one',
  status: 500,
});

const kinds = ['error', 'text', 'nothing', 'object'];

const goodClients = 6;
const rounds = 5;

interface Request extends Call {
  readonly path: string;
}

/** Requests whose handler meets a defect: before, during or after its work. */
const defective: ReadonlyArray<Request> = [
  ...kinds.map((kind) => ({ path: `/v1/pets?x=a-defect-of-kind-${kind}` })),
  ...kinds.map((kind) => ({
    path: '/v1/pets',
    method: 'POST' as const,
    body: `{"name":"a-defect-of-kind-${kind}","categoryId":1}`,
  })),
  { path: '/v1/pets/777' },
  { path: '/v1/pets?after=776&limit=1' },
];

const meetDefects = async ({ databaseUrl, open }: SqlStore): Promise<void> => {
  const service = await startService({
    ...environmentOf(databaseUrl),
    LOG_LEVEL: 'info',
    NODE_OPTIONS: `--import ${pathToFileURL(join(__dirname, '../support/defects.mjs')).href}`,
  });
  const caller = { address: service.address, key: owner };
  const { writes, close } = open();
  await writes('pets').insert({ id: 777, name: 'Rex', category_id: '7777777777' });
  await close();

  const clients = Array.from({ length: goodClients }, () => goodClient(caller));
  const held = await holdCreate(caller, '{"name":"held","categoryId":1}', keepAliveAgent());
  const answers: Array<Answer> = [];
  for (let round = 0; round < rounds; round += 1) {
    const asked = defective.map(({ path, ...request }, place) =>
      call(`${caller.address}${path}`, {
        ...request,
        key: owner,
        headers: { 'X-Request-Id': `defect-${round}-${place}` },
      }),
    );
    answers.push(...(await Promise.all(asked)));
  }
  held.sendRest();
  expect((await held.answer).status).to.equal(201);
  await Promise.all(clients.map(({ end }) => end()));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).to.deep.equal(
    new Set([`500 ${opaque}`]),
  );

  const { stdout, stderr, code } = await service.stop();
  expect([code, stderr.trim().split('\n').length]).to.deep.equal([0, 1]);
  const lines = logLines(stdout);
  for (const { headers } of answers) {
    const own = lines.filter(({ requestId }) => requestId === headers['x-request-id']);
    expect(own.map(({ msg, status }) => [msg, status])).to.have.deep.members([
      ['request failed', undefined],
      ['request', 500],
    ]);
    expect(own.find(({ msg }) => msg === 'request failed'))
      .to.have.nested.property('err.stack')
      .that.matches(/\n\s+at /);
  }
  const failures = lines.filter(({ level, msg }) => Number(level) >= 50 && msg !== 'request');
  expect(failures, 'log lines of failures').to.have.length(answers.length);
};

describe('A defect in a handler', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    it(`is one 500 to one client, before, during and after the work of the handler, on ${name}`, () =>
      within(meetDefects));
  }
});
