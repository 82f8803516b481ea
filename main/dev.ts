// `npm run dev`: the page reloads as it is edited, against a headless node of its own that it reaches through Vite.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createServer, mergeConfig } from 'vite';
import { page } from '../electron.vite.config.ts';
import { places } from './places.ts';
import { answerHelp } from './help.ts';

answerHelp(
  'npm run dev -- [--data-dir DIR] [--passphrase-file FILE]',
  'Serves the page as it is edited, against a sandbox node of its own.',
  {
    '--data-dir DIR': 'where the node keeps its data',
    '--passphrase-file FILE': 'what opens the seed, where the folder has one that is sealed with it',
  },
);

const { root } = places();
const node = spawn(
  process.execPath,
  [join(root, 'main', 'headless.ts'), '--port', '0', '--mine', ...process.argv.slice(2)],
  { stdio: ['inherit', 'pipe', 'inherit'] },
);
void once(node, 'exit').then(([code]) => process.exit((code as number | null) ?? 0));
const [line] = (await once(createInterface({ input: node.stdout }), 'line')) as [string];
const { url, dataDir } = JSON.parse(line) as { url: string; dataDir: string };

/** The node believes only its own origin, so that is what it is told. */
const proxy = { target: url, changeOrigin: true, ws: true, headers: { origin: url, 'sec-fetch-site': 'same-origin' } };
const server = await createServer(
  mergeConfig(page, {
    configFile: false,
    server: { host: '127.0.0.1', proxy: Object.fromEntries(['/owner', '/sandbox'].map((path) => [path, proxy])) },
  }),
);
await server.listen();
server.printUrls();
console.log(`  The owner token is in ${join(dataDir, 'owner.token')}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    node.kill('SIGTERM');
    void server.close();
  });
