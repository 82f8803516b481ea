import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildBeside, cacheOfBuilds, compiled, findGo } from './build.ts';
import { freePort, startDaemon, until } from './daemon.ts';

/** The newest whose dependencies the module proxy still has. */
export const gethVersion = '1.15.11';

export type Geth = { readonly program: string } | { readonly absent: string };

/** What was built before, beside lnd and btcd, or in the folder that `SLUICE_REGTEST_BIN` names. Builds nothing. */
export function findGeth(): Geth {
  const program = join(process.env['SLUICE_REGTEST_BIN'] ?? folderOfGeth(), 'geth');
  return existsSync(program)
    ? { program }
    : { absent: 'geth is not built: "npm run test:regtest" builds it where Go is installed' };
}

function folderOfGeth(): string {
  return join(cacheOfBuilds(), `geth-${gethVersion}`);
}

/**
 * Builds geth unless it is there. Its dependencies are others than those of lnd, so they lie in a folder of their own
 * meanwhile.
 */
export async function buildGeth(say: (sentence: string) => void): Promise<Geth> {
  const geth = findGeth();
  if (!('absent' in geth) || process.env['SLUICE_REGTEST_BIN'] !== undefined) return geth;
  const go = await findGo();
  if (typeof go !== 'string') return go;
  say(`building geth ${gethVersion} into ${folderOfGeth()} (about 3 minutes, once)`);
  await buildBeside(folderOfGeth(), async (building) => {
    await compiled('geth', go, ['install', '-trimpath', `github.com/ethereum/go-ethereum/cmd/geth@v${gethVersion}`], {
      cwd: building,
      env: {
        ...process.env,
        CGO_ENABLED: '0',
        GOFLAGS: '-modcacherw',
        GOWORK: 'off',
        GOPATH: join(building, 'go'),
        GOCACHE: join(building, 'cache'),
        GOBIN: join(building, 'bin'),
      },
    });
    mkdirSync(folderOfGeth(), { recursive: true });
    renameSync(join(building, 'bin', 'geth'), join(folderOfGeth(), 'geth'));
  });
  return findGeth();
}

/** What a chain holds at its first block, by address. */
export type Allocation = Readonly<
  Record<
    string,
    {
      readonly balance: string;
      readonly nonce?: string;
      readonly code?: string;
      readonly storage?: Readonly<Record<string, string>>;
    }
  >
>;

/** Every fork up to Cancun from the first block on, the base fee 1 gwei. */
function genesisOf(chainId: number, alloc: Allocation): object {
  const forks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul'];
  return {
    config: {
      chainId,
      ...Object.fromEntries([...forks, 'berlin', 'london'].map((fork) => [`${fork}Block`, 0])),
      terminalTotalDifficulty: 0,
      shanghaiTime: 0,
      cancunTime: 0,
      blobSchedule: { cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 } },
    },
    difficulty: '0x0',
    gasLimit: '0x1c9c380',
    baseFeePerGas: '0x3b9aca00',
    alloc,
  };
}

/** A chain of its own with a block a second. */
export async function startGeth(program: string, folder: string, chainId: number, alloc: Allocation) {
  mkdirSync(folder, { recursive: true });
  const genesis = join(folder, 'genesis.json');
  writeFileSync(genesis, JSON.stringify(genesisOf(chainId, alloc)));
  const data = join(folder, 'data');
  execFileSync(program, ['init', '--datadir', data, genesis], { stdio: 'ignore' });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const http = ['--http', '--http.addr', '127.0.0.1', '--http.port', `${port}`, '--http.api', 'eth,net,web3,debug'];
  const alone = [
    '--ipcdisable',
    '--nodiscover',
    '--maxpeers',
    '0',
    '--port',
    '0',
    '--authrpc.port',
    `${await freePort()}`,
  ];
  const daemon = startDaemon(
    program,
    ['--dev', '--dev.period', '1', '--datadir', data, ...http, ...alone],
    join(folder, 'log'),
  );

  async function call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await reply.json()) as { result?: unknown; error?: { message: string } };
    if (error !== undefined) throw new Error(error.message);
    return result;
  }

  await until('geth', () => call('eth_blockNumber'), { of: daemon });
  return { url, call, stop: () => daemon.stop() };
}
