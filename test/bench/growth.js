import { rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { growthPlot } from './lib/growth-plot.js';
import { measureTargets } from './lib/measure.js';
import { operations } from './lib/operations.js';
import { writeResult } from './lib/results.js';
import { command, targets } from './lib/targets.js';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100000,1000000' },
    targets: { type: 'string', default: 'animal-store,animal-store-pg' },
    duration: { type: 'string', default: '3' },
    commands: { type: 'string', default: 'doctor,export,backup,copy' },
  },
});
const targetNames = values.targets.split(',');

const operationNames = ['get', 'page20', 'status', 'deep', 'create'];

/** Returns the seconds that each command takes while the service runs. */
const timeCommands = async (running) => {
  const times = [];
  for (const [target, { databaseUrl, importSeconds }] of Object.entries(running)) {
    times.push({ target, name: 'import', seconds: importSeconds });
    // Leaves out commands that can't be timed: `copy` of a SQLite file needs a stopped service, and pg_dump, which
    // `backup` of PostgreSQL runs, may be older than the server.
    const impossible = targets[target].database === 'sqlite' ? 'copy' : 'backup';
    for (const name of values.commands.split(',').filter((each) => each !== impossible)) {
      const file = join(os.tmpdir(), `growth-${process.pid}.ndjson`);
      const words = { doctor: [], copy: [`sqlite:${file}`] }[name] ?? [file];
      const began = performance.now();
      await command(targets[target].program, databaseUrl, name, ...words);
      times.push({ target, name, seconds: (performance.now() - began) / 1_000 });
      await rm(file, { force: true });
    }
  }
  return { times };
};

const results = [];
for (const size of values.sizes.split(',').map(Number)) {
  const options = { connections: [64], seconds: Number(values.duration), rounds: 1, animals: size };
  results.push(await measureTargets({ targetNames, operationNames, ...options, afterwards: timeCommands }));
}

const rateOf = ({ measurements }, target, operation) =>
  measurements.find((each) => each.target === target && each.operation === operation).requestsPerSecond;
const secondsOf = ({ times }, target, command) =>
  times.find((each) => each.target === target && each.name === command).seconds;
const commandsOf = (target) =>
  results[0].times.filter((each) => each.target === target).map(({ name }) => name);

const row = (...cells) => `| ${cells.join(' | ')} |`;
const lines = targetNames.flatMap((target) => {
  const { database } = targets[target];
  return [
    ...operationNames.map((operation) => {
      const rates = results.map((result) =>
        Math.round(rateOf(result, target, operation)).toLocaleString('en'),
      );
      return row(`${operations[operation].title}, requests/s`, database, ...rates);
    }),
    ...commandsOf(target).map((command) =>
      row(
        `${command}, seconds`,
        database,
        ...results.map((result) => secondsOf(result, target, command).toFixed(1)),
      ),
    ),
  ];
});
const header = row('', 'database', ...results.map(({ animals }) => animals.toLocaleString('en')));
process.stdout.write(`${[header, row('--', '--', ...results.map(() => '--:')), ...lines].join('\n')}\n`);

await writeResult('growth.json', `${JSON.stringify(results, undefined, 2)}\n`);
for (const target of targetNames) {
  const { database } = targets[target];
  const title = `${database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, by the number of animals`;
  const rates = operationNames.map((name) => ({
    name: operations[name].title,
    values: results.map((result) => rateOf(result, target, name)),
  }));
  const seconds = commandsOf(target).map((name) => ({
    name,
    values: results.map((result) => secondsOf(result, target, name) / (result.animals / 1_000_000)),
  }));
  await writeResult(
    `growth-${database}.svg`,
    growthPlot(
      title,
      results.map(({ animals }) => animals),
      rates,
      seconds,
    ),
  );
}
