import { outpointKey } from '../../../domain/outpoint.ts';
import type { Unix } from '../../../domain/time.ts';
import type { KeyRef } from '../../../legs/signer.ts';
import type { ArkadePort } from '../../../legs/arkade/port.ts';
import type { VhtlcSpend } from '../../../legs/arkade/transaction.ts';
import type { Vtxo } from '../../../legs/arkade/vtxo.ts';
import type { VhtlcTerms } from '../../../legs/arkade/terms.ts';
import { claimIn } from './spends.ts';

interface WatchedCoin {
  readonly script: string;
  readonly coin: Vtxo;
  readonly terms: VhtlcTerms;
  readonly key: KeyRef;
  readonly always: boolean;
}

/**
 * An intent waits from its registration to the start of a round: a fraction of a second, and its claimant can time it.
 */
const everyMs = 100;
/** An operator that failed is asked again after this. */
const restMs = 1_000;

/**
 * Reads what waits at the operator over coins of ours, ten times a second: a claim through a batch shows its preimage
 * there, and that of an expired coin nowhere else (facts/arkade.md 30).
 */
export function createQueueWatch(options: {
  arkade: ArkadePort;
  wall: () => Unix;
  onClaim: (script: string, coin: Vtxo, spend: VhtlcSpend) => void;
  onFailure: (cause: unknown) => void;
}) {
  const { arkade, wall } = options;
  const watched = new Map<string, WatchedCoin>();
  const running = new Map<string, Promise<void>>();
  let restUntil = 0;
  let failed = false;
  let timer: NodeJS.Timeout | null = null;

  function due({ coin, always }: WatchedCoin): boolean {
    return always || coin.recoverable || coin.expiresAt <= wall();
  }

  async function ask(one: WatchedCoin): Promise<void> {
    try {
      const waiting = await arkade.waiting({ terms: one.terms, key: one.key, coins: [one.coin], where: 'queue' });
      failed = false;
      const spend = waiting
        .map((bytes) => claimIn(one.terms, bytes, one.coin.outpoint))
        .find((claim) => claim !== null);
      if (spend !== undefined) options.onClaim(one.script, one.coin, spend);
    } catch (cause) {
      restUntil = performance.now() + restMs;
      if (!failed) options.onFailure(cause);
      failed = true;
    }
  }

  function tick(): void {
    if (performance.now() < restUntil) return;
    for (const [key, one] of watched) {
      if (running.has(key) || !due(one)) continue;
      running.set(
        key,
        ask(one).finally(() => running.delete(key)),
      );
    }
  }

  return {
    start(): void {
      timer = setInterval(tick, everyMs);
    },
    /** The coins at a script as they were just seen; only those that nobody has spent are asked for. */
    track(script: string, coins: readonly Vtxo[], by: Pick<WatchedCoin, 'terms' | 'key' | 'always'>): void {
      this.forget(script);
      for (const coin of coins)
        if (!coin.spent && !coin.unrolled) watched.set(outpointKey(coin.outpoint), { script, coin, ...by });
    },
    forget(script: string): void {
      for (const [key, one] of watched) if (one.script === script) watched.delete(key);
    },
    async stop(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}
