import { sameBytes } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import { stillAshore } from './boarding.ts';
import { refusal } from './errors.ts';
import { type Intent, keysOf, readIntent } from './intent.ts';
import { leastFee } from './intent-fees.ts';
import { type Proof, type SignedIntent, provenCoins, readMessage, readProof } from './proof.ts';
import { outpointOf } from './psbt.ts';
import type { OperatorState } from './state.ts';
import type { SubmitReply } from './submit.ts';

export interface IntentQueue {
  /** Checks an intent whole and queues it; answers with it. */
  register(signed: SignedIntent): Intent;
  delete(signed: SignedIntent): void;
  /** Queued intents that touch a coin of the proof. */
  find(signed: SignedIntent): SignedIntent[];
  pending(signed: SignedIntent): SubmitReply[];
  estimate(signed: SignedIntent): number;
  /** By the id of its proof, once its batch is done. */
  finished(txid: string): SignedIntent;
  finish(intent: Intent): void;
  /** Takes everything that waits; those that can no longer be served are forgotten. */
  takeAll(): Intent[];
  requeue(intent: Intent): void;
  all(): readonly Intent[];
  readonly size: number;
}

export function intentQueue(state: OperatorState, inRound: () => readonly Intent[]): IntentQueue {
  const queue = new Map<string, Intent>();
  const done = new Map<string, SignedIntent>();

  function touching(keys: ReadonlySet<string>): Intent[] {
    return [...queue.values()].filter((intent) => keysOf(intent).some((key) => keys.has(key)));
  }
  function release(intent: Intent): void {
    for (const key of keysOf(intent)) state.registered.delete(key);
  }

  return {
    register(signed) {
      const intent = readIntent(state, signed);
      const taken = new Set([...queue.values(), ...inRound()].flatMap(keysOf));
      const twice = keysOf(intent).find((key) => taken.has(key));
      if (twice !== undefined) {
        throw refusal(
          'INTERNAL_ERROR',
          `failed to push intent: duplicated input, ${twice} already registered by another intent`,
          {
            boarding_inputs: `[${intent.boarding.map(({ key }) => key).join(' ')}]`,
            cosigners_public_keys: `[${intent.cosigners.map(toHex).join(' ')}]`,
            intent: `map[Id:${intent.id} Inputs:[${intent.inputs.join(' ')}]]`,
          },
        );
      }
      queue.set(intent.id, intent);
      for (const key of keysOf(intent)) state.registered.add(key);
      return intent;
    },
    delete(signed) {
      const { coins, proof } = provenCoins(state, signed, 'delete');
      const intents = touching(new Set([...coins.map(outpointKey), ...ashore(state, proof)]));
      if (intents.length === 0) {
        throw refusal('INVALID_INTENT_PROOF', 'no matching intents found for intent proof', { message: '', proof: '' });
      }
      for (const intent of intents) {
        queue.delete(intent.id);
        release(intent);
      }
    },
    find(signed) {
      const { coins, proof } = provenCoins(state, signed, 'get-intent');
      return touching(new Set([...coins.map(outpointKey), ...ashore(state, proof)])).map((intent) => intent.signed);
    },
    pending(signed) {
      const { coins } = provenCoins(state, signed, 'get-pending-tx');
      const txids = new Set(coins.flatMap((coin) => (coin.arkTxid === '' ? [] : [coin.arkTxid])));
      return [...txids].flatMap((txid) => {
        const tx = state.txs.get(txid);
        if (tx === undefined || tx.state === 'final') return [];
        return [{ arkTxid: txid, finalArkTx: tx.arkTx, signedCheckpointTxs: tx.checkpoints.map(({ psbt }) => psbt) }];
      });
    },
    estimate(signed) {
      const message = readMessage(signed, 'estimate-intent-fee');
      return leastFee(state, readProof(state, signed), new Set(message.onchain_output_indexes ?? []));
    },
    finished(txid) {
      const signed = done.get(txid);
      if (signed === undefined) throw refusal('INTENT_NOT_FOUND', `intent with txid ${txid} not found`);
      return signed;
    },
    finish(intent) {
      release(intent);
      done.set(intent.txid, intent.signed);
    },
    takeAll() {
      const now = state.clock.now();
      const waiting = [...queue.values()];
      queue.clear();
      return waiting.filter((intent) => {
        const alive =
          (intent.expireAt === 0 || intent.expireAt >= now) &&
          intent.inputs.every((key) => state.coins.get(key)?.spent === false) &&
          intent.boarding.every((coin) => stillAshore(state, coin));
        if (!alive) release(intent);
        return alive;
      });
    },
    requeue(intent) {
      release(intent);
      queue.set(intent.id, intent);
    },
    all: () => [...queue.values()],
    get size() {
      return queue.size;
    },
  };
}

/** The coins of the chain that a proof speaks for, by outpoint. */
function ashore(state: OperatorState, proof: Proof): string[] {
  return proof.inputs.flatMap(({ key, coin, index, prevout }) => {
    const point = coin === undefined ? outpointOf(proof.psbt, index) : null;
    const there = point === null ? undefined : state.chain?.coin(point);
    return there !== undefined && sameBytes(there.script, prevout.script) ? [key] : [];
  });
}
