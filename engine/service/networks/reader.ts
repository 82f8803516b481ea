import type { EvmNetwork, Network } from '../../domain/chain.ts';
import type { Refusal } from '../../domain/errors.ts';
import { noSats, type Purse, type Sats } from '../../domain/money.ts';
import { isAbsent } from '../../runtime/ports.ts';
import type { Runtime } from '../../runtime/runtime.ts';

/** What a direction may need. */
export type Needed = 'arkade' | 'lightning' | 'bitcoin' | EvmNetwork;

/** A network that is not seen: `absent` is not configured, `away` does not answer, or may not be used. */
export type Unseen = { readonly state: 'absent' } | { readonly state: 'away'; readonly detail: string };

/** A network as it was last seen. */
export type Seen<F> = Unseen | { readonly state: 'connected'; readonly facts: F; readonly readAt: number };

/** What reads one network in the background and keeps what it said last. */
export interface Reader {
  /** What the owner connects for it, with an article, and the setting that does. */
  readonly endpoint: string;
  readonly setting: string;
  state(): Seen<unknown>['state'];
  /** Why nothing new is begun on it although it answers; null when something may be. */
  closed(): Refusal | null;
  /** Reads it: `routine` is nobody's question, and may be left out for what is costly. */
  read(how: 'asked' | 'routine'): Promise<void>;
  /** What was read of it does not count any more: somebody else answers there now. */
  forget(): void;
}

/** What every reader is given. */
export interface ReaderOptions {
  readonly runtime: Runtime;
  readonly tell: (network: Network) => void;
}

export const unread = { state: 'away', detail: 'not asked yet' } as const;

export async function seen<F>({ clock }: Runtime, what: () => Promise<F>): Promise<Seen<F>> {
  try {
    return { state: 'connected', facts: await what(), readAt: clock.now().wall };
  } catch (cause) {
    return unseen(cause);
  }
}

export function unseen(cause: unknown): Unseen {
  return isAbsent(cause)
    ? { state: 'absent' }
    : { state: 'away', detail: cause instanceof Error ? cause.message : String(cause) };
}

/** Whether it came or went, or has another balance than before. */
export function changed<F>(before: Seen<F>, after: Seen<F>, balance: (facts: F) => Sats): boolean {
  if (before.state !== after.state) return true;
  return before.state === 'connected' && after.state === 'connected' && balance(before.facts) !== balance(after.facts);
}

/** What swaps were promised of it already. */
export function promised({ store }: Runtime, purse: Purse): Sats {
  return store.reservations.totals().get(purse) ?? noSats;
}
