import { operations } from '../load/operations.js';

/** One request of an operation, as it goes over the wire. */
export const requestText = (operation, { address, key, animals }) => {
  const { method, path, headers = {}, body } = operations[operation](animals);
  const fields = {
    host: new URL(address).host,
    authorization: `Bearer ${key}`,
    ...headers,
    ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
};
