// Makes `npm pack` fail, because it would pack the checkout. This code is in a file, because npm prints the text of a
// script in package.json before it runs the script.
import process from 'node:process';

if (process.env.npm_command === 'pack') {
  process.stderr.write('use npm run pack instead of npm pack\n');
  process.exit(1);
}
