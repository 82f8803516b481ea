import { schnorr } from '@noble/curves/secp256k1.js';
import type { CooperativeReply } from '../../contract/records/refunds.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import type { MusigHtlcTerms } from '../../legs/onchain/htlc.ts';
import { buildJointSpend, withJointSignature, type JointSpendRequest } from '../../legs/onchain/joint-spend.ts';
import { jointKeyOf, refundAsk } from '../../legs/onchain/key-spend.ts';
import { newNonce } from '../../legs/musig.ts';
import type { Txid } from '../../domain/outpoint.ts';

/** What the service is asked to sign, as its routes take it; a refund also says whose wish it is. */
export interface JointWish {
  readonly pub_nonce: string;
  readonly transaction: string;
  readonly index: number;
  readonly signature: string;
}

export type Cosign = (wish: JointWish) => Promise<CooperativeReply>;

/** Takes a coin by the key of both, with the service's half by `cosign`; null where it is not worth its fee. */
export async function spendTogether(
  terms: MusigHtlcTerms,
  { secret, cosign, ...request }: JointSpendRequest & { readonly secret: Uint8Array; readonly cosign: Cosign },
): Promise<{ readonly bytes: Uint8Array; readonly txid: Txid; readonly fee: bigint } | null> {
  const made = buildJointSpend(terms, request);
  if (made === null) return null;
  const { spend, fee } = made;
  const nonce = newNonce(jointKeyOf(terms), spend.sighash, secret);
  const theirs = await cosign({
    pub_nonce: toHex(nonce.shown),
    transaction: toHex(spend.bytes),
    index: 0,
    signature: toHex(schnorr.sign(refundAsk(spend), secret)),
  });
  const own = nonce.sign(fromHex(theirs.pub_nonce), secret);
  const signature = own?.join(fromHex(theirs.partial_signature)) ?? null;
  if (signature === null) throw new Error('The half that the service gave is none: nothing is sent.');
  return { bytes: withJointSignature(spend, signature), txid: spend.txid, fee };
}
