import { benchReport } from './bench-report.js';

const conditions = ({ date, machine, packages }) =>
  `${date}, ${machine.cores} cores (${machine.processor}), ${machine.memoryGigabytes} GB, ${machine.system}, Node ${machine.node}; ${Object.entries(
    packages,
  )
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}.`;

const parts = {
  bench: { title: 'Beside what a user would pick instead', command: 'npm run bench', report: benchReport },
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
