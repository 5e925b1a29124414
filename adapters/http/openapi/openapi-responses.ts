import { pipe } from 'fp-ts/function';
import * as NEA from 'fp-ts/NonEmptyArray';
import * as R from 'fp-ts/Record';
import { exampleFailures } from './example-failures';
import { failureResponse } from '../responses/failure-response';
import { openApiHeaders } from './openapi-headers';

type Headers = Readonly<Record<string, object>>;
type Kind = keyof typeof exampleFailures;

const { failure: failureHeaders, requestId } = openApiHeaders;

const schemaOf = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A success; the example is the body of a real one. */
export const success = (description: string, schema: string, example: unknown, headers: Headers = {}) => ({
  description,
  headers: { ...requestId, ...headers },
  content: {
    'application/json': { schema: schemaOf(schema), ...(example === undefined ? {} : { example }) },
  },
});

const exampleOf = (kind: Kind) => ({ kind, ...failureResponse(exampleFailures[kind]) });
type Example = ReturnType<typeof exampleOf>;

const codesOf = (examples: ReadonlyArray<Example>): string =>
  [...new Set(examples.map(({ error }) => `\`${error.code}\``))].join(' or ');

const headersOf = (examples: ReadonlyArray<Example>): Headers => {
  const sent = new Set(examples.flatMap(({ headers = {} }) => Object.keys(headers)));
  return pipe(
    failureHeaders,
    R.filterWithIndex((name) => sent.has(name)),
  );
};

/** The responses to some failures, one a status, with what the table of failures answers to each as its examples. */
export const failures = (kinds: ReadonlyArray<Kind>, headers: Headers = {}) =>
  pipe(
    kinds.map(exampleOf),
    NEA.groupBy(({ status }) => String(status)),
    R.map((examples) => ({
      description: codesOf(examples),
      headers: { ...requestId, ...headers, ...headersOf(examples) },
      content: {
        'application/json': {
          schema: schemaOf('Error'),
          examples: Object.fromEntries(examples.map(({ kind, error }) => [kind, { value: error }])),
        },
      },
    })),
  );

/** What can be wrong with any request before it is known what it asks for, beside its being malformed. */
export const unread: ReadonlyArray<Kind> = ['RequestTimeout', 'ExpectationFailed', 'HeadersTooLarge'];

/** What can be wrong with any request, whatever it asks for. */
export const beforeRouting: ReadonlyArray<Kind> = ['MalformedRequest', ...unread];
