import { setTimeout as sleep } from 'node:timers/promises';
import { providerUrlOf } from '../../contract/taker.ts';
import { PortFailure } from '../../domain/errors.ts';
import { takerAccountsOf } from '../../runtime/ports.ts';
import type { Providers } from '../../taker/port.ts';
import type { TakerKeys } from './keys.ts';
import { knownSwaps, provenBy } from './known-swaps.ts';
import { createOwnKeys } from './own-keys.ts';
import type { RestoreContext } from './restore-record.ts';
import { shownByNetworks } from './shown-by-networks.ts';
import { leaveOut, nextOwn } from './used.ts';

type Context = Pick<RestoreContext, 'runtime' | 'config' | 'highWater' | 'onUsedElsewhere'> & {
  readonly keys: TakerKeys;
  readonly providers: Providers;
};

const betweenQuestionsMs = 250;

/**
 * At each start: a provider that was shown a key beyond those of this folder is the sign that the folder was rolled
 * back as a whole, or that its words are used in a second place (facts/faults.md 72); so is a claim that shows the
 * secret of such a key. Its key is left out, and what it shows is told. One that is silent holds nothing back. Resolves
 * once each was asked for the keys that come next; the places where the words may have begun again follow in their own
 * time.
 */
export async function askForKeys(context: Context, signal: AbortSignal): Promise<void> {
  const { config, highWater, runtime } = context;
  if (!highWater.known()) return;
  const own = createOwnKeys({ keys: context.keys, accounts: takerAccountsOf(runtime.ports) });
  const { store } = runtime;
  const from = nextOwn({ store, highWater });
  const urls = new Set(config.taker.providers.map(providerUrlOf));
  await Promise.all([
    ...[...urls].map(
      (url) => new Promise<void>((resolve) => runtime.background('asking for keys', () => ask(url, resolve))),
    ),
    new Promise<void>((resolve) => runtime.background('looking for keys', () => look().finally(resolve))),
  ]);

  async function look(): Promise<void> {
    const index = await shownByNetworks(context, from);
    if (index !== null && leaveOut({ store, highWater }, index) === 'of another')
      context.onUsedElsewhere({
        is: 'networks',
        shown: `a claim shows the secret of key ${index}, and this folder has come to ${from}`,
      });
  }

  async function ask(url: string, answered: () => void): Promise<void> {
    let highest = from;
    try {
      const pages = knownSwaps(context.providers(url), {
        from,
        proven: () => highest,
        pause: () => sleep(betweenQuestionsMs, undefined, { signal }).catch(() => undefined),
      });
      for await (const records of pages) {
        if (signal.aborted) return;
        const index = await provenBy(own, records);
        // What was begun here meanwhile is no other's.
        if (index !== null && index >= from && leaveOut({ store, highWater }, index) === 'of another') {
          highest = Math.max(highest, index);
          context.onUsedElsewhere({
            is: 'keys',
            shown: `${url} knows key ${index}, and this folder has come to ${from}`,
          });
        }
        answered();
      }
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
    } finally {
      answered();
    }
  }
}
