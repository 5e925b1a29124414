import { connect } from 'node:net';

/** Maximum wait for the server, long enough for a busy machine. */
const timeoutMs = 20_000;

/** TCP connection on which a test sends and receives exact bytes. */
export type RawConnection = Readonly<{
  /** Sends bytes. A string is encoded as Latin-1, one byte for each character. */
  send: (bytes: string | Buffer) => void;
  /** Waits until the bytes received so far match `pattern`. */
  received: (pattern: RegExp) => Promise<void>;
  /** Waits until the server has closed the connection. Returns all bytes that it sent. */
  closed: () => Promise<Buffer>;
  /** Half-closes the connection: sends nothing more, but still receives. */
  end: () => void;
  destroy: () => void;
  /** Resets the connection (TCP RST), so that later writes of the server fail. */
  reset: () => void;
}>;

/** Connects to an address such as `http://127.0.0.1:3000`. Waits on the connection fail after 20 seconds. */
export const connectTo = (address: string): RawConnection => {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const chunks: Array<Buffer> = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // Ignores the error that occurs if the server closes the connection while the test still writes. `closed` then
  // returns the bytes that have arrived.
  socket.on('error', () => undefined);

  const soFar = () => Buffer.concat(chunks);
  const waitFor = (event: 'data' | 'close', isThere: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const settle = () => {
        if (!isThere() && !socket.closed) return;
        clearTimeout(timer);
        socket.off(event, settle).off('close', settle);
        if (isThere()) resolve();
        else reject(new Error(`the connection closed after: ${JSON.stringify(soFar().toString('latin1'))}`));
      };
      const timer = setTimeout(() => {
        socket.destroy();
        reject(new Error(`no answer in time, only: ${JSON.stringify(soFar().toString('latin1'))}`));
      }, timeoutMs);
      socket.on(event, settle).on('close', settle);
      settle();
    });

  return {
    send: (bytes) => void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    received: (pattern) => waitFor('data', () => pattern.test(soFar().toString('latin1'))),
    closed: () => waitFor('close', () => socket.closed).then(soFar),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    reset: () => void socket.resetAndDestroy(),
  };
};

export interface RawAnswer {
  readonly status: number;
  /** Header values by name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Returns the head of a request with these lines. */
export const headOf = (...lines: ReadonlyArray<string>): string => [...lines, '', ''].join('\r\n');

/** Returns the text of a GET without a body. `headers` are additional header lines. */
export const getRequest = (path: string, ...headers: ReadonlyArray<string>): string =>
  headOf(`GET ${path} HTTP/1.1`, 'Host: a', ...headers);

/** Returns the text of a POST with a Content-Length. */
export const postRequest = (path: string, body: string, ...headers: ReadonlyArray<string>): string =>
  headOf(`POST ${path} HTTP/1.1`, 'Host: a', `Content-Length: ${Buffer.byteLength(body)}`, ...headers) + body;

/** Sends bytes on a new connection. Returns all bytes of the server, which must close the connection. */
export const exchangeBytes = (address: string, bytes: string): Promise<Buffer> => {
  const connection = connectTo(address);
  connection.send(bytes);
  return connection.closed();
};

/** Sends the text of one request unchanged, and returns the response. The server must close the connection after it. */
export const rawExchange = async (address: string, request: string): Promise<RawAnswer> => {
  const method = request.split(' ', 1).join();
  const [answer] = readHttpResponses(await exchangeBytes(address, request), [method]);
  if (answer === undefined) throw new Error(`no answer to ${method}`);
  return { status: answer.status, headers: new Map(answer.headers), body: answer.body.toString() };
};

/** Response as received. Header names are in lower case, and in the order of the response. */
export type WireResponse = Readonly<{
  status: number;
  headers: ReadonlyArray<readonly [name: string, value: string]>;
  body: Buffer;
}>;

const headEnd = Buffer.from('\r\n\r\n');

const readHeader = (line: string): readonly [string, string] => {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([^\r\n\0]*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`no header line: ${JSON.stringify(line)}`);
  return [name.toLowerCase(), value.trim()];
};

const readHead = (head: string): Omit<WireResponse, 'body'> => {
  const [statusLine = '', ...headerLines] = head.split('\r\n');
  const [, status] = /^HTTP\/1\.[01] ([1-5][0-9]{2}) [\x20-\x7e]*$/.exec(statusLine) ?? [];
  if (status === undefined) throw new Error(`no status line: ${JSON.stringify(statusLine)}`);
  return { status: Number(status), headers: headerLines.map(readHeader) };
};

const lengthOfBody = ({ status, headers }: Omit<WireResponse, 'body'>, method: string): number => {
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return 0;
  const [length] = headers.filter(([name]) => name === 'content-length').map(([, value]) => value);
  if (length === undefined || !/^[0-9]+$/.test(length)) throw new Error(`a ${status} without Content-Length`);
  return Number(length);
};

/** Returns one response and the offset of the next one. Undefined if the response is incomplete. */
const readNext = (
  bytes: Buffer,
  offset: number,
  methodOf: (startOfBody: number) => string,
): readonly [response: WireResponse, end: number] | undefined => {
  const endOfHead = bytes.indexOf(headEnd, offset);
  if (endOfHead < 0) return undefined;
  const head = readHead(bytes.toString('latin1', offset, endOfHead));
  const start = endOfHead + headEnd.length;
  const end = start + lengthOfBody(head, methodOf(start));
  return end > bytes.length ? undefined : [{ ...head, body: bytes.subarray(start, end) }, end];
};

/**
 * Parses all bytes of a server on one connection as responses to requests with these methods, in order (RFC 9112). The
 * last requests may have no response. Throws if bytes are left over. The result includes interim responses (1xx).
 */
export const readFirstHttpResponses = (
  bytes: Buffer,
  methods: ReadonlyArray<string>,
): ReadonlyArray<WireResponse> => {
  const responses: Array<WireResponse> = [];
  let answered = 0;
  let offset = 0;
  while (offset < bytes.length) {
    const method = methods[answered];
    const next = method === undefined ? undefined : readNext(bytes, offset, () => method);
    if (next === undefined) {
      throw new Error(`bytes that are no answer: ${JSON.stringify(bytes.toString('latin1', offset))}`);
    }
    const [response, end] = next;
    responses.push(response);
    offset = end;
    if (response.status >= 200) answered += 1;
  }
  return responses;
};

/** Parses responses as `readFirstHttpResponses` does, and throws unless each of `methods` has a response. */
export const readHttpResponses = (
  bytes: Buffer,
  methods: ReadonlyArray<string>,
): ReadonlyArray<WireResponse> => {
  const responses = readFirstHttpResponses(bytes, methods);
  const answered = responses.filter(({ status }) => status >= 200).length;
  if (answered < methods.length) throw new Error(`${answered} answers to ${methods.length} requests`);
  return responses;
};

const statusLine = 'HTTP/1.1 ';

/**
 * Parses responses to requests whose methods are unknown, such as random bytes. A response that is directly followed by
 * another one, or by nothing, has no body. An incomplete last response is left out.
 */
export const readUnaskedHttpResponses = (bytes: Buffer): ReadonlyArray<WireResponse> => {
  const isBodiless = (start: number): boolean =>
    start === bytes.length || bytes.toString('latin1', start, start + statusLine.length) === statusLine;
  const responses: Array<WireResponse> = [];
  let offset = 0;
  while (offset < bytes.length) {
    const next = readNext(bytes, offset, (start) => (isBodiless(start) ? 'HEAD' : 'GET'));
    if (next === undefined) break;
    const [response, end] = next;
    responses.push(response);
    offset = end;
  }
  return responses;
};
