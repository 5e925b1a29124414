import { expect } from 'chai';
import { hasChromium, openChromium, whySkipped } from '../support/browser';
import { type Listening, servePlainly } from '../support/http/listen';
import { apiKey, whileServing } from '../support/service/serve-in-process';

describe(`CORS in a browser${whySkipped}`, function () {
  let host: Listening;
  before(async function () {
    if (!hasChromium) this.skip();
    host = await servePlainly((_request, response) => {
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>A shop</title>');
    });
  });
  after(() => (hasChromium ? host.close() : undefined));

  const script = (pets: string): string => `(async () => {
    const headers = { Authorization: 'Bearer ${apiKey}', 'Content-Type': 'application/json', 'Idempotency-Key': '"one"' };
    const body = JSON.stringify({ name: 'Rex', categoryId: 7 });
    const create = () => fetch('${pets}', { method: 'POST', headers, body });
    const created = await create();
    const replayed = await create();
    const refused = await fetch('${pets}');
    return [created.status, await created.json(), replayed.headers.get('Idempotent-Replayed'),
      refused.status, refused.headers.get('WWW-Authenticate'), (await refused.json()).code];
  })().catch(String)`;

  const callFrom = async (CORS_ORIGIN: string): Promise<unknown> => {
    const browser = await openChromium();
    try {
      const page = await browser.newPage();
      await page.goto(host.address);
      return await whileServing({ CORS_ORIGIN }, ({ address }) =>
        page.evaluate(script(`${address}/v1/pets`)),
      );
    } finally {
      await browser.close();
    }
  };

  it('a page of a named origin creates an animal, and reads headers and failures', async () => {
    const rex = { id: 1, name: 'Rex', categoryId: 7 };
    expect(await callFrom(host.address)).to.deep.equal([201, rex, 'true', 401, 'Bearer', 'unauthorized']);
  });

  it('a page of another origin gets nothing', async () => {
    expect(await callFrom('https://shop.example')).to.equal('TypeError: Failed to fetch');
  });
});
