import { HDKey } from '@scure/bip32';
import { asPublicKey, type PublicKey } from '../domain/hash.ts';

/**
 * The non-hardened child keys of an extended public key (BIP-32), by index; null when the text is none. Published
 * wallets derive their user ids so (interop.md 1.3); a wrong child finds nobody's swaps.
 */
export function childKeys(xpub: string): ((index: number) => PublicKey) | null {
  let account: HDKey;
  try {
    account = HDKey.fromExtendedKey(xpub);
  } catch {
    return null; // the library says only that it is malformed
  }
  return (index) => {
    const key = account.deriveChild(index).publicKey;
    if (key === null) throw new RangeError(`the key has no child ${index}`);
    return asPublicKey(key);
  };
}
