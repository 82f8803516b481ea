import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { p2sh, p2tr, p2wpkh } from '@scure/btc-signer';
import { fromHex } from '../../../domain/hex.ts';

/** The kinds of address that lnd's wallet makes. */
export type AddressKind = 'p2wpkh' | 'np2wpkh' | 'p2tr';

/** An address of the node's on-chain wallet, by its number among all that it made. */
export interface WalletAddress {
  readonly kind: AddressKind;
  readonly index: number;
}

/** The output script of an address; its key comes from the node's own. */
export function walletScript(nodeKey: string, { kind, index }: WalletAddress): Uint8Array {
  const key = sha256(Uint8Array.from([...fromHex(nodeKey), ...new TextEncoder().encode(`wallet ${index}`)]));
  if (kind === 'p2tr') return p2tr(schnorr.getPublicKey(key)).script;
  const inner = p2wpkh(secp256k1.getPublicKey(key, true));
  return kind === 'p2wpkh' ? inner.script : p2sh(inner).script;
}
