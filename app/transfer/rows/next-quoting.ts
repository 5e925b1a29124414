/** Where a byte of CSV stands: at the start of a field, in one, in a quoted one, or behind a closing quote. */
export type Quoting = 'start' | 'plain' | 'quoted' | 'closed';

const comma = 0x2c;
const quote = 0x22;

/** Moves past one byte (RFC 4180). A quote opens at the start of a field only; a doubled one stays inside. */
export const nextQuoting = (quoting: Quoting, byte: number): Quoting => {
  if (quoting === 'quoted') return byte === quote ? 'closed' : 'quoted';
  if (byte === comma) return 'start';
  return byte === quote && quoting !== 'plain' ? 'quoted' : 'plain';
};
