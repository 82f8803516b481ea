import type { DirectionName } from '../domain/chain.ts';

export type Kind = 'submarine' | 'reverse' | 'chain';

/** A side by the name that this interface has for it; Lightning is `BTC` as well. */
export type Asset = 'ARK' | 'BTC';

interface Named<D extends DirectionName> {
  readonly kind: Kind;
  readonly from: Asset;
  readonly to: Asset;
  readonly direction: D;
}

/**
 * What is served here. Where we fund a VHTLC its client chooses the secret, and published clients know the loose form
 * alone, in which one of another length than 32 bytes takes both sides: served as far as the owner agreed to lose it
 * (`boltz.toArkade`).
 */
export const submarine = {
  ARK: { kind: 'submarine', from: 'ARK', to: 'BTC', direction: 'arkade-lightning' },
  BTC: { kind: 'submarine', from: 'BTC', to: 'BTC', direction: 'bitcoin-lightning' },
} as const satisfies Readonly<Record<string, Named<DirectionName>>>;
export const reverse = {
  ARK: { kind: 'reverse', from: 'BTC', to: 'ARK', direction: 'lightning-arkade' },
  BTC: { kind: 'reverse', from: 'BTC', to: 'BTC', direction: 'lightning-bitcoin' },
} as const satisfies Readonly<Record<string, Named<DirectionName>>>;
export const chain = {
  ARK: { kind: 'chain', from: 'ARK', to: 'BTC', direction: 'arkade-bitcoin' },
  BTC: { kind: 'chain', from: 'BTC', to: 'ARK', direction: 'bitcoin-arkade' },
} as const satisfies Readonly<Record<string, Named<DirectionName>>>;

export const pairs = [submarine.ARK, submarine.BTC, reverse.ARK, reverse.BTC, chain.ARK, chain.BTC] as const;

/** One of our directions as this interface calls it. */
export type Pair = (typeof pairs)[number];

/** Of a swap by the name of its machine; null for a direction that is not served here. */
export function pairOfMachine(machine: string): Pair | null {
  return pairs.find(({ direction }) => direction === machine) ?? null;
}
