/* global location */
import { goToPet, leavePet, petInAddress } from './address.mjs';
import { copyText, newCopyButton } from './copy.mjs';
import { find, newElement } from './elements.mjs';
import { showExamples } from './examples.mjs';
import { messageOf } from './forms.mjs';
import { showName, statusBadge } from './table.mjs';

const drawer = find('#pet');
const showCall = showExamples(find('#pet-examples'));

const smallestId = -(2n ** 63n);

const listOfOne = (id) => ({ ...(id > smallestId && { after: String(id - 1n) }), limit: '1' });

/**
 * Returns the contents of the drawer, by the labels of the fields. A field that is not listed here has its name as its
 * label.
 */
const contentsOf = ({ id, name, categoryId, status, ...others }) => ({
  Id: [newElement('span.mono', id), newCopyButton('id', String(id))],
  Category: [newElement('span.mono', categoryId), newCopyButton('category', String(categoryId))],
  Status: [statusBadge(status)],
  ...others,
  // Puts the name last, because it may be long.
  Name: [showName(newElement('span'), name), newCopyButton('name', name)],
});

/**
 * Opens the drawer with all fields of an animal, and adds the animal to the page's address, so that a link opens the
 * drawer again.
 */
export const openPet = (pet) => {
  if (petInAddress() === '') goToPet(pet.id);
  drawer.classList.remove('missing');
  showName(find('#pet-name'), pet.name);
  const fields = Object.entries(contentsOf(pet)).flatMap(([label, content]) => [
    newElement('dt', label),
    newElement('dd', ...[content].flat()),
  ]);
  drawer.querySelector('dl').replaceChildren(...fields);
  showCall({ operation: 'listPets', method: 'GET', path: 'pets', query: listOfOne(pet.id) });
  if (!drawer.open) drawer.showModal();
  find('#pet-name').focus();
};

/** Opens the drawer of the animal in the page's address, or closes it if the address has no animal. */
export const openPetOfAddress = async (animals, signal) => {
  const id = petInAddress();
  if (id === '') {
    drawer.close();
    return;
  }
  const found = await animals.get(id, { signal }).catch((error) => error);
  if (signal.aborted) return;
  if (!(found instanceof Error)) {
    openPet(found);
    return;
  }
  const isMissing = ['pet_not_found', 'invalid_argument'].includes(found.code);
  find('#pet-name').textContent = isMissing ? `No animal has the id ${id}.` : messageOf(found);
  drawer.querySelector('dl').replaceChildren();
  drawer.classList.add('missing');
  if (!drawer.open) drawer.showModal();
};

const copyLink = find('#copy-link');
copyLink.addEventListener('click', () => void copyText(copyLink, location.href));
drawer.addEventListener('close', leavePet);
