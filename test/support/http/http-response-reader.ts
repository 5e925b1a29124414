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
