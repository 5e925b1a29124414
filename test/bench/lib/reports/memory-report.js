import { memoryBars } from './bars.js';
import { table } from './table.js';
import { verdict } from './verdict.js';

/** Growth from the first to the last fifth of the time that still counts as flat. */
const flat = 1.1;

/** Memory of this service, as Markdown. */
export const memoryReport = ({ minutes, rest, load }) => {
  const growth = load.lastFifth / load.firstFifth;
  const rows = [
    ['at rest', `${rest} MB`, `<= ${memoryBars.rest} MB`, verdict(rest <= memoryBars.rest)],
    [
      'most under 64 connections',
      `${load.most} MB`,
      `<= ${memoryBars.most} MB`,
      verdict(load.most <= memoryBars.most),
    ],
    [
      `last fifth of ${minutes} minutes to the first (${load.lastFifth} MB to ${load.firstFifth} MB)`,
      growth.toFixed(2),
      `<= ${flat}`,
      verdict(growth <= flat),
    ],
  ];
  return table(['resident memory', 'measured', 'asked', ''], rows);
};
