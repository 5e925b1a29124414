import { expect } from 'chai';
import { openApiDocument, openApiServiceDocument } from '../../../../adapters/http';

const documents = { openApiDocument, openApiServiceDocument };

describe('The OpenAPI documents', () => {
  it('separate the operations under /v1 from the others', () => {
    expect(openApiDocument.servers).to.deep.equal([{ url: './v1' }]);
    expect(openApiDocument.paths).to.have.all.keys('/pets', '/pets/{petId}');
    expect(openApiDocument.paths).to.have.nested.property('/pets/{petId}.get.deprecated', true);
    expect(openApiDocument.paths).not.to.have.nested.property('/pets.get.deprecated');
    expect(openApiServiceDocument.servers).to.deep.equal([{ url: '.' }]);
    expect(openApiServiceDocument.paths).to.include.all.keys('/livez', '/readyz', '/openapi-service.json');
  });

  for (const [name, { paths }] of Object.entries(documents)) {
    it(`describe each header once: ${name}`, () => {
      const inPaths = JSON.stringify(paths);
      expect(inPaths).to.contain('"X-Request-Id":{"$ref":"#/components/headers/X-Request-Id"}');
      expect(inPaths).not.to.match(/"headers":\{[^}]*"description"/);
    });

    it(`list statuses that Node answers itself in the table of errors only: ${name}`, () => {
      expect(JSON.stringify(paths)).not.to.match(/"(?:417|431|505)":/);
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
});
