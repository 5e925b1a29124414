import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { hasChromium, openChromium, whySkipped } from '../support/browser';
import { apiKey, serveInProcess } from '../support/service/serve-in-process';

describe(`CORS in a browser${whySkipped}`, function () {
  let host: Server;
  let origin: string;
  before(async function () {
    if (!hasChromium) this.skip();
    host = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>A shop</title>');
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    const bound = host.address();
    origin = `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : ''}`;
  });
  after(() => {
    if (hasChromium) host.close();
  });

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
      await page.goto(origin);
      const service = await serveInProcess({ CORS_ORIGIN });
      try {
        return await page.evaluate(script(`${service.address}/v1/pets`));
      } finally {
        await service.stop();
      }
    } finally {
      await browser.close();
    }
  };

  it('a page of a named origin creates an animal, and reads headers and failures', async () => {
    const rex = { id: 1, name: 'Rex', categoryId: 7 };
    expect(await callFrom(origin)).to.deep.equal([201, rex, 'true', 401, 'Bearer', 'unauthorized']);
  });

  it('a page of another origin gets nothing', async () => {
    expect(await callFrom('https://shop.example')).to.equal('TypeError: Failed to fetch');
  });
});
