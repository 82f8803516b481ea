import type { Ceilings } from '../../quote/ceilings.ts';
import type { EffectRow } from '../../store/effects.ts';
import type { Store } from '../../store/store.ts';
import type { Event } from '../../swap/machine.ts';
import type { Clock } from '../clock.ts';
import type { Along, Commits } from '../commit.ts';
import type { Ports } from '../ports.ts';
import type { UnpaidCosts } from '../unpaid.ts';
import type { Wallets } from '../wallets.ts';
import type { RulesOf } from './evm/rules.ts';
import type { SentMemory } from './sent-memory.ts';

/** What the executor of one effect has at hand. */
export interface EffectContext {
  readonly ports: Ports;
  readonly store: Store;
  readonly clock: Clock;
  readonly row: EffectRow;
  readonly signal: AbortSignal;
  /** Gives the swap what came of the effect; the effect is done in the same commit. */
  answer(event: Event, along?: Omit<Along, 'done'>): void;
  /** Saves in one transaction with whatever else is saved in this turn: for what clients wait for many at a time. */
  readonly together: Commits['together'];
  /** One preparation of wallet coins at a time: two would choose the same ones. */
  readonly alone: Wallets['alone'];
  /** What the owner lets an act cost that nobody watches. */
  ceilings(): Ceilings;
  /** The same for the gas of an EVM chain, and when its blocks count. */
  readonly evm: RulesOf;
  /** What is spent before a fee comes, and whether there is room for more of it. */
  readonly unpaid: UnpaidCosts;
  /** Whether the owner wants what this subject has on its way to pay more: true once for each time that it was said. */
  raiseAsked(): boolean;
  /** Where it is noted that a node of a chain took a transaction. */
  readonly taken: Pick<SentMemory, 'add' | 'forget'>;
}
