import { sameBytes, type Hash160 } from '../../../domain/hash.ts';
import { less, sats, type Sats } from '../../../domain/money.ts';
import { outpointKey, sameOutpoint, type Outpoint, type Txid } from '../../../domain/outpoint.ts';
import { expectedAt, furthest, unix, type Locktime, type Unix } from '../../../domain/time.ts';
import type { BitcoinPort, ChainSpend, ChainTip } from '../../../legs/onchain/port.ts';
import { outputAt, paidOut, type RawTransaction, readRawTx } from '../../../legs/raw-tx.ts';
import { preimageMatches } from '../../../legs/secret.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf } from '../../ports.ts';
import type { ChainContext } from './context.ts';
import { ifKnown } from '../if-known.ts';

/** Signed for this very leg of the subject, whatever became of it since. */
export function isOurs({ txid: spender }: ChainSpend, { store, row }: ChainContext): boolean {
  return store.transactions.of(row.subject, row.leg).some(({ txid }) => txid === spender);
}

/** Null while there is no tip to believe: nothing is buried then. */
export function tipNow({ ports }: Pick<ChainContext, 'ports'>): Promise<ChainTip | null> {
  return ifKnown(() => bitcoinOf(ports).tip());
}

/**
 * Whether the chain has reached a moment by any reading of it: a source that stands still keeps nothing of ours
 * waiting.
 */
export function reached(moment: Unix | null | undefined, tip: ChainTip | null, context: ChainContext): boolean {
  return moment !== null && moment !== undefined && (furthestMtp(tip, context) ?? 0) >= moment;
}

/** Median time past as far as the chain has come by any reading of it; null while it was never read. */
export function furthestMtp(tip: ChainTip | null, { clock }: Pick<ChainContext, 'clock'>): Unix | null {
  const mtp = Math.max(tip?.mtp ?? 0, furthest(clock.now().bitcoin).mtp ?? 0);
  return mtp === 0 ? null : unix(mtp);
}

/** Height as far as the chain has come by any reading of it; null while it was never read. */
export function furthestHeight(tip: ChainTip | null, { clock }: Pick<ChainContext, 'clock'>): number | null {
  const height = Math.max(tip?.height ?? 0, furthest(clock.now().bitcoin).height ?? 0);
  return height === 0 ? null : height;
}

/**
 * A moment by which something should be mined, by median time past: a height as if every block until then came on
 * average. It says how much a fee is hurried, and never what is safe.
 */
export function moment(by: Locktime, tip: ChainTip | null, context: Pick<ChainContext, 'clock'>): Unix {
  const reading = { mtp: furthestMtp(tip, context), height: furthestHeight(tip, context) };
  return expectedAt(by, { bitcoin: reading }) ?? unix(0);
}

/** The same of a transaction that may have no such moment. */
export function dueBy(
  { deadline }: { readonly deadline?: Locktime },
  tip: ChainTip | null,
  context: ChainContext,
): Unix | undefined {
  return deadline === undefined ? undefined : moment(deadline, tip, context);
}

/**
 * Of a spend whoever names it shows its bytes still: one that was shown once and then only named holds up nothing of
 * ours (facts/faults.md 290).
 */
export const whoeverShows = (): boolean => true;

/** Whether a transaction that spends a coin shows the secret of this hash there. */
export function showing(hash: Hash160, coin: Outpoint): (bytes: Uint8Array) => boolean {
  return (bytes) =>
    readRawTx(bytes)
      ?.inputs.find((input) => sameOutpoint(input, coin))
      ?.candidates.some((item) => preimageMatches(hash, item) !== null) === true;
}

/**
 * Whether what spends a coin, asked for as one that shows the secret of this hash, does show it. By the bytes that were
 * judged with that answer: a second question lets a liar hide them from it for ever (facts/faults.md 358). Where there
 * were none, whoever decides alone says that it is spent: then it throws where nobody shows the spender, for that may
 * be what shows it.
 */
export async function showsSecret(
  { txid, fits }: ChainSpend,
  { hash, coin, bitcoin }: { readonly hash: Hash160; readonly coin: Outpoint; readonly bitcoin: BitcoinPort },
): Promise<boolean> {
  if (fits !== undefined) return fits;
  const shows = showing(hash, coin);
  const spender = await bitcoin.transaction(txid, shows);
  if (spender === null) throw new NotYet(null, 'what spends the coin cannot be read, and may be its claim');
  return shows(spender.bytes);
}

/** What the inputs of a transaction hold; null where a coin of it is neither known nor shown. */
export async function takenBy(
  bitcoin: BitcoinPort,
  txid: Txid,
  amounts?: ReadonlyMap<string, Sats>,
): Promise<Sats | null> {
  const tx = await txOf(bitcoin, txid);
  return tx === null ? null : takenIn(bitcoin, tx, amounts);
}

/** The same by its bytes, which nobody need show. */
export async function takenIn(
  bitcoin: BitcoinPort,
  { inputs }: Pick<RawTransaction, 'inputs'>,
  amounts: ReadonlyMap<string, Sats> = new Map(),
): Promise<Sats | null> {
  let sum = 0n;
  for (const input of inputs) {
    const amount =
      amounts.get(outpointKey(input)) ?? outputAt(await ifKnown(() => txOf(bitcoin, input.txid)), input.vout)?.amount;
    if (amount === undefined) return null;
    sum += amount;
  }
  return sats(sum);
}

async function txOf(bitcoin: BitcoinPort, txid: Txid): Promise<RawTransaction | null> {
  const bytes = (await bitcoin.transaction(txid))?.bytes;
  return bytes === undefined ? null : readRawTx(bytes);
}

/** What another spend of a coin of so many sats pays, where that is all it spends. */
export async function rivalRate(bitcoin: BitcoinPort, { txid }: ChainSpend, amount: Sats): Promise<number | null> {
  const tx = await ifKnown(() => txOf(bitcoin, txid));
  return tx === null || tx.inputs.length !== 1 ? null : Number(less(amount, paidOut(tx))) / tx.vsize;
}

export async function paidBy(bitcoin: BitcoinPort, txid: Txid): Promise<Sats> {
  const tx = await txOf(bitcoin, txid);
  if (tx === null) throw new NotYet(null, 'the buried transaction cannot be read');
  return paidOut(tx);
}

/**
 * What the output holds. Its transaction's bytes tell; whether it is mined shows when ours is sent. `saved`: those
 * bytes, for when no source has them any more.
 */
export async function brought(bitcoin: BitcoinPort, script: Uint8Array, coin: Outpoint, saved?: Uint8Array) {
  const shown = await bitcoin.transaction(coin.txid);
  const tx = shown ?? (saved === undefined ? null : { bytes: saved, height: null });
  if (tx === null) throw new NotYet(null, 'the transaction that brings the coin to the chain was not seen yet');
  const output = outputAt(readRawTx(tx.bytes), coin.vout);
  if (output === null || !sameBytes(output.script, script))
    throw new Error(`output ${coin.vout} of ${coin.txid} is not the coin of the swap`);
  return { amount: output.amount, minedIn: tx.height, bytes: tx.bytes };
}

/** Seconds of a block on a slow day, as timeouts are converted (see `timelocks.ts`). */
export const slowBlock = 750;

/**
 * When a block was mined, as if all since had been slow ones: never too late, so that what counts from it is not late
 * either.
 */
export function minedAt(height: number, tip: Pick<ChainTip, 'height' | 'mtp'>): Unix {
  return unix(Math.max(0, tip.mtp - slowBlock * Math.max(0, tip.height - height)));
}
