import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { animalStoreClient, type AnimalStoreClient, AnimalStoreError } from '../../../adapters/client';
import { listenOn } from '../../support/http/listen';

export const rex = { name: 'Rex', categoryId: 7 };
export const stored = '{"id":1,"name":"Rex","categoryId":7}';

export type Answer = (response: ServerResponse) => void;

export const answer =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

export const failure = (
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Answer =>
  answer(status, JSON.stringify({ code, message: 'a message', status }), {
    'X-Request-Id': 'r1',
    ...headers,
  });

/** Calls a function with a client of a server that gives these responses in turn, and then repeats the last one. */
export const against = async <A>(
  answers: ReadonlyArray<Answer>,
  call: (client: AnimalStoreClient) => Promise<A>,
  path = '',
) => {
  const requests: Array<IncomingMessage> = [];
  const listener: RequestListener = (request, response) => {
    const current = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    request.resume().on('end', () => current?.(response));
  };
  const { address, close } = await listenOn(createServer(listener));
  try {
    const client = animalStoreClient({ baseUrl: address + path, apiKey: 'k1' });
    const outcome = await call(client).catch((error: unknown) => {
      if (error instanceof AnimalStoreError) return error;
      throw error;
    });
    return { outcome, requests };
  } finally {
    await close();
  }
};

export const once = { retryForMs: 0 };
