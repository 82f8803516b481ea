// The process side of the sandbox alone: an endpoints file, a port that answers, an end with the pipe. No networks.
import { mkdirSync, writeFileSync, appendFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const folder = process.argv[process.argv.indexOf('--data-dir') + 1] ?? '';
const home = join(folder, 'sandbox');
mkdirSync(home, { recursive: true });
appendFileSync(join(home, 'starts'), `${process.pid}\n`);
const server = createServer((socket) => socket.end());
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  writeFileSync(
    join(home, 'endpoints.json'),
    JSON.stringify({ pid: process.pid, control: `http://127.0.0.1:${port}` }),
  );
});
if (process.argv.includes('--parent-pipe')) process.stdin.on('end', () => process.exit(0)).resume();
process.on('SIGTERM', () => process.exit(0));
