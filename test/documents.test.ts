import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import document from '../adapters/http/openapi.json';
import { type FieldRule, newPetRules } from '../core';
import { decodeDocument, responseOf } from './support/openapi/document';
import { markdownBlocks } from './support/markdown';
import { projectFolder } from './support/processes/command';

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return [path];
    const isOurs = entry.isDirectory() && !/^(?:\.|node_modules$|dist$)/.test(entry.name);
    return isOurs ? filesIn(path) : [];
  });

const allFiles = filesIn(projectFolder);

/** Text of each Markdown file of the project, by path. */
const pages = new Map(
  allFiles
    .filter((file) => file.endsWith('.md'))
    .map((file) => [relative(projectFolder, file), readFileSync(file, 'utf8')]),
);

const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '');

/** Returns the anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

const anchorsIn = (file: string): ReadonlyArray<string> =>
  [...withoutCode(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    anchorOf(heading),
  );

const linksIn = (text: string): ReadonlyArray<string> =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

const leadsSomewhere = (page: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? join(projectFolder, page) : join(projectFolder, dirname(page), path);
  if (!existsSync(file)) return false;
  return anchor === undefined || (statSync(file).isFile() && anchorsIn(file).includes(anchor));
};

describe('The documents', () => {
  it('have links that lead to files and headings', () => {
    const broken = [...pages].flatMap(([page, text]) =>
      linksIn(text)
        .filter((link) => !leadsSomewhere(page, link))
        .map((link) => `${page}: ${link}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('name tests that exist', () => {
    const names = new Set(allFiles.map((file) => basename(file)));
    const named = [...pages].flatMap(([page, text]) =>
      [...withoutCode(text).matchAll(/([\w/.-]+\.(?:test|slow|engine)\.ts)/g)].map(
        ([, name = '']) => [page, name] as const,
      ),
    );
    expect(named.filter(([, name]) => !names.has(basename(name)))).to.deep.equal([]);
  });

  it('are listed in docs/README.md', () => {
    const listed = linksIn(pages.get('docs/README.md') ?? '');
    const others = readdirSync(join(projectFolder, 'docs')).filter(
      (name) => name.endsWith('.md') && name !== 'README.md',
    );
    expect(listed).to.include.members(others);
  });

  it('say what to do at each alert, and the alerts refer only to alerts', () => {
    const rules = readFileSync(join(projectFolder, 'deploy/prometheus/animal-store.rules.yaml'), 'utf8');
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const rows = [...(pages.get('docs/operations.md') ?? '').matchAll(/^\| `(AnimalStore\w+)`/gm)];
    expect(rows.map(([, name]) => name)).to.have.members(alerts);
    expect(alerts).to.include.members(rules.match(/AnimalStore\w+/g) ?? []);
  });

  it('name no form of the systemd unit in a command that is for all instances', () => {
    const alerts = readFileSync(join(projectFolder, 'deploy/prometheus/animal-store.rules.yaml'), 'utf8');
    const form =
      /(?:systemctl (?:start|stop|restart|status)|journalctl --unit)[ =]animal-store(?![-.\w])[^\n]*/g;
    expect([...pages.values(), alerts].flatMap((text) => text.match(form) ?? [])).to.deep.equal([]);
  });

  it('have a row in ARCHITECTURE.md for each package', () => {
    const adapters = readdirSync(join(projectFolder, 'adapters')).map((name) => `adapters/${name}`);
    for (const name of ['core', ...adapters, 'app', 'test']) {
      expect(pages.get('ARCHITECTURE.md'), name).to.match(new RegExp(`^\\|[^|]*\`${name}\``, 'm'));
    }
  });
});

const contract = decodeDocument(document);

interface Operation {
  readonly request: string;
  readonly success: string;
  readonly parameters: ReadonlyArray<string>;
  /** Names of the fields of the body, and values of the enumerations among them. */
  readonly body: ReadonlyArray<string>;
}

const { NewPet, PetStatus } = document.components.schemas;

const operations: ReadonlyArray<Operation> = Object.entries(contract.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { parameters, requestBody, responses }]) => ({
    request: `${method.toUpperCase()} /v1${path}`,
    success: Object.keys(responses).find((status) => status < '400') ?? '',
    parameters: parameters.filter((each) => each.in !== 'path').map(({ name }) => name),
    body: requestBody === undefined ? [] : [...Object.keys(NewPet.properties), ...PetStatus.enum],
  })),
);

/** Returns the cells of each row of a page's tables. */
const rowsOf = (page: string): ReadonlyArray<ReadonlyArray<string>> =>
  (pages.get(page) ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));

/** Returns the table of operations of a page: for each request, such as `GET /v1/pets`, the text of its other cells. */
const operationRows = (page: string) =>
  new Map(
    rowsOf(page)
      .map(([request = '', ...others]) => [request.replaceAll('`', ''), others.join(' ')] as const)
      .filter(([request]) => /^[A-Z]+ \/v1\//.test(request)),
  );

const namesIn = (cells = ''): ReadonlyArray<string> =>
  Array.from(cells.matchAll(/`([\w-]+)`/g), ([, name = '']) => name);

describe('The tables of operations', () => {
  for (const page of ['README.md', 'docs/http-api.md']) {
    it(`in ${page} have the operations and parameters of openapi.json`, () => {
      const rows = operationRows(page);
      expect([...rows.keys()]).to.have.members(operations.map(({ request }) => request));
      for (const { request, success, parameters, body } of operations) {
        const cells = rows.get(request);
        const names = page === 'README.md' ? parameters : [...parameters, ...body];
        expect([...new Set(namesIn(cells))], `names in ${request}`).to.have.members(names);
        if (page !== 'README.md') expect(cells, request).to.match(new RegExp(`^${success} `));
      }
    });

    it(`in ${page} say which operations will be removed, and when`, () => {
      const rows = operationRows(page);
      for (const [path, item] of Object.entries(contract.paths)) {
        for (const [method, { 'x-sunset': sunset }] of Object.entries(item)) {
          const [, removal] =
            /removed on ([^.]+)\./.exec(rows.get(`${method.toUpperCase()} /v1${path}`) ?? '') ?? [];
          const date = removal && new Date(`${removal} UTC`).toISOString().slice(0, 10);
          expect(date, `removal of ${method} ${path}`).to.equal(sunset);
        }
      }
    });
  }

  it('in docs/http-api.md have the range and the default of limit', () => {
    const { minimum, maximum, default: size } = document.paths['/pets'].get.parameters[0]?.schema ?? {};
    expect(pages.get('docs/http-api.md')).to.include(`\`limit\` (${minimum} to ${maximum}, default ${size})`);
  });
});

describe('A field of an animal', () => {
  const readPageFile = (name: string) => readFileSync(join(projectFolder, 'adapters/web', name), 'utf8');
  const catalogue = readPageFile('catalogue.html');
  const [, integers] = /^const integers = \[(.*)\];$/m.exec(readPageFile('programs.mjs')) ?? [];

  for (const [name, rule] of Object.entries<FieldRule>(newPetRules)) {
    it(`is named by the page, its form and the documents: ${name}`, () => {
      const [filters, form = ''] = catalogue.split(/(?=id="new-name")/);
      expect(form, 'the form of the page').to.include(`name="${name}"`);
      expect(filters?.includes(`name="${name}"`), 'the filters of the page').to.equal(rule.filter === true);
      if (rule.kind === 'text')
        expect(form).to.include(`At most ${rule.maxLength.toLocaleString('en')} characters`);
      if (rule.kind === 'enumeration') {
        const valuesIn = (html = '', start: string) =>
          Array.from(html.matchAll(new RegExp(`${start} value="(\\w+)"`, 'g')), ([, value]) => value);
        expect(valuesIn(filters, `name="${name}"`), 'the filter').to.deep.equal(rule.values);
        expect(valuesIn(form, '<option'), 'the choices of the form').to.deep.equal(rule.values);
      }
      expect(integers?.includes(`'${name}'`), 'the integers of the examples').to.equal(rule.kind === 'int64');
      expect(operationRows('docs/http-api.md').get('POST /v1/pets'), 'docs/http-api.md').to.include(
        `\`${name}\``,
      );
      const commands = pages.get('docs/command-line.md') ?? '';
      expect(commands, 'columns of an export').to.match(
        new RegExp(`^npx \\S+ export .*# .*\\b${name}\\b`, 'm'),
      );
      expect(commands, 'columns of an import').to.match(new RegExp(`reads only .*\`${name}\``));
    });
  }
});

describe('docs/http-api.md', () => {
  it('lists the codes of openapi.json after which a request can be sent again', () => {
    const declared = new Set(
      Object.values(contract.paths).flatMap((item) =>
        Object.values(item).flatMap((operation) =>
          Object.keys(operation.responses).flatMap((status) =>
            namesIn(responseOf(contract, operation, status)?.description),
          ),
        ),
      ),
    );
    const retried = Array.from(
      contract.info.description.matchAll(/^\| `(\w+)` \| (\d+) \| yes/gm),
      ([, code = '', status = '']) => ({ code, status }),
    );
    const listed = rowsOf('docs/http-api.md')
      .filter(([status = '']) => /^\d+$/.test(status))
      .map(([status = '', code = '']) => ({ code: code.replaceAll('`', ''), status }));
    expect(listed).to.have.deep.members(retried.filter(({ code }) => declared.has(code)));
  });

  it('shows an error as openapi.json does', () => {
    const shown = markdownBlocks('docs/http-api.md').find(({ language }) => language === 'json');
    const { examples } = document.paths['/pets'].get.responses['400'].content['application/json'];
    expect(JSON.parse(shown?.text ?? '')).to.deep.equal(examples.InvalidQuery.value);
  });
});
