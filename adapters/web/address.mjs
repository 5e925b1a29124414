/* global FormData, history, location, URLSearchParams */

// State of the list. The URL holds the filters, the order, the `after` of the page, and the `pet` of the open drawer.
// `history.state` holds `earlier`, the `after` of each earlier page, and `isDrawer`. With `isDrawer`, the drawer was
// opened from the list, so closing it goes back in the history.
import { find } from './elements.mjs';
import { valuesOf } from './forms.mjs';

export const filterForm = find('#filter');

/** Returns the values of the filters, and the order unless it is the default. */
export const readFilterForm = () => {
  const { order, ...filters } = valuesOf(filterForm);
  return { filters, order };
};

export const hasFilters = () => Object.keys(readFilterForm().filters).length > 0;

const parameter = (name) => new URLSearchParams(location.search).get(name) ?? '';

/** Sets the form to the filters in the address. Removes a filter from the address if the form can't show it. */
export const readFilters = () => {
  filterForm.reset();
  for (const name of new FormData(filterForm).keys()) {
    const field = filterForm.elements[name];
    field.value = parameter(name);
    if (field.value === parameter(name)) continue;
    field.value = '';
    history.replaceState(history.state, '', addressWith({ [name]: '' }));
  }
};

/** Removes all filters, but not the order. */
export const resetFilters = () => {
  const { value } = filterForm.elements.order;
  filterForm.reset();
  filterForm.elements.order.value = value;
};

const addressWith = (parameters) => {
  const address = new URL(location.href);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === '') address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  return address;
};

/** Returns the address of the list, without the `pet` of an open drawer. */
export const listAddress = () => addressWith({ pet: '' }).href;

/**
 * Returns `after` of the page, which is empty for the first page, and `earlier`, the `after` of each known earlier
 * page.
 */
export const readPlace = () => {
  const [after, { earlier = [] }] = [parameter('after'), history.state ?? {}];
  return after === '' ? { after, earlier: [] } : { after, earlier };
};

const push = (address, state) => {
  if (address.href !== location.href) history.pushState(state, '', address);
};

/** Sets the address to a page of the list. Does nothing if the address is already that of this page. */
export const goToPage = ({ after, earlier }) => push(addressWith({ after }), { earlier });

/** Sets the address to the first page with the filters of the form, unless it already has this address. */
export const goToFilters = () => {
  const address = new URL(location.href);
  address.search = new URLSearchParams(valuesOf(filterForm));
  push(address, null);
};

/** Returns the id of the animal whose drawer is open, or an empty text. */
export const petInAddress = () => parameter('pet');

export const goToPet = (pet) =>
  history.pushState({ ...history.state, isDrawer: true }, '', addressWith({ pet }));

/** Removes the animal from the address. Goes back in the history if the drawer was opened from the list. */
export const leavePet = () => {
  if (petInAddress() === '') return;
  if (history.state?.isDrawer) history.back();
  else history.replaceState(history.state, '', listAddress());
};
