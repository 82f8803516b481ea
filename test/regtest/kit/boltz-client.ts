import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { buildBeside, cacheOfBuilds, compiled, findGo } from './build.ts';

const sources = join(import.meta.dirname, '..', 'boltz-client');
const goMod = readFileSync(join(sources, 'go.mod'), 'utf8');
export const boltzClientVersion = /boltz-client\/v2 v(\S+)/.exec(goMod)?.[1] ?? '';

export type BoltzProgram = { readonly program: string } | { readonly absent: string };

/** What was built before, or lies in the folder that `SLUICE_REGTEST_BIN` names. Builds nothing. */
export function findBoltzClient(): BoltzProgram {
  const program = join(process.env['SLUICE_REGTEST_BIN'] ?? folderOfBuild(), 'boltz-client');
  return existsSync(program)
    ? { program }
    : { absent: 'the wallet over boltz-client is not built: "npm run test:regtest" builds it where Go is installed' };
}

/** One folder per set of sources. */
function folderOfBuild(): string {
  const key = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) key.update(readFileSync(join(sources, file)));
  return join(cacheOfBuilds(), `boltz-client-${key.digest('hex').slice(0, 16)}`);
}

/** Builds the wallet over the published package unless it is there. */
export async function buildBoltzClient(say: (sentence: string) => void): Promise<BoltzProgram> {
  const present = findBoltzClient();
  if (!('absent' in present) || process.env['SLUICE_REGTEST_BIN'] !== undefined) return present;
  const go = await findGo();
  if (typeof go !== 'string') return go;
  const folder = folderOfBuild();
  say(`building a wallet over boltz-client ${boltzClientVersion} into ${folder} (about a minute, once)`);
  await buildBeside(folder, async (building) => {
    const program = join(building, 'boltz-client');
    await compiled('boltz-client', go, ['build', '-trimpath', '-buildvcs=false', '-mod=readonly', '-o', program, '.'], {
      cwd: sources,
      // Its package for Liquid is written in C in part.
      env: { ...process.env, CGO_ENABLED: '1', GOFLAGS: '', GOWORK: 'off' },
    });
    mkdirSync(folder, { recursive: true });
    renameSync(program, join(folder, 'boltz-client'));
  });
  return findBoltzClient();
}

const failure = z.object({ error: z.string() });

/** A wallet that has the published package judge, sign and send. */
export function openBoltzWallet(program: string, url: string) {
  const child = spawn(program, [url], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

  async function ask<T>(shape: z.ZodType<T>, wish: object): Promise<T> {
    child.stdin.write(`${JSON.stringify(wish)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the wallet ended');
    const reply: unknown = JSON.parse(value);
    const failed = failure.safeParse(reply);
    if (failed.success) throw new Error(failed.data.error);
    return shape.parse(reply);
  }

  const made = z.object({ id: z.string(), address: z.string(), sats: z.number(), timeout: z.number() });
  const sent = z.object({ txid: z.string() });
  return {
    submarine: (invoice: string, hash: string) => ask(made, { do: 'submarine', invoice, hash }),
    reverse: (sats: number) => ask(made.extend({ invoice: z.string(), hash: z.string() }), { do: 'reverse', sats }),
    status: (id: string) => ask(z.object({ status: z.string(), transaction: z.string() }), { do: 'status', id }),
    /** By the key of both, or alone by the script. */
    claim: (wish: Spend) => ask(sent, { do: 'claim', ...wish }),
    refund: (wish: Spend) => ask(sent, { do: 'refund', ...wish }),
    /** The node's claim of what this wallet locked, once its preimage shows that the invoice is paid. */
    sign: (id: string) => ask(z.object({}), { do: 'sign', id }),
    stop(): void {
      child.kill();
    },
  };
}

interface Spend {
  readonly id: string;
  /** The transaction that paid the swap's address, in hex. */
  readonly transaction: string;
  readonly to: string;
  readonly together: boolean;
}
