import type { Queue } from '../legs/leg.ts';
import type { Effect } from './machine.ts';

/** A line for each effect: one whose leg nobody names does not compile. */
const legs: Readonly<Record<Exclude<Effect['do'], 'onchain.broadcast'>, Queue>> = {
  'hold.create': 'lightning',
  'hold.settle': 'lightning',
  'hold.cancel': 'lightning',
  pay: 'lightning',
  'vhtlc.lock': 'arkade',
  'vhtlc.claim': 'arkade',
  'vhtlc.refund': 'arkade',
  'vhtlc.submit': 'arkade',
  'vhtlc.finalize': 'arkade',
  'vhtlc.settle': 'arkade',
  // What leaves the operator stays of its leg, though its transactions are on the Bitcoin chain.
  'vhtlc.exit': 'arkade',
  'arkade.sweep': 'arkade',
  'arkade.unroll': 'arkade',
  'onchain.send': 'bitcoin',
  'onchain.bump': 'bitcoin',
  'onchain.consolidate': 'bitcoin',
  'htlc.fund': 'bitcoin',
  'htlc.spend': 'bitcoin',
  'htlc.resend': 'bitcoin',
  'evm.send': 'evm',
  'evm.read-arrival': 'evm',
  'evm.look-contract': 'evm',
  'evm.name-contracts': 'evm',
  'evm.forward': 'evm',
  'evm.forward-send': 'evm',
  'provider.create': 'order',
  'provider.cosign': 'arkade',
  'provider.cosign-htlc': 'bitcoin',
  'provider.sign-claim': 'bitcoin',
  'provider.claim-evm': 'evm',
  'provider.fund-evm': 'evm',
  'provider.refund-evm': 'evm',
};

/** The leg that an effect is of; a transaction that was prepared stays of the leg that it was prepared for. */
export function legOf(effect: Effect): Queue {
  return effect.do === 'onchain.broadcast' ? effect.leg : legs[effect.do];
}
