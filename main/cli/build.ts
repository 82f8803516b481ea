import { join } from 'node:path';
import { build } from '../build.ts';
import { answerHelp } from '../help.ts';

answerHelp('npm run build -- [--quiet]', 'Builds the program and its page into out/, from which npm start then goes.', {
  '--quiet': 'print errors only',
});

const level = process.argv.includes('--quiet') ? 'warn' : 'info';
process.exitCode = (await build(join(import.meta.dirname, '..', '..'), level)) ? 0 : 1;
