import { apiKeys } from './service-under-test';

/** The header of the first API key. */
export const authorization = `Authorization: Bearer ${apiKeys.first}`;

/** The head of a request, line by line. */
export const headOf = (...lines: ReadonlyArray<string>) => [...lines, '', ''].join('\r\n');

/** A GET after which the connection closes. */
export const getText = (target: string, ...headers: ReadonlyArray<string>) =>
  headOf(`GET ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', authorization, ...headers);

/** A GET after which the connection stays open. */
export const keptAliveText = (target: string) =>
  headOf(`GET ${target} HTTP/1.1`, 'Host: localhost', authorization);
