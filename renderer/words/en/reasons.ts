import type { ReasonCode, WhyCode } from '../../../engine/domain/taker.ts';

/** Why a refund stands as it does. */
export const whys: Readonly<Record<WhyCode, string>> = {
  'nothing-paid': 'No money of yours is in this swap.',
  'in-progress': 'The swap may still finish. You can ask the provider for a refund anyway.',
  'provider-locked':
    'The provider has locked its side and signs no refund meanwhile. From the date on you need nobody.',
  'provider-out': 'The provider will not finish and is asked to sign your refund.',
  'provider-declined': 'The provider was asked and did not sign. From the date on you need nobody.',
  'locktime-passed': 'The refund is open: you need nobody’s help.',
  locktime: 'You need nobody’s help, but the refund is not open yet.',
  'returns-by-itself': 'A Lightning payment comes back by itself.',
  surplus: 'More was paid than the swap needs: the rest is yours.',
  spent: 'The swap is finished: what you paid is the provider’s.',
};

/** Why it was refused, ended, or wants a look. */
export const reasons: Readonly<Record<ReasonCode, string>> = {
  'provider-refused': 'The provider did not take the swap.',
  'provider-silent': 'The provider did not answer in time.',
  'record-wrong': 'The provider’s terms are not what was asked for, so nothing was paid.',
  'provider-ended': 'The provider ended the swap.',
  'never-locked': 'The provider never locked its side.',
  'lock-unsafe': 'The lock of the provider could not be claimed safely, so Sluice did not claim it.',
  'price-away':
    'The exchange now pays less than was agreed. Sluice asks again every minute, and claims the bitcoin token ' +
    'itself before it is late.',
  'not-exchanged': 'The exchange never paid what was agreed, so you got the bitcoin token itself.',
  'taken-back': 'The provider took its lock back while Sluice was claiming it.',
  'refund-declined': 'A refund did not work yet, and is tried again.',
  'not-locked':
    'The amount at the account of this swap could not be locked yet. Sluice tries again every minute: do not pay ' +
    'again.',
  flagged: 'Something about this swap is not as expected. If it stays so, make a report under Refunds.',
};
