import { noSats, type Sats } from '../../domain/money.ts';
import { confirmationsAt } from '../../legs/onchain/depth.ts';
import { wait, type Safety } from '../../legs/safety/verdict.ts';
import { ifKnown } from './if-known.ts';
import { createStakes, type Stake } from './stakes.ts';

/** What of others' is much on a chain, and how many confirmations the owner wants of that. */
export interface DepthOfMuch {
  readonly much: Sats;
  readonly confirmations: number;
}

/** Nothing is much together. */
export const eachByItself = (): DepthOfMuch => ({ much: noSats, confirmations: 1 });

export interface MinedStake extends Stake {
  readonly height: number;
}

export type Shallow<S extends MinedStake> = ReturnType<typeof createShallow<S>>;

/**
 * Coins or locks of others on one chain that something was given for, or a secret of ours was shown, while they have
 * fewer confirmations than much has to have: whoever makes a block against one of them makes it against all
 * (facts/faults.md 241, 257, 343, 359). One that is as deep by itself waits for no other, so a stranger who fills the
 * sum holds nobody up for longer.
 *
 * Loses money when wrong: many small ones of one block, each of them deep enough by itself, are worth a block that is
 * made against them, and all that was given for them is lost.
 */
export function createShallow<S extends MinedStake>(
  what: 'coin' | 'lock',
  depthOfMuch: () => DepthOfMuch,
  isAtStake: (swap: string) => boolean,
) {
  const { all, sumWith } = createStakes<S>(isAtStake);

  return {
    /**
     * Leaves out what is deep by now. The chain is asked, which says null of what is in no block: after a
     * reorganisation one is in another block than it was counted in. Where it gives no answer for one, that one counts
     * on, and the judgement of another does not fail with it (facts/faults.md 340).
     */
    async settle(heightOf: (one: S) => Promise<number | null>, tip: number): Promise<void> {
      const { confirmations } = depthOfMuch();
      for (const [key, one] of [...all]) {
        if (confirmationsAt(one.height, tip) < confirmations || !isAtStake(one.swap)) continue;
        const mined = await ifKnown(async () => ({ height: await heightOf(one) }));
        if (mined === null || all.get(key) !== one) continue;
        // In no block it counts as one of the newest, and is looked at again once that is deep.
        const height = mined.height ?? tip;
        if (confirmationsAt(height, tip) >= confirmations) all.delete(key);
        else all.set(key, { ...one, height });
      }
    },
    /**
     * Whether this one is deep enough beside the others. It counts from then on, so that nothing is waited for between
     * the judgements of two that are given for at once.
     */
    admit(key: string, one: S, tip: number): Safety {
      const { much, confirmations } = depthOfMuch();
      const depth = confirmationsAt(one.height, tip);
      const sum = sumWith(key, one.amount);
      if (sum !== null) {
        if (depth >= confirmations) return null;
        if (sum > much)
          return wait(
            `The ${what} has ${depth} confirmations, and with other new ${what}s it comes to ${sum} sats; ` +
              `above ${much} sats ${confirmations} are needed.`,
          );
      }
      all.set(key, one);
      return null;
    },
  };
}
