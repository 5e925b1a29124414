import { expect } from 'chai';
import { appendFileSync, cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFolder } from './support/command';
import { makeFolder, removeFolders } from './support/temporary-folder';

const product = ['core', 'adapters', 'app', 'knexfile.ts'];

/** An import that must not be: what is reported, where it is added, and what it imports. */
const breaches: ReadonlyArray<readonly [ReadonlyArray<string>, string, string]> = [
  [['no-circles'], 'core/pets/pet-id.ts', "import './pet';"],
  [
    ['no-circles'],
    'adapters/http/responses/respond.ts',
    "import type {} from '../application/http-application';",
  ],
  [['rooms-of-core-import-one-way'], 'core/keys/key-id.ts', "import '../pets/pet-id';"],
  [['rooms-of-core-import-one-way'], 'core/codecs/int64.ts', "import type {} from '../keys/key-id';"],
  [
    ['rooms-of-adapters-knex-import-one-way'],
    'adapters/knex/database/silent-log.ts',
    "import type {} from '../batching/batches-of';",
  ],
  [['core-is-pure'], 'core/pets/pet.ts', "import 'node:crypto';"],
  [['core-is-pure'], 'core/pets/pet.ts', "import 'koa';"],
  [['core-is-pure'], 'core/pets/pet.ts', "import type {} from '../../adapters/knex/database/with-timeout';"],
  [
    ['adapters-know-the-core-alone'],
    'adapters/knex/sqlite/sqlite.ts',
    "import '../../http/server/raw-answer';",
  ],
  [
    ['adapters-know-the-core-alone'],
    'adapters/http/responses/respond.ts',
    "import type {} from '../../in-memory';",
  ],
  [
    ['adapters-know-the-core-alone', 'app-is-the-top'],
    'adapters/http/responses/respond.ts',
    "import '../../../app/failures/start-failure';",
  ],
  [['app-is-the-top'], 'tools/tool.ts', "import '../app/settings/settings';"],
  [['product-needs-no-tests'], 'app/settings/settings.ts', "import '../../test/support/command';"],
  [
    ['adapters-enter-by-the-index'],
    'adapters/http/responses/respond.ts',
    "import '../../../core/pets/pet-id';",
  ],
  [
    ['adapters-enter-by-the-index'],
    'app/settings/settings.ts',
    "import type {} from '../../core/codecs/int64';",
  ],
  [['one-file-knows-the-sqlite-driver'], 'adapters/knex/postgres/postgres.ts', "import 'sqlite3';"],
  [['no-undeclared-packages'], 'app/settings/settings.ts', "import 'chai';"],
  [['no-undeclared-packages'], 'adapters/http/responses/respond.ts', "import 'bytes';"],
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

  it('are each broken once above', async () => {
    const names = (await readRules()).forbidden?.map(({ name }) => name);
    expect(new Set(breaches.flatMap(([rules]) => rules))).to.deep.equal(new Set(names));
  });
});
