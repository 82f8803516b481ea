import type { Watch } from '../../swap/machine.ts';
import { arkadeWatching } from './arkade/watching.ts';
import { evmBalanceWatching } from './evm/watch-balance.ts';
import { evmLockWatching } from './evm/watch-locks.ts';
import { evmSentWatching } from './evm/watch-sent.ts';
import { lightningWatching } from './lightning/watch.ts';
import { htlcWatching } from './onchain/watch.ts';
import { providerWatching } from './provider/watch.ts';
import type { Watching } from './watching.ts';

/** Who keeps which kind of watch: one that nobody keeps does not compile. */
const watchings: { readonly [O in Watch['on']]: Watching<Extract<Watch, { on: O }>> } = {
  hold: lightningWatching,
  payment: lightningWatching,
  htlc: htlcWatching,
  vhtlc: arkadeWatching,
  queue: arkadeWatching,
  'evm-lock': evmLockWatching,
  'evm-sent': evmSentWatching,
  'evm-balance': evmBalanceWatching,
  provider: providerWatching,
};

export const everyWatching: ReadonlySet<Watching<Watch>> = new Set<Watching<Watch>>(Object.values(watchings));

export function watchingOf(watch: Watch): Watching<Watch> {
  return watchings[watch.on];
}
