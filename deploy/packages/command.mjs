#!/usr/bin/env node
// Command `animal-store` of a checkout, which may not be built yet. The packages have dist/app/main.js instead.
import { existsSync } from 'node:fs';
import process from 'node:process';

const main = new URL('../../dist/app/main.js', import.meta.url);
if (existsSync(main)) await import(main);
else {
  process.stderr.write('error: not built yet; run `npm run build`\n');
  process.exit(1);
}
