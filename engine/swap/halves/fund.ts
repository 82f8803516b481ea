import type { z } from 'zod';
import type { Clocks, Unix } from '../../domain/time.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { RescueLeg } from '../../legs/rescue.ts';
import type { Effect, Event, LedgerLine, Step, Watch } from '../machine.ts';
import type { StoppedFor } from './extra-coins.ts';
import type { Answer, News } from './answer.ts';
import type { Backing, Surety } from './surety.ts';

/** The states of a half that funds, as far as they are its own. */
export interface FundStates {
  /** From the order to fund until the client has it, or we have it back. */
  readonly standing: { readonly at: string };
  /** The client claimed it. */
  readonly revealed: object;
  /** It came back. */
  readonly returned: object;
  /** It was called off, and may stand all the same. */
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
  | { readonly fact: 'returned'; readonly reason: string; readonly returned: F['returned'] };

/** The client's claim took nothing, and it has its own again. */
export interface NeitherFact<F extends FundStates> {
  readonly fact: 'neither';
  readonly returned: F['returned'];
}

export interface LostFact<F extends FundStates> {
  readonly fact: 'lost';
  readonly revealed: F['revealed'];
}

/** What becomes of what is in doubt. */
export type DoubtFact<F extends FundStates> = FundFact<F> | { readonly fact: 'settled' };

/** The half of a swap in which we lock, or pay. Null for what is no news of it. */
export interface FundHalf<T, F extends FundStates> {
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
  ): Answer<F['standing'], FundFact<F>> | null;
  /** What the client gave is claimed, or was, or is lost. */
  revealed(
    t: T,
    p: F['revealed'] & { readonly at: 'claiming' | 'claimed' | 'lost' },
    event: Event,
    now: Clocks,
    surety: Surety,
  ): Answer<F['revealed'], NeitherFact<F>> | null;
  /** What stays of it from stage to stage. */
  kept(p: F['revealed']): F['revealed'];
  /** What the client gave is ours. */
  onceClaimed(p: F['revealed']): F['revealed'];
  /** The client took back what it gave. */
  lost(t: T, p: F['revealed'], took: string, surety: Surety): News<LostFact<F> | NeitherFact<F>>;
  /** What it is worth, in the ledger. */
  loss(t: T): LedgerLine;
  /** Asks for it. */
  begin(t: T, onlyIf: OnlyIf): Effect;
  /** What it asked for goes on when what the client gave is ours. */
  isBusy(p: F['revealed']): boolean;
  /** What was called off is looked after until it is known. */
  doubted(t: T, p: F['doubt'] | null, event: Event, now: Clocks): Answer<F['doubt'], DoubtFact<F>> | null;
  /** The client may have it any moment: no refund is signed that was not signed before. */
  forbidsRefund(p: F['doubt']): boolean;
  /** A payment may still come when the client has its own again, and whatever is left pays for it; a lock stands for one lock alone. */
  readonly isPayment: boolean;
  /** It came back although the client's claim of it was believed. */
  isPaidBack(p: F['revealed']): boolean;
  /** What goes on until its end is buried, whatever else is dropped; null once that is so. */
  lasting(t: T, p: F['revealed'] & { readonly at: string }): readonly Effect[] | null;
  /** What is told of it when it is back already. */
  afterReturn(p: F['returned'], event: Event): Step<F['returned']> | null;
  /** What is told of it once it came back. */
  came(p: F['returned']): F['returned'];
  watches(t: T, p: object & { readonly at: string }): readonly Watch[];
  deadline(t: T, p: F['standing'], surety: Surety): Unix | null;
  /** Something of it is still to be seen, once all else is over. */
  open(p: F['revealed']): boolean;
  reserves(p: F['standing']): boolean;
  /** For the owner: what it waits for. */
  action(p: F['standing']): string;
  afterwards(p: F['revealed'] & { readonly at: 'claiming' | 'claimed' | 'lost' }): string | null;
  rescue(t: T, p: F['standing'] | F['revealed'] | F['doubt']): RescueLeg | null;
  /** Ours, as long as no claim of it is a fact, once the client has its own again. */
  rescueBack(t: T, p: F['revealed'] | F['returned']): RescueLeg | null;
  /** The client's claim, which is sent on; null where it needs nobody. */
  resend(p: F['revealed']): Uint8Array | null;
}
