import { expect } from 'chai';
import Koa from 'koa';
import { once } from 'node:events';
import { mountPetRoutes } from '../../../adapters/http';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../../adapters/in-memory';
import { openAnimalStore } from '../../../core';
import { arbitraryApiKey, arbitraryKeyId } from '../../contracts';
import { rawExchange } from '../../support/http/raw-connection';

const key = arbitraryApiKey();

/** What koa-mount does: the routes see the rest of the path, the original address stays. */
const hostUnder = (prefix: string): Koa => {
  const app = new Koa();
  app.use((context, next) => {
    context.path = context.path.slice(prefix.length);
    return next();
  });
  const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);
  mountPetRoutes(app, openAnimalStore({ pets: inMemoryPetRepository(), authenticate }));
  return app;
};

/** The Link of the answer to the last of several requests to one host. */
const linkOf = async (
  prefix: string,
  ...requests: ReadonlyArray<readonly [method: string, target: string, body?: string]>
): Promise<string | undefined> => {
  const server = hostUnder(prefix).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const address = `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
  try {
    let link: string | undefined;
    for (const [method, target, body = ''] of requests) {
      const head = [
        `${method} ${target} HTTP/1.1`,
        'Host: animals',
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: close',
      ];
      const { headers } = await rawExchange(address, `${head.join('\r\n')}\r\n\r\n${body}`);
      link = headers.get('link');
    }
    return link;
  } finally {
    server.close();
  }
};

const rex = '{"name":"Rex","categoryId":7}';

for (const prefix of ['', '/shelter', '/v1/pets/shelter']) {
  describe(`The routes in a host under the prefix "${prefix}"`, () => {
    it('link to the next page by a reference that holds under any prefix', async () => {
      const create = ['POST', `${prefix}/v1/pets`, rex] as const;
      expect(await linkOf(prefix, create, create, ['GET', `${prefix}/v1/pets?limit=1`])).to.equal(
        '<?limit=1&after=1>; rel="next"',
      );
    });

    it('link from a deprecated address to the list by a reference that holds under any prefix', async () => {
      for (const id of ['1', 'no-id', '%2F', '1?a=/b']) {
        expect(await linkOf(prefix, ['GET', `${prefix}/v1/pets/${id}`]), id).to.equal(
          '<../pets>; rel="successor-version"',
        );
      }
    });
  });
}
