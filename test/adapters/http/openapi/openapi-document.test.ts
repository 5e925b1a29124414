import { expect } from 'chai';
import document from '../../../../adapters/http/openapi.json';
import { observeDifferences } from '../../../support/openapi/differences';

describe('The OpenAPI document', () => {
  it('says exactly what the program does', async () => {
    const differences = await observeDifferences();
    expect(differences(document)).to.deep.equal([]);
  });
});
