import { parseArgs } from 'node:util';
import { startLoadGenerator } from './lib/measure.js';
import { operations } from './lib/operations.js';
import { familySeconds, sum } from './lib/processor-time.js';
import { withTargets } from './lib/targets.js';

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '1,2' },
    targets: { type: 'string', default: 'animal-store,animal-store-pg' },
    duration: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    animals: { type: 'string', default: '100000' },
  },
});
const animals = Number(values.animals);
const totalConnections = Number(values.connections);

const operationNames = ['get', 'page20', 'create'];

/** Returns the number of transactions in which an instance has added animals. */
const commitsOf = async (adminAddress) => {
  const metrics = await (await fetch(adminAddress)).text();
  const [, count] = /^db_client_operation_duration_seconds_count\{db_operation_name="create"\} (\d+)$/m.exec(
    metrics,
  );
  return Number(count);
};

/** Loads all instances at the same time, each with its share of the connections. */
const measure = async ({ key, databasePid }, instances, generators, operation, seconds) => {
  const connections = totalConnections / instances.length;
  const readings = async () => ({
    commits: sum(await Promise.all(instances.map(({ admin }) => commitsOf(admin)))),
    database: databasePid === undefined ? 0 : familySeconds(databasePid),
    time: performance.now() / 1_000,
  });
  const before = await readings();
  const results = await Promise.all(
    instances.map(({ address, pid }, index) =>
      generators[index].measure({ address, pid, key, operation, animals, connections, seconds }),
    ),
  );
  const after = await readings();
  const elapsed = after.time - before.time;
  const rate = sum(results.map(({ requestsPerSecond }) => requestsPerSecond));
  const microseconds = (cores) => Math.round((cores / rate) * 1_000_000);
  return [
    Math.round(rate),
    microseconds(sum(results.map(({ targetCores }) => targetCores))),
    databasePid === undefined ? '' : microseconds((after.database - before.database) / elapsed),
    operation === 'create' ? Math.round((after.commits - before.commits) / elapsed) : '',
  ];
};

const row = (...cells) => process.stdout.write(`| ${cells.join(' | ')} |\n`);

row(
  'database',
  'operation',
  'instances',
  'requests/s',
  'instance, µs a request',
  'database, µs a request',
  'commits/s',
);
row('--', '--', '--:', '--:', '--:', '--:', '--:');
await withTargets(values.targets.split(','), animals, async (running) => {
  for (const [name, target] of Object.entries(running)) {
    const instances = [];
    const generators = [];
    for (const count of values.instances.split(',').map(Number)) {
      while (instances.length < count) {
        const { address, pid, adminAddress } = await target.startInstance();
        instances.push({ address, pid, admin: `${await adminAddress()}/metrics` });
        generators.push(startLoadGenerator());
      }
      for (const operation of operationNames) {
        await measure(target, instances, generators, operation, 1);
        const cells = await measure(target, instances, generators, operation, Number(values.duration));
        row(name, operations[operation].title, count, ...cells);
      }
    }
    for (const generator of generators) generator.stop();
  }
});
