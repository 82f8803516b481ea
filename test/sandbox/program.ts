// The sandbox as a process of its own, for tests that kill it.
import { sandboxProgram } from '../../engine/sandbox/program.ts';

const [dataDir = '', ...flags] = process.argv.slice(2);
process.exit(await sandboxProgram({ dataDir, port: 0, parentPipe: flags.includes('--parent-pipe') }));
