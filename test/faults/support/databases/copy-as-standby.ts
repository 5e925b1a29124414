import { execFile } from 'node:child_process';
import { rm, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { PostgresServer } from '../../../support/postgres/postgres-server';

const run = promisify(execFile);

/** Files come and go in the folder of a server that runs. */
const copyRunning = (from: string, to: string): Promise<unknown> =>
  run('cp', ['-a', from, to]).catch((error: unknown) => {
    const complaints = String(error)
      .split('\n')
      .filter((line) => line.startsWith('cp: ') && !line.includes('No such file or directory'));
    if (complaints.length > 0) throw error;
  });

/** Makes the folder of a node that does not run a copy of a server that does, which follows that one by a port. */
export const copyAsStandby = async (
  source: PostgresServer,
  { folder }: PostgresServer,
  followedPort: number,
): Promise<void> => {
  const client = new Client({ connectionString: source.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    await rm(folder, { recursive: true, force: true });
    await copyRunning(source.folder, folder);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    const { hostname, username, password } = new URL(source.url);
    const files = {
      backup_label: rows[0]?.labelfile ?? '',
      'standby.signal': '',
      'postgresql.auto.conf': `primary_conninfo = 'host=${hostname} port=${followedPort} user=${username} password=${password} application_name=standby'\n`,
    };
    for (const name of ['postmaster.pid', 'postmaster.opts']) await rm(`${folder}/${name}`, { force: true });
    for (const [name, text] of Object.entries(files)) await writeFile(`${folder}/${name}`, text);
    const { uid, gid } = await stat(folder);
    await run('chown', [`${uid}:${gid}`, ...Object.keys(files).map((name) => `${folder}/${name}`)]);
  } finally {
    await client.end();
  }
};
