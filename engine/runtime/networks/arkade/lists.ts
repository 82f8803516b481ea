import { coinsByScript } from '../../../domain/by-script.ts';
import { PortFailure } from '../../../domain/errors.ts';
import { sameBytes } from '../../../domain/hash.ts';
import type { Outpoint } from '../../../domain/outpoint.ts';
import type { ArkadePort } from '../../../legs/arkade/port.ts';
import type { Vtxo } from '../../../legs/arkade/vtxo.ts';

/** Coins of a script that are looked at by name where no list of it is given. */
const mostNamed = 50;

/** What is looked at by name where the operator gives no list any more. */
export function largestOf(coins: readonly Vtxo[]): readonly Outpoint[] {
  return coins
    .toSorted((a, b) => Number(a.spent) - Number(b.spent) || Number(b.amount - a.amount))
    .slice(0, mostNamed)
    .map(({ outpoint }) => outpoint);
}

/** Coins of a script that are looked for on the chain because their operator says that they lie there. */
const mostOnChain = 50;

/**
 * Of a list those that an operator says lie on the chain and that are not looked for there: beyond all of `ours` the
 * largest alone, for it may say so of any number (facts/faults.md 108).
 */
export function notOnChain(coins: readonly Vtxo[], isOurs: (coin: Vtxo) => boolean): ReadonlySet<Vtxo> {
  const unrolled = coins.filter((coin) => coin.unrolled);
  if (unrolled.length <= mostOnChain) return new Set();
  const others = unrolled.filter((coin) => !isOurs(coin));
  return new Set(others.toSorted((a, b) => Number(b.amount - a.amount)).slice(mostOnChain));
}

/**
 * All that lies at a script, or what is named of it where the operator gives no list: a stranger paid it too often
 * (facts/faults.md 95).
 */
export async function coinsOrNamed(
  arkade: Pick<ArkadePort, 'coins' | 'coinsAt'>,
  script: Uint8Array,
  named: readonly Outpoint[],
): Promise<readonly Vtxo[]> {
  try {
    return await arkade.coins([script]);
  } catch (cause) {
    if (!(cause instanceof PortFailure) || named.length === 0) throw cause;
    return (await arkade.coinsAt(named)).filter((coin) => sameBytes(coin.script, script));
  }
}

/** Lists of scripts, and those scripts whose list is not to be had. */
export interface Lists {
  readonly byScript: ReadonlyMap<string, readonly Vtxo[]>;
  readonly unlisted: readonly Uint8Array[];
}

/**
 * The coins of scripts, in one request or, where that fails, in one for each: one script that somebody paid too often
 * hides no other one's (facts/faults.md 95). Rejects where none is to be had.
 */
export async function listsOf(arkade: Pick<ArkadePort, 'coins'>, scripts: readonly Uint8Array[]): Promise<Lists> {
  try {
    return { byScript: coinsByScript(scripts.length === 0 ? [] : await arkade.coins(scripts)), unlisted: [] };
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    const lists = await Promise.allSettled(scripts.map((script) => arkade.coins([script])));
    const unlisted = scripts.filter((_, i) => lists[i]?.status === 'rejected');
    if (unlisted.length === scripts.length) throw cause;
    return {
      byScript: coinsByScript(lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []))),
      unlisted,
    };
  }
}
