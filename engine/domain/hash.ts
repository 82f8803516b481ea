declare const preimage_: unique symbol;
declare const sha256_: unique symbol;
declare const hash160_: unique symbol;
declare const publicKey_: unique symbol;
declare const xOnly_: unique symbol;

/** The 32-byte secret of a swap. Any other length could be accepted on one leg and refused on the other. */
export type Preimage = Uint8Array & { readonly [preimage_]: true };
/** SHA-256 of the preimage: the form of Lightning and the EVM. */
export type Sha256 = Uint8Array & { readonly [sha256_]: true };
/** RIPEMD-160 of the SHA-256: the form of Bitcoin and Arkade scripts. */
export type Hash160 = Uint8Array & { readonly [hash160_]: true };
/** A compressed secp256k1 public key, 33 bytes. */
export type PublicKey = Uint8Array & { readonly [publicKey_]: true };
/** A BIP-340 public key, 32 bytes. */
export type XOnly = Uint8Array & { readonly [xOnly_]: true };

function exactly(bytes: Uint8Array, length: number, what: string): Uint8Array {
  if (bytes.length !== length) throw new RangeError(`${what} is ${length} bytes, not ${bytes.length}`);
  return bytes;
}

export function asPreimage(bytes: Uint8Array): Preimage {
  return exactly(bytes, 32, 'a preimage') as Preimage;
}

export function asSha256(bytes: Uint8Array): Sha256 {
  return exactly(bytes, 32, 'a SHA-256') as Sha256;
}

export function asHash160(bytes: Uint8Array): Hash160 {
  return exactly(bytes, 20, 'a HASH160') as Hash160;
}

export function asPublicKey(bytes: Uint8Array): PublicKey {
  return exactly(bytes, 33, 'a compressed public key') as PublicKey;
}

export function asXOnly(bytes: Uint8Array): XOnly {
  return exactly(bytes, 32, 'an x-only public key') as XOnly;
}

/** The x coordinate of a compressed key. */
export function xOnlyOf(key: PublicKey): XOnly {
  return asXOnly(key.subarray(1));
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}
