import { benchmark } from './lib/measure.js';
import { readOptions } from './lib/options.js';
import { operationNames } from './lib/operations.js';
import { benchReport, describeMachine } from './lib/report.js';
import { publish } from './lib/publish.js';
import { targets } from './targets.js';

const options = readOptions({
  targetNames: Object.keys(targets),
  operationNames: Object.keys(operationNames),
});
const results = await benchmark(options);
process.stdout.write(`${await describeMachine()}\n\n${benchReport(results)}\n`);
const changed = await publish(results, options);
process.stderr.write(
  changed.length > 0
    ? `changed ${changed.join(', ')}\n`
    : 'the plots are in test/bench/results; a whole run that is not quick changes the documents\n',
);
