import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicNames, publicNamesPage } from './public-names';

writeFileSync(join(__dirname, 'PUBLIC-NAMES.md'), publicNamesPage(publicNames()));
