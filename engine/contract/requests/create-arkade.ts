import { isRefusal } from '../../domain/errors.ts';
import type { Hash160, Sha256 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import { optional, request } from '../field.ts';
import {
  descriptionField,
  hash160Field,
  keyField,
  satsField,
  scriptVersionField,
  sha256Field,
  type ClientKey,
} from '../scalars.ts';
import {
  arkadeAddress,
  common,
  commonFields,
  payee,
  payeeFields,
  pin,
  type CreateCommon,
  type Payee,
  type PinnedSats,
} from './common.ts';

/** POST /swap/lightning/arkade. */
export interface CreateLightningArkade extends CreateCommon {
  /** Receiver of the VHTLC. A key that the client does not hold could never claim. */
  readonly claimKey: ClientKey;
  /** SHA-256 of the client's secret: payment hash of the hold invoice, and by RIPEMD-160 the VHTLC's hash. */
  readonly hash: Sha256;
  readonly targetAddress: string;
  readonly amount: PinnedSats;
  /** Text of the hold invoice, at most 639 UTF-8 bytes. */
  readonly description: string | null;
}

export const createLightningArkade = request(
  {
    arkade_htlc_script_version: scriptVersionField('arkade_htlc_script_version'),
    claim_pk: keyField('claim_pk', "the user's claim key"),
    hash_lock: sha256Field('hash_lock', "SHA-256 of the client's secret"),
    target_arkade_address: arkadeAddress('target_arkade_address'),
    source_amount_sats: optional(satsField('source_amount_sats', 'the amount sent over Lightning')),
    target_amount_sats: optional(satsField('target_amount_sats', 'the amount received on Arkade')),
    invoice_description: optional(descriptionField('invoice_description')),
    ...commonFields,
  },
  (wire) => {
    const amount = pin(['source_amount_sats', 'target_amount_sats'], wire.source_amount_sats, wire.target_amount_sats);
    if (isRefusal(amount)) return amount;
    const created: CreateLightningArkade = {
      ...common(wire),
      claimKey: wire.claim_pk,
      hash: wire.hash_lock,
      targetAddress: wire.target_arkade_address,
      amount,
      description: wire.invoice_description ?? null,
    };
    return created;
  },
);

/** POST /swap/arkade/lightning. */
export interface CreateArkadeLightning extends CreateCommon {
  /** Sender of the VHTLC, who alone can refund it. */
  readonly refundKey: ClientKey;
  readonly payee: Payee<Sats>;
}

export const createArkadeLightning = request(
  {
    arkade_htlc_script_version: scriptVersionField('arkade_htlc_script_version'),
    refund_pk: keyField('refund_pk', "the user's refund key"),
    ...payeeFields,
    source_amount_sats: optional(satsField('source_amount_sats', 'the total to lock on Arkade')),
    target_amount_sats: optional(satsField('target_amount_sats', 'the amount the recipient receives')),
    ...commonFields,
  },
  (wire) => {
    const to = payee('source_amount_sats', { ...wire, source: wire.source_amount_sats });
    if (isRefusal(to)) return to;
    const created: CreateArkadeLightning = { ...common(wire), refundKey: wire.refund_pk, payee: to };
    return created;
  },
);

/** POST /swap/bitcoin/arkade. */
export interface CreateBitcoinArkade extends CreateCommon {
  readonly claimKey: ClientKey;
  /** Refunds the on-chain HTLC. */
  readonly refundKey: ClientKey;
  /** HASH160 of the secret, for both legs. */
  readonly hash: Hash160;
  /** What the user receives on Arkade. */
  readonly receive: Sats;
  readonly targetAddress: string;
}

export const createBitcoinArkade = request(
  {
    arkade_htlc_script_version: scriptVersionField('arkade_htlc_script_version'),
    btc_htlc_script_version: scriptVersionField('btc_htlc_script_version'),
    claim_pk: keyField('claim_pk', "the user's claim key for the Arkade VHTLC"),
    hash_lock: hash160Field('hash_lock', "RIPEMD-160 of SHA-256 of the client's secret (20 bytes)"),
    refund_pk: keyField('refund_pk', "the user's refund key for the on-chain HTLC"),
    sats_receive: satsField('sats_receive', 'the amount the user wants on Arkade'),
    target_arkade_address: arkadeAddress('target_arkade_address'),
    ...commonFields,
  },
  (wire) => {
    const created: CreateBitcoinArkade = {
      ...common(wire),
      claimKey: wire.claim_pk,
      refundKey: wire.refund_pk,
      hash: wire.hash_lock,
      receive: wire.sats_receive,
      targetAddress: wire.target_arkade_address,
    };
    return created;
  },
);
