import { fromHex, toHex } from '../../../domain/hex.ts';
import { sats } from '../../../domain/money.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import type { Coin } from './coins.ts';
import { refusal } from './errors.ts';
import { type Psbt, parsePsbt, signatureOf, unmetCondition, unsignedKey } from './psbt.ts';
import { leafOf } from './script.ts';
import type { OperatorState } from './state.ts';
import type { AcceptedCheckpoint, ArkTx } from './txs.ts';

/**
 * Makes an accepted transaction final. Only one attempt counts: with a wrong or missing signature the transaction has
 * failed for good and its coins are stranded, as with arkd.
 */
export function finalize(state: OperatorState, arkTxid: string, finalCheckpointTxs: readonly string[]): void {
  const tx = state.txs.get(arkTxid);
  if (tx === undefined) throw refusal('TX_NOT_FOUND', `offchain tx ${arkTxid} not found`, { txid: arkTxid });
  const given = finalCheckpointTxs.map((text) => ({ text, tx: parse(text) }));
  if (tx.state !== 'accepted') {
    const list = given.map(({ text, tx: checkpoint }) => `${checkpoint.id}:${text}`).join(' ');
    throw refusal('INTERNAL_ERROR', 'failed to finalize offchain tx: not in a valid stage to finalize offchain tx', {
      final_checkpoint_txs: `map[${list}]`,
    });
  }
  const coins = tx.checkpoints.map(({ spends }) => state.coins.get(spends) as Coin);
  let checkpoints: ArkTx['checkpoints'];
  try {
    checkpoints = tx.checkpoints.map((accepted, i) => {
      if (coins[i]?.unrolled)
        throw refusal('VTXO_ALREADY_UNROLLED', `${accepted.spends} already unrolled`, {
          vtxo_outpoint: accepted.spends,
        });
      const match = given.find(({ tx: checkpoint }) => checkpoint.id === accepted.txid);
      if (match === undefined) {
        throw refusal('CHECKPOINT_MISMATCH', `invalid checkpoint txs: ${accepted.txid} not found`, {
          expected_txid: accepted.txid,
        });
      }
      checkFinalCheckpoint(state, match.tx, match.text, accepted, coins[i] as Coin);
      return { ...accepted, psbt: match.text };
    });
  } catch (failure) {
    state.txs.put({ ...tx, state: 'failed' });
    throw failure;
  }
  complete(state, { ...tx, state: 'final', checkpoints }, coins);
}

function parse(text: string): Psbt {
  try {
    return parsePsbt(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw refusal('INVALID_ARK_PSBT', `failed to parse tx: ${why}`, { tx: text });
  }
}

function checkFinalCheckpoint(
  state: OperatorState,
  final: Psbt,
  text: string,
  accepted: AcceptedCheckpoint,
  coin: Coin,
): void {
  const fail = () => refusal('INVALID_SIGNATURE', `invalid signature in checkpoint tx ${text}`, { tx: text });
  const leaf = leafOf(fromHex(accepted.leaf));
  if (leaf === null)
    throw new Error(`checkpoint ${accepted.txid} of ${accepted.spends} was stored with an unknown leaf`);
  const signer = state.signers.own(leaf.keys);
  const returned = signer === undefined ? null : signatureOf(final, 0, signer.xOnly);
  if (returned === null || toHex(returned) !== accepted.signature) throw fail();
  if (unmetCondition(final, 0, leaf) !== null) throw fail();
  const prevout = { script: fromHex(coin.script), amount: coin.amount };
  if (unsignedKey(final, 0, leaf, [prevout], state.signers.others(leaf.keys)) !== null) throw fail();
}

function complete(state: OperatorState, tx: ArkTx, spent: readonly Coin[]): void {
  const now = state.clock.now();
  const born = {
    createdAt: now,
    expiresAt: Math.min(...spent.map((coin) => coin.expiresAt)),
    preconfirmed: true,
    commitmentTxids: [...new Set(spent.flatMap((coin) => coin.commitmentTxids))],
    depth: Math.max(...spent.map((coin) => coin.depth)) + 1,
    unrolled: false,
    spent: false,
    spentBy: '',
    arkTxid: '',
    settledBy: '',
  };
  const created = state.journal.atomically(() => {
    state.txs.put(tx);
    return tx.outputs.flatMap((output, vout) => {
      if (output.amount === '0') return [];
      const subdust = output.script.startsWith('6a');
      const script = subdust ? `5120${output.script.slice(4)}` : output.script;
      return [
        state.coins.add({ txid: tx.txid, vout, amount: sats(BigInt(output.amount)), script, ...born, swept: subdust }),
      ];
    });
  });
  const spentNow = spent.map((coin) => state.coins.get(outpointKey(coin)) as Coin);
  const checkpointTxs = Object.fromEntries(
    tx.checkpoints.map(({ spends, txid, psbt }) => [spends, { txid, tx: psbt }]),
  );
  state.scripts.publish({ txid: tx.txid, newVtxos: created, spentVtxos: spentNow, tx: tx.arkTx, checkpointTxs });
  state.transactions.publish({
    kind: 'arkTx',
    txid: tx.txid,
    tx: tx.arkTx,
    spentVtxos: spentNow,
    spendableVtxos: created,
    sweptVtxos: [],
    checkpointTxs,
  });
}
