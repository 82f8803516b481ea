import { sameBytes, type Hash160 } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import { sats, type Sats } from '../../../domain/money.ts';
import { outpointKey, type Outpoint, type Txid } from '../../../domain/outpoint.ts';
import { furthest, unix, type Unix } from '../../../domain/time.ts';
import type { BitcoinPort, ChainSpend, ChainTip } from '../../../legs/onchain/port.ts';
import { readTx, witnessItems } from '../../../legs/psbt.ts';
import { preimageMatches } from '../../../legs/secret.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf } from '../../ports.ts';
import type { EffectContext } from '../context.ts';
import { ifKnown } from '../if-known.ts';

/** Signed for this very subject, whatever became of it since. */
export function isOurs({ txid: spender }: ChainSpend, { store, row }: EffectContext): boolean {
  return store.transactions.of(row.subject).some(({ txid }) => txid === spender);
}

/** Null while there is no tip to believe: nothing is buried then. */
export function tipNow({ ports }: EffectContext): Promise<ChainTip | null> {
  return ifKnown(() => bitcoinOf(ports).tip());
}

/** Whether the chain has reached a moment by any reading of it: a source that stands still keeps nothing of ours waiting. */
export function reached(moment: Unix | null | undefined, tip: ChainTip | null, context: EffectContext): boolean {
  return moment !== null && moment !== undefined && (furthestMtp(tip, context) ?? 0) >= moment;
}

/** Median time past as far as the chain has come by any reading of it; null while it was never read. */
export function furthestMtp(tip: ChainTip | null, { clock }: EffectContext): Unix | null {
  const mtp = Math.max(tip?.mtp ?? 0, furthest(clock.now().bitcoin).mtp ?? 0);
  return mtp === 0 ? null : unix(mtp);
}

/** Whether a transaction shows the secret of this hash. */
export function showing(hash: Hash160): (bytes: Uint8Array) => boolean {
  return (bytes) => {
    const tx = readTx(bytes);
    return Array.from({ length: tx?.inputsLength ?? 0 }, (_, i) => (tx === null ? [] : witnessItems(tx, i)))
      .flat()
      .some((item) => preimageMatches(hash, item) !== null);
  };
}

/** Whether what spends a coin shows the secret of this hash. Throws where nobody shows the spender: it may be what shows it. */
export async function showsSecret({ txid }: ChainSpend, hash: Hash160, bitcoin: BitcoinPort): Promise<boolean> {
  const shows = showing(hash);
  const spender = await bitcoin.transaction(txid, shows);
  if (spender === null) throw new NotYet(null, 'what spends the coin cannot be read, and may be its claim');
  return shows(spender.bytes);
}

/** What the inputs of a transaction hold; null where a coin of it is neither known nor shown. */
export async function takenBy(
  bitcoin: BitcoinPort,
  txid: Txid,
  amounts: ReadonlyMap<string, Sats> = new Map(),
): Promise<Sats | null> {
  const tx = await txOf(bitcoin, txid);
  let sum = 0n;
  for (let i = 0; i < (tx?.inputsLength ?? 0); i++) {
    const { txid: before, index: vout } = tx?.getInput(i) ?? {};
    if (before === undefined || vout === undefined) return null;
    const from = toHex(before);
    const amount =
      amounts.get(outpointKey({ txid: from, vout })) ??
      (await ifKnown(() => txOf(bitcoin, from)))?.getOutput(vout).amount;
    if (amount === undefined) return null;
    sum += amount;
  }
  return tx === null ? null : sats(sum);
}

async function txOf(bitcoin: BitcoinPort, txid: Txid): Promise<ReturnType<typeof readTx>> {
  const bytes = (await bitcoin.transaction(txid))?.bytes;
  return bytes === undefined ? null : readTx(bytes);
}

export async function paidBy(bitcoin: BitcoinPort, txid: Txid): Promise<Sats> {
  const tx = await txOf(bitcoin, txid);
  if (tx === null) throw new NotYet(null, 'the buried transaction cannot be read');
  return sats(
    Array.from({ length: tx.outputsLength }, (_, i) => tx.getOutput(i).amount ?? 0n).reduce(
      (sum, amount) => sum + amount,
      0n,
    ),
  );
}

/**
 * What the output holds. Its transaction's bytes tell; whether it is mined shows when ours is sent. `saved`: those bytes, for when no source
 * has them any more.
 */
export async function brought(bitcoin: BitcoinPort, script: Uint8Array, coin: Outpoint, saved?: Uint8Array) {
  const shown = await bitcoin.transaction(coin.txid);
  const tx = shown ?? (saved === undefined ? null : { bytes: saved, height: null });
  if (tx === null) throw new NotYet(null, 'the transaction that brings the coin to the chain was not seen yet');
  const output = readTx(tx.bytes)?.getOutput(coin.vout);
  if (output?.script === undefined || output.amount === undefined || !sameBytes(output.script, script))
    throw new Error(`output ${coin.vout} of ${coin.txid} is not the coin of the swap`);
  return { amount: sats(output.amount), minedIn: tx.height, bytes: tx.bytes };
}

/** Seconds of a block on a slow day, as timeouts are converted (see `timelocks.ts`). */
export const slowBlock = 750;

/** When a block was mined, as if all since had been slow ones: never too late, so that what counts from it is not late either. */
export function minedAt(height: number, tip: Pick<ChainTip, 'height' | 'mtp'>): Unix {
  return unix(Math.max(0, tip.mtp - slowBlock * Math.max(0, tip.height - height)));
}
