import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingTexts } from '../../../app/settings/settings';

describe('The Knex adapter, which other programs embed', () => {
  it('names no command, option or setting of the service', () => {
    const folder = 'adapters/knex';
    const files = readdirSync(folder, { encoding: 'utf8', recursive: true }).filter((name) =>
      name.endsWith('.ts'),
    );
    expect(files).to.have.length.above(40);
    const settings = Object.keys(settingTexts).join('|');
    const words = new RegExp(`\`animal-store |(?<!\\w)--[a-z]|\\b(?:${settings})\\b`);
    const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
    expect(lines.filter((line) => words.test(line))).to.deep.equal([]);
  });
});
