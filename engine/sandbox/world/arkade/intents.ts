import { randomUUID } from 'node:crypto';
import { Estimator } from '@arkade-os/sdk';
import { fromHex, toHex } from '../../../domain/hex.ts';
import { sameBytes } from '../../../domain/hash.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import { type BoardingInput, readBoarding, stillAshore } from './boarding.ts';
import { type Coin, recoverable } from './coins.ts';
import { refusal } from './errors.ts';
import { isNote } from './notes.ts';
import { outpointOf, tapTreeOf } from './psbt.ts';
import {
  type Proof,
  type SignedIntent,
  checkProofSignatures,
  checkTimeRange,
  invalidProof,
  provenCoins,
  readMessage,
  readProof,
} from './proof.ts';
import { checkScript } from './script.ts';
import { type OperatorState, checkBan, scriptRules } from './state.ts';
import type { SubmitReply } from './submit.ts';

/** A registered wish to move coins through a batch. */
export interface Intent {
  readonly id: string;
  readonly signed: SignedIntent;
  /** Of its proof. */
  readonly txid: string;
  readonly inputs: readonly string[];
  /** Coins of the chain that go on board with it. */
  readonly boarding: readonly BoardingInput[];
  readonly offchain: readonly IntentOutput[];
  readonly onchain: readonly IntentOutput[];
  /** Compressed keys of the users that sign the tree. */
  readonly cosigners: readonly Uint8Array[];
  readonly expireAt: number;
  readonly createdAt: number;
}

/** Everything that no other intent may take meanwhile. */
export function keysOf(intent: Intent): readonly string[] {
  return [...intent.inputs, ...intent.boarding.map(({ key }) => key)];
}

export interface IntentOutput {
  readonly script: Uint8Array;
  readonly amount: bigint;
}

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

function readIntent(state: OperatorState, signed: SignedIntent): Intent {
  const message = readMessage(signed, 'register');
  checkTimeRange(state, message);
  const proof = readProof(state, signed);
  const id = randomUUID();
  const onchainIndexes = new Set(message.onchain_output_indexes ?? []);
  const real = proof.outputs
    .map((output, index) => ({ ...output, index }))
    .filter((output) => output.script[0] !== 0x6a);
  const offchain = real.filter((output) => !onchainIndexes.has(output.index));
  const cosigners = readCosigners(state, message.cosigners_public_keys ?? [], offchain.length > 0);
  const boarding = proof.inputs
    .filter(({ coin }) => coin === undefined)
    .map((input) => readBoarding(state, proof, input, id));
  for (const input of proof.inputs) if (input.coin !== undefined) checkInput(state, proof, input, input.coin);
  checkProofSignatures(state, signed, proof);
  for (const output of real) {
    if (output.amount >= BigInt(state.settings.dust)) continue;
    throw refusal(
      'AMOUNT_TOO_LOW',
      `output #${output.index} amount is lower than min vtxo amount: ${state.settings.dust}`,
      {
        amount: String(output.amount),
        min_amount: String(state.settings.dust),
        output_index: String(output.index),
      },
    );
  }
  checkFee(state, signed, proof, onchainIndexes);
  return {
    id,
    signed,
    txid: proof.txid,
    inputs: proof.inputs.filter(({ coin }) => coin !== undefined).map(({ key }) => key),
    boarding,
    offchain,
    onchain: real.filter((output) => onchainIndexes.has(output.index)),
    cosigners,
    expireAt: message.expire_at ?? 0,
    createdAt: state.clock.now(),
  };
}

function readCosigners(state: OperatorState, keys: readonly string[], needed: boolean): Uint8Array[] {
  const fail = (text: string) => refusal('INVALID_INTENT_MESSAGE', text, { message: 'map[type:register]' });
  if (needed && keys.length === 0) throw fail('CosignersPublicKeys is required in intent message');
  return keys.map((text) => {
    if (!/^0[23][0-9a-f]{64}$/i.test(text)) throw fail(`invalid cosigner public key ${text}`);
    const key = fromHex(text);
    if (sameBytes(key, state.keys.tree.publicKey)) throw fail('cosigners must not hold the key of the operator');
    return key;
  });
}

function checkInput(state: OperatorState, proof: Proof, input: Proof['inputs'][number], coin: Coin): void {
  const { key, prevout, index } = input;
  const bad = (text: string) =>
    refusal('INVALID_PSBT_INPUT', text, { input_index: String(index - 1), txid: proof.txid });
  const metadata = { vtxo_outpoint: key };
  if (coin.spent) {
    const pending = coin.arkTxid !== '' && state.txs.get(coin.arkTxid)?.state !== 'final';
    throw refusal(
      'VTXO_ALREADY_SPENT',
      pending ? `vtxo ${key} is currently being spent` : `input ${key} already spent`,
      metadata,
    );
  }
  checkBan(state, coin);
  if (coin.unrolled) throw refusal('VTXO_ALREADY_UNROLLED', `${key} already unrolled`, metadata);
  if (prevout.amount !== coin.amount)
    throw bad(`witness utxo value mismatch: got ${prevout.amount} expected ${coin.amount}`);
  if (toHex(prevout.script) !== coin.script)
    throw bad(`witness utxo script mismatch: got ${toHex(prevout.script)} expected ${coin.script}`);
  const tree = tapTreeOf(proof.psbt, index);
  if (!recoverable(coin, state.clock.now())) {
    if (tree === null) throw bad('missing or invalid taptree');
    checkScript(tree, scriptRules(state));
    if (toHex(tree.pkScript) !== coin.script)
      throw bad(`expected ${coin.script.slice(4)}, got ${toHex(tree.pkScript.subarray(2))}`);
  }
  const wait = immature(state, coin, input.sequence);
  if (wait <= 0) return;
  const scripts = tree?.scripts.map(toHex).join(' ') ?? '';
  throw refusal('INVALID_VTXO_SCRIPT', `vtxo script can be used for intent registration in ${wait} seconds`, {
    tapscripts: `[${scripts}]`,
  });
}

/** Seconds until a relative timelock in the sequence has passed since the coin was made; 0 without one. */
function immature(state: OperatorState, coin: Coin, sequence: number): number {
  if (sequence >= 0x8000_0000) return 0;
  const units = sequence & 0xffff;
  const delay = (sequence & 0x0040_0000) === 0 ? units * 600 : units * 512;
  return coin.createdAt + delay - state.clock.now();
}

function sumOf(amounts: readonly { readonly amount: bigint }[]): bigint {
  return amounts.reduce((sum, { amount }) => sum + amount, 0n);
}

function leastFee(state: OperatorState, proof: Proof, onchainIndexes: ReadonlySet<number>): number {
  const { intentFee } = state.settings;
  if (Object.values(intentFee).every((program) => program === '')) return 0;
  const output = ({ amount, script }: IntentOutput) => ({ amount, script: toHex(script) });
  const real = proof.outputs.map((each, index) => ({ ...each, index })).filter((each) => each.script[0] !== 0x6a);
  const fee = new Estimator(intentFee).evaluate(
    proof.inputs.flatMap(({ coin, prevout }) =>
      coin === undefined
        ? []
        : [
            {
              amount: prevout.amount,
              type: typeOf(state, coin),
              weight: 0,
              birth: new Date(coin.createdAt * 1_000),
              expiry: new Date(coin.expiresAt * 1_000),
            },
          ],
    ),
    proof.inputs.filter(({ coin }) => coin === undefined).map(({ prevout }) => ({ amount: prevout.amount })),
    real.filter(({ index }) => !onchainIndexes.has(index)).map(output),
    real.filter(({ index }) => onchainIndexes.has(index)).map(output),
  );
  return fee.satoshis;
}

function typeOf(state: OperatorState, coin: Coin): 'note' | 'recoverable' | 'vtxo' {
  if (isNote(coin)) return 'note';
  return recoverable(coin, state.clock.now()) ? 'recoverable' : 'vtxo';
}

function checkFee(state: OperatorState, signed: SignedIntent, proof: Proof, onchainIndexes: ReadonlySet<number>): void {
  const paid = sumOf(proof.inputs.map(({ prevout }) => prevout)) - sumOf(proof.outputs);
  if (paid < 0n) {
    throw invalidProof(
      signed,
      `failed to compute intent fees: sum of inputs is smaller than sum of outputs (diff: ${paid})`,
    );
  }
  const least = leastFee(state, proof, onchainIndexes);
  if (paid >= BigInt(least)) return;
  throw refusal('INTENT_INSUFFICIENT_FEE', `got ${paid} min expected ${least}`, {
    actual_fee: String(paid),
    min_fee: String(least),
  });
}
