import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';

/** An HTTP/2 connection to a proxy of this test, whose certificate is self-signed. */
export const openHttp2 = (address: string): ClientHttp2Session => {
  const session = connect(address, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  return session;
};

/** One request on an HTTP/2 connection; rejects if its stream ends without a whole answer. */
export const callHttp2 = (
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string,
): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let status = 0;
    let text = '';
    stream.on('response', (answer) => (status = answer[':status'] ?? 0));
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    stream.once('error', reject);
    stream.once('close', () => {
      if (stream.rstCode === 0 && status > 0) resolve({ status, text });
      else reject(new Error(`HTTP/2 stream closed with code ${String(stream.rstCode)}`));
    });
    if (body !== undefined) stream.end(body);
  });
