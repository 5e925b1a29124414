import type { RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { continueOnceRead } from '../operations/request-body';
import { Connection } from './connection';
import type { ServerState } from './server-state';

/** Keeps a Connection of each socket that a server has accepted, and passes on the server's events. */
export const trackConnections = (server: Server, state: ServerState): ReadonlyMap<Duplex, Connection> => {
  const open = new Map<Duplex, Connection>();
  server.on('connection', (socket) => {
    state.requestTurns.acceptHold.accept();
    open.set(socket, new Connection(socket, state));
    socket.once('close', () => open.delete(socket));
  });
  const begin: RequestListener = (request, response) => {
    open.get(request.socket)?.begin(request, response);
  };
  server.on('request', begin);
  server.on('checkContinue', continueOnceRead).on('checkContinue', begin);
  // Node emits this event for an Expect other than 100-continue. `validateRequest` rejects such a request with 417.
  server.on('checkExpectation', begin);
  server.on('connect', (request, socket) => {
    // Node has removed its `error` listener. Without one, a connection reset would end the process.
    socket.on('error', () => undefined);
    open.get(socket)?.reject({ _tag: 'MethodNotAllowed', allowed: state.allowedMethods }, request);
  });
  server.on('clientError', (error, socket) => open.get(socket)?.failParsing(error));
  server.on('timeout', (socket: Duplex) => open.get(socket)?.closeInactive());
  return open;
};
