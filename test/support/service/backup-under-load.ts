import { expect } from 'chai';
import { diagnose } from '../../../app/doctor';
import { allPets, createUnder, environmentOf, isReplay, newPet, owner } from '../http/client';
import { eventually } from '../eventually';
import { runInProcess } from '../processes/run-in-process';
import { startService } from './service-process';

/** Backs up while clients create, each animal under its name as a key; answers with what was acknowledged before it began. */
export const underLoad = async (
  DATABASE_URL: string,
  backUp: () => Promise<void>,
): Promise<ReadonlyArray<string>> => {
  const service = await startService(environmentOf(DATABASE_URL));
  const acknowledged: Array<string> = [];
  let isOver = false;
  const load = Promise.all(
    Array.from({ length: 8 }, async (_, client) => {
      for (let count = 0; !isOver; count += 1) {
        const name = `${client}-${count}`;
        const { status, text } = await createUnder(service.address, name, newPet(name));
        if (status === 201) acknowledged.push(text);
      }
    }),
  );
  await eventually('there is load', 60_000, () => acknowledged.length > 200);
  expect((await runInProcess(['keys', 'create', '--name', 'kept'], { DATABASE_URL })).code).to.equal(0);
  const before = [...acknowledged];
  await backUp();
  isOver = true;
  await load;
  await service.stop();
  return before;
};

/** Serves what was restored: the animals, the replays and the API key are there. */
export const expectRestored = async (
  DATABASE_URL: string,
  acknowledged: ReadonlyArray<string>,
): Promise<void> => {
  expect((await runInProcess(['keys', 'list'], { DATABASE_URL })).stdout).to.include('"kept"');
  const findings = await diagnose({ PORT: '0', DATABASE_URL });
  expect(findings.filter(({ ok }) => !ok)).to.deep.equal([]);
  const service = await startService(environmentOf(DATABASE_URL));
  const texts = await allPets({ address: service.address, key: owner });
  expect(acknowledged.filter((pet) => !texts.includes(pet))).to.deep.equal([]);
  const replay = await createUnder(service.address, '0-0', newPet('0-0'));
  expect(isReplay(replay)).to.equal(true);
  expect(texts).to.include(replay.text);
};
