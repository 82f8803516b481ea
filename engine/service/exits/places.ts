import { PortFailure } from '../../domain/errors.ts';
import type { Unix } from '../../domain/time.ts';
import { exitCosts, type ExitFacts } from '../../legs/arkade/exit-rule.ts';
import { minedChildren, sumOf } from '../../runtime/networks/arkade/exit-path-paid.ts';
import { nextOnExitPath } from '../../runtime/networks/arkade/exit-path.ts';
import { believedRate } from '../../runtime/networks/onchain/fee-rate.ts';
import { urgencyOf } from '../../runtime/networks/onchain/fee-urgency.ts';
import { NotYet } from '../../runtime/not-yet.ts';
import { bitcoinOf } from '../../runtime/ports.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { unrollArkade, type UnrollTerms } from '../../swap/jobs/unroll-arkade.ts';

/**
 * Coins on their way at once, of swaps and of the wallet each: every one wants a coin of the Bitcoin wallet at a time.
 * Apart, for anybody can send coins to the wallet (facts/faults.md 315).
 */
export const mostUnderway = 20;

/** Jobs that bring a coin to the chain and are open. */
export function runningExits({
  workingSet,
}: Pick<Runtime, 'workingSet'>): (readonly [id: string, terms: UnrollTerms])[] {
  return [...workingSet.all()]
    .filter(({ machine }) => machine.name === unrollArkade.name)
    .map(({ row }) => [row.id, row.terms as UnrollTerms]);
}

/** Sats per virtual byte that a way pays now, by the deadline of its coin. */
export type ExitRates = (deadline: Unix | undefined) => Promise<number>;

/**
 * By the rule of the act that pays (`runtime/networks/arkade/unroll.ts`): by another one whatever is begun may wait,
 * and count nowhere.
 */
export function exitRates({ clock, ports }: Runtime): ExitRates {
  const rates = new Map<string, number>();
  return async (deadline) => {
    const { within, late } = urgencyOf(deadline, clock.now().bitcoin.mtp ?? 0);
    const key = `${within} ${late}`;
    const rate = rates.get(key) ?? (await believedRate(bitcoinOf(ports), { within, doubtAbove: 0, late }));
    rates.set(key, rate);
    return rate;
  };
}

/**
 * How many may begin: as many as are not on their way yet, of those that may be at once. What lies on the chain waits
 * to be buried, and what the fees of now forbid to go on waits for cheaper blocks: neither keeps another coin from
 * leaving. The chain is asked, for a reorganisation takes them back (facts/faults.md 278).
 */
export async function exitPlaces(whose: ExitFacts['whose'], runtime: Runtime, rateOf: ExitRates): Promise<number> {
  let left = mostUnderway;
  for (const [id, terms] of runningExits(runtime)) {
    if ((terms.deadline === undefined ? 'wallet' : 'swap') !== whose) continue;
    const there = await bitcoinOf(runtime.ports).transaction(terms.coin.txid);
    if (there !== null && there.height !== null) continue;
    const rate = await rateOf(terms.deadline);
    if (await mayGoOn(id, terms, { rate, runtime })) left--;
  }
  return left;
}

/**
 * Whether the rest of its way costs no more than what it may cost still; true as well where that cannot be read now.
 */
async function mayGoOn(
  id: string,
  { coin, mostFee }: UnrollTerms,
  { rate, runtime }: { readonly rate: number; readonly runtime: Runtime },
): Promise<boolean> {
  const path = runtime.store.exits.path(coin);
  if (path === null) return true;
  try {
    const next = await nextOnExitPath(path, bitcoinOf(runtime.ports));
    if (next === null) return true;
    return exitCosts(path, rate, next.index) <= mostFee - sumOf(await minedChildren(id, runtime));
  } catch (cause) {
    if (cause instanceof PortFailure || cause instanceof NotYet) return true;
    throw cause;
  }
}
