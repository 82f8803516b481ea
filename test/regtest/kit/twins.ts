import { Address, OutScript } from '@scure/btc-signer';
import { regtest } from './faucet.ts';

/** The key hash of a p2wpkh address, in a script without a witness: lnd has its key and lists what it gets. */
export function keyHashTwin(address: string): Uint8Array {
  const decoded = Address(regtest).decode(address);
  if (decoded.type !== 'wpkh') throw new Error(`${address} is no p2wpkh address`);
  return OutScript.encode({ type: 'pkh', hash: decoded.hash });
}

/** The key of a p2tr address as the hash of a witness script, which nobody has. */
export function witnessScriptTwin(address: string): Uint8Array {
  const decoded = Address(regtest).decode(address);
  if (decoded.type !== 'tr') throw new Error(`${address} is no p2tr address`);
  return OutScript.encode({ type: 'wsh', hash: decoded.pubkey });
}
