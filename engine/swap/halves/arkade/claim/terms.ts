import { z } from 'zod';
import type { SeenCoin } from '../../../../legs/arkade/events.ts';
import { vhtlcTerms } from '../../../../legs/arkade/shape.ts';
import {
  bytes,
  listOf,
  outpoint,
  partOf,
  publicKey,
  sats,
  txid,
  unix,
  type StatesOf,
  type ValueOf,
} from '../../../../legs/shape.ts';
import type { ClaimStates } from '../../claim.ts';
import { amendableOnce, claimTerms } from '../../claim-terms.ts';
import type { Event } from '../../../machine.ts';
import { sameExtras, stoppedFor, extraCoin, coinsBeside, type StoppedFor, type ExtraCoin } from '../../extra-coins.ts';

/**
 * The half of a swap that begins with a VHTLC which the client funds and we claim: what its terms and states have in
 * common, whatever is given for it.
 */
export const sourceTerms = {
  ...claimTerms,
  ...amendableOnce,
  vhtlc: vhtlcTerms,
  script: bytes,
  /** Of the VHTLC. */
  address: z.string(),
  serverKey: publicKey,
  /** Of our key in it. */
  keyIndex: z.number(),
  /** The client's refund key as it was sent, for the record. */
  clientKeyText: z.string(),
  toleranceBps: z.number(),
  /** A coin that expires sooner than this could be taken back while it is still needed (facts/arkade.md 26). */
  minCoinExpiry: unix,
};
export type SourceTerms = ValueOf<typeof sourceTerms>;

const yes = z.literal(true).exactOptional();
const extras = listOf(extraCoin);
const own = { coin: outpoint, surplus: sats };
const funded = { ...own, extras };
const unwatched = {
  /** What is left at the address is the client's to take alone, and has been for a day: it is not watched any more. */
  unwatched: yes,
  /** The client asked for a refund: its coins are watched until then at least. */
  askedUntil: unix.exactOptional(),
};

/** Stored fields of each state. `fenced`: we signed a refund, so that nothing will ever be given for a coin. */
export const sourceFields = {
  pending: { fenced: z.boolean() },
  /** What is given for it is not named yet: a coin that comes is noted, and nothing else. */
  unnamed: { fenced: z.boolean(), extras },
  sure: funded,
  seed: own,
  /**
   * `exit`: the coin left the operator, and `claimTxid` is a transaction on the chain. `halted`: the operator called it
   * spent when we came for it.
   */
  claiming: { ...funded, claimTxid: txid.nullable(), exit: yes, halted: yes },
  claimed: { ...funded, claimTxid: txid.nullable(), ...unwatched },
  lost: { ...funded, ...unwatched },
  /** Nothing is given for what lies at the address: it is the client's to take back. */
  stopped: { why: stoppedFor, reason: z.string(), fenced: z.boolean(), extras, ...unwatched },
  /** Never funded, and so late that whoever funds it now can take the coin back at once: no longer watched. */
  lapsed: { fenced: z.boolean() },
  refunded: { refundTxid: txid.nullable(), extras, ...unwatched },
} as const;

type States = StatesOf<typeof sourceFields>;
export type Unwatched = ValueOf<typeof unwatched>;
export type Funded = ValueOf<typeof funded>;
export type Pending = States['pending'];
export type Unnamed = States['unnamed'];
export type Claiming = States['claiming'];
export type Stopped = States['stopped'];
export type Lapsed = States['lapsed'];
export type Refunded = States['refunded'];

/** The states of a claim on Arkade. */
export interface ArkadeClaim extends ClaimStates {
  readonly waiting: Pending | Unnamed;
  readonly sight: SeenCoin;
  readonly sure: Funded;
  readonly claiming: ValueOf<typeof sourceFields.claiming>;
  readonly claimed: ValueOf<typeof sourceFields.claimed>;
  readonly lost: Funded & Unwatched;
  readonly stopped: Stopped;
  readonly left: Omit<Stopped, 'at' | 'why'>;
  readonly seed: ValueOf<typeof own>;
  readonly lapsed: Lapsed;
  readonly refunded: Refunded;
}

/** The part of a state that stays the swap's from funding to claim. */
export const fundedOf = partOf(funded);

/** What must hold of the client's coin for anything to be given for it, as it was agreed. */
export function agreedCoin({ sourceAmount, vhtlc }: Pick<SourceTerms, 'sourceAmount' | 'vhtlc'>) {
  return { sourceAmount, refundLocktime: vhtlc.refundLocktime };
}

/** The same of the very coin, to be looked at once more. */
export function coinOf(t: SourceTerms, { coin: outpoint }: Funded) {
  return { script: t.script, outpoint, policy: t.policy, ...agreedCoin(t) };
}

/** Later coins at the address of a swap that has its coin: noted, whatever else the event means. */
export function withExtras<S extends Funded>(p: S, event: Event): S {
  if (event.is !== 'vhtlc.seen') return p;
  const extras = coinsBeside(event.coins, p.coin, p.extras);
  return sameExtras(extras, p.extras) ? p : { ...p, extras };
}

export function stopped(why: StoppedFor, reason: string, fenced: boolean, extras: readonly ExtraCoin[]): Stopped {
  return { at: 'stopped', why, reason, fenced, extras };
}
