import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Address, OutScript, p2ms, Transaction } from '@scure/btc-signer';
import { readRawTx } from '../../../engine/legs/raw-tx.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
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

const key = new Uint8Array(32).fill(9);

/** A script that a stranger's key spends as well as this one, so that its wallet lists it. */
export function eitherKeyTwin(pubkey: Uint8Array): Uint8Array {
  return p2ms(1, [pubkey, secp256k1.getPublicKey(key, true)]).script;
}

/** The stranger takes an output of `eitherKeyTwin`: all of it to an address, but for what miners take. */
export function takenByStranger(of: { readonly hex: string; readonly vout: number }, to: string, fee: bigint): string {
  const made = readRawTx(fromHex(of.hex));
  const output = made?.outputs[of.vout];
  if (made === null || output === undefined) throw new Error('there is no such output');
  const transaction = new Transaction({ disableScriptCheck: true });
  transaction.addInput({ txid: made.txid, index: of.vout, nonWitnessUtxo: of.hex });
  transaction.addOutputAddress(to, output.amount - fee, regtest);
  transaction.sign(key);
  transaction.finalize();
  return transaction.hex;
}

/** The key by which a transaction spends a `keyHashTwin`. */
export function keyOfTwin(hex: string): Uint8Array {
  const transaction = Transaction.fromRaw(fromHex(hex), { allowUnknownInputs: true, disableScriptCheck: true });
  for (let i = 0; i < transaction.inputsLength; i++) {
    const script = transaction.getInput(i).finalScriptSig;
    if (script !== undefined && script.length > 33) return script.slice(-33);
  }
  throw new Error('it spends no key hash without a witness');
}
