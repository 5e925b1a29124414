import type { Router } from '@koa/router';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Headers } from '../protocol/headers';
import { respond } from '../responses/respond';
import { textFile } from './text-file';

/** Where the build puts the reference's own files and, in `swagger-ui`, those of swagger-ui-dist. */
const folder = join(__dirname, 'page');

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  javascript: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** Swagger UI draws its arrows from `data:` addresses; nothing comes from or goes to another origin. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface ServedFile {
  readonly path: string;
  readonly file: string;
  readonly type: keyof typeof types;
  readonly headers?: Headers;
}

/** All that is served under `/docs`, name by name. */
const files: ReadonlyArray<ServedFile> = [
  { path: '/docs', file: 'index.html', type: 'html', headers: { 'Content-Security-Policy': pagePolicy } },
  { path: '/docs/exact-response-body.mjs', file: 'exact-response-body.mjs', type: 'javascript' },
  { path: '/docs/icon.svg', file: 'icon.svg', type: 'svg' },
  { path: '/docs/page.css', file: 'page.css', type: 'css' },
  { path: '/docs/start.mjs', file: 'start.mjs', type: 'javascript' },
  { path: '/docs/swagger-ui.css', file: 'swagger-ui/swagger-ui.css', type: 'css' },
  { path: '/docs/swagger-ui-bundle.js', file: 'swagger-ui/swagger-ui-bundle.js', type: 'javascript' },
];

/** Adds the interactive reference of the OpenAPI document to a router: a page, and the files that it needs. */
export const mountDocsRoutes = (router: Router): void => {
  for (const { path, file, type, headers } of files) {
    const fileHeaders = { 'Content-Type': types[type], ...headers };
    const plain = textFile(join(folder, file), fileHeaders);
    const zipped = textFile(
      join(folder, file),
      { ...fileHeaders, 'Content-Encoding': 'gzip' },
      promisify(gzip),
    );
    router.get(path, async (context) => {
      context.vary('Accept-Encoding');
      await respond(context, context.acceptsEncodings('gzip', 'identity') === 'gzip' ? zipped : plain);
      if (context.fresh) context.status = 304;
    });
  }
};
