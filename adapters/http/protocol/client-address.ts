import type { IncomingMessage } from 'node:http';

/**
 * The address of the client: that of the socket, or where so many trusted proxies stand in front, the one that the
 * outermost of them wrote into `X-Forwarded-For`. What a client writes there itself stands further left.
 */
export const clientAddress = (
  { headers }: IncomingMessage,
  socketAddress: string | undefined,
  trustedProxies: number,
): string | undefined => {
  const forwarded = headers['x-forwarded-for'];
  if (trustedProxies === 0 || typeof forwarded !== 'string') return socketAddress;
  const address = forwarded.split(',').at(-trustedProxies)?.trim() ?? '';
  return address === '' ? socketAddress : address;
};
