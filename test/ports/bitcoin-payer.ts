import { createHash } from 'node:crypto';
import { schnorr } from '@noble/curves/secp256k1.js';
import { p2tr, Transaction } from '@scure/btc-signer';
import type { Sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';

/** Somebody with one key who can sign anything, the wrong things as well. */
export interface Payer {
  readonly script: Uint8Array;
  pay(payment: Payment): Uint8Array;
}

export interface Payment {
  readonly from: readonly { readonly outpoint: Outpoint; readonly amount: bigint }[];
  readonly to: readonly { readonly script: Uint8Array; readonly amount: Sats | bigint }[];
  readonly lockTime?: number;
  /** 0xfffffffd when left out: may be replaced, locktime counts, no relative lock. */
  readonly sequence?: number;
  /** What the signer believes of its coins beyond what is true: no signature of it can be right. */
  readonly imagined?: bigint;
}

/** The same name has the same key in every run. */
export function openPayer(name: string): Payer {
  const key = createHash('sha256').update(name).digest();
  const { script, tapInternalKey } = p2tr(schnorr.getPublicKey(key));
  return {
    script,
    pay({ from, to, lockTime = 0, sequence = 0xfffffffd, imagined = 0n }) {
      const transaction = new Transaction({ version: 2, lockTime });
      for (const { outpoint, amount } of from) {
        transaction.addInput({
          txid: outpoint.txid,
          index: outpoint.vout,
          sequence,
          witnessUtxo: { script, amount: amount + imagined },
          tapInternalKey,
        });
      }
      for (const output of to) transaction.addOutput({ script: output.script, amount: output.amount });
      transaction.sign(key, undefined, new Uint8Array(32));
      transaction.finalize();
      return transaction.extract();
    },
  };
}
