import type { Unix } from '../../domain/time.ts';
import type { Event, Watch } from '../../swap/machine.ts';
import type { Store } from '../../store/store.ts';
import type { Ports } from '../ports.ts';
import type { RulesOf } from './evm/rules.ts';
import type { SentMemory } from './sent-memory.ts';

export interface WatchOptions {
  readonly ports: Ports;
  readonly store: Store;
  readonly evm: RulesOf;
  readonly taken: SentMemory;
  deliver(swapId: string, event: Event): void;
  onFailure(swapId: string | null, cause: unknown): void;
  readonly pollMs: number;
  wall(): Unix;
}

/** Looks at a network for all swaps together. */
export interface NetworkWatch<W extends Watch> {
  add(swapId: string, watch: W): void;
  remove(swapId: string, watch: W): void;
  start(): void;
  /** A transaction of ours was mined on an EVM chain: what it did is there to be seen. */
  onMined?(): void;
  stop(): Promise<void>;
}

/** How a network is watched. */
export interface Watching<W extends Watch> {
  /** The same for two watches that look at the same. */
  keyOf(watch: W): string;
  /** Null where this node can never have the network. */
  open(options: WatchOptions): NetworkWatch<W> | null;
}
