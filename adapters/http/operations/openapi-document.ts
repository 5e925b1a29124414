import document from '../openapi.json';

interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: ReadonlyArray<{ readonly url: string }>;
  readonly paths: Readonly<Record<string, object>>;
  readonly components: Readonly<Record<string, object>>;
}

/**
 * OpenAPI 3.1 document of the operations under `/v1`. Its server URL is relative, so that the document is valid behind
 * any path prefix.
 */
export const openApiDocument: OpenApiDocument = document;
