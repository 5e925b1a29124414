/* global AbortController, addEventListener, clearTimeout, document, setTimeout */

// Script of the catalogue, and an example of the client. Other projects import the client as `animal-store/client`.
import { activateForm, clearForm, openForm } from './add-drawer.mjs';
import {
  filterForm,
  goToFilters,
  goToPage,
  hasFilters,
  listAddress,
  readFilterForm,
  readFilters,
  readPlace,
  resetFilters,
} from './address.mjs';
import { animalStoreClient } from './client.mjs';
import { copyText } from './copy.mjs';
import { find, newButton, show } from './elements.mjs';
import { showExamples } from './examples.mjs';
import { keyErrorOf, onSubmit, showFieldErrors, valuesOf } from './forms.mjs';
import { showCode } from './highlight.mjs';
import {
  firstPage,
  nextPage,
  pageSize,
  previousPage,
  showFailure,
  showInvalid,
  showNothing,
  showPage,
} from './list.mjs';
import { openPetOfAddress } from './pet-drawer.mjs';
import { baseUrl, keepKey, readKey, removeKey } from './session.mjs';
import { markRow } from './table.mjs';

const [table, count, keyForm] = ['table', '#count', '#enter'].map(find);

const animals = animalStoreClient({ baseUrl, apiKey: readKey });

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
  for (const drawer of document.querySelectorAll('dialog')) drawer.close();
  clearForm();
  showNothing();
  table.tBodies[0].replaceChildren();
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

/** Signs out and returns true if the error is about the API key. */
const handleKeyError = (error) => {
  const text = keyErrorOf(error);
  if (text !== undefined) signOut([{ name: 'apiKey', text }]);
  return text !== undefined;
};

const updateListExamples = showExamples(find('#list-examples'));

let loading = new AbortController();

/** Address of the list that was loaded last. */
let loaded;

const retryMs = 5_000;
let retryTimer;

const loadingTextAfterMs = 300;

/**
 * Fetches and shows the page of the address. Cancels an earlier call that is still running. Returns true if the page
 * was loaded.
 */
const load = async () => {
  loaded = listAddress();
  const { after } = readPlace();
  const place = { ...valuesOf(filterForm), ...(after !== '' && { after }) };
  const query = { ...place, limit: String(pageSize) };
  updateListExamples({ operation: 'listPets', method: 'GET', path: 'pets', query });
  show('#clear-filters', hasFilters());
  loading.abort();
  clearTimeout(retryTimer);
  loading = new AbortController();
  const signal = AbortSignal.any([loading.signal, visit.signal]);
  table.setAttribute('aria-busy', 'true');
  const showLoading = () => (count.textContent = 'Loading…');
  if (count.textContent === '') showLoading();
  const loadingTimer = setTimeout(showLoading, loadingTextAfterMs);
  const onRetry = () => {
    clearTimeout(loadingTimer);
    count.textContent = 'Retrying…';
  };
  const outcome = await animals.page({ ...place, pageSize, signal, onRetry }).catch((error) => error);
  clearTimeout(loadingTimer);
  if (signal.aborted) return false;
  table.removeAttribute('aria-busy');
  const isError = outcome instanceof Error;
  if (isError && handleKeyError(outcome)) return false;
  showCatalogue();
  if (!isError) showPage(outcome, actions);
  else if (!showInvalid(outcome, actions)) {
    showFailure(outcome);
    retryTimer = setTimeout(() => void load(), retryMs);
  }
  return !isError;
};

const turnTo = async (place) => {
  goToPage(place);
  await load();
  find('#title').scrollIntoView({ block: 'nearest' });
};

/** Loads the first page with the filters of the form, and keeps them in the address. */
const applyFilters = () => {
  goToFilters();
  return load();
};

/** Functions of the button next to the reason why the page is empty. */
const actions = {
  goToFirst: () => {
    find('#title').focus();
    return turnTo(firstPage);
  },
  clearFilters: () => {
    resetFilters();
    find('#title').focus();
    return applyFilters();
  },
};

/**
 * Shows the list with a new animal. Removes filters that hide it, and lists the newest animals first if it is not on
 * the first page. Returns a text about what it has changed.
 */
const showAdded = async (pet) => {
  const { filters, order } = readFilterForm();
  const isHidden = Object.entries(filters).some(([name, text]) => text !== String(pet[name]));
  if (isHidden) resetFilters();
  const isLoaded = await applyFilters();
  const cleared = isHidden ? ' The filters were cleared to show it.' : '';
  if (!isLoaded || markRow(table, pet) || order === 'desc') return cleared;
  filterForm.elements.order.value = 'desc';
  await applyFilters();
  markRow(table, pet);
  return `${cleared} The list now begins with the newest animals.`;
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
  return load();
});
activateForm(animals, { visitSignal: () => visit.signal, showAdded, handleKeyError });
// Does nothing on `submit`, because a changed field sends `change` first, which applies the filters.
filterForm.addEventListener('submit', (event) => event.preventDefault());
filterForm.addEventListener('change', () => void applyFilters());
onClick('#sign-out', () => signOut());
onClick('#previous', () => turnTo(previousPage()));
onClick('#next', () => turnTo(nextPage()));
onClick('#try-again', () => load().then((isLoaded) => isLoaded && find('#title').focus()));
onClick('#clear-filters', actions.clearFilters);
onClick('#open-form', openForm);
onClick('#copy-list', () => {
  const isShown = find('#list-examples').hidden;
  show('#list-examples', isShown);
  find('#copy-list').setAttribute('aria-expanded', String(isShown));
});
for (const drawer of document.querySelectorAll('dialog'))
  drawer.addEventListener('click', ({ target }) => {
    // Closes the drawer at a click outside of it, too. Such a click has the dialog itself as its target.
    if (target === drawer || target.hasAttribute('data-closes')) drawer.close();
  });
addEventListener('popstate', () => {
  if (readKey() === '') return;
  readFilters();
  if (listAddress() !== loaded) void load();
  void openPetOfAddress(animals, visit.signal);
});
for (const example of document.querySelectorAll('#welcome pre')) {
  const button = newButton('', 'Copy', () => void copyText(button, example.textContent));
  example.after(button);
  showCode(example.firstElementChild, example.textContent);
}

readFilters();
showSections(readKey() !== '');
if (readKey() !== '') void load();
