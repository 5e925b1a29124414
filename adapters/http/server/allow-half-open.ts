import type { Server } from 'node:http';

/** Has a client that ends its side of the connection after a request get the response. Node doesn't document the switch. */
export const allowHalfOpen = (server: Server): void => {
  Object.assign(server, { httpAllowHalfOpen: true });
};
