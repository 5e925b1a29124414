import { invalidQuery } from './errors.js';
import { parseInt64 } from './int64.js';

const limits = /^0*(?:[1-9][0-9]?|100)$/;
const statuses = new Set([undefined, 'available', 'pending', 'sold']);

/** Checks by hand the parameters of listPets, given as an object of texts. Ids start at 1: `after` is 0 by default. */
export const checkListQuery = ({ limit = '20', after = '0', status }) => {
  const id = parseInt64(after);
  if (!limits.test(limit) || id === undefined || !statuses.has(status)) throw invalidQuery;
  return { limit: Number(limit), after: id, status };
};

/** The Link to the page that follows the animal `last` (RFC 8288). */
export const linkToNext = ({ limit, status }, last) =>
  `</v1/pets?limit=${limit}${status === undefined ? '' : `&status=${status}`}&after=${last}>; rel="next"`;
