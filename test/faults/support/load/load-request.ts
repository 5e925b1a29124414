/** What is sent; one with a body, in ASCII, is a POST. */
export interface LoadRequest {
  readonly target: string;
  readonly key: string;
  readonly body?: string;
}

/** A request as it goes over the wire, in ASCII. */
export const requestText = ({ target, key, body }: LoadRequest): string =>
  [
    `${body === undefined ? 'GET' : 'POST'} ${target} HTTP/1.1`,
    'Host: animals',
    `Authorization: Bearer ${key}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
    '',
    body ?? '',
  ].join('\r\n');
