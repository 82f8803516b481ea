import type { TakerQuote } from '../../contract/taker-quotes.ts';
import type { TakerDirection } from '../../domain/chain.ts';
import { sats, type Sats } from '../../domain/money.ts';
import { seconds, type Seconds } from '../../domain/time.ts';
import { exitTakes } from '../../legs/arkade/exit-rule.ts';
import { revealMargin } from '../../legs/timelocks.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import { claimCeiling, type ClaimCeilings } from '../../quote/ceilings.ts';
import { takenDirections } from '../../taker/directions.ts';
import { leastTimeToPay } from '../../taker/verify.ts';
import { worstSeconds } from './worst.ts';

type Cases = TakerQuote['cases'];

/** What is known of a swap before it is made. */
export interface Prospect {
  readonly direction: TakerDirection;
  /** What both sides are worth; null where an exchange decides. */
  readonly source: Sats | null;
  readonly target: Sats | null;
  /** All that the offer says it costs; null where it does not. */
  readonly costs: Sats | null;
  /** What own swaps took; null with too few of them. */
  readonly usual: number | null;
  readonly policy: TimeoutPolicy;
  readonly ceilings: ClaimCeilings;
  /** Of the Arkade operator; null while it was not read. */
  readonly exitDelay: Seconds | null;
}

/**
 * Transactions between the chain and a coin, as its operator makes them: a tree of so many levels has room for
 * thousands.
 */
const levels = 6;
/** What each network takes when nothing is in its way: to be seen, and to be final. */
const networkSeconds = { Arkade: 5, Lightning: 10, Bitcoin: 600, evm: 60 } as const;

/** Seconds in which a swap can surely be paid once it is made; null where an invoice says so. */
export function paySeconds(direction: TakerDirection, { fundingWindow }: TimeoutPolicy): number | null {
  const { source, target } = takenDirections[direction];
  return source === 'Lightning' || target === 'Lightning' ? null : fundingWindow - leastTimeToPay;
}

/**
 * What can become of a swap: each with how long it takes and what it costs at most, by the rules that the machines go
 * by.
 */
export function casesOf(prospect: Prospect): Cases {
  const { direction, costs, policy } = prospect;
  const { source, target } = takenDirections[direction];
  const usual = prospect.usual ?? networkSeconds[source] + networkSeconds[target];
  const claim = target === 'Bitcoin' ? ceilingOf(prospect.target, prospect) : sats(0);
  const finishing = costs === null || claim === null ? null : sats(costs + claim);
  return [
    { case: 'usual', seconds: usual, most_sats: plain(finishing) },
    { case: 'slow', seconds: Math.max(usual, slowSeconds(prospect)), most_sats: plain(finishing) },
    { case: 'provider', seconds: worstSeconds(direction, policy), most_sats: plain(backCosts(prospect)) },
    worst(prospect),
  ];
}

/** The last moment at which it still finishes: later, nothing more is shown of our secret and it turns back. */
function slowSeconds({ direction, policy }: Prospect): number {
  const { secret } = takenDirections[direction];
  return secret === 'ours' ? policy.serverLeg - revealMargin(policy) : policy.clientLeg;
}

/** On Arkade and over Lightning nothing; the gas of an account is in the coin of its chain. */
function backCosts(prospect: Prospect): Sats | null {
  const { source } = takenDirections[prospect.direction];
  if (source === 'evm') return null;
  return source === 'Bitcoin' ? ceilingOf(prospect.source, prospect) : sats(0);
}

function ceilingOf(amount: Sats | null, { ceilings }: Prospect): Sats | null {
  return amount === null ? null : claimCeiling(amount, ceilings, false);
}

/**
 * The operator gone too, where there is one: everything leaves to the chain. Elsewhere what only this node can prevent.
 */
function worst(prospect: Prospect): Cases[number] {
  const { direction, policy, exitDelay } = prospect;
  const { source, target } = takenDirections[direction];
  const onArkade = source === 'Arkade' ? prospect.source : target === 'Arkade' ? prospect.target : undefined;
  if (onArkade === undefined)
    return { case: 'node', seconds: policy.serverLeg - revealMargin(policy), most_sats: plain(prospect.source) };
  const leaving = exitDelay === null ? null : exitTakes({ transactions: levels, delay: exitDelay });
  // It may go at the last moment at which the swap still finishes, or at which what was paid comes back.
  const before = source === 'Arkade' ? (worstSeconds(direction, policy) ?? 0) : slowSeconds(prospect);
  return {
    case: 'operator',
    seconds: leaving === null ? null : seconds(before + leaving),
    most_sats: plain(ceilingOf(onArkade, prospect)),
  };
}

function plain(amount: Sats | null): number | null {
  return amount === null ? null : Number(amount);
}
