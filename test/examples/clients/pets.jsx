// Shows the animals in pages. `window.settings` has the address of the service and an API key.
import { animalStoreClient } from 'animal-store/client';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

const animals = animalStoreClient(window.settings);

const Pets = () => {
  const [place, goTo] = useState({ pageSize: 10 });
  const [page, show] = useState({ pets: [] });
  useEffect(() => {
    const leaving = new AbortController();
    const fail = (error) => error.code === 'aborted' || show({ pets: [], error });
    animals.page({ ...place, signal: leaving.signal }).then(show, fail);
    return () => leaving.abort();
  }, [place]);
  const showNext = () => goTo(page.next);
  return (
    <main>
      <ul>
        {page.pets.map(({ id, name }) => (
          <li key={id}>{`${id}: ${name}`}</li>
        ))}
      </ul>
      <p role="alert">{page.error?.message}</p>
      <button disabled={!page.next} onClick={showNext}>
        Next page
      </button>
    </main>
  );
};
createRoot(document.getElementById('pets')).render(<Pets />);
