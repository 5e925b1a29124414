import * as E from 'fp-ts/Either';
import * as t from 'io-ts';
import { describeFailure } from '../../../adapters/http/operations/errors';
import { petOperations } from '../../../adapters/http/operations/pet-operations';
import { NewPetCodec, PetCodec } from '../../../core';
import { maxPageSize, newPetRules, petRules } from '../../../core/rules';
import { type FieldRule } from '../../../core/validation';
import { fieldKind } from '../field-kinds';
import { isDescribedHeader } from './document';
import { exampleFailures } from './example-failures';
import { type Observation, type Observations, type ObservedParameter } from './observations';
import { rex } from './provocations';
import { abbreviate, samples } from './samples';

const described = ({ answer }: Observation): ReadonlyArray<readonly [name: string, value: string]> =>
  [...answer.headers].filter(([name]) => isDescribedHeader(name));

const placeOf = ({ operationId, answer }: Observation): string => `${operationId} ${answer.status}`;

const CodeOfError = t.type({ code: t.string });

const bodyOf = (body: unknown): string => {
  if (body === undefined) return 'no body';
  return `a body of ${CodeOfError.is(body) ? 'Error' : Array.isArray(body) ? 'Pets' : 'Pet'}`;
};

const answerFacts = (answers: ReadonlyArray<Observation>): ReadonlyArray<string> => {
  const succeeded = new Set<string>();
  return answers.flatMap((observation) => {
    const of = placeOf(observation);
    const { failure, answer } = observation;
    const body: unknown = answer.body === '' ? undefined : JSON.parse(answer.body);
    const isFirst = !succeeded.has(of);
    if (failure === undefined) succeeded.add(of);
    const example = failure === undefined ? `${of} is` : `${of} ${failure} is`;
    return [
      `${of} has ${bodyOf(body)}`,
      ...described(observation).map(([name]) => `${of} has ${name}`),
      ...(CodeOfError.is(body) ? [`${of} has code ${body.code}`] : []),
      ...(isFirst && body !== undefined ? [`${example} ${JSON.stringify(body)}`] : []),
    ];
  });
};

/**
 * Describes each header, with its value in the first response that has it. A header counts as always sent if each
 * response of the same operation and status has it.
 */
const headerFacts = (answers: ReadonlyArray<Observation>): ReadonlyArray<string> => {
  const first = new Map(answers.toReversed().flatMap(described));
  return [...first].map(([name, example]) => {
    const having = answers.filter(({ answer }) => answer.headers.has(name));
    const places = new Set(having.map(placeOf));
    const isAlways = answers.every((each) => !places.has(placeOf(each)) || each.answer.headers.has(name));
    const isInteger = having.every(({ answer }) => /^[0-9]+$/.test(answer.headers.get(name) ?? ''));
    return `${name} is sent ${isAlways ? 'always' : 'sometimes'}, as ${isInteger ? 'integer from 0' : 'string'}, such as ${example}`;
  });
};

/** Returns the facts about an operation that one of its responses shows. */
const operationFactsOf = ({ operationId, failure, answer: { status, headers } }: Observation) => {
  const facts: Array<string> = [];
  const sunset = headers.get('sunset');
  if (failure === 'MissingApiKey' && status === 401) {
    facts.push(`needs a key by http ${headers.get('www-authenticate')?.toLowerCase() ?? ''}`);
  }
  if (failure === 'UnsupportedMediaType' && status === 415) {
    facts.push(`takes a NewPet as ${headers.get('accept') ?? ''}, such as ${JSON.stringify(rex)}`);
  }
  if (headers.has('deprecation')) facts.push('is deprecated');
  if (sunset !== undefined) facts.push(`ends on ${new Date(sunset).toISOString().slice(0, 10)}`);
  return facts.map((fact) => `${operationId} ${fact}`);
};

const parameterFactsOf = ({ operationId, name, place, accepted }: ObservedParameter) => {
  const type = accepted.every((text) => /^-?[0-9]+$/.test(text)) ? 'integer' : 'string';
  return [
    `${operationId} takes the ${place === 'path' ? 'required' : 'optional'} ${place} ${name}, as ${type}`,
    ...(place === 'path' && accepted[0] !== undefined ? [`${operationId} finds ${name} ${accepted[0]}`] : []),
    ...accepted.map((text) => `${operationId} accepts ${name} ${abbreviate(text)}`),
  ];
};

const operationFacts = (observations: Observations): ReadonlyArray<string> => [
  ...Object.entries(petOperations).map(
    ([operationId, { method, path }]) => `${operationId} is ${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  ),
  ...observations.answers.flatMap(operationFactsOf),
  ...observations.parameters.flatMap(parameterFactsOf),
  ...observations.needingBody.map((operationId) => `${operationId} needs a body`),
  `listPets uses limit ${observations.defaultLimit} by default`,
  `listPets uses order ${observations.defaultOrder} by default`,
];

const descriptions = Object.values(exampleFailures).map(describeFailure);
const codes: ReadonlySet<string> = new Set(descriptions.map(({ code }) => code));

const ErrorBody = t.type({ code: t.string, message: t.string, status: t.Integer });

const isErrorBody = (value: unknown): boolean =>
  ErrorBody.is(value) &&
  codes.has(value.code) &&
  value.status >= 400 &&
  value.status < 600 &&
  Object.keys(value).length === Object.keys(ErrorBody.props).length;

const isPets = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length <= maxPageSize &&
  value.every((each) => E.isRight(PetCodec.decode(each)));

/** For each schema, its type and the function of the program that accepts the same values. */
const schemas: Readonly<Record<string, readonly [type: string, accepts: (value: unknown) => boolean]>> = {
  PetStatus: ['string', (status) => E.isRight(NewPetCodec.decode({ ...rex, status }))],
  NewPet: ['object', (value) => E.isRight(NewPetCodec.decode(value))],
  Pet: ['object', (value) => E.isRight(PetCodec.decode(value))],
  Pets: ['array', isPets],
  Error: ['object', isErrorBody],
};

const pets = { NewPet: newPetRules, Pet: petRules };
const examplePet: Readonly<Record<string, unknown>> = { id: 1, ...rex };

const schemaFacts = (): ReadonlyArray<string> => [
  ...Object.entries(schemas).flatMap(([name, [type, accepts]]) => [
    `${name} is of type ${type}`,
    ...(samples[name] ?? [])
      .filter(({ value }) => accepts(value))
      .map(({ text }) => `${name} accepts ${text}`),
  ]),
  ...Object.entries(pets).flatMap(([name, rules]) =>
    Object.entries<FieldRule>(rules)
      .filter(([, { kind }]) => kind !== 'enumeration')
      .map(([field, rule]) => {
        const example = examplePet[field] ?? fieldKind(rule).samples[0];
        return `${name} has a ${field} such as ${JSON.stringify(example)}`;
      }),
  ),
];

const escapeCell = (text: string): string => text.replace(/[<|]/g, '\\$&');

const tableFacts = (): ReadonlyArray<string> =>
  [...codes].map((code) => {
    const same = descriptions.filter((description) => description.code === code);
    const messages = new Set(same.map(({ message }) => `"${escapeCell(message)}"`));
    return `the table has ${code} ${same[0]?.status ?? ''} ${[...messages].join(' or ')}`;
  });

/** Returns all that an OpenAPI document must say about the program, in the sentences of `factsOfDocument`. */
export const factsOfProgram = (observations: Observations): ReadonlySet<string> =>
  new Set([
    ...operationFacts(observations),
    ...answerFacts(observations.answers),
    ...headerFacts(observations.answers),
    ...schemaFacts(),
    ...tableFacts(),
  ]);
