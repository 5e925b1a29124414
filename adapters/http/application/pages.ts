import { constant } from 'fp-ts/function';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { type Headers, securityHeaders } from '../operations/headers';
import { openApiDocument } from '../operations/openapi-document';
import { jsonType, type Reply } from '../operations/reply';

/**
 * Makes the reply for one client. `origin` is the URL of the service, for the text, or empty if the URL is unknown.
 * `accepts` returns true if the client accepts a content coding.
 */
type MakeTextReply = (origin: string, accepts: (coding: string) => boolean) => Reply;

/**
 * Returns the paths and replies of the catalogue, the API reference and their files. Returns none in the library
 * package, which lacks the files. Reads all files at startup, because file descriptors may run out later.
 */
export const pages = (): ReadonlyArray<readonly [path: string, reply: MakeTextReply]> => {
  if (!existsSync(pagesFolder)) return [];
  const catalogue = readPage('catalogue.html', '.');
  return [
    ['/', (origin) => pageReply(catalogue.replaceAll('{origin}', origin === '' ? exampleOrigin : origin))],
    ['/docs', constant(pageReply(readPage('reference.html', 'docs')))],
    ['/docs/', constant(redirectToDocs)],
    ...readdirSync(pagesFolder).flatMap((file) => {
      const contentType = contentTypes[extname(file)];
      const path = `/docs/${file}`;
      return contentType === undefined
        ? []
        : [[path, fileReply(join(pagesFolder, file), contentType)] as const];
    }),
  ];
};

/**
 * Makes the reply with openapi.json. The server URL is absolute if possible, because code generators ignore relative
 * URLs.
 */
export const documentReply: MakeTextReply = (origin) => {
  const servers = origin === '' ? openApiDocument.servers : [{ url: `${origin}/v1` }];
  return textReply(`${JSON.stringify({ ...openApiDocument, servers })}\n`, jsonType);
};

const pagesFolder = join(__dirname, '..', '..', 'web');

/** Content types by the endings of the files that the pages load. */
const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const exampleOrigin = 'http://127.0.0.1:3000';

const redirectToDocs: Reply = { status: 308, headers: { ...securityHeaders, Location: '../docs' }, body: '' };

/** Returns the text of a page with the common header, in which the link to this page is marked. */
const readPage = (file: string, path: string): string => {
  const read = (name: string): string => readFileSync(join(pagesFolder, name)).toString();
  const header = read('header.html').replace(`<a href="${path}">`, `<a href="${path}" aria-current="page">`);
  const version = versionOf(createRequire(__filename)('#manifest'));
  return read(file).replace('{header}', header.trim()).replaceAll('{version}', version);
};

const versionOf = (manifest: unknown): string =>
  typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';

const pageReply = (body: string): Reply => textReply(body, 'text/html; charset=utf-8', pageHeaders);

/** Content-Security-Policy that forbids requests to other origins. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
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

/** Makes the reply with a file, compressed if possible. Each coding has its own ETag (RFC 9110, section 8.8.3.3). */
const fileReply = (file: string, contentType: string): MakeTextReply => {
  const plain = textReply(readFileSync(file), contentType);
  const compressed = codings
    .filter(([, ending]) => existsSync(file + ending))
    .map(([coding, ending]) => {
      const headers = { 'Content-Encoding': coding };
      return { coding, reply: textReply(readFileSync(file + ending), contentType, headers) };
    });
  return (_origin, accepts) => compressed.find(({ coding }) => accepts(coding))?.reply ?? plain;
};

/** Content codings, in the order of preference, and the suffixes of the compressed files. */
const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Makes a reply that clients may cache, but must revalidate. A client whose ETag still matches gets a 304. */
const textReply = (body: string | Buffer, contentType: string, headers: Headers = {}): Reply => ({
  status: 200,
  headers: {
    ...securityHeaders,
    'Cache-Control': 'no-cache',
    Vary: 'Accept-Encoding',
    ...headers,
    'Content-Type': contentType,
    ETag: `"${createHash('sha256').update(body).digest('base64url')}"`,
  },
  body,
});
