import { sameBytes } from '../../domain/hash.ts';
import type { Hash160, Preimage } from '../../domain/hash.ts';
import { type Outpoint, sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { CoinRef, Prevout } from '../psbt.ts';
import { opensOffLength, preimageMatches } from '../secret.ts';
import { schnorrVerify } from '../secp256k1.ts';
import {
  arkadeValues,
  leafScriptsOf,
  leafSignatures,
  readSeenTx,
  candidatesIn,
  itemsIn,
  type SeenTx,
  statedPrevout,
  withoutAnnex,
} from '../seen-tx.ts';
import { leafMessageOf } from '../taproot-message.ts';
import type { Leaf } from '../tapscript.ts';
import type { SeenCoin } from './events.ts';
import { checkpointOf } from './offchain.ts';
import type { VhtlcSpend } from './transaction.ts';
import type { VhtlcLeaf } from './script.ts';
import { decodeTapTree } from '../tapscript.ts';
import { leafSigners, vhtlcLeaves, vhtlcScript } from './script.ts';
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
 * The preimage among everything that a transaction carries, found by its hash and its length of 32, never by its place:
 * whoever trusts a place can be shown anything there. Where an input spends `coin` on the chain it is looked for in
 * that one alone: the script took it from there, and a miner could fill the others with candidates.
 */
function findPreimage(hash: Hash160, { inputs, isPsbt }: SeenTx, coin: Outpoint | null): Preimage | null {
  const own = coin === null ? [] : inputs.filter((input) => sameOutpoint(input, coin));
  const others = own.length > 0 && !isPsbt ? [] : inputs.filter((input) => !own.includes(input));
  for (const input of [...own, ...others]) {
    for (const item of candidatesIn(input)) {
      const preimage = preimageMatches(hash, item);
      if (preimage !== null) return preimage;
    }
  }
  return null;
}

/**
 * The preimage in an Arkade transaction, checkpoint, forfeit, intent proof or raw transaction; `coin` is what it is
 * said to spend.
 */
export function preimageIn(hash: Hash160, bytes: Uint8Array, coin: Outpoint | null = null): Preimage | null {
  const seen = readSeenTx(bytes);
  return seen && findPreimage(hash, seen, coin);
}

/**
 * How a transaction spends `coin`, a coin of the VHTLC: by which leaf, and with which preimage when it claims. Reads an
 * Arkade transaction (through the checkpoint, which is rebuilt here), a checkpoint, a forfeit, or a transaction on the
 * chain.
 *
 * Null says that the bytes do not show a spend of this coin by one of the six leaves, signed by everyone but the
 * operator whose leaf it is: the operator's word alone is then the only sign that the coin is gone, which is an alarm
 * (facts/arkade.md 32). A claim without the receiver's signature shows its preimage all the same, and is marked: to the
 * sender the preimage is all, to the receiver it is its own secret in somebody's hands and no sign that the coin is
 * gone.
 */
export function readSpend(terms: VhtlcTerms, bytes: Uint8Array, coin: CoinRef): VhtlcSpend | null {
  const seen = readSeenTx(bytes);
  if (seen === null) return null;
  for (const [i, input] of seen.inputs.entries()) {
    const leafSpend = sameOutpoint(input, coin)
      ? directSpend(terms, seen, i, coin)
      : spendThroughCheckpoint(terms, seen, i, coin);
    if (!leafSpend) continue;
    const signed = ownersSigned(terms, seen, i, leafSpend);
    if (meaning[leafSpend.name] === 'claim') {
      const preimage = findPreimage(terms.hash, seen, input);
      if (preimage !== null) return { leaf: 'claim', preimage, ...(signed ? {} : { unsigned: true as const }) };
      return signed && isOffLength(terms, seen) ? { leaf: 'off-length' } : null;
    }
    return signed ? { leaf: meaning[leafSpend.name] as 'refund' | 'refund-without-receiver' } : null;
  }
  return null;
}

/** Wherever it stands: the receiver signed for the claim leaf, and nothing else opens it. */
function isOffLength({ hash, sizeGuard }: VhtlcTerms, { inputs }: SeenTx): boolean {
  if (sizeGuard !== false) return false;
  for (const input of inputs) for (const item of itemsIn(input)) if (opensOffLength(hash, item)) return true;
  return false;
}

interface LeafSpend {
  readonly name: VhtlcLeaf;
  /** The leaf as the spent output has it. */
  readonly leaf: Leaf;
  readonly spent: Prevout;
}

function directSpend(terms: VhtlcTerms, { inputs }: SeenTx, index: number, coin: CoinRef): LeafSpend | null {
  const script = vhtlcScript(terms);
  const input = inputs[index];
  const carried = input === undefined ? [] : leafScriptsOf(input);
  const name = vhtlcLeaves.find((leaf) => carried.some((bytes) => sameBytes(bytes, script.leaf[leaf].script)));
  return name && carried.length === 1
    ? { name, leaf: script.leaf[name], spent: { script: script.pkScript, amount: coin.amount } }
    : null;
}

function spendThroughCheckpoint(terms: VhtlcTerms, { inputs }: SeenTx, index: number, coin: CoinRef): LeafSpend | null {
  const input = inputs[index];
  if (input?.vout !== 0) return null;
  const script = vhtlcScript(terms);
  for (const tree of arkadeValues(input, 'taptree')) {
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
    if (checkpoint.txid === input.txid) return { name, leaf: checkpoint.leaf, spent: checkpoint.prevout };
  }
  return null;
}

function ownersSigned(terms: VhtlcTerms, seen: SeenTx, index: number, leafSpend: LeafSpend): boolean {
  const prevouts = knownPrevouts(seen, index, leafSpend.spent);
  // A raw transaction does not say what its other inputs spend; it comes from the chain, which verified it.
  if (!prevouts) return !seen.isPsbt;
  return leafSigners(terms, leafSpend.name)
    .filter((key) => !sameBytes(key, terms.operator))
    .every((key) => hasSigned(seen, index, prevouts, leafSpend.leaf, key));
}

/** A leaf has three keys at most; every further item would cost whoever looks a verification. */
const mostSignatures = 4;

/** By any kind of signature that the chain takes: what it leaves open is the signer's affair. */
function hasSigned(
  { tx, inputs }: SeenTx,
  index: number,
  prevouts: readonly Prevout[],
  leaf: Leaf,
  key: Uint8Array,
): boolean {
  const input = inputs[index];
  if (input === undefined) return false;
  const { items, annex } = withoutAnnex(input.stack);
  const final = items.filter(({ length }) => length === 64 || length === 65);
  return [...leafSignatures(input, key, leaf.hash), ...final].slice(0, mostSignatures).some((signature) => {
    const sighash = signature.length === 65 ? (signature[64] ?? 0) : 0;
    // BIP 341: the default type is not written.
    if (signature.length === 65 && sighash === 0) return false;
    const message = leafMessageOf(tx, index, { prevouts, leafHash: leaf.hash, sighash, annex });
    return message !== null && schnorrVerify(signature.subarray(0, 64), message, key);
  });
}

function knownPrevouts({ inputs }: SeenTx, index: number, ours: Prevout): Prevout[] | null {
  const prevouts = inputs.map((input, i) => (i === index ? ours : statedPrevout(input)));
  return prevouts.every((prevout) => prevout !== null) ? prevouts : null;
}

/**
 * Spent, and nobody but the operator says so: where the coin lies on the chain it is to be had there. A claim that its
 * receiver signed is no such word; one that nobody signed is (facts/faults.md 350).
 */
export function isByWord({ spent, spend, unrolled, onChain }: SeenCoin): boolean {
  const isSignedClaim = typeof spend === 'object' && spend?.leaf === 'claim' && spend.unsigned !== true;
  return spent && !unrolled && onChain === undefined && !isSignedClaim;
}

/**
 * Shown as claimed by a transaction that its receiver did not sign, and that is not `sent`, the receiver's own: whoever
 * has seen its claim can show the secret so. Taken for its claim, the receiver loses the coin (facts/faults.md 68,
 * 351).
 */
export function isUnsignedClaim({ spent, spend, spentIn }: SeenCoin, sent: Txid | null): boolean {
  const isUnsigned = spent && typeof spend === 'object' && spend?.leaf === 'claim' && spend.unsigned === true;
  return isUnsigned && (sent === null || spentIn !== sent);
}

/**
 * Shown as refunded by the leaf of the sender and the operator while its locktime is ahead, or nothing was read of the
 * chain. Nothing takes a coin so, and the two together can sign it all the same: it is their word, and the receiver
 * loses all that it paid for where it is believed (facts/faults.md 348). That the coin had expired would be the
 * operator's word too, and a batch shows no leaf of one that has (facts/arkade.md 29). Of a coin on the chain the chain
 * says what took it.
 *
 * `mtp`: in unix seconds, the furthest median time past by any reading of the chain.
 */
export function isEarlyRefund(coin: SeenCoin, { refundLocktime }: VhtlcTerms, mtp: Unix | null): boolean {
  const { spend } = coin;
  const isAlone = typeof spend === 'object' && spend?.leaf === 'refund-without-receiver';
  return isAlone && isByWord(coin) && (mtp === null || mtp < refundLocktime);
}

/**
 * Refunded by the leaf that both sides sign, and not for good: with both halves of ours the other side may submit that,
 * and withhold for ever its own half of what makes it final (facts/faults.md 269). What we signed alone goes on.
 */
export function isHalfRefunded({ pending, spend }: SeenCoin): boolean {
  return pending === true && typeof spend === 'object' && spend?.leaf === 'refund';
}
