import { chainIdOf, type EvmNetwork } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { coinDecimals, nativeCoin, type EvmAddress } from '../../domain/evm.ts';
import { toHex } from '../../domain/hex.ts';
import { greater, noSats, sats, type Sats } from '../../domain/money.ts';
import { minute, type Unix } from '../../domain/time.ts';
import { isTooSilent } from '../../legs/evm/agreement.ts';
import type { EvmPort } from '../../legs/evm/port.ts';
import { judgeEvmClock, type ClockVerdict, type EvmClockLimits } from '../../legs/clock-limits.ts';
import { satsOfUnitsDown } from '../../quote/token-price.ts';
import { sumOf } from '../../runtime/networks/evm/allowance.ts';
import { priceOf } from '../../runtime/networks/evm/gas.ts';
import { promisedBeside, takersOf } from '../../runtime/networks/evm/promises.ts';
import { isWaiting } from '../../runtime/networks/evm/variants.ts';
import { ifKnown } from '../../runtime/networks/if-known.ts';
import { evmOf } from '../../runtime/ports.ts';
import { seen, unread, type Reader, type ReaderOptions, type Seen } from './reader.ts';
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
  /** Whose transactions these are: what is promised to them is counted by what leaves (facts/faults.md 309). */
  readonly takers: readonly string[];
}

export interface EvmFacts {
  readonly height: number;
  readonly time: Unix;
  readonly coin: Holding;
  /** Wei that open swaps may need yet for claims and refunds, with what is signed. */
  readonly toCome: bigint;
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

/** Seconds of silence before its owner is told. */
const patience = minute;

/** What the readings go by, and what they remember. */
interface Reading {
  readonly runtime: ReaderOptions['runtime'];
  readonly tell: ReaderOptions['tell'];
  readonly network: EvmNetwork;
  readonly rules: EvmAccountRulesOf;
  readonly limits: () => EvmClockLimits;
  readonly ports: ReaderOptions['runtime']['ports'];
  readonly clock: ReaderOptions['runtime']['clock'];
  readonly store: ReaderOptions['runtime']['store'];
  readonly name: string;
  readonly decimals: Map<string, number>;
  last: Seen<EvmFacts>;
  closedBefore: string | null;
  silentSince: Unix | null;
  silenceTold: boolean;
}

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
  const own: Reading = {
    runtime,
    tell,
    network,
    rules,
    limits,
    ports,
    clock,
    store,
    name,
    decimals: new Map<string, number>([[toHex(nativeCoin), coinDecimals]]),
    last: unread,
    closedBefore: null,
    silentSince: null,
    silenceTold: false,
  };

  const reader: Reader = {
    endpoint: `an RPC of ${name}`,
    setting: `evm.${chainIdOf(network)}`,
    state: () => own.last.state,
    closed(): Refusal | null {
      return reason(own) === null
        ? null
        : refuse('unavailable', `New swaps over ${name} wait: it cannot be relied upon now. Try again later.`);
    },
    async read() {
      const before = own.last;
      own.last = await seen(runtime, () => look(own));
      watch(own);
      watchSilence(own);
      if (before.state !== own.last.state) tell(network);
    },
    forget() {
      own.last = unread;
      own.silentSince = null;
    },
  };

  return {
    ...reader,
    /** Null where none is configured, or nobody has looked yet. */
    seen(): EvmSeen | null {
      const chain = String(chainIdOf(network));
      if (own.last === unread || own.last.state === 'absent') return null;
      if (own.last.state === 'away') return { chain, ...own.last };
      const { height, time } = own.last.facts;
      return { chain, state: 'connected', detail: answering(own), height, blockTime: time };
    },
    last: () => own.last,
    reason: () => reason(own),
    waits: () => waits(own),
    freeUnits: (one: Holding) => freeUnits(own, one),
    /** Sats that are promised to swaps whose locks are not on their way. */
    promised: (): Sats =>
      promisedBeside(own.last.state === 'connected' ? (own.last.facts.pegged?.takers ?? []) : [], network, store),
    /** What a new swap could be paid from: the pegged token, less what was promised. */
    free(): Sats {
      if (own.last.state !== 'connected' || own.last.facts.pegged === null) return noSats;
      const { pegged } = own.last.facts;
      const worth = satsOfUnitsDown(freeUnits(own, pegged), pegged.decimals);
      const taken = promisedBeside(pegged.takers, network, store);
      return worth > taken ? sats(worth - taken) : noSats;
    },
  };
}

async function decimalsOf({ decimals }: Reading, port: EvmPort, token: EvmAddress): Promise<number> {
  const { facts, agreed } = await tokenFacts(port, token);
  if (agreed) decimals.set(toHex(token), facts.decimals);
  return facts.decimals;
}

async function holding(own: Reading, token: EvmAddress): Promise<Holding> {
  const { network, ports, store, decimals } = own;
  const port = evmOf(ports, network);
  const places = decimals.get(toHex(token)) ?? (await decimalsOf(own, port, token));
  const units = await port.balance(token, port.account());
  const out = store.nonces.open(network).filter((row) => isWaiting(row) && row.takes?.token === toHex(token));
  const takers = takersOf(toHex(token), out);
  return { token, decimals: places, units, outgoing: sumOf(out.map(({ takes }) => takes)), takers };
}

async function look(own: Reading): Promise<EvmFacts> {
  const { network, rules, ports } = own;
  const port = evmOf(ports, network);
  const { height, time } = await port.tip();
  const { pegged } = rules(network);
  const held = await holding(own, nativeCoin);
  const token = pegged === null ? null : toHex(pegged) === toHex(nativeCoin) ? held : await holding(own, pegged);
  return { height, time, coin: held, pegged: token, toCome: await readToCome(own, port) };
}

async function readToCome({ runtime: { gasToCome }, network }: Reading, port: EvmPort): Promise<bigint> {
  if (gasToCome.beside(network, null, 1n) === 0n) return 0n;
  const fees = await ifKnown(() => port.gasFees());
  return fees === null ? 0n : gasToCome.beside(network, null, priceOf(fees));
}

/** Wei that nothing new is begun with: what open swaps may need is above the owner's floor where gas is dear. */
function reserve({ rules, network }: Reading, { coin: { outgoing }, toCome }: EvmFacts): bigint {
  return greater(rules(network).floor, toCome - outgoing);
}

/** For the owner alone: which RPC, which balance. */
function reason(own: Reading): string | null {
  const { network, clock, name } = own;
  if (own.last.state !== 'connected') return null;
  const doubt = clock.now()[network]?.doubt ?? null;
  if (doubt !== null) return doubt;
  const { coin: held } = own.last.facts;
  const least = reserve(own, own.last.facts);
  if (held.units - held.outgoing < least)
    return (
      `The account on ${name} holds ${held.units - held.outgoing} wei for gas, and ${least} are kept for claims ` +
      'and refunds: send some of the coin there.'
    );
  const beyond = clocksOf(own);
  return beyond?.strict === true ? beyond.sentence : null;
}

/** Which clocks are further apart than they may be. */
function clocksOf({ name, clock, limits, last }: Reading): ClockVerdict['beyond'] {
  if (last.state !== 'connected') return null;
  const { wall, bitcoin } = clock.now();
  return judgeEvmClock(name, { wall, time: last.facts.time, bitcoin: bitcoin.mtp }, limits());
}

/**
 * For the owner alone: what waits for RPCs that were silent for a while; one that only wants fewer questions is soon
 * back.
 */
function waits(own: Reading): string | null {
  const { network, ports, clock, name } = own;
  if (own.silentSince === null || clock.now().wall - own.silentSince < patience) return null;
  const failures = evmOf(ports, network)
    .rpcs()
    .flatMap(({ failure }) => failure ?? []);
  return (
    `Swaps above evm.${chainIdOf(network)}.agreeAboveSats wait, and no claim counts as final: too few RPCs of ` +
    `${name} answer to agree. ${failures.join(' ')} Repair the RPC, or replace it.`
  );
}

function watchSilence(own: Reading): void {
  const { runtime, tell, network, ports, clock } = own;
  const { wall } = clock.now();
  const isSilent = own.last.state === 'connected' && isTooSilent(evmOf(ports, network).rpcs());
  own.silentSince = isSilent ? (own.silentSince ?? wall) : null;
  const now = waits(own);
  if ((now !== null) === own.silenceTold) return;
  own.silenceTold = now !== null;
  if (now !== null) runtime.alert(null, now);
  tell(network);
}

/** Said once when it begins. */
function watch(own: Reading): void {
  const { runtime, tell, network, name } = own;
  const now = reason(own);
  const kind = now?.replace(/\d+/g, '') ?? null;
  if (kind === own.closedBefore) return;
  own.closedBefore = kind;
  if (now === null) runtime.log.info({ network }, 'new swaps may be begun over the chain');
  else runtime.alert(null, `${now} New swaps over ${name} wait until then, the open ones go on.`);
  tell(network);
}

/** Free of what is signed away; what is kept of the coin stays. */
function freeUnits(own: Reading, { token, units, outgoing }: Holding): bigint {
  const isCoin = toHex(token) === toHex(nativeCoin);
  const least = isCoin && own.last.state === 'connected' ? reserve(own, own.last.facts) : 0n;
  return units > outgoing + least ? units - outgoing - least : 0n;
}

/** How many of its RPCs answer, what is wrong with the others, and a clock that is off but withdraws nothing. */
function answering(own: Reading): string {
  const rpcs = evmOf(own.ports, own.network).rpcs();
  const failures = rpcs.flatMap(({ failure }) => failure ?? []);
  const beyond = clocksOf(own);
  const clocks = beyond?.strict === false ? [beyond.sentence] : [];
  return [`${rpcs.length - failures.length} of ${rpcs.length} RPCs answer`, ...failures, ...clocks].join('. ');
}

export type EvmReader = ReturnType<typeof createEvmReader>;
