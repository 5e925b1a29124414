/** The dependency rules of ARCHITECTURE.md: core <- adapters <- app, and a few inside of packages. */
module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'A circle has no bottom to read from.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'core-is-pure',
      comment: 'The core imports fp-ts and io-ts, nothing else: no adapter, no package, no Node module.',
      severity: 'error',
      from: { path: '^core/' },
      to: { pathNot: ['^core/', '^node_modules/(fp-ts|io-ts)/'] },
    },
    {
      name: 'client-is-plain',
      comment:
        'A bundle of the client has neither fp-ts nor io-ts: of the core it loads only the rules. Types cost nothing.',
      severity: 'error',
      from: { path: ['^adapters/client/', '^core/rules\\.ts$'] },
      to: { pathNot: ['^adapters/client/', '^core/rules\\.ts$'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'adapters-know-the-core-alone',
      comment:
        'An adapter can be removed without touching another one or the app. Exact JSON serves several of them.',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/' },
      to: {
        path: ['^adapters/', '^app/', '^test/', '^knexfile'],
        pathNot: ['^adapters/$1/', '^adapters/json/'],
      },
    },
    {
      name: 'app-is-the-top',
      comment: 'Nothing but the tests and knexfile.ts imports the composition root.',
      severity: 'error',
      from: { pathNot: ['^app/', '^test/', '^knexfile'] },
      to: { path: '^app/' },
    },
    {
      name: 'product-needs-no-tests',
      severity: 'error',
      comment: 'What is shipped does not import what tests it.',
      from: { path: ['^core/', '^adapters/', '^app/', '^knexfile'] },
      to: { path: '^test/' },
    },
    {
      name: 'adapters-enter-by-the-index',
      comment:
        'The core is used through its index, and by the client through the files that load no package.',
      severity: 'error',
      from: { path: '^(adapters|app)/', pathNot: '^adapters/client/' },
      to: { path: '^core/(?!index)' },
    },
    {
      name: 'one-file-knows-the-sqlite-driver',
      comment: 'sqlite3 is archived: what knows it can be replaced in one place.',
      severity: 'error',
      from: { pathNot: ['^adapters/knex/sqlite/sqlite\\.ts$', '^test/adapters/knex/', '^test/deploy/'] },
      to: { path: '^node_modules/sqlite3/' },
    },
    {
      name: 'no-undeclared-packages',
      comment: 'Each package that the product imports is a dependency of its own, or a peer.',
      severity: 'error',
      from: { path: ['^core/', '^adapters/', '^app/', '^knexfile'] },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        dependencyTypesNot: ['npm-peer', 'type-only'],
      },
    },
    {
      name: 'knex-database-is-the-base',
      comment: 'What both databases share does not know who uses it.',
      severity: 'error',
      from: { path: '^adapters/knex/database/' },
      to: { path: '^adapters/knex/', pathNot: '^adapters/knex/database/' },
    },
    {
      name: 'sqlite-and-postgres-stay-apart',
      comment: 'Either database can be understood, and removed, without the other.',
      severity: 'error',
      from: { path: '^adapters/knex/(sqlite|postgres)/' },
      to: { path: '^adapters/knex/[^/]+/', pathNot: '^adapters/knex/($1|database|migrations)/' },
    },
    {
      name: 'ports-know-no-engine',
      comment: 'The repository and the API keys work on any Database.',
      severity: 'error',
      from: { path: '^adapters/knex/(pets|api-keys)/' },
      to: { path: '^adapters/knex/[^/]+/', pathNot: '^adapters/knex/($1|database)/' },
    },
    {
      name: 'settings-and-terminal-are-the-base',
      comment: 'Settings and terminal serve every command, and know none.',
      severity: 'error',
      from: { path: '^app/(settings|terminal)/' },
      to: { path: '^app/', pathNot: '^app/($1/|error-code)' },
    },
    {
      name: 'store-serves-any-command',
      comment: 'Opening a store does not know what it is opened for.',
      severity: 'error',
      from: { path: '^app/store/' },
      to: { path: '^app/(serve|transfer)/' },
    },
    {
      name: 'serve-and-transfer-stay-apart',
      comment: 'The service reads and writes no files of animals; a transfer serves no requests.',
      severity: 'error',
      from: { path: '^app/(serve|transfer)/' },
      to: { path: '^app/(serve|transfer)/', pathNot: '^app/$1/' },
    },
    {
      name: 'commands-are-the-top',
      comment: 'Only main.ts and the commands themselves import a command.',
      severity: 'error',
      from: { path: '^app/', pathNot: ['^app/commands/', '^app/main\\.ts$'] },
      to: { path: '^app/commands/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Scripts of pages, next to which the build puts what they import.
    exclude: { path: '^adapters/http/docs/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'types', 'default'] },
  },
};
