import { benchmark } from './lib/load/benchmark.js';
import { readOptions } from './lib/options.js';
import { operationNames } from './lib/load/operations.js';
import { benchReport } from './lib/reports/bench-report.js';
import { saveResults } from './lib/reports/results.js';
import { targets } from './targets.js';

const options = readOptions({
  targetNames: Object.keys(targets),
  operationNames: Object.keys(operationNames),
});
const results = await benchmark(options);
process.stdout.write(`${benchReport(results)}\n`);
if (options.whole) await saveResults('bench', results);
else process.stdout.write('Not written: only a whole run is.\n');
