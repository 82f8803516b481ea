import { refuse, type Refusal } from '../../domain/errors.ts';
import { bitcoinOn } from '../../domain/token.ts';
import type { Ordering } from '../direction.ts';
import { claimOnBitcoin } from '../halves/bitcoin/claim/half.ts';
import type { BitcoinClaimTerms } from '../halves/bitcoin/claim/terms.ts';
import { fundOnBitcoin } from '../halves/bitcoin/fund/half.ts';
import type { BitcoinFundTerms, PaidLeg } from '../halves/bitcoin/fund/terms.ts';
import { noFields } from '../shape.ts';
import type { BitcoinLeg } from '../terms.ts';
import type { Source, Target } from './agreed.ts';

const token = () => bitcoinOn('Bitcoin');

function ifConnected({ bitcoinWallet }: Ordering, what: string): object | Refusal {
  return bitcoinWallet() ? {} : refuse('unavailable', `No Bitcoin wallet is connected, ${what}: connect one.`);
}

/** Bitcoin of ours, which could come back. */
export const fromBitcoin: Source<object, BitcoinFundTerms, typeof noFields, PaidLeg> = {
  ...{ fields: noFields, token, fund: fundOnBitcoin },
  ordered: (from) => ifConnected(from, 'to which the bitcoin could come back'),
  recovered: () => ({}),
};

/** Bitcoin that is claimed to our own wallet: where it was to go is the provider's word. Its claim pays its own fee. */
export const toBitcoin: Target<object, BitcoinClaimTerms, typeof noFields, BitcoinLeg> = {
  ...{ fields: noFields, token, claim: claimOnBitcoin },
  ordered: (from) => ifConnected(from, 'which could claim the bitcoin'),
  recovered: () => ({}),
  instead: () => ({ target_btc_address: undefined }),
};
