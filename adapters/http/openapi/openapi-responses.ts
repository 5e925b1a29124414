import { pipe } from 'fp-ts/function';
import * as NEA from 'fp-ts/NonEmptyArray';
import * as R from 'fp-ts/Record';
import { exampleResponses } from './example-responses';
import { headers, quotaHeaders } from './openapi-headers';

type Headers = Readonly<Record<string, object>>;
type Kind = keyof typeof exampleResponses;

const schemaOf = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A success; the example is the body of a real one. */
export const success = (description: string, schema: string, example: unknown, added: Headers = {}) => ({
  description,
  headers: { ...headers('X-Request-Id'), ...added },
  content: {
    'application/json': { schema: schemaOf(schema), ...(example === undefined ? {} : { example }) },
  },
});

/** Of a text with an ETag. */
export const notModified = {
  304: { description: 'The client has it already.', headers: headers('X-Request-Id', 'ETag') },
};

const exampleOf = (kind: Kind) => ({ kind, ...exampleResponses[kind] });
type Example = ReturnType<typeof exampleOf>;

const codesOf = (examples: ReadonlyArray<Example>): string =>
  [...new Set(examples.map(({ error }) => `\`${error.code}\``))].join(' or ');

/** Each is on those failures alone that the table of failures sends it with. */
const failureHeaders = ['WWW-Authenticate', 'Retry-After', 'Accept'] as const;

const headersOf = (examples: ReadonlyArray<Example>): Headers => {
  const sent = new Set(examples.flatMap((example) => Object.keys(example.headers ?? {})));
  return headers(...failureHeaders.filter((name) => sent.has(name)));
};

/** The bodies of all failures, each as the table of failures makes it. */
export const exampleComponents = pipe(
  exampleResponses,
  R.map(({ error }) => ({ value: error })),
);

/** The responses to some failures, one a status, for the operation that alone answers so. */
export const failures = (kinds: ReadonlyArray<Kind>, added: Headers = {}) =>
  pipe(
    kinds.map(exampleOf),
    NEA.groupBy(({ status }) => String(status)),
    R.map((examples) => ({
      description: codesOf(examples),
      headers: { ...headers('X-Request-Id'), ...added, ...headersOf(examples) },
      content: {
        'application/json': {
          schema: schemaOf('Error'),
          examples: Object.fromEntries(
            examples.map(({ kind }) => [kind, { $ref: `#/components/examples/${kind}` }]),
          ),
        },
      },
    })),
  );

/** The responses that several operations have, each of one status. */
const shared = {
  MalformedRequest: failures(['MalformedRequest']),
  Unauthorized: failures(['MissingApiKey', 'InvalidApiKey']),
  RequestTimeout: failures(['RequestTimeout']),
  ExpectationFailed: failures(['ExpectationFailed']),
  RateLimited: failures(['RateLimited'], quotaHeaders),
  HeadersTooLarge: failures(['HeadersTooLarge']),
  InternalError: failures(['Defect'], quotaHeaders),
  Unavailable: failures(['Unavailable'], quotaHeaders),
  HttpVersionNotSupported: failures(['HttpVersionNotSupported']),
} as const;
type Shared = keyof typeof shared;

/** Each of them by its name. */
export const responseComponents = R.map(
  (byStatus: ReturnType<typeof failures>) => Object.values(byStatus)[0],
)(shared);

/** Refers an operation to responses that it shares with others. */
export const sharedFailures = (names: ReadonlyArray<Shared>) =>
  Object.fromEntries(
    names.flatMap((name) =>
      Object.keys(shared[name]).map((status) => [status, { $ref: `#/components/responses/${name}` }]),
    ),
  );

/** What can be wrong with any request before it is known what it asks for, beside its being malformed. */
export const unread = [
  'RequestTimeout',
  'ExpectationFailed',
  'HeadersTooLarge',
  'HttpVersionNotSupported',
] as const;

/** What can be wrong with any request, whatever it asks for. */
export const beforeRouting = ['MalformedRequest', ...unread] as const;
