import type { IncomingMessage } from 'node:http';
import { readBody } from '../protocol/read-body';
import type { AdmissionControl } from './admission-control';
import type { Exchange } from './connection';

/** Whether a client sends its body, of so many bytes at most, only once it is told to (RFC 9110, section 10.1.1). */
const expectsContinue = ({ headers, httpVersion }: IncomingMessage, limit: number): boolean =>
  headers.expect !== undefined &&
  // HTTP/1.0 knows no interim responses.
  httpVersion === '1.1' &&
  Number(headers['content-length'] ?? 0) <= limit;

/** Time in which the client sends is the client's: the request is not worked on meanwhile, and its deadline waits. */
export const awaitBody = async (
  exchange: Exchange,
  admission: AdmissionControl,
  limit: number,
): Promise<Buffer> => {
  const { message, response, deadline } = exchange;
  exchange.isContinued = expectsContinue(message, limit);
  if (exchange.isContinued) response.writeContinue();
  const asked = performance.now();
  exchange.deadline = Infinity;
  if (exchange.isInFlight) admission.pause();
  exchange.isInFlight = false;
  const body = await readBody(message, limit);
  exchange.deadline = deadline + performance.now() - asked;
  exchange.isInFlight = await new Promise<boolean>((admit) => {
    admission.reenter(exchange, admit);
  });
  if (!exchange.isInFlight) throw new Error('nobody waits for the response any more');
  return body;
};
