import type { Balances } from '../../contract/owner/wallets.ts';
import type { OwnerStatus } from '../../contract/owner/status.ts';
import { evmNetwork } from '../../domain/chain.ts';
import { noSats, sats, type Sats } from '../../domain/money.ts';
import type { ServiceContext } from '../context.ts';
import type { EvmSeen } from '../networks/evm.ts';
import { unsavedFact, unsavedValue } from '../limits/unsaved.ts';
import { evmBalances } from './evm-wallet.ts';
import { networkAt } from '../directions/direction.ts';
import type { Needed, Seen } from '../networks/reader.ts';

/** Statuses in which value of ours is locked or on its way, and not back yet. */
export const atRisk: ReadonlySet<string> = new Set([
  'clientfunded',
  'serverfunded',
  'clientredeeming',
  'clientredeemed',
]);

/** What of the node does not change, and what lies outside of its database. */
export interface StatusFacts {
  readonly started: number;
  readonly version: string;
  /** A sentence while a rollback of the whole data folder may go unnoticed. */
  readonly unguarded?: () => string | null;
}

export function status(context: ServiceContext, facts: StatusFacts): OwnerStatus {
  const { version, started } = facts;
  const unguarded = facts.unguarded?.() ?? null;
  const { runtime, networks, config } = context;
  let risk = 0n;
  // Of clients' swaps alone, as the balances count what is locked: the node's own stand in the owner's list.
  for (const { row } of runtime.workingSet.all())
    if (context.directions.of(row.machine) !== null && atRisk.has(row.status)) risk += row.valueSats;
  const now = runtime.clock.now().wall;
  return {
    version,
    network: config.network,
    started,
    paused: runtime.guard.paused(),
    live: context.live(),
    ...(unguarded === null ? {} : { unguarded }),
    networks: [
      describeArkade(context, now),
      describeLightning(context, now),
      describeBitcoin(context, now),
      ...networks.evm().map((seen) => describeEvm(context, seen, now)),
    ],
    open_swaps: runtime.workingSet.size,
    at_risk_sats: Number(risk),
  };
}

/** With what could not leave it if it were gone. */
function describeArkade(context: ServiceContext, now: number): OwnerStatus['networks'][number] {
  const reading = context.networks.arkade();
  const waiting = context.renewal.waiting();
  const fact = unsavedFact(context);
  const row = describe('arkade', reading, now, ({ info }) =>
    [
      `operator ${info.version}, exit delay ${info.exitDelay} s`,
      ...(waiting === null ? [] : [waiting]),
      ...(fact === null ? [] : [`${fact}: new swaps over Arkade wait`]),
    ].join('. '),
  );
  return reading.state === 'absent' ? row : { ...row, unsaved_sats: Number(unsavedValue(context)) };
}

function describeLightning({ networks }: ServiceContext, now: number): OwnerStatus['networks'][number] {
  const lacks = networks.lacksToClose();
  const row = describe('lightning', networks.lightning(), now, ({ info }) =>
    [`${info.alias}, ${info.version}`, ...(lacks === null ? [] : [`${lacks} New swaps over it wait.`])].join('. '),
  );
  return { ...row, ...heightOf(networks.lightning()) };
}

/**
 * With how far its clock is behind this machine's, which no public route tells: it is what an attacker on it would ask.
 */
function describeBitcoin({ networks, runtime }: ServiceContext, now: number): OwnerStatus['networks'][number] {
  const seen = networks.bitcoin();
  const clocks = networks.clocks();
  const { doubt } = runtime.clock.now().bitcoin;
  const row = describe(
    'bitcoin',
    seen,
    now,
    (facts) =>
      `${doubt === undefined ? '' : `${doubt} New swaps over Bitcoin wait. `}median time past ` +
      `${facts.mtp}${clocks?.beyond ? `. ${clocks.beyond.sentence}${clocks.beyond.strict ? ' New swaps over Bitcoin wait.' : ''}` : ''}`,
  );
  return seen.state === 'connected' ? { ...row, height: seen.facts.height, lag_seconds: clocks?.lag ?? 0 } : row;
}

function describeEvm(
  { networks, markets }: ServiceContext,
  seen: EvmSeen,
  now: number,
): OwnerStatus['networks'][number] {
  const { chain, state } = seen;
  const name = evmNetwork(chain);
  const reason = networks.chains.get(name)?.reason() ?? null;
  const closed = reason === null ? markets.closed(name) : null;
  const waits = networks.chains.get(name)?.waits() ?? null;
  const detail =
    reason !== null
      ? `${seen.detail}. ${reason} New swaps over it wait.`
      : [seen.detail, ...(closed === null ? [] : [closed.sentence])].join('. ');
  return state === 'away'
    ? { name, state, detail }
    : {
        ...{ name, state, detail, height: seen.height, lag_seconds: now - seen.blockTime },
        ...(waits === null ? {} : { waits }),
      };
}

function heightOf(seen: Seen<{ info: { height: number } }>): { height: number } | object {
  return seen.state === 'connected' ? { height: seen.facts.info.height } : {};
}

function describe<F>(name: string, seen: Seen<F>, now: number, detail: (facts: F) => string) {
  if (seen.state === 'absent') return { name, state: 'absent' as const, detail: 'not connected' };
  if (seen.state === 'away') return { name, state: 'away' as const, detail: seen.detail };
  return { name, state: 'connected' as const, detail: detail(seen.facts), lag_seconds: Math.max(0, now - seen.readAt) };
}

/**
 * What is locked in HTLCs of ours, and what the outside world may still pay for: neither what is only promised, which
 * is counted as reserved, nor what left for good with the client's claim.
 */
function lockedOn(context: ServiceContext, network: Needed): Sats {
  let total = 0n;
  for (const { row, machine } of context.runtime.workingSet.all()) {
    const direction = context.directions.of(row.machine);
    if (direction === null || !atRisk.has(row.status)) continue;
    if (row.status === 'clientredeemed' || machine.reserves(row.progress)) continue;
    if (networkAt(direction.locksOn, direction.chainOf(row)) === network) total += row.valueSats;
  }
  return sats(total);
}

/** Of the wallets whose networks answer. */
export function balancesNow(context: ServiceContext): Balances['balances'] {
  const { networks, runtime } = context;
  const promised = runtime.store.reservations.totals();
  const rows: Balances['balances'] = [];
  const arkade = networks.arkade();
  if (arkade.state === 'connected') {
    const { balance, onchainCoins } = arkade.facts;
    const onChain = onchainCoins.filter(({ isSent }) => !isSent).reduce((sum, { row }) => sum + row.amount, 0n);
    rows.push({
      network: 'arkade',
      asset: 'btc',
      available: networks.arkadeFree().toString(),
      reserved: (promised.get('arkade') ?? noSats).toString(),
      locked: lockedOn(context, 'arkade').toString(),
      pending: (balance.pending + balance.recoverable + onChain).toString(),
    });
  }
  const lightning = networks.lightning();
  if (lightning.state === 'connected') {
    rows.push({
      network: 'lightning',
      asset: 'btc',
      available: networks.outboundFree().toString(),
      reserved: (promised.get('lightning') ?? noSats).toString(),
      locked: lockedOn(context, 'lightning').toString(),
      pending: lightning.facts.liquidity.pending.toString(),
    });
  }
  const wallet = networks.bitcoinWallet();
  if (wallet.state === 'connected') {
    rows.push({
      network: 'bitcoin',
      asset: 'btc',
      available: networks.bitcoinFree().toString(),
      reserved: (promised.get('bitcoin') ?? noSats).toString(),
      locked: lockedOn(context, 'bitcoin').toString(),
      pending: wallet.facts.pending.toString(),
      fee_reserve: networks.feeReserve().total.toString(),
    });
  }
  return [...rows, ...evmBalances(context, (network) => lockedOn(context, network))];
}
