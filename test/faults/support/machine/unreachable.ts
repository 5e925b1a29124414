import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const routeTo = (addresses: string): ReadonlyArray<string> => ['blackhole', addresses, 'table', 'local'];

/** Removes the route that a killed run has left: nothing could connect from these addresses. */
export const makeReachable = async (addresses: string): Promise<void> => {
  await run('ip', ['route', 'del', ...routeTo(addresses)]).catch(() => undefined);
};

/** Has nothing that is sent to some of this machine's own addresses arrive, as when a cable is cut. */
export const unreachable = async <A>(addresses: string, meanwhile: () => Promise<A>): Promise<A> => {
  await run('ip', ['route', 'replace', ...routeTo(addresses)]);
  try {
    return await meanwhile();
  } finally {
    await run('ip', ['route', 'del', ...routeTo(addresses)]);
  }
};
