import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../support/command';
import { publicNames, publicNamesTable } from './public-names';

// Writes the tables of ARCHITECTURE.md anew: what stands between the section's first `###` and the next `##`.
const path = join(projectFolder, 'ARCHITECTURE.md');
const tables = /(?<=\n## Public names\n.*?)(?:### .*?)?(?=\n## |$)/s;
const text = readFileSync(path, 'utf8');
writeFileSync(
  path,
  text.replace(tables, () => publicNamesTable(publicNames())),
);
