import { unix } from '../../domain/time.ts';
import { lockSpan } from '../../legs/spans.ts';
import { offeredLock, wantedInfo, wrongLockTime, type OrderToEvm, type ToClaim } from '../evm/offer.ts';
import type { EvmLeg } from '../evm/terms.ts';
import { lockOf, peggedInfo, wrongRefundTime, type OrderFromEvm, type ToLock } from '../evm/verify.ts';
import { claimOnEvm } from '../halves/evm/claim/half.ts';
import type { EvmClaimTerms } from '../halves/evm/claim/terms.ts';
import { fundOnEvm } from '../halves/evm/fund/half.ts';
import type { EvmFundTerms } from '../halves/evm/fund/terms.ts';
import { noFields } from '../shape.ts';
import type { OrderTerms } from '../terms.ts';
import { distrust } from '../verify.ts';
import type { Source, Target } from './agreed.ts';

/* On an EVM chain all that is agreed is in the price. */

const span = ({ evm_refund_locktime: timelock }: Pick<ToLock, 'evm_refund_locktime'>, { chain }: EvmChain) =>
  lockSpan(chain, unix(timelock));
type EvmChain = Pick<OrderFromEvm, 'chain'>;

/** Tokens of ours that are locked by our signature. */
export const fromEvm: Source<ToLock, OrderTerms & EvmFundTerms & OrderFromEvm, typeof noFields, EvmLeg> = {
  ...{ fields: noFields, token: peggedInfo, fund: fundOnEvm },
  ...{ ordered: () => ({}), recovered: () => ({}) },
  leg(record, terms, now) {
    const wrong = wrongRefundTime(record, terms, now);
    return wrong === null ? lockOf(record, terms) : distrust(wrong);
  },
  given: 'the tokens may be locked',
  within: (_, { policy }) => policy.fundingWindow,
  back: { opens: 'our refund opens', span },
};

/** Tokens that the provider locks for us. */
export const toEvm: Target<ToClaim, EvmClaimTerms & OrderToEvm, typeof noFields, EvmLeg> = {
  ...{ fields: noFields, token: wantedInfo, claim: claimOnEvm },
  ...{ ordered: () => ({}), recovered: () => ({}) },
  leg(record, terms, now, { within }) {
    const wrong = wrongLockTime(record, terms, now, within);
    return wrong === null ? offeredLock(record, terms) : distrust(wrong);
  },
  end: span,
};
