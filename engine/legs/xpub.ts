import type { BIP32Interface } from 'bip32';
import { refuse, type Refusal } from '../domain/errors.ts';
import { asPublicKey, type PublicKey } from '../domain/hash.ts';
import { bip32 } from './secp256k1.ts';

/**
 * Where published wallets keep their user ids, below the account that they show (facts/clients.md 13): `9419/121923/i`.
 */
const userIdPlace = [9419, 121923] as const;

/** The user ids of an account (BIP-32) by index, which is below `keyIndices`. A wrong child finds nobody's swaps. */
export function userIdsBelow(account: BIP32Interface): (index: number) => PublicKey {
  const branch = userIdPlace.reduce((key, child) => key.derive(child), account);
  return (index) => asPublicKey(Uint8Array.from(branch.derive(index).publicKey));
}

/** The user ids of an extended public key as text. A private one is refused: whoever is sent it holds the money. */
export function userIdsOf(xpub: string): ((index: number) => PublicKey) | Refusal {
  let account: BIP32Interface;
  try {
    account = bip32.fromBase58(xpub);
  } catch {
    return refuse(
      'invalid',
      'xpub is not an extended public key: send the one of the account that your user ids come from.',
    ); // the library says only that it is malformed
  }
  if (account.isNeutered()) return userIdsBelow(account);
  account.privateKey?.fill(0);
  return refuse(
    'invalid',
    'xpub is an extended private key, which can spend what it holds and must be shown to nobody: send the ' +
      'extended public key (xpub...) of the same account.',
  );
}
