import { type Answer, call, type Call } from './call';

/** Sends each request to the next of several addresses, as a load balancer does. */
export const roundRobin = (addresses: ReadonlyArray<string>) => {
  let turn = 0;
  return (path: string, options: Call): Promise<Answer> => {
    const address = addresses[turn % addresses.length];
    turn += 1;
    if (address === undefined) throw new Error('there is no address');
    return call(`${address}${path}`, options);
  };
};
