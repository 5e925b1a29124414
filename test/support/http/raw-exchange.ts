import { readHttpResponses } from './http-response-reader';
import { openRawConnection } from './raw-connection';

export interface RawAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends one request as its bytes are, and reads the answer, with which the server must end the connection. */
export const rawExchange = async (address: string, request: string): Promise<RawAnswer> => {
  const { hostname, port } = new URL(address);
  const connection = openRawConnection(hostname, Number(port));
  connection.send(request);
  const method = request.split(' ', 1).join();
  const [answer] = readHttpResponses(await connection.closed(), [method]);
  if (answer === undefined) throw new Error(`no answer to ${method}`);
  return { status: answer.status, headers: new Map(answer.headers), body: answer.body.toString() };
};
