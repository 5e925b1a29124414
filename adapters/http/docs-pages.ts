import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Context } from './context';
import { sendText, sendTextByOrigin } from './static-text';

const builtFolder = join(__dirname, 'docs');

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  javascript: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * Content-Security-Policy that forbids requests to other origins. Images may have `data:` URLs, because Swagger UI
 * draws its arrows from them.
 */
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

const files = {
  'authorization.mjs': types.javascript,
  'exact-response-body.mjs': types.javascript,
  'folded-failures.mjs': types.javascript,
  'icon.svg': types.svg,
  'landmarks.mjs': types.javascript,
  'page.css': types.css,
  'reference.mjs': types.javascript,
  'start.css': types.css,
  'swagger-ui/swagger-ui.css': types.css,
  'swagger-ui/swagger-ui-bundle.js': types.javascript,
};

type Handle = (context: Context) => Promise<void>;

interface Page {
  readonly path: string;
  readonly handle: Handle;
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (found) => htmlEscapes[found] ?? '');

const headers = {
  'Content-Security-Policy': pagePolicy,
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};

const startPage = (html: string): Handle =>
  sendTextByOrigin((origin) => ({
    // Passes a function to `replaceAll`, because `$` has a meaning in a replacement string, and a Host header may
    // contain `$`.
    body: html.replaceAll('{origin}', () => escapeHtml(origin === '' ? 'http://127.0.0.1:3000' : origin)),
    contentType: types.html,
    headers,
  }));

const redirectToDocs: Handle = (context) => {
  context.status = 308;
  context.set('Location', '../docs');
  context.body = '';
  return Promise.resolve();
};

/**
 * Returns the start page and the API reference (Swagger UI) for service-routes.ts. Returns no pages in the library
 * package, which lacks their files. Reads all files at startup, because file descriptors may run out later.
 */
export const docsPages = (folder: string = builtFolder): ReadonlyArray<Page> => {
  if (!existsSync(folder)) return [];
  const read = (file: string): Buffer => readFileSync(join(folder, file));
  return [
    { path: '/', handle: startPage(read('start.html').toString()) },
    { path: '/docs', handle: sendText({ body: read('index.html'), contentType: types.html, headers }) },
    { path: '/docs/', handle: redirectToDocs },
    ...Object.entries(files)
      .filter(([file]) => existsSync(join(folder, file)))
      .map(([file, contentType]) => ({
        path: `/docs/${basename(file)}`,
        handle: sendText({ body: read(file), contentType }),
      })),
  ];
};
