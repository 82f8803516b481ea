import { chainIdOf, type EvmNetwork } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import { toHex } from '../../domain/hex.ts';
import { noSats, sats, type Sats } from '../../domain/money.ts';
import { minute, type Unix } from '../../domain/time.ts';
import { isTooSilent } from '../../legs/evm/agreement.ts';
import type { EvmPort } from '../../legs/evm/port.ts';
import { judgeEvmClock, type EvmClockLimits } from '../../legs/clock-limits.ts';
import { satsOfUnitsDown } from '../../quote/token-price.ts';
import { evmOf } from '../../runtime/ports.ts';
import { promised, seen, unread, type Reader, type ReaderOptions, type Seen } from './reader.ts';
import { tokenFacts } from './token-facts.ts';

/** An EVM chain as it was read last: what the owner is shown. */
export type EvmSeen = { readonly chain: string } & (
  | { readonly state: 'away'; readonly detail: string }
  | {
      readonly state: 'connected';
      readonly detail: string;
      readonly height: number;
      /** Unix seconds of the latest block. */ readonly blockTime: number;
    }
);

/** What the account holds of one token, or of the coin. */
export interface Holding {
  /** Zero for the coin. */
  readonly token: EvmAddress;
  readonly decimals: number;
  /** Smallest units. */
  readonly units: bigint;
  /** Of these, what transactions take that are signed and not mined. */
  readonly outgoing: bigint;
}

export interface EvmFacts {
  readonly height: number;
  readonly time: Unix;
  readonly coin: Holding;
  /** The token that locks hold; the coin itself on chains whose coin is bitcoin. Null while nothing is set or known. */
  readonly pegged: Holding | null;
}

/** What is set for the account on a chain. */
export interface EvmAccountRules {
  /** What locks hold, zero for the coin; null where nothing is set. */
  readonly pegged: EvmAddress | null;
  /** Wei below which nothing new is begun: what is left is for claims and refunds. */
  readonly floor: bigint;
}

export const noAccountRules: EvmAccountRules = { pegged: null, floor: 0n };

export type EvmAccountRulesOf = (network: EvmNetwork) => EvmAccountRules;

const coin = asEvmAddress(new Uint8Array(20));
const coinDecimals = 18;
/** Seconds of silence before its owner is told. */
const patience = minute;

/** Reads one EVM chain: where it is, and what our account has there. */
export function createEvmReader({
  runtime,
  tell,
  network,
  rules,
  limits,
}: ReaderOptions & {
  readonly network: EvmNetwork;
  readonly rules: EvmAccountRulesOf;
  readonly limits: () => EvmClockLimits;
}) {
  const { ports, clock, store } = runtime;
  const name = `chain ${chainIdOf(network)}`;
  const decimals = new Map<string, number>([[toHex(coin), coinDecimals]]);
  let last: Seen<EvmFacts> = unread;
  let closedBefore: string | null = null;
  let silentSince: Unix | null = null;
  let silenceTold = false;

  async function decimalsOf(port: EvmPort, token: EvmAddress): Promise<number> {
    const { facts, agreed } = await tokenFacts(port, token);
    if (agreed) decimals.set(toHex(token), facts.decimals);
    return facts.decimals;
  }

  async function holding(token: EvmAddress): Promise<Holding> {
    const port = evmOf(ports, network);
    const places = decimals.get(toHex(token)) ?? (await decimalsOf(port, token));
    const units = await port.balance(token, port.account());
    const outgoing = store.nonces
      .open(network)
      .filter(({ mined, takes }) => mined === null && takes?.token === toHex(token))
      .reduce((sum, { takes }) => sum + (takes?.amount ?? 0n), 0n);
    return { token, decimals: places, units, outgoing };
  }

  async function look(): Promise<EvmFacts> {
    const { height, time } = await evmOf(ports, network).tip();
    const { pegged } = rules(network);
    const held = await holding(coin);
    const token = pegged === null ? null : toHex(pegged) === toHex(coin) ? held : await holding(pegged);
    return { height, time, coin: held, pegged: token };
  }

  /** For the owner alone: which RPC, which balance. */
  function reason(): string | null {
    if (last.state !== 'connected') return null;
    const clocks = clock.now();
    const doubt = clocks[network]?.doubt ?? null;
    if (doubt !== null) return doubt;
    const { coin: held, time } = last.facts;
    const { floor } = rules(network);
    if (held.units - held.outgoing < floor)
      return (
        `The account on ${name} holds ${held.units - held.outgoing} wei for gas, and ${floor} are kept for claims ` +
        'and refunds: send some of the coin there.'
      );
    const beyond = judgeEvmClock(name, { wall: clocks.wall, time, bitcoin: clocks.bitcoin.mtp }, limits());
    return beyond?.strict === true ? beyond.sentence : null;
  }

  /**
   * For the owner alone: what waits for RPCs that were silent for a while; one that only wants fewer questions is soon
   * back.
   */
  function waits(): string | null {
    if (silentSince === null || clock.now().wall - silentSince < patience) return null;
    const failures = evmOf(ports, network)
      .rpcs()
      .flatMap(({ failure }) => failure ?? []);
    return (
      `Swaps above evm.${chainIdOf(network)}.agreeAboveSats wait, and no claim counts as final: too few RPCs of ` +
      `${name} answer to agree. ${failures.join(' ')} Mend it, or put another one in its place.`
    );
  }

  function watchSilence(): void {
    const { wall } = clock.now();
    const isSilent = last.state === 'connected' && isTooSilent(evmOf(ports, network).rpcs());
    silentSince = isSilent ? (silentSince ?? wall) : null;
    const now = waits();
    if ((now !== null) === silenceTold) return;
    silenceTold = now !== null;
    if (now !== null) runtime.alert(null, now);
    tell(network);
  }

  /** Said once when it begins. */
  function watch(): void {
    const now = reason();
    const kind = now?.replace(/\d+/g, '') ?? null;
    if (kind === closedBefore) return;
    closedBefore = kind;
    if (now === null) runtime.log.info({ network }, 'new swaps may be begun over the chain');
    else runtime.alert(null, `${now} New swaps over ${name} wait until then, the open ones go on.`);
    tell(network);
  }

  /** Free of what is signed away; the floor of the coin stays. */
  function freeUnits({ token, units, outgoing }: Holding): bigint {
    const reserve = toHex(token) === toHex(coin) ? rules(network).floor : 0n;
    return units > outgoing + reserve ? units - outgoing - reserve : 0n;
  }

  const reader: Reader = {
    endpoint: `an RPC of ${name}`,
    setting: `evm.${chainIdOf(network)}`,
    state: () => last.state,
    closed(): Refusal | null {
      return reason() === null
        ? null
        : refuse('unavailable', `New swaps over ${name} wait: it cannot be relied upon now. Try again later.`);
    },
    async read() {
      const before = last;
      last = await seen(runtime, look);
      watch();
      watchSilence();
      if (before.state !== last.state) tell(network);
    },
    forget() {
      last = unread;
      silentSince = null;
    },
  };

  /** How many of its RPCs answer, and what is wrong with the others. */
  function answering(): string {
    const rpcs = evmOf(ports, network).rpcs();
    const failures = rpcs.flatMap(({ failure }) => failure ?? []);
    return [`${rpcs.length - failures.length} of ${rpcs.length} RPCs answer`, ...failures].join('. ');
  }

  return {
    ...reader,
    /** Null where none is configured, or nobody has looked yet. */
    seen(): EvmSeen | null {
      const chain = String(chainIdOf(network));
      if (last === unread || last.state === 'absent') return null;
      if (last.state === 'away') return { chain, ...last };
      const { height, time } = last.facts;
      return { chain, state: 'connected', detail: answering(), height, blockTime: time };
    },
    last: () => last,
    reason,
    waits,
    freeUnits,
    /** What a new swap could be paid from: the pegged token, less what was promised. */
    free(): Sats {
      if (last.state !== 'connected' || last.facts.pegged === null) return noSats;
      const { pegged } = last.facts;
      const worth = satsOfUnitsDown(freeUnits(pegged), pegged.decimals);
      const taken = promised(runtime, network);
      return worth > taken ? sats(worth - taken) : noSats;
    },
  };
}

export type EvmReader = ReturnType<typeof createEvmReader>;
