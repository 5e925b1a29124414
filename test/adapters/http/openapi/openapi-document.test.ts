import { expect } from 'chai';
import document from '../../../../adapters/http/openapi.json';

describe('The OpenAPI document', () => {
  const { servers, paths, info, components } = document;

  it('has the operations under /v1, one of which is deprecated', () => {
    expect(servers).to.deep.equal([{ url: './v1' }]);
    expect(paths).to.have.all.keys('/pets', '/pets/{petId}');
    expect(paths).to.have.nested.property('/pets/{petId}.get.deprecated', true);
    expect(paths).not.to.have.nested.property('/pets.get.deprecated');
  });

  it('describes each header once', () => {
    const inPaths = JSON.stringify(paths);
    expect(inPaths).to.contain('"X-Request-Id":{"$ref":"#/components/headers/X-Request-Id"}');
    expect(inPaths).not.to.match(/"headers":\{[^}]*"description"/);
  });

  it('lists statuses that Node answers itself in the table of errors only', () => {
    expect(JSON.stringify(paths)).not.to.match(/"(?:417|431|505)":/);
  });

  it('names every code of an Error, in the schema and in the table of errors, once each', () => {
    const codes = [
      ...['expectation_failed', 'headers_too_large', 'http_version_not_supported'],
      ...['idempotency_key_in_flight', 'idempotency_key_reused', 'internal_error', 'invalid_body'],
      ...['invalid_idempotency_key', 'invalid_query', 'malformed_json', 'malformed_request'],
      ...['method_not_allowed', 'payload_too_large', 'pet_not_found', 'rate_limited', 'request_timeout'],
      ...['route_not_found', 'unauthorized', 'unavailable', 'unsupported_media_type'],
    ];
    const inTable = info.description.matchAll(/^\| `([a-z_]+)` \| [0-9]{3} \|/gm);
    expect([...inTable].map(([, code]) => code)).to.have.members(codes);
    expect(components.schemas.Error.properties.code.enum).to.have.members(codes);
  });
});
