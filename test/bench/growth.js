import { rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureTargets } from './lib/measure.js';
import { operations } from './lib/operations.js';
import { command, targets } from './lib/targets.js';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100000,1000000' },
    targets: { type: 'string', default: 'animal-store,animal-store-pg' },
    duration: { type: 'string', default: '3' },
  },
});
const targetNames = values.targets.split(',');

const operationNames = ['get', 'page20', 'status', 'deep', 'create'];

/** Returns the seconds that each command takes while the service runs. */
const timeCommands = async (running) => {
  const times = [];
  for (const [target, { databaseUrl, importSeconds }] of Object.entries(running)) {
    times.push({ target, name: 'import', seconds: importSeconds });
    for (const name of ['doctor', 'export', ...(targets[target].database === 'sqlite' ? ['backup'] : [])]) {
      const file = join(os.tmpdir(), `growth-${process.pid}.ndjson`);
      const began = performance.now();
      await command(targets[target].program, databaseUrl, name, ...(name === 'doctor' ? [] : [file]));
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

const row = (...cells) => `| ${cells.join(' | ')} |`;
const header = row('', 'database', ...results.map(({ animals }) => animals.toLocaleString('en')));
const lines = targetNames.flatMap((target) => [
  ...operationNames.map((operation) => {
    const measured = results.map(({ measurements }) =>
      measurements.find((each) => each.target === target && each.operation === operation),
    );
    const rates = measured.map(({ requestsPerSecond }) => Math.round(requestsPerSecond).toLocaleString('en'));
    return row(`${operations[operation].title}, requests/s`, targets[target].database, ...rates);
  }),
  ...results[0].times
    .filter((each) => each.target === target)
    .map(({ name }) => {
      const times = results.map(({ times }) =>
        times.find((each) => each.target === target && each.name === name),
      );
      return row(
        `${name}, seconds`,
        targets[target].database,
        ...times.map(({ seconds }) => seconds.toFixed(1)),
      );
    }),
]);
process.stdout.write(`${[header, row('--', '--', ...results.map(() => '--:')), ...lines].join('\n')}\n`);
