import type { OnchainPurpose } from '../../../legs/onchain/effects.ts';
import type { Fates } from '../fate.ts';

/** On the chain nothing stands that is not buried. */
export const onchainFates: Fates<OnchainPurpose> = {
  claim: 'dead',
  refund: 'dead',
  exit: 'dead',
  send: 'dead',
  bump: 'dead',
  consolidate: 'dead',
  fund: 'dead',
  push: 'dead',
  cancel: 'dead',
  unroll: 'dead',
  split: 'dead',
};
