/* global AbortController, addEventListener, clearTimeout, document, history, location, setTimeout */

// Script of the catalogue, and an example of the client. Other projects import the client as `animal-store/client`.
import { animalStoreClient } from './client.mjs';
import { copyText } from './copy.mjs';
import { activateForm, closeDrawers, openForm, openPet, openPetOfAddress } from './drawers.mjs';
import { newButton } from './elements.mjs';
import { showExamples } from './examples.mjs';
import { filterForm, filterText, hasFilters, readFilters, resetFilters } from './filters.mjs';
import { keyErrorOf, messageOf, onSubmit, showFieldErrors, valuesOf } from './forms.mjs';
import { showCode } from './highlight.mjs';
import { baseUrl, keepKey, readKey, removeKey } from './session.mjs';
import { markRow, showRows } from './table.mjs';

const find = (selector) => document.querySelector(selector);
const [keyForm, addForm] = [find('#enter'), find('#add')];
const [table, count] = [find('table'), find('#count')];

const pageSize = 25;

const animals = animalStoreClient({ baseUrl, apiKey: readKey });

const show = (selector, isShown) => (find(selector).hidden = !isShown);

/** Aborts the calls of the current visit when the visitor signs out, so that no answer shows animals after that. */
let visit = new AbortController();

/** True once the catalogue has shown animals, or why there are none. */
let isOpen = false;

const showSections = (isSignedIn) => {
  for (const selector of ['#catalogue', '#sign-out']) show(selector, isSignedIn);
  for (const selector of ['#welcome', '#enter']) show(selector, !isSignedIn);
};

const signOut = (invalidFields) => {
  visit.abort();
  clearTimeout(retryTimer);
  visit = new AbortController();
  removeKey();
  closeDrawers();
  table.tBodies[0].replaceChildren();
  count.textContent = '';
  isOpen = false;
  showSections(false);
  keyForm.elements.apiKey.focus();
  showFieldErrors(keyForm, invalidFields);
};

const showCatalogue = () => {
  if (isOpen) return;
  isOpen = true;
  showSections(true);
  keyForm.reset();
  find('#title').focus();
  void openPetOfAddress(animals, visit.signal);
};

/** Signs out if the error is one of the API key. Returns whether it is. */
const isOfKey = (error) => {
  const text = keyErrorOf(error);
  if (text !== undefined) signOut([{ name: 'apiKey', text }]);
  return text !== undefined;
};

const updateListExamples = showExamples(find('#list-examples'));

/** Options of the calls that fetch the pages, from the first page to the current one, and those of the next page. */
let pages = [];
let nextPage;
let loading = new AbortController();

const countText = (shown) => {
  const before = pageSize * (pages.length - 1);
  if (before === 0 && nextPage === undefined) return `${shown} ${shown === 1 ? 'animal' : 'animals'}`;
  return `${before + 1} to ${before + shown}${nextPage === undefined ? '' : ', more follow'}`;
};

/** Shows why there are no animals. Without filters, the button opens the form for a new animal. */
const showEmpty = (reason, advice) => {
  const [title, text, button] = find('#empty').querySelectorAll('h2, p, button');
  title.textContent = reason;
  text.textContent = advice;
  button.textContent = hasFilters() ? 'Clear filters' : 'Add animal';
  show('#empty', true);
};

const showPage = ({ pets, next }) => {
  nextPage = next;
  showRows(table, pets, valuesOf(filterForm), openPet);
  showFieldErrors(filterForm);
  count.textContent = pets.length === 0 ? '' : countText(pets.length);
  table.hidden = pets.length === 0;
  show('#empty', false);
  if (pets.length === 0 && hasFilters())
    showEmpty('No animal matches these filters', 'Change a filter, or clear them.');
  else if (pets.length === 0) showEmpty('No animals yet', 'Add one here. The form shows how programs do it.');
  // The box for an empty store has this button itself, and nothing can be filtered.
  for (const selector of ['#open-form', '#filter']) show(selector, pets.length > 0 || hasFilters());
  show('#failure', false);
  show('#paging', pages.length > 1 || next !== undefined);
  // A disabled button would lose the focus.
  find('#previous').setAttribute('aria-disabled', String(pages.length === 1));
  find('#next').setAttribute('aria-disabled', String(next === undefined));
};

const showNothing = () => {
  count.textContent = '';
  for (const selector of ['table', '#empty', '#failure', '#paging']) show(selector, false);
};

const retryMs = 5_000;
let retryTimer;

/** Shows an error, and soon tries again. */
const showFailure = (error) => {
  showNothing();
  show('#failure', true);
  const alert = find('#failure [role=alert]');
  const text = `The animals could not be loaded. ${messageOf(error)}`;
  // A screen reader says a text again that is set again.
  if (alert.textContent !== text) alert.textContent = text;
  retryTimer = setTimeout(() => void load(pages), retryMs);
};

/** Fetches and shows the last of these pages. Cancels an earlier call that is still running. */
const load = async (wanted) => {
  const { pageSize: limit, ...filters } = wanted.at(-1);
  const query = Object.entries({ ...filters, limit }).map(([name, value]) => [name, String(value)]);
  updateListExamples({
    operation: 'listPets',
    method: 'GET',
    path: 'pets',
    query: Object.fromEntries(query),
  });
  loading.abort();
  clearTimeout(retryTimer);
  loading = new AbortController();
  const signal = AbortSignal.any([loading.signal, visit.signal]);
  table.setAttribute('aria-busy', 'true');
  if (count.textContent === '') count.textContent = 'Loading…';
  const onRetry = () => (count.textContent = 'Retrying…');
  const outcome = await animals.page({ ...wanted.at(-1), signal, onRetry }).catch((error) => error);
  if (signal.aborted) return;
  table.removeAttribute('aria-busy');
  const isError = outcome instanceof Error;
  if (isError && isOfKey(outcome)) return;
  showCatalogue();
  if (isError && showFieldErrors(filterForm, outcome.fields)) {
    showNothing();
    showEmpty('No animal is shown', 'Correct the filter, or clear the filters.');
    return;
  }
  pages = wanted;
  if (isError) showFailure(outcome);
  else showPage(outcome);
};

const turn = async (wanted) => {
  await load(wanted);
  find('#title').scrollIntoView({ block: 'nearest' });
};

const loadFirst = () => {
  const filters = valuesOf(filterForm);
  show('#clear-filters', hasFilters());
  return load([{ pageSize, ...filters }]);
};

/** Loads the first page with the filters of the form, and keeps them in the address. */
const applyFilters = () => {
  const search = filterText();
  history.pushState(null, '', search === '' ? location.pathname : `?${search}`);
  return loadFirst();
};

const clearFilters = () => {
  resetFilters();
  find('#title').focus();
  return applyFilters();
};

/**
 * Shows the list with a new animal. Drops filters that hide it, and turns the order if it is not on the first page. Returns
 * true if it has changed either.
 */
const showAdded = async (pet) => {
  const before = filterText();
  const { status = pet.status, categoryId } = valuesOf(filterForm);
  if (status !== pet.status || categoryId !== undefined) resetFilters();
  await applyFilters();
  if (!markRow(table, pet) && !table.hidden) {
    filterForm.elements.order.value = 'desc';
    await applyFilters();
    markRow(table, pet);
  }
  return filterText() !== before;
};

const onClick = (selector, call) =>
  find(selector).addEventListener('click', ({ target }) => {
    if (target.getAttribute('aria-disabled') !== 'true') void call();
  });

onSubmit(keyForm, () => {
  const { value } = keyForm.elements.apiKey;
  showFieldErrors(keyForm, value === '' ? [{ name: 'apiKey', rule: 'required' }] : []);
  if (value === '') return undefined;
  keepKey(value);
  return loadFirst();
});
onSubmit(
  addForm,
  activateForm(animals, () => visit.signal, showAdded, isOfKey),
);
// `submit` has nothing to do: a changed field sends `change` first, which applies the filters.
filterForm.addEventListener('submit', (event) => event.preventDefault());
filterForm.addEventListener('change', () => void applyFilters());
onClick('#sign-out', () => signOut());
onClick('#previous', () => turn(pages.slice(0, -1)));
onClick('#next', () => turn([...pages, nextPage]));
onClick('#try-again', () => load(pages).then(() => find('#failure').hidden && find('#title').focus()));
onClick('#clear-filters', clearFilters);
onClick('#empty button', () => (hasFilters() ? clearFilters() : openForm()));
onClick('#open-form', openForm);
onClick('#copy-list', () => {
  const isShown = find('#list-examples').hidden;
  show('#list-examples', isShown);
  find('#copy-list').setAttribute('aria-expanded', String(isShown));
});
addEventListener('popstate', () => {
  if (readKey() === '') return;
  const before = filterText();
  readFilters();
  if (filterText() !== before) void loadFirst();
  void openPetOfAddress(animals, visit.signal);
});
for (const example of document.querySelectorAll('#welcome pre')) {
  const button = newButton('', 'Copy', () => void copyText(button, example.textContent));
  example.after(button);
  showCode(example.firstElementChild, example.textContent);
}

readFilters();
showSections(readKey() !== '');
if (readKey() !== '') void loadFirst();
