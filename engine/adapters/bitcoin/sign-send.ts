import { Transaction } from 'bitcoinjs-lib/src/transaction';
import type { Txid } from '../../domain/outpoint.ts';
import { addressOfScript } from '../../legs/onchain/address.ts';
import { keyPathScript } from '../../legs/onchain/taproot.ts';
import { type Payment, unsignedTx } from '../../legs/onchain/transaction.ts';
import type { WalletCoin } from '../../legs/onchain/wallet-coin.ts';
import { keyPathSecret, schnorrSign, xOnlyKeyOf } from '../../legs/secp256k1.ts';
import type { KeyRef } from '../../legs/signer.ts';

/**
 * By the sequence of its inputs: `replaceable` by a higher fee (BIP-125), or `final`, whose locktime counts all the
 * same.
 */
export const sequences = { replaceable: 0xfffffffd, final: 0xfffffffe } as const;

/**
 * Pays coins of the wallet to these outputs, signed by the key paths of their keys (BIP-341). Throws where an output
 * has a script that no address stands for, for nobody may be able to spend it, and where they pay more than the coins
 * hold.
 */
export function signSend(
  keys: (ref: KeyRef) => Uint8Array,
  {
    coins,
    outputs,
    sequence,
  }: {
    coins: readonly WalletCoin[];
    outputs: readonly Payment[];
    sequence: number;
  },
): { readonly txid: Txid; readonly bytes: Uint8Array; readonly vsize: number } {
  for (const { script } of outputs) addressOfScript(script, 'mainnet');
  const spent = coins.map(({ key, amount }) => {
    const secret = keys(key);
    const own = { script: keyPathScript(xOnlyKeyOf(secret)), amount, secret: keyPathSecret(secret) };
    secret.fill(0);
    return own;
  });
  const tx = unsignedTx({
    inputs: coins.map(({ outpoint, amount }) => ({ ...outpoint, amount })),
    outputs,
    sequence,
  });
  for (const [i, { secret }] of spent.entries()) {
    const message = tx.hashForWitnessV1(
      i,
      spent.map(({ script }) => script),
      spent.map(({ amount }) => amount),
      Transaction.SIGHASH_DEFAULT,
    );
    tx.setWitness(i, [schnorrSign(message, secret)]);
    secret.fill(0);
  }
  return { txid: tx.getId(), bytes: tx.toBuffer(), vsize: tx.virtualSize() };
}
