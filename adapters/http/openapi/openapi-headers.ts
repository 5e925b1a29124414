import { deprecationHeaders as deprecation } from '../protocol/deprecation';

const header = (description: string, schema: object, example: unknown, required = true) => ({
  description,
  required,
  schema,
  example,
});

const fixed = (description: string, value: string, required = true) =>
  header(description, { const: value }, value, required);

const text = { type: 'string' };

/** What the headers of the responses mean, each described once. */
export const headerComponents = {
  'X-Request-Id': header(
    "The id of this request in the log: the request's own if well-formed, else a new one.",
    text,
    '1f0c2a4e-5d1b-4a57-9a0e-2b1f3c5d7e90',
  ),
  Link: header(
    'Only while there is more: the next page, with `rel="next"` (RFC 8288), relative to the address of this one.',
    text,
    '<?limit=1&after=1>; rel="next"',
    false,
  ),
  Location: header('The animal, relative to the address of the request (RFC 9110, 10.2.2).', text, 'pets/1'),
  'Idempotent-Replayed': fixed('Only on the answer to a retry: the animal was there already.', 'true', false),
  // Not required: a request that is no HTTP can't be known to be a call of the operation.
  Deprecation: fixed('When the operation was deprecated (RFC 9745).', deprecation.Deprecation, false),
  Sunset: fixed('When the operation is to be removed (RFC 8594).', deprecation.Sunset, false),
  Successor: fixed(
    'The operation that replaces it (RFC 5829), relative to the address of the request.',
    deprecation.Link,
    false,
  ),
  RateLimit: header(
    "Only where requests are limited: what is left of the key's quota, `r`, and the seconds until all of it is there again, `t` (draft-ietf-httpapi-ratelimit-headers-10).",
    text,
    '"default";r=9;t=60',
    false,
  ),
  'RateLimit-Policy': header(
    'Only where requests are limited: how many, `q`, a key may make in how many seconds, `w`.',
    text,
    '"default";q=10;w=60',
    false,
  ),
  'WWW-Authenticate': header('How to authenticate (RFC 6750, section 3).', text, 'Bearer'),
  Accept: fixed('The one media type that is taken (RFC 9110, 15.5.16).', 'application/json'),
  ETag: header(
    'Names this text in its coding: sent as `If-None-Match`, it is answered with 304 while nothing has changed.',
    text,
    '"X0tLTpR4qJ2Zx8wq6oI4l1cTzqk3b3mI1cCwVfTzqGE"',
  ),
  'Retry-After': header('Seconds to wait before the next try.', { type: 'integer', minimum: 0 }, 1),
};

type Name = keyof typeof headerComponents;

const referenceTo = (name: Name) => ({ $ref: `#/components/headers/${name}` });

/** Header fields of a response, each by its name. */
export const headers = (...names: ReadonlyArray<Name>): Readonly<Record<string, object>> =>
  Object.fromEntries(names.map((name) => [name, referenceTo(name)]));

export const quotaHeaders = headers('RateLimit', 'RateLimit-Policy');

/** The Link of these responses is another than that to a next page. */
export const deprecationHeaders = { ...headers('Deprecation', 'Sunset'), Link: referenceTo('Successor') };
