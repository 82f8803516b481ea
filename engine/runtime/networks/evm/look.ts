import type { EvmNetwork } from '../../../domain/chain.ts';
import type { Unix } from '../../../domain/time.ts';
import type { EvmPort, EvmTip } from '../../../legs/evm/port.ts';
import type { Store } from '../../../store/store.ts';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { Ports } from '../../ports.ts';
import type { UnpaidCosts } from '../../unpaid.ts';
import type { SentMemory } from '../sent-memory.ts';
import type { Counts } from './counts.ts';
import type { RulesOf } from './rules.ts';

/** What the queues of an account work with. */
export interface QueueOptions {
  readonly ports: Ports;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly rules: RulesOf;
  readonly everyMs: number;
  /** Something of this chain was mined: what waits for it looks again. */
  readonly onMined: () => void;
  readonly taken: SentMemory;
  /** What clients were charged, and what is spent for them before that is ours. */
  readonly unpaid: UnpaidCosts;
}

/** What one look at a chain goes by. */
export interface Look {
  readonly network: EvmNetwork;
  readonly port: EvmPort;
  readonly tip: EvmTip;
  readonly nonces: Counts;
  /** By the chain's clock, which is the wall's where it was never read. */
  readonly now: Unix;
  readonly wall: Unix;
}
