/** Which rooms of a folder each room imports, besides itself. Files beside the rooms may import all of them. */
const rooms = {
  core: {
    codecs: [],
    pets: ['codecs'],
    keys: ['codecs'],
    ports: ['pets', 'keys'],
    operations: ['ports', 'pets', 'keys'],
  },
  'adapters/knex': {
    database: [],
    migrations: ['database'],
    batching: ['database'],
    sqlite: ['database', 'migrations'],
    postgres: ['database', 'migrations'],
    pets: ['database', 'batching'],
    'api-keys': ['database', 'batching'],
    health: ['database', 'migrations', 'api-keys'],
  },
};

const oneWay = Object.entries(rooms).flatMap(([folder, table]) =>
  Object.entries(table).map(([room, below]) => ({
    name: `rooms-of-${folder.replace('/', '-')}-import-one-way`,
    comment: 'Rooms import one way: the table above is the plan of the house.',
    severity: 'error',
    from: { path: `^${folder}/${room}/` },
    to: { path: `^${folder}/`, pathNot: `^${folder}/(${[room, ...below].join('|')})/` },
  })),
);

/** The dependency rules of ARCHITECTURE.md: core <- adapters <- app. */
module.exports = {
  forbidden: [
    ...oneWay,
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
      name: 'one-file-knows-the-sqlite-driver',
      comment: 'sqlite3 is archived: what knows it can be replaced in one place.',
      severity: 'error',
      from: { pathNot: ['^adapters/knex/sqlite/sqlite\\.ts$', '^test/'] },
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
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
