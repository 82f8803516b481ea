import type { Preimage } from '../domain/hash.ts';
import type { EffectRow } from '../store/effects.ts';
import type { Store } from '../store/store.ts';
import type { Effect, SwapStep } from '../swap/machine.ts';
import type { Log } from './log.ts';
import type { MemoryClaim } from './networks/act.ts';
import { actOf } from './networks/acts.ts';
import type { RulesOf } from './networks/evm/rules.ts';
import type { Ports } from './ports.ts';
import type { WorkingSet } from './working-set.ts';

interface Options {
  readonly ports: Ports;
  readonly clock: MemoryClaim['clock'];
  readonly evm: RulesOf;
  readonly ceilings: MemoryClaim['ceilings'];
  readonly log: Log;
  readonly store: Pick<Store, 'nonces' | 'preimages' | 'spareClaims' | 'transactions'>;
  readonly workingSet: Pick<WorkingSet, 'find'>;
}

/**
 * What is ours already does not wait for a disk: a claim whose commit fails is made from memory, each time that the
 * commit is tried again until it stands (facts/faults.md 3). Nothing else is: a lock, a payment or a signature that no
 * disk knows of could be given twice. A swap has one claim, whatever news asks for it.
 */
export function createFromMemory({ ports, clock, evm, ceilings, log, store, workingSet }: Options) {
  const standing = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const begun = new Map<string, MemoryClaim>();

  async function claim(swap: string, effect: Effect, preimage: Preimage): Promise<void> {
    const own: MemoryClaim = begun.get(swap) ?? {
      swap,
      ports,
      clock,
      store,
      evm,
      ceilings,
      preimage,
      half: null,
      since: null,
    };
    begun.set(swap, own);
    try {
      if ((await actOf(effect).fromMemory?.(effect, own)) !== true) return;
      standing.add(swap);
      log.warn({ swap, effect: effect.do }, 'claimed from memory: the database cannot be written');
    } catch (cause) {
      log.warn(
        { swap, effect: effect.do, cause: cause instanceof Error ? cause.message : String(cause) },
        'a claim from memory failed and is tried again',
      );
    } finally {
      running.delete(swap);
    }
  }

  function begin(swap: string, effect: Effect, preimage: Preimage): void {
    if (standing.has(swap) || running.has(swap)) return;
    running.set(swap, claim(swap, effect, preimage));
  }

  function claims(effect: Effect): boolean {
    return actOf(effect).fromMemory !== undefined;
  }

  /** With a secret that was learned just now, or before. */
  function beginWith(swap: string, effect: Effect, learned?: Preimage): void {
    try {
      const entry = learned === undefined ? workingSet.find(swap) : null;
      const before = entry === null ? null : store.preimages.find(entry.machine.hash160(entry.row.terms));
      const preimage = learned ?? before;
      if (preimage !== null) begin(swap, effect, preimage);
    } catch (cause) {
      log.warn({ swap, cause: String(cause) }, 'what a claim from memory needs cannot be read');
    }
  }

  return {
    /** The step could not be saved: that learned the secret, or goes on with what was begun by it. */
    claim(swap: string, { learned, effects }: SwapStep<unknown>): void {
      const effect = effects.find(claims);
      if (effect !== undefined) beginWith(swap, effect, learned);
    },
    /** What was asked for before the disk failed, and fails with it now. */
    claimAfter({ subject, effect }: EffectRow): void {
      if (claims(effect)) beginWith(subject, effect);
    },
    /** What this process or an earlier one sent for a swap and may be on its way still; null for nothing. */
    sent: (swap: string): Uint8Array | null => begun.get(swap)?.half ?? store.spareClaims.of(swap)?.bytes ?? null,
    async stop(): Promise<void> {
      await Promise.all(running.values());
    },
  };
}

export type FromMemory = ReturnType<typeof createFromMemory>;
