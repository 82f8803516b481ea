// What today's machines do otherwise than the former ones, each for a fault that those had.
import type { Unix } from '../../engine/domain/time.ts';
import type { SeenHtlcCoin } from '../../engine/legs/onchain/events.ts';
import type { Effect, Event, Watch } from '../../engine/swap/machine.ts';

/**
 * By its deadline a claim that shows its secret is with somebody, or stays with us; one whose secret is out has none
 * (facts/faults.md 126).
 */
export function sentInTime(effect: Effect, { at }: { readonly at: string }): Effect {
  if (effect.do !== 'evm.send') return effect;
  const { act, onlyIf } = effect;
  if (act.is === 'relay-claim' && at === 'claimed') return { ...effect, deadline: null };
  return act.is === 'taker-claim' && onlyIf !== undefined ? { ...effect, deadline: onlyIf.notAfter as Unix } : effect;
}

/**
 * A lock or a funding that was called off and may stand is looked for, whatever its client has again (facts/faults.md
 * 120, 123).
 */
export function isLookedFor(name: string, what: string, p: object, event: Event | null): boolean {
  const { at, doubt } = p as { readonly at: string; readonly doubt?: object };
  if (isLeftOver(name, p)) return true;
  const look = name === 'arkade-evm' ? 'vhtlc.seen' : name === 'evm-bitcoin' ? 'evm.seen' : null;
  return look !== null && doubt !== undefined && (at === 'refunded' || event?.is === look || what === 'open');
}

/** Our lock comes back should the client, with its own again, lose its claim with its block (facts/faults.md 129). */
function isLeftOver(name: string, p: object): boolean {
  return name === 'arkade-evm' && 'back' in p;
}

export function withoutBack<P extends object>(p: P): P {
  const { back: _, ...before } = p as P & { readonly back?: object };
  return before as unknown as P;
}

/** A funding that was refused and waits in somebody's mempool was counted on, though nobody sends it again. */
export function isUncounted(name: string, p: object, event: Event | null): boolean {
  return name === 'evm-bitcoin' && 'doubt' in p && event?.is === 'htlc.seen' && event.coins.every(isWaiting);
}

function isWaiting({ height, spend }: SeenHtlcCoin): boolean {
  return height === null && spend === null;
}

/** What paid an address before anybody looked was asked of its provider alone (facts/faults.md 127). */
export function withoutPast(watch: Watch): Watch {
  if (watch.on !== 'htlc') return watch;
  const { past: _, ...before } = watch;
  return before;
}
