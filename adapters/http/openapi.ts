import document from './openapi.json';
import { jsonType } from './reply';
import { type TextReply, textReply } from './text-reply';

interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: ReadonlyArray<{ readonly url: string }>;
  readonly paths: Readonly<Record<string, object>>;
  readonly components: Readonly<Record<string, object>>;
}

/**
 * OpenAPI 3.1 document of the operations under `/v1`. The address of the server in it is relative, so that it works
 * behind any path prefix.
 */
export const openApiDocument: OpenApiDocument = document;

/** Returns the document with the absolute address of the server, because code generators ignore a relative address. */
export const documentReply: TextReply = (origin) => {
  const servers = origin === '' ? openApiDocument.servers : [{ url: `${origin}/v1` }];
  return textReply(`${JSON.stringify({ ...openApiDocument, servers })}\n`, jsonType);
};
