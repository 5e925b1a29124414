type Row = ReadonlyArray<string>;

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(width - 1, 0))}…`;

/**
 * Aligns rows under a header. Shortens the texts of the column `flexible` so that lines have at most `columns`
 * characters, but not below the length of the column's name.
 */
export const tableText = (
  header: Row,
  rows: ReadonlyArray<Row>,
  { flexible, columns = Infinity }: { readonly flexible: number; readonly columns?: number | undefined },
): string => {
  const gap = '  ';
  const widths = header.map((name, place) =>
    Math.max(name.length, ...rows.map((row) => row[place]?.length ?? 0)),
  );
  const excess = widths.reduce((sum, width) => sum + width, gap.length * (header.length - 1)) - columns;
  const widthOf = (place: number): number => {
    const width = widths[place] ?? 0;
    return place === flexible && excess > 0 ? Math.max(width - excess, header[place]?.length ?? 0) : width;
  };
  const toLine = (row: Row): string =>
    row
      .map((text, place) => cut(text, widthOf(place)).padEnd(widthOf(place)))
      .join(gap)
      .trimEnd();
  return [header, ...rows].map(toLine).join('\n');
};
