import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request and a response for what Node makes none for: a request that its parser refuses, and CONNECT. */
export const responseOnSocket = (
  socket: Socket,
  method: string,
): { readonly message: IncomingMessage; readonly response: ServerResponse } => {
  const message = new IncomingMessage(socket);
  message.method = method;
  message.complete = true;
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  return { message, response };
};
