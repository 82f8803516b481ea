import { after, day, seconds } from '../domain/time.ts';
import type { Log } from '../runtime/log.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** Coins with less life than this are renewed: late enough to be rare, early enough for days of trouble. */
const renewWithin = seconds(3 * day);

/**
 * Keeps the Arkade wallet's coins alive: past its expiry a coin belongs to the operator's good will. Holds the wallet
 * while its batch runs, so that no lock chooses a coin that is on its way.
 */
export function createRenewal(options: { runtime: Runtime; everyMs: number; log: Log; onRenewed: () => void }) {
  const { runtime, log } = options;
  const abort = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;

  async function renew(): Promise<void> {
    const { arkade } = runtime.ports;
    if (arkade === null) return;
    try {
      const renewed = await runtime.alone(() =>
        arkade.renew({ before: after(runtime.clock.now().wall, renewWithin), reserved: runtime.store.transactions.reservedCoins(), signal: abort.signal }),
      );
      if (renewed === null) return;
      log.info({ commitment: renewed.commitmentTxid }, 'wallet coins renewed');
      options.onRenewed();
    } catch (cause) {
      if (!abort.signal.aborted) log.warn({ cause: cause instanceof Error ? cause.message : String(cause) }, 'wallet coins could not be renewed; the next round tries again');
    }
  }

  function check(): Promise<void> {
    running ??= renew().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    check,
    start(): void {
      timer = setInterval(() => void check(), options.everyMs);
    },
    async stop(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      abort.abort();
      await running;
    },
  };
}
