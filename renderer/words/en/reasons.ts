import type { ReasonCode, WhyCode } from '../../../engine/domain/taker.ts';

/** Why a refund stands as it does. */
export const whys: Readonly<Record<WhyCode, string>> = {
  'nothing-paid': 'Nothing of yours is there.',
  'in-progress': 'The swap may still finish. You may ask the provider to give it back all the same.',
  'provider-locked':
    'The provider has locked its side and signs no refund while that lock stands. From the date on nobody is needed.',
  'provider-out': 'The provider will not finish and is asked to sign your refund.',
  'provider-declined': 'The provider was asked and did not sign. From the date on nobody is needed.',
  'locktime-passed': 'The lock is open: nobody’s help is needed any more.',
  locktime: 'Nobody’s help is needed, but the lock has to open first.',
  'returns-by-itself': 'Over Lightning nothing has to be asked back: it comes back by itself.',
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
  'lock-unsafe': 'What the provider locked could not be claimed safely, so it was left alone.',
  'price-away':
    'The exchange brings less than was agreed now. Sluice asks again every minute, and in time claims the locked ' +
    'bitcoin token itself.',
  'not-exchanged': 'The exchange never brought what was agreed, so you got the locked bitcoin token itself.',
  'taken-back': 'The provider took its lock back while Sluice was claiming it.',
  'refund-declined': 'A refund did not work yet, and is tried again.',
  'not-locked':
    'What came to the account of this swap could not be locked yet, so it lies there still. Sluice tries again ' +
    'every minute: do not pay it again.',
  flagged: 'Something about this swap is not as expected. If it stays so, make a report under Refunds.',
};
