import { expect } from 'chai';
import { describeOnEveryStore, type ServiceUnderTest } from '../../support/service/service-under-test';
import { parseNextLink } from '../../support/http/client';
import type { AnsweredPet, CheckedAnswer } from '../../support/openapi/checked-answer';

/** Follows the links from a page to the last one. */
const walk = async (service: ServiceUnderTest, first: string) => {
  const pages: Array<ReadonlyArray<AnsweredPet>> = [];
  const targets: Array<string> = [];
  for (let target: string | undefined = first; target !== undefined;) {
    const answer: CheckedAnswer = await service.get(target);
    expect(answer.status, answer.text).to.equal(200);
    targets.push(target);
    pages.push(answer.pets());
    target = parseNextLink(answer.header('Link'));
  }
  return { targets, sizes: pages.map((page) => page.length), pets: pages.flat() };
};

const statuses = ['available', 'pending', 'sold'] as const;

describeOnEveryStore('GET /v1/pets', (service) => {
  const added: Array<AnsweredPet> = [];

  before('add 105 animals', async () => {
    for (let index = 0; index < 105; index += 1) {
      const status = statuses[index % 4];
      added.push(await service.add({ name: `animal ${index}`, ...(status && { status }) }));
    }
  });

  it('lists by ascending id, 20 animals where no limit is given', async () => {
    const answer = await service.get('/v1/pets');
    expect(answer.pets()).to.deep.equal(added.slice(0, 20));
    const ids = added.map(({ id }) => id);
    expect(ids).to.deep.equal(ids.toSorted((one, other) => (one < other ? -1 : 1)));
  });

  it('links to the next page until there is no more, and never to an empty one', async () => {
    const ofTwenty = await walk(service, '/v1/pets');
    expect(ofTwenty.pets).to.deep.equal(added);
    expect(ofTwenty.sizes).to.deep.equal([20, 20, 20, 20, 20, 5]);
    const exact = await walk(service, '/v1/pets?limit=35');
    expect(exact.pets).to.deep.equal(added);
    expect(exact.sizes).to.deep.equal([35, 35, 35]);
    expect((await walk(service, '/v1/pets?limit=100')).sizes).to.deep.equal([100, 5]);
  });

  it('filters by status, on every page', async () => {
    for (const status of statuses) {
      const { pets } = await walk(service, `/v1/pets?limit=7&status=${status}`);
      expect(pets).to.deep.equal(added.filter((pet) => pet.status === status));
    }
  });

  it('links by the query as it came, no longer than that was', async () => {
    const unknown = `x=%ff&y=${'!'.repeat(5_000)}&z=%26b%3d%20`;
    const { header } = await service.get(`/v1/pets?after=0&limit=1&${unknown}`);
    const last = added[0]?.id.toString() ?? '';
    expect(header('Link')).to.equal(`<?limit=1&${unknown}&after=${last}>; rel="next"`);
  });

  it('keeps every other parameter in the link, the unknown too', async () => {
    const { targets } = await walk(
      service,
      '/v1/pets?colour=a%26b%3D%20%C3%A9&limit=50&status=sold&limits=3',
    );
    const [first] = targets;
    expect(targets).to.have.length(1);
    const [, second = ''] = (await walk(service, (first ?? '').replace('limit=50', 'limit=20'))).targets;
    const parameters = new URL(second, 'http://localhost').searchParams;
    expect(parameters.get('after')).to.match(/^[0-9]+$/);
    parameters.delete('after');
    expect(Object.fromEntries(parameters)).to.deep.equal({
      colour: 'a&b= é',
      limit: '20',
      status: 'sold',
      limits: '3',
    });
  });

  it('keeps a parameter whose name starts with a question mark in the link', async () => {
    const { header } = await service.get('/v1/pets??after=0&limit=1&?after=0');
    const [first] = added;
    expect(header('Link')).to.equal(`<??after=0&limit=1&?after=0&after=${first?.id ?? ''}>; rel="next"`);
  });

  it('gives what follows an id, whether or not an animal has it', async () => {
    const tenth = added[9]?.id ?? 0n;
    expect((await service.get(`/v1/pets?after=${tenth}&limit=3`)).pets()).to.deep.equal(added.slice(10, 13));
    expect((await service.get('/v1/pets?after=-9223372036854775808&limit=3')).pets()).to.deep.equal(
      added.slice(0, 3),
    );
    const beyond = await service.get('/v1/pets?after=9223372036854775807');
    expect(beyond.text).to.equal('[]');
    expect(beyond.header('Link')).to.equal(undefined);
    expect((await service.get('/v1/pets?after=9007199254740993')).text).to.equal('[]');
  });

  it('ignores unknown parameters, however they are written', async () => {
    for (const query of [
      '?colour=red',
      '?Limit=5000',
      '?limit[]=x',
      '??limit=1',
      '?&?status=lost',
      '?colour=1&colour=2',
      '?',
      '?&&',
      '?=',
      '?%00',
    ]) {
      const answer = await service.get(`/v1/pets${query}`);
      expect(answer.status, query).to.equal(200);
      expect(answer.pets(), query).to.deep.equal(added.slice(0, 20));
    }
  });

  const malformed: ReadonlyArray<readonly [field: string, queries: ReadonlyArray<string>]> = [
    [
      'limit',
      [
        '0',
        '101',
        '-1',
        '1e1',
        '%2B5',
        '+5',
        '%205',
        '5%20',
        '5.0',
        '',
        'abc',
        '0x5',
        '5,6',
        '%D9%A5',
        '5%00',
      ].concat(['99999999999999999999', 'Infinity', 'null', '%', '%ff', '5&limit=5', '5&limit=6']),
    ],
    [
      'status',
      ['unknown', 'Sold', 'SOLD', '', '%20sold', 'sold%00', 'sold,pending', 'null', 'sold&status=sold'],
    ],
    [
      'after',
      [
        '',
        'abc',
        '1.0',
        '1e1',
        '+1',
        '%2B1',
        '%201',
        '0x1',
        '%D9%A1',
        '--1',
        '1,2',
        '1&after=1',
        '1%00',
        '%',
      ].concat(['9223372036854775808', '-9223372036854775809', '-', '99999999999999999999999']),
    ],
  ];
  malformed.forEach(([field, values]) => {
    it(`refuses a malformed ${field}, and names it`, async () => {
      for (const value of values) {
        const answer = await service.get(`/v1/pets?${field}=${value}`);
        expect([answer.status, answer.code], value).to.deep.equal([400, 'invalid_query']);
        expect(answer.message).to.include(field);
      }
    });
  });

  it('refuses a parameter without a value', async () => {
    for (const field of ['limit', 'status', 'after']) {
      expect((await service.get(`/v1/pets?${field}`)).code, field).to.equal('invalid_query');
    }
  });

  it('sees through percent-encoding in names and values', async () => {
    expect((await service.get('/v1/pets?%6Cimit=%31')).pets()).to.have.length(1);
    expect((await service.get('/v1/pets?%6Cimit=2&limit=2')).code).to.equal('invalid_query');
  });

  it('names every bad parameter at once', async () => {
    const { message } = await service.get('/v1/pets?limit=0&status=lost&after=x');
    expect(message).to.include('limit').and.include('status').and.include('after');
  });
});
