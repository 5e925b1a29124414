import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Has nothing that is sent to some of this machine's own addresses arrive, as when a cable is cut. */
export const unreachable = async <A>(addresses: string, meanwhile: () => Promise<A>): Promise<A> => {
  const route = ['blackhole', addresses, 'table', 'local'];
  await run('ip', ['route', 'replace', ...route]);
  try {
    return await meanwhile();
  } finally {
    await run('ip', ['route', 'del', ...route]);
  }
};
