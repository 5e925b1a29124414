import { benchmark } from './lib/load/benchmark.js';
import { readOptions } from './lib/options.js';
import { operationNames } from './lib/load/operations.js';
import { benchReport } from './lib/reports/bench-report.js';
import { describeMachine } from './lib/reports/machine.js';
import { targets } from './targets.js';

const options = readOptions({
  targetNames: Object.keys(targets),
  operationNames: Object.keys(operationNames),
});
const results = await benchmark(options);
process.stdout.write(`${await describeMachine()}\n\n${benchReport(results)}\n`);
