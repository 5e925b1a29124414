import { expect } from 'chai';
import { gunzipSync } from 'node:zlib';
import { textResponder } from '../../../../adapters/http/representation/text-responder';

const body = 'An animal, and another. '.repeat(100);
const respond = textResponder({ body, contentType: 'text/plain; charset=utf-8' });

const codingFor = async (accepted?: string): Promise<string | undefined> => {
  const { headers } = await respond(accepted === undefined ? {} : { 'accept-encoding': accepted });
  return headers['Content-Encoding'];
};

describe('A text', () => {
  it('is sent as it is, with its type, to whoever names no coding', async () => {
    const { status, headers, contentType, body: sent } = await respond({});
    expect([status, sent?.toString()]).to.deep.equal([200, body]);
    expect(contentType).to.equal('text/plain; charset=utf-8');
    expect(headers).to.have.all.keys('Cache-Control', 'ETag', 'Vary');
    expect(headers).to.include({
      'Cache-Control': 'no-cache',
      Vary: 'Accept-Encoding',
    });
  });

  it('is compressed for whoever takes gzip, as the same text', async () => {
    const { status, headers, body: sent } = await respond({ 'accept-encoding': 'br, gzip' });
    expect(status).to.equal(200);
    expect(headers).to.include({ 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
    expect(gunzipSync(sent ?? '').toString()).to.equal(body);
    expect(sent?.length).to.be.below(body.length / 10);
  });

  for (const accepted of [
    'gzip',
    'GZIP',
    'gzip;q=1.0',
    'gzip ; q=0.001',
    '*',
    'br;q=1, *;q=0.5',
    'identity, gzip',
  ]) {
    it(`is compressed where Accept-Encoding is "${accepted}"`, async () => {
      expect(await codingFor(accepted)).to.equal('gzip');
    });
  }

  for (const accepted of [
    undefined,
    '',
    'identity',
    'br, deflate',
    'gzip;q=0',
    'gzip;q=0.000, *',
    '*;q=0',
    'gzip;q=0.5, identity',
    'gzip;q=much',
    'gzipped',
  ]) {
    it(`is not compressed where Accept-Encoding is ${accepted === undefined ? 'not there' : `"${accepted}"`}`, async () => {
      expect(await codingFor(accepted)).to.equal(undefined);
    });
  }

  for (const accepted of ['gzip', 'identity']) {
    it(`in ${accepted} comes once to who asks after it by its ETag`, async () => {
      const asked = { 'accept-encoding': accepted };
      const etag = (await respond(asked)).headers['ETag'] ?? '';
      expect(etag).to.match(/^"[\w-]+"$/);
      for (const ifNoneMatch of [etag, `W/${etag}`, `"another", ${etag}`, `${etag} ,"another"`, '*']) {
        const { status, headers, body: sent } = await respond({ ...asked, 'if-none-match': ifNoneMatch });
        expect([status, sent], ifNoneMatch).to.deep.equal([304, undefined]);
        expect(headers).to.deep.equal({ 'Cache-Control': 'no-cache', ETag: etag, Vary: 'Accept-Encoding' });
      }
      for (const ifNoneMatch of ['"another"', etag.slice(1, -1), `x${etag}`]) {
        expect((await respond({ ...asked, 'if-none-match': ifNoneMatch })).status, ifNoneMatch).to.equal(200);
      }
    });
  }

  it('has another ETag in each coding, and another text has others', async () => {
    const other = textResponder({ body: `${body}!`, contentType: 'text/plain' });
    const etags = [];
    for (const responder of [respond, other]) {
      for (const accepted of ['gzip', 'identity']) {
        etags.push((await responder({ 'accept-encoding': accepted })).headers['ETag']);
      }
    }
    expect(new Set(etags).size).to.equal(4);
  });

  it('is compressed once', async () => {
    const [one, another] = await Promise.all([
      respond({ 'accept-encoding': 'gzip' }),
      respond({ 'accept-encoding': 'gzip' }),
    ]);
    expect(one.body).to.equal(another.body);
  });

  it('carries the headers it is given, its own Cache-Control among them', async () => {
    const metrics = textResponder({
      body,
      contentType: 'text/plain',
      headers: { 'Cache-Control': 'no-store', 'X-More': '1' },
    });
    const { headers } = await metrics({});
    expect(headers).to.include({ 'Cache-Control': 'no-store', 'X-More': '1' });
  });
});
