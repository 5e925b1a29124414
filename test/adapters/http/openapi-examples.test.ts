import { expect } from 'chai';
import { openApiDocument } from '../../../adapters/http';
import { exampleFailures } from '../../../adapters/http/openapi/example-failures';
import { failureResponse } from '../../../adapters/http/responses/failure-response';
import { errorCodes } from '../../../adapters/http/representation/schemas';
import { documentedAnswers } from '../../support/documented-answers';
import { provoke, provokeNextPage } from '../../support/provoke';

const isProvoked = (kind: string): kind is keyof typeof provoke => kind in provoke;

/** Headers that the document has to mention wherever they are sent. */
const meaningful = [
  'X-Request-Id',
  'Link',
  'Deprecation',
  'Sunset',
  'Idempotent-Replayed',
  'WWW-Authenticate',
  'Retry-After',
  'Allow',
  'RateLimit',
  'RateLimit-Policy',
];

describe('The examples of the OpenAPI document', () => {
  const answers = documentedAnswers(JSON.parse(JSON.stringify(openApiDocument)));

  it('are there for each operation', () => {
    const operations = new Set(answers.map(({ operationId }) => operationId));
    expect([...operations]).to.include.members(['listPets', 'createPet', 'getPet', 'getReadiness']);
    expect(answers.length).to.be.above(40);
  });

  for (const { operationId, request, status, kind, body, headers } of answers) {
    it(`${operationId} really answers ${status} ${kind} so, with these headers`, async () => {
      if (!isProvoked(kind)) throw new Error(`nothing provokes ${kind}`);
      const answer = await provoke[kind](request);
      expect(answer.status).to.equal(status);
      expect(JSON.parse(answer.body)).to.deep.equal(body ?? openApiDocument);
      for (const [name, { required, schema }] of Object.entries(headers)) {
        const value = answer.headers.get(name.toLowerCase());
        if (required) expect(value, name).not.to.equal(undefined);
        if (value !== undefined && schema.const !== undefined) expect(value, name).to.equal(schema.const);
      }
      const sent = meaningful.filter((name) => answer.headers.has(name.toLowerCase()));
      expect(Object.keys(headers)).to.include.members(sent);
    });
  }

  const anywhere = { method: 'GET', path: '/v1/pets', body: '' };
  for (const kind of ['RouteNotFound', 'MethodNotAllowed'] as const) {
    it(`${kind}, which no operation answers, is in the table of errors as it really is`, async () => {
      const { status, body } = await provoke[kind](anywhere);
      const { error } = failureResponse(exampleFailures[kind]);
      expect([status, JSON.parse(body)]).to.deep.equal([error.status, error]);
    });
  }

  it('name every code of an Error in the table of errors, once', () => {
    const codes = [...openApiDocument.info.description.matchAll(/^\| `([a-z_]+)` \| [0-9]{3} \|/gm)].map(
      ([, code]) => code,
    );
    expect(codes.sort()).to.deep.equal([...errorCodes].sort());
  });

  it('show the Link to the next page as it really is', async () => {
    const page = answers.find(({ operationId, kind }) => operationId === 'listPets' && kind === 'Success');
    expect((await provokeNextPage()).headers.get('link')).to.equal(page?.headers['Link']?.example);
  });
});
