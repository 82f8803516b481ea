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
 * there, and that of an expired coin nowhere else (facts/arkade.md 30). With none to ask for nothing wakes.
 */
export function createQueueWatch(options: {
  arkade: ArkadePort;
  wall: () => Unix;
  onClaim: (script: string, coin: Vtxo, spend: VhtlcSpend) => void;
  onFailure: (cause: unknown) => void;
}) {
  const { arkade, wall } = options;
  /** By script: those that nobody has spent, and never none. */
  const watched = new Map<string, readonly WatchedCoin[]>();
  const running = new Map<string, Promise<void>>();
  let restUntil = 0;
  let failed = false;
  let started = false;
  let timer: NodeJS.Timeout | null = null;

  function due({ coin, always }: WatchedCoin, now: Unix): boolean {
    return always || coin.recoverable || coin.expiresAt <= now;
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
    const now = wall();
    for (const coins of watched.values())
      for (const one of coins) {
        if (!due(one, now)) continue;
        const key = outpointKey(one.coin.outpoint);
        if (running.has(key)) continue;
        running.set(
          key,
          ask(one).finally(() => running.delete(key)),
        );
      }
  }

  function wakeOrRest(): void {
    const isWanted = started && watched.size > 0;
    if (isWanted) timer ??= setInterval(tick, everyMs);
    else if (timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  }

  return {
    start(): void {
      started = true;
      wakeOrRest();
    },
    /** The coins at a script as they were just seen; only those that nobody has spent are asked for. */
    track(script: string, coins: readonly Vtxo[], by: Pick<WatchedCoin, 'terms' | 'key' | 'always'>): void {
      const open = coins.filter(({ spent, unrolled }) => !spent && !unrolled);
      if (open.length === 0) watched.delete(script);
      else
        watched.set(
          script,
          open.map((coin) => ({ script, coin, ...by })),
        );
      wakeOrRest();
    },
    forget(script: string): void {
      watched.delete(script);
      wakeOrRest();
    },
    async stop(): Promise<void> {
      started = false;
      wakeOrRest();
      await Promise.all(running.values());
    },
  };
}
