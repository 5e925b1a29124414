import { expect } from 'chai';
import { runNode } from '../../support/packages';
import { projectFolder } from '../../support/processes/command';

describe('The module of a fetch handler', () => {
  it('loads neither Koa nor a module of Node', async () => {
    const script = `require('tsx/cjs');
      const loaded = [];
      const load = require('node:module')._load;
      require('node:module')._load = (name, ...rest) => { loaded.push(name); return load(name, ...rest); };
      require('./adapters/http/fetch');
      console.log(loaded.filter((name) => !/^(?:\\.|fp-ts|io-ts|lossless-json)/.test(name)));`;
    expect(await runNode(projectFolder, '--eval', script)).to.include({ stdout: '[]\n', stderr: '' });
  });
});
