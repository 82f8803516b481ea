import { isRefusal, type Refusal } from '../domain/errors.ts';
import { asPublicKey, type PublicKey } from '../domain/hash.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import { sats } from '../domain/money.ts';
import { after, unix, type ReadClocks } from '../domain/time.ts';
import { burialDepth } from '../legs/onchain/depth.ts';
import { htlcScript, type HtlcTerms, type MusigHtlcTerms } from '../legs/onchain/htlc.ts';
import { tipOf } from '../legs/onchain/timelocks.ts';
import { isXOnly } from '../legs/secp256k1.ts';
import { hash160OfSha256 } from '../legs/secret.ts';
import type { PaidLeg } from './halves/bitcoin/fund/terms.ts';
import { derivedHtlc, furthestEnd, wrongForm } from './htlc.ts';
import type { OrderTerms } from './terms.ts';
import { distrust, keyIn, objection, type Objection } from './verify.ts';

/* The HTLC on the Bitcoin chain that we are to pay, as a provider's record says it. */

export interface ToPay {
  readonly source_amount: string;
  readonly btc_htlc_address: string;
  readonly btc_htlc_script_version: number;
  readonly btc_funding_confirmations?: number | undefined;
  readonly btc_refund_locktime: number;
  readonly btc_htlc_witness_script?: string | undefined;
}

/** Whose output key is the aggregate of both keys. */
export interface JointToPay extends ToPay {
  readonly btc_server_claim_pk: string;
  readonly btc_user_refund_pk: string;
  readonly btc_funding_confirmations: number;
}

/**
 * What is asked of our coin before the service locks; one that does not say it acts at the first, as the interface
 * says.
 */
function confirmationsIn({ btc_funding_confirmations: depth = 1 }: ToPay): number {
  return Math.max(1, depth);
}

export function wrongHtlc(record: ToPay): Objection {
  return (
    objection(
      confirmationsIn(record) <= burialDepth,
      `it asks for ${record.btc_funding_confirmations} confirmations, more than the ${burialDepth} that count as final`,
    ) ??
    objection(
      record.btc_htlc_script_version === 1,
      `its Bitcoin script has version ${record.btc_htlc_script_version}, we asked for 1`,
    )
  );
}

/** A key without its sign is the even one, as x-only keys are everywhere (BIP-340). */
export function wholeKey(text: string): PublicKey {
  const bytes = fromHex(text);
  return asPublicKey(bytes.length === 33 ? bytes : Uint8Array.of(2, ...bytes));
}

/** The HTLC in the form that the record says; script and address must be those that our own half makes. */
function deriveHtlc(
  record: ToPay,
  terms: Pick<OrderTerms, 'hash' | 'key' | 'network'>,
  claimer: PublicKey,
): Pick<PaidLeg, 'htlc' | 'script' | 'address'> | Refusal {
  const witness = record.btc_htlc_witness_script;
  const htlc: HtlcTerms = {
    form: witness === undefined ? 'p2tr' : 'p2wsh',
    hash: hash160OfSha256(terms.hash),
    claimer,
    refunder: terms.key,
    refundLocktime: unix(record.btc_refund_locktime),
  };
  const script = htlcScript(htlc);
  if (script.form === 'p2wsh' && witness !== toHex(script.witnessScript))
    return distrust('its Bitcoin script is not the one that its terms make');
  return derivedHtlc(htlc, record, terms);
}

/** What we would pay, claimed by the provider's key. */
export function paidLegOf(record: ToPay, terms: OrderTerms, claimer: PublicKey, now: ReadClocks): PaidLeg | Refusal {
  return paidLeg(deriveHtlc(record, terms, claimer), record, terms, now);
}

function paidLeg(
  derived: Pick<PaidLeg, 'htlc' | 'script' | 'address'> | Refusal,
  record: ToPay,
  { policy }: Pick<OrderTerms, 'policy'>,
  now: ReadClocks,
): PaidLeg | Refusal {
  if (isRefusal(derived)) return derived;
  return {
    on: 'bitcoin',
    amount: sats(BigInt(record.source_amount)),
    ...derived,
    // No coin of ours is older than the address that it was shown for.
    since: now.bitcoin.height,
    payBefore: after(now.wall, policy.fundingWindow),
    confirmations: confirmationsIn(record),
  };
}

/** What is wrong with the HTLC that we would fund. */
export function wrongSource(record: JointToPay, terms: OrderTerms): Objection {
  const depth = record.btc_funding_confirmations;
  return (
    wrongForm(record) ??
    objection(record.btc_user_refund_pk === toHex(terms.key), 'its refund key is not ours') ??
    objection(isXOnly(keyIn(record.btc_server_claim_pk)), 'its claim key is not a point of the curve') ??
    objection(
      depth >= 1 && depth <= burialDepth,
      `it asks for ${depth} confirmations, not for 1 to the ${burialDepth} that count as final`,
    )
  );
}

/** Our refund has not opened, and does so in bounded time. */
export function wrongRefundHeight(
  { btc_refund_locktime: end }: Pick<ToPay, 'btc_refund_locktime'>,
  { policy, restored }: Pick<OrderTerms, 'policy' | 'restored'>,
  now: ReadClocks,
): Objection {
  return (
    objection(end > tipOf(now), `its refund height ${end} has passed`) ??
    objection(
      restored !== undefined || end <= furthestEnd(now, policy),
      `our refund opens at block ${end} only, more than ${policy.longestLeg} seconds of blocks from now`,
    )
  );
}

/** The HTLC that we fund, whose secret is a payee's: the provider claims it. */
export function ownHtlc(record: JointToPay, terms: OrderTerms, now: ReadClocks): PaidLeg | Refusal {
  const htlc: MusigHtlcTerms = {
    form: 'musig',
    hash: hash160OfSha256(terms.hash),
    claimer: asPublicKey(fromHex(record.btc_server_claim_pk)),
    refunder: terms.key,
    provider: 'claimer',
    sizeGuard: false,
    refundHeight: record.btc_refund_locktime,
  };
  return paidLeg(derivedHtlc(htlc, record, terms), record, terms, now);
}
