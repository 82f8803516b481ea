import { randomUUID } from 'node:crypto';
import { sameBytes } from '../../../domain/hash.ts';
import { fromHex, toHex } from '../../../domain/hex.ts';
import { type BoardingInput, readBoarding } from './boarding.ts';
import { type Coin, recoverable } from './coins.ts';
import { badInput, refusal } from './errors.ts';
import { checkFee } from './intent-fees.ts';
import {
  type Proof,
  type SignedIntent,
  checkProofSignatures,
  checkTimeRange,
  readMessage,
  readProof,
} from './proof.ts';
import { tapTreeOf } from './psbt.ts';
import { checkScript } from './script.ts';
import { type OperatorState, checkBan, scriptRules } from './state.ts';

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

/** Reads an intent and checks it whole. */
export function readIntent(state: OperatorState, signed: SignedIntent): Intent {
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
  const bad = (text: string) => badInput({ id: proof.txid }, index - 1, text);
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
