import { after, day, seconds, type Unix } from '../domain/time.ts';
import type { ArkadePort, Vtxo } from '../legs/vhtlc/port.ts';
import type { Log } from '../runtime/log.ts';
import { isAbsent } from '../runtime/ports.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** Coins with less life than this are renewed: late enough to be rare, early enough for days of trouble. */
const renewWithin = seconds(3 * day);
/** A batch takes at most this many coins. */
const coinsPerBatch = 50;

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
      const coins = await arkade.walletCoins();
      const before = renewBefore(coins, runtime.clock.now().wall);
      // Which of them are due the port knows: those under a signer of before as well.
      for (let batch = 0; batch < Math.ceil(coins.length / coinsPerBatch) && !abort.signal.aborted; batch++) {
        if (!(await renewBatch(arkade, before))) return;
      }
    } catch (cause) {
      if (!abort.signal.aborted && !isAbsent(cause)) log.warn({ cause: cause instanceof Error ? cause.message : String(cause) }, 'wallet coins could not be renewed; the next round tries again');
    }
  }

  async function renewBatch(arkade: ArkadePort, before: Unix): Promise<boolean> {
    const renewed = await runtime.alone(() => arkade.renew({ before, reserved: runtime.store.transactions.reservedCoins(), signal: abort.signal }));
    if (renewed === null) return false;
    log.info({ commitment: renewed.commitmentTxid }, 'wallet coins renewed');
    options.onRenewed();
    return true;
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

/** With an operator whose coins live only for days, or hours, a third of a life is left: never renewed over and over. */
function renewBefore(coins: readonly Vtxo[], now: Unix): Unix {
  const longestLife = coins.reduce((longest, coin) => Math.max(longest, coin.expiresAt - coin.createdAt), 0);
  return after(now, seconds(Math.min(renewWithin, Math.floor(longestLife / 3))));
}
