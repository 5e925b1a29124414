import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Answered } from './pet-calls';

/** A create that the service has received and can't answer before the rest of its body comes. */
export interface HeldCreate {
  readonly sendRest: () => void;
  readonly answer: Promise<Answered & { readonly connection: string | undefined }>;
}

const bodyOf = (message: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    message.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    message.once('end', () => {
      resolve(text);
    });
    message.once('error', reject);
  });

const answerTo = (sent: ClientRequest): HeldCreate['answer'] =>
  new Promise((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response) => {
      const { statusCode = 0, headers } = response;
      bodyOf(response).then((text) => {
        resolve({ status: statusCode, text, connection: headers.connection });
      }, reject);
    });
  });

/** Connections that are kept for the next request. */
export const keepAliveAgent = (): Agent => new Agent({ keepAlive: true });

/** Sends a create up to the middle of its body; ends once the service has asked for the body, and so received it. */
export const holdCreate = async (
  { address, key }: { readonly address: string; readonly key: string },
  json: string,
  agent: Agent,
): Promise<HeldCreate> => {
  const half = Math.floor(json.length / 2);
  const sent = request(`${address}/v1/pets`, {
    agent,
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(json),
      Expect: '100-continue',
    },
  });
  const answer = answerTo(sent);
  answer.catch(() => undefined);
  await new Promise<void>((resolve, reject) => {
    sent.once('continue', resolve);
    sent.once('error', reject);
    sent.flushHeaders();
  });
  sent.write(json.slice(0, half));
  return {
    answer,
    sendRest: () => {
      sent.end(json.slice(half));
    },
  };
};

/** A GET over a connection of the agent. */
export const get = (address: string, agent: Agent): HeldCreate['answer'] => {
  const sent = request(address, { agent });
  const answer = answerTo(sent);
  sent.end();
  return answer;
};
