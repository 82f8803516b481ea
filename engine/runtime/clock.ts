import type { LightningInfo } from '../legs/lightning/port.ts';
import type { ChainTip } from '../legs/onchain/port.ts';
import { unix, type ChainReading, type Clocks, type Unix } from '../domain/time.ts';
import { inBackground } from './background.ts';
import { createEvmClocks } from './evm-clocks.ts';
import type { Log } from './log.ts';
import { createSecondReading } from './second-reading.ts';
import { disagreementOf, isAbsent, type Ports } from './ports.ts';
import { createSignal } from './signal.ts';

/**
 * The one clock of the engine. `wall` comes from the host (the sandbox's clock in sandbox mode) and may be wrong, or
 * leap, by any amount; the chain's clock is read from the Bitcoin endpoint and is null until a first reading and after
 * too long a silence: locked until known. What the Lightning node says of the same chain is the second reading. Each
 * EVM chain has its own clock, which is the block time of its tip.
 */
export interface Clock {
  now(): Clocks;
  tip(): ChainTip | null;
  /** When the tip was read last, by the wall clock; 0 for never. */
  readAt(): Unix;
  /** Seconds since then, infinite for never. */
  silence(): number;
  /** Why the last reading failed, null when it did not. */
  failure(): unknown;
  onTip(listener: (tip: ChainTip) => void): () => void;
  /** Reads the tip now; resolves when the reading is in, or failed and was logged. */
  refresh(): Promise<void>;
  /**
   * The first reading waits for Bitcoin's alone: until a chain's clock comes nothing of that chain is decided, and all
   * else goes on.
   */
  first(): Promise<void>;
  /** What the Lightning node says of the chain, at each look at it. */
  hear(info: LightningInfo): void;
  start(): void;
  stop(): Promise<void>;
}

/** A chain that was silent for this long is not a clock any more. */
const staleAfterSeconds = 4 * 3_600;

export function createClock(options: { wall: () => Unix; ports: Ports; pollMs: number; log: Log }): Clock {
  const { wall, ports, log } = options;
  const tips = createSignal<ChainTip>();
  const second = createSecondReading();
  let tip: ChainTip | null = null;
  let readAt = unix(0);
  let readAtRun: number | null = null;
  let failure: unknown = null;
  let timer: NodeJS.Timeout | null = null;
  let reading: Promise<void> | null = null;
  const evm = createEvmClocks({
    ...options,
    bitcoin: () => (silence() < staleAfterSeconds ? (tip?.mtp ?? null) : null),
  });

  async function readAll(): Promise<void> {
    await Promise.all([read(), evm.read()]);
  }

  async function read(): Promise<void> {
    if (ports.bitcoin === null) return;
    try {
      const seen = await ports.bitcoin.tip();
      readAt = wall();
      readAtRun = performance.now();
      if (failure !== null && !isAbsent(failure)) log.info({ network: 'bitcoin' }, 'the Bitcoin clock is back');
      failure = null;
      // A reorganisation may lower the height; a lagging endpoint must not turn median time back (facts/faults.md 36).
      const changed = tip === null || seen.era !== tip.era || (seen.hash !== tip.hash && seen.mtp >= tip.mtp);
      if (!changed) return;
      tip = seen;
      tips.tell(seen);
    } catch (cause) {
      if (failure === null && !isAbsent(cause))
        log.warn({ network: 'bitcoin', cause: String(cause) }, 'the Bitcoin clock cannot be read');
      failure = cause;
    }
  }

  /**
   * The longer of what two clocks say: the wall may be set back, and the one of the process stands still in a sleeping
   * machine.
   */
  function silence(): number {
    return readAtRun === null ? Infinity : Math.max(wall() - readAt, (performance.now() - readAtRun) / 1_000);
  }

  function refresh(): Promise<void> {
    reading ??= readAll().finally(() => {
      reading = null;
    });
    return reading;
  }

  return {
    first(): Promise<void> {
      inBackground(log, 'reading the EVM clocks', () => evm.read());
      return read();
    },
    now() {
      const fresh = tip !== null && silence() < staleAfterSeconds;
      const read: ChainReading =
        fresh && tip !== null ? { mtp: tip.mtp, height: tip.height } : { mtp: null, height: null };
      const secondReading = second.reading();
      const ahead: ChainReading = {
        mtp: higher(read.mtp, secondReading.mtp),
        height: higher(read.height, secondReading.height),
      };
      const doubt = disagreementOf(ports.bitcoin);
      return {
        ...evm.now(),
        wall: wall(),
        bitcoin: {
          ...read,
          ...(ahead.mtp === read.mtp && ahead.height === read.height ? {} : { ahead }),
          ...(doubt === null ? {} : { doubt }),
        },
      };
    },
    tip: () => tip,
    readAt: () => readAt,
    silence,
    failure: () => failure,
    onTip: tips.on,
    refresh,
    hear: (info) => second.hear(info),
    start() {
      timer = setInterval(() => inBackground(log, 'reading the clocks', refresh), options.pollMs);
      evm.start();
    },
    async stop() {
      if (timer !== null) clearInterval(timer);
      await Promise.all([reading, evm.stop()]);
    },
  };
}

function higher<N extends number>(one: N | null, other: N | null): N | null {
  return one === null || (other !== null && other > one) ? other : one;
}
