import { type Outpoint, outpointKey } from '../../../domain/outpoint.ts';
import type { BitcoinPort } from '../../../legs/onchain/port.ts';
import type { ArkadePort } from '../../../legs/arkade/port.ts';
import type { VhtlcSpend } from '../../../legs/arkade/transaction.ts';
import type { Vtxo } from '../../../legs/arkade/vtxo.ts';
import { preimageIn, readSpend } from '../../../legs/arkade/spend.ts';
import type { VhtlcTerms } from '../../../legs/arkade/terms.ts';
import type { KeyRef } from '../../../legs/signer.ts';
import type { SeenCoin } from '../../../legs/arkade/events.ts';
import { ifKnown } from '../if-known.ts';
import { chainHas } from './on-chain.ts';

/** What is kept of the spends at one script. */
export interface Reading {
  readonly terms: VhtlcTerms;
  /** Our key in the script, where it is the sender's. */
  readonly key: KeyRef | null;
  /** What transactions were read to be, by outpoint: a spend does not change once it is known. */
  readonly spends: Map<string, VhtlcSpend>;
  /** Coins, by outpoint, whose refund the operator has made final. */
  readonly final: Set<string>;
  /**
   * How long a coin is said to be spent while nobody shows by what, and when that was looked at last; milliseconds of
   * this process.
   */
  readonly unread: Map<string, { readonly ms: number; readonly at: number }>;
}

/** For so long an operator may call a coin spent without showing the transaction, in milliseconds. */
const unreadForMs = 120_000;
/** For so long the chain may show nothing of a coin that its operator says was brought there: its source may lag. */
const unshownForMs = 600_000;
/** A longer pause between two looks was this machine's, asleep or short of breath, and not the operator's. */
const longestPauseMs = 30_000;

/** The transactions by which the operator says that coins were spent, where they were not read before. */
export function unreadSpenders(seen: readonly { one: Reading; coins: readonly Vtxo[] }[]): string[] {
  const txids = new Set<string>();
  for (const { one, coins } of seen) {
    for (const coin of coins) {
      const txid = spenderOf(coin);
      if (coin.spent && txid !== null && !one.spends.has(outpointKey(coin.outpoint))) txids.add(txid);
    }
  }
  return [...txids];
}

function spenderOf(coin: Vtxo): string | null {
  return coin.spentIn ?? coin.spentBy;
}

export interface Sources {
  readonly spenders: ReadonlyMap<string, Uint8Array>;
  readonly arkade: ArkadePort;
  readonly bitcoin: BitcoinPort | null;
}

/** Reads how a coin was spent: on the chain where it lies there, else from what the operator shows. */
export async function withSpend(one: Reading, coin: Vtxo, from: Sources): Promise<SeenCoin> {
  const seen = await readSpendOf(one, coin, from);
  const [whole = seen] = await withPending(one, [seen], from.arkade);
  return whole;
}

/** Outputs of a refund that are asked for: of those that it pays, one that is listed says that it is final. */
const outputsAsked = [0, 1, 2, 3];
/**
 * Refunds of one script that are asked after in a look, of the largest coins: whoever lets any number of them wait
 * costs no more (facts/faults.md 108).
 */
const mostRefunds = 10;

/**
 * Says of refunds that they are accepted and no more. Of a claim its preimage is all that counts; a batch and the chain
 * know nothing half done.
 */
export async function withPending(
  { final }: Reading,
  coins: readonly SeenCoin[],
  arkade: ArkadePort,
): Promise<readonly SeenCoin[]> {
  const open = coins.filter((coin) => refundOf(coin) !== null && !final.has(outpointKey(coin.outpoint)));
  if (open.length === 0) return coins;
  const largest = open.toSorted((a, b) => Number(b.amount - a.amount)).flatMap((coin) => refundOf(coin) ?? []);
  const txids = [...new Set(largest)].slice(0, mostRefunds);
  const points = txids.flatMap((txid) => outputsAsked.map((vout) => ({ txid, vout })));
  // What cannot be read now is final for nobody, and hides no claim beside it.
  const outputs = (await ifKnown(() => arkade.coinsAt(points))) ?? [];
  const listed = new Set(outputs.map(({ outpoint }) => outpoint.txid));
  const waiting = new Set(open.filter((coin) => !listed.has(refundOf(coin) ?? '')));
  for (const coin of open) if (!waiting.has(coin)) final.add(outpointKey(coin.outpoint));
  return coins.map((coin) => (waiting.has(coin) ? { ...coin, pending: true } : coin));
}

const withoutReceiver = 'refund-without-receiver';

/** The transaction at the operator that refunds a coin. */
function refundOf({ spent, spend, spentIn, settledBy, onChain }: SeenCoin): string | null {
  const isRefund = spent && typeof spend === 'object' && (spend?.leaf === 'refund' || spend?.leaf === withoutReceiver);
  return isRefund && settledBy === null && onChain === undefined ? spentIn : null;
}

export async function readSpendOf(one: Reading, coin: Vtxo, from: Sources): Promise<SeenCoin> {
  const onChain = coin.unrolled && from.bitcoin !== null ? await spentOnChain(one, coin, from.bitcoin) : null;
  if (onChain !== null) return onChain;
  const key = outpointKey(coin.outpoint);
  // Neither on the chain nor at the operator: it is denied, as one that is called spent by nothing.
  if (coin.unrolled && !(await chainHas(coin.outpoint, from.bitcoin)))
    return coin.spent
      ? readSpendOf(one, { ...coin, unrolled: false }, from)
      : { ...coin, unrolled: false, spent: true, spend: unreadTooLong(one, key, unshownForMs) ? 'unknown' : null };
  if (!coin.spent) return { ...coin, spend: null };
  const explained = one.spends.get(key);
  if (explained !== undefined) return { ...coin, spend: explained };
  const txid = spenderOf(coin);
  // Of a coin that a batch took after its expiry no transaction tells by which leaf.
  if (txid === null && coin.settledBy !== null) return { ...coin, spend: coin.recoverable ? 'hidden' : 'unknown' };
  const bytes = txid === null ? undefined : from.spenders.get(txid);
  const spend = bytes === undefined ? await pendingSpend(one, coin, from.arkade) : spendIn(one, coin, bytes);
  if (spend === null) return { ...coin, spend: bytes === undefined && !unreadTooLong(one, key) ? null : 'unknown' };
  // Of a claim that nobody signed the operator may yet show the right one.
  if (spend.leaf !== 'claim' || spend.unsigned === undefined) one.spends.set(key, spend);
  return { ...coin, spend };
}

/**
 * No wall clock says so: one that leaps would have us distrust an operator until the owner says otherwise
 * (facts/faults.md 39, 45).
 */
function unreadTooLong({ unread }: Reading, key: string, mostMs = unreadForMs): boolean {
  const at = performance.now();
  const before = unread.get(key) ?? { ms: 0, at };
  const ms = before.ms + Math.min(longestPauseMs, at - before.at);
  unread.set(key, { ms, at });
  return ms > mostMs;
}

/** An operator that shows accepted transactions to nobody still gives them to who owns a leaf. */
async function pendingSpend(one: Reading, coin: Vtxo, arkade: ArkadePort): Promise<VhtlcSpend | null> {
  if (one.key === null || coin.settledBy !== null) return null;
  for (const bytes of await arkade.waiting({ terms: one.terms, key: one.key, coins: [coin], where: 'pending' })) {
    const spend = spendIn(one, coin, bytes);
    if (spend !== null) return spend;
  }
  return null;
}

async function spentOnChain(one: Reading, coin: Vtxo, bitcoin: BitcoinPort): Promise<SeenCoin | null> {
  const spender = await bitcoin.spend(coin.outpoint, (bytes) => spendIn(one, coin, bytes) !== null);
  if (spender === null) return null;
  const tx = await bitcoin.transaction(spender.txid, (bytes) => spendIn(one, coin, bytes) !== null);
  const explained = tx === null ? null : spendIn(one, coin, tx.bytes);
  // In no block, and by no leaf: nothing that a chain would take, only what somebody says.
  if (explained === null && spender.height === null) return null;
  const spend = tx === null ? null : (explained ?? 'unknown');
  return {
    ...coin,
    spent: true,
    spentIn: spender.txid,
    spentBy: spender.txid,
    settledBy: null,
    spend,
    onChain: { height: spender.height },
  };
}

function spendIn({ terms }: Reading, coin: Vtxo, bytes: Uint8Array): VhtlcSpend | null {
  return readSpend(terms, bytes, { ...coin.outpoint, amount: coin.amount }) ?? claimIn(terms, bytes, coin.outpoint);
}

/**
 * A spender that says nothing of its leaf, and carries our secret all the same: nobody else could have put it there.
 */
export function claimIn(terms: VhtlcTerms, bytes: Uint8Array, coin: Outpoint): VhtlcSpend | null {
  const preimage = preimageIn(terms.hash, bytes, coin);
  return preimage && { leaf: 'claim', preimage, unsigned: true };
}
