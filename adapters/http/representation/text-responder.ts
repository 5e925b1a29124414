import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { shareSuccess } from './share-success';

/** A text that is sent to whoever asks for it, static or made for one answer. */
export interface Text {
  readonly body: string | Buffer;
  readonly contentType: string;
  /** Added to each answer; one of them replaces the `Cache-Control` that is there else. */
  readonly headers?: Readonly<Record<string, string>>;
}

const compress = promisify<Buffer, Buffer>(gzip);

const codingWithWeight = /^([^;]*)(?:;\s*q=([\d.]*))?$/i;

/** What an Accept-Encoding gives each coding, 0 to 1 (RFC 9110, section 12.5.3). */
const weightsOf = (accepted: string): ReadonlyMap<string, number> =>
  new Map(
    accepted.split(',').map((member) => {
      const [, coding = '', weight = '1'] = codingWithWeight.exec(member.trim()) ?? [];
      return [coding.trim().toLowerCase(), Number(weight)];
    }),
  );

const prefersGzip = (accepted: string): boolean => {
  const weights = weightsOf(accepted);
  const weight = weights.get('gzip') ?? weights.get('*') ?? 0;
  return weight > 0 && weight >= (weights.get('identity') ?? 0);
};

/** Weak comparison (RFC 9110, section 13.1.2). */
const matches = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.split(',').some((member) => ['*', etag, `W/${etag}`].includes(member.trim()));

/**
 * Answers requests for a text: with gzip where the client takes it, an ETag for each coding, and 304 to who has it
 * already. It is compressed once, at the first request that takes it so. Rejects only where compressing fails.
 */
export const textResponder = ({ body, contentType, headers = {} }: Text) => {
  const plain = Buffer.from(body);
  const hash = createHash('sha256').update(plain).digest('base64url');
  const compressed = shareSuccess(() => compress(plain));
  return async (request: IncomingHttpHeaders) => {
    const isGzip = prefersGzip(request['accept-encoding'] ?? '');
    const etag = isGzip ? `"${hash}-gzip"` : `"${hash}"`;
    // Kept by the client, and asked after each time: an upgrade shows at once.
    const validators: Readonly<Record<string, string>> = {
      'Cache-Control': 'no-cache',
      ...headers,
      ETag: etag,
      Vary: 'Accept-Encoding',
    };
    if (matches(request['if-none-match'] ?? '', etag)) {
      return { status: 304, headers: validators, contentType, body: undefined };
    }
    return {
      status: 200,
      headers: isGzip ? { ...validators, 'Content-Encoding': 'gzip' } : validators,
      contentType,
      body: isGzip ? await compressed() : plain,
    };
  };
};
