import { PortFailure } from '../../domain/errors.ts';
import { sameOutpoint, type Outpoint } from '../../domain/outpoint.ts';
import type { LightningPort } from '../../legs/lightning/port.ts';
import type { BitcoinPort } from '../../legs/onchain/port.ts';
import type { ArkadePort, Vtxo } from '../../legs/arkade/port.ts';
import type { Ceilings } from '../../quote/ceilings.ts';
import type { ProviderPort } from '../../taker/port.ts';
import type { EffectRow } from '../../store/effects.ts';
import type { Store } from '../../store/store.ts';
import type { Effect, Event } from '../../swap/machine.ts';
import type { Clock } from '../clock.ts';
import type { Along } from '../commit.ts';
import type { Ports } from '../ports.ts';
import type { Wallets } from '../wallets.ts';

/** What the executor of one effect has at hand. */
export interface EffectContext {
  readonly ports: Ports;
  readonly store: Store;
  readonly clock: Clock;
  readonly row: EffectRow<Effect>;
  readonly signal: AbortSignal;
  /** Gives the swap what came of the effect; the effect is done in the same commit. */
  answer(event: Event, along?: Omit<Along, 'done'>): void;
  /** One preparation of wallet coins at a time: two would choose the same ones. */
  readonly alone: Wallets['alone'];
  /** What the owner lets an act cost that nobody watches. */
  ceilings(): Ceilings;
}

export type EffectOf<D extends Effect['do']> = Extract<Effect, { do: D }>;

export function lightningOf(ports: Ports): LightningPort {
  if (ports.lightning === null) throw new PortFailure('absent', 'safe', 'no Lightning node is connected');
  return ports.lightning;
}

export function arkadeOf(ports: Ports): ArkadePort {
  if (ports.arkade === null) throw new PortFailure('absent', 'safe', 'no Arkade operator is connected');
  return ports.arkade;
}

export function bitcoinOf(ports: Ports): BitcoinPort {
  if (ports.bitcoin === null) throw new PortFailure('absent', 'safe', 'no Bitcoin endpoint is connected');
  return ports.bitcoin;
}

export function providerOf(ports: Ports, provider: string): ProviderPort {
  if (ports.providers === undefined) throw new PortFailure('absent', 'safe', 'no provider can be reached from here');
  return ports.providers(provider);
}

/** A coin as the operator tells it now. It was listed before: one that is missing is not believed to be gone. */
export async function coinNow(arkade: ArkadePort, script: Uint8Array, outpoint: Outpoint): Promise<Vtxo> {
  const coins = await arkade.coins([script]);
  const coin = coins.find((seen) => sameOutpoint(seen.outpoint, outpoint));
  if (coin === undefined)
    throw new PortFailure('coin-missing', 'safe', 'the operator does not list the coin of the swap');
  return coin;
}

/** True for a failure that says: it did not happen, and never will. */
export function isNever(cause: unknown): cause is PortFailure {
  return cause instanceof PortFailure && cause.retry === 'never';
}
