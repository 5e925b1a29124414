import { expect } from 'chai';
import * as fc from 'fast-check';
import { newPetFields } from '../../../core';
import { describeService, requestBytes } from '../../support/service/service-under-test';
import { parseNextLink } from '../../support/http/client';
import { anyNewPet } from '../../support/any-pet';

const runs = (numRuns: number) => ({
  numRuns,
  interruptAfterTimeLimit: 8_000,
  markInterruptAsFailure: false,
});

const statusOf = fc.constantFrom('available', 'pending', 'sold');
const newPet = anyNewPet();

const writePet = ({ categoryId, ...pet }: Readonly<{ categoryId: bigint }>) =>
  JSON.stringify({ ...pet, categoryId: 0 }).replace(/"categoryId":0\}$/, `"categoryId":${categoryId}}`);

const bytes = (length: number) => fc.uint8Array({ maxLength: length }).map((array) => Buffer.from(array));
const latin1 = (length: number) => bytes(length).map((buffer) => buffer.toString('latin1'));
const headerValue = latin1(60).map((text) => text.replace(/[\0\r\n]/g, ' '));
const targetText = latin1(40).map((text) => text.replace(/[\0\r\n ]/g, '%'));
const escaped = fc.stringMatching(/^([a-z0-9=&?/.;:#%[\]@\\~+-]|%[0-9a-fA-F]{2}){0,40}$/);

/** Generates JSON texts that are nearly valid bodies. */
const nearJson = fc.oneof(
  fc.json(),
  fc
    .record(Object.fromEntries(Object.keys(newPetFields).map((name) => [name, fc.jsonValue()])))
    .map((value) => JSON.stringify(value)),
  fc
    .tuple(newPet.map(writePet), fc.nat(), latin1(4))
    .map(([json, at, noise]) => `${json.slice(0, at % json.length)}${noise}${json.slice(at % json.length)}`),
);

describeService('Whatever a client sends', (service) => {
  it('any list of animals is read back as that list, by pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(newPet, { maxLength: 12 }),
        fc.integer({ min: 1, max: 15 }),
        fc.option(statusOf),
        async (pets, limit, status) => {
          const { id: before } = await service.add({});
          const added = [];
          for (const pet of pets) {
            const answer = await service.create(writePet(pet));
            expect(answer.status, answer.text).to.equal(201);
            added.push(answer.pet());
          }
          expect(added.map(({ id: _, ...pet }) => pet)).to.deep.equal(pets);
          const filter = status === null ? '' : `&status=${status}`;
          const listed = [];
          for (
            let next: string | undefined = `/v1/pets?limit=${limit}&after=${before}${filter}`;
            next !== undefined;
          ) {
            const answer = await service.get(next);
            expect(answer.pets().length).to.be.most(limit);
            listed.push(...answer.pets());
            next = parseNextLink(answer.header('Link'));
          }
          expect(listed).to.deep.equal(added.filter((pet) => status === null || pet.status === status));
        },
      ),
      runs(25),
    );
  });

  afterEach('the service still answers', async () => {
    expect((await service.get('/readyz')).status).to.equal(200);
    expect((await service.add({ name: 'after' })).name).to.equal('after');
  });

  it('bytes of any kind as a body get a 201 or a 4xx', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          bytes(200),
          nearJson.map((text) => Buffer.from(text)),
        ),
        async (body) => {
          expect((await service.create(body)).status).to.be.oneOf([201, 400]);
        },
      ),
      runs(100),
    );
  });

  it('a query string of any kind gets a 200 or a 400', async () => {
    const parameter = fc.tuple(
      fc.constantFrom('limit', 'after', 'status', 'x'),
      fc.oneof(escaped, targetText),
    );
    const queries = fc.oneof(
      escaped,
      targetText,
      fc
        .array(
          parameter.map(([name, value]) => `${name}=${value}`),
          { maxLength: 4 },
        )
        .map((all) => all.join('&')),
    );
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        expect((await service.get(`/v1/pets?${query}`)).status).to.be.oneOf([200, 400]);
      }),
      runs(100),
    );
  });

  it('a path of any kind gets a 4xx, unless an operation has it', async () => {
    const starts = fc.constantFrom('/', '/v1/', '/v1/pets/', '//', 'http://', '');
    const paths = fc.tuple(starts, fc.oneof(escaped, targetText));
    await fc.assert(
      fc.asyncProperty(
        paths,
        fc.constantFrom('GET', 'POST', 'DELETE', 'OPTIONS'),
        async ([start, rest], method) => {
          const target = `${start}${rest}`.replace(/#/g, '%') || '/';
          expect((await service.request(method, target)).status).to.be.below(500);
        },
      ),
      runs(100),
    );
  });

  it('header values of any kind get the answer that the rest deserves, or a 4xx', async () => {
    const names = [
      'Authorization',
      'X-Request-Id',
      'Idempotency-Key',
      'Content-Type',
      'Content-Encoding',
      'Accept',
    ].concat(
      [
        'Expect',
        'Cookie',
        'Origin',
        'X-Forwarded-For',
        'Traceparent',
        'If-None-Match',
        'Range',
        'Forwarded',
        'TE',
      ],
      ['Accept-Encoding', 'X-HTTP-Method-Override', 'Upgrade', 'Transfer-Encoding', 'Via'],
    );
    const headers = fc.dictionary(fc.constantFrom(...names), headerValue, {
      maxKeys: 3,
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(headers, async (sent) => {
        const answer = await service.exchangeOne(
          requestBytes('POST', '/v1/pets', {
            headers: { 'Content-Type': 'application/json', ...sent },
            ...('Authorization' in sent ? { key: null } : {}),
            body: '{"name":"Rex","categoryId":7}',
          }),
          { method: 'POST', target: '/v1/pets' },
        );
        expect(answer.status).to.be.within(201, 499);
      }),
      runs(100),
    );
  });

  it('bytes of any kind in place of a request get a 4xx', async () => {
    await fc.assert(
      fc.asyncProperty(bytes(120), async (noise) => {
        const answer = await service.exchangeOne(
          Buffer.concat([Buffer.from('!'), noise, Buffer.from('\r\n\r\n')]),
          { method: '', target: '' },
        );
        expect(answer.status).to.be.within(400, 499);
      }),
      runs(50),
    );
  });
});
