import type { Network } from '../../domain/chain.ts';
import type { Preimage } from '../../domain/hash.ts';
import type { Effect } from '../../swap/machine.ts';
import type { Ports } from '../ports.ts';
import type { EffectContext } from './context.ts';
import type { RulesOf } from './evm/rules.ts';

export type EffectOf<D extends Effect['do']> = Extract<Effect, { do: D }>;

/** Whom an effect asks, mostly: one that hangs takes no place from the effects of another. */
export type Side = Network | `provider ${string}`;

/** A wallet whose coins are chosen by one at a time, by the network that it is on. */
export type Wallet = Network;

export interface Lane {
  readonly side: Side;
  /** Begins something: it makes way for what takes or gives back money that is on its way already. */
  readonly begins: boolean;
  /** It starts only while this wallet is free. */
  readonly wallet?: Wallet;
  /**
   * It keeps something alive until the chain has it: neither does what else is owed on its leg wait for it, nor it for
   * that.
   */
  readonly keeps?: true;
}

/** What a claim needs that no disk knows of. */
export interface MemoryClaim {
  readonly ports: Ports;
  readonly preimage: Preimage;
  /** What a network accepted and wants finished with the very bytes that it gave back; null before. */
  half: Uint8Array | null;
  /** What the owner lets gas cost. */
  readonly evm: RulesOf;
}

/** How one kind of effect is carried out. */
export interface Act<E> {
  run(effect: E, context: EffectContext): Promise<void>;
  lane(effect: E): Lane;
  /**
   * Milliseconds of the first pause when its swap asks for it again, where the network wants more than the usual one.
   */
  readonly firstRepeatMs?: number;
  /**
   * Takes what is ours without a disk (facts/faults.md 3): true once it stands. Left out by everything that could be
   * given twice.
   */
  fromMemory?(effect: E, claim: MemoryClaim): Promise<boolean>;
}

/** An act for every effect of a network: one that is missing does not compile. */
export type Acts<E extends Effect> = { readonly [D in E['do']]: Act<Extract<E, { do: D }>> };
