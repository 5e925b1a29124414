import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Node tells only the response whose turn it is that its connection has closed: this tells those too that wait behind
 * it, as pipelined requests do. Without it they would be in flight for ever.
 */
export const closeQueuedResponses = (server: Server): void => {
  const queues = new WeakMap<Socket, Set<ServerResponse>>();
  const queueOf = (socket: Socket): Set<ServerResponse> => {
    const known = queues.get(socket);
    if (known !== undefined) return known;
    const queue = new Set<ServerResponse>();
    queues.set(socket, queue);
    socket.once('close', () => {
      for (const response of queue) {
        if (response.socket === null) response.emit('close');
      }
    });
    return queue;
  };
  const watch = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    if (response.socket !== null) return;
    const queue = queueOf(socket).add(response);
    response.once('close', () => queue.delete(response));
  };
  server.on('request', watch);
  server.on('checkContinue', watch);
  server.on('checkExpectation', watch);
};
