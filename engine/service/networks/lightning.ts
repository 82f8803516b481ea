import { refuse, type Refusal } from '../../domain/errors.ts';
import { less, noSats, type Sats } from '../../domain/money.ts';
import { closeUnpaid, needsHalf } from '../../legs/lightning/closing-cost.ts';
import type { ClosingFunds, LightningInfo, LightningLiquidity } from '../../legs/lightning/port.ts';
import { ifKnown } from '../../runtime/networks/if-known.ts';
import { changed, promised, seen, unread, type ReaderOptions, type Seen } from './reader.ts';

export interface LightningFacts {
  readonly info: LightningInfo;
  readonly liquidity: LightningLiquidity;
  /** Null while the node does not tell. */
  readonly closing: ClosingFunds | null;
}

/** Sats per virtual byte while nobody knows what blocks ask for; the act itself waits until somebody does. */
const relayFloor = 1;

/** `rate`: what blocks ask for now, in sats per virtual byte; null while that is not known. */
export function createLightningReader({ runtime, tell, rate }: ReaderOptions & { readonly rate: () => number | null }) {
  const { ports, clock } = runtime;
  let last: Seen<LightningFacts> = ports.lightning === null ? { state: 'absent' } : unread;

  /** For the owner alone: what its node lacks for another payment. */
  function reason(): string | null {
    if (last.state !== 'connected') return null;
    const { closing, info } = last.facts;
    if (needsHalf(info.version))
      return 'lnd before 0.19 claims nothing on the chain without coins for half of a payment: update it to 0.20 or newer.';
    return closing === null
      ? "What the Lightning node's own wallet on the chain has for the close of a channel is not known: the macaroon " +
          'must allow WalletBalance.'
      : closeUnpaid(closing, rate() ?? relayFloor, 1);
  }

  return {
    endpoint: 'a Lightning node',
    setting: 'lnd',
    state: () => last.state,
    last: () => last,
    closed(): Refusal | null {
      if (last.state !== 'connected') return null;
      if (!last.facts.info.synced)
        return refuse(
          'unavailable',
          'New swaps over Lightning wait: its node does not follow the chain now. Try again later.',
        );
      if (needsHalf(last.facts.info.version))
        return refuse('unavailable', 'New swaps over Lightning wait: its node is too old. Try again later.');
      return reason() === null
        ? null
        : refuse('unavailable', 'New swaps over Lightning wait: its node lacks coins on the chain. Try again later.');
    },
    reason,
    async read(): Promise<void> {
      const port = ports.lightning;
      if (port === null) return;
      const before = last;
      last = await seen(runtime, async () => ({
        info: await port.info(),
        liquidity: await port.liquidity(),
        closing: await ifKnown(() => port.closingFunds()),
      }));
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
