// `npm run sandbox`: the sandbox networks alone, for a node started later or for a client of one's own.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runSandboxProgram } from '../../engine/index.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { defaultFolder, makeFolder } from '../folder.ts';

const { values } = parseArgs({
  options: { 'data-dir': { type: 'string' }, port: { type: 'string', default: '0' }, 'bitcoin-rpc': { type: 'string' }, 'parent-pipe': { type: 'boolean', default: false } },
});
const dataDir = resolve(values['data-dir'] ?? defaultFolder('sandbox', process.platform, process.env));
const made = makeFolder(dataDir);
const bitcoinRpc = values['bitcoin-rpc'];
if (isRefusal(made)) process.stderr.write(`${made.sentence}\n`);
else if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) process.stderr.write(`--port takes a number from 0 to 65535, not "${values.port}".\n`);
else process.exit(await runSandboxProgram({ dataDir, port: Number(values.port), parentPipe: values['parent-pipe'], ...(bitcoinRpc === undefined ? {} : { bitcoinRpc }) }));
process.exit(1);
