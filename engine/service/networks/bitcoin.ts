import { setTimeout as pause } from 'node:timers/promises';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { less, noSats, sats, type Sats } from '../../domain/money.ts';
import { judgeClocks, type ClockLimits, type ClockVerdict } from '../../legs/clock-limits.ts';
import { failedOnchain } from '../../legs/onchain/failures.ts';
import { nothingKept, totalOf } from '../../legs/onchain/reserve.ts';
import type { FeeReserve } from '../../legs/onchain/fee-reserve.ts';
import type { BitcoinBalance } from '../../legs/onchain/wallet-port.ts';
import { ifKnown } from '../../runtime/networks/if-known.ts';
import { believedRate } from '../../runtime/networks/onchain/fee-rate.ts';
import { dayOfBlocks } from '../../runtime/networks/onchain/patient-rate.ts';
import { feeReserveNow } from '../../runtime/networks/onchain/reserve.ts';
import { changed, promised, seen, unread, unseen, type ReaderOptions, type Seen } from './reader.ts';

export interface BitcoinFacts {
  readonly height: number;
  readonly mtp: number;
  readonly time: number;
}

/** What is kept for fees, and what there is. */
export interface ReserveState extends FeeReserve {
  readonly total: Sats;
  /** In confirmed coins that are promised to nothing; null while they are unread. */
  readonly held: Sats | null;
  /** In so many coins that suffice by themselves. */
  readonly heldIn: number;
}

/** The Bitcoin wallet takes many questions, and moves slowly: it is read that much more rarely than the others. */
const walletPauses = 6;
/** How long a refresh waits for it, in milliseconds. */
const patienceMs = 2_000;

/** For this many seconds new swaps still open by the last reading of a chain that stopped answering. */
const silentFor = 120;

/** A price older than this is none, in seconds. */
const rateLives = 900;
/** Blocks within which what a swap pays for is to be mined. */
const within = 3;

/** Blocks by which the Lightning node may be ahead in passing. */
const aheadInPassing = 3;

/** What the readings go by, and what they remember. */
interface Reading {
  readonly runtime: ReaderOptions['runtime'];
  readonly tell: ReaderOptions['tell'];
  readonly everyMs: number;
  readonly limits: () => ClockLimits;
  readonly lightningHeight: () => number;
  readonly ports: ReaderOptions['runtime']['ports'];
  readonly clock: ReaderOptions['runtime']['clock'];
  toldBeyond: string | null;
  standsStill: boolean;
  rate: { readonly value: number; readonly readAt: number } | null;
  rateDue: number;
}

/** The chain itself is read by the clock; here its wallet is, and both are judged. */
export function createBitcoinReader({
  runtime,
  tell,
  everyMs,
  limits,
  lightningHeight,
}: ReaderOptions & {
  readonly everyMs: number;
  readonly limits: () => ClockLimits;
  /** The height of the Lightning node, zero while that is not known. */
  readonly lightningHeight: () => number;
}) {
  const { ports, clock, store } = runtime;
  const own: Reading = {
    runtime,
    tell,
    everyMs,
    limits,
    lightningHeight,
    ports,
    clock,
    toldBeyond: null,
    standsStill: false,
    rate: null,
    rateDue: 0,
  };

  let wallet: Seen<BitcoinBalance> = ports.bitcoinWallet === undefined ? { state: 'absent' } : unread;
  let reserve = nothingKept;
  let walletReading: Promise<void> | null = null;
  let walletDue = 0;

  // A block may have confirmed what waited.
  clock.onTip(() => {
    walletDue = 0;
  });

  return {
    endpoint: 'a Bitcoin endpoint',
    setting: 'bitcoin',
    state: () => last(own).state,
    last: () => last(own),
    closed(): Refusal | null {
      // Which of them, and how, is told to the owner alone.
      if (clock.now().bitcoin.doubt !== undefined)
        return refuse(
          'unavailable',
          'New swaps over Bitcoin wait: the sources of its chain do not agree now. Try again later.',
        );
      if (own.standsStill)
        return refuse('unavailable', 'New swaps over Bitcoin wait: its source is behind the chain. Try again later.');
      if (clocks(own)?.beyond?.strict !== true) return null;
      return refuse(
        'unavailable',
        "New swaps over Bitcoin wait: its clock and this node's are too far apart. Try again later.",
      );
    },
    /** A node without an index reads its whole set of coins at first: nobody else waits for that. */
    async read(how: 'asked' | 'routine'): Promise<void> {
      const { bitcoinWallet } = ports;
      await readRate(own, how);
      reserve = feeReserveNow(store);
      if (bitcoinWallet === undefined || (how === 'routine' && performance.now() < walletDue)) return;
      walletReading ??= (async () => {
        const before = wallet;
        const now = await seen(runtime, () => bitcoinWallet.balance(store.transactions.reservedCoins()));
        wallet = now;
        if (changed(before, now, ({ available, pending }) => sats(available + pending))) tell('bitcoin');
      })().finally(() => {
        walletReading = null;
      });
      walletDue = performance.now() + walletPauses * everyMs;
      const patience = new AbortController();
      await Promise.race([
        walletReading,
        pause(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined),
      ]);
      patience.abort();
    },
    /** After all networks were read: how the chain stands to the clocks of the others. */
    async watch(): Promise<void> {
      watchClocks(own);
      await watchTip(own);
    },
    forget(): void {
      if (ports.bitcoinWallet !== undefined) wallet = unread;
      own.rate = null;
      own.rateDue = 0;
    },
    /** Sats per virtual byte. */
    rate: (): number | null =>
      own.rate !== null && Math.abs(clock.now().wall - own.rate.readAt) <= rateLives ? own.rate.value : null,
    /**
     * How far the clocks of Bitcoin and of this machine are apart; null while that is not known. For the owner alone.
     */
    clocks: () => clocks(own),
    wallet: () => wallet,
    /** What the wallet is to keep for fees, in several coins, and whether it does. */
    reserve(): ReserveState {
      const facts = wallet.state === 'connected' ? wallet.facts : null;
      const coins = facts?.coins.filter((amount) => amount >= reserve.each).length ?? 0;
      return { ...reserve, total: totalOf(reserve), held: facts?.available ?? null, heldIn: coins };
    },
    /** What the owner may still send from the Bitcoin wallet. */
    free(): Sats {
      return wallet.state === 'connected' ? less(wallet.facts.available, promised(runtime, 'bitcoin')) : noSats;
    },
  };
}

function last({ ports, clock }: Reading): Seen<BitcoinFacts> {
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
}

/** Null while the chain's clock is unread: then the chain is away. */
function clocks({ limits, clock }: Reading): ClockVerdict | null {
  const now = clock.now();
  const tip = clock.tip();
  return now.bitcoin.mtp === null || tip === null
    ? null
    : judgeClocks(now.wall, { mtp: now.bitcoin.mtp, time: tip.time }, limits());
}

/** Told once when it begins: which limit it is may change from look to look. */
function watchClocks(own: Reading): void {
  const { runtime, tell } = own;
  const beyond = clocks(own)?.beyond ?? null;
  const state = beyond === null ? null : beyond.strict ? 'withdrawn' : 'told';
  if (state === own.toldBeyond) return;
  own.toldBeyond = state;
  if (beyond === null)
    runtime.log.info({ network: 'bitcoin' }, 'the clocks of Bitcoin and of this machine agree again');
  else runtime.log.warn({ network: 'bitcoin', withdrawn: beyond.strict }, beyond.sentence);
  if (beyond?.strict === true)
    runtime.alert(null, `${beyond.sentence} New swaps over Bitcoin wait until then, the open ones go on.`);
  tell('bitcoin');
}

/**
 * The Lightning node follows the chain by itself, and lets held payments go by its own height: when it leaves the
 * source behind, refunds of ours go by what it says, and nothing new is begun (facts/faults.md 45).
 */
async function watchTip(own: Reading): Promise<void> {
  const { runtime, tell, lightningHeight, clock } = own;
  const height = lightningHeight();
  const left = (): boolean => height > (clock.tip()?.height ?? height) + aheadInPassing;
  if (left()) await clock.refresh();
  if (left() === own.standsStill) return;
  own.standsStill = left();
  if (own.standsStill)
    runtime.alert(
      null,
      `The Bitcoin source is at height ${clock.tip()?.height ?? 0} and the Lightning node at ${height}: the ` +
        'source stands still, and the timelocks of open swaps are judged by the Lightning node alone. Connect ' +
        'another source now.',
    );
  tell('bitcoin');
}

/** What the chain asks for now; silence keeps the last word for a while. */
async function readRate(own: Reading, how: 'asked' | 'routine'): Promise<void> {
  const { runtime, everyMs, ports } = own;
  const { bitcoin } = ports;
  if (bitcoin === null || (how === 'routine' && performance.now() < own.rateDue)) return;
  own.rateDue = performance.now() + walletPauses * everyMs;
  const read = await seen(runtime, () => believedRate(bitcoin, { within, doubtAbove: 0, late: false }));
  if (read.state === 'connected') own.rate = { value: read.facts, readAt: read.readAt };
  // So that they are read when a claim comes; nothing hangs on this look.
  await ifKnown(async () => (await bitcoin.blockRates?.(dayOfBlocks)) ?? null);
}

/** No answer, as far as that can be told from one that says something else than it should. */
function isSilence(cause: unknown): boolean {
  return failedOnchain(cause, 'bitcoin-away');
}
