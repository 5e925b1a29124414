import { openForm } from './add-drawer.mjs';
import { filterForm, hasFilters, listAddress, readFilterForm, readPlace } from './address.mjs';
import { find, show } from './elements.mjs';
import { messageOf, showFieldErrors } from './forms.mjs';
import { openPet } from './pet-drawer.mjs';
import { showRows } from './table.mjs';

const [table, count] = [find('#catalogue table'), find('#count')];

export const pageSize = 25;

export const firstPage = { after: '', earlier: [] };

/** Page that the table shows: its place, address and count, and the options of the call that fetches the next. */
let shown = { ...firstPage, address: '', count: '', next: undefined };

/**
 * Returns the place of the previous page. If the earlier pages are unknown, as after a shared link, this is the first
 * page.
 */
export const previousPage = () => ({
  after: shown.earlier.at(-1) ?? '',
  earlier: shown.earlier.slice(0, -1),
});

export const nextPage = () => ({
  after: String(shown.next.after),
  earlier: [...shown.earlier, shown.after],
});

const countOf = ({ length }, { after, earlier, next }) => {
  if (length === 0) return '';
  const more = next === undefined ? '' : ', more follow';
  const isNumbered = after === '' ? next !== undefined : earlier[0] === '';
  const animals = `${length} ${length === 1 ? 'animal' : 'animals'}`;
  if (!isNumbered) return after === '' ? animals : `${animals} after id ${after}${more}`;
  const before = pageSize * earlier.length;
  return `${before + 1} to ${before + length}${more}`;
};

/** Shows a reason why there are no animals, some advice, and a button named `name`. */
const showEmpty = (reason, advice, name, onClick) => {
  const [title, text, button] = find('#empty').querySelectorAll('h2, p, button');
  title.textContent = reason;
  text.textContent = advice;
  Object.assign(button, { textContent: name, onclick: onClick });
  show('#empty', true);
};

const showWhyEmpty = ({ clearFilters, goToFirst }) => {
  if (shown.after !== '')
    showEmpty('No animals on this page', 'There may be some on earlier pages.', 'First page', goToFirst);
  else if (hasFilters()) {
    const advice = 'Change a filter, or clear them.';
    showEmpty('No animal matches these filters', advice, 'Clear filters', clearFilters);
  } else
    showEmpty('No animals yet', 'Add one here. The form shows how programs do it.', 'Add animal', openForm);
};

/** Shows a page. `actions` has the functions of the buttons for an empty page: `clearFilters` and `goToFirst`. */
export const showPage = ({ pets, next }, actions) => {
  const place = { ...readPlace(), next };
  shown = { ...place, address: listAddress(), count: countOf(pets, place) };
  const isFirst = shown.after === '';
  showRows(table, pets, readFilterForm(), openPet);
  showFieldErrors(filterForm);
  count.textContent = shown.count;
  table.hidden = pets.length === 0;
  show('#empty', false);
  if (pets.length === 0) showWhyEmpty(actions);
  // Hides the button and the filters in an empty store, where the box `#empty` has a button to add an animal.
  for (const selector of ['#open-form', '#filter'])
    show(selector, pets.length > 0 || hasFilters() || !isFirst);
  show('#failure', false);
  show('#paging', pets.length > 0 && (!isFirst || next !== undefined));
  find('#previous').textContent = isFirst || shown.earlier.length > 0 ? 'Previous' : 'First page';
  // Does not disable the button, because it would lose the focus.
  find('#previous').setAttribute('aria-disabled', String(isFirst));
  find('#next').setAttribute('aria-disabled', String(next === undefined));
};

export const showNothing = () => {
  count.textContent = '';
  for (const selector of ['#catalogue table', '#empty', '#failure', '#paging']) show(selector, false);
};

/** Shows why the list could not be loaded. Keeps the rows if they are of the same list. */
export const showFailure = (error) => {
  const isRefresh = !table.hidden && shown.address === listAddress();
  if (isRefresh) count.textContent = shown.count;
  else showNothing();
  show('#failure', true);
  const what = isRefresh
    ? 'The list could not be refreshed, and may be out of date.'
    : 'The animals could not be loaded.';
  const alert = find('#failure [role=alert]');
  const text = `${what} ${messageOf(error)}`;
  // Sets the text only if it has changed, because a screen reader reads it aloud each time.
  if (alert.textContent !== text) alert.textContent = text;
};

/** Shows an error of a filter or of `after` in the address. Returns false for another error. */
export const showInvalid = ({ fields }, { clearFilters, goToFirst }) => {
  const isOfFilter = showFieldErrors(filterForm, fields);
  if (!isOfFilter && !fields.some(({ name }) => name === 'after')) return false;
  showNothing();
  if (isOfFilter) {
    const advice = 'Correct the filter, or clear the filters.';
    showEmpty('No animal is shown', advice, 'Clear filters', clearFilters);
  } else {
    const advice = `“after” in the address must be a whole number, not “${readPlace().after}”.`;
    showEmpty('This page does not exist', advice, 'First page', goToFirst);
  }
  return true;
};
