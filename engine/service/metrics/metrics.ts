import { alertName, alertNames } from '../../runtime/alert-names.ts';
import type { ServiceContext } from '../context.ts';
import { isReady } from '../readiness.ts';
import { eventLoopLag } from './event-loop.ts';
import { exposition, type Sample } from './exposition.ts';
import { createLedgerSums } from './ledger-sums.ts';
import { metricFacts, type MetricName } from './list.ts';
import { balances, createUnits, ledger } from './money.ts';
import { networks } from './networks.ts';
import { countEnded, createTally, openSwaps } from './swaps.ts';

export interface MetricsFacts {
  readonly version: string;
  readonly commit: string;
  readonly started: number;
}

/** What is known of the node now, as text for Prometheus. A look costs what is open, not what was. */
export function createMetrics(context: ServiceContext, facts: MetricsFacts): () => string {
  const { runtime } = context;
  const ended = countEnded(context);
  const units = createUnits(context);
  const sums = createLedgerSums(runtime.store);
  const alerts = createTally();
  // A first one shows as a step from 0, not as a line out of nothing.
  for (const alert of alertNames) alerts.add({ alert }, 0);
  runtime.onAlert(({ swap, sentence }) => alerts.add({ alert: alertName(swap, sentence) }, 1));

  function values(): Readonly<Record<MetricName, readonly Sample[]>> {
    const swaps = openSwaps(context);
    const money = balances(context, units);
    const booked = ledger(sums, units);
    const seen = networks(context);
    const lag = eventLoopLag();
    const paused = runtime.guard.paused();
    const { user, system } = process.cpuUsage();
    return {
      sluice_build_info: [{ labels: { version: facts.version, commit: facts.commit }, value: 1 }],
      sluice_start_time_seconds: one(facts.started),
      sluice_ready: one(isReady(context) ? 1 : 0),
      sluice_paused: ['owner', 'guard'].map((by) => ({ labels: { by }, value: paused?.by === by ? 1 : 0 })),
      sluice_swaps_open: swaps.open,
      sluice_swaps_ended_total: ended(),
      sluice_swaps_flagged: one(swaps.flagged),
      sluice_swaps_unreadable: one(runtime.workingSet.unread().size),
      sluice_value_at_risk_sats: swaps.risk,
      sluice_time_to_spare_seconds: swaps.spare,
      sluice_balance_sats: money.held,
      sluice_gas_coins: money.gas,
      sluice_network_up: seen.up,
      sluice_network_closed: seen.closed,
      sluice_network_lag_seconds: seen.lag,
      sluice_network_height: seen.height,
      sluice_sources_disagree: seen.disagree,
      sluice_rpcs: seen.rpcs,
      sluice_rpcs_away: seen.away,
      sluice_effects_waiting: one(runtime.outbox.size),
      sluice_effects_parked: one(runtime.store.effects.parkedCount()),
      sluice_earned_sats_total: booked.earned,
      sluice_paid_sats_total: booked.paid,
      sluice_gas_paid_coins_total: booked.gas,
      sluice_alerts_total: alerts.samples(),
      sluice_event_loop_lag_p99_seconds: lag === null ? [] : one(lag.p99),
      sluice_event_loop_lag_max_seconds: lag === null ? [] : one(lag.max),
      process_cpu_seconds_total: one((user + system) / 1e6),
      process_resident_memory_bytes: one(process.memoryUsage.rss()),
    };
  }

  return () => {
    const now = values();
    const names = Object.keys(metricFacts) as MetricName[];
    return exposition(names.map((name) => ({ name, ...metricFacts[name], samples: now[name] })));
  };
}

function one(value: number): readonly Sample[] {
  return [{ labels: {}, value }];
}
