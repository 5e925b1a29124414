import { expect } from 'chai';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFolder } from './support/processes/command';
import { makeFolder, removeFolders } from './support/temporary-folder';

const product = ['core', 'adapters', 'app', 'knexfile.ts'];

/** An import that must not be: the rules that are reported, the file that it is added to, and the import. */
const breaches: ReadonlyArray<readonly [ReadonlyArray<string>, string, string]> = [
  [['no-circles'], 'core/pets/pet-id.ts', "import './pet';"],
  [
    ['no-circles', 'adapters/http/responses'],
    'adapters/http/responses/outcome.ts',
    "import type {} from '../application/http-application';",
  ],
  [['core-is-pure'], 'core/pets/hashed.ts', "import 'node:crypto';"],
  [['core-is-pure'], 'core/pets/routed.ts', "import 'koa';"],
  [
    ['core-is-pure'],
    'core/pets/stored.ts',
    "import type {} from '../../adapters/knex/database/with-timeout';",
  ],
  [
    ['adapters-know-the-core-alone'],
    'adapters/knex/sqlite/served.ts',
    "import '../../http/server/connection';",
  ],
  [
    ['adapters-know-the-core-alone'],
    'adapters/http/responses/kept.ts',
    "import type {} from '../../in-memory';",
  ],
  [
    ['adapters-know-the-core-alone', 'app-is-the-top'],
    'adapters/http/responses/explained.ts',
    "import '../../../app/failures/start-failure';",
  ],
  [['app-is-the-top'], 'tools/tool.ts', "import '../app/settings/settings';"],
  [['product-needs-no-tests'], 'app/settings/tested.ts', "import '../../test/support/processes/command';"],
  [['adapters-enter-by-the-index'], 'adapters/http/responses/deep.ts', "import '../../../core/pets/pet-id';"],
  [['adapters-enter-by-the-index'], 'app/settings/deep.ts', "import type {} from '../../core/codecs/int64';"],
  [['koa-stays-in-its-rooms'], 'adapters/http/server/koa-server.ts', "import 'koa';"],
  [['one-file-knows-the-sqlite-driver'], 'adapters/knex/postgres/driver.ts', "import 'sqlite3';"],
  [['no-undeclared-packages'], 'app/settings/undeclared.ts', "import 'chai';"],
  [['no-undeclared-packages'], 'adapters/http/responses/undeclared.ts', "import 'bytes';"],
  [['no-undeclared-packages'], 'app/settings/missing.ts', "import 'no-such-package';"],
];

const readRules = async () => {
  const { default: read } = await import('dependency-cruiser/config-utl/extract-depcruise-config');
  return read(join(projectFolder, '.dependency-cruiser.cjs'));
};

interface Violation {
  readonly rule: string;
  /** The file that imports; of a circle each file, since the circle is reported once. */
  readonly from: ReadonlyArray<string>;
}

const violations = async (
  folder: string,
  files: ReadonlyArray<string>,
): Promise<ReadonlyArray<Violation>> => {
  const { cruise } = await import('dependency-cruiser');
  const { options, ...ruleSet } = await readRules();
  const { output } = await cruise([...files], {
    ...options,
    baseDir: folder,
    preserveSymlinks: true,
    validate: true,
    ruleSet,
  });
  if (typeof output === 'string') throw new TypeError('dependency-cruiser answered with a text');
  return output.summary.violations.map(({ rule, from, cycle = [] }) => ({
    rule: rule.name,
    from: [from, ...cycle.map(({ name }) => name)],
  }));
};

const copyOfTheProduct = async (): Promise<string> => {
  const folder = await makeFolder();
  for (const path of [...product, 'test/support', 'package.json', 'tsconfig.json']) {
    cpSync(join(projectFolder, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  return folder;
};

interface Room {
  readonly house: string;
  readonly name: string;
  readonly mayImport: ReadonlyArray<string>;
}

/** The table of rooms in ARCHITECTURE.md. */
const rooms: ReadonlyArray<Room> = [
  ...readFileSync(join(projectFolder, 'ARCHITECTURE.md'), 'utf8').matchAll(
    /^\| `((?:adapters\/)?[^`/]+)\/([^`/]+)` +\| ([^|]+?) +\|/gm,
  ),
].map(([, house = '', name = '', others = '']) => ({
  house,
  name,
  mayImport: others === '-' ? [] : others.split(', '),
}));

/** Each import from one room of a house to another, in a file of its own, and whether it may be. */
const roomImports = rooms.flatMap(({ house, name, mayImport }) =>
  rooms
    .filter((other) => other.house === house && other.name !== name)
    .map((other) => ({
      room: `${house}/${name}`,
      file: `${house}/${name}/imports-${other.name}.ts`,
      imported: other.name,
      isAllowed: mayImport.includes(other.name),
    })),
);

describe('The dependency rules', function () {
  let reported: ReadonlyArray<Violation>;
  before('break them all in a copy of the product', async () => {
    const folder = await copyOfTheProduct();
    for (const [, file, statement] of breaches) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      appendFileSync(join(folder, file), `\n${statement}\n`);
    }
    for (const { house, name } of rooms) {
      writeFileSync(join(folder, house, name, 'a-target.ts'), 'export const target = 1;\n');
    }
    for (const { file, imported } of roomImports) {
      writeFileSync(join(folder, file), `import '../${imported}/a-target';\n`);
    }
    reported = await violations(folder, [...product, 'tools']);
  });
  after(removeFolders);

  it('hold', async () => {
    expect(await violations(projectFolder, [...product, 'test'])).to.deep.equal([]);
  });

  for (const [rules, file, statement] of breaches) {
    it(`report ${rules.join(' and ')} when ${file} says ${statement}`, () => {
      const found = reported.filter(({ from }) => from.includes(file)).map(({ rule }) => rule);
      expect(new Set(found)).to.deep.equal(new Set(rules));
    });
  }

  it('that are not of rooms are each broken once above', async () => {
    const isOfNoRoom = (name: string): boolean => !name.includes('/');
    const names = (await readRules()).forbidden?.map(({ name = '' }) => name).filter(isOfNoRoom);
    const broken = breaches.flatMap(([rules]) => rules).filter(isOfNoRoom);
    expect(new Set(broken)).to.deep.equal(new Set(names));
  });

  it('know the rooms of ARCHITECTURE.md', () => {
    for (const house of new Set(rooms.map((room) => room.house))) {
      const folders = readdirSync(join(projectFolder, house), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);
      const documented = rooms.filter((room) => room.house === house);
      expect(documented.map(({ name }) => name)).to.have.members(folders);
    }
  });

  it('have rooms import each other as ARCHITECTURE.md says, and in no other way', () => {
    const refused = roomImports
      .filter(({ isAllowed }) => !isAllowed)
      .map(({ room, file }) => `${room}: ${file}`);
    const files = new Set(roomImports.map(({ file }) => file));
    const found = reported.flatMap(({ rule, from }) =>
      from.filter((file) => files.has(file)).map((file) => `${rule}: ${file}`),
    );
    expect(found).to.have.members(refused);
  });
});
