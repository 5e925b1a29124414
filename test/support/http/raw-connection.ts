import { connect } from 'node:net';

/** In milliseconds: nothing is promised to come within it. A busy machine may take long. */
const timeoutMs = 20_000;

/** A TCP connection that says what it is told, byte for byte. */
export type RawConnection = Readonly<{
  /** Strings go out as Latin-1: one byte a character. */
  send: (bytes: string | Buffer) => void;
  /** Waits until what came so far matches `pattern`. */
  received: (pattern: RegExp) => Promise<void>;
  /** Waits until the server has closed the connection: all that it sent. */
  closed: () => Promise<Buffer>;
  /** Ends this side: nothing more is sent, what comes is still read. */
  end: () => void;
  destroy: () => void;
  /** Ends the connection without a farewell: what the server still writes to it fails. */
  reset: () => void;
}>;

/** Opens a connection. Its waits fail after 20 seconds. */
export const openRawConnection = (host: string, port: number): RawConnection => {
  const socket = connect({ host, port, noDelay: true });
  const chunks: Array<Buffer> = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A server may close while it is still being written to: what it said before counts, not the reset.
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

/** Opens a connection to an address such as `http://127.0.0.1:3000`. */
export const connectTo = (address: string): RawConnection => {
  const { hostname, port } = new URL(address);
  return openRawConnection(hostname, Number(port));
};

export interface RawAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends one request as its bytes are, and reads the answer, with which the server must end the connection. */
export const rawExchange = async (address: string, request: string): Promise<RawAnswer> => {
  const connection = connectTo(address);
  connection.send(request);
  const method = request.split(' ', 1).join();
  const [answer] = readHttpResponses(await connection.closed(), [method]);
  if (answer === undefined) throw new Error(`no answer to ${method}`);
  return { status: answer.status, headers: new Map(answer.headers), body: answer.body.toString() };
};

/** One response as it came over the socket. Header names are in lower case; the order is the wire's. */
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
  const [, status] = /^HTTP\/1\.1 ([1-5][0-9]{2}) [\x20-\x7e]*$/.exec(statusLine) ?? [];
  if (status === undefined) throw new Error(`no status line: ${JSON.stringify(statusLine)}`);
  return { status: Number(status), headers: headerLines.map(readHeader) };
};

const lengthOfBody = ({ status, headers }: Omit<WireResponse, 'body'>, method: string): number => {
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return 0;
  const [length] = headers.filter(([name]) => name === 'content-length').map(([, value]) => value);
  if (length === undefined || !/^[0-9]+$/.test(length)) throw new Error(`a ${status} without Content-Length`);
  return Number(length);
};

/** One response and where the next begins; undefined where its end has not come. */
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
 * Reads all that a server sent on one connection as its responses to the first of `methods`, in order (RFC 9112),
 * and throws where bytes are left over. Interim responses (1xx) stand in the list where they came.
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

/** As `readFirstHttpResponses`, for a server that owes an answer to each of `methods`. */
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
 * Reads what a server sent to bytes of which nobody knows what requests they are: a response that another follows at
 * once, or nothing, has no body. A last one that is cut off is left out.
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
