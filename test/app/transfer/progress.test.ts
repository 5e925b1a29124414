import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { progressText } from '../../../app/terminal/progress-bar';
import { newCatalogue } from '../../support/databases/catalogue';
import { killPrograms, main, startProgram } from '../../support/processes/command';
import { needsPrograms } from '../../support/processes/system';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

describe('The progress of a command', () => {
  it('has percent, count, rate and the time that is left, in a line of a terminal', () => {
    const text = progressText({ count: 9_876_543, noun: 'row', share: 0.25 }, 100);
    expect(text).to.equal(`${'█'.repeat(6)}${'░'.repeat(18)}  25 %  9,876,543 rows  98,765/s  300 s left`);
    expect(text.length).to.be.at.most(80);
  });

  it('has the count, the rate and the time so far if the end is unknown', () => {
    expect(progressText({ count: 1, noun: 'animal' }, 2)).to.equal('1 animal  1/s  2 s');
    expect(progressText({}, 2)).to.equal('2 s');
  });

  describe('at a terminal', () => {
    needsPrograms('script');
    afterEach(killPrograms);
    afterEach(removeFolders);

    it('is a bar, which gives way to the messages and to the result', async () => {
      const folder = await makeFolder();
      const file = join(folder, 'animals.csv');
      writeFileSync(file, `name,categoryId\nRex,none\n${'Rex,1\n'.repeat(100_000)}`);
      const command = `stty cols 80; exec ${process.execPath} ${main} import --skip-invalid ${file}`;
      const environment = { ...(await newCatalogue()).environment, NO_COLOR: '1' };
      const shown = startProgram('script', ['-qec', command, '/dev/null'], { environment }).ended;
      const { code, stdout } = await shown;
      expect(code).to.equal(0);
      expect(stdout).to.match(/[█░]{24} {2}\d+ % {2}[\d,]+ rows {2}[\d,]+\/s {2}\d+ s left/);
      expect(stdout).to.match(/line 2: categoryId must be .*\r\n/);
      expect(stdout.trimEnd()).to.match(/(?:^|[\r\nK])100000 animals stored with new ids [^\r\n]*$/);
    });
  });
});
