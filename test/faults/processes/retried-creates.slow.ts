import { expect } from 'chai';
import {
  allPets,
  type Answer,
  createUnder,
  environmentOf,
  isReplay,
  newPet,
  owner,
  stranger,
} from '../../support/http/client';
import { fault } from '../support/fault';
import { sqlStores } from '../../support/databases/databases';
import { killServices, startService } from '../../support/service/service-process';
import { eventually } from '../../support/eventually';

const rex = newPet('Rex');

const expectReplay = (answer: Answer, first: Answer): void => {
  expect([answer.status, answer.text, isReplay(answer)]).to.deep.equal([201, first.text, true]);
};

const expectFirst = (answer: Answer): Answer => {
  expect([answer.status, isReplay(answer)], answer.text).to.deep.equal([201, false]);
  return answer;
};

const countPets = async (address: string): Promise<number> => (await allPets({ address, key: owner })).length;

for (const { name, within } of sqlStores) {
  describe(`Promise 2: a retry never makes two animals, on ${name}`, () => {
    afterEach(killServices);

    fault('the service is killed after the first answer: replay, another body, another owner', () =>
      within(async ({ databaseUrl }) => {
        const before = await startService(environmentOf(databaseUrl));
        const first = expectFirst(await createUnder(before.address, 'a', rex));
        before.signal('SIGKILL');
        await before.ended;
        const { address } = await startService(environmentOf(databaseUrl));
        expectReplay(await createUnder(address, 'a', rex), first);
        const other = await createUnder(address, 'a', newPet('Tom'));
        expect([other.status, other.text]).to.deep.equal([
          422,
          '{"code":"idempotency_key_reused","message":"this Idempotency-Key was already used for a different animal","status":422}',
        ]);
        const strangers = expectFirst(await createUnder(address, 'a', newPet('Tom'), stranger));
        expectReplay(await createUnder(address, 'a', newPet('Tom'), stranger), strangers);
        expectReplay(await createUnder(address, 'a', rex), first);
        return { requests: 6, animals: await countPets(address) };
      }),
    );

    fault('a retry while the first request waits for a lock: 409, then the first answer', () =>
      within(async ({ databaseUrl, holdWriters }) => {
        const { address } = await startService(environmentOf(databaseUrl));
        const release = await holdWriters();
        let isAnswered = false;
        const first = createUnder(address, 'slow', rex).finally(() => (isAnswered = true));
        // Which of the two comes first is theirs to settle: the first that is answered is the second.
        const second = createUnder(address, 'slow', rex).finally(() => (isAnswered = true));
        await eventually('one of two is refused', 20_000, () => isAnswered);
        await release();
        const answers = await Promise.all([first, second]);
        const refused = answers.filter(({ status }) => status === 409);
        expect(refused.map(({ text }) => text)).to.deep.equal([
          '{"code":"idempotency_key_in_flight","message":"a request with this Idempotency-Key is still in progress","status":409}',
        ]);
        const made = answers.filter(({ status }) => status === 201).map(expectFirst);
        expect(made).to.have.length(1);
        for (const answer of made) expectReplay(await createUnder(address, 'slow', rex), answer);
        return { requests: 3, refused: refused.length, animals: await countPets(address) };
      }),
    );

    fault('concurrent retries on three processes', () =>
      within(async ({ databaseUrl }) => {
        const keys = Array.from({ length: 20 }, (_, place) => `key ${place}`);
        const first = await startService(environmentOf(databaseUrl));
        const services = [
          first,
          ...(await Promise.all([1, 2].map(() => startService(environmentOf(databaseUrl))))),
        ];
        const answers = await Promise.all(
          keys.flatMap((key) =>
            services.flatMap(({ address }) => [1, 2].map(() => createUnder(address, key, newPet(key)))),
          ),
        );
        const created = answers.filter(({ status }) => status === 201);
        expect(answers.filter(({ status }) => status !== 201 && status !== 409)).to.deep.equal([]);
        expect(
          created.filter((answer) => !isReplay(answer)),
          'first answers',
        ).to.have.length(keys.length);
        expect(new Set(created.map(({ text }) => text)).size, 'different answers').to.equal(keys.length);
        const animals = await countPets(first.address);
        expect(animals).to.equal(keys.length);
        return {
          keys: keys.length,
          processes: services.length,
          requests: answers.length,
          replays: created.length - keys.length,
          'in flight': answers.length - created.length,
          animals,
        };
      }),
    );

    fault('a refused or failed create is not kept', () =>
      within(async ({ databaseUrl, holdWriters }) => {
        const { address } = await startService(environmentOf(databaseUrl));
        expect((await createUnder(address, 'a', '{"name":"Rex"}')).status).to.equal(400);
        const release = await holdWriters();
        const failed = await createUnder(address, 'a', newPet('Tom'));
        await release();
        expect([failed.status, failed.headers['retry-after']]).to.deep.equal([503, '1']);
        expectFirst(await createUnder(address, 'a', rex));
        expect((await createUnder(address, 'a', newPet('Tom'))).status).to.equal(422);
        return {
          'answered 503 after ms': Math.round(failed.milliseconds),
          animals: await countPets(address),
        };
      }),
    );

    fault('keys that expired go away by themselves', () =>
      within(async ({ databaseUrl, open }) => {
        const { address } = await startService(environmentOf(databaseUrl));
        const keys = Array.from({ length: 50 }, (_, place) => `old ${place}`);
        const first = await Promise.all(keys.map((key) => createUnder(address, key, rex)));
        first.forEach(expectFirst);
        const { reads, writes, close } = open();
        let news = 0;
        try {
          await writes('creation_keys').update({ expires_at: Date.now() - 1 });
          await eventually('only new keys are kept', 20_000, async () => {
            expectFirst(await createUnder(address, `new ${(news += 1)}`, rex));
            const left: ReadonlyArray<unknown> = await reads('creation_keys').pluck('idempotency_key');
            return left.length === news;
          });
        } finally {
          await close();
        }
        expectFirst(await createUnder(address, 'old 0', newPet('Tom')));
        return { expired: keys.length, kept: news, animals: await countPets(address) };
      }),
    );
  });
}
