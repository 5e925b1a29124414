import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder, startProgram } from './support/processes/command';

describe('The dependency rules', () => {
  it('hold', async () => {
    const { code, stdout } = await startProgram('npm', ['run', '--silent', 'lint:rules']).ended;
    expect(code, stdout).to.equal(0);
  });

  it('have a row in ARCHITECTURE.md for each package', () => {
    const text = readFileSync(join(projectFolder, 'ARCHITECTURE.md'), 'utf8');
    const adapters = readdirSync(join(projectFolder, 'adapters')).map((name) => `adapters/${name}`);
    for (const name of ['core', ...adapters, 'app', 'test']) {
      expect(text, name).to.match(new RegExp(`^\\|[^|]*\`${name}\``, 'm'));
    }
  });
});
