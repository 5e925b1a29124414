/* global document, matchMedia, MutationObserver, SwaggerUIBundle */

// Swagger UI has dark colours, but does not follow the colour scheme of the system.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const reviveExactly = (_name, value, { source }) =>
  typeof value === 'number' ? JSON.rawJSON(source) : value;

/** Indents JSON, with every digit of its numbers. Older browsers can't read the digits, and show the text unchanged. */
const indentExactly = (json) =>
  typeof JSON.rawJSON === 'function' ? JSON.stringify(JSON.parse(json, reviveExactly), null, 2) : json;

/** Swagger UI plugin that shows integers in JSON responses exactly. Swagger UI itself rounds those past 2^53. */
const exactResponseBody = ({ React: { createElement }, getComponent }) => ({
  wrapComponents: {
    responseBody: (ResponseBody) => (properties) => {
      const { content, contentType } = properties;
      if (!/json/i.test(contentType) || typeof content !== 'string') {
        return createElement(ResponseBody, properties);
      }
      const code = { language: 'json', downloadable: true, fileName: 'answer.json', canCopy: true };
      return createElement(
        'div',
        null,
        createElement('h5', null, 'Response body'),
        createElement(getComponent('HighlightCode', true), code, indentExactly(content)),
      );
    },
  },
});

/** Labels of the fields that Swagger UI leaves without a label, for screen readers. */
const labelOf = {
  '#servers': () => 'Server',
  '[data-param-name] select': (field) => field.closest('[data-param-name]').dataset.paramName,
  'textarea.body-param__text': () => 'Request body',
  '.examples-select-element': () => 'Example',
};

const labelFields = () => {
  for (const [selector, label] of Object.entries(labelOf)) {
    for (const field of document.querySelectorAll(selector)) field.setAttribute('aria-label', label(field));
  }
};

const reference = document.querySelector('#reference');
new MutationObserver(labelFields).observe(reference, { childList: true, subtree: true });

const address = new URL('openapi.json', document.baseURI);
const specification = await (await fetch(address)).json();
// Behind a proxy with a path prefix, the address in the document lacks the prefix.
specification.servers = [{ url: new URL('v1', address).href }];

SwaggerUIBundle({
  domNode: reference,
  spec: specification,
  plugins: [exactResponseBody],
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Numbers have too little contrast in the default theme.
  syntaxHighlight: { theme: 'obsidian' },
  defaultModelsExpandDepth: 0,
  // Swagger UI would otherwise send the address of the document to a server of its maintainers.
  validatorUrl: null,
});
