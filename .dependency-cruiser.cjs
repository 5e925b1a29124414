/**
 * The dependency rules of ARCHITECTURE.md: core <- adapters <- app, and inside them which room may import which. What
 * stands in no room (an index, a main, a file that all rooms share) is free.
 */
const rooms = {
  core: {
    codecs: [],
    pets: ['codecs'],
    keys: ['codecs'],
    ports: ['pets', 'keys'],
    operations: ['ports', 'pets', 'keys', 'codecs'],
  },
  'adapters/http': {
    protocol: [],
    representation: [],
    responses: ['protocol', 'representation'],
    observability: ['protocol'],
    server: ['protocol', 'responses', 'observability'],
    auth: ['protocol', 'responses'],
    operations: ['protocol', 'representation', 'responses'],
    openapi: ['protocol', 'representation', 'responses'],
    docs: ['representation'],
    routes: ['auth', 'operations', 'openapi', 'docs', 'protocol', 'representation', 'responses'],
    application: ['routes', 'protocol', 'responses'],
  },
  'adapters/knex': {
    database: [],
    migrations: ['database'],
    sqlite: ['database', 'migrations'],
    postgres: ['database', 'migrations'],
    backup: ['database', 'migrations', 'sqlite'],
    host: ['database', 'sqlite', 'postgres'],
    batching: ['database'],
    pets: ['database', 'batching'],
    'api-keys': ['database', 'batching'],
    health: ['database', 'migrations', 'api-keys'],
  },
  app: {
    settings: [],
    terminal: [],
    package: [],
    failures: ['settings'],
    backend: ['settings', 'failures'],
    serve: ['settings', 'terminal', 'failures', 'backend'],
    doctor: ['settings', 'failures', 'backend'],
    transfer: ['settings', 'terminal', 'failures', 'backend'],
    commands: ['settings', 'terminal', 'package', 'failures', 'backend', 'serve', 'doctor', 'transfer'],
  },
};

const roomRules = Object.entries(rooms).flatMap(([house, allowed]) =>
  Object.entries(allowed).map(([room, others]) => ({
    name: `${house}/${room}`,
    comment: `It imports ${others.join(', ') || 'no other room'}.`,
    severity: 'error',
    from: { path: `^${house}/${room}/` },
    to: { path: `^${house}/[^/]+/`, pathNot: [room, ...others].map((one) => `^${house}/${one}/`) },
  })),
);

/** The rooms of adapters/http in which Koa is known. */
const koaRooms = ['routes', 'application'];

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
      name: 'adapters-know-the-core-alone',
      comment: 'An adapter can be taken out without touching another, or the app.',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/' },
      to: { path: ['^adapters/', '^app/', '^test/', '^knexfile'], pathNot: '^adapters/$1/' },
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
      comment: 'The app and the core are used through what they say is public.',
      severity: 'error',
      from: { path: '^(adapters|app)/' },
      to: { path: '^core/(?!index)' },
    },
    {
      name: 'koa-stays-in-its-rooms',
      comment: 'What belongs to the server, the JSON or the document would serve behind another router too.',
      severity: 'error',
      from: { path: '^adapters/http/', pathNot: koaRooms.map((room) => `^adapters/http/${room}/`) },
      to: { path: '^node_modules/(@types/)?(koa|@koa/router)/' },
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
    ...roomRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
