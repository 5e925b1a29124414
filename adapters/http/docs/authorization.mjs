/* global sessionStorage */
const storageKey = 'animal-store-api-key';

/** Swagger UI plugin that stores the API key until the tab closes, so that it survives a reload. */
export const keptAuthorization = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (payload) => {
          const key = payload.bearerAuth?.value;
          if (typeof key === 'string') sessionStorage.setItem(storageKey, key);
          return authorize(payload);
        },
        logout: (logout) => (names) => {
          sessionStorage.removeItem(storageKey);
          return logout(names);
        },
      },
    },
  },
});

/** Restores the API key that was entered before the reload. */
export const restoreAuthorization = (ui) => {
  const key = sessionStorage.getItem(storageKey);
  if (key !== null) ui.preauthorizeApiKey('bearerAuth', key);
};
