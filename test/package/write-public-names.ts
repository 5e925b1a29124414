import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicNames, publicNamesTable } from './public-names';

const introduction = `# Public names

What the entries of the package export, each with the first sentence of its docstring. \`npm run public-names\` writes
this page; a test compares it with the source.
`;

writeFileSync(join(__dirname, 'PUBLIC-NAMES.md'), `${introduction}\n${publicNamesTable(publicNames())}`);
