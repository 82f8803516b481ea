import { fromHex } from '../../domain/hex.ts';
import { asPreimage, type Preimage } from '../../domain/hash.ts';
import { request } from '../field.ts';
import { hex32Field, integerField, patterned } from '../scalars.ts';

/** Hex digits of the longest transaction that is looked at: policy relays none of more than 100,000 bytes. */
const mostDigits = 50_000;

/** A spend of an HTLC's coin by the key of both sides that the client asks us to sign with it. */
export interface CooperativeRequest {
  /** The client's public nonce, 66 bytes. */
  readonly publicNonce: Uint8Array;
  readonly transaction: Uint8Array;
  /** Of the input that takes the coin. */
  readonly index: number;
}

/** POST /swap/{id}/cooperative-claim. */
export interface CooperativeClaimRequest extends CooperativeRequest {
  readonly preimage: Preimage;
}

const fields = {
  pub_nonce: patterned(
    { name: 'pub_nonce', hint: 'the MuSig2 nonce of the client, 132 hex digits without 0x' },
    'Public nonce of the client (BIP-327), 66 bytes',
    /^[0-9a-fA-F]{132}$/,
  ),
  transaction: patterned(
    { name: 'transaction', hint: `the transaction as hex without 0x, at most ${mostDigits} digits` },
    'The transaction that takes the coin, with witnesses or without',
    new RegExp(`^([0-9a-fA-F]{2}){10,${mostDigits / 2}}$`),
  ),
  index: integerField('index', 'the input of the transaction that takes the coin', 0, 100),
};

export const cooperativeRefundBody = request(fields, (wire): CooperativeRequest => ({
  publicNonce: fromHex(wire.pub_nonce.toLowerCase()),
  transaction: fromHex(wire.transaction.toLowerCase()),
  index: wire.index,
}));

export const cooperativeClaimBody = request(
  { ...fields, preimage: hex32Field('preimage', 'the secret of the swap', true) },
  (wire): CooperativeClaimRequest => ({
    publicNonce: fromHex(wire.pub_nonce.toLowerCase()),
    transaction: fromHex(wire.transaction.toLowerCase()),
    index: wire.index,
    preimage: asPreimage(wire.preimage),
  }),
);
