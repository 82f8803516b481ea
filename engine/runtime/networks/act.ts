import type { Network } from '../../domain/chain.ts';
import type { Preimage } from '../../domain/hash.ts';
import type { Unix } from '../../domain/time.ts';
import type { ClaimCeilings } from '../../quote/ceilings.ts';
import type { Store } from '../../store/store.ts';
import type { Effect } from '../../swap/machine.ts';
import type { Clock } from '../clock.ts';
import type { Ports } from '../ports.ts';
import type { Wallet } from '../wallets.ts';
import type { Contexts } from './contexts.ts';
import type { RulesOf } from './evm/rules.ts';

export type EffectOf<D extends Effect['do']> = Extract<Effect, { do: D }>;

/** Whom an effect asks, mostly: one that hangs takes no place from the effects of another. */
export type Side = Network | `provider ${string}`;

export interface Lane {
  readonly side: Side;
  /** Begins something: it makes way for what takes or gives back money that is on its way already. */
  readonly begins: boolean;
  /** It ends what is safe already: it makes way for what is not, and has places of its own. */
  readonly finishes?: true;
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
  readonly swap: string;
  readonly ports: Ports;
  /** Of what was saved before the disk failed, where it can be read. */
  readonly store: Pick<Store, 'nonces' | 'spareClaims' | 'transactions'>;
  readonly preimage: Preimage;
  /**
   * What a network accepted and wants finished with the very bytes that it gave back, or what a chain was sent; null
   * before.
   */
  half: Uint8Array | null;
  /** At which height of the Bitcoin chain that was made, and when by the wall; null where nobody asks. */
  since: { readonly height: number | null; readonly wall: Unix } | null;
  readonly clock: Pick<Clock, 'now' | 'tip'>;
  /** What the owner lets gas cost. */
  readonly evm: RulesOf;
  /** What the owner lets a claim on the Bitcoin chain cost. */
  readonly ceilings: () => ClaimCeilings;
}

/** How one kind of effect is carried out, with the contexts of the networks that it names. */
export interface Act<E, N extends keyof Contexts> {
  run(effect: E, contexts: Pick<Contexts, N>): Promise<void>;
  lane(effect: E): Lane;
  /**
   * Milliseconds of the first pause when its swap asks for it again, where the network wants more than the usual one.
   */
  readonly firstRepeatMs?: number;
  /** Left out by everything that could be given twice. */
  readonly fromMemory?: TakenFromMemory<E>;
}

/** How that is taken without a disk which is ours (facts/faults.md 3). */
export interface TakenFromMemory<E> {
  /** The coin, lock or payment that it takes; null where it takes nothing of ours. */
  takes(effect: E): string | null;
  /** True once it stands. */
  take(effect: E, claim: MemoryClaim): Promise<boolean>;
}

/** An act for every effect of a network: one that is missing does not compile. */
export type Acts<E extends Effect, N extends keyof Contexts> = {
  readonly [D in E['do']]: Act<Extract<E, { do: D }>, N>;
};

/** Of the contexts of all networks an executor is given that of its own. */
export function within<N extends keyof Contexts>(network: N) {
  return <E>(run: (effect: E, context: Contexts[N]) => Promise<void>) =>
    (effect: E, contexts: Pick<Contexts, N>): Promise<void> =>
      run(effect, contexts[network]);
}
