import { expect } from 'chai';
import { chmodSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { environmentOf, newCatalogue } from '../../support/databases/catalogue';
import {
  killPrograms,
  main,
  needsReadableBuild,
  runUnprivileged,
  startProgram,
} from '../../support/processes/command';
import { startAtTerminal } from '../../support/processes/terminal';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';
import { namesIn, newFile, runInProcess } from './support';

const rex = '{"name":"Rex","categoryId":1}\n';

const invalidRows = '{"name":"Rex","categoryId":1.5}\n{"name":"Rex","status":"gone"}\n[]\n{\n';

const invalidRowsReport = (first: number): string =>
  [
    'categoryId must be an integer, not 1.5',
    'categoryId is required; status must be one of available, pending, sold, not "gone"',
    'the row must be an object',
    'invalid JSON: unexpected end at position 1',
  ]
    .map((reason, index) => `line ${first + index}: ${reason}\n`)
    .join('');

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
    expect(await runInProcess(['import', file], environment)).to.include({
      code: 0,
      stdout: '',
      stderr: `warning: 1 name without a visible character, the first in line 4\nwarning: ignored unknown fields: "color"\n3 animals stored with new ids from 1 to 3\n`,
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
    expect(stdout).to.equal(
      '{"stored":2,"firstId":"1","lastId":"2","otherIds":"0","rows":2,"invalidRows":0}\n',
    );
    expect(code).to.equal(0);
    expect(await namesIn(file)).to.deep.equal(['=1+1', '"a",\r\n b']);
  });

  it('stores nothing at an invalid row or a misplaced quote, and names its line', async () => {
    const catalogue = await newCatalogue();
    const json = await newFile('animals.ndjson', rex.repeat(1_500) + invalidRows + rex);
    const csv = await newFile('animals.csv', `name,categoryId\n${'Tom,1\n'.repeat(1_500)}R "x",7\nTom,1\n`);
    for (const [command, reason] of [
      [[json], /error: 4 of 1,505 rows invalid/],
      [[csv], /error: line 1502: a quote in the row that begins here is misplaced .*/],
      [[csv, '--skip-invalid'], /error: line 1502: a quote .*/],
      [[csv, '--skip-invalid', '--dry-run'], /error: line 1502: a quote .*/],
    ] as const) {
      const { code, stderr } = await runInProcess(['import', ...command], catalogue.environment);
      expect(code).to.equal(1);
      expect(stderr.startsWith(invalidRowsReport(1501))).to.equal(command[0] === json);
      expect(stderr).to.match(new RegExp(`(^|\n)${reason.source}; nothing was stored\n$`));
      expect(await namesIn(catalogue.file)).to.deep.equal([]);
    }
  });

  it('names the first five invalid rows of a file, counts the others, and wraps lines at a terminal', async () => {
    const { environment, file } = await newCatalogue();
    const csv = await newFile(
      'animals.csv',
      `name,categoryId,status\n${'Rex,x,gone\nTom,1,sold\n'.repeat(30)}`,
    );
    const command = startAtTerminal(`${process.execPath} ${main} import ${csv}`, { environment });
    const { code, stdout } = await command.ended;
    const [, ...lines] = stripVTControlCharacters(stdout).trimEnd().split('\r\n');
    for (const line of lines) expect(line.length, line).to.be.at.most(80);
    const row =
      'categoryId must be an integer, not "x"; status must be one of available, pending, sold, not "gone"';
    expect(lines.join('\n').replaceAll('\n  ', ' ').split('\n')).to.deep.equal([
      ...[2, 4, 6, 8, 10].map((line) => `line ${line}: ${row}`),
      'error: 30 of 60 rows invalid, the first 5 above; nothing was stored; --dry-run lists all invalid rows',
    ]);
    expect(code).to.equal(1);
    expect(await namesIn(file)).to.deep.equal([]);
  });

  it('skips and reports invalid rows with --skip-invalid', async () => {
    const catalogue = await newCatalogue();
    const file = await newFile(
      'animals.ndjson',
      `${invalidRows}{"name":"A","categoryId":1}\n${invalidRows}{"name":"B","categoryId":1}`,
    );
    expect(await runInProcess(['import', '--skip-invalid', file], catalogue.environment)).to.include({
      code: 0,
      stderr: `${invalidRowsReport(1)}${invalidRowsReport(6)}2 animals stored with new ids from 1 to 2, 8 invalid rows skipped\n`,
    });
    expect(await namesIn(catalogue.file)).to.deep.equal(['A', 'B']);
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

  it('reports every invalid row and creates no database with --dry-run', async () => {
    const file = await newFile('animals.jsonl', rex + invalidRows);
    const database = await newDatabaseFile();
    const environment = environmentOf(database);
    expect(await runInProcess(['import', '--dry-run', file], environment)).to.include({
      code: 1,
      stderr: `${invalidRowsReport(2)}error: 4 of 5 rows invalid; nothing was stored\n`,
    });
    expect(await runInProcess(['import', '--dry-run', '--skip-invalid', file], environment)).to.include({
      code: 0,
      stderr: `${invalidRowsReport(2)}dry run: 1 of 5 rows would be stored, 4 invalid rows skipped; nothing was stored\n`,
    });
    expect(existsSync(database)).to.equal(false);
  });

  it('reports an unreadable file, format or setting, and that nothing was stored', async () => {
    const [{ environment }, folder] = [await newCatalogue(), await makeFolder()];
    const csv = await newFile('animals.csv', 'name,categoryId\nRex,1\n');
    const none = join(folder, 'none.csv');
    for (const [words, settings, reason] of [
      [[join(folder, 'none')], environment, `${join(folder, 'none')}: no such file or directory`],
      [[none], environment, `${none}: no such file or directory`],
      [[folder, '--format', 'csv'], environment, 'illegal operation on a directory'],
      [
        [csv],
        { DATABASE_URL: 'memory:' },
        'this command needs a database, but DATABASE_URL is `memory:`; set it to sqlite:FILE or postgres://...',
      ],
    ] as const)
      expect(await runInProcess(['import', ...words], settings)).to.include({
        code: 1,
        stderr: `error: ${reason}; nothing was stored\n`,
      });
    expect(await runInProcess(['import', dirname(csv)], environment)).to.include({
      code: 2,
      stderr:
        'error: the file name does not show the format; add --format ndjson or --format csv; see `animal-store import --help`\n',
    });
  });

  it('refuses a misspelt field in NDJSON as in CSV, and names what it ignores', async () => {
    const catalogue = await newCatalogue();
    const json = await newFile('animals.ndjson', `${rex}{"name":"Tom","categoryId":2,"Status":"sold"}\n`);
    const csv = await newFile('animals.csv', 'name,categoryId,Status\nTom,2,sold\n');
    for (const [file, reason] of [
      [
        json,
        'line 2: unknown field "Status"; did you mean status?\nerror: 1 of 2 rows invalid; nothing was stored\n',
      ],
      [csv, 'error: line 1: unknown column "Status"; did you mean status?; nothing was stored\n'],
    ] as const)
      expect(await runInProcess(['import', file], catalogue.environment)).to.include({
        code: 1,
        stderr: reason,
      });
    expect(await namesIn(catalogue.file)).to.deep.equal([]);
    const others = await newFile('others.csv', 'id,name,colour,categoryId,"a\u001b"\n7,Tom,x,2,y\n');
    const { stderr } = await runInProcess(['import', others], catalogue.environment);
    expect(stderr).to.equal(
      'warning: ignored unknown fields: "colour", "a\\u001b"\n1 animal stored with the new id 1\n',
    );
  });

  it('warns of numbers of more than 15 digits whose last ones a spreadsheet has rounded to 0', async () => {
    const { environment } = await newCatalogue();
    const numbers = ['9007199254740990', '-9223372036854770000', '9007199254740993', '900719925474000', '10'];
    const rows = numbers.map((number) => `Rex,${number}\n`).join('');
    const file = await newFile('animals.csv', `name,categoryId\n${rows}`);
    const { stderr } = await runInProcess(['import', '--dry-run', file], environment);
    expect(stderr).to.match(
      /^warning: 2 numbers with zeros after 15 digits, which a spreadsheet may have rounded, the first in line 2\n/,
    );
  });

  it('shows office users the value, the row of the spreadsheet and what they may have meant', async () => {
    const { environment } = await newCatalogue();
    const rows = [
      '"Rex\r\nof X",1,',
      'Tom,1,Sold',
      'Max,1,"sold "',
      ' \u00a0,1,',
      `Kim,\x1b${'9'.repeat(60)},gone`,
    ];
    const file = await newFile('animals.csv', `name,categoryId,status\r\n${rows.join('\r\n')}\r\n`);
    const { stderr } = await runInProcess(['import', '--dry-run', '--skip-invalid', file], environment);
    const status = 'status must be one of available, pending, sold';
    expect(stderr).to.equal(
      [
        `line 4 (row 3 of a spreadsheet): ${status}, not "Sold"; did you mean sold?`,
        `line 5 (row 4 of a spreadsheet): ${status}, not "sold "; did you mean sold?`,
        `line 7 (row 6 of a spreadsheet): categoryId must be an integer, not "\\u001b${'9'.repeat(39)}"...; ${status}, not "gone"`,
        'warning: 1 name without a visible character, the first in line 6 (row 5 of a spreadsheet)',
        'dry run: 2 of 5 rows would be stored, 3 invalid rows skipped; nothing was stored\n',
      ].join('\n'),
    );
  });

  it('takes a file as standard input in a folder that the user may not enter', async function () {
    await needsReadableBuild(this);
    const file = await newFile('animals.csv', 'name,categoryId\nRex,1\n');
    chmodSync(dirname(file), 0o755);
    const script = 'exec "$0" "$1" import --dry-run --format csv - <"$2"';
    const command = ['sh', '-c', script, process.execPath, main, file];
    const { stderr, code } = await runUnprivileged(command, {}, await makeFolder());
    expect(code, stderr).to.equal(0);
  });

  it('says as whom it runs if it may not open the file', async function () {
    await needsReadableBuild(this);
    const file = await newFile('animals.csv', 'name,categoryId\n');
    chmodSync(dirname(file), 0o755);
    chmodSync(file, 0o600);
    const command = [process.execPath, main, 'import', '--dry-run', file];
    const { stderr } = await runUnprivileged(command, {});
    expect(stderr).to.match(
      /: .*: permission denied; this command runs as nobody, who may not use the file; nothing was stored\n$/,
    );
  });
});
