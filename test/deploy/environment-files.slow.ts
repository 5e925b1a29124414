import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import * as fc from 'fast-check';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnvironmentFile } from '../../app/settings/environment-file';
import { plainFiles } from '../support/environment-files';
import { needsPrograms } from '../support/processes/system';
import { makeFolder, removeFolders } from '../support/temporary-folder';
import { type BareMachine, needsBareMachine, startBareMachine } from './support/bare-machine';

/** Number of random files. The parser rejects most of them. */
const count = 10_000;

const pieces = [
  ...['A', 'B', '_', '1', '-', 'ü', '=', '=', '=', ' ', '\t', '\n', '\n', '\r', '\r\n', '\u00a0', '\u000b'],
  ...["'", "'", '"', '"', '`', '\\', '#', ';', '$', '%h', ',', '/', 'export ', 'A=', 'B="', "C='", '\uFEFF'],
];

/** Returns random files that the parser accepts, each with the variables that the parser reads. */
const acceptedFiles = () => {
  const text = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 14 });
  return fc.sample(text, count).flatMap((parts) => {
    const content = parts.join('');
    const parsed = parseEnvironmentFile(Buffer.from(content));
    return E.isRight(parsed) && Object.keys(parsed.right).length > 0
      ? [[content, parsed.right] as const]
      : [];
  });
};

const unit = (folder: string): string => `[Service]
Type=oneshot
Environment=
EnvironmentFile=${folder}/%i
ExecStart=/usr/bin/env --null
StandardOutput=file:${folder}/%i.out
`;

/** Variables that systemd sets itself. */
const own = /^(?:HOME|INVOCATION_ID|JOURNAL_STREAM|LANG|LOGNAME|PATH|SHELL|SYSTEMD_EXEC_PID|USER)$/;

const valuesIn = (printed: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    printed
      .split('\0')
      .filter((line) => line !== '')
      .map((line): [string, string] => {
        const end = line.indexOf('=');
        return [line.slice(0, end), line.slice(end + 1)];
      })
      .filter(([name]) => !own.test(name)),
  );

describe('systemd', () => {
  needsPrograms('unshare', 'nsenter', 'systemctl');
  needsBareMachine();
  let machine: BareMachine;

  before(async () => {
    machine = await startBareMachine();
  });
  after(() => machine.end());
  after(removeFolders);

  it('reads each environment file that the command accepts as the command reads it', async () => {
    const files = [...plainFiles, ...acceptedFiles()];
    expect(files).to.have.length.above(100);
    const folder = await makeFolder();
    for (const [index, [text]] of files.entries()) await writeFile(join(folder, `${index}`), text);
    await writeFile(join(folder, 'unit'), unit('/root/files'));
    const printed = await machine.enter(`
      cp -R ${folder} /root/files
      cd /root/files
      cp unit /etc/systemd/system/environment@.service
      systemctl daemon-reload
      seq --format=environment@%g 0 ${files.length - 1} | xargs systemctl start
      for index in $(seq 0 ${files.length - 1}); do cat $index.out; printf '\\0\\n'; done`);
    const found = printed.split('\0\0\n').map(valuesIn);
    for (const [index, [text, values]] of files.entries()) {
      expect(found[index], JSON.stringify(text)).to.deep.equal(values);
    }
  });
});
