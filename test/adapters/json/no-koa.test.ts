import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { main, runCommand, startProgram } from '../../support/processes/command';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

/** Returns a script that runs the built command line, and prints the files that it has loaded as its last line. */
const printLoadedFiles = (commandArguments: ReadonlyArray<string>): string => `
  process.argv = ['node', 'animal-store', ...${JSON.stringify(commandArguments)}];
  process.on('exit', () => require('fs').writeSync(1, '\\n' + JSON.stringify(Object.keys(require.cache))));
  require(${JSON.stringify(main)});
`;

describe('Commands that read and write exact JSON', () => {
  after(removeFolders);

  for (const command of ['import', 'export']) {
    it(`load no Koa: ${command}`, async () => {
      const folder = await makeFolder();
      const file = join(folder, 'animals.ndjson');
      const environment = { DATABASE_URL: `sqlite:${join(folder, 'animals.sqlite3')}` };
      if (command === 'import') await writeFile(file, '{"name":"Rex","categoryId":7}\n');
      expect(await runCommand(['migrate'], environment)).to.include({ code: 0 });
      const script = printLoadedFiles([command, file]);
      const { code, stdout, stderr } = await startProgram(process.execPath, ['-e', script], { environment })
        .ended;
      expect({ code, stderr: code === 0 ? '' : stderr }).to.deep.equal({ code: 0, stderr: '' });
      const loaded = stdout.split('\n').at(-1) ?? '';
      expect(loaded).to.include('adapters/json');
      expect(loaded).not.to.match(/node_modules\/(@koa|koa)\b|adapters\/http\//);
    });
  }
});
