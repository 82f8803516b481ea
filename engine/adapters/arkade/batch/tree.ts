import { CosignerPublicKey, getArkPsbtFields, type TxTree } from '@arkade-os/sdk';
import { keyAggregate, sortKeys } from '@scure/btc-signer/musig2.js';
import { SigHash, type Transaction } from '@scure/btc-signer';
import { tagSchnorr } from '@scure/btc-signer/utils.js';
import { sameBytes } from '../../../domain/hash.ts';
import { schnorrVerify } from '../../../legs/secp256k1.ts';
import type { Payment } from '../build.ts';

type Node = Pick<TxTree, 'root' | 'children' | 'txid'>;

/** A transaction of the tree, and the output that it spends. */
export interface Branch {
  readonly tx: Transaction;
  readonly spends: Payment;
}

/**
 * The transactions that lead from the commitment to every output we were promised. Null unless each of them spends an
 * output that all its cosigners own together, us among them: whatever hangs on another key the operator can take away
 * by itself, the output of the commitment above all, which the SDK's own look at the tree leaves out.
 */
export function branchesTo(
  outputs: readonly Payment[],
  tree: Node,
  spent: Payment,
  by: { readonly cosigner: Uint8Array; readonly sweepRoot: Uint8Array },
): Branch[] | null {
  const own = cosigned(tree.root, by.cosigner, by.sweepRoot);
  const here = Array.from({ length: tree.root.outputsLength }, (_, i) => tree.root.getOutput(i));
  const under: Branch[] = [];
  for (const [vout, child] of tree.children) {
    const { script, amount } = here[vout] ?? {};
    if (script === undefined || amount === undefined) return null;
    if (!leadsTo(outputs, child)) continue;
    const more = branchesTo(outputs, child, { script, amount }, by);
    if (more === null) return null;
    under.push(...more);
  }
  return own !== null && sameBytes(own, spent.script) ? [{ tx: tree.root, spends: spent }, ...under] : null;
}

function leadsTo(outputs: readonly Payment[], { root, children }: Node): boolean {
  if (children.size > 0) return [...children.values()].some((child) => leadsTo(outputs, child));
  return Array.from({ length: root.outputsLength }, (_, i) => root.getOutput(i)).some(
    ({ script }) => script !== undefined && outputs.some((one) => sameBytes(one.script, script)),
  );
}

/** The output that the cosigners named in a transaction own together; null when `cosigner` is none of them. */
function cosigned(tx: Transaction, cosigner: Uint8Array, sweepRoot: Uint8Array): Uint8Array | null {
  const keys = getArkPsbtFields(tx, 0, CosignerPublicKey).map(({ key }) => key);
  if (!keys.some((key) => sameBytes(key, cosigner))) return null;
  const sorted = sortKeys(keys);
  const inner = keyAggregate(sorted).aggPublicKey.toBytes(true).subarray(1);
  const tweak = tagSchnorr('TapTweak', inner, sweepRoot);
  return Uint8Array.of(0x51, 0x20, ...keyAggregate(sorted, [tweak], [true]).aggPublicKey.toBytes(true).subarray(1));
}

/**
 * Whether a branch can go to the chain: without its signature it is worth nothing, and whoever kept that has the coin.
 */
export function isSigned({ tx, spends }: Branch): boolean {
  const { tapKeySig } = tx.getInput(0);
  if (tapKeySig?.length !== 64) return false;
  return schnorrVerify(
    tapKeySig,
    tx.preimageWitnessV1(0, [spends.script], SigHash.DEFAULT, [spends.amount]),
    spends.script.subarray(2),
  );
}
