import { benchReport } from './bench-report.js';
import { crowdReport } from '../crowd/crowd-report.js';
import { memoryReport } from './memory-report.js';
import { readyReport } from './ready-report.js';
import { scaleReport } from './scale-report.js';
import { transferReport } from './transfer-report.js';

const script = (name) => `npm --prefix test/bench run ${name}`;

const conditions = ({ date, machine, packages }) =>
  `${date}, ${machine.cores} cores (${machine.processor}), ${machine.memoryGigabytes} GB, ${machine.system}, Node ${machine.node}; ${Object.entries(
    packages,
  )
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}.`;

const parts = {
  bench: { title: 'Beside what a user would pick instead', command: 'npm run bench', report: benchReport },
  crowd: { title: 'A crowd that waits for its answers', command: script('crowd'), report: crowdReport },
  scale: { title: 'How cost grows with rows', command: script('scale'), report: scaleReport },
  ready: { title: 'From start to ready', command: script('ready'), report: readyReport },
  memory: { title: 'Memory', command: script('memory'), report: memoryReport },
  transfer: { title: 'Import and export', command: script('transfer'), report: transferReport },
};

/** All results as one Markdown page. */
export const renderResults = (all) => {
  const sections = Object.entries(parts)
    .filter(([part]) => all[part] !== undefined)
    .map(([part, { title, command, report }]) =>
      [`## ${title}`, conditions(all[part]), `Repeat it: \`${command}\`.`, report(all[part])].join('\n\n'),
    );
  return `${['# Results of the benchmark', ...sections].join('\n\n')}\n`;
};
