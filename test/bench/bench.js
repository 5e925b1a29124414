import { benchmark } from './lib/measure.js';
import { readOptions } from './lib/options.js';
import { operationNames } from './lib/operations.js';
import { benchReport, describeMachine } from './lib/report.js';
import { writeResults } from './lib/plot.js';
import { targets } from './targets.js';

const options = readOptions({
  targetNames: Object.keys(targets),
  operationNames: Object.keys(operationNames),
});
const results = await benchmark(options);
process.stdout.write(`${await describeMachine()}\n\n${benchReport(results)}\n`);
await writeResults(results);
process.stderr.write('results.json and the plots are in test/bench/results\n');
