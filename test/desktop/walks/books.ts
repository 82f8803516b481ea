import { setTimeout as pause } from 'node:timers/promises';
import type { Balances } from '../../../engine/contract/owner/wallets.ts';
import type { Ledger } from '../../../engine/contract/owner/ledger.ts';
import type { SandboxWorld } from '../../../engine/contract/sandbox.ts';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import type { Walk } from './walk.ts';
import type { Payer } from './ways.ts';

/** Thousandths of the smallest unit, for Lightning counts so: by network and asset. */
type Sums = Map<string, bigint>;

/** What all wallets of the node hold, and what its ledger says that miners, chains and routes were paid. */
export interface Books {
  readonly held: Sums;
  readonly costs: Sums;
}

/** Somebody outside paid it to the node, or, below zero, got it from it. */
export interface Move {
  readonly network: string;
  readonly asset: string;
  readonly amount: bigint;
}

const paidToOthers = new Set(['lightning-fee-paid', 'network-fee-paid', 'gas-paid', 'relay-gas-paid']);

function add(sums: Sums, network: string, asset: string, thousandths: bigint): void {
  const key = `${network} ${asset.toLowerCase()}`;
  sums.set(key, (sums.get(key) ?? 0n) + thousandths);
}

/** `-1.024` is -1024. */
function thousandths(amount: string): bigint {
  const [whole = '0', rest = ''] = amount.replace('-', '').split('.');
  const size = BigInt(whole) * 1_000n + BigInt(rest.padEnd(3, '0'));
  return amount.startsWith('-') ? -size : size;
}

export async function readBooks({ control }: Walk): Promise<Books> {
  const held: Sums = new Map();
  const costs: Sums = new Map();
  let cursor: string | null = null;
  do {
    const page: Ledger = await control('GET', `/owner/ledger${cursor === null ? '' : `?cursor=${cursor}`}`);
    for (const row of page.rows.filter(({ kind }) => paidToOthers.has(kind)))
      add(costs, row.network, row.asset, thousandths(row.amount));
    cursor = page.next_cursor;
  } while (cursor !== null);
  const { balances } = await control<Balances>('GET', '/owner/balances');
  for (const { network, asset, available, reserved, locked, pending } of balances)
    for (const part of [available, reserved, locked, pending]) add(held, network, asset, thousandths(part));
  return { held, costs };
}

const patienceMs = 60_000;

/**
 * Of a fresh node. At its start it pays for the allowance of its first token: read once that is booked, and the
 * balances are those that the chain has, whole coins apart that are kept for gas.
 */
export async function firstBooks(walk: Walk): Promise<Books> {
  const { address } = await walk.control<{ address: string }>('POST', `/owner/wallets/${chain}/address`, {});
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const books = await readBooks(walk);
    const coins = await askChain(walk, chain, 'eth_getBalance', [address, 'latest']);
    const key = `${chain} ${ownCoin}`;
    const apart = coins * 1_000n - (books.held.get(key) ?? 0n);
    if (books.costs.has(key) && apart % thousandthsOfCoin === 0n) return books;
    if (performance.now() > deadline) throw new Error('the allowance of the first token was never booked');
    await pause(200);
  }
}

const thousandthsOfCoin = 10n ** 21n;
/** The chain with tokens. */
const chain = 'evm:137';

async function askChain({ control }: Walk, network: string, method: string, params: unknown[]): Promise<bigint> {
  const world = await control<SandboxWorld>('GET', '/sandbox');
  const answer = await fetch(world.evm?.[network.slice(4)]?.rpcUrl ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return BigInt(((await answer.json()) as { result: string }).result);
}

/**
 * What moved beyond the moves and the costs in the ledger: nothing, where nothing was lost. Lightning shows whole sats
 * of its thousandths.
 */
export function unexplained(before: Books, after: Books, moves: readonly Move[]): string[] {
  const rest: Sums = new Map();
  const join = (sums: Sums, sign: bigint) => {
    for (const [key, amount] of sums) rest.set(key, (rest.get(key) ?? 0n) + sign * amount);
  };
  join(after.held, 1n);
  join(before.held, -1n);
  join(after.costs, -1n);
  join(before.costs, 1n);
  for (const { network, asset, amount } of moves) add(rest, network, asset, -amount * 1_000n);
  return [...rest]
    .filter(([key, amount]) => (key.startsWith('lightning') ? amount <= -1_000n || amount >= 1_000n : amount !== 0n))
    .map(([key, amount]) => `${key}: ${amount} thousandths`);
}

function move({ network, token, amount }: TakerSwap['give'], sign: 1n | -1n): Move {
  return { network, asset: token ?? (network.startsWith('evm:') ? ownCoin : 'btc'), amount: sign * BigInt(amount) };
}

/** The coin of a chain, as an asset. */
const ownCoin = `0x${'0'.repeat(40)}`;
const ownWallets: ReadonlySet<string> = new Set(['arkade', 'bitcoin']);

/** What a swap that is over moved between the node and everybody else. */
export function movesOf({ outcome, give, get }: TakerSwap, from: Payer): Move[] {
  const came = from === 'outside' ? [move(give, 1n)] : [];
  if (outcome === 'finished') return [...came, ...(ownWallets.has(get.network) ? [] : [move(get, -1n)])];
  if (outcome !== 'returned') throw new Error(`the swap is ${outcome ?? 'not over'}`);
  // Back to the payer over Lightning, to an account of its own on an EVM chain, else to the node's wallet.
  return give.network === 'lightning' || give.network.startsWith('evm:') ? [] : came;
}

/** What an account on an EVM chain holds of the token of a side, asked of the chain. */
export async function tokensOf(walk: Walk, { network, token }: TakerSwap['give'], of: string): Promise<string> {
  const data = `0x70a08231${of.slice(2).toLowerCase().padStart(64, '0')}`;
  return (await askChain(walk, network, 'eth_call', [{ to: token, data }, 'latest'])).toString();
}

/**
 * What our own claims and refunds cost on the Bitcoin chain, as it tells it: they are no cost of the node's swaps for
 * others.
 */
export async function ownFees({ control }: Walk, swap: TakerSwap): Promise<Move[]> {
  const world = await control<SandboxWorld>('GET', '/sandbox');
  const own = swap.transactions.filter(
    ({ what, whose, network }) => network === 'bitcoin' && whose === 'you' && (what === 'claim' || what === 'refund'),
  );
  return Promise.all(
    own.map(async ({ txid }) => {
      const answer = await fetch(`${world.bitcoin?.esploraUrl}/tx/${txid}`);
      const { fee } = (await answer.json()) as { fee: number };
      return { network: 'bitcoin', asset: 'btc', amount: -BigInt(fee) };
    }),
  );
}
