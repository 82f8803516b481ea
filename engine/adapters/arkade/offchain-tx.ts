import { Extension, setArkPsbtField, Transaction, VtxoTaprootTree } from '@arkade-os/sdk';
import { Script, ScriptNum } from '@scure/btc-signer';
import type { Outpoint } from '../../domain/outpoint.ts';
import { lockedSequence } from '../../legs/arkade/offchain.ts';
import { anchorScript, type Prevout } from '../../legs/psbt.ts';
import { tapScript, type Leaf, type TapLeaf, type TapScript } from '../../legs/tapscript.ts';

/** A coin and the leaf of its script that it is spent by. */
export interface OffchainInput {
  readonly coin: { readonly outpoint: Outpoint; readonly amount: bigint };
  /** Of the coin. */
  readonly script: Uint8Array;
  readonly leaf: Leaf;
  readonly tapTree: Uint8Array;
}

interface Spent {
  readonly outpoint: Outpoint;
  readonly prevout: Prevout;
  readonly tapLeaf: TapLeaf;
  readonly tapTree: Uint8Array;
  readonly locktime: bigint;
}

/** Of data that nodes relay. */
const mostDataOutputs = 2;
/** Locktimes from here on are seconds (BIP 65). */
const firstSecond = 500_000_000n;

/**
 * Checkpoints and Arkade transaction, unsigned. Built here and not by the SDK, which decodes every leaf and makes both
 * trees anew for each spend, judging every key in them: these are the scripts that we made of judged keys before. A
 * test holds it to the SDK's bytes. Loses money when wrong: the operator refuses the spend, or the coin is stranded
 * between two transactions.
 */
export function offchainTx(
  inputs: readonly OffchainInput[],
  outputs: readonly Prevout[],
  unrollScript: Uint8Array,
): { readonly arkTx: Transaction; readonly checkpoints: Transaction[] } {
  refuseData(outputs);
  const checkpoints = inputs.map((input) => checkpointTx(input, unrollScript));
  return {
    arkTx: virtualTx(
      checkpoints.map(({ spent }) => spent),
      outputs,
    ),
    checkpoints: checkpoints.map(({ tx }) => tx),
  };
}

function checkpointTx(
  { coin, script, leaf, tapTree }: OffchainInput,
  unrollScript: Uint8Array,
): { tx: Transaction; spent: Spent } {
  const { outpoint, amount } = coin;
  const locktime = locktimeOf(leaf.script);
  const { tapLeaf } = leaf;
  const output = checkpointScript(unrollScript, leaf.script);
  const prevout: Prevout = { script: output.pkScript, amount };
  const tx = virtualTx([{ outpoint, prevout: { script, amount }, tapLeaf, tapTree, locktime }], [prevout]);
  const [, spending] = output.leaves;
  if (spending === undefined) throw new RangeError('a checkpoint has two leaves');
  const at: Outpoint = { txid: tx.id, vout: 0 };
  return { tx, spent: { outpoint: at, prevout, tapLeaf: spending.tapLeaf, tapTree: output.tapTree, locktime } };
}

/** Of a leaf, which is the same array as long as its script is in memory: all coins of the wallet have one. */
const checkpointScripts = new WeakMap<Uint8Array, { readonly unroll: Uint8Array; readonly script: TapScript }>();

function checkpointScript(unroll: Uint8Array, leaf: Uint8Array): TapScript {
  const before = checkpointScripts.get(leaf);
  if (before?.unroll === unroll) return before.script;
  const script = tapScript([unroll, leaf]);
  checkpointScripts.set(leaf, { unroll, script });
  return script;
}

function virtualTx(inputs: readonly Spent[], outputs: readonly Prevout[]): Transaction {
  const lockTime = latest(inputs.map(({ locktime }) => locktime));
  const tx = new Transaction({ version: 3, lockTime: Number(lockTime) });
  for (const [i, { outpoint, prevout, tapLeaf, tapTree }] of inputs.entries()) {
    tx.addInput({
      txid: outpoint.txid,
      index: outpoint.vout,
      ...(lockTime === 0n ? {} : { sequence: lockedSequence }),
      witnessUtxo: { ...prevout },
      tapLeafScript: [tapLeaf],
    });
    setArkPsbtField(tx, i, VtxoTaprootTree, tapTree);
  }
  for (const output of outputs) tx.addOutput({ ...output });
  tx.addOutput({ script: anchorScript, amount: 0n });
  return tx;
}

/** The locktime that a leaf begins with, zero without one. */
function locktimeOf(script: Uint8Array): bigint {
  const [value, check] = Script.decode(script);
  if (check !== 'CHECKLOCKTIMEVERIFY') return 0n;
  if (typeof value === 'number') return BigInt(value);
  if (value instanceof Uint8Array) return ScriptNum(6).decode(value);
  throw new RangeError('a leaf with a locktime begins with it');
}

function latest(locktimes: readonly bigint[]): bigint {
  const all = locktimes.filter((one) => one !== 0n);
  if (new Set(all.map((one) => one >= firstSecond)).size > 1)
    throw new RangeError('locktimes of seconds and of blocks do not go together');
  return all.reduce((one, other) => (other > one ? other : one), 0n);
}

function refuseData(outputs: readonly Prevout[]): void {
  const data = outputs.filter(({ script }) => Extension.isExtension(script) || Script.decode(script)[0] === 'RETURN');
  if (data.length > mostDataOutputs || data.filter(({ script }) => Extension.isExtension(script)).length > 1)
    throw new RangeError('an Arkade transaction has two outputs of data at most, and one extension');
}
