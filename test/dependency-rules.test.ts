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
import { projectFolder } from './support/command';
import { makeFolder, removeFolders } from './support/temporary-folder';

const product = ['core', 'adapters', 'app', 'knexfile.ts'];

/** An import that must not be: what is reported, where it is added, and what it imports. */
const breaches: ReadonlyArray<readonly [ReadonlyArray<string>, string, string]> = [
  [['no-circles'], 'core/pets/pet-id.ts', "import './pet';"],
  [
    ['no-circles', 'adapters/http/responses'],
    'adapters/http/responses/outcome.ts',
    "import type {} from '../application/http-application';",
  ],
  [['core-is-pure'], 'core/pets/pet.ts', "import 'node:crypto';"],
  [['core-is-pure'], 'core/pets/pet.ts', "import 'koa';"],
  [['core-is-pure'], 'core/pets/pet.ts', "import type {} from '../../adapters/knex/database/with-timeout';"],
  [
    ['adapters-know-the-core-alone'],
    'adapters/knex/sqlite/sqlite.ts',
    "import '../../http/server/connection';",
  ],
  [
    ['adapters-know-the-core-alone'],
    'adapters/http/responses/outcome.ts',
    "import type {} from '../../in-memory';",
  ],
  [
    ['adapters-know-the-core-alone', 'app-is-the-top'],
    'adapters/http/responses/outcome.ts',
    "import '../../../app/failures/start-failure';",
  ],
  [['app-is-the-top'], 'tools/tool.ts', "import '../app/settings/settings';"],
  [['product-needs-no-tests'], 'app/settings/settings.ts', "import '../../test/support/command';"],
  [
    ['adapters-enter-by-the-index'],
    'adapters/http/responses/outcome.ts',
    "import '../../../core/pets/pet-id';",
  ],
  [
    ['adapters-enter-by-the-index'],
    'app/settings/settings.ts',
    "import type {} from '../../core/codecs/int64';",
  ],
  [['koa-stays-in-its-rooms'], 'adapters/http/server/connection.ts', "import 'koa';"],
  [['one-file-knows-the-sqlite-driver'], 'adapters/knex/postgres/postgres.ts', "import 'sqlite3';"],
  [['no-undeclared-packages'], 'app/settings/settings.ts', "import 'chai';"],
  [['no-undeclared-packages'], 'adapters/http/responses/outcome.ts', "import 'bytes';"],
  [['no-undeclared-packages'], 'app/settings/settings.ts', "import 'no-such-package';"],
];

const readRules = async () => {
  const { default: read } = await import('dependency-cruiser/config-utl/extract-depcruise-config');
  return read(join(projectFolder, '.dependency-cruiser.cjs'));
};

const violations = async (folder: string, files: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
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
  return output.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
};

const copyOfTheProduct = async (): Promise<string> => {
  const folder = await makeFolder();
  for (const path of [...product, 'test/support', 'package.json', 'tsconfig.json']) {
    cpSync(join(projectFolder, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  return folder;
};

describe('The dependency rules', function () {
  this.timeout(30_000);
  afterEach(removeFolders);

  it('hold', async () => {
    expect(await violations(projectFolder, [...product, 'test'])).to.deep.equal([]);
  });

  for (const [rules, file, statement] of breaches) {
    it(`report ${rules.join(' and ')} when ${file} says ${statement}`, async () => {
      const folder = await copyOfTheProduct();
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      appendFileSync(join(folder, file), `\n${statement}\n`);
      const reported = await violations(folder, [file]);
      expect(new Set(reported.map((violation) => violation.split(':')[0]))).to.deep.equal(new Set(rules));
    });
  }

  it('that are not of rooms are each broken once above', async () => {
    const isOfNoRoom = (name: string): boolean => !name.includes('/');
    const names = (await readRules()).forbidden?.map(({ name = '' }) => name).filter(isOfNoRoom);
    const broken = breaches.flatMap(([rules]) => rules).filter(isOfNoRoom);
    expect(new Set(broken)).to.deep.equal(new Set(names));
  });
});

interface Room {
  readonly house: string;
  readonly name: string;
  readonly mayImport: ReadonlyArray<string>;
}

/** The table of rooms in ARCHITECTURE.md. */
const documentedRooms = (): ReadonlyArray<Room> =>
  [
    ...readFileSync(join(projectFolder, 'ARCHITECTURE.md'), 'utf8').matchAll(
      /^\| `((?:adapters\/)?[^`/]+)\/([^`/]+)` +\| ([^|]+?) +\|/gm,
    ),
  ].map(([, house = '', name = '', others = '']) => ({
    house,
    name,
    mayImport: others === '-' ? [] : others.split(', '),
  }));

describe('The rooms', function () {
  this.timeout(60_000);
  afterEach(removeFolders);

  it('are those of ARCHITECTURE.md', () => {
    for (const house of new Set(documentedRooms().map((room) => room.house))) {
      const folders = readdirSync(join(projectFolder, house), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);
      const documented = documentedRooms().filter((room) => room.house === house);
      expect(documented.map(({ name }) => name)).to.have.members(folders);
    }
  });

  it('import each other as ARCHITECTURE.md says, and in no other way', async () => {
    const folder = await copyOfTheProduct();
    const refused: Array<string> = [];
    const rooms = documentedRooms();
    for (const { house, name, mayImport } of rooms) {
      writeFileSync(join(folder, house, name, 'a-target.ts'), 'export const target = 1;\n');
      const others = rooms.filter((other) => other.house === house && other.name !== name);
      for (const other of others) {
        const file = `${house}/${name}/imports-${other.name}.ts`;
        writeFileSync(join(folder, file), `import '../${other.name}/a-target';\n`);
        if (!mayImport.includes(other.name)) {
          refused.push(`${house}/${name}: ${file} -> ${house}/${other.name}/a-target.ts`);
        }
      }
    }
    const reported = await violations(folder, [...new Set(rooms.map(({ house }) => house))]);
    expect(reported).to.have.members(refused);
  });
});
