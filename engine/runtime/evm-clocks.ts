import { chainIdOf, isEvm, type EvmNetwork } from '../domain/chain.ts';
import { hour, spanInWords, type ChainClock, type Unix } from '../domain/time.ts';
import type { EvmTip } from '../legs/evm/port.ts';
import { inBackground } from './background.ts';
import type { Log } from './log.ts';
import { disagreementOf, evmOf, isAbsent, type Ports } from './ports.ts';

/** A chain that was silent for this long is no clock any more. */
const staleAfterSeconds = 600;
/**
 * A block may say so much more, in seconds, than the later of this machine's clock and Bitcoin's, of which one may be
 * slow (facts/faults.md 36): a single RPC that says more would else have set the clock for good.
 */
const mostAhead = 2 * hour;
/** Blocks come every few seconds on most of them: no slower than this, whatever Bitcoin's tip is read at. */
const everyMs = 5_000;

interface Reading {
  readonly time: Unix;
  readonly height: number;
  readonly atWall: Unix;
  readonly atRun: number;
}

/**
 * The clocks of the EVM chains, each by the block time of its tip: it never runs backwards, whatever an RPC that lags
 * or a reorganisation says, for what a timelock has opened stays open. A time that no other clock of ours comes near is
 * nobody's: the clock stays where it was, and nothing new is begun meanwhile.
 */
export function createEvmClocks(options: {
  wall: () => Unix;
  /** Median time past; null while that is not known. */
  bitcoin: () => Unix | null;
  ports: Ports;
  pollMs: number;
  log: Log;
}) {
  const { wall, bitcoin, ports, log } = options;
  const readings = new Map<EvmNetwork, Reading>();
  const doubts = new Map<EvmNetwork, string>();
  const failing = new Set<EvmNetwork>();
  let timer: NodeJS.Timeout | null = null;
  let reading: Promise<void> | null = null;

  function keep(network: EvmNetwork, { time, height }: EvmTip): void {
    const latest = Math.max(wall(), bitcoin() ?? 0);
    if (time > latest + mostAhead) {
      doubts.set(
        network,
        `The last block of chain ${chainIdOf(network)} is ${spanInWords(time - latest)} ahead of this machine's ` +
          `clock and of Bitcoin's, and is not believed: look at the RPC, or set this machine's clock by a time ` +
          'service.',
      );
      return;
    }
    doubts.delete(network);
    const before = readings.get(network);
    const stands = before !== undefined && before.time > time && before.time <= latest + mostAhead;
    readings.set(network, {
      time: stands ? before.time : time,
      height: stands ? before.height : height,
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

  function clockOf(network: EvmNetwork): ChainClock {
    const doubt = doubts.get(network) ?? disagreementOf(evmOf(ports, network));
    const doubted = doubt === null ? {} : { doubt };
    const last = readings.get(network);
    if (last === undefined) return { mtp: null, height: null, ...doubted };
    const silence = Math.max(wall() - last.atWall, (performance.now() - last.atRun) / 1_000);
    if (silence >= staleAfterSeconds) return { mtp: null, height: null, ...doubted };
    return { mtp: last.time, height: last.height, ...doubted };
  }

  return {
    now(): Readonly<Record<EvmNetwork, ChainClock>> {
      const networks = new Set([...readings.keys(), ...doubts.keys()]);
      return Object.fromEntries([...networks].map((network) => [network, clockOf(network)]));
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
