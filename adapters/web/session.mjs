/* global addEventListener, history, location, sessionStorage */

/** Address of the service, without a user name and password, which `fetch` and the client refuse. */
export const baseUrl = new URL('.', location.href);
baseUrl.username = '';
baseUrl.password = '';

// Name of the API key in the session storage, which the browser deletes with the tab.
const name = 'animal-store-api-key';

/**
 * Calls `use` with the session storage, and returns its result. Returns undefined if the browser blocks the storage.
 */
const useStorage = (use) => {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
};

let keyInMemory = '';

/** Returns the API key of the tab, or an empty text. */
export const readKey = () => useStorage((storage) => storage.getItem(name)) ?? keyInMemory;

export const keepKey = (text) => {
  const key = text.trim();
  keyInMemory = key;
  useStorage((storage) => storage.setItem(name, key));
};

export const removeKey = () => {
  keyInMemory = '';
  useStorage((storage) => storage.removeItem(name));
};

/** Moves the key of a link that signs in, `#key=…`, from the address to the session. Returns true if there was one. */
const takeKeyOfLink = () => {
  const key = /^#key=(.+)$/.exec(location.hash)?.[1];
  if (key === undefined) return false;
  history.replaceState(null, '', location.pathname + location.search);
  // Leaves a malformed escape as it is, because the service then rejects the key.
  keepKey(key.replaceAll(/%[0-9a-f]{2}/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16))));
  return true;
};

takeKeyOfLink();
addEventListener('hashchange', () => {
  if (takeKeyOfLink()) location.reload();
});
// Reloads a page that the browser has kept for "Back", because it may show the animals of a removed key.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
