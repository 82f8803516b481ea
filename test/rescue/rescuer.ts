import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createArkade } from '../../engine/adapters/arkade/arkade.ts';
import { bitcoinWallet } from '../../engine/adapters/bitcoin/wallet.ts';
import { connectEvm } from '../../engine/adapters/evm/connect.ts';
import { takerAccounts } from '../../engine/adapters/keys/taker-accounts.ts';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sameBytes } from '../../engine/domain/hash.ts';
import { toHex } from '../../engine/domain/hex.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { unix } from '../../engine/domain/time.ts';
import { readTx, witnessItems } from '../../engine/legs/psbt.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import { bringHome } from '../../engine/rescue/bring-home.ts';
import { openBundle, sealBundle } from '../../engine/rescue/bundle.ts';
import { indexesFrom } from '../../engine/rescue/connect.ts';
import { replaceFile } from '../../engine/rescue/file.ts';
import { bundleName } from '../../engine/rescue/keep.ts';
import type { Outcome } from '../../engine/rescue/swaps.ts';
import { sweep } from '../../engine/rescue/sweep.ts';
import { sweepEvm } from '../../engine/rescue/sweep-evm.ts';
import type { EvmAddress } from '../../engine/domain/evm.ts';
import { withEvmWorld } from '../support/node-evm.ts';
import { arkadeOf, type Ports } from '../../engine/runtime/ports.ts';
import { evmRules } from '../../engine/service/evm/rules.ts';
import { createPartialNotes, notesName } from '../../engine/store/partial-notes.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import type { EvmWorld } from '../support/evm/world.ts';
import { seedOf, testConfig } from '../support/node.ts';
import { arkProviderOf, indexerProviderOf } from '../support/sandbox-ports/arkade-providers.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { createLightningPort } from '../support/sandbox-ports/lightning.ts';
import type { World } from '../support/world.ts';

/** What is left of a node: the words of its seed, and a bundle in a folder without a database. */
export interface Left {
  readonly world: World;
  readonly folder: string;
  readonly evm?: EvmWorld;
  /** Whose words; those of a provider when left out. */
  readonly seed?: number;
  /** Networks that nobody reaches. */
  readonly without?: readonly ('arkade' | 'lightning' | 'bitcoin')[];
  /** What the operator and the chain do otherwise than they should. */
  readonly tampered?: { readonly arkade?: Partial<ArkadePort>; readonly bitcoin?: Partial<BitcoinPort> };
}

export interface Run {
  readonly outcome: Outcome;
  readonly lines: readonly string[];
}

const keysOf = ({ seed = 1 }: Pick<Left, 'seed'>) => createKeys(seedOf(seed), 'regtest');

const configOf = ({ evm }: Pick<Left, 'evm'>) => withEvmWorld(testConfig(), evm);

export function portsOf(left: Left, counters: Parameters<typeof indexesFrom>[0]): Ports {
  const { world, evm, without = [] } = left;
  const keys = keysOf(left);
  const bitcoin = createBitcoinPort(world.bitcoin, undefined, world.estimates);
  const arkade = createArkade({
    ark: arkProviderOf(world.operator),
    indexer: indexerProviderOf(world.operator),
    keys: keys.privateKey,
    clock: { wall: world.now, mtp: () => unix(world.bitcoin.clock.mtp()) },
    network: 'regtest',
  });
  const wallet = bitcoinWallet({ bitcoin, network: 'regtest', keys: keys.privateKey, indexes: indexesFrom(counters) });
  const key = keys.privateKey({ branch: 'evm-account' });
  return {
    takerAccounts: takerAccounts(keys),
    arkade: without.includes('arkade') ? null : { ...arkade, ...left.tampered?.arkade },
    lightning: without.includes('lightning') ? null : createLightningPort(world.lightning, { wall: world.now }),
    bitcoin: without.includes('bitcoin') ? null : { ...bitcoin, ...left.tampered?.bitcoin },
    ...(without.includes('bitcoin') ? {} : { bitcoinWallet: wallet }),
    ...(evm === undefined
      ? {}
      : {
          'evm:137': connectEvm({ chainId: 137, rpc: [evm.endpoints.rpcUrl], key, boundTo: null, wall: world.now }),
        }),
  };
}

/** What the Arkade wallet of the seed holds, whoever asks. */
export async function walletTotal(of: Pick<Left, 'world' | 'seed'>): Promise<bigint> {
  const { available, pending, recoverable } = await arkadeOf(portsOf({ ...of, folder: '' }, null)).balance([]);
  return available + pending + recoverable;
}

export function bundleIn(folder: string, seed = 1) {
  const path = join(folder, bundleName);
  const bundle = openBundle(path, readFileSync(path), 'regtest', keysOf({ seed }).sealingKey);
  if (isRefusal(bundle)) throw new Error(bundle.sentence);
  return bundle;
}

/** The node's account of the chain has no coins any more: nothing that it signs is taken. */
function withoutGas(ports: Ports): Ports {
  const port = ports['evm:137'];
  if (port === undefined) return ports;
  const own = new Set<string>();
  return {
    ...ports,
    'evm:137': {
      ...port,
      balance: async (token, of) => (sameBytes(of, port.account()) ? 5n : port.balance(token, of)),
      sign(transaction) {
        const made = port.sign(transaction);
        own.add(toHex(made.bytes));
        return made;
      },
      broadcast: async (bytes) =>
        own.has(toHex(bytes))
          ? { is: 'refused', reason: 'insufficient funds for gas * price + value' }
          : port.broadcast(bytes),
    },
  };
}

/** The same for the accounts on the chain of tokens. */
export async function sendAccountsAway(left: Left & { readonly evm: EvmWorld }, to: EvmAddress, agrees = true) {
  const lines: string[] = [];
  const outcome = await sweepEvm({
    ports: portsOf(left, null),
    evm: configOf(left).evm,
    patience: { mined: 5_000, look: 20 },
    to,
    say: (line) => lines.push(line),
    agree: async () => agrees,
  });
  return { outcome, lines };
}

/** What `--to` does once nothing is left; `questions` are what the owner reads before. */
export async function sendAway(left: Left, to: string, agrees = true): Promise<Run & { readonly questions: string[] }> {
  const lines: string[] = [];
  const questions: string[] = [];
  const outcome = await sweep({
    ports: portsOf(left, bundleIn(left.folder)),
    network: 'regtest',
    ceilings: testConfig().ceilings,
    to,
    say: (line) => lines.push(line),
    agree: async (question) => {
      questions.push(question);
      return agrees;
    },
  });
  return { outcome, lines, questions };
}

/** The command, but for what it reads from the disk of a host. */
export async function runRescue(
  left: Left,
  agrees = true,
  {
    poor = false,
    operatorGone = false,
    unroll = false,
    byHand = [] as readonly string[],
    patient = false,
    withoutNotes = false,
  } = {},
): Promise<Run> {
  const bundle = bundleIn(left.folder, left.seed);
  const lines: string[] = [];
  const outcome = await bringHome({
    bundle,
    ceilings: testConfig().ceilings,
    machines: {
      wall: left.world.now,
      partials: createPartialNotes({
        path: withoutNotes ? null : join(left.folder, notesName),
        sealer: createSealer(keysOf(left).sealingKey(notesName)),
      }),
      patience: { poll: 50, looks: 600, quiet: patient ? 6_000 : 1_800, most: 30_000 },
      rules: (chain) => evmRules(configOf(left), chain, { price: null, decimals: null }),
    },
    operatorGone,
    unroll,
    byHand,
    ports: poor ? withoutGas(portsOf(left, bundle)) : portsOf(left, bundle),
    network: 'regtest',
    evm: { burial: () => 1, mined: 5_000, look: 20 },
    say: (line) => lines.push(line),
    agree: async () => agrees,
    keep: ({ swaps, troubles }) =>
      replaceFile(join(left.folder, bundleName), {
        bytes: sealBundle({ ...bundle, troubles, swaps }, 'regtest', keysOf(left).sealingKey),
      }),
    signal: new AbortController().signal,
  });
  return { outcome, lines };
}

/** The same by the machines alone: what a hand does is told with what it came to. */
export async function withoutHands(left: Left): Promise<Run> {
  const run = await runRescue(left, true, { patient: true });
  const acts = run.lines.filter((line) =>
    /: (we claim|we take back|our claim|our refund|the held payment)[^:]*: /.test(line),
  );
  if (acts.length > 0) throw new Error(`a machine left to a hand: ${run.lines.join('\n')}`);
  return run;
}

/** The owner says that the operator never comes back. */
export const forGood = { operatorGone: true };

/** Run again after every block until the coin lies on the chain. */
export async function broughtBy(
  left: Left,
  coin: Outpoint,
  options: Parameters<typeof runRescue>[2] = {},
): Promise<Run[]> {
  const runs: Run[] = [];
  while ((left.world.bitcoin.transaction(coin.txid)?.height ?? null) === null) {
    if (runs.length > 12) throw new Error(`it never came to the chain: ${runs.at(-1)?.lines.join('\n')}`);
    runs.push(await runRescue(left, true, options));
    await left.world.mine(1);
  }
  return runs;
}

/** By which leaf a coin was spent on the chain. */
export function leafOf({ bitcoin }: World, coin: Outpoint): Uint8Array | null {
  const spend = bitcoin.spend(coin);
  const bytes = spend && bitcoin.transaction(spend.txid)?.tx.bytes;
  const tx = bytes && readTx(bytes);
  return tx ? (witnessItems(tx, 0).at(-2) ?? null) : null;
}
