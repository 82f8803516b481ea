import { toHex } from '../domain/hex.ts';
import type { RescueEntry } from '../legs/rescue.ts';
import { moment } from './leg.ts';
import type { Plan } from './plan.ts';

export function inWords(plan: Plan): string {
  switch (plan.do) {
    case 'claim':
      return 'we claim what we received';
    case 'refund':
      return 'we take back what we gave';
    case 'bring-on':
      return plan.side === 'claim' ? 'our claim is on its way' : 'our refund is on its way';
    case 'cancel':
      return 'the held payment goes back to the client';
    case 'wait':
      return 'it waits';
    case 'nothing':
      return 'nothing is left to do';
  }
}

export function sentenceOf(plan: Plan): string {
  switch (plan.do) {
    case 'wait':
      return plan.at === null ? plan.why : `${plan.why}, until ${moment(plan.at)}`;
    case 'nothing':
      return `${inWords(plan)}: ${plan.why}`;
    default:
      return inWords(plan);
  }
}

/**
 * For an owner whose Lightning node is not in the configuration. The secret of a held payment is public once it is
 * known here.
 */
export function byHand({ claim, refund, secret, shown }: RescueEntry): string | null {
  if (claim?.on === 'lightning' && shown && secret !== null)
    return `Settle the payment at your Lightning node: lncli settleinvoice ${toHex(secret)}`;
  return refund?.on === 'lightning' && !shown
    ? `Your Lightning node knows whether payment ${toHex(refund.hash)} was settled, and its secret: set lnd in the ` +
        'configuration.'
    : null;
}
