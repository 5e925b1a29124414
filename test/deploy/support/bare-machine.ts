import { expect } from 'chai';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../support/eventually';
import { type Outcome, projectFolder, type Running, startProgram } from '../../support/processes/command';
import { childrenOf, pidOf } from '../../support/processes/system';
import { makeFolder } from '../../support/temporary-folder';

/** A copy of this machine in which root may install and start what it likes. Nothing of it is left afterwards. */
export interface BareMachine {
  /** Runs a shell script as root, in root's home folder, and fails the test if the script fails. */
  readonly enter: (script: string) => Promise<string>;
  /** Runs a shell script as `enter` does. Returns its outcome. */
  readonly attempt: (script: string) => Promise<Outcome>;
  readonly end: () => Promise<unknown>;
}

const startScript = join(projectFolder, 'test/deploy/support/bare-machine/begin');

/** Skips a suite with a message if this user may not make a bare machine. */
export const needsBareMachine = (): void => {
  before(async function () {
    const folder = await makeFolder();
    const script = 'mount -t tmpfs t "$0" && mkdir "$0/u" "$0/w" "$0/m" && mount -t overlay -o "$1" o "$0/m"';
    const options = `lowerdir=/,upperdir=${folder}/u,workdir=${folder}/w`;
    const words = ['--mount', '--pid', '--fork', '--net', 'sh', '-c', script, folder, options];
    const outcome = await startProgram('unshare', words).ended.catch(() => undefined);
    if (outcome?.code === 0) return;
    process.stdout.write('skipped, since this user may not mount a copy of the machine\n');
    this.skip();
  });
};

export const startBareMachine = async (
  environment: Readonly<Record<string, string>>,
): Promise<BareMachine> => {
  const folder = await makeFolder();
  const words = ['--mount', '--pid', '--fork', '--kill-child', startScript, folder];
  const machine: Running = startProgram('unshare', words, { isFed: true });
  await eventually('the bare machine has started', 60_000, () => {
    expect(machine.stderr()).to.equal('');
    return machine.stdout().includes('ready');
  });
  const [first] = childrenOf(pidOf(machine));
  const namespaces = [`--target=${String(first)}`, '--mount', '--pid', '--net'];
  const home = 'cd /root && exec sh -euc "$0"';
  const attempt = (script: string): Promise<Outcome> =>
    startProgram('nsenter', [...namespaces, 'chroot', join(folder, 'root'), 'sh', '-c', home, script], {
      environment: { HOME: '/root', ...environment },
    }).ended;
  return {
    attempt,
    enter: async (script) => {
      const { code, stdout, stderr } = await attempt(script);
      expect(code, `${script}\n${stdout}${stderr}`).to.equal(0);
      return stdout;
    },
    end: () => {
      machine.stdin.end();
      return machine.ended;
    },
  };
};

/** Settings of npm that the machine of the tests needs, such as the address of its registry. */
export const npmSettings = (cache: string): Readonly<Record<string, string>> => ({
  npm_config_cache: cache,
  npm_config_userconfig: join(homedir(), '.npmrc'),
  NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] ?? '',
});
