import { toHex } from '../domain/hex.ts';
import type { RescueLeg } from '../legs/rescue.ts';
import { lightningOf, type Ports } from '../runtime/ports.ts';
import type { LegHand, LegLook } from './leg.ts';

type Leg = Extract<RescueLeg, { on: 'lightning' }>;

/**
 * Payments of our Lightning node, and those to it that are held. It lives on without Sluice; where it is not configured
 * its owner does it by hand.
 */
export function lightningHand(ports: Ports): LegHand<Leg> & { cancel(leg: Leg): Promise<void> } {
  async function payment({ hash }: Leg): Promise<LegLook['state']> {
    const state = await lightningOf(ports).payment(hash);
    switch (state.is) {
      case 'settled':
        return { is: 'claimed', secret: state.preimage, final: true };
      case 'failed':
        return { is: 'refunded', final: true };
      case 'in-flight':
        return { is: 'unclear', reason: 'the payment is on its way, and may still settle' };
      case 'absent':
        return { is: 'nothing' };
    }
  }

  async function held({ hash }: Leg): Promise<LegLook['state']> {
    const state = await lightningOf(ports).hold(hash);
    switch (state.is) {
      case 'held':
        return { is: 'standing' };
      case 'settled':
        return { is: 'claimed', secret: null, final: true };
      case 'cancelled':
        return { is: 'refunded', final: true };
      default:
        return { is: 'nothing' };
    }
  }

  return {
    name: ({ hash }) => `the Lightning payment ${toHex(hash)}`,
    look: async (leg, side) => ({ state: await (side === 'refund' ? payment(leg) : held(leg)), timelock: null }),
    async take(_, secret) {
      if (secret === null) return { is: 'later', sentence: 'a payment comes back by itself' };
      await lightningOf(ports).settle(secret);
      return { is: 'done', sentence: 'settled' };
    },
    bringOn: async () => ({ is: 'later', sentence: 'it is on its way' }),
    cancel: ({ hash }) => lightningOf(ports).cancel(hash),
  };
}
