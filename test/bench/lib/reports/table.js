/** A Markdown table; the first column stands left, the others right. */
export const table = (head, rows) => {
  const widths = head.map((title, column) =>
    Math.max(3, ...[title, ...rows.map((row) => row[column])].map((cell) => String(cell).length)),
  );
  const line = (cells) =>
    `| ${cells.map((cell, column) => (column === 0 ? String(cell).padEnd(widths[0]) : String(cell).padStart(widths[column]))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? `${'-'.repeat(width + 2)}` : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
};

/** How a bar came out. */
export const verdict = (met) => (met ? 'met' : 'MISSED');
