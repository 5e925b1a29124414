import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Reply } from './reply';
import { codings, type TextReply, textReply } from './text-reply';

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
  'catalogue.mjs': types.javascript,
  'client.mjs': types.javascript,
  'icon.svg': types.svg,
  'page.css': types.css,
  'reference.mjs': types.javascript,
  'pico/pico.css': types.css,
  'start.css': types.css,
  'swagger-ui/swagger-ui.css': types.css,
  'swagger-ui/swagger-ui-bundle.js': types.javascript,
};

const pageReply = (body: string | Buffer): Reply => textReply(body, types.html, pageHeaders);

const startPage =
  (html: string): TextReply =>
  (origin) =>
    pageReply(html.replaceAll('{origin}', origin === '' ? 'http://127.0.0.1:3000' : origin));

const always =
  (reply: Reply): TextReply =>
  () =>
    reply;

/** Returns the reply with a file. Each content coding has its own ETag (RFC 9110, section 8.8.3.3). */
const fileReply = (file: string, contentType: string): TextReply => {
  const plain = textReply(readFileSync(file), contentType);
  const compressed = codings
    .filter(([, ending]) => existsSync(file + ending))
    .map(([coding, ending]) => {
      const headers = { 'Content-Encoding': coding };
      return { coding, reply: textReply(readFileSync(file + ending), contentType, headers) };
    });
  return (_origin, accepts) => compressed.find(({ coding }) => accepts(coding))?.reply ?? plain;
};

const redirectToDocs: Reply = { status: 308, headers: { Location: '../docs' }, body: '' };

const folder = join(__dirname, 'docs');

/**
 * Returns the start page and the API reference (Swagger UI) by their paths. Returns no pages in the library package,
 * which lacks their files. Reads all files at startup, because file descriptors may run out later.
 */
export const pages = (): ReadonlyArray<readonly [path: string, reply: TextReply]> => {
  if (!existsSync(folder)) return [];
  const read = (file: string): Buffer => readFileSync(join(folder, file));
  return [
    ['/', startPage(read('start.html').toString())],
    ['/docs', always(pageReply(read('index.html')))],
    ['/docs/', always(redirectToDocs)],
    ...Object.entries(files)
      .filter(([file]) => existsSync(join(folder, file)))
      .map(([file, contentType]) => {
        const reply = fileReply(join(folder, file), contentType);
        return [`/docs/${basename(file)}`, reply] as const;
      }),
  ];
};
