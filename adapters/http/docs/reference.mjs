/* global document, matchMedia, MutationObserver, sessionStorage, SwaggerUIBundle */

// Swagger UI has dark colours, but does not follow the colour scheme of the system.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const reviveExactly = (_name, value, { source }) =>
  typeof value === 'number' ? JSON.rawJSON(source) : value;

/** Indents JSON without rounding its numbers. Returns it unchanged in older browsers, which lack `JSON.rawJSON`. */
const indentExactly = (json) =>
  typeof JSON.rawJSON === 'function' ? JSON.stringify(JSON.parse(json, reviveExactly), null, 2) : json;

/** Swagger UI plugin that shows integers in JSON responses exactly. Swagger UI itself rounds integers above 2^53. */
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

// Name of the API key in the session storage, which the browser deletes with the tab. The start page shares the key.
const keyName = 'animal-store-api-key';

/** Swagger UI plugin that keeps the API key until the tab closes. `persistAuthorization` would keep it for longer. */
const keyInTab = {
  statePlugins: {
    auth: {
      wrapActions: {
        authorizeWithPersistOption: (authorize) => (payload) => {
          sessionStorage.setItem(keyName, payload.bearerAuth.value);
          return authorize(payload);
        },
        logoutWithPersistOption: (logout) => (payload) => {
          sessionStorage.removeItem(keyName);
          return logout(payload);
        },
      },
    },
  },
};

/** Swagger UI plugin that generates examples. A JSON string is also a valid string literal of JavaScript and Python. */
const snippets = {
  fn: {
    requestSnippetGenerator_javascript: (request) => {
      const { url, method, headers, body } = request.toJS();
      const options = JSON.stringify({ method, headers, body }, null, 2);
      return `const response = await fetch(${JSON.stringify(url)}, ${options});\nconsole.log(response.status, await response.text());`;
    },
    requestSnippetGenerator_python: (request) => {
      const { url, method, headers, body } = request.toJS();
      const content = body === undefined ? '' : `,\n    data=${JSON.stringify(body)}.encode()`;
      return `import requests\n\nresponse = requests.request(\n    ${JSON.stringify(method)},\n    ${JSON.stringify(url)},\n    headers=${JSON.stringify(headers)}${content},\n)\nprint(response.status_code, response.text)`;
    },
  },
};

/** Attributes that screen readers need and Swagger UI lacks: a selector, a name, and the value for an element. */
const attributes = [
  ['#servers', 'aria-label', () => 'Server'],
  ['[data-param-name] select', 'aria-label', (field) => field.closest('[data-param-name]').dataset.paramName],
  ['textarea.body-param__text', 'aria-label', () => 'Request body'],
  ['.examples-select-element', 'aria-label', () => 'Example'],
  ['h3.opblock-tag', 'aria-level', () => '2'],
  ['.opblock h4', 'aria-level', () => '3'],
  ['.opblock h5', 'aria-level', () => '4'],
  ['.information-container', 'role', () => 'region'],
  ['.information-container', 'aria-label', () => 'About'],
  ['.scheme-container', 'role', () => 'region'],
  ['.scheme-container', 'aria-label', () => 'Server and key'],
  ['table.responses-table', 'aria-label', (table) => `${table.className} of ${table.closest('.opblock').id}`],
];

const completeMarkup = () => {
  for (const [selector, name, valueOf] of attributes) {
    for (const element of document.querySelectorAll(selector)) element.setAttribute(name, valueOf(element));
  }
  // Disable links inside buttons. The keyboard can't reach them, and the button does the same.
  for (const link of document.querySelectorAll('button a[href]')) link.removeAttribute('href');
};

/** Merges the failures of an operation into the responses 4XX and 5XX, so that Swagger UI shows at most two rows. */
const foldFailures = (responses, components) => {
  const folded = {};
  for (const [status, response] of Object.entries(responses)) {
    const { description, headers, content } =
      response.$ref === undefined ? response : components[response.$ref.split('/').at(-1)];
    // The description of the document already mentions this header.
    delete headers['X-Request-Id'];
    if (status < '400') {
      folded[status] = response;
      continue;
    }
    const json = content['application/json'];
    const group = (folded[`${status[0]}XX`] ??= {
      description: '',
      headers: {},
      content: { 'application/json': { schema: json.schema, examples: {} } },
    });
    group.description += `${group.description && '\n\n'}**${status}** ${description}`;
    Object.assign(group.headers, headers);
    Object.assign(group.content['application/json'].examples, json.examples);
  }
  return folded;
};

const reference = document.querySelector('#reference');
new MutationObserver(completeMarkup).observe(reference, { childList: true, subtree: true });

const address = new URL('openapi.json', document.baseURI);
const specification = await (await fetch(address)).json();
// The server URL in the document may lack the path prefix that a proxy has removed.
specification.servers = [{ url: new URL('v1', address).href }];
for (const operation of Object.values(specification.paths).flatMap(Object.values))
  operation.responses = foldFailures(operation.responses, specification.components.responses);

const ui = SwaggerUIBundle({
  domNode: reference,
  spec: specification,
  plugins: [exactResponseBody, keyInTab, snippets],
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      javascript: { title: 'JavaScript', syntax: 'javascript' },
      python: { title: 'Python', syntax: 'python' },
    },
    languages: ['curl_bash', 'javascript', 'python'],
    defaultExpanded: true,
  },
  // Numbers have too little contrast in the default theme.
  syntaxHighlight: { theme: 'obsidian' },
  defaultModelsExpandDepth: 0,
  // Swagger UI would otherwise send the address of the document to a server of its maintainers.
  validatorUrl: null,
  onComplete: () => {
    const key = sessionStorage.getItem(keyName);
    if (key !== null) ui.preauthorizeApiKey('bearerAuth', key);
    const [{ tags, operationId }] = Object.values(specification.paths).flatMap(Object.values);
    if (document.location.hash === '') ui.layoutActions.show(['operations', tags[0], operationId], true);
  },
});
