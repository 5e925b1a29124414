/* global AbortController, document, FormData, location, navigator, sessionStorage */

// Script of the start page, and an example of the client. Other projects import the client as `animal-store/client`.
import { animalStoreClient, AnimalStoreError } from './client.mjs';
import { createOnce } from './create-once.mjs';

const find = (selector) => document.querySelector(selector);
const [enter, catalogue] = [find('#enter'), find('#catalogue')];
const [keyForm, filterForm, addForm] = [find('#enter form'), find('#filter'), find('#add')];
const [table, status] = [find('table'), find('[role=status]')];
const [previous, next] = [find('#previous'), find('#next')];

// Name of the API key in the session storage, which the browser deletes with the tab.
const keyName = 'animal-store-api-key';

const animals = animalStoreClient({
  baseUrl: new URL('.', location.href),
  apiKey: () => sessionStorage.getItem(keyName) ?? '',
  retryForMs: 5_000,
});

/** Returns the values of a form, without empty ones. An integer stays a text, because a number may be inexact. */
const valuesOf = (form) => Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));

/** Returns the error text of a field for visitors, who need no limits of an int64. */
const inWords = ({ rule, expected }) =>
  ({ required: 'Required', not_integer: 'Must be a whole number' })[rule] ?? `Must be ${expected}`;

/** Returns the error texts by the names of the fields. A rejected API key is an error of the field `apiKey`. */
const fieldErrors = ({ code, fields, message }) =>
  code === 'unauthorized'
    ? { apiKey: message }
    : Object.fromEntries(fields.map((field) => [field.name, inWords(field)]));

/** Shows an error at the fields that it names, or else below the form. All other fields show their hints again. */
const showError = (form, error) => {
  const errors = error === undefined ? {} : fieldErrors(error);
  const fields = [...form.elements].filter((field) => field.hasAttribute('aria-describedby'));
  for (const field of fields) {
    const hint = find(`#${field.getAttribute('aria-describedby')}`);
    hint.dataset.usual ??= hint.textContent;
    hint.textContent = errors[field.name] ?? hint.dataset.usual;
    if (field.name in errors) field.setAttribute('aria-invalid', 'true');
    else field.removeAttribute('aria-invalid');
  }
  const wrong = fields.find(({ name }) => name in errors);
  wrong?.focus();
  form.querySelector('[role=alert]').textContent = wrong === undefined ? (error?.message ?? '') : '';
};

const leave = () => {
  sessionStorage.removeItem(keyName);
  catalogue.hidden = true;
  enter.hidden = false;
};

/** Runs calls of the client, and shows an error in the form. A rejected API key leads back to the form for the key. */
const attempt = async (form, calls) => {
  form.setAttribute('aria-busy', 'true');
  try {
    await calls();
    showError(form);
  } catch (error) {
    if (!(error instanceof AnimalStoreError)) throw error;
    if (error.code === 'aborted') return;
    const isOfKey = 'apiKey' in fieldErrors(error);
    if (isOfKey) leave();
    showError(isOfKey ? keyForm : form, error);
  } finally {
    form.removeAttribute('aria-busy');
  }
};

/** Options of the calls that fetch the pages, from the first page to the current one. */
let shown = [];
let nextOptions;
let loading = new AbortController();

/** Adds a row. `textContent` shows HTML in a name as text, and writes every digit of a bigint. */
const addRow = (pet) => {
  const row = table.tBodies[0].insertRow();
  for (const value of [pet.id, pet.name, pet.categoryId, pet.status ?? ''])
    row.insertCell().textContent = value;
};

/** Fetches the page of the last options, and shows it. Cancels an earlier call that is still running. */
const showPage = async (pages) => {
  loading.abort();
  loading = new AbortController();
  const page = await animals.page({ ...pages.at(-1), signal: loading.signal });
  shown = pages;
  nextOptions = page.next;
  table.tBodies[0].replaceChildren();
  page.pets.forEach(addRow);
  previous.disabled = shown.length === 1;
  next.disabled = nextOptions === undefined;
  status.textContent = page.pets.length === 0 ? 'There are no animals to show.' : `Page ${shown.length}`;
  enter.hidden = true;
  catalogue.hidden = false;
};

const showFirstPage = () => showPage([{ pageSize: 10, ...valuesOf(filterForm) }]);

const create = createOnce(animals);

const add = async () => {
  const { pet } = await create(valuesOf(addForm));
  addForm.reset();
  filterForm.reset();
  filterForm.elements.order.value = 'desc';
  // The list reports its own failure: the animal is stored.
  await attempt(filterForm, showFirstPage);
  status.textContent = `Added ${pet.name} with the id ${pet.id}.`;
};

const onSubmit = (form, calls) => {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (form.getAttribute('aria-busy') !== 'true') void attempt(form, calls);
  });
};

onSubmit(keyForm, async () => {
  sessionStorage.setItem(keyName, valuesOf(keyForm).apiKey ?? '');
  await showFirstPage();
  keyForm.reset();
});
onSubmit(addForm, add);
onSubmit(filterForm, showFirstPage);
filterForm.addEventListener('change', () => void attempt(filterForm, showFirstPage));
previous.addEventListener('click', () => void attempt(filterForm, () => showPage(shown.slice(0, -1))));
next.addEventListener('click', () => void attempt(filterForm, () => showPage([...shown, nextOptions])));
find('#leave').addEventListener('click', leave);

/** Adds a button that copies an example. Without TLS, browsers allow access to the clipboard only on localhost. */
const addCopyButton = (example) => {
  const button = document.createElement('button');
  button.type = 'reset';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(example.textContent);
    button.textContent = 'Copied';
  });
  example.after(button);
};
if (navigator.clipboard !== undefined) document.querySelectorAll('pre').forEach(addCopyButton);

enter.hidden = false;
if (sessionStorage.getItem(keyName) !== null) void attempt(keyForm, showFirstPage);
