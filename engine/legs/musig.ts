import { keyAggExport, keyAggregate, nonceAggregate, nonceGen, Session } from '@scure/btc-signer/musig2.js';
import { type PublicKey, sameBytes, type XOnly, xOnlyOf } from '../domain/hash.ts';
import { publicKeyOf, schnorrVerify, taggedHash, timesPlus } from './secp256k1.ts';

/*
 * MuSig2 (BIP-327) of two, provider and client, by the library's arithmetic; that is held against the vectors of the
 * BIP in the tests, and every signature that comes out of it is verified by the engine's own curve. The aggregate of
 * each create is reckoned by that curve, a hundred times faster, and held to the library's in the tests.
 *
 * Loses money when wrong: two signatures of one nonce, which show the private key; a partial signature for another
 * transaction than the one that was judged.
 */

/** Both keys in their order, which is never sorted, and the merkle root that tweaks their aggregate (BIP-341). */
export interface JointKey {
  readonly provider: PublicKey;
  readonly client: PublicKey;
  readonly root: Uint8Array;
}

/** Bytes of what one side shows the other. */
const publicNonceLength = 66;

/**
 * The aggregate of both keys, in this order, 33 bytes each and never sorted (facts/onchain.md 12). Throws on a key that
 * is no point. Wrong: an address at which the other side agrees to nothing, or nobody can sign.
 */
export function musigKey(provider: PublicKey, client: PublicKey): XOnly {
  const list = taggedHash('KeyAgg list', provider, client);
  const coefficientOf = (key: PublicKey): Uint8Array => taggedHash('KeyAgg coefficient', list, key);
  // The first key that differs from the first one counts once.
  const sum = sameBytes(provider, client)
    ? timesPlus(provider, coefficientOf(provider), timesPlus(client, coefficientOf(client), null))
    : timesPlus(provider, coefficientOf(provider), client);
  if (sum === null) throw new RangeError('two keys that cancel each other have no aggregate');
  return xOnlyOf(sum);
}

/** Whether the bytes of the other side are a nonce at all: before anything is done for it. */
export function isPublicNonce(bytes: Uint8Array): boolean {
  try {
    return bytes.length === publicNonceLength && nonceAggregate([bytes]).length === publicNonceLength;
  } catch {
    return false;
  }
}

/** A nonce of ours for one message: it signs once, and is nowhere but in memory. */
export interface OwnNonce {
  /** What the other side is shown, 66 bytes. */
  readonly shown: Uint8Array;
  /** Whether the other side's partial, by a nonce of its own, is one for this message: signs nothing. */
  fits(theirs: Uint8Array, theirPartial: Uint8Array): boolean;
  /**
   * Our partial signature beside the other side's nonce; null where that is none. Throws the second time, whatever came
   * of the first: two signatures of one nonce show the private key. `secret`: of the key that the nonce was made for.
   */
  sign(theirs: Uint8Array, secret: Uint8Array): OwnPartial | null;
}

interface OwnPartial {
  /** 32 bytes. */
  readonly partial: Uint8Array;
  /** The signature of both, verified; null where the other side's partial is none for this message. */
  join(theirPartial: Uint8Array): Uint8Array | null;
}

/** A fresh nonce for one signature of the message by the key of `secret`, which is one of the two. */
export function newNonce(joint: JointKey, message: Uint8Array, secret: Uint8Array): OwnNonce {
  const keys = [joint.provider, joint.client];
  const own = publicKeyOf(secret);
  const at = keys.findIndex((key) => sameBytes(key, own));
  if (at === -1) throw new RangeError('a key that is none of the two signs nothing');
  const tweak = taggedHash('TapTweak', musigKey(joint.provider, joint.client), joint.root);
  const output = keyAggExport(keyAggregate(keys, [tweak], [true]));
  // Randomness of the system, made anew here: nothing of it is ever on a disk, so that no copy can repeat it.
  const nonce = nonceGen(own, secret, output, message);
  const shown = nonce.public;
  let left: Uint8Array | null = nonce.secret;
  const both = (theirs: Uint8Array): Uint8Array[] => (at === 0 ? [shown, theirs] : [theirs, shown]);

  return {
    shown,
    fits(theirs, theirPartial) {
      const nonces = both(theirs);
      const session = sessionOf(nonces, keys, message, tweak);
      return session !== null && holds(session, theirPartial, nonces, 1 - at);
    },
    sign(theirs, key) {
      const once = left;
      left = null;
      if (once === null) throw new Error('a nonce signs once');
      const nonces = both(theirs);
      const session = sessionOf(nonces, keys, message, tweak);
      if (session === null) {
        once.fill(0);
        return null;
      }
      const partial = session.sign(once, key);
      return {
        partial,
        join(theirPartial) {
          if (!holds(session, theirPartial, nonces, 1 - at)) return null;
          const signature = session.partialSigAgg(at === 0 ? [partial, theirPartial] : [theirPartial, partial]);
          return schnorrVerify(signature, message, output) ? signature : null;
        },
      };
    },
  };
}

/** Null where one of the nonces is none. */
function sessionOf(nonces: Uint8Array[], keys: Uint8Array[], message: Uint8Array, tweak: Uint8Array): Session | null {
  try {
    return new Session(nonceAggregate(nonces), keys, message, [tweak], [true]);
  } catch {
    return null;
  }
}

function holds(session: Session, partial: Uint8Array, nonces: Uint8Array[], signer: number): boolean {
  try {
    return session.partialSigVerify(partial, nonces, signer);
  } catch {
    return false; // the library throws for what is no scalar
  }
}
