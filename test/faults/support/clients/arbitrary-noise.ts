import * as fc from 'fast-check';
import { framedRequest } from './arbitrary-request';

/** What breaks a request: each takes the place of so many bytes somewhere in it. */
interface Wound {
  /** From 0 to 1, of the whole. */
  readonly at: number;
  readonly removed: number;
  readonly noise: string;
}

const noise = fc.oneof(
  fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array).toString('latin1')),
  fc.constantFrom(
    ...['\r\n', '\n', '\r', '\0', ' ', '\t', ':', '\r\n\r\n', '0\r\n\r\n', ';a=b', '%', '\x7f', '\xff'],
    ...[
      '\r\nTransfer-Encoding: chunked',
      '\r\nContent-Length: 5',
      '\r\nHost: b',
      '\r\nAuthorization: Bearer b',
    ],
    ...[
      'CONNECT ',
      'HTTP/2.0',
      'HTTP/1.0',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\x16\x03\x01',
      'Upgrade: h2c\r\n',
    ],
  ),
);

const wounds = fc.array(
  fc.record<Wound>(
    { at: fc.double({ min: 0, max: 1, noNaN: true }), removed: fc.nat({ max: 20 }), noise },
    { noNullPrototype: true },
  ),
  { minLength: 1, maxLength: 3 },
);

const wounded = (bytes: string, { at, removed, noise: put }: Wound): string => {
  const place = Math.floor(at * bytes.length);
  return `${bytes.slice(0, place)}${put}${bytes.slice(place + removed)}`;
};

/** Bytes that are nearly some requests. */
export const noisyRequests: fc.Arbitrary<{ readonly requests: number; readonly bytes: string }> = fc
  .tuple(fc.array(framedRequest, { minLength: 1, maxLength: 3 }), wounds)
  .map(([requests, all]) => ({
    requests: requests.length,
    bytes: all.reduce(wounded, requests.map(({ bytes }) => bytes).join('')),
  }));
