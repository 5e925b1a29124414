/* global document, location, matchMedia, SwaggerUIBundle, URLSearchParams */
import { keptAuthorization, restoreAuthorization } from './authorization.mjs';
import { exactResponseBody } from './exact-response-body.mjs';
import { foldedFailures } from './folded-failures.mjs';
import { landmarks } from './landmarks.mjs';

const isService = new URLSearchParams(location.search).get('document') === 'service';
const shown = isService ? 'openapi-service.json' : 'openapi.json';

document
  .querySelector(isService ? '.documents a[href*="service"]' : '.documents a')
  .setAttribute('aria-current', 'page');

// Swagger UI has dark colours, but does not follow the colour scheme of the system.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const address = new URL(shown, document.baseURI).href;
const specification = await (await fetch(address)).json();
// Behind a proxy with a path prefix, the address in the document lacks the prefix.
const server = isService ? new URL('.', address) : new URL('v1', address);
specification.servers = [{ url: server.href.replace(/\/$/, '') }];

const ui = SwaggerUIBundle({
  domNode: document.querySelector('#reference'),
  spec: specification,
  plugins: [exactResponseBody, foldedFailures, keptAuthorization, landmarks],
  onComplete: () => restoreAuthorization(ui),
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Numbers have too little contrast in the default theme.
  syntaxHighlight: { theme: 'obsidian' },
  defaultModelsExpandDepth: 0,
  // Swagger UI would otherwise send the address of the document to a server of its maintainers.
  validatorUrl: null,
});
