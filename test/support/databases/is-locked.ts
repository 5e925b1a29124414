import { spawnSync } from 'node:child_process';
import { projectFolder } from '../processes/command';

const probe = `new (require('sqlite3').Database)(process.argv[1], function () {
  this.exec('begin immediate', (error) => process.exit(error?.code === 'SQLITE_BUSY' ? 5 : error ? 1 : 0));
});`;

/** Whether another process is kept from writing to a SQLite file. It waits for the answer without a turn of the event loop. */
export const isLocked = (file: string): boolean => {
  const { status, stderr } = spawnSync(process.execPath, ['-e', probe, file], { cwd: projectFolder });
  if (status !== 0 && status !== 5) throw new Error(`the lock can't be looked for: ${stderr.toString()}`);
  return status === 5;
};
