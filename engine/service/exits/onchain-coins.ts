import { sameBytes } from '../../domain/hash.ts';
import { after, seconds, type Unix } from '../../domain/time.ts';
import { buried } from '../../legs/onchain/depth.ts';
import type { BitcoinPort } from '../../legs/onchain/port.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import { outputAt, readRawTx } from '../../legs/raw-tx.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { OwnCoinRow } from '../../store/own-coins.ts';

/** A coin of ours that somebody brought to the chain, until it is home. */
export interface OnchainCoin {
  readonly row: OwnCoinRow;
  /**
   * Median time past from which our own leaf takes it, at the latest; null while it is not mined, or waits for blocks.
   */
  readonly ripeAt: Unix | null;
  /** From this height, where the operator counts in blocks. */
  readonly ripeHeight: number | null;
  /** Its own way home is on the chain or in the mempool. */
  readonly isSent: boolean;
}

/**
 * What it is and holds the chain tells by its bytes; the operator's list, from which it came, may have said anything.
 */
export async function onChain(
  { store }: Pick<Runtime, 'store'>,
  row: OwnCoinRow,
  bitcoin: BitcoinPort,
  arkade: ArkadePort,
): Promise<OnchainCoin | null> {
  const [tip, transaction, spend] = [
    await bitcoin.tip(),
    await bitcoin.transaction(row.outpoint.txid),
    await bitcoin.spend(row.outpoint),
  ];
  if (spend !== null && buried(spend.height, tip.height)) {
    store.ownCoins.forget(row.outpoint);
    return null;
  }
  const tx = transaction === null ? null : readRawTx(transaction.bytes);
  const output = outputAt(tx, row.outpoint.vout);
  const ours = output !== null && sameBytes(output.script, await arkade.scriptUnder(row));
  if (tx !== null && !ours) {
    store.ownCoins.forget(row.outpoint);
    return null;
  }
  const amount = output?.amount ?? row.amount;
  const height = tx === null ? null : (transaction?.height ?? null);
  // In another block after a reorganisation its delay begins anew; in none that is proven now, nothing is known anew.
  const mined = height === null || height === row.mined?.height ? row.mined : { mtp: tip.mtp, height };
  if (mined !== null && mined !== row.mined) store.ownCoins.mined(row.outpoint, mined);
  const blocks = row.exitDelay < 512;
  return {
    row: { ...row, amount, mined },
    ripeAt: mined === null || blocks ? null : after(mined.mtp, seconds(row.exitDelay)),
    ripeHeight: mined === null || !blocks ? null : mined.height + row.exitDelay,
    // What nobody signed for us and no block holds may be an invention: ours is sent against it.
    isSent: spend !== null && (spend.height !== null || store.transactions.byId(spend.txid) !== null),
  };
}
