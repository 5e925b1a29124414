import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { environmentOf, newCatalogue } from '../../support/databases/catalogue';
import { killPrograms, main, type Outcome, startProgram } from '../../support/processes/command';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';
import { namesIn, newFile, runInProcess } from './support';

const rex = '{"name":"Rex","categoryId":1}\n';

const invalidRows = '{"name":"Rex","categoryId":1.5}\n{"name":"Rex","status":"gone"}\n[]\n{\n';

const invalidRowsReport = (first: number): string =>
  [
    'categoryId must be an integer from -9223372036854775808 to 9223372036854775807',
    'categoryId is required; status must be one of available, pending, sold',
    'the row must be an object',
    'invalid JSON: unexpected end at position 1',
  ]
    .map((reason, index) => `line ${first + index}: ${reason}\n`)
    .join('');

const firstLine = 'the animals get new ids; `animal-store copy` keeps ids\n';

const withoutTime = ({ code, stdout, stderr }: Outcome) => ({
  code,
  stdout,
  stderr: stderr.replace(/, in [0-9.]+ s\n$/, '\n'),
});

describe('The command import', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('stores the animals of a file, and gives them ids of its own in the order of the file', async () => {
    const file = await newFile(
      'animals.ndjson',
      '{"name":"Zoë","categoryId":9223372036854775807,"status":"sold","id":7,"color":"red"}\n\n' +
        '{"categoryId":-9223372036854775808,"name":"=1,\\"\\n"}\r\n{"name":"","categoryId":9007199254740993}',
    );
    const { environment } = await newCatalogue();
    expect(withoutTime(await runInProcess(['import', file], environment))).to.deep.equal({
      code: 0,
      stdout: '',
      stderr: `${firstLine}3 animals were stored with new ids from 1 to 3\n`,
    });
    const exported = await runInProcess(['export', '--format', 'ndjson'], environment);
    expect(exported.stdout).to.equal(
      '{"id":1,"name":"Zoë","categoryId":9223372036854775807,"status":"sold"}\n' +
        '{"id":2,"name":"=1,\\"\\n","categoryId":-9223372036854775808}\n' +
        '{"id":3,"name":"","categoryId":9007199254740993}\n',
    );
  });

  it('takes CSV from standard input, and prints the result as JSON', async () => {
    const { environment, file } = await newCatalogue();
    const csv = '\ufeffstatus,color,categoryId,name\r\n,red,1,=1+1\r\nsold,,2,"""a"",\r\n b"\n';
    const command = [main, 'import', '-', '--format', 'csv', '--json'];
    const running = startProgram(process.execPath, command, { environment, isFed: true });
    running.stdin.end(csv);
    const { code, stdout } = await running.ended;
    const printed: unknown = JSON.parse(stdout);
    const { seconds, ...summary } = Object.assign({ seconds: 0 }, printed);
    expect({ code, ...summary }).to.deep.equal({
      code: 0,
      stored: 2,
      firstId: '1',
      lastId: '2',
      rows: 2,
      invalidRows: 0,
    });
    expect(seconds).to.be.within(0.001, 10);
    expect(await namesIn(file)).to.deep.equal(['=1+1', '"a",\r\n b']);
  });

  it('reports each invalid row by its line, and stores nothing', async () => {
    const catalogue = await newCatalogue();
    const file = await newFile('animals.ndjson', rex.repeat(900) + invalidRows + rex);
    expect(await runInProcess(['import', file], catalogue.environment)).to.deep.include({
      code: 1,
      stdout: '',
      stderr: `${firstLine}${invalidRowsReport(901)}the import failed: 4 of 905 rows are invalid; nothing was stored\n`,
    });
    expect(await namesIn(catalogue.file)).to.deep.equal([]);
  });

  it('skips and reports invalid rows with --skip-invalid', async () => {
    const catalogue = await newCatalogue();
    const file = await newFile(
      'animals.ndjson',
      `${invalidRows}{"name":"A","categoryId":1}\n${invalidRows}{"name":"B","categoryId":1}`,
    );
    const outcome = await runInProcess(['import', '--skip-invalid', file], catalogue.environment);
    expect(withoutTime(outcome)).to.deep.equal({
      code: 0,
      stdout: '',
      stderr: `${firstLine}${invalidRowsReport(1)}${invalidRowsReport(6)}2 animals were stored with new ids from 1 to 2, 8 invalid rows skipped\n`,
    });
    expect(await namesIn(catalogue.file)).to.deep.equal(['A', 'B']);
  });

  it('stores nothing if a quote is misplaced, whatever the flags, and names its line', async () => {
    const file = await newFile(
      'animals.csv',
      `name,categoryId\n${'Tom,1\n'.repeat(1_500)}Rex "the dog",7\n${'Tom,1\n'.repeat(500)}`,
    );
    const catalogue = await newCatalogue();
    for (const flags of [[], ['--skip-invalid'], ['--skip-invalid', '--dry-run']]) {
      const { code, stderr } = await runInProcess(['import', file, ...flags], catalogue.environment);
      expect(code).to.equal(1);
      expect(stderr).to.match(/the import failed: line 1502: a quote .*; nothing was stored\n$/);
      expect(await namesIn(catalogue.file)).to.deep.equal([]);
    }
  });

  it('takes away the quotes of an export with escaped formulas, with the same option', async () => {
    const file = await newFile('animals.csv', "name,categoryId\n'=1+1,-1\n'Rex,-2\n");
    for (const [flags, names] of [
      [[], ["'=1+1", "'Rex"]],
      [['--escape-formulas'], ['=1+1', "'Rex"]],
    ] as const) {
      const catalogue = await newCatalogue();
      expect((await runInProcess(['import', file, ...flags], catalogue.environment)).code).to.equal(0);
      expect(await namesIn(catalogue.file)).to.deep.equal(names);
    }
  });

  it('checks every row and creates no database with --dry-run', async () => {
    const file = await newFile('animals.jsonl', rex + invalidRows);
    const database = await newDatabaseFile();
    const environment = environmentOf(database);
    expect(await runInProcess(['import', '--dry-run', file], environment)).to.include({
      code: 1,
      stderr: `${firstLine}${invalidRowsReport(2)}the import failed: 4 of 5 rows are invalid; nothing was stored\n`,
    });
    expect(await runInProcess(['import', '--dry-run', '--skip-invalid', file], environment)).to.include({
      code: 0,
      stderr: `${firstLine}${invalidRowsReport(2)}dry run: 1 of 5 rows would be stored, 4 invalid rows skipped; nothing was stored\n`,
    });
    expect(existsSync(database)).to.equal(false);
  });

  it('reports an unreadable file, format or setting, and that nothing was stored', async () => {
    const [{ environment }, folder] = [await newCatalogue(), await makeFolder()];
    const csv = await newFile('animals.csv', 'name,status\nRex,sold\n');
    const outcomes = await Promise.all([
      runInProcess(['import', join(folder, 'none.csv')], environment),
      runInProcess(['import', folder, '--format', 'csv'], environment),
      runInProcess(['import', csv, '--skip-invalid'], environment),
      runInProcess(['import', csv], { DATABASE_URL: 'memory:' }),
      runInProcess(['import', dirname(csv)], environment),
    ]);
    const failure = (reason: string): string =>
      `${firstLine}the import failed: ${reason}; nothing was stored\n`;
    expect(outcomes.map(({ code, stderr }) => [code, stderr])).to.deep.equal([
      [1, failure(`ENOENT: no such file or directory, stat '${join(folder, 'none.csv')}'`)],
      [1, failure('EISDIR: illegal operation on a directory, read')],
      [
        1,
        failure(
          'line 1: the header must have the columns `name` and `categoryId`, and may have `status`, each only once and separated by commas',
        ),
      ],
      [
        1,
        failure(
          'this command needs a database, but DATABASE_URL is `memory:`; set it to sqlite:FILE or postgres://...',
        ),
      ],
      [2, 'error: the file name does not show the format; add --format ndjson or --format csv\n'],
    ]);
  });
});
