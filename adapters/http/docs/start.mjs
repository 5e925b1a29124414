/* global document, SwaggerUIBundle */

SwaggerUIBundle({
  domNode: document.querySelector('#reference'),
  url: new URL('openapi.json', document.baseURI).href,
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // The default sends the document's address to a server of Swagger's.
  validatorUrl: null,
});
