import type { MetricFacts } from './exposition.ts';

const gauge = (help: string, ...labels: string[]): MetricFacts => ({ type: 'gauge', help, labels });
const counter = (help: string, ...labels: string[]): MetricFacts => ({ type: 'counter', help, labels });

/**
 * Every metric by its name, in the order in which they are told. None has a label whose values grow with what happened,
 * and none tells an address, a key, an invoice or a host.
 */
export const metricFacts = {
  sluice_build_info: gauge('The version that runs, as labels; always 1', 'version', 'commit'),
  sluice_start_time_seconds: gauge('When the node started, in unix seconds'),
  sluice_ready: gauge('Whether new swaps are begun: 1, or 0 as GET /health/ready says it'),
  sluice_paused: gauge('Whether new swaps are refused, by whose word', 'by'),
  sluice_swaps_open: gauge('Swaps that are not over', 'direction', 'role', 'status'),
  sluice_swaps_ended_total: counter('Swaps that ended since the start of the node', 'direction', 'role', 'status'),
  sluice_swaps_flagged: gauge('Open swaps that ask for a person'),
  sluice_swaps_unreadable: gauge('Open swaps that cannot be read from the database'),
  sluice_value_at_risk_sats: gauge('What the node has locked and not got back, in satoshis', 'direction'),
  sluice_time_to_spare_seconds: gauge(
    'Least time that is left before an open swap is late, in seconds; negative when one is',
    'direction',
    'role',
  ),
  sluice_balance_sats: gauge(
    'What the wallets hold in bitcoin or its token: available, reserved, locked, pending, and kept for fees',
    'network',
    'kind',
  ),
  sluice_gas_coins: gauge(
    "What pays for gas on an EVM chain, in whole coins of it, beside the chain's floor",
    'network',
  ),
  sluice_network_up: gauge('Whether a connected network answers', 'network'),
  sluice_network_closed: gauge(
    'Whether new swaps over a connected network are refused now, also because it does not answer',
    'network',
  ),
  sluice_network_lag_seconds: gauge(
    "How far a network is behind this machine's clock, in seconds: its last block, or its last answer",
    'network',
  ),
  sluice_network_height: gauge('Height of the last block that counts', 'network'),
  sluice_sources_disagree: gauge('Whether the sources of a chain contradict each other', 'network'),
  sluice_rpcs: gauge('RPCs that are set for an EVM chain', 'network'),
  sluice_rpcs_away: gauge('RPCs of an EVM chain that fail now', 'network'),
  sluice_effects_waiting: gauge('Queues of acts that are due, running or waiting'),
  sluice_effects_parked: gauge('Acts that were given up until a person looks'),
  sluice_earned_sats_total: counter(
    'What swaps brought since the start of the node, in satoshis, by kind of income',
    'kind',
    'network',
  ),
  sluice_paid_sats_total: counter(
    'What was paid or lost since the start of the node, in satoshis, by kind of cost',
    'kind',
    'network',
  ),
  sluice_gas_paid_coins_total: counter('Gas paid since the start of the node, in whole coins of the chain', 'network'),
  sluice_alerts_total: counter('Alerts that the owner was told since the start of the node, by name', 'alert'),
  sluice_event_loop_lag_p99_seconds: gauge('How late the event loop was in 99 of 100 cases, in the last minute'),
  sluice_event_loop_lag_max_seconds: gauge('How late the event loop was at most, in the last minute'),
  process_cpu_seconds_total: counter('Processor time of this process, in seconds'),
  process_resident_memory_bytes: gauge('Memory of this process, in bytes'),
} as const satisfies Readonly<Record<string, MetricFacts>>;

export type MetricName = keyof typeof metricFacts;
