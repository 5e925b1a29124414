import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { eventually } from '../../support/eventually';
import { killPrograms, main, runCommand, startProgram } from '../../support/processes/command';
import { needsPrograms } from '../../support/processes/system';
import { startAtTerminal } from '../../support/processes/terminal';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

const isRunning = (pid: string): boolean => {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};

describe('The demo', () => {
  needsPrograms('script');
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('finds each acknowledged animal once, and leaves neither a process nor a file', async () => {
    const folder = await makeFolder();
    const { code, stdout, stderr } = await runCommand(['demo'], { TMPDIR: folder });
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    const [, acknowledged, found] =
      /^ {2}([\d,]+) acknowledged, ([\d,]+) found, none twice$/m.exec(stdout) ?? [];
    expect(acknowledged).to.equal(found).and.not.equal('0');
    expect(stdout).to.not.include('\x1b');
    const processes = Array.from(stdout.matchAll(/as process (\d+)/g), ([, pid = '']) => pid);
    expect(processes.map(isRunning)).to.deep.equal([false, false]);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('grows a chart at a terminal of 80 columns', async () => {
    const demo = startAtTerminal(`exec ${process.execPath} ${main} demo`);
    const { code, stdout } = await demo.ended;
    expect(code, stdout).to.equal(0);
    const lines = stripVTControlCharacters(stdout).split(/\r|\n/);
    for (const line of lines) expect(line.length, line).to.be.at.most(80);
    expect(lines.filter((line) => /^ {2}[▁-█]+ {2}[\d,]+ acknowledged$/.test(line)).length).to.be.above(10);
  });

  it('ends at Ctrl-C with its service', async () => {
    const folder = await makeFolder();
    const demo = startAtTerminal(`exec ${process.execPath} ${main} demo`, {
      environment: { TMPDIR: folder },
    });
    await eventually('a service', 30_000, () => demo.stdout().includes('the clients begin'));
    const [, pid = ''] = /as process (\d+)/.exec(demo.stdout()) ?? [];
    demo.stdin.write('\x03');
    expect((await demo.ended).code).to.equal(130);
    expect(isRunning(pid)).to.equal(false);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('says why its service does not start', async () => {
    const environment = { TMPDIR: await makeFolder() };
    const words = ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, main, 'demo'];
    const { code, stderr } = await startProgram('sh', words, { environment }).ended;
    expect(code).to.equal(1);
    expect(stderr).to.match(/^error: the service did not start: (?!error)/);
  });
});
