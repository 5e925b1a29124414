const headEnd = '\r\n\r\n';

const bodyLength = (head) => {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`a response without Content-Length: ${head}`);
  return Number(length);
};

/** Reads the responses on one connection, chunk by chunk, and tells the status of each when its last byte is there. */
export const responseReader = (onResponse) => {
  let begun = Buffer.alloc(0);
  let status;
  let left = 0;
  return (chunk) => {
    let bytes = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
    begun = Buffer.alloc(0);
    while (bytes.length > 0) {
      if (status === undefined) {
        const length = bytes.indexOf(headEnd);
        if (length < 0) {
          begun = Buffer.from(bytes);
          return;
        }
        const head = bytes.toString('latin1', 0, length);
        status = head.slice(9, 12);
        left = bodyLength(head);
        bytes = bytes.subarray(length + headEnd.length);
      }
      const taken = Math.min(left, bytes.length);
      left -= taken;
      bytes = bytes.subarray(taken);
      if (left === 0) {
        const whole = status;
        status = undefined;
        onResponse(whole);
      }
    }
  };
};
