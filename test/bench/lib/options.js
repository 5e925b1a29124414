import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const definitions = {
  quick: { type: 'boolean', default: false },
  targets: { type: 'string' },
  only: { type: 'string' },
  connections: { type: 'string' },
  duration: { type: 'string' },
  rounds: { type: 'string' },
  animals: { type: 'string' },
  directory: { type: 'string', default: fileURLToPath(new URL('../.data', import.meta.url)) },
};

const list = (text) => text.split(',');

const known = (what, names, all) => {
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`no ${what} ${unknown.join(', ')}; there are ${all.join(', ')}`);
  return names;
};

/**
 * Reads the command line: `--quick` (1 s, 1 round), `--targets a,b`, `--only get,create`, `--connections 64`,
 * `--duration SECONDS`, `--rounds N`, `--animals N`, `--directory DIR` (on the disk to measure).
 */
export const readOptions = ({ targetNames, operationNames }) => {
  const { values } = parseArgs({ options: definitions });
  return {
    targets: known('target', list(values.targets ?? targetNames.join()), targetNames),
    operations: known('operation', list(values.only ?? operationNames.join()), operationNames),
    connections: list(values.connections ?? '64,1').map(Number),
    seconds: Number(values.duration ?? (values.quick ? 1 : 2)),
    rounds: Number(values.rounds ?? (values.quick ? 1 : 3)),
    animals: Number(values.animals ?? 100_000),
    directory: values.directory,
  };
};
