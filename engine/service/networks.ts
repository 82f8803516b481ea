import { setTimeout as pause } from 'node:timers/promises';
import type { Network } from '../domain/chain.ts';
import { PortFailure, refuse, type Refusal } from '../domain/errors.ts';
import { less, noSats, sats, type Purse, type Sats } from '../domain/money.ts';
import { failedOnchain } from '../legs/onchain/failures.ts';
import { judgeClocks, type ClockLimits, type ClockVerdict } from '../legs/clock-limits.ts';
import type { LightningInfo, LightningLiquidity } from '../legs/lightning/port.ts';
import type { BitcoinBalance } from '../legs/onchain/wallet-port.ts';
import type { OperatorInfo } from '../legs/arkade/operator.ts';
import type { ArkadeBalance, ArkadePort } from '../legs/arkade/port.ts';
import { isAbsent } from '../runtime/ports.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Stranded, StrandedCoin } from './stranded.ts';

export interface ArkadeFacts {
  readonly info: OperatorInfo;
  readonly balance: ArkadeBalance;
  /** Our own coins that somebody brought to the chain. */
  readonly stranded: readonly StrandedCoin[];
}

export interface LightningFacts {
  readonly info: LightningInfo;
  readonly liquidity: LightningLiquidity;
}

/** A network as it was last seen: `absent` is not configured, `away` does not answer, or may not be used. */
export type Seen<F> =
  | { readonly state: 'absent' }
  | { readonly state: 'away'; readonly detail: string }
  | { readonly state: 'connected'; readonly facts: F; readonly readAt: number };

/** What a direction may need. */
export type Needed = 'arkade' | 'lightning' | 'bitcoin';

export const names: Record<Needed, string> = {
  arkade: 'an Arkade operator',
  lightning: 'a Lightning node',
  bitcoin: 'a Bitcoin endpoint',
};

const configured: Record<Needed, string> = { arkade: 'arkade.url', lightning: 'lnd', bitcoin: 'bitcoin' };

/** An EVM chain: no direction uses one yet, and the owner sees whether it could. */
export type EvmSeen = { readonly chain: string } & (
  | { readonly state: 'away'; readonly detail: string }
  | {
      readonly state: 'connected';
      readonly detail: string;
      readonly height: number;
      /** Unix seconds of the latest block. */ readonly blockTime: number;
    }
);

const unread = { state: 'away', detail: 'not asked yet' } as const;

/** The Bitcoin wallet takes many questions, and moves slowly: it is read that much more rarely than the others. */
const walletPauses = 6;
/** How long a refresh waits for it, in milliseconds. */
const patienceMs = 2_000;

/** For this many seconds new swaps still open by the last reading of a chain that stopped answering. */
const silentFor = 120;

/** Blocks by which the Lightning node may be ahead in passing. */
const aheadInPassing = 3;

/**
 * What the connected networks said last: read in the background so that no request waits for them, and judged at the
 * act itself once more.
 */
export function createNetworks(options: {
  runtime: Runtime;
  stranded: Stranded;
  everyMs: number;
  limits: () => ClockLimits;
  evm?: () => readonly EvmSeen[];
}) {
  const { runtime, evm = () => [] } = options;
  const { ports, clock, store } = runtime;
  const listeners = new Set<(network: Network) => void>();
  let arkade: Seen<ArkadeFacts> = ports.arkade === null ? { state: 'absent' } : unread;
  let lightning: Seen<LightningFacts> = ports.lightning === null ? { state: 'absent' } : unread;
  let wallet: Seen<BitcoinBalance> = ports.bitcoinWallet === undefined ? { state: 'absent' } : unread;
  let walletReading: Promise<void> | null = null;
  let walletDue = 0;
  let timer: NodeJS.Timeout | null = null;
  let refreshing: Promise<void> | null = null;
  let queued: Promise<void> | null = null;
  let toldBeyond: string | null = null;
  let standsStill = false;

  async function read<F>(what: () => Promise<F>): Promise<Seen<F>> {
    try {
      return { state: 'connected', facts: await what(), readAt: clock.now().wall };
    } catch (cause) {
      return unseen(cause);
    }
  }

  function unseen(cause: unknown): { readonly state: 'absent' } | { readonly state: 'away'; readonly detail: string } {
    return isAbsent(cause)
      ? { state: 'absent' }
      : { state: 'away', detail: cause instanceof Error ? cause.message : String(cause) };
  }

  async function readArkade(): Promise<void> {
    const port = ports.arkade;
    if (port === null) return;
    const before = arkade;
    arkade = await read(async () => ({
      info: await port.info(),
      balance: await port.balance(store.transactions.reservedCoins()),
      stranded: await lookForStranded(port),
    }));
    if (before.state !== arkade.state || balanceChanged(before, arkade, (facts) => facts.balance.available))
      tell('arkade');
  }

  /** What lies on the chain is no reason to call the operator away: what was known of it stays. */
  async function lookForStranded(port: ArkadePort): Promise<readonly StrandedCoin[]> {
    try {
      return await options.stranded.look(await port.walletCoins(), port);
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      return options.stranded.coins();
    }
  }

  async function readLightning(): Promise<void> {
    const port = ports.lightning;
    if (port === null) return;
    const before = lightning;
    lightning = await read(async () => ({ info: await port.info(), liquidity: await port.liquidity() }));
    if (lightning.state === 'connected') clock.hear(lightning.facts.info);
    if (before.state !== lightning.state || balanceChanged(before, lightning, (facts) => facts.liquidity.outbound))
      tell('lightning');
  }

  /** A node without an index reads its whole set of coins at first: nobody else waits for that. */
  async function readWallet(): Promise<void> {
    const { bitcoinWallet } = ports;
    if (bitcoinWallet === undefined) return;
    walletReading ??= (async () => {
      const before = wallet;
      const seen = await read(() => bitcoinWallet.balance(store.transactions.reservedCoins()));
      wallet = seen;
      if (before.state !== seen.state || balanceChanged(before, seen, (facts) => sats(facts.available + facts.pending)))
        tell('bitcoin');
    })().finally(() => {
      walletReading = null;
    });
    walletDue = performance.now() + walletPauses * options.everyMs;
    const patience = new AbortController();
    await Promise.race([
      walletReading,
      pause(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
  }

  /** Null while the chain's clock is unread: then the chain is away. */
  function clocks(): ClockVerdict | null {
    const now = clock.now();
    const tip = clock.tip();
    return now.bitcoin.mtp === null || tip === null
      ? null
      : judgeClocks(now.wall, { mtp: now.bitcoin.mtp, time: tip.time }, options.limits());
  }

  /** Told once when it begins: which limit it is may change from look to look. */
  function watchClocks(): void {
    const beyond = clocks()?.beyond ?? null;
    const state = beyond === null ? null : beyond.strict ? 'withdrawn' : 'told';
    if (state === toldBeyond) return;
    toldBeyond = state;
    if (beyond === null)
      runtime.log.info({ network: 'bitcoin' }, 'the clocks of Bitcoin and of this machine agree again');
    else runtime.log.warn({ network: 'bitcoin', withdrawn: beyond.strict }, beyond.sentence);
    if (beyond?.strict === true)
      runtime.alert(null, `${beyond.sentence} New swaps over Bitcoin wait until then, the open ones go on.`);
    tell('bitcoin');
  }

  /**
   * The Lightning node follows the chain by itself, and lets held payments go by its own height: when it leaves the source
   * behind, refunds of ours go by what it says, and nothing new is begun (facts/faults.md 45).
   */
  async function watchTip(): Promise<void> {
    const height = lightning.state === 'connected' && lightning.facts.info.synced ? lightning.facts.info.height : 0;
    const left = (): boolean => height > (clock.tip()?.height ?? height) + aheadInPassing;
    if (left()) await clock.refresh();
    if (left() === standsStill) return;
    standsStill = left();
    if (standsStill)
      runtime.alert(
        null,
        `The Bitcoin source is at height ${clock.tip()?.height ?? 0} and the Lightning node at ${height}: the source stands still, and the timelocks of open swaps are judged by the Lightning node alone. Connect another one at once.`,
      );
    tell('bitcoin');
  }

  function tell(network: Network): void {
    for (const listener of listeners) listener(network);
  }

  /** One that was asked for during another comes after it: it shall see what happened meanwhile. */
  function refresh(how: 'asked' | 'routine' = 'asked'): Promise<void> {
    if (refreshing !== null) {
      queued ??= refreshing.then(() => {
        queued = null;
        return refresh();
      });
      return queued;
    }
    refreshing = Promise.all([
      readArkade(),
      readLightning(),
      how === 'routine' && performance.now() < walletDue ? undefined : readWallet(),
    ])
      .then(watchClocks)
      .then(watchTip)
      .finally(() => {
        refreshing = null;
      });
    return refreshing;
  }

  // A block may have confirmed what waited.
  clock.onTip(() => {
    walletDue = 0;
  });

  function promised(network: Purse): Sats {
    return store.reservations.totals().get(network) ?? noSats;
  }

  return {
    arkade: () => arkade,
    lightning: () => lightning,
    bitcoin(): Seen<{ height: number; mtp: number; time: number }> {
      if (ports.bitcoin === null) return { state: 'absent' };
      const now = clock.now();
      const tip = clock.tip();
      const failure = clock.failure();
      if (failure !== null && (!isSilence(failure) || clock.silence() > silentFor)) return unseen(failure);
      if (now.bitcoin.mtp === null || now.bitcoin.height === null || tip === null)
        return failure === null ? { state: 'away', detail: 'its clock was not read yet' } : unseen(failure);
      return {
        state: 'connected',
        facts: { height: now.bitcoin.height, mtp: now.bitcoin.mtp, time: tip.time },
        readAt: clock.readAt(),
      };
    },
    bitcoinWallet: () => wallet,
    /** What the owner may still send from the Bitcoin wallet. */
    bitcoinFree(): Sats {
      return wallet.state === 'connected' ? less(wallet.facts.available, promised('bitcoin')) : noSats;
    },
    evm,
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
      return lightning.state === 'connected'
        ? less(lightning.facts.liquidity.inbound, promised('lightning-in'))
        : noSats;
    },
    /** Null when all of them answer, else a refusal that names the one that is missing. */
    missing(...needed: readonly Needed[]): Refusal | null {
      for (const network of needed) {
        const seen = network === 'arkade' ? arkade : network === 'lightning' ? lightning : this.bitcoin();
        if (seen.state === 'absent')
          return refuse(
            'unavailable',
            `This direction needs ${names[network]}, and none is connected: set ${configured[network]} in the configuration.`,
          );
        if (seen.state === 'away')
          return refuse(
            'unavailable',
            `This direction needs ${names[network]}, and the connected one does not answer now: try again later.`,
          );
      }
      return null;
    },
    /** How far the clocks of Bitcoin and of this machine are apart; null while that is not known. For the owner alone. */
    clocks,
    /** Null when a new swap may be begun over them: they answer, and the clock of none is too far from this machine's. */
    closed(...needed: readonly Needed[]): Refusal | null {
      const missing = this.missing(...needed);
      if (missing !== null || !needed.includes('bitcoin')) return missing;
      // Which of them, and how, is told to the owner alone.
      if (clock.now().bitcoin.doubt !== undefined)
        return refuse(
          'unavailable',
          'New swaps over Bitcoin wait: the sources of its chain do not agree now. Try again later.',
        );
      if (standsStill)
        return refuse('unavailable', 'New swaps over Bitcoin wait: its source is behind the chain. Try again later.');
      if (clocks()?.beyond?.strict !== true) return null;
      return refuse(
        'unavailable',
        "New swaps over Bitcoin wait: its clock and this node's are too far apart. Try again later.",
      );
    },
    onChange(listener: (network: Network) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh: () => refresh(),
    /** What was read of it does not count any more: somebody else answers there now. */
    forget(network: Needed): void {
      if (network === 'arkade') arkade = unread;
      if (network === 'lightning') lightning = unread;
      if (network === 'bitcoin' && ports.bitcoinWallet !== undefined) wallet = unread;
    },
    start(): void {
      timer = setInterval(() => {
        if (refreshing === null) runtime.background('reading the networks', () => refresh('routine'));
      }, options.everyMs);
    },
    async stop(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      // A first look at the wallet may take minutes: it ends by itself, unheard.
      await (queued ?? refreshing);
    },
  };
}

/** No answer, as far as that can be told from one that says something else than it should. */
function isSilence(cause: unknown): boolean {
  return failedOnchain(cause, 'bitcoin-away');
}

function balanceChanged<F>(before: Seen<F>, after: Seen<F>, of: (facts: F) => Sats): boolean {
  return before.state === 'connected' && after.state === 'connected' && of(before.facts) !== of(after.facts);
}

export type Networks = ReturnType<typeof createNetworks>;
