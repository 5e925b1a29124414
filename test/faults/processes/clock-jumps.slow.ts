import { expect } from 'chai';
import { type SqlStore, sqlStores } from '../../support/databases/databases';
import { eventually } from '../../support/eventually';
import {
  allPets,
  createUnder,
  holdCreate,
  idOf,
  isReplay,
  keepAliveAgent,
  listPets,
  newPet,
} from '../../support/http/client';
import { runCommand } from '../../support/processes/command';
import { killServices, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { fault } from '../support/fault';
import { settableClock } from '../support/machine';

const jumps = ['+1y', '-1y', '+0'] as const;

/** Time after which a create that waits for a lock is refused. */
const refusalMs = [900, 5_000] as const;

const jumping = async (folder: string, { databaseUrl, holdWriters }: SqlStore): Promise<void> => {
  const clock = await settableClock(`${folder}/clock`);
  const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' };
  const service = await startService({ ...environment, ...clock.environment });
  const { address } = service;
  const key = await service.firstKey();
  const caller = { address, key };
  const keyed = (name: string) => createUnder(address, name, newPet(name), key);
  const made: Array<string> = [];
  const make = async (name: string): Promise<void> => {
    const answer = await keyed(name);
    expect([answer.status, isReplay(answer)], answer.text).to.deep.equal([201, false]);
    made.push(answer.text);
  };

  await make('before');
  for (const shift of jumps) {
    const held = await holdCreate(caller, newPet(`held over ${shift}`), keepAliveAgent());
    const release = await holdWriters();
    const waiting = keyed(`waiting over ${shift}`);
    await clock.jump(shift, address);
    const { status, milliseconds } = await waiting;
    await release();
    expect(status, 'a create that waits for a lock').to.equal(503);
    expect(milliseconds, 'milliseconds until it is refused').to.be.within(...refusalMs);

    held.sendRest();
    const { status: heldStatus, text } = await held.answer;
    expect(heldStatus, text).to.equal(201);
    made.push(text);
    await make(`after ${shift}`);
    for (const text of made.filter((pet) => !pet.includes('held'))) {
      const name = /"name":"([^"]*)"/.exec(text)?.[1] ?? '';
      const answer = await keyed(name);
      expect([answer.status, answer.text, isReplay(answer)]).to.deep.equal([201, text, true]);
    }
  }
  const ids = made.map((pet) => BigInt(idOf(pet)));
  expect(ids, 'ids in the order of their creation').to.deep.equal(
    [...ids].sort((one, other) => (one < other ? -1 : 1)),
  );
  expect(await allPets(caller)).to.deep.equal(made);

  const issued = await runCommand(['keys', 'list', '--json'], environment);
  const keyId = /"id":"([0-9a-f]+)"/.exec(issued.stdout)?.[1] ?? '';
  await clock.jump('-1y', address);
  expect((await runCommand(['keys', 'revoke', keyId], environment)).code).to.equal(0);
  await eventually('the revoked key is refused', 5_000, async () => (await listPets(caller)).status === 401);
};

describe('A service whose clock jumps by a year', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    fault(
      `goes on with creates, retries, timeouts and keys, on ${name}`,
      () => inFolder((folder) => within((store) => jumping(folder, store))),
      'faketime',
    );
  }
});
