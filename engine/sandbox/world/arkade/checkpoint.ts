import { ArkPsbtFieldKeyType, TapTreeCoder, Transaction } from '@arkade-os/sdk';
import { sameBytes } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { Coin } from './coins.ts';
import { badInput } from './errors.ts';
import { type Psbt, anchorScript, soleLeaf, tapTreeOf } from './psbt.ts';
import { type CoinScript, type Leaf, checkScript, coinScriptOf } from './script.ts';
import { checkpointExitScript } from './settings.ts';
import { type OperatorState, scriptRules } from './state.ts';

/** A checkpoint as it must be: rebuilt from the coin and the leaf that spends it. */
export interface Checkpoint {
  readonly coin: Coin;
  readonly leaf: Leaf;
  readonly given: Psbt;
  readonly rebuilt: Psbt;
  /** The coin's own script, and that of the checkpoint's output. */
  readonly tree: CoinScript;
  readonly output: CoinScript;
}

export function rebuildCheckpoint(state: OperatorState, given: Psbt, coin: Coin): Checkpoint {
  const { witnessUtxo } = given.getInput(0);
  if (witnessUtxo === undefined) throw badInput(given, 0, 'missing witness utxo');
  if (witnessUtxo.amount !== coin.amount) {
    throw badInput(given, 0, `witness utxo value mismatch: expected ${coin.amount}, got ${witnessUtxo.amount}`);
  }
  if (toHex(witnessUtxo.script) !== coin.script) {
    throw badInput(given, 0, `witness utxo script mismatch: expected ${coin.script}, got ${toHex(witnessUtxo.script)}`);
  }
  const spending = soleLeaf(given, 0);
  if (spending === null) throw badInput(given, 0, 'expected exactly one taproot leaf script');
  const tree = tapTreeOf(given, 0);
  if (tree === null) throw badInput(given, 0, 'missing or invalid taptree');
  checkScript(tree, scriptRules(state));
  if (toHex(tree.pkScript) !== coin.script) {
    throw badInput(given, 0, `expected ${coin.script.slice(4)}, got ${toHex(tree.pkScript.subarray(2))}`);
  }
  const { leaf, proof } = spending;
  if (leaf === null || leaf.delay !== null) {
    throw badInput(given, 0, `invalid spending tapscript on input 0: ${toHex(proof[1].subarray(0, -1))}`);
  }
  const treeProof = tree.proofs.get(toHex(leaf.hash));
  if (treeProof === undefined || !sameProof(treeProof, proof))
    throw badInput(given, 0, 'tap leaf is not part of the taptree');

  const output = coinScriptOf([checkpointExitScript(state.settings, state.keys), leaf.script]);
  const rebuilt = new Transaction({ version: 3, lockTime: Number(leaf.locktime ?? 0n) });
  rebuilt.addInput({
    txid: coin.txid,
    index: coin.vout,
    sequence: leaf.locktime === null ? 0xffffffff : 0xfffffffe,
    witnessUtxo: { script: tree.pkScript, amount: coin.amount },
    tapLeafScript: [treeProof],
  });
  rebuilt.addOutput({ script: output.pkScript, amount: coin.amount });
  rebuilt.addOutput({ script: anchorScript, amount: 0n });
  return { coin, leaf, given, rebuilt, tree, output };
}

type Proof = CoinScript['proofs'] extends ReadonlyMap<string, infer P> ? P : never;

function sameProof(a: Proof, b: Proof): boolean {
  return (
    sameBytes(a[0].internalKey, b[0].internalKey) &&
    sameBytes(a[1], b[1]) &&
    a[0].merklePath.length === b[0].merklePath.length &&
    a[0].merklePath.every((node, i) => sameBytes(node, b[0].merklePath[i] ?? new Uint8Array()))
  );
}

export function tapTreeField(tree: CoinScript): [{ type: number; key: Uint8Array }, Uint8Array] {
  const encoded = TapTreeCoder.encode(tree.scripts.map((script) => ({ depth: 1, version: 0xc0, script })));
  return [{ type: ArkPsbtFieldKeyType, key: new TextEncoder().encode('taptree') }, encoded];
}
