import { expect } from 'chai';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFolder } from './support/processes/command';
import { makeFolder, removeFolders } from './support/temporary-folder';

const product = ['core', 'adapters', 'app', 'knexfile.ts'];

/** Forbidden imports: the rules that must report it, the file to which the import is added, and the import. */
const breaches: ReadonlyArray<readonly [ReadonlyArray<string>, string, string]> = [
  [['no-circles'], 'core/codec.ts', "import './pets';"],
  [['no-circles'], 'adapters/http/errors.ts', "import type {} from './app';"],
  [['core-is-pure'], 'core/hashed.ts', "import 'node:crypto';"],
  [['core-is-pure'], 'core/routed.ts', "import 'koa';"],
  [['core-is-pure'], 'core/stored.ts', "import type {} from '../adapters/knex/database/connections';"],
  [['adapters-know-the-core-alone'], 'adapters/knex/sqlite/served.ts', "import '../../http/errors';"],
  [
    ['adapters-know-the-core-alone'],
    'adapters/http/handlers/kept.ts',
    "import type {} from '../../in-memory';",
  ],
  [
    ['adapters-know-the-core-alone', 'app-is-the-top'],
    'adapters/http/handlers/explained.ts',
    "import '../../../app/failures';",
  ],
  [['http-server-stands-alone'], 'adapters/http-server/domain.ts', "import '../../core';"],
  [
    ['http-server-stands-alone', 'adapters-enter-by-the-index'],
    'adapters/http-server/timed.ts',
    "import '../../core/ports';",
  ],
  [['http-server-stands-alone'], 'adapters/http-server/routed.ts', "import type {} from 'koa';"],
  [['app-is-the-top'], 'tools/tool.ts', "import '../app/settings';"],
  [['product-needs-no-tests'], 'app/serve/tested.ts', "import '../../test/support/processes/command';"],
  [['adapters-enter-by-the-index'], 'adapters/http/handlers/deep.ts', "import '../../../core/pets';"],
  [['adapters-enter-by-the-index'], 'app/serve/deep.ts', "import type {} from '../../core/codec';"],
  [['one-file-knows-the-sqlite-driver'], 'adapters/knex/postgres/driver.ts', "import 'sqlite3';"],
  [['knex-database-is-the-base'], 'adapters/knex/database/engine.ts', "import '../sqlite/sqlite';"],
  [['knex-database-is-the-base'], 'adapters/knex/database/batch.ts', "import '../batcher';"],
  [['sqlite-and-postgres-stay-apart'], 'adapters/knex/sqlite/other.ts', "import '../postgres/postgres';"],
  [
    ['sqlite-and-postgres-stay-apart'],
    'adapters/knex/postgres/keys.ts',
    "import '../api-keys/knex-authenticate';",
  ],
  [['ports-know-no-engine'], 'adapters/knex/pets/file.ts', "import '../sqlite/sqlite';"],
  [['ports-know-no-engine'], 'adapters/knex/api-keys/schema.ts', "import '../migrations/migrations';"],
  [['settings-and-terminal-are-the-base'], 'app/settings.ts', "import './terminal/terminal';"],
  [['settings-and-terminal-are-the-base'], 'app/terminal/opened.ts', "import '../backend/backend';"],
  [['commands-are-the-top'], 'app/serve/started.ts', "import '../commands/command-line';"],
  [['no-undeclared-packages'], 'app/serve/undeclared.ts', "import 'chai';"],
  [['no-undeclared-packages'], 'adapters/http/handlers/undeclared.ts', "import 'bytes';"],
  [['no-undeclared-packages'], 'app/serve/missing.ts', "import 'no-such-package';"],
];

const readRules = async () => {
  const { default: read } = await import('dependency-cruiser/config-utl/extract-depcruise-config');
  return read(join(projectFolder, '.dependency-cruiser.cjs'));
};

interface Violation {
  readonly rule: string;
  /** File with the import. A circular import is reported once, for any of its files. */
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

describe('The dependency rules', function () {
  let reported: ReadonlyArray<Violation>;
  before('break them all in a copy of the product', async () => {
    const folder = await copyOfTheProduct();
    for (const [, file, statement] of breaches) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      appendFileSync(join(folder, file), `\n${statement}\n`);
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

  it('are each broken once above', async () => {
    const names = (await readRules()).forbidden?.map(({ name = '' }) => name);
    expect(new Set(breaches.flatMap(([rules]) => rules))).to.deep.equal(new Set(names));
  });

  it('have a row in ARCHITECTURE.md for each package', () => {
    const text = readFileSync(join(projectFolder, 'ARCHITECTURE.md'), 'utf8');
    const adapters = readdirSync(join(projectFolder, 'adapters')).map((name) => `adapters/${name}`);
    for (const name of ['core', ...adapters, 'app', 'test']) {
      expect(text, name).to.match(new RegExp(`^\\|[^|]*\`${name}\``, 'm'));
    }
  });
});
