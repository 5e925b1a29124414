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

/**
 * Reads all that a server sent on one connection as its responses to `methods`, in order (RFC 9112), and
 * throws where a byte is missing or left over. Interim responses (1xx) stand in the list where they came.
 */
export const readHttpResponses = (
  bytes: Buffer,
  methods: ReadonlyArray<string>,
): ReadonlyArray<WireResponse> => {
  const responses: Array<WireResponse> = [];
  let answered = 0;
  let offset = 0;
  while (offset < bytes.length) {
    const endOfHead = bytes.indexOf(headEnd, offset);
    const method = methods[answered];
    if (endOfHead < 0 || method === undefined) {
      throw new Error(`bytes that are no answer: ${JSON.stringify(bytes.toString('latin1', offset))}`);
    }
    const head = readHead(bytes.toString('latin1', offset, endOfHead));
    const start = endOfHead + headEnd.length;
    offset = start + lengthOfBody(head, method);
    if (offset > bytes.length) throw new Error(`a body cut off: ${bytes.toString('utf8', start)}`);
    responses.push({ ...head, body: bytes.subarray(start, offset) });
    if (head.status >= 200) answered += 1;
  }
  if (answered < methods.length) throw new Error(`${answered} answers to ${methods.length} requests`);
  return responses;
};
