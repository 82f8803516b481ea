import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface Anvil {
  readonly url: string;
  stop(): Promise<void>;
}

/** The names that anvil's packages have for what Node calls otherwise. */
const processors: Readonly<Record<string, string>> = { x64: 'amd64' };

/** The program itself rather than its wrapper: what is started is what is ended. */
function program(): string {
  const { platform, arch } = process;
  const name = `@foundry-rs/anvil-${platform}-${processors[arch] ?? arch}/package.json`;
  const folder = dirname(createRequire(import.meta.url).resolve(name));
  return join(folder, 'bin', platform === 'win32' ? 'anvil.exe' : 'anvil');
}

const flags = ['--host', '127.0.0.1', '--port', '0', '--hardfork', 'cancun'];

/** A chain of its own that mines each transaction at once, on a free port of this machine. Gas costs `gasPrice` wei at least. */
export function startAnvil(chainId: number, gasPrice: number): Promise<Anvil> {
  const gas = ['--base-fee', `${gasPrice}`, '--gas-price', `${gasPrice}`];
  const child = spawn(program(), [...flags, ...gas, '--chain-id', `${chainId}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // A test that fails before it can stop its chain leaves none behind.
  const end = (): boolean => child.kill('SIGKILL');
  process.once('exit', end);
  const over = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  async function stop(): Promise<void> {
    process.off('exit', end);
    end();
    await over;
  }
  return new Promise((resolve, reject) => {
    let told = '';
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`anvil ended with ${code} before it listened: ${told}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      if (told.length < 10_000) told += chunk.toString();
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(told)?.[1];
      if (port !== undefined) resolve({ url: `http://127.0.0.1:${port}`, stop });
    });
  });
}
