import type { EvmPurpose } from '../../../legs/evm/acts.ts';
import type { Fates } from '../fate.ts';

/** Whatever was sent may be mined whoever wants it: the account's queue brings it to its end. */
export const evmFates: Fates<EvmPurpose> = {
  lock: 'queued',
  claim: 'queued',
  refund: 'queued',
  'relay-claim': 'queued',
  'relay-fund': 'queued',
  'relay-refund': 'queued',
  'taker-claim': 'queued',
  'taker-fund': 'queued',
  'taker-refund': 'queued',
  pay: 'queued',
  deploy: 'queued',
  approve: 'queued',
  permit: 'queued',
  'taker-approve': 'queued',
  'taker-pay': 'queued',
  cancel: 'queued',
};
