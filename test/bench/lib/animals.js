const names = [
  'Bella',
  'Rex',
  'Luna',
  'Max',
  'Nala',
  'Oscar',
  'Molly',
  'Charlie',
  'Daisy',
  'Rocky',
  'Zoë',
  'Felix',
];
const titles = ['', '', ' the Brave', ' of the North', ' junior', ' II', ' from Müller’s farm', ' Whiskers'];
const statuses = ['available', 'pending', 'sold', null];

/** Past 2^53: a double can't hold it. */
const largeCategory = 9_007_199_254_740_993n;

/** A number from 0 up to 2^32 that looks random and is always the same for the same seed (lowbias32). */
const mix = (seed) => {
  let hash = seed >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/** The animal number `index`, the same on every machine. `categoryId` is decimal text; a tenth of them are large. */
export const animal = (index) => {
  const chance = mix(index);
  return {
    name: names[chance % names.length] + titles[(chance >>> 4) % titles.length],
    categoryId: String(chance % 10 === 0 ? largeCategory + BigInt(index) : 1 + ((chance >>> 8) % 500)),
    status: statuses[(chance >>> 16) % statuses.length],
  };
};

/** The JSON text of a NewPet, every digit of its category kept. */
export const newPetText = ({ name, categoryId, status }) =>
  `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${status === null ? '' : `,"status":"${status}"`}}`;
