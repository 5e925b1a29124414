import { verdict } from './verdict.js';

const bar = 500;

/** The time to be ready, as Markdown. */
export const readyReport = ({ animals, starts, median, most }) =>
  `From \`node\` to the first 200 of /readyz on a file of ${animals.toLocaleString('en')} animals, ${starts} starts: median ${median} ms, longest ${most} ms; asked: under ${bar} ms: ${verdict(median < bar)}.`;
