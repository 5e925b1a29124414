import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request of which the parser understood nothing but, perhaps, its method. */
export const unparsedMessage = (socket: Socket, method: string): IncomingMessage => {
  const message = new IncomingMessage(socket);
  message.method = method;
  message.complete = true;
  return message;
};

/** A response to a request for which Node makes none: one that its parser refuses, or CONNECT. */
export const responseOnSocket = (message: IncomingMessage): ServerResponse => {
  const response = new ServerResponse(message);
  response.assignSocket(message.socket);
  return response;
};
