import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { runInProcess } from '../../support/processes/run-in-process';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const misuses: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
  [[], /Usage: animal-store/],
  [['nonsense'], /unknown command 'nonsense'/],
  [['serve', '--nonsense'], /unknown option '--nonsense'; see /],
  [['pets', 'list', '--jso'], /error: unknown option '--jso'; did you mean --json\?\n$/],
  [['pets', 'lits'], /error: unknown command 'lits'; did you mean list\?\n$/],
  [
    ['pets', 'list', "--limit='\n"],
    /error: --limit must be an integer from 1 to 100; see `animal-store pets list --help`\n$/,
  ],
  [
    ['pets', 'list', '--limit', '5'.padStart(25, '0')],
    /error: --limit must be an integer from 1 to 100; see /,
  ],
  [['pets', 'list', '--limit'], /error: --limit <limit> needs a value; see /],
  [['pets', 'list', '--order', 'up'], /error: --order must be one of asc, desc; see /],
  [['migrate', 'extra'], /error: too many arguments: 1 instead of 0; see /],
  [['keys'], /Usage: animal-store keys/],
  [['keys', 'create'], /error: --name <name> is required; see `animal-store keys create --help`\n$/],
  [['keys', 'revoke'], /error: <id> is required; see /],
  [['keys', 'revoke', ''], /error: <id> must not be empty; see /],
  [['keys', 'rotate', ''], /error: <id> must not be empty; see /],
  ...['backup', 'restore', 'export', 'import'].map(
    (command) => [[command, ''], /error: <file> must not be empty; see /] as const,
  ),
  ...['import', 'export'].map((command) => [[command, '-'], /add --format ndjson or --format csv/] as const),
  [['export', 'animals'], /the file name does not show the format; add --format/],
  [['log'], /error: name either an animal with --pet or a key with --key; see /],
  [['pets', 'update', '1'], /error: add an option that says what to change; see /],
  [['pets', 'delete'], /error: name either the id of an animal or a file with --ids; see /],
  [['pets', 'get', 'x'], /error: <id> must be the id of an animal; see /],
  [['keys', 'create', '--name', 'x', '--expires', '0d'], /error: --expires must be greater than 0; see /],
  [['copy'], /error: name the target: add its address, or set TARGET_URL; see /],
  [['copy', 'postgres:// secret'], /^error: <target-url> must be (?!.*secret)postgres:.*; see /],
  [
    ['restore', 'file', '--into', 'mysql://x'],
    /error: --into must be sqlite:FILE, memory: or postgres:.*; see /,
  ],
  [['restore', 'file', '--role', 'shop'], /error: --role is only for PostgreSQL; see /],
  [['restore', 'file', '--check', '--role', 'shop'], /error: --role is only for PostgreSQL; see /],
  [
    ['restore', 'file', '--replace', '--into', 'postgres://127.0.0.1:1/x'],
    /error: --replace is only for SQLite, without --check; see /,
  ],
  [['restore', 'file', '--replace', '--check'], /error: --replace is only for SQLite, without --check; see /],
  [
    ['restore', 'file', '--check', '--into', 'sqlite:other'],
    /error: --into is only for PostgreSQL, or without --check; see /,
  ],
  ...[
    ['export', 'x.ndjson', '--bom'],
    ['export', '--format=ndjson', '--escape-formulas'],
    ['import', 'x.ndjson', '--escape-formulas'],
  ].map((command) => [command, /error: --(?:bom|escape-formulas) is only for CSV; see /] as const),
  [
    ['export', '--format=csv', '--replace'],
    /error: --replace is only for a file, not for standard output; see /,
  ],
  [['--environment-file', 'none', 'serve'], /error: --environment-file can't be used: none: no such file/],
];

/** Commands that are used as documented, but fail. */
const failures: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
  [['pets', 'get', '1'], /no animal has the id 1/],
  [['pets', 'update', '1', '--name', 'x'], /no animal has the id 1/],
  [['pets', 'delete', '1'], /no animal has the id 1/],
  [['pets', 'delete', '--ids', 'none'], /none: no such file or directory; nothing was deleted/],
  [['keys', 'revoke', 'x'], /no key has the id x/],
  [['keys', 'rotate', 'x'], /no key has the id x/],
  [['log', '--pet', '1'], /there is no record of animal 1/],
  [['log', '--key', 'x'], /there is no record of key x; `animal-store keys list` shows the ids/],
  [['import', 'none'], /none: no such file or directory; nothing was stored/],
  [['import', 'none.csv'], /none.csv: no such file or directory; nothing was stored/],
  [['restore', 'none'], /none: no such file or directory; the database is unchanged/],
  [['export', 'none/x.csv'], /none\/.*: no such file or directory; none\/x.csv was not written/],
  [['backup', 'none/x'], /none\/.*: no such file or directory; none\/x was not written/],
  [['copy', 'memory:'], /needs a database, but TARGET_URL is `memory:`/],
];

describe('The exit code of a command', () => {
  afterEach(removeFolders);

  it('is 2 after wrong usage, which opens nothing', async () => {
    const folder = await makeFolder();
    for (const [misuse, words] of misuses) {
      const environment = { DATABASE_URL: `sqlite:${folder}/animals` };
      const { code, stdout, stderr } = await runInProcess(misuse, environment);
      expect(stderr).to.match(words);
      expect({ code, stdout }, stderr).to.deep.equal({ code: 2, stdout: '' });
    }
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('is 1 if a command fails, or a setting is wrong', async () => {
    const environment = { DATABASE_URL: `sqlite:${await newDatabaseFile()}` };
    await runInProcess(['migrate'], environment);
    for (const [command, words] of failures) {
      const { code, stderr } = await runInProcess(command, environment);
      expect(stderr).to.match(words);
      expect(code, stderr).to.equal(1);
      const wrongSetting = await runInProcess(command, { ...environment, PORT: 'x' });
      expect(wrongSetting).to.deep.include({
        code: 1,
        stderr: 'error: PORT must be a whole number from 0 to 65535\n',
      });
    }
  });
});
