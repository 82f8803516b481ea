import { toHex } from '../../../domain/hex.ts';
import { sats, type Sats } from '../../../domain/money.ts';
import { outpointKey, type Txid } from '../../../domain/outpoint.ts';
import { furthest, type Unix } from '../../../domain/time.ts';
import type { BitcoinPort, ChainSpend, ChainTip } from '../../../legs/onchain/port.ts';
import { readTx } from '../../../legs/psbt.ts';
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
export function reached(moment: Unix | null | undefined, tip: ChainTip | null, { clock }: EffectContext): boolean {
  const mtp = Math.max(tip?.mtp ?? 0, furthest(clock.now().bitcoin).mtp ?? 0);
  return moment !== null && moment !== undefined && mtp >= moment;
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
