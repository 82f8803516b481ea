import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { xOnlyOf } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { Sats } from '../../domain/money.ts';
import { isRead, unix, type ReadClocks } from '../../domain/time.ts';
import type { HtlcTerms } from '../../legs/onchain/htlc.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { claimTime, htlcSpan } from '../../legs/spans.ts';
import { claimUntil } from '../../legs/timelocks.ts';
import type { BitcoinClaimTerms } from '../halves/bitcoin/claim/terms.ts';
import { derivedHtlc, wrongKeys, type TargetRecord } from '../htlc.ts';
import { wholeKey } from '../paid-htlc.ts';
import type { noFields } from '../shape.ts';
import type { BitcoinLeg, OrderTerms } from '../terms.ts';
import { bitcoinUnread, distrust, objection, type Objection } from '../verify.ts';
import type { Late, Target } from './agreed.ts';
import { toChain } from './bitcoin.ts';

type OfferedRecord = Omit<TargetRecord, 'target_amount'>;
type ByTime = OrderTerms & BitcoinClaimTerms & { readonly targetAmount: Sats };

/** Bitcoin at an HTLC that ends at a time, claimed to our own wallet. */
export const toBitcoinByTime: Target<OfferedRecord, ByTime, typeof noFields, BitcoinLeg> = {
  ...toChain,
  leg(record, terms, now, late) {
    if (!isRead(now)) return distrust(bitcoinUnread);
    const wrong = wrongOffer(record, terms) ?? wrongClaimTime(record, terms, now, late);
    return wrong === null ? htlcOf(record, terms, now) : distrust(wrong);
  },
};

function wrongOffer(record: OfferedRecord, { key }: OrderTerms): Objection {
  return (
    wrongKeys(record, toHex(xOnlyOf(key))) ??
    objection(
      record.btc_htlc_script_version === 1,
      `its Bitcoin script has version ${record.btc_htlc_script_version}, we asked for 1`,
    ) ??
    objection(record.btc_refund_locktime >= 500_000_000, 'its refund locktime is a height, not a time')
  );
}

/**
 * The provider's coin must leave us time to claim, by the line that the claim itself is held to, however late we give:
 * past that line nothing is claimed, and what we gave waits for its refund.
 */
function wrongClaimTime(
  { btc_refund_locktime: end }: OfferedRecord,
  { policy }: OrderTerms,
  now: ReadClocks,
  { within, given }: Late,
): Objection {
  const left = claimTime(htlcSpan(unix(end)), now, policy);
  return objection(
    left !== null && left - policy.margin >= within + policy.leastClaimTime,
    `its bitcoin can be taken back at ${end}, so that it must be claimed before ${claimUntil(unix(end), policy)}, ` +
      `less than ${policy.leastClaimTime} seconds after ${given}`,
  );
}

/** The HTLC with our half of it taken from ourselves; its address must be the record's. */
function htlcOf(record: OfferedRecord, terms: ByTime, now: ReadClocks): BitcoinLeg | Refusal {
  const htlc: HtlcTerms = {
    form: 'p2tr',
    hash: hash160OfSha256(terms.hash),
    claimer: terms.key,
    refunder: wholeKey(record.btc_server_refund_pk),
    refundLocktime: unix(record.btc_refund_locktime),
  };
  const derived = derivedHtlc(htlc, record, terms);
  // No coin of the provider's is older than the key that it is paid to.
  return isRefusal(derived)
    ? derived
    : { on: 'bitcoin', amount: terms.targetAmount, ...derived, since: now.bitcoin.height };
}
