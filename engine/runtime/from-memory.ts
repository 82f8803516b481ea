import { sameOutpoint } from '../domain/outpoint.ts';
import type { Preimage } from '../domain/hash.ts';
import type { Effect, Step } from '../swap/machine.ts';
import type { Log } from './log.ts';
import type { Ports } from './ports.ts';

/**
 * What is ours already does not wait for a disk: a claim whose commit fails is made from memory, each time that the
 * commit is tried again until it stands (facts/faults.md 3). Nothing else is: a lock, a payment or a signature that no disk
 * knows of could be given twice.
 */
export function createFromMemory({ ports, log }: { ports: Ports; log: Log }) {
  const standing = new Set<string>();
  const running = new Map<string, Promise<void>>();
  /** A claim that the operator accepted: it must be finished with the very bytes that came back. */
  const accepted = new Map<string, Uint8Array>();

  async function take(key: string, effect: Effect, preimage: Preimage): Promise<boolean> {
    if (effect.do === 'hold.settle' && ports.lightning !== null) {
      await ports.lightning.settle(preimage);
      return true;
    }
    if (effect.do !== 'vhtlc.claim' || ports.arkade === null) return false;
    const { arkade } = ports;
    let bytes = accepted.get(key);
    if (bytes === undefined) {
      const coin = (await arkade.coins([effect.script])).find(({ outpoint }) => sameOutpoint(outpoint, effect.coin));
      if (coin === undefined || coin.spent || coin.recoverable || coin.unrolled) return false;
      const prepared = await arkade.prepareClaim({ terms: effect.terms, key: effect.key, coins: [coin], preimage });
      const answer = await arkade.submit(prepared.bytes);
      if (answer.is === 'final') return true;
      if (answer.is !== 'accepted') return false;
      bytes = answer.bytes;
      accepted.set(key, bytes);
    }
    await arkade.finalize(bytes);
    accepted.delete(key);
    return true;
  }

  async function claim(key: string, swap: string, effect: Effect, preimage: Preimage): Promise<void> {
    try {
      if (!(await take(key, effect, preimage))) return;
      standing.add(key);
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
    claim(key: string, swap: string, step: Step<unknown>): void {
      if (step.learned === undefined || standing.has(key) || running.has(key)) return;
      const effect = step.effects.find((one) => one.do === 'hold.settle' || one.do === 'vhtlc.claim');
      if (effect !== undefined) running.set(key, claim(key, swap, effect, step.learned));
    },
    async stop(): Promise<void> {
      await Promise.all(running.values());
    },
  };
}
