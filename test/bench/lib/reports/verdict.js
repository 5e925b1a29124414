/** How a bar came out. */
export const verdict = (met) => (met ? 'met' : 'MISSED');
