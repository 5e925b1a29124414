import { expect } from 'chai';
import { openApiDocument, openApiServiceDocument, petOperations } from '../../../../adapters/http';
import { describeFailure } from '../../../../adapters/http/errors';
import { exampleFailures } from '../../../../adapters/http/openapi/error-table';
import { documentedAnswers } from '../../../support/openapi/document';
import { provoke, provokeNextPage, provokeNotModified } from '../../../support/openapi/provoke';

const isProvoked = (kind: string): kind is keyof typeof provoke => kind in provoke;

/** Headers that the document must declare for each response that has them. */
const meaningful = [
  'X-Request-Id',
  'Link',
  'Location',
  'Accept',
  'ETag',
  'Deprecation',
  'Sunset',
  'Idempotent-Replayed',
  'WWW-Authenticate',
  'Retry-After',
  'Allow',
  'RateLimit',
  'RateLimit-Policy',
];

const deprecation = ['@1795046400', 'Thu, 05 Dec 2030 00:00:00 GMT', '<../pets>; rel="successor-version"'];

const documents = { '/openapi.json': openApiDocument, '/openapi-service.json': openApiServiceDocument };

describe('The OpenAPI documents', () => {
  it('keep the operations under /v1 and those beside it apart, and name each other', () => {
    expect(openApiDocument.servers).to.deep.equal([{ url: './v1' }]);
    expect(openApiDocument.paths).to.have.all.keys('/pets', '/pets/{petId}');
    expect(openApiDocument.paths).to.have.nested.property('/pets/{petId}.get.deprecated', true);
    expect(openApiDocument.paths).not.to.have.nested.property('/pets.get.deprecated');
    expect(openApiDocument.externalDocs.url).to.equal('openapi-service.json');
    expect(openApiServiceDocument.servers).to.deep.equal([{ url: '.' }]);
    expect(openApiServiceDocument.paths).to.include.all.keys('/livez', '/readyz', '/openapi-service.json');
    expect(openApiServiceDocument.externalDocs.url).to.equal('openapi.json');
  });

  for (const [path, document] of Object.entries(documents)) {
    it(`describe each header once: ${path}`, () => {
      const inPaths = JSON.stringify(document.paths);
      expect(inPaths).to.contain('"X-Request-Id":{"$ref":"#/components/headers/X-Request-Id"}');
      expect(inPaths).not.to.match(/"headers":\{[^}]*"description"/);
    });
  }
});

describe('The examples of the OpenAPI documents', () => {
  const answers = Object.values(documents).flatMap((document) =>
    documentedAnswers(JSON.parse(JSON.stringify(document))),
  );

  it('are there for each operation', () => {
    const operations = new Set(answers.map(({ operationId }) => operationId));
    expect([...operations]).to.have.members([
      ...petOperations.map(({ operationId }) => operationId),
      ...['getLiveness', 'getReadiness', 'getOpenApiDocument', 'getOpenApiServiceDocument'],
    ]);
    expect(answers.length).to.be.above(40);
  });

  for (const { operationId, request, status, kind, body, headers } of answers) {
    it(`${operationId} really answers ${status} ${kind} so, with these headers`, async () => {
      if (!isProvoked(kind)) throw new Error(`nothing provokes ${kind}`);
      const answer = await provoke[kind](request);
      expect(answer.status).to.equal(status);
      const served = Object.entries(documents).find(([path]) => path === request.path)?.[1];
      const answered: unknown = answer.body === '' ? undefined : JSON.parse(answer.body);
      if (served === undefined || kind !== 'Success') expect(answered).to.deep.equal(body);
      else expect(answered).to.have.deep.property('paths', JSON.parse(JSON.stringify(served.paths)));
      for (const [name, { required, schema }] of Object.entries(headers)) {
        const value = answer.headers.get(name.toLowerCase());
        // The service sends X-Request-Id in every response. Programs that mount the routes need not.
        if (required || name === 'X-Request-Id') expect(value, name).not.to.equal(undefined);
        if (value !== undefined && schema.const !== undefined) expect(value, name).to.equal(schema.const);
      }
      const sent = meaningful.filter((name) => answer.headers.has(name.toLowerCase()));
      expect(Object.keys(headers)).to.include.members(sent);
      if (operationId !== 'getPet') return;
      // The server cannot tell the operation of a request whose head is incomplete or too large.
      const isKnown = !['RequestTimeout', 'HeadersTooLarge'].includes(kind);
      const announced = ['deprecation', 'sunset', 'link'].map((name) => answer.headers.get(name));
      expect(announced).to.deep.equal(isKnown ? deprecation : [undefined, undefined, undefined]);
    });
  }

  const anywhere = { method: 'GET', path: '/v1/pets', body: '' };
  for (const kind of ['RouteNotFound', 'MethodNotAllowed'] as const) {
    it(`${kind}, which no operation answers, is in the table of errors as it really is`, async () => {
      const { status, body } = await provoke[kind](anywhere);
      const { code, message, ...described } = describeFailure(exampleFailures[kind]);
      const error = { code, message, status: described.status };
      expect([status, JSON.parse(body)]).to.deep.equal([error.status, error]);
    });
  }

  it('name every code of an Error, in the schema and in the table of errors, once each', () => {
    const codes = [
      ...['expectation_failed', 'headers_too_large', 'http_version_not_supported'],
      ...['idempotency_key_in_flight', 'idempotency_key_reused', 'internal_error', 'invalid_body'],
      ...['invalid_idempotency_key', 'invalid_query', 'malformed_json', 'malformed_request'],
      ...['method_not_allowed', 'payload_too_large', 'pet_not_found', 'rate_limited', 'request_timeout'],
      ...['route_not_found', 'unauthorized', 'unavailable', 'unsupported_media_type'],
    ];
    const inTable = openApiDocument.info.description.matchAll(/^\| `([a-z_]+)` \| [0-9]{3} \|/gm);
    expect([...inTable].map(([, code]) => code)).to.have.members(codes);
    for (const { components } of Object.values(documents)) {
      expect(components).to.have.nested.property('schemas.Error.properties.code.enum').with.members(codes);
    }
  });

  const successOf = (id: string) =>
    answers.find(({ operationId, kind }) => operationId === id && kind === 'Success');

  it('show the Link to the next page as it really is', async () => {
    const { headers } = await provokeNextPage();
    expect(headers.get('link')).to.equal(successOf('listPets')?.headers['Link']?.example);
  });

  it('show the Location of an animal as it really is', async () => {
    const created = successOf('createPet');
    if (created === undefined) throw new Error('createPet shows no success');
    const { headers } = await provoke.Success(created.request);
    expect(headers.get('location')).to.equal(created.headers['Location']?.example);
  });

  for (const operationId of ['getOpenApiDocument', 'getOpenApiServiceDocument']) {
    it(`${operationId} really answers 304 to who has the document`, async () => {
      const request = successOf(operationId)?.request;
      if (request === undefined) throw new Error(`${operationId} shows no success`);
      const etag = (await provoke.Success(request)).headers.get('etag') ?? '';
      const answer = await provokeNotModified(request, etag);
      expect([answer.status, answer.body, answer.headers.get('etag')]).to.deep.equal([304, '', etag]);
    });
  }
});
