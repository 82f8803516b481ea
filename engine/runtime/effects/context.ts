import { PortFailure } from '../../domain/errors.ts';
import type { LightningPort } from '../../legs/lightning/port.ts';
import type { ArkadePort } from '../../legs/vhtlc/port.ts';
import type { ProviderPort } from '../../taker/port.ts';
import type { EffectRow } from '../../store/effects.ts';
import type { Store } from '../../store/store.ts';
import type { Effect, Event } from '../../swap/machine.ts';
import type { Clock } from '../clock.ts';
import type { Along } from '../commit.ts';
import type { Ports } from '../ports.ts';

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
  alone<T>(work: () => Promise<T>): Promise<T>;
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

export function providerOf(ports: Ports, provider: string): ProviderPort {
  if (ports.providers === undefined) throw new PortFailure('absent', 'safe', 'no provider can be reached from here');
  return ports.providers(provider);
}

/** True for a failure that says: it did not happen, and never will. */
export function isNever(cause: unknown): cause is PortFailure {
  return cause instanceof PortFailure && cause.retry === 'never';
}
