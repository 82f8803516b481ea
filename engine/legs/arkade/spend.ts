import { SigHash } from '@scure/btc-signer';
import { asPreimage, sameBytes } from '../../domain/hash.ts';
import type { Hash160, Preimage } from '../../domain/hash.ts';
import type { CoinRef } from '../psbt.ts';
import { checkpointOf } from './offchain.ts';
import type { VhtlcSpend } from './transaction.ts';
import type { Prevout, Tx } from '../psbt.ts';
import {
  conditionItems,
  isPsbt,
  outpointOf,
  prevoutsOf,
  readTx,
  signedBy,
  tapTreeFields,
  witnessItems,
} from '../psbt.ts';
import type { Leaf, TapLeaf } from '../tapscript.ts';
import type { VhtlcLeaf } from './script.ts';
import { decodeTapTree } from '../tapscript.ts';
import { hash160, leafSigners, vhtlcLeaves, vhtlcScript } from './script.ts';
import type { VhtlcTerms } from './terms.ts';

/** The leaves that the operator signs too, and so can be spent without the chain. */
const collaborative: readonly VhtlcLeaf[] = ['claim', 'refund', 'refund-without-receiver'];

/** What each leaf means for the swap, on the chain or off it. */
const meaning = {
  claim: 'claim',
  'unilateral-claim': 'claim',
  refund: 'refund',
  'unilateral-refund': 'refund',
  'refund-without-receiver': 'refund-without-receiver',
  'unilateral-refund-without-receiver': 'refund-without-receiver',
} as const satisfies Record<VhtlcLeaf, VhtlcSpend['leaf']>;

/**
 * The preimage among everything that any input of a transaction carries, found by its hash and its length of 32, never
 * by its place: whoever trusts a place can be shown anything there.
 */
export function findPreimage(hash: Hash160, tx: Tx): Preimage | null {
  for (let i = 0; i < tx.inputsLength; i++) {
    for (const item of [...conditionItems(tx, i), ...witnessItems(tx, i)]) {
      if (item.length === 32 && sameBytes(hash160(item), hash)) return asPreimage(item);
    }
  }
  return null;
}

/** `findPreimage` over bytes: an Arkade transaction, checkpoint, forfeit, intent proof or raw transaction. */
export function preimageIn(hash: Hash160, bytes: Uint8Array): Preimage | null {
  const tx = readTx(bytes);
  return tx && findPreimage(hash, tx);
}

/**
 * How a transaction spends `coin`, a coin of the VHTLC: by which leaf, and with which preimage when it claims. Reads an
 * Arkade transaction (through the checkpoint, which is rebuilt here), a checkpoint, a forfeit, or a transaction on the
 * chain.
 *
 * Null says that the bytes do not show a spend of this coin by one of the six leaves, signed by everyone but the
 * operator whose leaf it is: the operator's word alone is then the only sign that the coin is gone, which is an alarm
 * (facts/arkade.md 32). A claim without the receiver's signature shows its preimage all the same, and is marked: to the
 * sender the preimage is all, to the receiver it is its own secret in somebody's hands and no sign that the coin is gone.
 */
export function readSpend(terms: VhtlcTerms, bytes: Uint8Array, coin: CoinRef): VhtlcSpend | null {
  const tx = readTx(bytes);
  if (!tx) return null;
  for (let i = 0; i < tx.inputsLength; i++) {
    const leafSpend = directSpend(terms, tx, i, coin) ?? spendThroughCheckpoint(terms, tx, i, coin);
    if (!leafSpend) continue;
    const signed = ownersSigned(terms, tx, i, leafSpend, !isPsbt(bytes));
    if (meaning[leafSpend.name] === 'claim') {
      const preimage = findPreimage(terms.hash, tx);
      return preimage && { leaf: 'claim', preimage, ...(signed ? {} : { unsigned: true as const }) };
    }
    return signed ? { leaf: meaning[leafSpend.name] as 'refund' | 'refund-without-receiver' } : null;
  }
  return null;
}

interface LeafSpend {
  readonly name: VhtlcLeaf;
  /** The leaf as the spent output has it. */
  readonly leaf: Leaf;
  readonly spent: Prevout;
}

function directSpend(terms: VhtlcTerms, tx: Tx, index: number, coin: CoinRef): LeafSpend | null {
  const spent = outpointOf(tx, index);
  if (spent?.txid !== coin.txid || spent.vout !== coin.vout) return null;
  const script = vhtlcScript(terms);
  const carried = leafScriptsOf(tx, index);
  const name = vhtlcLeaves.find((leaf) => carried.some((bytes) => sameBytes(bytes, script.leaf[leaf].script)));
  return name && carried.length === 1
    ? { name, leaf: script.leaf[name], spent: { script: script.pkScript, amount: coin.amount } }
    : null;
}

function spendThroughCheckpoint(terms: VhtlcTerms, tx: Tx, index: number, coin: CoinRef): LeafSpend | null {
  const spent = outpointOf(tx, index);
  if (!spent || spent.vout !== 0) return null;
  const script = vhtlcScript(terms);
  for (const tree of tapTreeFields(tx, index)) {
    const [unroll, leafScript, ...more] = decodeTapTree(tree) ?? [];
    if (!unroll || !leafScript || more.length > 0) continue;
    const name = collaborative.find((leaf) => sameBytes(script.leaf[leaf].script, leafScript));
    if (!name) continue;
    const checkpoint = checkpointOf(
      coin,
      leafScript,
      unroll,
      name === 'refund-without-receiver' ? terms.refundLocktime : 0,
    );
    if (checkpoint.txid === spent.txid) return { name, leaf: checkpoint.leaf, spent: checkpoint.prevout };
  }
  return null;
}

function leafScriptsOf(tx: Tx, index: number): Uint8Array[] {
  const carried = (tx.getInput(index).tapLeafScript ?? []) as unknown as TapLeaf[];
  if (carried.length > 0) return carried.map(([, script]) => script.subarray(0, -1));
  const revealed = witnessItems(tx, index).at(-2); // BIP 341: the script comes before the control block
  return revealed ? [revealed] : [];
}

function ownersSigned(terms: VhtlcTerms, tx: Tx, index: number, leafSpend: LeafSpend, raw: boolean): boolean {
  const prevouts = knownPrevouts(tx, index, leafSpend.spent);
  // A raw transaction does not say what its other inputs spend; it comes from the chain, which verified it.
  if (!prevouts) return raw;
  return leafSigners(terms, leafSpend.name)
    .filter((key) => !sameBytes(key, terms.operator))
    .every((key) => signedBy(tx, index, prevouts, leafSpend.leaf, key, signable));
}

const signable = [SigHash.DEFAULT, SigHash.ALL, SigHash.ALL_ANYONECANPAY] as const;

function knownPrevouts(tx: Tx, index: number, ours: Prevout): Prevout[] | null {
  if (tx.inputsLength === 1) return [ours];
  const prevouts = prevoutsOf(tx);
  return prevouts && prevouts.map((prevout, i) => (i === index ? ours : prevout));
}
