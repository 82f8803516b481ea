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

/** POST /swap/{id}/cooperative-refund. */
export interface CooperativeRefundRequest extends CooperativeRequest {
  /** Of the client's key in the refund leaf over what it asks for: an id alone ends no swap. */
  readonly signature: Uint8Array;
}

/** POST /swap/{id}/cooperative-claim. */
export interface CooperativeClaimRequest extends CooperativeRequest {
  readonly preimage: Preimage;
}

/**
 * Coins that a transaction takes beside one, by the number that stands in front of them (BIP-144): each costs its
 * client a question (facts/faults.md 304). One that takes more than a byte can say is never read.
 */
export function furtherInputs(transaction: Uint8Array): number {
  const isMarked = transaction[4] === 0 && transaction[5] === 1;
  const count = transaction[isMarked ? 6 : 4] ?? 0;
  return count < 0xfd ? Math.max(0, count - 1) : 0;
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

/** POST /swap/{id}/server-claim: the client's half of our claim of its coin. */
export interface ServerClaimRequest {
  readonly publicNonce: Uint8Array;
  readonly partial: Uint8Array;
}

const signature = patterned(
  { name: 'signature', hint: "the client's signature of BIP-340, 128 hex digits without 0x" },
  'Signature (BIP-340) of the key in the refund leaf over the tagged hash "cooperative-refund" of what both sign',
  /^[0-9a-fA-F]{128}$/,
);

export const cooperativeRefundBody = request({ ...fields, signature }, (wire): CooperativeRefundRequest => ({
  publicNonce: fromHex(wire.pub_nonce.toLowerCase()),
  transaction: fromHex(wire.transaction.toLowerCase()),
  index: wire.index,
  signature: fromHex(wire.signature.toLowerCase()),
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

export const serverClaimBody = request(
  {
    pub_nonce: fields.pub_nonce,
    partial_signature: patterned(
      { name: 'partial_signature', hint: 'the MuSig2 partial signature of the client, 64 hex digits without 0x' },
      'Partial signature of the client (BIP-327) over the key-path sighash of the transaction, 32 bytes',
      /^[0-9a-fA-F]{64}$/,
    ),
  },
  (wire): ServerClaimRequest => ({
    publicNonce: fromHex(wire.pub_nonce.toLowerCase()),
    partial: fromHex(wire.partial_signature.toLowerCase()),
  }),
);
