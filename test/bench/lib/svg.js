export const label = (x, y, text, more = '') =>
  `<text x="${Math.round(x)}" y="${Math.round(y)}"${more}>${text}</text>`;

export const rectangle = (x, y, [wide, high], colour) =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${wide.toFixed(1)}" height="${high.toFixed(1)}" fill="${colour}"/>`;

export const gridLine = (x, y, wide) => `<path class="grid" d="M${x} ${y.toFixed(1)}h${wide}"/>`;

export const verticalLine = (x, y, high) =>
  `<path class="base" stroke-width="1.5" stroke-dasharray="4 3" d="M${x.toFixed(1)} ${y}v${high}"/>`;

const style = `<style>
svg { background: #fff } text { fill: #24292f } .quiet { fill: #59636e; font-size: 13px } .grid { stroke: #d0d7de } .base { stroke: #24292f }
@media (prefers-color-scheme: dark) {
svg { background: #0d1117 } text { fill: #e6edf3 } .quiet { fill: #9198a1 } .grid { stroke: #30363d } .base { stroke: #e6edf3 }
}
</style>`;

/** Returns an SVG image with a title above its elements, in light or dark colours as the reader prefers. */
export const image = ([width, height], title, elements, fontSize = 12) =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="${fontSize}">`,
    style,
    label(12, fontSize + 3, title, ' font-weight="bold"'),
    ...elements,
    '</svg>',
    '',
  ].join('\n');
