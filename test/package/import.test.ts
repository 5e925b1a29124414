import { expect } from 'chai';
import * as t from 'io-ts';
import { decodeOrThrow } from '../../core';
import { startProgram } from '../support/processes/command';

const entrances = ['core', 'adapters/in-memory', 'adapters/knex', 'adapters/http', 'test/contracts'];

/**
 * Returns a script that imports an entry of the package. It prints which variables were read, and what was started and
 * loaded.
 */
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
  const loaded = Object.keys(require.cache);
  process.stdout.write(JSON.stringify({ names, reads, started, listens, loaded }));
`;

const Report = t.type({
  names: t.array(t.string),
  reads: t.array(t.tuple([t.string, t.string])),
  /** Kinds of asynchronous resources, such as timers, sockets, processes and promises. */
  started: t.array(t.string),
  /** True if importing adds listeners for events of the process, such as signals. */
  listens: t.boolean,
  /** Paths of the loaded files. */
  loaded: t.array(t.string),
});

describe('Importing', () => {
  for (const entrance of entrances) {
    it(`${entrance} starts nothing, listens to nothing, reads no environment and ends by itself`, async () => {
      const { code, stdout, stderr } = await startProgram(process.execPath, ['-e', script(entrance)]).ended;
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
      const { names, reads, started, listens, loaded } = decodeOrThrow(Report, JSON.parse(stdout));
      expect(names).not.to.deep.equal([]);
      expect(listens).to.equal(false);
      expect(started.filter((kind) => kind !== 'PROMISE')).to.deep.equal([]);
      expect(reads.filter(([, caller]) => !caller.includes('/node_modules/'))).to.deep.equal([]);
      if (entrance !== 'core') return;
      expect(reads, 'by fp-ts and io-ts').to.deep.equal([]);
      const packages = loaded.flatMap((file) => /node_modules\/([^/]+)\//.exec(file)?.[1] ?? []);
      expect([...new Set(packages)]).to.have.members(['fp-ts', 'io-ts']);
      expect(loaded.join('\n')).not.to.match(/dist\/(?:adapters|app)\//);
    });
  }
});
