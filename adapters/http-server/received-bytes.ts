import type { IncomingMessage } from 'node:http';
import { type ChunkedBody, joinChunks, type Parser } from './node-internals';
import { hasTooManyHeaders } from './validate-request';

// Maximum input that is parsed at once, except in a body of known length. It is small, because the input after a chunked
// body can contain many pipelined requests, and each parsed request takes 1 kB.
const maxPieceBytes = 4_096;
// Number of chunks that are parsed before other connections are served. Parsing a chunk takes about 2 microseconds.
const chunksPerTurn = 128;

const firstChunksBytes = 1_024;

const maxSmallChunks = 1_024;
const minChunkBytes = 16;
export const tooManySmallChunks =
  'too many small chunks in the request body; ' +
  `send chunks of at least ${minChunkBytes} bytes on average, or a Content-Length`;

const headEnd = Buffer.from('\r\n\r\n');

/**
 * Maximum number of unparsed bytes of all connections together. Above the limit, a pipelining connection is closed
 * after its current response.
 */
export const maxHeldBytes = 67_108_864;

export interface HeldBytes {
  total: number;
}

export type AfterPiece = 'continue' | 'pause' | 'yield' | 'reject';

/**
 * Unparsed bytes of a connection. connection.ts calls `parsePiece` until all bytes are parsed, and after each piece
 * does what the returned AfterPiece says.
 */
export class ReceivedBytes {
  private readonly parser: Parser;
  private readonly held: HeldBytes;
  private unparsed: Buffer | undefined;
  private lastRequest: IncomingMessage | undefined;
  private bodyBytesLeft = 0;
  private chunkedBody: ChunkedBody | undefined;

  constructor(parser: Parser, held: HeldBytes) {
    this.parser = parser;
    this.held = held;
  }

  get isEmpty(): boolean {
    return this.unparsed === undefined;
  }

  get length(): number {
    return this.unparsed?.length ?? 0;
  }

  get isOverLimit(): boolean {
    return this.held.total > maxHeldBytes;
  }

  get isBodyComing(): boolean {
    return this.lastRequest?.complete === false;
  }

  append(bytes: Buffer): void {
    this.keep(this.unparsed === undefined ? bytes : Buffer.concat([this.unparsed, bytes]));
  }

  clear(): void {
    this.keep(undefined);
  }

  expectBody(request: IncomingMessage): void {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    this.lastRequest = request;
    this.bodyBytesLeft = request.complete ? 0 : Number(length ?? 0);
    // Node drops all headers beyond a maximum number, and Transfer-Encoding may be one of the dropped headers.
    const mayBeChunked = !request.complete && (encoding !== undefined || hasTooManyHeaders(request));
    this.chunkedBody = mayBeChunked ? joinChunks(request) : undefined;
  }

  parsePiece(): AfterPiece {
    const bytes = this.unparsed;
    if (bytes === undefined) return 'continue';
    const end = this.pieceEnd(bytes);
    const chunksBefore = this.chunkedBody?.chunks ?? 0;
    this.keep(end === bytes.length ? undefined : bytes.subarray(end));
    this.bodyBytesLeft = Math.max(0, this.bodyBytesLeft - end);
    this.parser.parse(end === bytes.length ? bytes : bytes.subarray(0, end));
    return this.chunkedBody === undefined ? 'continue' : this.passOn(this.chunkedBody, chunksBefore);
  }

  private passOn(body: ChunkedBody, chunksBefore: number): AfterPiece {
    const wantsMore = body.flush();
    if (body.chunks > maxSmallChunks && body.bytes < body.chunks * minChunkBytes && this.isBodyComing) {
      return 'reject';
    }
    if (!wantsMore) return 'pause';
    return this.unparsed !== undefined && body.chunks - chunksBefore > chunksPerTurn ? 'yield' : 'continue';
  }

  private pieceEnd(bytes: Buffer): number {
    if (this.bodyBytesLeft > 0) return Math.min(this.bodyBytesLeft, bytes.length);
    if (this.chunkedBody !== undefined) {
      const { chunks, bytes: bodyBytes } = this.chunkedBody;
      const expected = chunks === 0 ? 0 : (chunksPerTurn * bodyBytes) / chunks;
      return Math.min(Math.max(firstChunksBytes, Math.ceil(expected)), maxPieceBytes, bytes.length);
    }
    const end = bytes.indexOf(headEnd);
    return Math.min(end === -1 ? maxPieceBytes : end + headEnd.length, maxPieceBytes, bytes.length);
  }

  private keep(bytes: Buffer | undefined): void {
    this.held.total += (bytes?.length ?? 0) - (this.unparsed?.length ?? 0);
    this.unparsed = bytes;
  }
}
