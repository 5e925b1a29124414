/* global document, location, matchMedia, SwaggerUIBundle, URL, URLSearchParams */
import { exactResponseBody } from './exact-response-body.mjs';
import { foldedFailures } from './folded-failures.mjs';
import { landmarks } from './landmarks.mjs';

const isService = new URLSearchParams(location.search).get('document') === 'service';
const shown = isService ? 'openapi-service.json' : 'openapi.json';

document
  .querySelector(isService ? '.documents a[href*="service"]' : '.documents a')
  .setAttribute('aria-current', 'page');

// Swagger UI has dark colours, and leaves it to the page when to show them.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

SwaggerUIBundle({
  domNode: document.querySelector('#reference'),
  url: new URL(shown, document.baseURI).href,
  plugins: [exactResponseBody, foldedFailures, landmarks],
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // The default's numbers have too little contrast.
  syntaxHighlight: { theme: 'obsidian' },
  defaultModelsExpandDepth: 0,
  // The default sends the document's address to a server of Swagger's.
  validatorUrl: null,
});
