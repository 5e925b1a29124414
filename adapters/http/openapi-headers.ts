import { deprecationHeaders } from './deprecated';

const header = (description: string, schema: object, required = true) => ({ description, required, schema });

const text = { type: 'string' };

/** What the headers of the responses mean. */
export const openApiHeaders = {
  requestId: {
    'X-Request-Id': header(
      "The id of this request in the log: the request's own if well-formed, else a new one.",
      text,
    ),
  },
  nextPage: {
    Link: header(
      'Only while there is more: the address of the next page, with `rel="next"` (RFC 8288).',
      text,
      false,
    ),
  },
  replayed: {
    'Idempotent-Replayed': header(
      'Only on the answer to a retry: the animal was there already.',
      { const: 'true' },
      false,
    ),
  },
  deprecated: {
    Deprecation: header('When the operation was deprecated (RFC 9745).', {
      const: deprecationHeaders.Deprecation,
    }),
    Sunset: header('When the operation is to be removed (RFC 8594).', { const: deprecationHeaders.Sunset }),
    Link: header('The operation that replaces it (RFC 5829).', { const: deprecationHeaders.Link }),
  },
  failure: {
    'WWW-Authenticate': header('How to authenticate (RFC 6750, section 3).', text),
    'Retry-After': header('Seconds to wait before the next try.', { type: 'integer', minimum: 0 }),
    Allow: header('The methods that the path takes.', text),
  },
} as const;
