import type { z } from 'zod';
import type { Clocks, Locktime } from '../../domain/time.ts';
import type { Leg } from '../../legs/leg.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { RescueLeg } from '../../legs/rescue.ts';
import type { Effect, Event, LedgerLine, Step, Watch } from '../machine.ts';
import type { StoppedFor } from './extra-coins.ts';
import type { Answer, News } from './answer.ts';
import type { Backing, Surety } from './surety.ts';

/** The states of a half that funds, as far as they are its own. */
export interface FundStates {
  /** From the order to lock or pay until it is claimed or refunded. */
  readonly standing: {
    readonly at: 'funded' | 'funding' | 'locking' | 'paying' | 'locked' | 'relaying' | 'relayed' | 'refunding';
  };
  /** The client claimed our lock, or our payment settled. */
  readonly revealed: object;
  /** Our refund is final. */
  readonly returned: object;
  /** Called off, though a lock may exist or a payment may settle. */
  readonly doubt: object;
}

/** What becomes of our part. */
export type FundFact<F extends FundStates> =
  /** It goes on to a stage of its own. */
  | { readonly fact: 'next'; readonly next: F['standing'] }
  /** It never was, and is asked for anew. */
  | { readonly fact: 'again' }
  /** Nothing of ours will be with the client, but for what is in doubt. */
  | { readonly fact: 'declined'; readonly why: StoppedFor; readonly reason: string; readonly doubt: F['doubt'] | null }
  /** The client claimed it, and its secret is ours. */
  | { readonly fact: 'revealed'; readonly revealed: F['revealed'] }
  /** The client has it, by a secret that opens nothing of its own. */
  | { readonly fact: 'forfeit'; readonly revealed: F['revealed'] }
  | { readonly fact: 'returned'; readonly reason: string; readonly returned: F['returned'] };

/** The client's claim never confirmed, and both locks are refunded. */
export interface NeitherFact<F extends FundStates> {
  readonly fact: 'neither';
  readonly returned: F['returned'];
}

/** The client claimed ours and refunded its own. */
export interface LostFact<F extends FundStates> {
  readonly fact: 'lost';
  readonly revealed: F['revealed'];
}

/** What becomes of what is in doubt. */
export type DoubtFact<F extends FundStates> = FundFact<F> | { readonly fact: 'settled' };

/** What a part of ours may hold that a copy of the database forgot: its client may have agreed to other terms since. */
export type ForgottenAmount = 'as agreed' | 'any amount';

/** The half of a swap in which we lock, or pay. Null: the event does not concern it. */
export interface FundHalf<T, F extends FundStates, Drops = true> {
  /** Its network. */
  readonly leg: Leg;
  /** Of each state, as it is kept. */
  readonly fields: {
    readonly standing: Readonly<Record<F['standing']['at'], z.ZodRawShape>>;
    readonly revealed: z.ZodRawShape;
    readonly returned: z.ZodRawShape;
    readonly doubt: z.ZodRawShape;
  };
  standing(
    t: T,
    p: F['standing'],
    event: Event,
    now: Clocks,
    backing: Backing,
  ): Answer<F['standing'], FundFact<F>, Drops> | null;
  /** What its state alone owes. */
  resume(t: T, p: F['standing'], backing: Backing): readonly Effect[];
  /** What the client gave is claimed, or was, or is lost. */
  revealed(
    t: T,
    p: F['revealed'] & { readonly at: 'claiming' | 'claimed' | 'lost' },
    event: Event,
    now: Clocks,
    surety: Surety,
  ): Answer<F['revealed'], NeitherFact<F>, Drops> | null;
  /** The same once it is claimed. */
  resumeRevealed(
    t: T,
    p: F['revealed'] & { readonly at: 'claiming' | 'claimed' | 'lost' },
    surety: Surety,
  ): readonly Effect[];
  /** Of the client's claim, the fields that stay when the stage changes. */
  kept(p: F['revealed']): F['revealed'];
  /** What the client gave is ours. */
  onceClaimed(p: F['revealed']): F['revealed'];
  /** The client took back what it gave. */
  lost(t: T, p: F['revealed'], took: string, surety: Surety): News<LostFact<F> | NeitherFact<F>, Drops>;
  /** The ledger line of a part that is lost. */
  loss(t: T): LedgerLine;
  /** The first effect of the half. */
  begin(t: T, onlyIf: OnlyIf): Effect;
  /**
   * An event for a part that was called off; null: for one that a copy of the database may have forgotten. `holds`:
   * what that may be.
   */
  doubted(
    t: T,
    p: F['doubt'] | null,
    event: Event,
    now: Clocks,
    holds: ForgottenAmount,
  ): Answer<F['doubt'], DoubtFact<F>, Drops> | null;
  /** The part may be claimed any moment: no refund of the client's is signed. */
  forbidsRefund(p: F['doubt']): boolean;
  /**
   * A Lightning payment may settle after the client's refund, and any lock of the client's may pay for it; an HTLC of
   * ours belongs to one lock.
   */
  readonly isPayment: boolean;
  /**
   * What is in doubt is decided by a look some day, and looked for until then, whatever the client has again (false
   * where nothing ever is).
   */
  readonly outlasts: boolean;
  /** Our coin was refunded although a claim of it had been believed. */
  isPaidBack(p: F['revealed']): boolean;
  /** An event after our refund: the cost of a transaction. */
  afterReturn(p: F['returned'], event: Event): Step<F['returned'], Drops> | null;
  watches(t: T, p: object & { readonly at: string }): readonly Watch[];
  deadline(t: T, p: F['standing'], surety: Surety): Locktime | null;
  /** Something of it is still to be seen, once all else is over. */
  open(p: F['revealed']): boolean;
  reserves(p: F['standing']): boolean;
  /** For the owner: what it waits for. */
  action(p: F['standing']): string;
  afterwards(p: F['revealed'] & { readonly at: 'claiming' | 'claimed' | 'lost' }): string | null;
  rescue(t: T, p: F['standing'] | F['revealed'] | F['doubt']): RescueLeg | null;
  /** Our refund for the rescue bundle, while no claim of ours is final. */
  rescueBack(t: T, p: F['revealed'] | F['returned']): RescueLeg | null;
  /** The client's claim, which is broadcast again; null: nothing to broadcast. */
  resend(p: F['revealed']): Uint8Array | null;
}
