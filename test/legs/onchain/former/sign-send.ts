import { p2tr, SigHash, Transaction } from '@scure/btc-signer';
import type { Txid } from '../../../../engine/domain/outpoint.ts';
import type { WalletCoin } from '../../../../engine/legs/onchain/wallet-port.ts';
import { keyPathSecret, schnorrSign, xOnlyKeyOf } from '../../../../engine/legs/secp256k1.ts';
import type { KeyRef } from '../../../../engine/legs/signer.ts';

/** Pays coins of the wallet to these outputs, signed by the key paths of their keys (BIP-341). */
export function signSend(
  keys: (ref: KeyRef) => Uint8Array,
  {
    coins,
    outputs,
    sequence,
  }: {
    coins: readonly WalletCoin[];
    outputs: readonly { readonly script: Uint8Array; readonly amount: bigint }[];
    sequence: number;
  },
): { readonly txid: Txid; readonly bytes: Uint8Array; readonly vsize: number } {
  const transaction = new Transaction({ version: 2 });
  const spent = coins.map(({ outpoint, key, amount }) => {
    const secret = keys(key);
    const own = { outpoint, script: p2tr(xOnlyKeyOf(secret)).script, amount, secret: keyPathSecret(secret) };
    secret.fill(0);
    return own;
  });
  for (const { outpoint, script, amount } of spent)
    transaction.addInput({
      txid: outpoint.txid,
      index: outpoint.vout,
      sequence,
      witnessUtxo: { script, amount },
    });
  for (const { script, amount } of outputs) transaction.addOutput({ script, amount });
  for (const [i, { secret }] of spent.entries()) {
    const message = transaction.preimageWitnessV1(
      i,
      spent.map(({ script }) => script),
      SigHash.DEFAULT,
      spent.map(({ amount }) => amount),
    );
    transaction.updateInput(i, { tapKeySig: schnorrSign(message, secret) }, true);
    secret.fill(0);
  }
  transaction.finalize();
  return { txid: transaction.id, bytes: transaction.extract(), vsize: transaction.vsize };
}
