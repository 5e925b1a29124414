import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../support/eventually';
import { type Outcome, projectFolder, startProgram } from '../../support/processes/command';
import { makeFolder } from '../../support/temporary-folder';

/**
 * A copy of this machine with a running systemd, in which tests may install and start anything as root. Its changes are
 * discarded at the end.
 */
export interface BareMachine {
  /** Runs a shell script as root, in root's home folder, and fails the test if the script fails. */
  readonly enter: (script: string) => Promise<string>;
  /** Runs a shell script as `enter` does. Returns its outcome. */
  readonly attempt: (script: string) => Promise<Outcome>;
  readonly end: () => Promise<unknown>;
}

const startScript = join(projectFolder, 'test/deploy/support/bare-machine.sh');

export const startBareMachine = async (
  environment: Readonly<Record<string, string>> = {},
): Promise<BareMachine> => {
  const words = ['--mount', startScript, await makeFolder()];
  const machine = startProgram('unshare', words, { isFed: true });
  const attempt = (script: string): Promise<Outcome> =>
    startProgram(
      'nsenter',
      [
        ...[`--target=${machine.stdout().trim()}`, '--mount', '--pid', '--net', '--cgroup'],
        ...['sh', '-c', 'cd /root && exec sh -euc "$0"', script],
      ],
      { environment: { HOME: '/root', ...environment } },
    ).ended;
  await eventually('the bare machine has started', 60_000, async () => {
    expect(machine.stderr()).to.equal('');
    return machine.stdout().includes('\n') && (await attempt('systemctl is-system-running')).code === 0;
  });
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

/** Skips a suite with a message if this user may not make a bare machine. */
export const needsBareMachine = (): void => {
  before(async function () {
    const machine = await startBareMachine().catch((error: unknown) => String(error));
    if (typeof machine !== 'string') {
      await machine.end();
      return;
    }
    process.stdout.write(`skipped, since no copy of this machine can be started here: ${machine}\n`);
    this.skip();
  });
};

/** Settings of npm that the machine of the tests needs, such as the address of its registry. */
export const npmSettings = async (cache: string): Promise<Readonly<Record<string, string>>> => {
  const settings = { npm_config_cache: cache, NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] ?? '' };
  const own = join(homedir(), '.npmrc');
  if (!existsSync(own)) return settings;
  const npm_config_userconfig = join(await makeFolder(), 'npmrc');
  await copyFile(own, npm_config_userconfig);
  return { ...settings, npm_config_userconfig };
};
