import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { animalText } from './operations.js';

// Loads these files with `require`, because the TypeScript files of the tests are CommonJS.
const require = createRequire(import.meta.url);
const { newPostgresServer } = require('../../support/postgres/postgres-server.ts');
const { main, startProgram } = require('../../support/processes/command.ts');
const { killServices, whenServing } = require('../../support/service/service-process.ts');
const { inFolder } = require('../../support/temporary-folder.ts');

const targetFile = (name) => fileURLToPath(new URL(`../targets/${name}.js`, import.meta.url));
const fastify = targetFile('fastify');
const earlierCheckout = process.env.BENCH_BEFORE;

/**
 * Servers to measure: a program with its arguments, its database, and the target whose rate is the base of its ratio.
 * `only` names the operations that a target answers, unless it answers all. `settings` are variables of its
 * environment. `before` is the built checkout in BENCH_BEFORE.
 */
export const targets = {
  'animal-store': { database: 'sqlite', program: main, words: ['serve'], base: 'fastify-duties' },
  koa: {
    database: 'sqlite',
    program: targetFile('koa'),
    words: [],
    base: 'fastify-duties',
    only: ['get', 'connect', 'page20', 'page100'],
  },
  ...(earlierCheckout !== undefined && {
    before: {
      database: 'sqlite',
      program: `${earlierCheckout}/dist/app/main.js`,
      words: ['serve'],
      base: 'fastify-duties',
    },
  }),
  'fastify-duties': { database: 'sqlite', program: fastify, words: ['duties'], base: 'fastify-duties' },
  'animal-store-pg': { database: 'postgres', program: main, words: ['serve'], base: 'fastify-pg' },
  'animal-store-pg-limited': {
    database: 'postgres',
    program: main,
    words: ['serve'],
    settings: { RATE_LIMIT: '1000000/60s' },
    base: 'fastify-pg',
  },
  'fastify-pg': { database: 'postgres', program: fastify, words: ['postgres'], base: 'fastify-pg' },
  'fastify-pg-duties': {
    database: 'postgres',
    program: fastify,
    words: ['duties', 'postgres'],
    base: 'fastify-pg',
  },
};

/** Runs a command of the service, and returns what it prints. */
export const command = async (program, databaseUrl, ...words) => {
  const environment = { DATABASE_URL: databaseUrl };
  const { code, stdout, stderr } = await startProgram(process.execPath, [program, ...words], { environment })
    .ended;
  if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
  return stdout.trim();
};

const writeAnimals = async (file, count) => {
  const output = createWriteStream(file);
  for (let index = 1; index <= count; index += 1) {
    if (!output.write(`${animalText(index)}\n`)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'finish');
};

const runOnPostgres = async (connectionString, sql) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql);
  await client.end();
};

/** Starts a target on a database of its own in a folder. Its log is thrown away. */
const startTarget = async (name, folder, animalsFile, postgres) => {
  const { database, program, words, settings } = targets[name];
  let databaseUrl = `sqlite:${folder}/${name}.sqlite3`;
  if (database === 'postgres') {
    await postgres.query(`create database "${name}"`);
    databaseUrl = postgres.url.replace(/[^/]*$/, name);
  }
  const isService = words.includes('serve');
  const service = isService ? program : main;
  await command(service, databaseUrl, 'migrate');
  const key = await command(service, databaseUrl, 'keys', 'create', '--name', 'bench');
  const importedFrom = performance.now();
  await command(service, databaseUrl, 'import', animalsFile);
  const importSeconds = (performance.now() - importedFrom) / 1_000;
  if (database === 'postgres') await runOnPostgres(databaseUrl, 'vacuum analyze');
  const environment = {
    NODE_ENV: 'production',
    PORT: '0',
    ADMIN_PORT: '0',
    DATABASE_URL: databaseUrl,
    ...(!isService && { API_KEYS: key }),
    ...settings,
  };
  const shellWords = ['-c', 'exec "$0" "$@" >/dev/null', process.execPath, program, ...words];
  const startInstance = () => whenServing(startProgram('sh', shellWords, { environment }));
  const { address, pid } = await startInstance();
  return {
    ...{ address, pid, key, databaseUrl, importSeconds, startInstance },
    databasePid: database === 'postgres' ? postgres.postmaster() : undefined,
  };
};

/** Runs a function with started targets, by name. Each has its own copy of the same animals. */
export const withTargets = (names, animals, use) =>
  inFolder(async (folder) => {
    const animalsFile = `${folder}/animals.ndjson`;
    await writeAnimals(animalsFile, animals);
    const needsPostgres = names.some((name) => targets[name].database === 'postgres');
    const postgres = needsPostgres ? await newPostgresServer(folder) : undefined;
    await postgres?.start();
    try {
      const running = {};
      for (const name of names) running[name] = await startTarget(name, folder, animalsFile, postgres);
      return await use(running);
    } finally {
      await killServices();
      await postgres?.stop();
    }
  });
