import type { EvmNetwork } from '../../../domain/chain.ts';
import { toHex } from '../../../domain/hex.ts';
import { isTooSilent } from '../../../legs/evm/agreement.ts';
import { muchOnEvm } from '../../../legs/evm/much.ts';
import type { EvmPort } from '../../../legs/evm/port.ts';
import { swapKey } from '../../../legs/evm/swap-key.ts';
import { wait, type Safety } from '../../../legs/safety/verdict.ts';
import { ifKnown } from '../if-known.ts';
import { createShallow, type MinedStake, type Shallow } from '../shallow.ts';
import { createStakes } from '../stakes.ts';
import { receiptOfLock, type MadeLock } from './lock-receipt.ts';
import type { RulesOf } from './rules.ts';

/** A lock of a client's or a provider's in its block. */
export interface MinedLock extends MinedStake {
  readonly made: MadeLock;
}

type Reading = Pick<EvmPort, 'receipt' | 'rpcs'>;

export type LocksTogether = ReturnType<typeof createLocksTogether>;

/**
 * Locks of clients and providers that something was given for, each chain by itself. Those that a reorganisation may
 * take count together, and so do those that too few RPCs show to agree on, while a single one may have made them up:
 * above what the word of one is good for the next one waits for the others to answer (facts/faults.md 257, 343). With a
 * single RPC in the settings its word counts.
 *
 * Loses money when wrong: many small locks, each below what is worth the lie or the blocks against it.
 */
export function createLocksTogether(
  evm: RulesOf,
  stakes: {
    /** Of what a reorganisation may take, and with it our claim of it. */
    readonly isAtStake: (swap: string) => boolean;
    /** Of what one RPC may have made up: no longer than until two say that it was claimed. */
    readonly isInDoubt: (swap: string) => boolean;
  },
) {
  const chains = new Map<EvmNetwork, { shallow: Shallow<MinedLock>; lone: ReturnType<typeof createLone> }>();

  function on(network: EvmNetwork) {
    const before = chains.get(network);
    if (before !== undefined) return before;
    const depthOfMuch = () => ({ much: muchOnEvm, confirmations: evm(network).confirmations[1] });
    const shallow = createShallow<MinedLock>('lock', depthOfMuch, stakes.isAtStake);
    const chain = { shallow, lone: createLone(() => evm(network).singleSource, stakes.isInDoubt) };
    chains.set(network, chain);
    return chain;
  }

  return {
    /** Leaves out what is deep by now, and what enough RPCs show. */
    async settle(network: EvmNetwork, port: Reading, tip: number): Promise<void> {
      const { shallow, lone } = on(network);
      if (!isTooSilent(port.rpcs())) await lone.settle(port);
      const heightOf = async ({ made }: MinedLock) =>
        (await receiptOfLock(port, made, { agreed: false }))?.height ?? null;
      await shallow.settle(heightOf, tip);
    },
    /** Whether this lock may be given for beside the others. It counts from then on. `alone`: too few RPCs show it. */
    admit(lock: MinedLock, { tip, alone }: { readonly tip: number; readonly alone: boolean }): Safety {
      const { network } = lock.made;
      const key = toHex(swapKey(lock.made.lock));
      const { shallow, lone } = on(network);
      return (alone ? lone.admit(key, lock) : null) ?? shallow.admit(key, lock, tip);
    },
  };
}

/** Locks that something was given for by the word of too few RPCs. */
function createLone(singleSource: () => bigint, isInDoubt: (swap: string) => boolean) {
  const { all, sumWith } = createStakes<MinedLock>(isInDoubt);

  return {
    async settle(port: Reading): Promise<void> {
      const settled = [...all].map(async ([key, { made }]) => {
        if ((await ifKnown(() => receiptOfLock(port, made, { agreed: true }))) !== null) all.delete(key);
      });
      await Promise.all(settled);
    },
    admit(key: string, lock: MinedLock): Safety {
      const [sum, most] = [sumWith(key, lock.amount), singleSource()];
      if (sum !== null && sum > most)
        return wait(
          `Too few RPCs answer to agree on the lock, and with others that were believed so it comes to ${sum} sats; ` +
            `above ${most} sats they must agree.`,
        );
      all.set(key, lock);
      return null;
    },
  };
}
