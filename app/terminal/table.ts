import { toPrintableJson } from './text';

type Row = ReadonlyArray<string>;

const gap = '  ';

/**
 * Returns a table as text. Separates cells by tabs if `columns` is Infinity. Otherwise aligns the cells, and shortens
 * the column `flexible` to fit into `columns`, but not below the length of its name.
 */
export const tableText = async (
  header: Row,
  rows: ReadonlyArray<Row>,
  { flexible, columns }: { readonly flexible: number; readonly columns: number },
): Promise<string> => {
  if (columns === Infinity) return [header, ...rows].map((row) => row.join('\t')).join('\n');
  // Imports the package dynamically, because it is an ES module, which CommonJS can't require on Node 22.0 to 22.11.
  const { default: widthOf } = await import('string-width');
  const widths = header.map((name, index) =>
    Math.max(...[name, ...rows.map((row) => row[index] ?? '')].map((text) => widthOf(text))),
  );
  const excess = widths.reduce((sum, width) => sum + width, gap.length * (header.length - 1)) - columns;
  const widthAt = (index: number): number => {
    const width = widths[index] ?? 0;
    return index === flexible && excess > 0 ? Math.max(width - excess, header[index]?.length ?? 0) : width;
  };
  const toCell = (text: string, index: number): string => {
    const shown = cut(text, widthAt(index), widthOf);
    return shown + ' '.repeat(widthAt(index) - widthOf(shown));
  };
  return [header, ...rows].map((row) => row.map(toCell).join(gap).trimEnd()).join('\n');
};

/**
 * Cuts a text to a width in terminal columns. Cuts between grapheme clusters, so that no visible character is divided.
 */
const cut = (text: string, width: number, widthOf: (text: string) => number): string => {
  if (widthOf(text) <= width) return text;
  const end = text.startsWith('"') ? '…"' : '…';
  let start = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(start + segment) > width - end.length) break;
    start += segment;
  }
  return start + end;
};

/** Quotes a text that could imitate columns, or that has a character that a terminal does not show. */
export const cellText = (text: string): string => {
  const printable = toPrintableJson(text);
  return printable === `"${text}"` && /^\S+(?: \S+)*$/.test(text) ? text : printable;
};
