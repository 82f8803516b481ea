import { ConditionWitness, setArkPsbtField, type Transaction } from '@arkade-os/sdk';
import type { CSVMultisigTapscript } from '@arkade-os/sdk';
import { SigHash } from '@scure/btc-signer';
import { sats } from '../../domain/money.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import type { KeyRef } from '../../legs/signer.ts';
import type { PreparedArkTx } from '../../legs/arkade/transaction.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import { signInput } from '../../legs/psbt.ts';
import { offchainTx, type OffchainInput } from './offchain-tx.ts';
import { packPrepared } from './prepared.ts';

/** A coin and the way it is spent. */
export interface SpendInput extends OffchainInput {
  readonly coin: Pick<Vtxo, 'outpoint' | 'amount'>;
  /** Stack items that the leaf's condition wants: the preimage. */
  readonly condition?: readonly Uint8Array[];
}

export function inputTotal(inputs: readonly SpendInput[]): bigint {
  return inputs.reduce((sum, { coin }) => sum + coin.amount, 0n);
}

export interface Payment {
  readonly script: Uint8Array;
  readonly amount: bigint;
}

export interface Built {
  readonly arkTx: Transaction;
  readonly checkpoints: Transaction[];
}

/** Checkpoints and Arkade transaction, unsigned; the same inputs give the same ids. */
export function build(
  inputs: readonly SpendInput[],
  outputs: readonly Payment[],
  unroll: CSVMultisigTapscript.Type,
): Built {
  return offchainTx(inputs, outputs, unroll.script);
}

/** Signs the given inputs in place; throws when the key is in none of an input's leaves. */
export function signInputs(
  tx: Transaction,
  key: Uint8Array,
  indexes: Iterable<number>,
  sighash: number = SigHash.DEFAULT,
): void {
  for (const index of indexes) {
    if (!signInput(tx, index, key, sighash))
      throw arkadeFailure('bad-key', 'never', `the key does not sign input ${index} of the Arkade transaction`);
  }
}

export function allInputs(tx: Transaction): number[] {
  return Array.from({ length: tx.inputsLength }, (_, i) => i);
}

/** Builds, signs everything that is ours and packs it; nothing is sent. The payment asked for is `outputs[0]`. */
export function prepare(spend: {
  inputs: readonly SpendInput[];
  outputs: readonly Payment[];
  unroll: CSVMultisigTapscript.Type;
  key: KeyRef;
  secret: Uint8Array;
}): PreparedArkTx {
  const { inputs } = spend;
  const { arkTx, checkpoints } = build(inputs, spend.outputs, spend.unroll);
  const bare = checkpoints.map((tx) => tx.toPSBT());
  for (const [i, { condition }] of inputs.entries()) {
    if (!condition) continue;
    setArkPsbtField(arkTx, i, ConditionWitness, [...condition]);
    setArkPsbtField(at(checkpoints, i), 0, ConditionWitness, [...condition]);
  }
  signInputs(arkTx, spend.secret, allInputs(arkTx));
  for (const checkpoint of checkpoints) signInputs(checkpoint, spend.secret, [0]);
  return packed(
    arkTx,
    bare,
    checkpoints,
    inputs.map(({ coin }) => coin.outpoint),
    spend.key,
  );
}

export function packed(
  arkTx: Transaction,
  bare: readonly Uint8Array[],
  signed: readonly Transaction[],
  inputs: readonly Outpoint[],
  key: KeyRef | null,
): PreparedArkTx {
  const txid = arkTx.id;
  const amount = arkTx.getOutput(0).amount ?? 0n;
  const output = { txid, vout: 0, amount };
  const bytes = packPrepared({
    txid,
    inputs,
    output,
    arkTx: arkTx.toPSBT(),
    bare,
    signed: signed.map((tx) => tx.toPSBT()),
    key,
    accepted: null,
    whole: null,
  });
  return { txid, bytes, inputs, output: { ...output, amount: sats(amount) }, own: [] };
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`nothing at ${index}`);
  return item;
}
