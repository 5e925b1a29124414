export const label = (x, y, text, more = '') =>
  `<text x="${Math.round(x)}" y="${Math.round(y)}"${more}>${text}</text>`;

export const rectangle = (x, y, [wide, high], colour) =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${wide.toFixed(1)}" height="${high.toFixed(1)}" fill="${colour}"/>`;

/** Returns an SVG image with a white background and a title above its elements. */
export const image = ([width, height], title, elements) =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="#24292f">`,
    rectangle(0, 0, [width, height], '#fff'),
    label(12, 15, title, ' font-weight="bold"'),
    ...elements,
    '</svg>',
    '',
  ].join('\n');
