import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { shareSuccess } from '../representation/share-success';
import { textResponder, type TextResponse } from '../representation/text-responder';

/** Where the build puts the reference's own files and, in `swagger-ui`, those of swagger-ui-dist. */
const builtFolder = join(__dirname, 'page');

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

interface FileEntry {
  readonly path: string;
  readonly file: string;
  readonly type: keyof typeof types;
  readonly headers?: Readonly<Record<string, string>>;
}

/** All that is served under `/docs`, name by name. */
const entries: ReadonlyArray<FileEntry> = [
  { path: '/docs', file: 'index.html', type: 'html', headers: { 'Content-Security-Policy': pagePolicy } },
  { path: '/docs/exact-response-body.mjs', file: 'exact-response-body.mjs', type: 'javascript' },
  { path: '/docs/folded-failures.mjs', file: 'folded-failures.mjs', type: 'javascript' },
  { path: '/docs/icon.svg', file: 'icon.svg', type: 'svg' },
  { path: '/docs/landmarks.mjs', file: 'landmarks.mjs', type: 'javascript' },
  { path: '/docs/page.css', file: 'page.css', type: 'css' },
  { path: '/docs/start.mjs', file: 'start.mjs', type: 'javascript' },
  { path: '/docs/swagger-ui.css', file: 'swagger-ui/swagger-ui.css', type: 'css' },
  { path: '/docs/swagger-ui-bundle.js', file: 'swagger-ui/swagger-ui-bundle.js', type: 'javascript' },
];

/** One file of the interactive reference. It rejects where the file can't be read, and reads again next time. */
export interface DocsFile {
  readonly path: string;
  readonly respond: (request: IncomingHttpHeaders) => Promise<TextResponse>;
}

const docsFilesIn = (folder: string): ReadonlyArray<DocsFile> =>
  entries.map(({ path, file, type, headers = {} }) => {
    const responder = shareSuccess(async () =>
      textResponder({ body: await readFile(join(folder, file)), contentType: types[type], headers }),
    );
    return { path, respond: async (request) => (await responder())(request) };
  });

/**
 * The interactive reference of the OpenAPI documents: a page and the files that it needs, each read when first asked
 * for. The service has it, with Swagger UI; the library comes without the folder, and so without the page.
 */
export const docsFiles = (folder: string = builtFolder): ReadonlyArray<DocsFile> =>
  existsSync(folder) ? docsFilesIn(folder) : [];
