import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicNames, publicNamesList } from './public-names';

const introduction = `# Public names

Exports of each entry of the package. Their docstrings are in the types. \`npm run format\` writes this page.
`;

writeFileSync(join(__dirname, 'PUBLIC-NAMES.md'), `${introduction}\n${publicNamesList(publicNames())}`);
