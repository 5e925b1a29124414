import { parseArgs } from 'node:util';
import { measureTargets } from './lib/measure.js';
import { operations } from './lib/operations.js';
import { plot, report } from './lib/report.js';
import { writeResult } from './lib/results.js';
import { targets } from './lib/targets.js';

const { values } = parseArgs({
  options: {
    targets: { type: 'string', default: Object.keys(targets).join() },
    only: { type: 'string', default: Object.keys(operations).join() },
    connections: { type: 'string', default: '64,1' },
    duration: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    animals: { type: 'string', default: '100000' },
  },
});

const known = (text, all) => {
  const names = text.split(',');
  const unknown = names.filter((name) => !(name in all));
  if (unknown.length > 0)
    throw new Error(`${unknown.join(', ')} must be one of ${Object.keys(all).join(', ')}`);
  return names;
};

const results = await measureTargets({
  targetNames: known(values.targets, targets),
  operationNames: known(values.only, operations),
  connections: values.connections.split(',').map(Number),
  seconds: Number(values.duration),
  rounds: Number(values.rounds),
  animals: Number(values.animals),
});
await writeResult('results.json', `${JSON.stringify(results, undefined, 2)}\n`);
await writeResult('bench.svg', plot(results.measurements));
process.stdout.write(`${report(results)}\n`);
process.stderr.write('results.json and bench.svg are in test/bench/results\n');
