import { randomUUID } from 'node:crypto';
import { btcOn, less, noSats, sats, type Sats } from '../../domain/money.ts';
import { day, hour } from '../../domain/time.ts';
import { feeReserveNow } from '../../runtime/networks/onchain/reserve.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { newRow } from '../../runtime/working-set.ts';
import {
  bitcoinConsolidation,
  bitcoinConsolidationEffect,
  type BitcoinConsolidationProgress,
  type BitcoinConsolidationTerms,
} from '../../swap/jobs/consolidation-bitcoin.ts';
import { createFeeHistory } from './fee-history.ts';
import { seen } from '../networks/reader.ts';
import { createRounds } from '../rounds.ts';

/** What the owner allows. */
export interface ConsolidationRules {
  readonly enabled: boolean;
  /** Most that all of a day may cost. */
  readonly perDay: Sats;
}

/** Between the beginnings of two. */
const pause = 6 * hour;
const begunKey = 'bitcoin-consolidation-begun';
const progress: BitcoinConsolidationProgress = { at: 'choosing' };

/**
 * Joins and splits coins of the Bitcoin wallet while fees are low by what this node has seen: one at a time, with
 * pauses, within what a day may cost. `rate` is what the chain asks for now, null while that is not known.
 */
export function createConsolidation(options: {
  runtime: Runtime;
  rate: () => number | null;
  rules: () => ConsolidationRules;
  everyMs: number;
}) {
  const { runtime, rules, everyMs } = options;
  const { store, ports, clock, commits, workingSet, guard } = runtime;
  const history = createFeeHistory(store);

  /** What may be spent still: of the last day, by what the ledger says. */
  function room({ perDay }: ConsolidationRules, now: number): Sats {
    const spent = -store.ledger.totalSince('consolidation-fee-paid', btcOn('bitcoin'), now - day) / 1_000n;
    return less(perDay, sats(spent > 0n ? spent : 0n));
  }

  async function look(): Promise<void> {
    const { wall: now } = clock.now();
    const rate = options.rate();
    const { bitcoinWallet } = ports;
    if (rate === null || bitcoinWallet === undefined) return;
    // By what was seen before: a rate is not low because it is the present one.
    const low = history.low();
    history.note(rate, now);
    const { enabled } = rules();
    if (!enabled || guard.paused() !== null || low === null || rate > low) return;
    if ([...workingSet.all()].some(({ machine }) => machine.name === bitcoinConsolidation.name)) return;
    const begun = store.settings.get<number>(begunKey) ?? 0;
    const mostFee = room(rules(), now);
    if (mostFee === noSats || (begun <= now && now - begun < pause)) return;
    const reserve = feeReserveNow(store);
    const request = { reserved: store.transactions.reservedCoins(), reserve, rate, mostFee };
    // Looked at first, so that no job is written down for nothing.
    const wanted = await seen(runtime, () => bitcoinWallet.wantsConsolidation(request));
    if (wanted.state === 'connected' && wanted.facts) begin({ mostRate: low, mostFee }, now);
  }

  function begin(terms: BitcoinConsolidationTerms, now: number): void {
    const id = randomUUID();
    commits.open(id, () => {
      store.settings.put(begunKey, now);
      return {
        row: newRow({
          id,
          machine: bitcoinConsolidation.name,
          createdAt: clock.now().wall,
          status: bitcoinConsolidation.status(progress),
          valueSats: noSats,
          terms,
          progress,
        }),
        effects: [bitcoinConsolidationEffect(terms)],
      };
    });
  }

  return createRounds(runtime, { name: 'consolidating wallet coins', everyMs, round: look });
}
