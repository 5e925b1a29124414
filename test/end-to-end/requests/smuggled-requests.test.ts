import { expect } from 'chai';
import { headOf, readFirstHttpResponses } from '../../support/http/raw-connection';
import { authorization, describeService } from '../../support/service/service-under-test';

const json = 'Content-Type: application/json';

const create = (...lines: ReadonlyArray<string>): string =>
  headOf('POST /v1/pets HTTP/1.1', 'Host: a', authorization, json, ...lines);

const pet = '{"name":"good","categoryId":1}';
const smuggledPet = '{"name":"smuggled","categoryId":1}';

const hidden = `${create(`Content-Length: ${smuggledPet.length}`)}${smuggledPet}`;

const sizeOf = (text: string): string => text.length.toString(16);

const chunked = (text: string): string => `${sizeOf(text)}\r\n${text}\r\n0\r\n\r\n`;

const last = headOf('GET /livez HTTP/1.1', 'Host: a', 'Connection: close');

const inChunks = 'Transfer-Encoding: chunked';

/** Requests whose body a proxy may end at another byte than the service, each followed by a hidden request. */
const doubtful: Readonly<Record<string, string>> = {
  'Content-Length, then chunked': `${create('Content-Length: 5', inChunks)}0\r\n\r\n${hidden}`,
  'chunked, then Content-Length': `${create(inChunks, 'Content-Length: 5')}0\r\n\r\n${hidden}`,
  'two Content-Lengths': `${create('Content-Length: 0', `Content-Length: ${hidden.length}`)}${hidden}`,
  'two equal Content-Lengths': `${create(...Array<string>(2).fill(`Content-Length: ${pet.length}`))}${pet}${hidden}`,
  'a list of Content-Lengths': `${create(`Content-Length: ${pet.length}, ${pet.length}`)}${pet}${hidden}`,
  'a Content-Length with a plus': `${create(`Content-Length: +${pet.length}`)}${pet}${hidden}`,
  'a Content-Length with a space inside': `${create('Content-Length: 3 0')}${pet}${hidden}`,
  'an empty Content-Length': `${create('Content-Length:')}${hidden}`,
  'chunked in HTTP/1.0': `${create(inChunks, 'Connection: keep-alive').replace('HTTP/1.1', 'HTTP/1.0')}${chunked(pet)}${hidden}`,
  ...Object.fromEntries(
    [
      ...['xchunked', 'chunked, identity', 'identity, chunked', 'chunked, chunked', 'gzip, chunked'],
      ...[
        ', chunked',
        '"chunked"',
        'chunked;q=1',
        'chunked,',
        '\x0bchunked',
        'chunked\x00',
        'identity',
        'chunk ed',
        '',
      ],
    ].map((encoding) => [
      `Transfer-Encoding: ${JSON.stringify(encoding)}`,
      `${create(`Transfer-Encoding: ${encoding}`)}${chunked(pet)}${hidden}`,
    ]),
  ),
  'an encoding next to chunked': `${create('Transfer-Encoding: x', inChunks)}${chunked(pet)}${hidden}`,
  'a space before the colon': `${create('Transfer-Encoding : chunked')}${chunked(pet)}${hidden}`,
  'a folded encoding': `${create('Transfer-Encoding:', ' chunked')}${chunked(pet)}${hidden}`,
  'a bare LF in the head': `${create('X: a\nTransfer-Encoding: chunked')}${chunked(pet)}${hidden}`,
  'a bare CR in the head': `${create('X: a\rTransfer-Encoding: chunked')}${chunked(pet)}${hidden}`,
  'a head that ends in bare LFs': `${create(inChunks).replaceAll('\r\n', '\n')}${chunked(pet)}${hidden}`,
  'a bare LF behind the size of a chunk': `${create(inChunks)}${sizeOf(pet)}\n${pet}\r\n0\r\n\r\n${hidden}`,
  'a bare LF behind a chunk': `${create(inChunks)}${sizeOf(pet)}\r\n${pet}\n0\r\n\r\n${hidden}`,
  'a bare LF in a chunk extension': `${create(inChunks)}${sizeOf(pet)};a\n${pet}\r\n0\r\n\r\n${hidden}`,
  'a bare CR in a chunk extension': `${create(inChunks)}${sizeOf(pet)};a\rb\r\n${pet}\r\n0\r\n\r\n${hidden}`,
  'a size with 0x': `${create(inChunks)}0x${sizeOf(pet)}\r\n${pet}\r\n0\r\n\r\n${hidden}`,
  'a size with spaces': `${create(inChunks)}${sizeOf(pet)}  \r\n${pet}\r\n0\r\n\r\n${hidden}`,
  'a size past 64 bits': `${create(inChunks)}1000000000000001e\r\n${pet}\r\n0\r\n\r\n${hidden}`,
  'a Content-Length in a trailer': `${create(inChunks)}${sizeOf(pet)}\r\n${pet}\r\n0\r\nContent-Length: 5\r\n\r\n${hidden}`,
};

const bodyIsHidden = `Content-Length: ${hidden.length}`;

const sound: Readonly<Record<string, readonly [status: number, bytes: string]>> = {
  'a GET with a body': [
    200,
    `${headOf('GET /v1/pets HTTP/1.1', 'Host: a', authorization, bodyIsHidden)}${hidden}`,
  ],
  'a GET with a chunked body': [
    200,
    `${headOf('GET /v1/pets HTTP/1.1', 'Host: a', authorization, inChunks)}${chunked(hidden)}`,
  ],
  'a create whose body is a request': [400, `${create(bodyIsHidden)}${hidden}`],
  'a create whose chunks are a request': [400, `${create(inChunks)}${chunked(hidden)}`],
  'a body without a key': [
    401,
    `${headOf('POST /v1/pets HTTP/1.1', 'Host: a', json, bodyIsHidden)}${hidden}`,
  ],
  'a body of another type': [
    415,
    `${headOf('POST /v1/pets HTTP/1.1', 'Host: a', authorization, bodyIsHidden)}${hidden}`,
  ],
  'a body for a path without a route': [
    404,
    `${headOf('POST /x HTTP/1.1', 'Host: a', bodyIsHidden)}${hidden}`,
  ],
  'a body for another method': [405, `${headOf('PUT /livez HTTP/1.1', 'Host: a', bodyIsHidden)}${hidden}`],
  'a chunk extension that is a request': [
    201,
    `${create(inChunks)}${sizeOf(pet)};a="POST /v1/pets HTTP/1.1"\r\n${pet}\r\n0\r\n\r\n`,
  ],
  'a header that looks like Transfer-Encoding': [
    201,
    `${create('Transfer_Encoding: chunked', `Content-Length: ${pet.length}`)}${pet}`,
  ],
};

/** A body that is refused before it is received, so that the connection ends with the response. */
const tooLarge = `${create(`Content-Length: ${hidden.length * 1_000}`)}${hidden.repeat(1_000)}`;

describeService('A request within another', (service) => {
  afterEach('is not executed', async () => {
    expect((await service.get('/v1/pets?limit=100')).text).not.to.include('smuggled');
  });

  for (const [title, bytes] of Object.entries(doubtful)) {
    it(`is not executed behind a doubtful head, which gets a 400: ${title}`, async () => {
      const answer = await service.exchangeOne(bytes, { method: '', target: '' });
      expect(answer.status).to.equal(400);
    });
  }

  for (const [title, [status, bytes]] of Object.entries({
    ...sound,
    'a body that is too large': [413, tooLarge] as const,
  })) {
    it(`is not executed in ${title}`, async () => {
      const connection = service.connect();
      connection.send(bytes + last);
      const answers = readFirstHttpResponses(await connection.closed(), ['', '']);
      // A response that precedes the end of its request's body may end the connection.
      const isEnded = answers[0]?.headers.some(([name, value]) => name === 'connection' && value === 'close');
      expect(answers.map((answer) => answer.status)).to.deep.equal(
        isEnded === true ? [status] : [status, 200],
      );
    });
  }
});
