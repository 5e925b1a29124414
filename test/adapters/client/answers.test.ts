import { expect } from 'chai';
import { type AnimalStoreError } from '../../../adapters/client';
import { errorStatuses } from '../../../adapters/failures';
import { describeFailure } from '../../../adapters/http/operations/errors';
import { exampleFailures } from '../../support/openapi/example-failures';
import { against, answer, failure, once, rex, stored } from './answering-server';

describe('An answer to the client', () => {
  it('has one of the codes that the client knows, with its status', () => {
    const answers = Object.values(exampleFailures).map(describeFailure);
    expect(errorStatuses).to.deep.equal(
      Object.fromEntries(answers.map(({ code, status }) => [code, status])),
    );
  });

  it('that is an Error becomes an AnimalStoreError', async () => {
    const { outcome } = await against([failure(429, 'rate_limited', { 'Retry-After': '30' })], (client) =>
      client.create(rex, { ...once, idempotencyKey: 'one' }),
    );
    expect(outcome).to.be.an.instanceOf(Error).and.include({
      name: 'AnimalStoreError',
      code: 'rate_limited',
      message: 'a message',
      status: 429,
      requestId: 'r1',
      retryAfterMs: 30_000,
      attempts: 1,
      idempotencyKey: 'one',
    });
  });

  it('without the animal that was asked for has the id of the request in its error', async () => {
    const page = answer(200, `[${stored}]`, { 'X-Request-Id': 'r1' });
    const { outcome } = await against([page], (client) => client.get(404n));
    expect(outcome).to.include({ code: 'pet_not_found', requestId: 'r1', status: 404 });
  });

  for (const [status, code] of [
    [408, 'request_timeout'],
    [409, 'idempotency_key_in_flight'],
    [429, 'rate_limited'],
    [503, 'unavailable'],
  ] as const) {
    it(`of ${status} ${code} is followed by another attempt with the same key and body`, async () => {
      const { outcome, requests } = await against([failure(status, code), answer(201, stored)], (client) =>
        client.create(rex),
      );
      expect(outcome).to.deep.equal({ id: 1n, name: 'Rex', categoryId: 7n });
      const [first, second] = requests.map(({ headers }) => headers['idempotency-key']);
      expect(first)
        .to.match(/^"\d{1,10}(?:-\d{1,10}){3}"$/)
        .and.equal(second);
    });
  }

  for (const [status, code] of [
    [400, 'invalid_body'],
    [401, 'unauthorized'],
    [500, 'internal_error'],
  ] as const) {
    it(`of ${status} ${code} ends the call`, async () => {
      const { outcome, requests } = await against([failure(status, code)], (client) => client.create(rex));
      expect(outcome).to.include({ code, status });
      expect(requests).to.have.lengthOf(1);
    });
  }

  it('that says to wait longer than the budget ends the call at once', async () => {
    const began = performance.now();
    const { outcome } = await against([failure(503, 'unavailable', { 'Retry-After': '60' })], (client) =>
      client.create(rex),
    );
    expect(outcome).to.include({ code: 'unavailable', attempts: 1, retryAfterMs: 60_000 });
    expect(performance.now() - began).to.be.below(2_000);
  });

  for (const [name, response] of Object.entries({
    'an HTML page': answer(200, `<html>${'x'.repeat(1_000)}`),
    'an error without a known code': failure(418, 'no_such_code'),
    'an error with the code of an aborted call': failure(400, 'aborted'),
    'a redirect': answer(302, '', { Location: '/elsewhere' }),
    'an animal with a fraction as its id': answer(201, '{"id":1.5,"name":"Rex","categoryId":7}'),
    'a pet whose id is a string': answer(201, '{"id":"5","name":"Rex","categoryId":7}'),
    'a page of nothing': answer(200, 'null'),
    nothing: answer(204, ''),
  })) {
    it(`that is ${name} is unexpected, and shows its status and first bytes`, async () => {
      const { outcome, requests } = await against([response], (client) => client.create(rex));
      expect(outcome).to.include({ code: 'unexpected_response', attempts: 1 });
      expect(outcome)
        .to.have.property('message')
        .that.matches(/^unexpected response with status \d{3}: /)
        .and.has.lengthOf.below(300);
      expect(requests).to.have.lengthOf(1);
    });
  }

  it('of a proxy whose service restarts is followed by another attempt', async () => {
    const statuses = [425, 502, 503, 504, 520, 521, 522, 523, 524, 530];
    const { outcome } = await against(
      statuses.map((status) => answer(status, `<html>error ${status}</html>`, { 'Retry-After': '60' })),
      async (client) => {
        for (const status of statuses) {
          const stop = new AbortController();
          const onRetry = ({ error }: { readonly error: AnimalStoreError }): void => {
            expect(error.message).to.include(`error ${status}`);
            stop.abort();
          };
          const limits = { signal: stop.signal, onRetry, retryForMs: Infinity };
          const error: unknown = await client.create(rex, limits).catch((reason: unknown) => reason);
          expect(error, String(status)).to.include({ code: 'aborted' });
        }
      },
    );
    expect(outcome).to.equal(undefined);
  });

  for (const status of [500, 507, 525, 526, 527])
    it(`of a proxy with the status ${status}, which a retry does not mend, ends the call`, async () => {
      const { requests } = await against([answer(status, 'x')], (client) => client.create(rex));
      expect(requests).to.have.lengthOf(1);
    });

  for (const [value, atLeastMs] of [
    ['1', 1_000],
    ['2.5', 2_500],
    ['2, 2', 2_000],
    ['2 ', 2_000],
    ['-1', 0],
    ['soon', 0],
    [new Date(Date.now() + 3_600_000).toUTCString(), 3_000_000],
  ] as const) {
    it(`with Retry-After: ${value} is repeated after the sum of it and a random pause`, async () => {
      const stop = new AbortController();
      let delayMs = 0;
      const onRetry = (retry: { readonly delayMs: number }): void => {
        delayMs = retry.delayMs;
        stop.abort();
      };
      const options = { onRetry, signal: stop.signal, retryForMs: Infinity };
      const { outcome } = await against([failure(503, 'unavailable', { 'Retry-After': value })], (client) =>
        client.page(options),
      );
      expect(outcome).to.include({ code: 'aborted', attempts: 1 });
      expect(delayMs).to.be.greaterThan(atLeastMs);
      expect(delayMs).to.be.at.most(atLeastMs < 10_000 ? atLeastMs + 400 : 3_600_400);
    });
  }
});
