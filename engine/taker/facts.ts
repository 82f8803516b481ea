import type { Network } from '../domain/chain.ts';
import type {
  PaidState,
  ReasonCode,
  RefundState,
  StepCode,
  TakerActor,
  TakerOutcome,
  TakerPhase,
  TakerTransaction,
  WhyCode,
} from '../domain/taker.ts';
import type { Sats } from '../domain/money.ts';
import type { Locktime, Unix } from '../domain/time.ts';

/*
 * What a swap of the owner's own is, as facts: every direction derives them from terms and progress, and nothing else
 * says them again.
 */

/** What is given or comes out. `sats` is null where its worth in bitcoin was not agreed. */
export interface Side {
  readonly network: Network;
  /** The contract of a token on an EVM chain; null for bitcoin and for a chain's own coin. */
  readonly token: string | null;
  readonly symbol: string;
  readonly decimals: number;
  readonly amount: bigint;
  readonly sats: Sats | null;
  /** What it is at least, where the amount is only expected of an exchange. */
  readonly least?: bigint;
}

/** Where to pay; only for a deal, whose every part was derived again. */
export interface Pay {
  readonly kind: 'invoice' | 'arkade' | 'bitcoin' | 'evm';
  readonly text: string;
  readonly uri: string;
  readonly amount: bigint;
  readonly until: Unix | null;
}

/**
 * The boundaries of a swap, each by the function that the safety predicates go by, in the time of the chain that judges
 * it, or its height; `payUntil` alone by the wall, as those who pay and are paid judge it. Null is one that does not
 * exist.
 */
export interface Times {
  /** The time of that chain; null while it was not read. */
  readonly now: Unix | null;
  readonly payUntil: Unix | null;
  /** Last moment at which finishing is safe. */
  readonly normalUntil: Locktime | null;
  /** From when on the provider signs a refund, where that is agreed. */
  readonly refundSignedFrom: Locktime | null;
  /** From when on nobody's help is needed. */
  readonly refundAloneFrom: Locktime | null;
  readonly dangerFrom: Locktime | null;
  /** The last moment at which anything of ours can still be moved by us. */
  readonly last: Locktime | null;
}

/** Before there is a deal nothing has a time. */
export const noTimes: Times = {
  now: null,
  payUntil: null,
  normalUntil: null,
  refundSignedFrom: null,
  refundAloneFrom: null,
  dangerFrom: null,
  last: null,
};

export interface Moved {
  readonly what: TakerTransaction;
  readonly network: Network;
  readonly txid: string;
  readonly whose: 'you' | 'provider';
  /** Known by our signature alone: it is told of once its network has it. */
  readonly signed?: true;
}

/** One that its network has; none without a txid. */
export function movedBy(
  whose: Moved['whose'],
  what: TakerTransaction,
  network: Network,
  txid: string | null | undefined,
): Moved[] {
  return txid === null || txid === undefined ? [] : [{ what, network, txid, whose }];
}

/** One of ours that the swap itself saw nowhere yet. */
export function signedAs(what: TakerTransaction, network: Network, txid: string | null): Moved[] {
  return txid === null ? [] : [{ what, network, txid, whose: 'you', signed: true }];
}

/**
 * What was seen of our payment. `amount` in the smallest units of what is given, as it was seen; null where nobody saw
 * how much.
 */
export interface Paid {
  readonly state: PaidState;
  readonly amount: bigint | null;
}

export const notPaid: Paid = { state: 'none', amount: null };

/**
 * Where it arrives. `text`: invoice or address; null for a wallet of ours whose address is chosen when it is claimed.
 */
export interface Destination {
  readonly own: boolean;
  readonly text: string | null;
}

/** Between networks; what a direction says of every swap, agreed or not. */
export type Sides = Pick<Facts, 'give' | 'get' | 'to'>;

export interface Facts {
  readonly give: Side;
  readonly get: Side;
  readonly to: Destination;
  readonly paid: Paid;
  readonly pay: Pay | null;
  readonly times: Times;
  readonly refund: { readonly state: RefundState; readonly from: Locktime | null; readonly why: WhyCode | null };
  /** What comes back, where that is another token than was given. */
  readonly back?: Side;
  readonly transactions: readonly Moved[];
  readonly reason: ReasonCode | null;
  /** In the words of whoever said it. */
  readonly detail: string | null;
}

export interface Turn {
  readonly who: TakerActor;
  readonly step: StepCode;
  readonly until: Locktime | null;
}

/** A step and the states of the machine that say that it is done; the first time of any of them is its time. */
export interface StepLine {
  readonly step: StepCode;
  readonly state: 'done' | 'current' | 'later';
  readonly reachedBy: readonly string[];
}

/** Where a swap stands. */
export interface TurnView {
  readonly phase: TakerPhase;
  /** Set when it is over. */
  readonly outcome: TakerOutcome | null;
  readonly turn: Turn;
  readonly steps: readonly StepLine[];
}

/** Bitcoin on a network that counts it in satoshis. */
export function bitcoinSide(network: 'arkade' | 'lightning' | 'bitcoin', amount: Sats): Side {
  return { network, token: null, symbol: 'BTC', decimals: 8, amount, sats: amount };
}

/** Exactly this many sats in whole bitcoin, as payment links say it (BIP-21). */
export function bitcoinText(amount: bigint): string {
  const whole = amount / 100_000_000n;
  const rest = (amount % 100_000_000n).toString().padStart(8, '0').replace(/0+$/, '');
  return rest === '' ? whole.toString() : `${whole}.${rest}`;
}

/** The steps through a swap, from its first to its last. */
export type StepTrack = readonly { readonly step: StepCode; readonly reachedBy: readonly string[] }[];

/**
 * The lines of a track: what comes before the current one is done. All of them are when `current` is the last and
 * over.
 */
function lines(track: StepTrack, current: StepCode, isOver = false): StepLine[] {
  const at = track.findIndex(({ step }) => step === current);
  return track.map((one, i) => ({
    ...one,
    state: i < at || (isOver && i === at) ? 'done' : i === at ? 'current' : 'later',
  }));
}

/** A swap under way: `step` is the one of its track that is current, where that is not the turn's own. */
export function going(phase: TakerPhase, turn: Turn, track: StepTrack, step: StepCode = turn.step): TurnView {
  return { phase, outcome: null, turn, steps: lines(track, step) };
}

/** A swap that is over, by the last step of its track. */
export function over(outcome: TakerOutcome, track: StepTrack): TurnView {
  const last = track.at(-1)?.step ?? 'closed';
  return { phase: 'over', outcome, turn: { who: 'nobody', step: last, until: null }, steps: lines(track, last, true) };
}

/** Who is waited for, for the owner's list of everything that is open. */
export function turnText({ who, step }: Turn): string {
  return `${who}: ${step}`;
}
