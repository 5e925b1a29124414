import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Context, Headers } from './context';

type Handle = (context: Context) => void;

interface Text {
  readonly body: string | Buffer;
  readonly contentType: string;
  readonly headers?: Headers;
}

/** Makes the handler of a text. A client that has the text already, by its ETag, gets a 304. */
const sendText = ({ body, contentType, headers = {} }: Text): Handle => {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return (context) => {
    context.status = 200;
    context.set({ 'Cache-Control': 'no-cache', ...headers, ETag: etag });
    if (context.fresh) {
      context.status = 304;
      return;
    }
    context.set('Content-Type', contentType);
    context.body = body;
  };
};

// Matches only origins without characters that have a meaning in HTML or in a replacement string.
const plainOrigin = /^https?:\/\/[\w.:[\]-]+$/;

/** Returns the origin that the client has used for the service, or an empty text if the Host header is invalid. */
const originOf = ({ host, URL: { origin } }: Context): string =>
  host !== '' && plainOrigin.test(origin) ? origin : '';

/** Makes the handler of a text that contains the service's own address, such as an OpenAPI document. */
export const sendTextByOrigin =
  (makeText: (origin: string) => Text): Handle =>
  (context) => {
    sendText(makeText(originOf(context)))(context);
  };

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

const pageHeaders = {
  'Content-Security-Policy': pagePolicy,
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};

const files = {
  'icon.svg': types.svg,
  'page.css': types.css,
  'reference.mjs': types.javascript,
  'start.css': types.css,
  'swagger-ui/swagger-ui.css': types.css,
  'swagger-ui/swagger-ui-bundle.js': types.javascript,
};

const page = (body: string | Buffer): Text => ({ body, contentType: types.html, headers: pageHeaders });

const startPage = (html: string): Handle =>
  sendTextByOrigin((origin) =>
    page(html.replaceAll('{origin}', origin === '' ? 'http://127.0.0.1:3000' : origin)),
  );

const redirectToDocs: Handle = (context) => {
  context.status = 308;
  context.set('Location', '../docs');
  context.body = '';
};

const folder = join(__dirname, 'docs');

/**
 * Returns the start page and the API reference (Swagger UI) by their paths, for routes.ts. Returns no pages in
 * the library package, which lacks their files. Reads all files at startup, because file descriptors may run out later.
 */
export const docsPages = (): ReadonlyArray<readonly [path: string, handle: Handle]> => {
  if (!existsSync(folder)) return [];
  const read = (file: string): Buffer => readFileSync(join(folder, file));
  return [
    ['/', startPage(read('start.html').toString())],
    ['/docs', sendText(page(read('index.html')))],
    ['/docs/', redirectToDocs],
    ...Object.entries(files)
      .filter(([file]) => existsSync(join(folder, file)))
      .map(([file, contentType]) => {
        const handle = sendText({ body: read(file), contentType });
        return [`/docs/${basename(file)}`, handle] as const;
      }),
  ];
};
