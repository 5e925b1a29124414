import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fault } from '../support/fault';
import { inFolder, removeFolders } from '../../support/temporary-folder';
import { arbitraryNewPet } from '../../contracts';
import { newCatalogue } from '../../support/databases/catalogue';
import { main, startProgram } from '../../support/processes/command';

describe('An export', () => {
  afterEach(removeFolders);

  fault(
    'has its name only once it is on the disk',
    () =>
      inFolder(async (folder) => {
        const { environment } = await newCatalogue([arbitraryNewPet()]);
        const [file, trace] = [join(folder, 'animals.csv'), join(folder, 'trace')];
        const options = ['-f', '-y', '-o', trace, '-e', 'trace=fsync,fdatasync,rename,renameat,renameat2'];
        const { code } = await startProgram('strace', [...options, process.execPath, main, 'export', file], {
          environment,
        }).ended;
        expect(code).to.equal(0);
        const calls = (await readFile(trace, 'latin1')).split('\n');
        const synced = calls.findIndex((call) => /f(?:data)?sync\(\d+<[^>]*\.partial>/.test(call));
        const renamed = calls.findIndex((call) => /rename\w*\(.*\.partial/.test(call));
        expect(synced, 'the line of the sync').to.be.at.least(0);
        expect(renamed, 'the line of the rename').to.be.above(synced);
        return { syncs: 1 };
      }),
    { needs: ['strace'] },
  );
});
