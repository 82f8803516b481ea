import { refuse, type Refusal } from '../../domain/errors.ts';
import { less, noSats, type Sats } from '../../domain/money.ts';
import type { LightningInfo, LightningLiquidity } from '../../legs/lightning/port.ts';
import { changed, promised, seen, unread, type ReaderOptions, type Seen } from './reader.ts';

export interface LightningFacts {
  readonly info: LightningInfo;
  readonly liquidity: LightningLiquidity;
}

export function createLightningReader({ runtime, tell }: ReaderOptions) {
  const { ports, clock } = runtime;
  let last: Seen<LightningFacts> = ports.lightning === null ? { state: 'absent' } : unread;

  return {
    endpoint: 'a Lightning node',
    setting: 'lnd',
    state: () => last.state,
    last: () => last,
    closed(): Refusal | null {
      if (last.state !== 'connected' || last.facts.info.synced) return null;
      return refuse(
        'unavailable',
        'New swaps over Lightning wait: its node does not follow the chain now. Try again later.',
      );
    },
    async read(): Promise<void> {
      const port = ports.lightning;
      if (port === null) return;
      const before = last;
      last = await seen(runtime, async () => ({ info: await port.info(), liquidity: await port.liquidity() }));
      if (last.state === 'connected') clock.hear(last.facts.info);
      if (changed(before, last, ({ liquidity }) => liquidity.outbound)) tell('lightning');
    },
    forget(): void {
      last = unread;
    },
    /** The height of its chain, zero while that is not known. */
    height(): number {
      return last.state === 'connected' && last.facts.info.synced ? last.facts.info.height : 0;
    },
    /** What a new swap may still pay over Lightning. */
    outboundFree(): Sats {
      return last.state === 'connected' ? less(last.facts.liquidity.outbound, promised(runtime, 'lightning')) : noSats;
    },
    /** The least that surely counts as held. */
    leastHeld: (): Sats => (last.state === 'connected' ? last.facts.liquidity.leastHeld : noSats),
    /** What a new swap may still receive over Lightning. */
    inboundFree(): Sats {
      return last.state === 'connected'
        ? less(last.facts.liquidity.inbound, promised(runtime, 'lightning-in'))
        : noSats;
    },
  };
}
