import { PortFailure } from '../../domain/errors.ts';
import { less, noSats, type Sats } from '../../domain/money.ts';
import { after, type Seconds } from '../../domain/time.ts';
import type { OperatorInfo } from '../../legs/arkade/operator.ts';
import type { ArkadeBalance, ArkadePort } from '../../legs/arkade/port.ts';
import { livingUntil, lockableWith } from '../../legs/arkade/spendable.ts';
import type { OnchainRecovery } from '../exits/onchain-recovery.ts';
import type { OnchainCoin } from '../exits/onchain-coins.ts';
import type { WalletVtxo } from '../../legs/arkade/vtxo.ts';
import { changed, promised, seen, unread, type ReaderOptions, type Seen } from './reader.ts';

export interface ArkadeFacts {
  readonly info: OperatorInfo;
  readonly balance: ArkadeBalance;
  /** Those of the wallet that the operator lists, whatever they are good for. */
  readonly coins: readonly WalletVtxo[];
  /** Our own coins that somebody brought to the chain. */
  readonly onchainCoins: readonly OnchainCoin[];
}

export function createArkadeReader({
  runtime,
  tell,
  onchainRecovery,
}: ReaderOptions & { readonly onchainRecovery: OnchainRecovery }) {
  const { ports, store } = runtime;
  let last: Seen<ArkadeFacts> = ports.arkade === null ? { state: 'absent' } : unread;

  /** What lies on the chain is no reason to call the operator away: what was known of it stays. */
  async function lookForOnchain(coins: readonly WalletVtxo[], port: ArkadePort): Promise<readonly OnchainCoin[]> {
    try {
      return await onchainRecovery.look(coins, port);
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      return onchainRecovery.coins();
    }
  }

  return {
    endpoint: 'an Arkade operator',
    setting: 'arkade.url',
    state: () => last.state,
    last: () => last,
    closed: () => null,
    async read(): Promise<void> {
      const port = ports.arkade;
      if (port === null) return;
      const before = last;
      last = await seen(runtime, async () => {
        const info = await port.info();
        const balance = await port.balance(store.transactions.reservedCoins());
        const coins = await port.walletCoins();
        return { info, balance, coins, onchainCoins: await lookForOnchain(coins, port) };
      });
      if (last.state === 'away') await onchainRecovery.lookThere(port).catch(() => undefined);
      if (changed(before, last, ({ balance }) => balance.available)) tell('arkade');
    },
    forget(): void {
      last = unread;
    },
    /** What may still be taken from the node's Arkade wallet, by a payment that needs its coins for no longer. */
    free(): Sats {
      if (last.state !== 'connected') return noSats;
      return less(livingUntil(last.facts.balance.coins, runtime.clock.now().wall), promised(runtime, 'arkade'));
    },
    /** The most that one new lock may take of it, with coins that live for so long from now on. */
    lockable(life: Seconds): Sats {
      if (last.state !== 'connected') return noSats;
      const { balance, info } = last.facts;
      const until = after(runtime.clock.now().wall, life);
      return lockableWith(balance.coins, { until, promised: promised(runtime, 'arkade'), dust: info.dust });
    },
  };
}
