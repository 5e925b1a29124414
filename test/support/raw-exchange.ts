import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends bytes to a server as they are, and reads its answer until it ends the connection. */
export const rawExchange = async (address: string, request: string | Buffer): Promise<RawAnswer> => {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.write(request);
  const [head = '', ...rest] = (await text(socket)).split('\r\n\r\n');
  const [statusLine = '', ...fields] = head.split('\r\n');
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: new Map(
      fields.map((field) => {
        const [name = '', ...value] = field.split(': ');
        return [name.toLowerCase(), value.join(': ')] as const;
      }),
    ),
    body: rest.join('\r\n\r\n'),
  };
};
