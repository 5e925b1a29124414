import { expect } from 'chai';
import { startProgram } from '../support/processes/command';

const entrances = ['core', 'adapters/in-memory', 'adapters/knex', 'adapters/http', 'test/contracts'];

/** Imports an entrance, and prints what it has read of the environment, started, and written before it. */
const script = (entrance: string): string => `
  process.stdout.fd;
  process.stderr.fd;
  const reads = [];
  const readBy = (name) => {
    const [caller = ''] = new Error().stack.split('\\n').slice(3).filter((line) => !line.includes('(<anonymous>)'));
    if (!caller.includes('(node:internal/')) reads.push([String(name), caller.trim()]);
  };
  const environment = process.env;
  process.env = new Proxy(environment, {
    get: (target, name) => { readBy(name); return target[name]; },
    has: (target, name) => { readBy(name); return name in target; },
    ownKeys: (target) => { readBy('*'); return Reflect.ownKeys(target); },
  });
  const listeners = () => JSON.stringify(process.eventNames().map((name) => [name, process.listenerCount(name)]));
  const before = listeners();
  const started = [];
  const hook = require('node:async_hooks').createHook({ init: (id, type) => started.push(type) }).enable();
  const names = Object.keys(require('./dist/${entrance}'));
  hook.disable();
  const listens = listeners() !== before;
  process.env = environment;
  process.stdout.write(JSON.stringify({ names, reads, started, listens }));
`;

interface Report {
  readonly names: ReadonlyArray<string>;
  readonly reads: ReadonlyArray<readonly [string, string]>;
  /** The kinds of what is asynchronous: timers, sockets, processes, promises. */
  readonly started: ReadonlyArray<string>;
  /** True if it listens to events of the process, such as signals. */
  readonly listens: boolean;
}

const noReport: Report = { names: [], reads: [], started: ['nothing was reported'], listens: true };

const importAlone = async (entrance: string) => {
  const { code, stdout, stderr } = await startProgram(process.execPath, ['-e', script(entrance)]).ended;
  const report: unknown = JSON.parse(stdout || '{}');
  return { code, stderr, ...Object.assign({ ...noReport }, report) };
};

describe('Importing', () => {
  for (const entrance of entrances) {
    it(`${entrance} starts nothing, listens to nothing and ends by itself`, async () => {
      const { code, stderr, names, started, listens } = await importAlone(entrance);
      expect({ code, stderr, listens }).to.deep.equal({ code: 0, stderr: '', listens: false });
      expect(started.filter((kind) => kind !== 'PROMISE')).to.deep.equal([]);
      expect(names).not.to.deep.equal([]);
    });

    it(`${entrance} reads no environment of its own`, async () => {
      const { reads } = await importAlone(entrance);
      expect(reads.filter(([, caller]) => !caller.includes('/node_modules/'))).to.deep.equal([]);
    });
  }

  it('the core pulls in fp-ts and io-ts, and reads nothing of the environment at all', async () => {
    const { reads } = await importAlone('core');
    expect(reads).to.deep.equal([]);
    const loaded = await startProgram(process.execPath, [
      '-p',
      "require('./dist/core'); Object.keys(require.cache).join('\\n')",
    ]).ended;
    const packages = [...loaded.stdout.matchAll(/node_modules\/([^/]+)\//g)].map(([, name]) => name);
    expect([...new Set(packages)]).to.have.members(['fp-ts', 'io-ts']);
    expect(loaded.stdout).not.to.match(/dist\/(?:adapters|app)\//);
  });
});
