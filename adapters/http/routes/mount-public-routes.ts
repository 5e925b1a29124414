import Router from '@koa/router';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type Koa from 'koa';
import type { NotReady } from '../responses/http-failures';
import { docsFiles } from '../docs/docs-files';
import { openApiDocument } from '../openapi/openapi-document';
import { openApiServiceDocument } from '../openapi/openapi-service-document';
import { respond } from '../responses/respond';
import { serialiseHealth } from '../representation/serialise';
import { unmatched } from './unmatched';

/** Whether requests can be served now. */
export type CheckReadiness = TE.TaskEither<NotReady, void>;

const document = JSON.stringify(openApiDocument);
const serviceDocument = JSON.stringify(openApiServiceDocument);

/** Puts what needs no key into a Koa application, and refuses every path that nothing is at. */
export const mountPublicRoutes = (app: Koa, checkReadiness: CheckReadiness): void => {
  const router = new Router({ sensitive: true, strict: true });
  router.get('/livez', (context) =>
    respond(context, TE.right({ status: 200, body: serialiseHealth({ status: 'live' }) })),
  );
  router.get('/readyz', (context) =>
    respond(
      context,
      pipe(
        checkReadiness,
        TE.map(() => ({ status: 200, body: serialiseHealth({ status: 'ready' }) })),
      ),
    ),
  );
  router.get('/openapi.json', (context) => respond(context, TE.right({ status: 200, body: document })));
  router.get('/openapi-service.json', (context) =>
    respond(context, TE.right({ status: 200, body: serviceDocument })),
  );
  for (const { path, respond: respondWithFile } of docsFiles()) {
    router.get(path, async (context) => {
      const varies = context.res.hasHeader('Vary');
      await respond(
        context,
        TE.fromTask(() => respondWithFile(context.headers)),
      );
      if (context.status === 304) context.body = null;
      if (varies) context.vary('Origin');
    });
  }

  app.use(router.routes());
  app.use((context) => respond(context, TE.left(unmatched(router, context))));
};
