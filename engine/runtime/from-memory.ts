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

interface Claim {
  readonly swap: string;
  readonly effect: Effect;
  readonly preimage: Preimage;
}

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
 * disk knows of could be given twice. A coin has one claim, whatever news asks for it; where the step goes by another
 * coin than an effect that was saved before, the first of them has none any more (facts/faults.md 310).
 */
export function createFromMemory({ ports, clock, evm, ceilings, log, store, workingSet }: Options) {
  /** By swap and coin, as those below. */
  const standing = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const begun = new Map<string, MemoryClaim>();
  /** What the steps of each swap take that could not be saved, by the key of their news, the latest last. */
  const unsaved = new Map<string, Map<string, string>>();

  async function claim(key: string, { swap, effect, preimage }: Claim): Promise<void> {
    const own: MemoryClaim = begun.get(key) ?? {
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
    begun.set(key, own);
    try {
      if ((await actOf(effect).fromMemory?.take(effect, own)) !== true) return;
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

  function begin(made: Claim): void {
    const key = `${made.swap} ${takenBy(made.effect)}`;
    if (!standing.has(key) && !running.has(key)) running.set(key, claim(key, made));
  }

  function isOvertaken({ subject, effect }: Pick<EffectRow, 'subject' | 'effect'>): boolean {
    const other = [...(unsaved.get(subject)?.values() ?? [])].at(-1);
    const takes = takenBy(effect);
    return other !== undefined && takes !== null && other !== takes;
  }

  function saved(swap: string, key: string): void {
    const ofSwap = unsaved.get(swap);
    ofSwap?.delete(key);
    if (ofSwap?.size === 0) unsaved.delete(swap);
  }

  /** The same again is no later than it was. */
  function goBy(swap: string, key: string, takes: string): void {
    const ofSwap = unsaved.get(swap) ?? new Map<string, string>();
    if (ofSwap.get(key) === takes) return;
    ofSwap.delete(key);
    unsaved.set(swap, ofSwap.set(key, takes));
  }

  function lastHalf(swap: string): Uint8Array | null {
    return [...begun.values()].findLast((own) => own.swap === swap && own.half !== null)?.half ?? null;
  }

  /** With a secret that was learned just now, or before. */
  function beginWith(swap: string, effect: Effect, learned?: Preimage): void {
    try {
      const entry = learned === undefined ? workingSet.find(swap) : null;
      const before = entry === null ? null : store.preimages.find(entry.machine.hash160(entry.row.terms));
      const preimage = learned ?? before;
      if (preimage !== null) begin({ swap, effect, preimage });
    } catch (cause) {
      log.warn({ swap, cause: String(cause) }, 'what a claim from memory needs cannot be read');
    }
  }

  return {
    /**
     * The step that news of this key makes could not be saved: that learned the secret, or goes on with what was begun
     * by it.
     */
    claim(swap: string, key: string, { learned, effects }: SwapStep<unknown>): void {
      const effect = effects.find((one) => takenBy(one) !== null);
      const takes = effect === undefined ? null : takenBy(effect);
      if (effect === undefined || takes === null) {
        saved(swap, key);
        return;
      }
      goBy(swap, key, takes);
      beginWith(swap, effect, learned);
    },
    /** What was asked for before the disk failed, and fails with it now. */
    claimAfter({ subject, effect }: EffectRow): void {
      if (takenBy(effect) !== null && !isOvertaken({ subject, effect })) beginWith(subject, effect);
    },
    /** It takes what the swap does not go by any more, once that can be saved. */
    isOvertaken,
    /** Whether news of that key takes a coin that could not be saved. */
    goesBy: (swap: string, key: string): boolean => unsaved.get(swap)?.has(key) === true,
    /** The disk took the news of this key, or they take nothing any more. */
    saved,
    /** What this process or an earlier one sent for a swap and may be on its way still; null for nothing. */
    sent: (swap: string): Uint8Array | null => lastHalf(swap) ?? store.spareClaims.of(swap)?.bytes ?? null,
    async stop(): Promise<void> {
      await Promise.all(running.values());
    },
  };
}

export type FromMemory = ReturnType<typeof createFromMemory>;

/** Null for what is not taken without a disk. */
function takenBy(effect: Effect): string | null {
  return actOf(effect).fromMemory?.takes(effect) ?? null;
}
