import { PortFailure } from '../../domain/errors.ts';
import { findForgotten } from '../../legs/onchain/forgotten.ts';
import type { Log } from '../../runtime/log.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { createRounds } from '../rounds.ts';

const setting = 'looking-for-keys';

/**
 * A database that is older than what happened, or that only has its words, does not know how many keys of the Bitcoin
 * wallet were given out: it looks for coins far beyond those that it knows, once, and again until all were looked at
 * (facts/faults.md 99).
 */
export function createForgottenKeys(options: { runtime: Runtime; everyMs: number; log: Log }) {
  const { runtime, log } = options;
  const { store } = runtime;
  let stopped = false;

  async function look(): Promise<void> {
    const wallet = runtime.ports.bitcoinWallet;
    if (wallet === undefined || store.settings.get<boolean>(setting) !== true) return;
    try {
      if (!(await findForgotten(wallet, () => !stopped))) return;
      await wallet.balance([]);
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      log.info({ cause: cause.message }, 'coins at forgotten keys of the Bitcoin wallet could not be looked for yet');
      return;
    }
    // What was found is what was forgotten, and shows nothing else.
    store.chainCoins.explained(store.chainCoins.unexplained().forgotten);
    store.settings.remove(setting);
    log.info({}, 'coins at forgotten keys of the Bitcoin wallet were looked for');
  }

  const rounds = createRounds(runtime, { name: 'looking for forgotten keys', everyMs: options.everyMs, round: look });

  return {
    check: rounds.check,
    /** What was given out is not known. */
    begin: (): void => store.settings.put(setting, true),
    start(): void {
      rounds.soon();
      rounds.start();
    },
    stop(): Promise<void> {
      stopped = true;
      return rounds.stop();
    },
  };
}
