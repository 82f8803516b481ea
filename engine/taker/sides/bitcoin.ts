import { refuse, type Refusal } from '../../domain/errors.ts';
import { isRead, laterOf, unix } from '../../domain/time.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { burialWait } from '../../legs/onchain/timelocks.ts';
import { htlcSpan } from '../../legs/spans.ts';
import type { Ordering } from '../direction.ts';
import { claimOnBitcoin } from '../halves/bitcoin/claim/half.ts';
import type { BitcoinClaimTerms } from '../halves/bitcoin/claim/terms.ts';
import { fundOnBitcoin } from '../halves/bitcoin/fund/half.ts';
import type { BitcoinFundTerms, PaidLeg } from '../halves/bitcoin/fund/terms.ts';
import { offeredHtlc, wrongClaimHeight, wrongTarget, type TargetRecord } from '../htlc.ts';
import {
  ownHtlc,
  paidLegOf,
  wholeKey,
  wrongHtlc,
  wrongRefundHeight,
  wrongSource,
  type JointToPay,
  type ToPay,
} from '../paid-htlc.ts';
import { noFields } from '../shape.ts';
import type { BitcoinLeg, OrderTerms } from '../terms.ts';
import { bitcoinUnread, distrust, objection } from '../verify.ts';
import type { Source, Target } from './agreed.ts';

const token = () => bitcoinOn('Bitcoin');

function ifConnected({ bitcoinWallet }: Ordering, what: string): object | Refusal {
  return bitcoinWallet() ? {} : refuse('unavailable', `No Bitcoin wallet is connected, ${what}: connect one.`);
}

const span = ({ btc_refund_locktime: locktime }: Pick<ToPay, 'btc_refund_locktime'>) => htlcSpan(unix(locktime));

/** Bitcoin of ours, which could come back, whatever its HTLC. */
const fromChain = {
  ...{ fields: noFields, token, fund: fundOnBitcoin },
  ordered: (from: Ordering) => ifConnected(from, 'to which the bitcoin could come back'),
  recovered: () => ({}),
  given: 'the bitcoin may be paid and confirmed',
  within: ({ confirmations }: PaidLeg, { policy }: OrderTerms) => policy.fundingWindow + burialWait(confirmations),
  back: { opens: 'its bitcoin could be taken back', span },
};

/** Bitcoin that is claimed to our own wallet: where it was to go is the provider's word. Its claim pays its own fee. */
export const toChain = {
  ...{ fields: noFields, token, claim: claimOnBitcoin },
  ordered: (from: Ordering) => ifConnected(from, 'which could claim the bitcoin'),
  recovered: () => ({}),
  instead: () => ({ target_btc_address: undefined }),
  end: span,
};

/** Bitcoin of ours at an HTLC that ends at a time. `claimer`: the field with the key that claims it. */
export function fromBitcoin<K extends string>(
  claimer: K,
): Source<ToPay & { readonly [F in K]: string }, OrderTerms & BitcoinFundTerms, typeof noFields, PaidLeg> {
  return {
    ...fromChain,
    leg(record, terms, now) {
      if (!isRead(now)) return distrust(bitcoinUnread);
      const { btc_refund_locktime: refund } = record;
      const { longestLeg } = terms.policy;
      const wrong =
        wrongHtlc(record) ??
        objection(refund >= 500_000_000, 'its refund locktime is a height, not a time') ??
        objection(
          refund <= laterOf(now) + longestLeg,
          `our refund opens at ${refund} only, more than ${longestLeg} seconds from now`,
        );
      return wrong === null ? paidLegOf(record, terms, wholeKey(record[claimer]), now) : distrust(wrong);
    },
  };
}

/** The same at an HTLC of the aggregate key of both sides, which ends at a height. */
export const fromBitcoinByHeight: Source<JointToPay, OrderTerms & BitcoinFundTerms, typeof noFields, PaidLeg> = {
  ...fromChain,
  leg(record, terms, now) {
    if (!isRead(now)) return distrust(bitcoinUnread);
    const wrong = wrongSource(record, terms) ?? wrongRefundHeight(record, terms, now);
    return wrong === null ? ownHtlc(record, terms, now) : distrust(wrong);
  },
};

/** Bitcoin at an HTLC of the aggregate key of both sides, which ends at a height. */
export const toBitcoin: Target<TargetRecord, OrderTerms & BitcoinClaimTerms, typeof noFields, BitcoinLeg> = {
  ...toChain,
  leg(record, terms, now, { within }) {
    if (!isRead(now)) return distrust(bitcoinUnread);
    const wrong = wrongTarget(record, terms) ?? wrongClaimHeight(record, terms, now, within);
    return wrong === null ? offeredHtlc(record, terms, now) : distrust(wrong);
  },
};
