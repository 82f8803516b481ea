import type { Network } from '../domain/chain.ts';
import { refuse, type Refusal } from '../domain/errors.ts';
import { less, noSats, type Sats } from '../domain/money.ts';
import type { LightningInfo, LightningLiquidity } from '../legs/lightning/port.ts';
import type { ArkadeBalance, OperatorInfo } from '../legs/vhtlc/port.ts';
import type { Runtime } from '../runtime/runtime.ts';

export interface ArkadeFacts {
  readonly info: OperatorInfo;
  readonly balance: ArkadeBalance;
}

export interface LightningFacts {
  readonly info: LightningInfo;
  readonly liquidity: LightningLiquidity;
}

/** A network as it was last seen: `absent` is not configured, `away` does not answer. */
export type Seen<F> = { readonly state: 'absent' } | { readonly state: 'away'; readonly detail: string } | { readonly state: 'connected'; readonly facts: F; readonly readAt: number };

export const names: Record<'arkade' | 'lightning' | 'bitcoin', string> = {
  arkade: 'an Arkade operator',
  lightning: 'a Lightning node',
  bitcoin: 'a Bitcoin endpoint',
};

const configured: Record<'arkade' | 'lightning' | 'bitcoin', string> = { arkade: 'arkade.url', lightning: 'lnd', bitcoin: 'bitcoin' };

/**
 * What the connected networks said last: read in the background so that no request waits for them, and judged at the
 * act itself once more.
 */
export function createNetworks(options: { runtime: Runtime; everyMs: number }) {
  const { runtime } = options;
  const { ports, clock, store } = runtime;
  const listeners = new Set<(network: Network) => void>();
  let arkade: Seen<ArkadeFacts> = ports.arkade === null ? { state: 'absent' } : { state: 'away', detail: 'not asked yet' };
  let lightning: Seen<LightningFacts> = ports.lightning === null ? { state: 'absent' } : { state: 'away', detail: 'not asked yet' };
  let timer: NodeJS.Timeout | null = null;
  let refreshing: Promise<void> | null = null;

  async function read<F>(what: () => Promise<F>): Promise<Seen<F>> {
    try {
      return { state: 'connected', facts: await what(), readAt: clock.now().wall };
    } catch (cause) {
      return { state: 'away', detail: cause instanceof Error ? cause.message : String(cause) };
    }
  }

  async function readArkade(): Promise<void> {
    const port = ports.arkade;
    if (port === null) return;
    const before = arkade;
    arkade = await read(async () => ({ info: await port.info(), balance: await port.balance(store.transactions.reservedCoins()) }));
    if (before.state !== arkade.state || balanceChanged(before, arkade, (facts) => facts.balance.available)) tell('arkade');
  }

  async function readLightning(): Promise<void> {
    const port = ports.lightning;
    if (port === null) return;
    const before = lightning;
    lightning = await read(async () => ({ info: await port.info(), liquidity: await port.liquidity() }));
    if (before.state !== lightning.state || balanceChanged(before, lightning, (facts) => facts.liquidity.outbound)) tell('lightning');
  }

  function tell(network: Network): void {
    for (const listener of listeners) listener(network);
  }

  function refresh(): Promise<void> {
    refreshing ??= Promise.all([readArkade(), readLightning()])
      .then(() => undefined)
      .finally(() => {
        refreshing = null;
      });
    return refreshing;
  }

  function promised(network: string): Sats {
    return store.reservations.totals().get(network) ?? noSats;
  }

  return {
    arkade: () => arkade,
    lightning: () => lightning,
    bitcoin(): Seen<{ height: number; mtp: number; time: number }> {
      if (ports.bitcoin === null) return { state: 'absent' };
      const now = clock.now();
      const tip = clock.tip();
      if (now.mtp === null || now.height === null || tip === null) return { state: 'away', detail: 'its clock cannot be read' };
      return { state: 'connected', facts: { height: now.height, mtp: now.mtp, time: tip.time }, readAt: now.wall };
    },
    /** What a new swap may still take from the node's Arkade wallet. */
    arkadeFree(): Sats {
      return arkade.state === 'connected' ? less(arkade.facts.balance.available, promised('arkade')) : noSats;
    },
    /** What a new swap may still pay over Lightning. */
    outboundFree(): Sats {
      return lightning.state === 'connected' ? less(lightning.facts.liquidity.outbound, promised('lightning')) : noSats;
    },
    /** What a new swap may still receive over Lightning. */
    inboundFree(): Sats {
      return lightning.state === 'connected' ? less(lightning.facts.liquidity.inbound, promised('lightning-in')) : noSats;
    },
    /** Null when all of them answer, else a refusal that names the one that is missing. */
    missing(...needed: ('arkade' | 'lightning' | 'bitcoin')[]): Refusal | null {
      for (const network of needed) {
        const seen = network === 'arkade' ? arkade : network === 'lightning' ? lightning : this.bitcoin();
        if (seen.state === 'absent') return refuse('unavailable', `This direction needs ${names[network]}, and none is connected: set ${configured[network]} in the configuration.`);
        if (seen.state === 'away') return refuse('unavailable', `This direction needs ${names[network]}, and the connected one does not answer now: try again later.`);
      }
      return null;
    },
    onChange(listener: (network: Network) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh,
    start(): void {
      timer = setInterval(() => void refresh(), options.everyMs);
    },
    async stop(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      await refreshing;
    },
  };
}

function balanceChanged<F>(before: Seen<F>, after: Seen<F>, of: (facts: F) => Sats): boolean {
  return before.state === 'connected' && after.state === 'connected' && of(before.facts) !== of(after.facts);
}

export type Networks = ReturnType<typeof createNetworks>;
