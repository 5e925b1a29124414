// Shows the animals in pages. `window.settings` has the address of the service and an API key.
import { animalStoreClient } from 'animal-store/client';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

const animals = animalStoreClient(window.settings);

const Pets = () => {
  const [places, setPlaces] = useState([{ pageSize: 10 }]);
  const [{ pets, next, error }, setPage] = useState({ pets: [] });
  useEffect(() => {
    const leaving = new AbortController();
    const fail = (error) => error.code === 'aborted' || setPage({ pets: [], error });
    animals.page({ ...places.at(-1), signal: leaving.signal }).then(setPage, fail);
    return () => leaving.abort();
  }, [places]);
  const items = pets.map(({ id, name }) => <li key={id}>{`${id}: ${name}`}</li>);
  const back = () => setPlaces(places.slice(0, -1));
  const forward = () => setPlaces([...places, next]);
  return (
    <main>
      <ul>{items}</ul>
      <p role="alert">{error?.message}</p>
      <button disabled={places.length === 1} onClick={back} children="Previous page" />
      <button disabled={!next} onClick={forward} children="Next page" />
    </main>
  );
};
createRoot(document.getElementById('pets')).render(<Pets />);
