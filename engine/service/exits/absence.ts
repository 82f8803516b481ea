import { outpointKey, type Outpoint } from '../../domain/outpoint.ts';
import { seconds, type Seconds } from '../../domain/time.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Networks } from '../networks/networks.ts';

/*
 * For how long an operator was of no use: it did not answer, or it answered and did not let us take a coin. Counted
 * only while this node was looking: neither a sleep nor a leap of the clock makes an operator gone.
 */

/** Between two looks no more than this counts as seen, in seconds: a machine that slept saw nothing. */
const longestGap = 600;
const awayKey = 'arkade.away';
const untakenKey = 'arkade.untaken';

/** Seconds so far, and when that was counted last, by the wall. */
interface Counted {
  readonly seconds: number;
  readonly at: number;
}

interface Looking {
  readonly options: { readonly networks: () => Networks };
  readonly store: Pick<Runtime['store'], 'settings'>;
  readonly clock: Runtime['clock'];
}

function countedOn(before: Counted | null, wall: number): Counted {
  const gap = before === null ? 0 : Math.min(longestGap, Math.max(0, wall - before.at));
  return { seconds: (before?.seconds ?? 0) + gap, at: wall };
}

/** Without the chain it may be this node that is cut off; without an operator nobody was asked. */
function isCutOff({ options }: Looking): boolean {
  const { arkade, bitcoin } = options.networks();
  return bitcoin().state !== 'connected' || arkade().state === 'absent';
}

/** Null while it answers. */
export function awayFor(own: Looking): Seconds | null {
  const { options, store, clock } = own;
  const before = store.settings.get<Counted>(awayKey);
  if (options.networks().arkade().state !== 'away') {
    if (before !== null) store.settings.remove(awayKey);
    return null;
  }
  if (isCutOff(own)) return seconds(before?.seconds ?? 0);
  const counted = countedOn(before, clock.now().wall);
  store.settings.put(awayKey, counted);
  return seconds(counted.seconds);
}

/**
 * For how long each of these coins, which we are about to take, was not to be had, whatever the operator said to it
 * (facts/faults.md 352); null of any other. A coin that is left alone for a moment, until its claim or refund is made
 * anew, is counted on.
 */
export function untakenFor(own: Looking, coins: readonly Outpoint[]): (coin: Outpoint) => Seconds | null {
  const { store, clock } = own;
  const { wall } = clock.now();
  const before = store.settings.get<Readonly<Record<string, Counted>>>(untakenKey) ?? {};
  const cutOff = isCutOff(own);
  const recent = Object.entries(before).filter(([, { at }]) => Math.abs(wall - at) <= longestGap);
  const due = coins.map(outpointKey).map((key): [string, Counted] => {
    const one = before[key] ?? null;
    return [key, cutOff && one !== null ? { ...one, at: wall } : countedOn(one, wall)];
  });
  const now = Object.fromEntries([...recent, ...due]);
  const isNews = due.length > 0 || recent.length !== Object.keys(before).length;
  if (isNews && Object.keys(now).length === 0) store.settings.remove(untakenKey);
  else if (isNews) store.settings.put(untakenKey, now);
  const isDue = new Set(coins.map(outpointKey));
  return (coin) => {
    const key = outpointKey(coin);
    return isDue.has(key) ? seconds(now[key]?.seconds ?? 0) : null;
  };
}
