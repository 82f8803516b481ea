import { PortFailure } from '../../domain/errors.ts';
import { less, noSats, type Sats } from '../../domain/money.ts';
import type { OperatorInfo } from '../../legs/arkade/operator.ts';
import type { ArkadeBalance, ArkadePort } from '../../legs/arkade/port.ts';
import type { Stranded, StrandedCoin } from '../stranded.ts';
import { changed, promised, seen, unread, type ReaderOptions, type Seen } from './reader.ts';

export interface ArkadeFacts {
  readonly info: OperatorInfo;
  readonly balance: ArkadeBalance;
  /** Our own coins that somebody brought to the chain. */
  readonly stranded: readonly StrandedCoin[];
}

export function createArkadeReader({ runtime, tell, stranded }: ReaderOptions & { readonly stranded: Stranded }) {
  const { ports, store } = runtime;
  let last: Seen<ArkadeFacts> = ports.arkade === null ? { state: 'absent' } : unread;

  /** What lies on the chain is no reason to call the operator away: what was known of it stays. */
  async function lookForStranded(port: ArkadePort): Promise<readonly StrandedCoin[]> {
    try {
      return await stranded.look(await port.walletCoins(), port);
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      return stranded.coins();
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
      last = await seen(runtime, async () => ({
        info: await port.info(),
        balance: await port.balance(store.transactions.reservedCoins()),
        stranded: await lookForStranded(port),
      }));
      if (last.state === 'away') await stranded.lookThere(port).catch(() => undefined);
      if (changed(before, last, ({ balance }) => balance.available)) tell('arkade');
    },
    forget(): void {
      last = unread;
    },
    /** What a new swap may still take from the node's Arkade wallet. */
    free(): Sats {
      return last.state === 'connected' ? less(last.facts.balance.available, promised(runtime, 'arkade')) : noSats;
    },
  };
}
