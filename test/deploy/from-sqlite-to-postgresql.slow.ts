import { expect } from 'chai';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newLargeCatalogue } from '../app/transfer/support';
import { eventually } from '../support/eventually';
import { call } from '../support/http/client';
import { markdownBlocks } from '../support/markdown';
import { execute } from '../support/postgres/postgres';
import { withOwnPostgres } from '../support/postgres/postgres-server';
import { killPrograms, main, runCommand, startProgram } from '../support/processes/command';
import { freePort, needsPrograms } from '../support/processes/system';
import { makeFolder, removeFolders } from '../support/temporary-folder';

const bound = 60_000;

const writeProgram = async (file: string, text: string): Promise<void> => {
  await writeFile(file, `#!/bin/sh\nset -eu\n${text}`);
  await chmod(file, 0o755);
};

/** Makes the programs of an installed service. `systemctl` starts and stops one service, and ignores its unit. */
const makePrograms = async (folder: string): Promise<string> => {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeProgram(
    join(bin, 'animal-store'),
    `exec "${process.execPath}" "${main}" --environment-file /etc/animal-store/environment "$@"\n`,
  );
  await writeProgram(
    join(bin, 'systemctl'),
    `if [ "$1" = start ]; then
       animal-store serve </dev/null >>"${folder}/log" 2>&1 &
       echo $! >"${folder}/pid"
     else
       pid=$(cat "${folder}/pid")
       kill "$pid"
       # A zombie has no executable file.
       while [ -e "/proc/$pid/exe" ]; do sleep 0.1; done
     fi\n`,
  );
  return bin;
};

/** Gives a script an /etc of its own, in which a service is installed and running. */
const prepared = (folder: string, script: string): string =>
  `set -eu
   mount -t tmpfs changes "${folder}/changes"
   mkdir "${folder}/changes/upper" "${folder}/changes/work"
   mount -t overlay -o "lowerdir=/etc,upperdir=${folder}/changes/upper,workdir=${folder}/changes/work" etc /etc
   rm -rf /etc/animal-store
   mkdir /etc/animal-store
   cp "${folder}/environment" /etc/animal-store/environment
   systemctl start animal-store
   read -r _
   ${script}`;

const blocks = markdownBlocks('docs/from-sqlite-to-postgresql.md');

describe('The page from-sqlite-to-postgresql.md', function () {
  needsPrograms('unshare', 'mount');
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('has the commands that move 200,000 animals, with the keys of their clients', () =>
    withOwnPostgres(async ({ url: target }) => {
      const [{ file, environment }, folder] = [await newLargeCatalogue(200_000), await makeFolder()];
      const key = (await runCommand(['keys', 'create', '--name', 'shop'], environment)).stdout.trim();
      const port = await freePort();
      await mkdir(join(folder, 'changes'));
      await writeFile(
        join(folder, 'environment'),
        `NODE_ENV=production\nDATABASE_URL=sqlite:${file}\nPORT=${port}\n`,
      );
      const script = prepared(folder, blocks.map(({ text }) => text).join(''));
      const running = startProgram('unshare', ['--mount', 'sh', '-c', script], {
        environment: { PATH: `${await makePrograms(folder)}:${process.env['PATH'] ?? ''}` },
        isFed: true,
      });
      const create = (json: string) =>
        call(`http://127.0.0.1:${port}/v1/pets`, {
          method: 'POST',
          key,
          body: json,
          headers: { 'Idempotency-Key': '"move"' },
        });
      const whenReady = () =>
        eventually('the service is ready', bound, () =>
          call(`http://127.0.0.1:${port}/readyz`).then(
            ({ status }) => status === 200,
            () => false,
          ),
        );
      const rex = '{"name":"Rex","categoryId":9007199254740993}';

      await whenReady();
      const created = await create(rex);
      expect(created.status).to.equal(201);
      running.stdin.end(`\n${target}\n`);
      const { code, stdout, stderr } = await running.ended;
      expect(code, `${stdout}${stderr}`).to.equal(0);
      expect(stderr).to.include('copied and compared: 200001 animals, 1 API key, 1 idempotency key;');

      await whenReady();
      // The service uses the target, and no longer the file.
      await execute(target, "update pets set name = 'Tom' where id = 7");
      const { text } = await call(`http://127.0.0.1:${port}/v1/pets/7`, { key });
      expect(text).to.equal('{"id":7,"name":"Tom","categoryId":1}');
      expect((await create(rex)).text).to.equal(created.text);
      process.kill(Number(await readFile(join(folder, 'pid'), 'utf8')), 'SIGTERM');
    }));
});
