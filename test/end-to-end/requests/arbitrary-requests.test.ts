import { expect } from 'chai';
import * as fc from 'fast-check';
import { newPetFields } from '../../../core';
import { describeService } from '../../support/service/service-under-test';
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
});
