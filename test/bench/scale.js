import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startLoadGenerator } from './lib/load/load-generator.js';
import { measureRounds } from './lib/load/measure-rounds.js';
import { operationNames } from './lib/load/operations.js';
import { readOptions } from './lib/options.js';
import { describeMachine } from './lib/reports/machine.js';
import { scaleDatabases } from './lib/databases/scale-databases.js';
import { scaleReport } from './lib/reports/scale-report.js';
import { emptyDirectory } from './lib/processes/start-targets.js';
import { startTarget } from './lib/processes/target-process.js';
import { targets } from './targets.js';

const options = readOptions({
  targetNames: ['animal-store', 'animal-store-pg'],
  operationNames: Object.keys(operationNames),
});
const counts = options.quick ? [1_000, 10_000, 100_000] : [1_000, 100_000, 10_000_000];

/** How the cost of each operation of this service grows with the rows, on one kind of database. */
const measureScale = async (name) => {
  await emptyDirectory(options.directory);
  const { database: kind, arguments: nodeArguments } = targets[name];
  const { databases, stop } = await scaleDatabases(kind, counts, options.directory);
  const running = {};
  const generator = startLoadGenerator();
  try {
    for (const count of counts) {
      const logFile = join(options.directory, `${count}.log`);
      running[count] = await startTarget({ ...databases[count], arguments: nodeArguments, logFile });
    }
    return await measureRounds(running, generator, {
      ...options,
      animalsOf: Number,
      after: async (count, operation) => {
        if (operation === 'create') await databases[count].reset();
      },
    });
  } finally {
    generator.stop();
    await Promise.all(Object.values(running).map((target) => target.stop()));
    await stop();
    await rm(options.directory, { recursive: true, force: true });
  }
};

const results = { seconds: options.seconds, rounds: options.rounds, counts, measurements: {} };
for (const name of options.targets) results.measurements[name] = await measureScale(name);
process.stdout.write(`${await describeMachine()}\n\n${scaleReport(results)}\n`);
