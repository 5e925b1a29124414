import { pipe } from 'fp-ts/function';
import * as NEA from 'fp-ts/NonEmptyArray';
import * as R from 'fp-ts/Record';
import type { Answer } from './answer';
import { failureAnswer } from './failure-answer';
import type { HttpFailure } from './http-failures';
import { openApiHeaders } from './openapi-headers';

type Headers = Readonly<Record<string, object>>;

const { failure: failureHeaders, requestId } = openApiHeaders;

const schemaOf = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A success; the example is the body of a real one. */
export const success = (description: string, schema: string, example: unknown, headers: Headers = {}) => ({
  description,
  headers: { ...requestId, ...headers },
  content: { 'application/json': { schema: schemaOf(schema), example } },
});

const headersOf = (answers: ReadonlyArray<Answer>): Headers => {
  const sent = new Set(answers.flatMap(({ headers = {} }) => Object.keys(headers)));
  return pipe(
    failureHeaders,
    R.filterWithIndex((name) => sent.has(name)),
  );
};

const codeOf = (body: unknown): string =>
  typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : '';

/** The responses to some failures, one a status, with what the table of failures answers to each as its examples. */
export const failures = (kinds: ReadonlyArray<HttpFailure>, headers: Headers = {}) =>
  pipe(
    kinds.map(failureAnswer),
    NEA.groupBy(({ status }) => String(status)),
    R.map((answers) => {
      const bodies = answers.map(({ body }): unknown => JSON.parse(body));
      return {
        description: bodies.map(codeOf).join(' or '),
        headers: { ...requestId, ...headers, ...headersOf(answers) },
        content: {
          'application/json': {
            schema: schemaOf('Error'),
            examples: Object.fromEntries(bodies.map((body) => [codeOf(body), { value: body }])),
          },
        },
      };
    }),
  );
