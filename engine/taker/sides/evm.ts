import { peggedInfo } from '../evm/verify.ts';
import { wantedInfo, type OrderToEvm } from '../evm/offer.ts';
import type { EvmLeg } from '../evm/terms.ts';
import { claimOnEvm } from '../halves/evm/claim/half.ts';
import type { EvmClaimTerms } from '../halves/evm/claim/terms.ts';
import { fundOnEvm } from '../halves/evm/fund/half.ts';
import type { EvmFundTerms } from '../halves/evm/fund/terms.ts';
import { noFields } from '../shape.ts';
import type { Source, Target } from './agreed.ts';

/* On an EVM chain all that is agreed is in the price. */

/** Tokens of ours that are locked by our signature. */
export const fromEvm: Source<object, EvmFundTerms, typeof noFields, EvmLeg> = {
  ...{ fields: noFields, token: peggedInfo, fund: fundOnEvm },
  ...{ ordered: () => ({}), recovered: () => ({}) },
};

/** Tokens that the provider locks for us. */
export const toEvm: Target<object, EvmClaimTerms & OrderToEvm, typeof noFields, EvmLeg> = {
  ...{ fields: noFields, token: wantedInfo, claim: claimOnEvm },
  ...{ ordered: () => ({}), recovered: () => ({}) },
};
