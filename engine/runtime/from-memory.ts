import type { Preimage } from '../domain/hash.ts';
import type { Effect, SwapStep } from '../swap/machine.ts';
import type { Log } from './log.ts';
import type { MemoryClaim } from './networks/act.ts';
import { actOf } from './networks/acts.ts';
import type { RulesOf } from './networks/evm/rules.ts';
import type { Ports } from './ports.ts';

/**
 * What is ours already does not wait for a disk: a claim whose commit fails is made from memory, each time that the
 * commit is tried again until it stands (facts/faults.md 3). Nothing else is: a lock, a payment or a signature that no
 * disk knows of could be given twice.
 */
export function createFromMemory({ ports, evm, log }: { ports: Ports; evm: RulesOf; log: Log }) {
  const standing = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const begun = new Map<string, MemoryClaim>();
  const bySwap = new Map<string, MemoryClaim>();

  async function claim(key: string, swap: string, effect: Effect, preimage: Preimage): Promise<void> {
    const own: MemoryClaim = begun.get(key) ?? { ports, evm, preimage, half: null };
    begun.set(key, own);
    bySwap.set(swap, own);
    try {
      if ((await actOf(effect).fromMemory?.(effect, own)) !== true) return;
      standing.add(key);
      begun.delete(key);
      log.warn({ swap, effect: effect.do }, 'claimed from memory: the database cannot be written');
    } catch (cause) {
      log.warn(
        { swap, effect: effect.do, cause: cause instanceof Error ? cause.message : String(cause) },
        'a claim from memory failed and is tried again',
      );
    } finally {
      running.delete(key);
    }
  }

  return {
    /** `key` is the same for the same news; the step is the one that could not be saved. */
    claim(key: string, swap: string, step: SwapStep<unknown>): void {
      if (step.learned === undefined || standing.has(key) || running.has(key)) return;
      const effect = step.effects.find((one) => actOf(one).fromMemory !== undefined);
      if (effect !== undefined) running.set(key, claim(key, swap, effect, step.learned));
    },
    /** What was sent for a swap and may be on its way still; null where there is nothing of it. */
    sent: (swap: string): Uint8Array | null => bySwap.get(swap)?.half ?? null,
    async stop(): Promise<void> {
      await Promise.all(running.values());
    },
  };
}

export type FromMemory = ReturnType<typeof createFromMemory>;
