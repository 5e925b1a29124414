const headEnd = '\r\n\r\n';

const bodyLength = (head: string): number => {
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (length === undefined) throw new Error(`a response without Content-Length: ${head}`);
  return Number(length);
};

/**
 * Reads the responses that come on one connection, chunk by chunk, and tells of each when its last byte is there. It
 * keeps no body, and no chunk beyond the call unless a head is broken in two.
 */
export const responseReader = (
  onResponse: (status: string, head: string) => void,
): ((chunk: Buffer) => void) => {
  let begun = Buffer.alloc(0);
  let head = '';
  let left = 0;
  const end = (): void => {
    const whole = head;
    head = '';
    onResponse(whole.slice(9, 12), whole);
  };
  return (chunk) => {
    let bytes = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
    begun = Buffer.alloc(0);
    while (bytes.length > 0) {
      if (head === '') {
        const length = bytes.indexOf(headEnd);
        if (length < 0) {
          begun = Buffer.from(bytes);
          return;
        }
        head = bytes.toString('latin1', 0, length);
        left = bodyLength(head);
        bytes = bytes.subarray(length + headEnd.length);
      }
      const taken = Math.min(left, bytes.length);
      left -= taken;
      bytes = bytes.subarray(taken);
      if (left === 0) end();
    }
  };
};
