/** Rules of ARCHITECTURE.md on imports: between core, adapters and app, and within each of them. */
module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Files that import each other can only be understood together.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'core-is-pure',
      comment: 'The core imports only fp-ts and io-ts: no adapter, no other package and no module of Node.',
      severity: 'error',
      from: { path: '^core/' },
      to: { pathNot: ['^core/', '^node_modules/(fp-ts|io-ts)/'] },
    },
    {
      name: 'client-is-plain',
      comment:
        'A bundle of the client contains neither fp-ts nor io-ts. Of the core, the client loads only the rules and the engine that checks them; imported types add nothing to a bundle.',
      severity: 'error',
      from: { path: ['^adapters/(client|failures)/', '^core/(rules|validation)\\.ts$'] },
      to: {
        pathNot: ['^adapters/(client|failures)/', '^core/(rules|validation)\\.ts$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'adapters-know-the-core-alone',
      comment:
        'Removing an adapter changes no other adapter. Exact JSON, files and the names of failures are the exceptions, because several modules need them.',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/' },
      to: {
        path: ['^adapters/', '^app/', '^test/', '^knexfile'],
        pathNot: ['^adapters/$1/', '^adapters/(failures|files|json)/'],
      },
    },
    {
      name: 'app-is-the-top',
      comment: 'Only tests and knexfile.ts import the composition root.',
      severity: 'error',
      from: { pathNot: ['^app/', '^test/', '^knexfile'] },
      to: { path: '^app/' },
    },
    {
      name: 'product-needs-no-tests',
      severity: 'error',
      comment: 'Shipped code imports no test.',
      from: { path: ['^core/', '^adapters/', '^app/', '^knexfile'] },
      to: { path: '^test/' },
    },
    {
      name: 'adapters-enter-by-the-index',
      comment:
        'The core is imported by its index. The client, and the failures that it loads, import single files of it that load no package.',
      severity: 'error',
      from: { path: '^(adapters|app)/', pathNot: '^adapters/(client|failures)/' },
      to: { path: '^core/(?!index)' },
    },
    {
      name: 'only-knex-loads-the-sqlite-driver',
      comment:
        'The repository of sqlite3 is archived. Another driver of Knex can replace it if no code imports it.',
      severity: 'error',
      from: { pathNot: ['^test/adapters/knex/', '^test/deploy/'] },
      to: { path: '^node_modules/sqlite3/' },
    },
    {
      name: 'http-operations-know-no-koa',
      comment: 'Any web framework can serve the operations.',
      severity: 'error',
      from: { path: ['^adapters/http/operations/', '^adapters/http/fetch\\.ts$'] },
      to: { path: ['^adapters/http/koa\\.ts$', '^node_modules/@?koa/'] },
    },
    {
      name: 'http-library-knows-no-service',
      comment:
        'The library contains the operations and their mount in Koa, but not the service and its server.',
      severity: 'error',
      from: { path: ['^adapters/http/operations/', '^adapters/http/(fetch|koa|public)\\.ts$'] },
      to: { path: '^adapters/http/(application|server)/' },
    },
    {
      name: 'http-server-knows-no-koa',
      comment:
        'The HTTP server runs any request listener. It shares only the messages of HTTP with the application.',
      severity: 'error',
      from: { path: '^adapters/http/server/' },
      to: { path: ['^adapters/', '^node_modules/'], pathNot: '^adapters/http/(message|server)/' },
    },
    {
      name: 'http-message-is-the-base',
      comment: 'The server and the operations share the messages of HTTP, and nothing else.',
      severity: 'error',
      from: { path: '^adapters/http/message/' },
      to: { path: '^adapters/', pathNot: '^adapters/(http/message|json)/' },
    },
    {
      name: 'pages-use-the-client-alone',
      comment:
        'A browser loads the scripts of the pages as they are. They call the service through the bundle of the client, which the build puts next to them.',
      severity: 'error',
      from: { path: '^adapters/web/' },
      to: { pathNot: ['^adapters/web/', '^\\./client\\.mjs$'] },
    },
    {
      name: 'no-undeclared-packages',
      comment:
        'package.json lists each package that the product imports as a dependency or a peer dependency.',
      severity: 'error',
      from: { path: ['^core/', '^adapters/', '^app/', '^knexfile'], pathNot: '^adapters/web/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        dependencyTypesNot: ['npm-peer', 'type-only'],
      },
    },
    {
      name: 'knex-database-is-the-base',
      comment: 'Code that both databases share imports no code of either.',
      severity: 'error',
      from: { path: '^adapters/knex/database/' },
      to: { path: '^adapters/knex/', pathNot: '^adapters/knex/database/' },
    },
    {
      name: 'sqlite-and-postgres-stay-apart',
      comment: 'Each database can be understood and removed without the other.',
      severity: 'error',
      from: { path: '^adapters/knex/(sqlite|postgres)/' },
      to: { path: '^adapters/knex/[^/]+/', pathNot: '^adapters/knex/($1|database|migrations)/' },
    },
    {
      name: 'ports-know-no-engine',
      comment: 'The repository and the API keys work on any StoreDatabase.',
      severity: 'error',
      from: { path: '^adapters/knex/(pets|api-keys)/' },
      to: { path: '^adapters/knex/[^/]+/', pathNot: '^adapters/knex/($1|database)/' },
    },
    {
      name: 'settings-and-terminal-are-the-base',
      comment: 'Settings and terminal are used by all commands, and import none.',
      severity: 'error',
      from: { path: '^app/(settings|terminal)/' },
      to: { path: '^app/', pathNot: '^app/$1/' },
    },
    {
      name: 'failures-are-the-base',
      comment: 'Failures are thrown everywhere in the app.',
      severity: 'error',
      from: { path: '^app/failures/' },
      to: { path: '^app/', pathNot: '^app/(failures|settings)/' },
    },
    {
      name: 'store-serves-any-command',
      comment: 'Opening a store is the same for all commands.',
      severity: 'error',
      from: { path: '^app/store/' },
      to: { path: '^app/(serve|transfer)/' },
    },
    {
      name: 'serve-and-transfer-stay-apart',
      comment: 'The service transfers no files of animals, and a transfer serves no requests.',
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
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'types', 'default'] },
  },
};
