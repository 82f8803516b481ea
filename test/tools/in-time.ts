// Runs before each file of a suite with a time limit: one that comes too late is not even loaded.
import { noTime } from './no-time.ts';

if (Date.now() > Number(process.env['SUITE_UNTIL'])) throw new Error(noTime);
