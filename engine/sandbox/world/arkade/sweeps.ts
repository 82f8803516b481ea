import { CSVMultisigTapscript, Transaction } from '@arkade-os/sdk';
import { SigHash } from '@scure/btc-signer';
import { tapLeafHash } from '@scure/btc-signer/payment.js';
import { taprootTweakPubkey } from '@scure/btc-signer/utils.js';
import { fromHex, toHex } from '../../../domain/hex.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import { relativeSequence, sweepScript } from './batch-tree.ts';
import type { BatchBook, BatchRecord } from './batches.ts';
import type { Output } from './psbt.ts';
import { schnorrSign } from './schnorr.ts';
import type { OperatorState } from './state.ts';

/**
 * Batches that the operator can take back, or will when they expire: what is left in them is recoverable from then on.
 */
export interface Sweeps {
  scheduled(): BatchRecord[];
  /** Sweeps those named that have expired, all for no names. Answers with the transactions. */
  sweep(commitmentTxids: readonly string[]): string[];
}

const fee = 130n;

export function openSweeps(state: OperatorState, batches: BatchBook): Sweeps {
  function sweepOne(batch: BatchRecord): string {
    const shared = Transaction.fromRaw(fromHex(batch.rawTx)).getOutput(0) as Output;
    const { txid, raw } = sweepTx(state, batch, shared);
    const left = [...state.coins.all()].filter(
      (coin) => !coin.spent && !coin.swept && !coin.unrolled && coin.commitmentTxids.includes(batch.commitmentTxid),
    );
    state.journal.atomically(() => {
      state.chain?.include([fromHex(raw)]);
      batches.put({ ...batch, sweptBy: [...batch.sweptBy, txid] });
      for (const coin of left) state.coins.change(outpointKey(coin), { swept: true });
    });
    const sweptVtxos = left.map((coin) => ({ txid: coin.txid, vout: coin.vout }));
    state.transactions.publish({
      kind: 'sweepTx',
      txid,
      tx: raw,
      spentVtxos: [],
      spendableVtxos: [],
      sweptVtxos,
      checkpointTxs: {},
    });
    return txid;
  }
  return {
    scheduled: () => batches.all().filter(sweepable),
    sweep(commitmentTxids) {
      const now = state.clock.now();
      const named = (batch: BatchRecord) =>
        commitmentTxids.length === 0 || commitmentTxids.includes(batch.commitmentTxid);
      return batches
        .all()
        .filter((batch) => sweepable(batch) && named(batch) && batch.expiresAt <= now)
        .map(sweepOne);
    },
  };
}

function sweepable(batch: BatchRecord): boolean {
  return batch.sharedKey !== null && batch.sweptBy.length === 0;
}

/** Takes the shared output by its sweep leaf into the operator's wallet. */
function sweepTx(state: OperatorState, batch: BatchRecord, shared: Output): { txid: string; raw: string } {
  const script = sweepScript(batch.expiry, state.keys);
  const { params } = CSVMultisigTapscript.decode(script);
  const sharedKey = fromHex(batch.sharedKey ?? '');
  const tx = new Transaction({ version: 2 });
  tx.addInput({
    txid: batch.commitmentTxid,
    index: 0,
    sequence: relativeSequence(Number(params.timelock.value)),
    witnessUtxo: shared,
  });
  tx.addOutput({ script: state.keys.wallet.script, amount: shared.amount - fee });
  const message = tx.preimageWitnessV1(0, [shared.script], SigHash.DEFAULT, [shared.amount], undefined, script, 0xc0);
  const signature = schnorrSign(message, state.keys.forfeit.secret);
  const [, parity] = taprootTweakPubkey(sharedKey, tapLeafHash(script));
  tx.updateInput(0, { finalScriptWitness: [signature, script, Uint8Array.of(0xc0 | parity, ...sharedKey)] }, true);
  return { txid: tx.id, raw: toHex(tx.extract()) };
}
