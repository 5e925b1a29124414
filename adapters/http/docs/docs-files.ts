import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { basename, join } from 'node:path';
import { shareSuccess } from '../representation/share-success';
import { textResponder } from '../representation/text-responder';

/** Where the build puts the reference's own files and, in `swagger-ui`, those of swagger-ui-dist. */
const builtFolder = join(__dirname, 'page');

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  javascript: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

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

/** All that is served under `/docs`, name by name. */
const files = {
  'index.html': types.html,
  'exact-response-body.mjs': types.javascript,
  'folded-failures.mjs': types.javascript,
  'icon.svg': types.svg,
  'landmarks.mjs': types.javascript,
  'page.css': types.css,
  'start.mjs': types.javascript,
  'swagger-ui/swagger-ui.css': types.css,
  'swagger-ui/swagger-ui-bundle.js': types.javascript,
};

/** One file of the interactive reference. It rejects where the file can't be read, and reads again next time. */
const docsFile = (folder: string, file: string, contentType: string) => {
  const isPage = file === 'index.html';
  const headers = isPage ? { 'Content-Security-Policy': pagePolicy } : {};
  const responder = shareSuccess(async () =>
    textResponder({ body: await readFile(join(folder, file)), contentType, headers }),
  );
  return {
    path: isPage ? '/docs' : `/docs/${basename(file)}`,
    respond: async (request: IncomingHttpHeaders) => (await responder())(request),
  };
};

/**
 * The interactive reference of the OpenAPI documents: a page and the files that it needs, each read when first asked
 * for. The service has it, with Swagger UI; the library comes without the folder, and so without the page.
 */
export const docsFiles = (folder: string = builtFolder) =>
  existsSync(folder) ? Object.entries(files).map(([file, type]) => docsFile(folder, file, type)) : [];
