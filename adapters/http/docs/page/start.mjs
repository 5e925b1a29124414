/* global document, SwaggerUIBundle, URL */
import { exactResponseBody } from './exact-response-body.mjs';

SwaggerUIBundle({
  domNode: document.querySelector('#reference'),
  url: new URL('openapi.json', document.baseURI).href,
  plugins: [exactResponseBody],
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // The default sends the document's address to a server of Swagger's.
  validatorUrl: null,
});
