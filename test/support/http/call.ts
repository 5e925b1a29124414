import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** An answer, and how long it took in milliseconds. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly milliseconds: number;
}

export interface Call {
  readonly method?: 'GET' | 'POST';
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whose connections it takes; without one those of all calls. */
  readonly agent?: Agent;
}

const shared = new Agent({ keepAlive: true });

/** One request over a connection that is kept; rejects when it ends without an answer. */
export const call = (
  url: string,
  { method = 'GET', key, headers = {}, body, agent = shared }: Call = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const sent = request(url, {
      agent,
      method,
      headers: {
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
        ...headers,
      },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', reject);
      response.once('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          milliseconds: performance.now() - began,
        });
      });
    });
    sent.end(body);
  });
