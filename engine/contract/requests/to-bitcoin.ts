import { isRefusal, type Refusal } from '../../domain/errors.ts';
import type { Sats } from '../../domain/money.ts';
import { optional } from '../field.ts';
import { keyField, satsField, scriptVersionField, type ClientKey } from '../scalars.ts';
import {
  bitcoinAddress,
  common,
  commonFields,
  pin,
  type CommonWire,
  type CreateCommon,
  type Pinned,
} from './common.ts';

/** A create whose client claims an HTLC of ours on the Bitcoin chain. */
export interface CreateToBitcoin extends CreateCommon {
  /** Claims the HTLC, and is the second key of its aggregate. */
  readonly claimKey: ClientKey;
  readonly amount: Pinned<Sats, Sats>;
  /** Where the client says that its bitcoin will go; it claims wherever it likes. */
  readonly targetAddress: string | null;
}

/** What every such request has, but for its hash. */
export const toBitcoinFields = {
  btc_htlc_script_version: scriptVersionField('btc_htlc_script_version', 2),
  claim_pk: keyField('claim_pk', "the user's key that claims the on-chain HTLC"),
  source_amount_sats: optional(satsField('source_amount_sats', 'the amount to send')),
  target_amount_sats: optional(satsField('target_amount_sats', 'the amount that the on-chain HTLC holds')),
  target_address: optional(bitcoinAddress('target_address')),
  ...commonFields,
};

interface ToBitcoinWire extends CommonWire {
  readonly claim_pk: ClientKey;
  readonly source_amount_sats?: Sats | undefined;
  readonly target_amount_sats?: Sats | undefined;
  readonly target_address?: string | undefined;
}

export function createToBitcoin(wire: ToBitcoinWire): CreateToBitcoin | Refusal {
  const amount = pin(['source_amount_sats', 'target_amount_sats'], wire.source_amount_sats, wire.target_amount_sats);
  if (isRefusal(amount)) return amount;
  return { ...common(wire), claimKey: wire.claim_pk, amount, targetAddress: wire.target_address ?? null };
}
