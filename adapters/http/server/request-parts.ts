const blankLine = '\r\n\r\n';

/**
 * Divides the bytes of a connection into parts, so that no part completes two requests. A part ends with a blank line,
 * which ends every head and every chunked body. The part of a body with a Content-Length ends with the last byte of
 * this body.
 */
export class RequestParts {
  private bodyBytesLeft = 0;
  /** Last bytes of an unfinished part, because a blank line may be divided between two packets. */
  private tail = '';

  /**
   * True if a head or body has begun but not ended. An empty line between requests does not begin a head (RFC 9112,
   * section 2.2).
   */
  get isInsideRequest(): boolean {
    return this.bodyBytesLeft > 0 || /[^\r\n]/.test(this.tail);
  }

  /**
   * True if the last head or chunked body has ended with a blank line. False if Node has ended a head elsewhere: until
   * 20.19.1, Node also takes `\r\n\r` and any byte for a blank line.
   */
  get endedAtBlankLine(): boolean {
    return this.tail === '';
  }

  /** Starts a body with a Content-Length. The last part was its head. */
  startBody(contentLength: number): void {
    this.bodyBytesLeft = contentLength;
  }

  /** Returns the length of the first part of `bytes`. The next call must get the bytes after this part. */
  nextLength(bytes: Buffer): number {
    if (this.bodyBytesLeft > 0) {
      const length = Math.min(bytes.length, this.bodyBytesLeft);
      this.bodyBytesLeft -= length;
      return length;
    }
    const end = this.endOfBlankLine(bytes);
    this.tail = end === undefined ? (this.tail + bytes.toString('latin1', bytes.length - 3)).slice(-3) : '';
    return end ?? bytes.length;
  }

  private endOfBlankLine(bytes: Buffer): number | undefined {
    const { tail } = this;
    const divided = tail === '' ? -1 : (tail + bytes.toString('latin1', 0, 3)).indexOf(blankLine);
    if (divided >= 0) return divided + blankLine.length - tail.length;
    const start = bytes.indexOf(blankLine);
    return start < 0 ? undefined : start + blankLine.length;
  }
}
