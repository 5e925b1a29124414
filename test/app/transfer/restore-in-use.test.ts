import { expect } from 'chai';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newCatalogue } from '../../support/databases/catalogue';
import { integrityOf } from '../../support/databases/sqlite-files';
import { createPet } from '../../support/http/client';
import { killServices, startService } from '../../support/service/service-process';
import { removeFolders } from '../../support/temporary-folder';
import { animals, namesIn, runInProcess } from './support';

const key = 'restore-key';

const overwrite = async (file: string, place: number, length: number): Promise<void> => {
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(length, 'x'), 0, length, place);
  await handle.close();
};

describe('animal-store restore, while a service uses a damaged database', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  for (const [part, place, length] of [
    ['the header', 0, 16],
    ['the schema', 100, 3_996],
  ] as const) {
    it(`refuses to replace it if ${part} is damaged, but replaces it once the service has ended`, async () => {
      const { file, environment } = await newCatalogue(animals(2_000));
      const backup = join(dirname(file), 'backup');
      await runInProcess(['backup', backup], environment);
      const service = await startService({ ...environment, API_KEYS: key });
      const restore = () => runInProcess(['restore', backup, '--replace'], environment);
      const create = async (): Promise<void> => {
        const { status } = await createPet(
          { ...service, key },
          '{"name":"Rex","categoryId":1,"status":"sold"}',
        );
        expect(status).to.equal(201);
      };
      await create();
      await overwrite(file, place, length);
      await create();
      expect(await restore()).to.include({
        code: 1,
        stderr: `error: ${file} is in use; stop the service and any other program that has it open; the database is unchanged\n`,
      });
      await create();

      service.signal('SIGKILL');
      await service.ended;
      expect((await restore()).code).to.equal(0);
      expect(await namesIn(file)).to.have.lengthOf(2_000);
      expect(await integrityOf(file)).to.deep.equal(['ok']);
    });
  }
});
