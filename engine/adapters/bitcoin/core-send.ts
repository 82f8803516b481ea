import { toHex } from '../../domain/hex.ts';
import { failedOnchain } from '../../legs/onchain/failures.ts';
import { type CoreRpc, RpcRefusal } from './json-rpc.ts';
import { type Judged, judgeRejection } from './rejection.ts';

/**
 * BTC for each kilobyte, 0 for any: what ours may cost is decided where it is signed, and Core's own guard of 0.1 would
 * leave a claim to whoever pays that much (facts/faults.md 273).
 */
const anyFeeRate = 0;

export function sendOurs(rpc: CoreRpc, transaction: Uint8Array): Promise<Judged> {
  return send(rpc, transaction, anyFeeRate);
}

/** A stranger's transaction goes by the node's own guard against a slip of the fee. */
export async function send(rpc: CoreRpc, transaction: Uint8Array, ...feeRate: readonly number[]): Promise<Judged> {
  try {
    await rpc.call('sendrawtransaction', [toHex(transaction), ...feeRate]);
    return { is: 'accepted' };
  } catch (cause) {
    if (cause instanceof RpcRefusal) return judgeRejection(cause.code, cause.message);
    throw failedOnchain(cause, 'bitcoin-away') ? cause.retold('ask-first') : cause;
  }
}

/**
 * btcd and an older Core know of none, and Core 26 of none with a fee rate; one of which a part is on the chain already
 * is none.
 */
export async function submit(rpc: CoreRpc, transactions: readonly string[]): Promise<void> {
  for (const more of [[anyFeeRate], []])
    try {
      await rpc.call('submitpackage', [transactions, ...more]);
      return;
    } catch (cause) {
      if (cause instanceof RpcRefusal) continue;
      throw failedOnchain(cause, 'bitcoin-away') ? cause.retold('ask-first') : cause;
    }
}
