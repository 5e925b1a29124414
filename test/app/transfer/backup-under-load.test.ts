import { expect } from 'chai';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { diagnose } from '../../../app/commands/doctor';
import { eventually } from '../../support/eventually';
import { allPets, createUnder, environmentOf, isReplay, newPet, owner } from '../../support/http/client';
import { whileServing } from '../../support/service/serve-in-process';
import { killServices, startService } from '../../support/service/service-process';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';
import { runInProcess } from './support';

describe('A backup under load', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('restores everything that was acknowledged before it began, with keys and retries', async () => {
    const DATABASE_URL = `sqlite:${await newDatabaseFile()}`;
    const service = await startService(environmentOf(DATABASE_URL));
    const acknowledged: Array<string> = [];
    let isOver = false;
    const load = Array.from({ length: 8 }, async (_, client) => {
      for (let count = 0; !isOver; count += 1) {
        const name = `${client}-${count}`;
        const { status, text } = await createUnder(service.address, name, newPet(name));
        if (status === 201) acknowledged.push(text);
      }
    });
    await eventually('there is load', 60_000, () => acknowledged.length > 200);
    expect((await runInProcess(['keys', 'create', '--name', 'kept'], { DATABASE_URL })).code).to.equal(0);
    const before = [...acknowledged];
    const backup = join(await makeFolder(), 'backup.sqlite3');
    const outcome = await runInProcess(['backup', backup], { DATABASE_URL });
    isOver = true;
    await Promise.all(load);
    await service.stop();
    expect(outcome).to.deep.include({ code: 0, stdout: '' });
    expect(outcome.stderr).to.match(/^backed up to .* and checked: \d+ animals\n$/);
    expect(statSync(backup).mode & 0o777).to.equal(0o600);
    expect(readdirSync(dirname(backup))).to.deep.equal(['backup.sqlite3']);

    const restored = `sqlite:${await newDatabaseFile()}`;
    expect((await runInProcess(['restore', backup], { DATABASE_URL: restored })).code).to.equal(0);
    expect((await runInProcess(['keys', 'list'], { DATABASE_URL: restored })).stdout).to.match(/\tkept\t/);
    const findings = await diagnose({ PORT: '0', DATABASE_URL: restored });
    expect(findings.filter(({ severity }) => severity === 'failed')).to.deep.equal([]);
    await whileServing(environmentOf(restored), async ({ address }) => {
      const texts = await allPets({ address, key: owner });
      expect(before.filter((pet) => !texts.includes(pet))).to.deep.equal([]);
      const replay = await createUnder(address, '0-0', newPet('0-0'));
      expect(isReplay(replay)).to.equal(true);
      expect(texts).to.include(replay.text);
    });
  }).timeout(120_000);
});
