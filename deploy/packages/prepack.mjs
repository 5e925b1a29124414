// Ends `npm pack`, which would pack the checkout. In a file, because npm shows the text of a script before it runs.
import process from 'node:process';

if (process.env.npm_command === 'pack') {
  process.stderr.write('use npm run pack instead of npm pack\n');
  process.exit(1);
}
