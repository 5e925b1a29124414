/* global document, location, URLSearchParams */
import { valuesOf } from './forms.mjs';

export const filterForm = document.querySelector('#filter');

/** Returns the filters and the order as the query of an address. */
export const filterText = () => new URLSearchParams(valuesOf(filterForm)).toString();

export const hasFilters = () => 'status' in valuesOf(filterForm) || 'categoryId' in valuesOf(filterForm);

/** Sets the form to the filters in the address of the page. */
export const readFilters = () => {
  const search = new URLSearchParams(location.search);
  filterForm.reset();
  for (const name of ['status', 'categoryId', 'order']) {
    const field = filterForm.elements[name];
    field.value = search.get(name) ?? '';
    // A value that the field does not have would select nothing.
    if (field.value !== (search.get(name) ?? '')) field.value = '';
  }
};

/** Removes all filters, but not the order. */
export const resetFilters = () => {
  const { value } = filterForm.elements.order;
  filterForm.reset();
  filterForm.elements.order.value = value;
};
