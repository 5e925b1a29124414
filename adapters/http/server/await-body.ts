import { expectsContinue } from '../protocol/expects-continue';
import { readBody } from '../protocol/read-body';
import type { AdmissionControl } from './admission-control';
import type { Exchange } from './connection';

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
