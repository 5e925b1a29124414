import { expect } from 'chai';
import { parseNextLink } from '../../support/http/client';
import type { AnsweredPet } from '../../support/openapi/checked-answer';
import {
  describeOnEveryStore,
  describeService,
  type ServiceUnderTest,
} from '../../support/service/service-under-test';

const addPets = async (service: ServiceUnderTest, count: number): Promise<ReadonlyArray<AnsweredPet>> => {
  const added: Array<AnsweredPet> = [];
  while (added.length < count) added.push(await service.add({ name: `animal ${added.length}` }));
  return added;
};

describeOnEveryStore('The pages of GET /v1/pets', (service) => {
  it('link to the next page until there is no more, and never to an empty one', async () => {
    const added = await addPets(service, 45);
    for (const [first, sizes] of [
      ['/v1/pets', [20, 20, 5]],
      ['/v1/pets?limit=15', [15, 15, 15]],
      ['/v1/pets?limit=100', [45]],
    ] as const) {
      const pages: Array<ReadonlyArray<AnsweredPet>> = [];
      for (let target: string | undefined = first; target !== undefined;) {
        const answer = await service.get(target);
        pages.push(answer.pets());
        target = parseNextLink(answer.header('Link'));
      }
      expect(pages.flat()).to.deep.equal(added);
      expect(pages.map(({ length }) => length)).to.deep.equal(sizes);
    }
  });

  it('list the newest animals first, and filter by category, with links that keep both', async () => {
    const added: Array<AnsweredPet> = [];
    while (added.length < 5) added.push(await service.add({ name: 'Rex', categoryId: 99 }));
    await addPets(service, 1);
    const listed: Array<AnsweredPet> = [];
    const first = '/v1/pets?order=desc&limit=2&categoryId=99';
    for (let target: string | undefined = first; target !== undefined;) {
      const answer = await service.get(target);
      listed.push(...answer.pets());
      target = parseNextLink(answer.header('Link'));
    }
    expect(listed).to.deep.equal(added.toReversed());
  });

  it('link to the next page with their own query, also if several requests share a page', async () => {
    await addPets(service, 2);
    const colours = Array.from({ length: 20 }, (_, place) => `limit=1&colour=${place}`);
    const answers = await Promise.all(colours.map((query) => service.get(`/v1/pets?${query}`)));
    expect(answers.map(({ header }) => header('Link')?.split('&after=')[0])).to.deep.equal(
      colours.map((query) => `<?${query}`),
    );
  });
});

describeService('The query of GET /v1/pets', (service) => {
  let added: ReadonlyArray<AnsweredPet> = [];
  let first = 0n;

  before('add 21 animals', async () => {
    added = await addPets(service, 21);
    first = added[0]?.id ?? 0n;
  });

  it('comes back in the link with every unknown parameter, but its own after', async () => {
    for (const [query, next] of [
      ['after=0&limit=1&x=%26b%3d%20&x=2', `limit=1&x=%26b%3d%20&x=2&after=${first}`],
      ['limits=3&limit=1&%61fter=0&x=%ff', `limits=3&limit=1&x=%ff&after=${first}`],
      ['limit=1&colour=<a">\'', `limit=1&colour=%3Ca%22%3E'&after=${first}`],
      ['?after=0&limit=1', `?after=0&limit=1&after=${first}`],
    ]) {
      const { header } = await service.get(`/v1/pets?${query}`);
      expect(header('Link')).to.equal(`<?${next}>; rel="next"`);
    }
  });

  it('comes back in the link without unknown parameters if proxies would reject its length', async () => {
    const long = 'a'.repeat(2_000);
    for (const unknown of [
      `x=${'"'.repeat(5_000)}`,
      `${'x'.repeat(40)}=1&`.repeat(90),
      `constructor=${long}`,
    ]) {
      const { header } = await service.get(`/v1/pets?${unknown}&limit=1&after=0`);
      expect(header('Link')).to.equal(`<?limit=1&after=${first}>; rel="next"`);
    }
  });

  it('has at most 100 parameters, so that many names take no time from others', async () => {
    expect((await service.get(`/v1/pets?${'&a'.repeat(99)}`)).status).to.equal(200);
    for (const parameter of ['&a', '&', '&%61']) {
      const { code, message } = await service.get(`/v1/pets?limit=1${parameter.repeat(100)}&limit=2`);
      expect([code, message]).to.deep.equal([
        'invalid_query',
        'the query must be a list of at most 100 parameters',
      ]);
    }
  });

  it('may have unknown parameters, however they are written', async () => {
    for (const query of [
      ...['colour=red', 'Limit=5000', 'limit[]=x', '?limit=1', '&?status=lost', 'colour=1&colour=2'],
      ...['', '&&', '=', '%00'],
    ]) {
      const answer = await service.get(`/v1/pets?${query}`);
      expect(answer.status, query).to.equal(200);
      expect(answer.pets(), query).to.deep.equal(added.slice(0, 20));
    }
  });

  it('has its unknown parameters named in the response, if they are plain', async () => {
    for (const [query, names] of [
      ['limit=1&page=2&staus=sold&page=3', '"page", "staus"'],
      ['?limit=1&a%22b=1&%C3%A9=1&%0d%0a=1', '"?limit"'],
      [
        Array.from({ length: 12 }, (_, index) => `x${index}`).join('&'),
        '"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9"',
      ],
      ['limit=1&status=sold&after=0', undefined],
      ['x'.repeat(65), undefined],
    ] as const) {
      const { header } = await service.get(`/v1/pets?${query}`);
      expect(header('Unknown-Fields'), query).to.equal(names);
    }
  });

  for (const [field, ...values] of [
    ['limit', '', '0', '101', '1e1', '%2B5', '+5', '5%20', '5.0', '0x5', '%D9%A5', '5%00', '%', '5&limit=5'],
    ['limit', '99999999999999999999', 'Infinity', '5&%6Cimit=6'],
    ['status', '', 'Sold', '%20sold', 'sold%00', 'sold,pending', 'null', 'sold&status=sold'],
    ['after', '', '1.0', '1e1', '+1', '%2B1', '%201', '%D9%A1', '1%00', '-', '1&after=1'],
    ['order', '', 'DESC', 'newest', 'desc&order=desc'],
    ['categoryId', '', '1.0', 'x', '9223372036854775808', '7&categoryId=7'],
    ['after', '9223372036854775808', '-9223372036854775809'],
  ] as const) {
    it(`is refused with a malformed ${field}, which is named: ${values.join(' ')}`, async () => {
      for (const query of [field, ...values.map((value) => `${field}=${value}`)]) {
        const answer = await service.get(`/v1/pets?${query}`);
        expect([answer.status, answer.code], query).to.deep.equal([400, 'invalid_query']);
        expect(answer.message).to.include(field);
      }
    });
  }

  it('is refused for a parameter that is given more than once', async () => {
    const { message } = await service.get('/v1/pets?status=sold&limit=5&status=sold');
    expect(message).to.equal('status must be given only once');
  });

  it('may be percent-encoded in names and values', async () => {
    expect((await service.get('/v1/pets?%6Cimit=%31')).pets()).to.have.length(1);
  });

  it('is refused by the names of all bad parameters at once', async () => {
    const { message } = await service.get('/v1/pets?limit=0&status=lost&after=x');
    expect(message).to.include('limit').and.include('status').and.include('after');
  });
});
