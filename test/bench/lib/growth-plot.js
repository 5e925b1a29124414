import { gridLine, image, label, rectangle } from './svg.js';

const [width, height, top, bottom, left] = [760, 260, 52, 34, 60];
const panelWidth = width / 2;
const colours = ['#1f5fbf', '#d9822b', '#2f8f4e', '#8a4fbf', '#b0303a', '#5b6770', '#c2a000', '#00889a'];

/** Returns a panel of lines, a line for each series. Both axes are logarithmic, so a flat line means no growth. */
const panel = (place, title, sizes, series) => {
  const values = series.flatMap((each) => each.values);
  const [lowest, highest] = [
    Math.floor(Math.log10(Math.min(...values))),
    Math.ceil(Math.log10(Math.max(...values))),
  ];
  const start = place * panelWidth + left;
  const wide = panelWidth - left - 124;
  const x = (index) => start + (sizes.length === 1 ? 0 : (index / (sizes.length - 1)) * wide);
  const y = (value) =>
    height - bottom - ((Math.log10(value) - lowest) / (highest - lowest)) * (height - top - bottom);
  const grid = Array.from({ length: highest - lowest + 1 }, (_, index) => 10 ** (lowest + index)).flatMap(
    (value) => [
      gridLine(start, y(value), wide),
      label(start - 6, y(value) + 4, value.toLocaleString('en'), ' text-anchor="end"'),
    ],
  );
  const lines = series.flatMap(({ name, values }, index) => {
    const colour = colours[index % colours.length];
    const points = values.map((value, point) => `${x(point).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
    const key = top + 8 + index * 18;
    return [
      `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      rectangle(start + wide + 10, key, [10, 10], colour),
      label(start + wide + 24, key + 9, name),
    ];
  });
  const ticks = sizes.map((size, index) =>
    label(x(index), height - 12, size.toLocaleString('en', { notation: 'compact' }), ' text-anchor="middle"'),
  );
  return [label(start - left + 12, 37, title), ...grid, ...lines, ...ticks];
};

/** Returns an SVG image of the operations and the commands at several sizes of a store. */
export const growthPlot = (title, sizes, operations, commands) =>
  image([width, height], title, [
    ...panel(0, 'requests per second', sizes, operations),
    ...panel(1, 'seconds of a command per million animals', sizes, commands),
  ]);
