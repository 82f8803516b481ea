import { takerDirections, takerMachine, type TakerDirection } from '../../domain/chain.ts';
import type { TakerAttention } from '../../domain/taker.ts';
import { expectedAt, type Clocks, type Locktime, type Unix } from '../../domain/time.ts';
import type { SwapLabel } from '../../contract/owner/labels.ts';
import type { TakerSwap } from '../../contract/taker-swap.ts';
import type { Entry } from '../../runtime/working-set.ts';
import type { JournalLine } from '../../store/journal.ts';
import { takenDirections } from '../../taker/directions.ts';
import type { Facts, Paid, Side, TurnView, StepLine } from '../../taker/facts.ts';
import { factsOfRestored, stepsOfRestored } from '../../taker/restore/restored.ts';
import type { OrderTerms, TakerProgress } from '../../taker/terms.ts';

/** Null for a machine that runs something else. */
export function takenBy(machine: string): TakerDirection | null {
  return takerDirections.find((direction) => takerMachine(direction) === machine) ?? null;
}

export type OwnWallet = 'cannot' | 'can' | 'pays';

export interface Seen {
  readonly now: Clocks;
  readonly journal: readonly JournalLine[];
  /** Whether a wallet of this node could pay what the swap waits for, or is doing it. */
  readonly ownWallet: OwnWallet;
  /** Whether its network has a transaction that this node signed. */
  isTaken(txid: string): boolean;
}

/** As the swap itself says it; what its owner calls it is kept elsewhere. */
type Unlabelled = Omit<TakerSwap, keyof SwapLabel>;

/** A swap of the owner's own as the wire says it; null for anything else. */
export function takerSwapOf({ row }: Entry, { now, journal, ownWallet, isTaken }: Seen): Unlabelled | null {
  const direction = takenBy(row.machine);
  if (direction === null) return null;
  const terms = row.terms as OrderTerms;
  const progress = row.progress as TakerProgress;
  const facts = factsOfRestored(takenDirections[direction].facts(terms, progress, now), terms);
  const standing = paying(stepsOfRestored(takenDirections[direction].steps(progress, terms), terms), ownWallet);
  const { times } = facts;
  const at = (moment: Locktime | null): Unix | null => (moment === null ? null : expectedAt(moment, now));
  const paid = leaving(facts.paid, ownWallet);
  const pay = standing.phase === 'pay' ? facts.pay : null;
  return {
    id: row.id,
    provider_url: terms.provider,
    provider_swap_id: progress.deal?.swapId ?? null,
    direction,
    created: row.createdAt,
    updated: row.updatedAt,
    at: progress.at,
    phase: standing.phase,
    outcome: standing.outcome,
    open: standing.outcome === null,
    attention: attentionOf(standing, facts, row.flag, now),
    turn: { ...standing.turn, until: at(standing.turn.until) },
    give: sideOf(facts.give),
    get: sideOf(facts.get),
    to: facts.to,
    paid: { state: paid.state, amount: paid.amount?.toString() ?? null },
    costs: (progress.deal?.costs ?? []).map(({ part, sats }) => ({ part, sats: Number(sats) })),
    pay: pay === null ? null : { ...pay, amount: pay.amount.toString(), own_wallet: ownWallet === 'can' },
    times: {
      now: times.now,
      pay_until: times.payUntil,
      normal_until: at(times.normalUntil),
      refund_signed_from: at(times.refundSignedFrom),
      refund_alone_from: at(times.refundAloneFrom),
      danger_from: at(times.dangerFrom),
      last: at(times.last),
    },
    refund: { ...facts.refund, from: at(facts.refund.from) },
    back: facts.back === undefined ? null : sideOf(facts.back),
    steps: standing.steps.map((line) => ({ step: line.step, state: line.state, time: timeOf(line, journal) })),
    // What is signed and not sent is no transaction that anybody could look up.
    transactions: facts.transactions
      .filter(({ signed, txid }) => signed !== true || isTaken(txid))
      .map(({ what, network, txid, whose }) => ({ what, network, txid, whose })),
    said: progress.said ?? null,
    reason: facts.reason ?? (row.flag === null ? null : 'flagged'),
    detail: facts.detail ?? row.flag,
  };
}

/** What a wallet of ours is paying is nobody's turn to pay again. */
function paying(standing: TurnView, ownWallet: OwnWallet): TurnView {
  return standing.phase === 'pay' && ownWallet === 'pays'
    ? { ...standing, phase: 'wait', turn: { ...standing.turn, who: 'node' } }
    : standing;
}

/** A payment of our wallet's that was begun and is not seen at its place yet. */
function leaving(paid: Paid, ownWallet: OwnWallet): Paid {
  return paid.state === 'none' && ownWallet === 'pays' ? { state: 'leaving', amount: null } : paid;
}

function sideOf({ amount, sats, least, ...side }: Side): TakerSwap['give'] {
  return {
    ...side,
    amount: amount.toString(),
    sats: sats === null ? null : Number(sats),
    ...(least === undefined ? {} : { least: least.toString() }),
  };
}

function timeOf({ state, reachedBy }: StepLine, journal: readonly JournalLine[]): Unix | null {
  const line = state === 'done' ? journal.find(({ from, to }) => from !== to && reachedBy.includes(to)) : undefined;
  return line === undefined ? null : (line.time as Unix);
}

/** Danger is money that can be lost; what wants a person without that is theirs to do. */
function attentionOf(
  { outcome, phase, turn }: TurnView,
  { times }: Facts,
  flag: string | null,
  now: Clocks,
): TakerAttention {
  if (outcome !== null) return outcome === 'lost' ? 'danger' : 'none';
  const danger = times.dangerFrom === null ? null : expectedAt(times.dangerFrom, now);
  if (danger !== null && times.now !== null && times.now >= danger) return 'danger';
  if (flag !== null || turn.who === 'you' || phase === 'pay') return 'needs-you';
  return 'waiting';
}
