/** The path before those of an OpenAPI document's operations: a server's address is relative to the document's own (OpenAPI 3.1, section 4.8.5). */
export const serverPath = (server: string): string =>
  new URL(server, 'http://localhost/openapi.json').pathname.replace(/\/$/, '');
