import type { Effect } from '../../swap/machine.ts';

/** Whom an effect asks, mostly: one that hangs takes no place from the effects of another. */
export type Side = 'arkade' | 'lightning' | 'bitcoin' | 'provider';

export const sides: readonly Side[] = ['arkade', 'lightning', 'bitcoin', 'provider'];

/** A wallet whose coins are chosen by one at a time. */
export type Wallet = 'arkade' | 'bitcoin';

export interface Lane {
  readonly side: Side;
  /** Begins something: it makes way for what takes or gives back money that is on its way already. */
  readonly begins: boolean;
  /** It starts only while this wallet is free. */
  readonly wallet?: Wallet;
}

const lanes: Record<Exclude<Effect['do'], 'vhtlc.submit'>, Lane> = {
  'hold.create': { side: 'lightning', begins: true },
  'hold.settle': { side: 'lightning', begins: false },
  'hold.cancel': { side: 'lightning', begins: false },
  pay: { side: 'lightning', begins: true },
  'vhtlc.lock': { side: 'arkade', begins: true, wallet: 'arkade' },
  'vhtlc.claim': { side: 'arkade', begins: false },
  'vhtlc.refund': { side: 'arkade', begins: false },
  'vhtlc.finalize': { side: 'arkade', begins: false },
  'vhtlc.settle': { side: 'arkade', begins: false },
  'vhtlc.exit': { side: 'bitcoin', begins: false },
  'arkade.sweep': { side: 'bitcoin', begins: true },
  'chain.broadcast': { side: 'bitcoin', begins: false },
  'bitcoin.send': { side: 'bitcoin', begins: true, wallet: 'bitcoin' },
  'bitcoin.bump': { side: 'bitcoin', begins: false },
  'provider.create': { side: 'provider', begins: true },
  'provider.cosign': { side: 'provider', begins: false },
};

/** What was read may be of a newer build. */
export function isKnown(effect: unknown): effect is Effect {
  if (typeof effect !== 'object' || effect === null || !('do' in effect)) return false;
  return effect.do === 'vhtlc.submit' || Object.hasOwn(lanes, String(effect.do));
}

export function laneOf(effect: Effect): Lane {
  return effect.do === 'vhtlc.submit' ? { side: 'arkade', begins: effect.purpose === 'lock' } : lanes[effect.do];
}

/** What counts as the same act, asked for again: a claim and a refund are not, though both are sent. */
export function kindOf(effect: Effect): string {
  return 'purpose' in effect ? `${effect.do} ${effect.purpose}` : effect.do;
}
