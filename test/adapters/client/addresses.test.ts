import { expect } from 'chai';
import { animalStoreClient, type AnimalStoreClient, AnimalStoreError } from '../../../adapters/client';
import { against, answer, once, rex, stored } from './answering-server';

describe('An answer to the client', () => {
  it('that redirects names the address, such as that of a host that adds a slash', async () => {
    const redirect = answer(308, '', { Location: '/v1/pets/' });
    const { outcome } = await against([redirect], (client) => client.create(rex));
    expect(outcome).to.have.property('message').that.includes('a redirect to /v1/pets/; check baseUrl');
  });

  for (const [page, body] of [
    ['the same animals', `[${stored}]`],
    ['no animals', '[]'],
  ] as const) {
    it(`that links to itself with ${page} ends the list as unexpected_response`, async () => {
      const again = answer(200, body, { Link: '<?>; rel="next"' });
      const { outcome, requests } = await against([again, again, again], async (client) => {
        for await (const { name } of client.list(once)) expect(name).to.equal('Rex');
      });
      expect(outcome).to.include({ code: 'unexpected_response' });
      expect(outcome).to.have.property('message').that.includes('a page is empty or repeats animals');
      expect(requests.length).to.be.below(3);
    });
  }

  for (const [link, isLast] of [
    ['<pets?limit=100&after=1>; rel="next"', false],
    ['<?limit=1>; rel="prev", <pets?limit=100&after=1>; title=x; rel=next', false],
    ['<pets?limit=100&after=1>; title="a, b; c"; rel="last next"', false],
    ['<?after=1>; rel="nextish"', true],
    ['<?rel=next>; rel="prev"', true],
  ] as const) {
    it(`that links to ${link} is ${isLast ? 'the last page' : 'followed by another page'}`, async () => {
      const page = answer(200, `[${stored}]`, { Link: link });
      const { requests } = await against([page, answer(200, '[]')], async (client) => {
        for await (const { id } of client.list(once)) expect(id).to.equal(1n);
      });
      const urls = ['/v1/pets?limit=100', '/v1/pets?limit=100&after=1'];
      expect(requests.map(({ url }) => url)).to.deep.equal(urls.slice(0, isLast ? 1 : 2));
    });
  }

  for (const suffix of ['', '/', '/v1', '/v1/', '/store', '/store/v1']) {
    it(`comes from the right address where the base URL ends with ${suffix || 'the port'}`, async () => {
      const { requests } = await against(
        [answer(200, '[]')],
        async (client) => {
          expect((await client.page()).pets).to.deep.equal([]);
        },
        suffix,
      );
      const base = suffix.includes('store') ? '/store' : '';
      expect(requests.map(({ url }) => url)).to.deep.equal([`${base}/v1/pets?limit=100`]);
    });
  }

  it('is not waited for at a port that fetch refuses', async () => {
    const client = animalStoreClient({ baseUrl: 'http://127.0.0.1:6000', apiKey: 'k1' });
    const error: unknown = await client.page().catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'unexpected_response', attempts: 1 });
    expect(error).to.have.property('message').that.includes('bad port');
  });

  it('is not asked for with an address that cannot be the service', async () => {
    const secret = 'a-password';
    for (const [baseUrl, expected] of [
      [undefined, 'baseUrl is required'],
      ['no address', 'an absolute URL'],
      ['ftp://127.0.0.1', 'an http or https address'],
      [`http://me:${secret}@127.0.0.1`, 'without a user name and password'],
      [`http://127.0.0.1/?key=${secret}`, 'without a query and fragment'],
      [`http://127.0.0.1/#${secret}`, 'without a query and fragment'],
      ['http://127.0.0.1/?', 'without a query and fragment'],
      ['http://127.0.0.1/#', 'without a query and fragment'],
    ] as const) {
      const client: unknown = Reflect.apply(animalStoreClient, undefined, [{ baseUrl, apiKey: 'k1' }]);
      const isClient = (_value: unknown): _value is AnimalStoreClient => true;
      if (!isClient(client)) return;
      const error = await client.page().catch((reason: unknown) => reason);
      expect(error).to.be.an.instanceOf(AnimalStoreError).and.include({ code: 'invalid_argument' });
      expect(String(error)).to.include(expected).and.not.include(secret);
    }
  });
});
