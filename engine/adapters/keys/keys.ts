import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { BIP32Interface } from 'bip32';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import { asPreimage, asPublicKey, type Preimage, type PublicKey, xOnlyOf } from '../../domain/hash.ts';
import type { TakerEvmKey } from '../../legs/evm/taker-key.ts';
import { bip32, schnorrSign, taggedHash } from '../../legs/secp256k1.ts';
import type { KeyRef, Signer } from '../../legs/signer.ts';
import { userIdsBelow } from '../../legs/xpub.ts';

/**
 * Every key of a data folder, from one BIP-39 seed. Nothing random is ever added: whoever has the seed and a counter
 * has every key.
 */
export interface Keys {
  /** A copy of 32 bytes that the caller may wipe. */
  privateKey(ref: KeyRef): Uint8Array;
  signer(ref: KeyRef): Signer;
  /** The taker's preimage of one swap, bound to its key of the same index (facts/clients.md 13). */
  takerSecret(index: number): Preimage;
  /** The private key of one of the taker's accounts on EVM chains, 32 bytes (facts/clients.md 13). */
  takerEvmSecret(key: TakerEvmKey): Uint8Array;
  /** The taker's `user_id`, by which a provider finds its swaps again. */
  userId(index: number): PublicKey;
  /** The extended public key of every `userId`: what a provider is given to find all of them, and nothing else. */
  readonly userXpub: string;
  /** 32 bytes to encrypt what is stored under `purpose`. */
  sealingKey(purpose: string): Uint8Array;
}

/** The path element of every key that only this product derives: the letters `Slui`, below 2^31. */
const product = 0x536c7569;
const networkNumber: Record<BitcoinNetwork, number> = { mainnet: 0, signet: 1, regtest: 2, mutinynet: 3 };
/** Never renumber: a branch's keys hold money. */
const branchNumber = { swap: 0, 'arkade-wallet': 1, delegate: 2, sealing: 3 } as const;

/** Derivations of published clients, so that a seed finds its swaps with either software (facts/clients.md 13). */
const takerPath = "m/83696968'/121923'";
const userIdPath = "m/9419'/121923'/0'";
/** Where every wallet looks for the first account of a seed, so that what comes back to it is never out of reach. */
const takerWalletPath = "m/44'/60'/0'/0/0";
const belowSwap = 60;
const preimageTag = 'lendaswap/preimage';

/** A swap's key is made before the swap, while nobody waits: so many of those made last are kept. */
const mostAhead = 32;

/** BIP-32: indices from here on are hardened. */
const hardened = 0x80000000;

/** The first taproot account of BIP-86, so that any wallet finds the on-chain coins of a seed: BIP-44's coin types. */
const coinType: Record<BitcoinNetwork, number> = { mainnet: 0, signet: 1, regtest: 1, mutinynet: 1 };
/**
 * The same for the account on EVM chains: the second one, for the first is the taker's. A test network has the number
 * of Polygon as well, so what is signed there must be by another account than the one with the money.
 */
const evmCoinType: Record<BitcoinNetwork, number> = { mainnet: 60, signet: 1, regtest: 1, mutinynet: 1 };

export function createKeys(seed: Uint8Array, network: BitcoinNetwork): Keys {
  const master = bip32.fromSeed(seed);
  const root = master.derivePath(`m/${product}'/${networkNumber[network]}'`);
  const account = master.derivePath(`m/86'/${coinType[network]}'/0'`);
  const branches = {
    swap: root.deriveHardened(branchNumber.swap),
    taker: master.derivePath(takerPath),
  };
  const userAccount = master.derivePath(userIdPath);
  const userId = userIdsBelow(userAccount);
  const single = {
    'arkade-wallet': root.deriveHardened(branchNumber['arkade-wallet']),
    delegate: root.deriveHardened(branchNumber.delegate),
    'evm-account': master.derivePath(`m/44'/${evmCoinType[network]}'/1'/0/0`),
  };
  /** Not hardened, as the standard has them: whoever has the account's public key sees these coins, and spends none. */
  const open = { 'bitcoin-deposit': account.derive(0), 'bitcoin-change': account.derive(1) };
  const takerWallet = master.derivePath(takerWalletPath);
  const sealing = secretOf(root.deriveHardened(branchNumber.sealing));

  function node(ref: KeyRef): BIP32Interface {
    if (!('index' in ref)) return single[ref.branch];
    const index = indexOf(ref.index);
    if (ref.branch === 'bitcoin-deposit' || ref.branch === 'bitcoin-change') return open[ref.branch].derive(index);
    return branches[ref.branch].deriveHardened(index);
  }

  const ahead = new Map<number, Signer>();

  function keepAhead(index: number, made: Signer): void {
    ahead.set(index, made);
    const [oldest] = ahead.keys();
    if (ahead.size > mostAhead && oldest !== undefined) ahead.delete(oldest);
  }

  return {
    privateKey: (ref) => secretOf(node(ref)),
    signer(ref) {
      const cached = ref.branch === 'swap' ? ahead.get(ref.index) : undefined;
      if (cached !== undefined) return cached;
      const key = node(ref);
      const publicKey = publicOf(key);
      const secret = secretOf(key);
      const made = {
        publicKey,
        xOnly: xOnlyOf(publicKey),
        sign: (message: Uint8Array) => schnorrSign(message, secret),
      };
      if (ref.branch === 'swap') keepAhead(ref.index, made);
      return made;
    },
    takerSecret(index) {
      const secret = secretOf(node({ branch: 'taker', index }));
      return asPreimage(taggedHash(preimageTag, secret));
    },
    takerEvmSecret({ scheme, index }) {
      if (scheme === 'wallet') return secretOf(takerWallet);
      const swap = node({ branch: 'taker', index });
      return secretOf(scheme === 'swap' ? swap : swap.deriveHardened(belowSwap));
    },
    userId: (index) => userId(indexOf(index)),
    userXpub: userAccount.neutered().toBase58(),
    sealingKey: (purpose) => hkdf(sha256, sealing, undefined, new TextEncoder().encode(purpose), 32),
  };
}

function indexOf(index: number): number {
  if (!Number.isInteger(index) || index < 0 || index >= hardened)
    throw new RangeError(`a key index is a whole number below 2^31, not ${index}`);
  return index;
}

function secretOf(key: BIP32Interface): Uint8Array {
  if (key.privateKey === undefined) throw new Error('a key of the node has no private half');
  return Uint8Array.from(key.privateKey);
}

function publicOf(key: BIP32Interface): PublicKey {
  return asPublicKey(Uint8Array.from(key.publicKey));
}
