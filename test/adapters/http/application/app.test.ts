import { expect } from 'chai';
import * as TE from 'fp-ts/TaskEither';
import type { RequestEntry } from '../../../../adapters/http';
import { type Authenticate, invalidApiKey, type PetRepository, unavailable } from '../../../../core';
import { eventually } from '../../../support/eventually';
import { servePlainly } from '../../../support/http/listen';
import { key, memoryApplication } from '../../../support/http/start-server';

interface Observed {
  readonly address: string;
  readonly records: ReadonlyArray<RequestEntry>;
  readonly errors: ReadonlyArray<unknown>;
}

/** Runs a test while Node's own server serves the application. */
const withApplication = async (
  options: { readonly pets?: Partial<PetRepository>; readonly authenticate?: Authenticate },
  test: (observed: Observed) => Promise<void>,
): Promise<void> => {
  const records: Array<RequestEntry> = [];
  const errors: Array<unknown> = [];
  const { app } = memoryApplication({
    ...options,
    reporter: {
      requestEnded: (record) => records.push(record),
      requestRejected: () => undefined,
      requestFailed: (cause) => errors.push(cause),
    },
  });
  const server = await servePlainly(app.callback());
  try {
    await test({ address: server.address, records, errors });
  } finally {
    await server.close();
  }
};

const authorization = { Authorization: `Bearer ${key}` };

const listPets = (address: string, headers: Readonly<Record<string, string>> = authorization) =>
  fetch(`${address}/v1/pets`, { headers });

describe('The Koa application', () => {
  it('answers anything that a port throws with an opaque 500, and reports its cause', async () => {
    const thrown: ReadonlyArray<unknown> = [
      new Error('a secret'),
      'a secret',
      undefined,
      Object.create(null),
    ];
    let count = 0;
    const list = () => {
      const cause = thrown[count];
      count += 1;
      throw cause;
    };
    await withApplication({ pets: { list } }, async ({ address, errors }) => {
      while (count < thrown.length) {
        const response = await listPets(address);
        expect(response.headers.get('X-Request-Id')).to.be.a('string');
        expect(await response.json()).to.deep.equal({
          code: 'internal_error',
          message:
            'internal error; report it to the operator of the service with the X-Request-Id of the response, if it has one',
          status: 500,
        });
      }
      expect(errors).to.deep.equal(thrown);
    });
  });

  it('reports the code of an error, and why a 401 was one', async () => {
    await withApplication({}, async ({ address, records }) => {
      await listPets(address, {});
      await listPets(address, { Authorization: 'Bearer two words' });
      await listPets(address, { Authorization: 'Bearer Bearer k1' });
      await listPets(address, { Authorization: 'Bearer wrong' });
      await fetch(`${address}/v1/pets?limit=0`, { headers: authorization });
      await listPets(address);
      await eventually('each is reported', 5_000, () => records.length === 6);
      expect(records.map(({ status, code, reason }) => [status, code, reason])).to.deep.equal([
        [401, 'unauthorized', 'missing_key'],
        [401, 'unauthorized', 'malformed_key'],
        [401, 'unauthorized', 'malformed_key'],
        [401, 'unauthorized', 'unknown_key'],
        [400, 'invalid_query', undefined],
        [200, undefined, undefined],
      ]);
    });
    const authenticate = () => TE.left(invalidApiKey('revoked'));
    await withApplication({ authenticate }, async ({ address, records }) => {
      await listPets(address);
      await eventually('it is reported', 5_000, () => records.length === 1);
      expect(records[0]).to.include({ status: 401, reason: 'revoked_key' });
    });
  });

  it('reports the first 1,000 characters of a path', () =>
    withApplication({}, async ({ address, records }) => {
      await fetch(`${address}/${'x'.repeat(10_000)}`);
      await eventually('it is reported', 5_000, () => records.length === 1);
      expect(records[0]?.path).to.equal(`/${'x'.repeat(999)}…`);
    }));

  it('reports a 503 with owner, path and code, and its cause apart', async () => {
    const cause = new Error('the database is gone');
    const pets = { list: () => TE.left(unavailable(cause)) };
    await withApplication({ pets }, async ({ address, records, errors }) => {
      expect((await listPets(address)).headers.get('Retry-After')).to.equal('1');
      await eventually('it is reported', 5_000, () => records.length === 1);
      expect(records[0]).to.include({ status: 503, code: 'unavailable', path: '/v1/pets' });
      expect(records[0]?.owner).to.be.a('string');
      expect(errors).to.deep.equal([cause]);
    });
  });
});
