import { isEvm, type EvmNetwork } from '../domain/chain.ts';
import { unix, type ChainClock, type Unix } from '../domain/time.ts';
import type { EvmTip } from '../legs/evm/port.ts';
import { inBackground } from './background.ts';
import type { Log } from './log.ts';
import { disagreementOf, evmOf, isAbsent, type Ports } from './ports.ts';

/** A chain that was silent for this long is no clock any more. */
const staleAfterSeconds = 600;
/** Blocks come every few seconds on most of them: no slower than this, whatever Bitcoin's tip is read at. */
const everyMs = 5_000;

interface Reading {
  readonly time: Unix;
  readonly height: number;
  readonly atWall: Unix;
  readonly atRun: number;
}

/**
 * The clocks of the EVM chains, each by the block time of its tip: it never runs backwards, whatever an RPC that lags or a
 * reorganisation says, for what a timelock has opened stays open.
 */
export function createEvmClocks(options: { wall: () => Unix; ports: Ports; pollMs: number; log: Log }) {
  const { wall, ports, log } = options;
  const readings = new Map<EvmNetwork, Reading>();
  const failing = new Set<EvmNetwork>();
  let timer: NodeJS.Timeout | null = null;
  let reading: Promise<void> | null = null;

  function keep(network: EvmNetwork, { time, height }: EvmTip): void {
    const before = readings.get(network);
    const later = before === undefined || time >= before.time;
    readings.set(network, {
      time: unix(Math.max(time, before?.time ?? 0)),
      height: later ? height : before.height,
      atWall: wall(),
      atRun: performance.now(),
    });
  }

  async function one(network: EvmNetwork): Promise<void> {
    try {
      keep(network, await evmOf(ports, network).tip());
      if (failing.delete(network)) log.info({ network }, 'the clock of the chain is back');
    } catch (cause) {
      if (!failing.has(network) && !isAbsent(cause))
        log.warn({ network, cause: String(cause) }, 'the clock of the chain cannot be read');
      failing.add(network);
    }
  }

  function read(): Promise<void> {
    const networks = Object.keys(ports).filter(isEvm);
    reading ??= Promise.all(networks.map(one))
      .then(() => undefined)
      .finally(() => {
        reading = null;
      });
    return reading;
  }

  function clockOf(network: EvmNetwork, { time, height, atWall, atRun }: Reading): ChainClock {
    const silence = Math.max(wall() - atWall, (performance.now() - atRun) / 1_000);
    if (silence >= staleAfterSeconds) return { mtp: null, height: null };
    const doubt = disagreementOf(evmOf(ports, network));
    return { mtp: time, height, ...(doubt === null ? {} : { doubt }) };
  }

  return {
    now(): Readonly<Record<EvmNetwork, ChainClock>> {
      return Object.fromEntries([...readings].map(([network, one]) => [network, clockOf(network, one)]));
    },
    read,
    start(): void {
      if (options.pollMs > everyMs)
        timer = setInterval(() => inBackground(log, 'reading the EVM clocks', read), everyMs);
    },
    async stop(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      await reading;
    },
  };
}
