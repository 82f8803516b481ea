import { randomUUID } from 'node:crypto';
import type { WalletExit } from '../contract/owner/wallets.ts';
import { refuse, type Refusal } from '../domain/errors.ts';
import { outpointKey, type Outpoint } from '../domain/outpoint.ts';
import { day, hour, seconds, unix, type Seconds, type Unix } from '../domain/time.ts';
import { exitPathFailure } from '../legs/arkade/exit-path.ts';
import { exitCosts, mustExit, type ExitFacts } from '../legs/arkade/exit-rule.ts';
import type { BitcoinPort } from '../legs/onchain/port.ts';
import { claimCeiling, type Ceilings } from '../quote/ceilings.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { newRow, type Entry } from '../runtime/working-set.ts';
import type { SavedExit } from '../store/exits.ts';
import { unrollArkade, unrollEffect, type UnrollTerms } from '../swap/jobs/unroll-arkade.ts';
import type { Networks } from './networks/networks.ts';

/** A coin that could leave its operator, and what speaks for it. */
interface Candidate extends Pick<ExitFacts, 'distrusted' | 'whose' | 'delay'> {
  readonly coin: Outpoint;
  readonly deadline: Unix;
  readonly swap: string | null;
}

/** One of which all speaks for leaving now. */
interface Start {
  readonly candidate: Candidate;
  readonly path: SavedExit;
}

/** Between two looks no more than this counts as seen: a machine that slept saw nothing. */
const longestGap = 600;
/** Coins on their way at once: each wants a coin of the Bitcoin wallet at a time. */
const mostJobs = 20;
const awayKey = 'arkade.away';

interface LeavingOptions {
  readonly runtime: Runtime;
  readonly networks: () => Networks;
  readonly ceilings: () => Ceilings;
}

/** What an exit is judged and begun by. */
interface Leaving {
  readonly options: LeavingOptions;
  readonly runtime: Runtime;
  readonly store: Runtime['store'];
  readonly clock: Runtime['clock'];
  readonly log: Runtime['log'];
  readonly distrusted: Set<string>;
  readonly alerted: Set<string>;
  /** How often bringing a coin there failed, and when it may be tried again. */
  readonly tried: Map<string, { readonly times: number; readonly notBefore: Unix }>;
}

/** Begins to bring coins of ours to the chain when their operator is gone, and not before (facts/arkade.md 49). */
export function createUnilateralExits(options: LeavingOptions) {
  const { runtime } = options;
  const { store, ports, clock, log } = runtime;
  const distrusted = new Set<string>();
  const own: Leaving = { options, runtime, store, clock, log, distrusted, alerted: new Set(), tried: new Map() };

  runtime.commits.onCommit((committed) => {
    if (committed.distrusted) distrusted.add(committed.entry.row.id);
  });

  return {
    async look(): Promise<void> {
      const { bitcoin } = ports;
      const away = awayFor(own);
      if (bitcoin === null || (away === null && distrusted.size === 0)) return;
      const now = unix(Math.max(clock.now().wall, clock.now().bitcoin.mtp ?? 0));
      const candidates = [...swapCoins(own), ...walletCoins(own)].sort((a, b) => a.deadline - b.deadline);
      const starts: Start[] = [];
      if (jobs(own).size >= mostJobs) return;
      for (const candidate of candidates) {
        const path = store.exits.path(candidate.coin);
        if (path === null) continue;
        const facts = { ...candidate, awayFor: away, transactions: path.transactions.length, now };
        if (mustExit(facts) && (await mayBegin(own, candidate.coin, bitcoin))) starts.push({ candidate, path });
      }
      if (starts.length > 0) beginAll(own, starts, await rateNow(bitcoin), mostJobs);
    },
    /** The owner wants the wallet's coins on the chain, whether or not the operator answers. */
    async leave(): Promise<WalletExit | Refusal> {
      const { bitcoin } = ports;
      if (bitcoin === null || options.networks().bitcoin().state !== 'connected')
        return refuse(
          'unavailable',
          'Bringing coins to the chain needs a Bitcoin node, and none answers now: connect one first.',
        );
      const candidates = walletCoins(own);
      if (candidates.length === 0)
        return refuse(
          'forbidden',
          'No coin of the Arkade wallet can leave: it has none, or what brings them to the chain was not saved ' +
            'yet. Wait a minute, and see in the alerts what the operator withholds.',
        );
      const rate = await rateNow(bitcoin);
      const starts: Start[] = [];
      for (const candidate of candidates.slice(0, mostJobs)) {
        const path = store.exits.path(candidate.coin);
        if (path !== null && (await mayBegin(own, candidate.coin, bitcoin))) starts.push({ candidate, path });
      }
      const begun: WalletExit['jobs'] = [];
      let refusal: Refusal | null = null;
      for (const { start, id } of beginAll(own, starts, rate, Infinity)) {
        const { candidate, path } = start;
        if (typeof id === 'string') begun.push({ id, coin: outpointKey(candidate.coin), amount: Number(path.amount) });
        else refusal = id;
      }
      if (begun.length > 0) return { jobs: begun };
      return refusal ?? refuse('forbidden', 'Every coin of the Arkade wallet is on its way to the chain already.');
    },
  };
}

/** Counted only while this node was looking: neither a sleep nor a leap of the clock makes an operator gone. */
function awayFor({ options, store, clock }: Leaving): Seconds | null {
  const { wall } = clock.now();
  const before = store.settings.get<{ seconds: number; at: number }>(awayKey);
  const [arkade, bitcoin] = [options.networks().arkade(), options.networks().bitcoin()];
  if (arkade.state !== 'away') {
    if (before !== null) store.settings.remove(awayKey);
    return null;
  }
  // Without the chain it may be this node that is cut off.
  if (bitcoin.state !== 'connected') return before === null ? seconds(0) : seconds(before.seconds);
  const gap = before === null ? 0 : Math.min(longestGap, Math.max(0, wall - before.at));
  const sum = (before?.seconds ?? 0) + gap;
  store.settings.put(awayKey, { seconds: sum, at: wall });
  return seconds(sum);
}

/**
 * What a swap takes that waits for another look at a coin which its operator called spent: one that is away shows
 * none.
 */
function takingOf({ terms, progress }: Entry['row'], machine: Entry['machine']): 'claim' | 'refund' | undefined {
  const own = machine.rescue?.(terms, progress) ?? null;
  if (own === null) return undefined;
  return own.shown && own.claim?.on === 'arkade' ? 'claim' : own.refund?.on === 'arkade' ? 'refund' : undefined;
}

/** Coins of swaps that we are about to take, or that the operator denies us. */
function swapCoins({ runtime, store, distrusted }: Leaving): Candidate[] {
  const candidates: Candidate[] = [];
  const purposes = new Map<string, 'claim' | 'refund'>();
  for (const { subject, effect } of store.effects.waiting(() => undefined)) {
    if (effect.do === 'vhtlc.claim') purposes.set(subject, 'claim');
    else if (effect.do === 'vhtlc.refund') purposes.set(subject, 'refund');
    else if (effect.do === 'vhtlc.submit' || effect.do === 'vhtlc.finalize' || effect.do === 'vhtlc.settle') {
      if (effect.purpose !== 'lock') purposes.set(subject, effect.purpose);
    }
  }
  for (const { row, machine } of runtime.workingSet.all()) {
    const purpose = purposes.get(row.id) ?? ('halted' in row.progress ? takingOf(row, machine) : undefined);
    if (purpose === undefined && !distrusted.has(row.id)) continue;
    for (const watch of machine.watches(row.terms, row.progress)) {
      if (watch.on !== 'vhtlc') continue;
      const { refundLocktime, claimDelay, refundWithoutReceiverDelay } = watch.terms;
      for (const { outpoint } of store.exits.at(watch.script)) {
        const expiresAt = store.exits.expiresAt(outpoint) ?? refundLocktime;
        candidates.push({
          coin: outpoint,
          swap: row.id,
          whose: 'swap',
          distrusted: distrusted.has(row.id),
          delay: purpose === 'refund' ? refundWithoutReceiverDelay : claimDelay,
          deadline: purpose === 'refund' ? expiresAt : unix(Math.min(refundLocktime, expiresAt)),
        });
      }
    }
  }
  return candidates;
}

function walletCoins({ store }: Leaving): Candidate[] {
  return store.ownCoins
    .all()
    .filter((row) => !row.unrolled && store.exits.has(row.outpoint))
    .map(({ outpoint, exitDelay }) => ({
      coin: outpoint,
      swap: null,
      whose: 'wallet' as const,
      distrusted: false,
      delay: seconds(exitDelay < 512 ? exitDelay * 600 : exitDelay),
      deadline: store.exits.expiresAt(outpoint) ?? unix(0xffff_ffff),
    }));
}

function jobs({ runtime }: Leaving): Map<string, string> {
  const open = new Map<string, string>();
  for (const { row, machine } of runtime.workingSet.all())
    if (machine.name === unrollArkade.name) open.set(outpointKey((row.terms as UnrollTerms).coin), row.id);
  return open;
}

/** Told once for each coin and reason. */
function tellOnce({ runtime, alerted }: Leaving, swap: string | null, coin: Outpoint, sentence: string): void {
  const key = `${outpointKey(coin)} ${sentence.slice(0, 24)}`;
  if (alerted.has(key)) return;
  alerted.add(key);
  runtime.alert(swap, sentence);
}

function begin(own: Leaving, { candidate, path }: Start, rate: number): string | Refusal {
  const { options, runtime, clock, log, tried } = own;
  const { coin, swap, deadline, whose } = candidate;
  const { mtp, height } = clock.now().bitcoin;
  const wrong = exitPathFailure(path, { mtp: mtp ?? unix(0), height: height ?? 0 });
  if (wrong !== null) {
    const sentence =
      `The transactions that were saved to bring coin ${outpointKey(coin)} to the chain are not valid (${wrong}): ` +
      'its exit is not begun.';
    tellOnce(own, swap, coin, sentence);
    return refuse('forbidden', sentence);
  }
  const mostFee = claimCeiling(path.amount, options.ceilings(), false);
  const cost = exitCosts(path, rate);
  if (cost > mostFee) {
    const sentence =
      `Bringing coin ${outpointKey(coin)} of ${path.amount} sats to the chain would cost about ${cost} sats now, ` +
      `and may cost ${mostFee} (ceilings.claimBps): it waits for lower fees.`;
    tellOnce(own, swap, coin, sentence);
    return refuse('forbidden', sentence);
  }
  const terms: UnrollTerms = {
    coin,
    amount: path.amount,
    mostFee,
    ...(whose === 'swap' ? { deadline } : {}),
  };
  const id = randomUUID();
  const { wall } = clock.now();
  runtime.commits.open(id, () => ({
    row: newRow({
      id,
      machine: unrollArkade.name,
      createdAt: wall,
      status: 'pending',
      valueSats: path.amount,
      terms,
      progress: { at: 'unrolling' },
    }),
    effects: [unrollEffect(terms)],
  }));
  const key = outpointKey(coin);
  const times = tried.get(key)?.times ?? 0;
  tried.set(key, { times: times + 1, notBefore: unix(wall + Math.min(day, hour * 2 ** times)) });
  log.info({ job: id, coin: key }, 'a coin of ours is brought to the chain');
  tellOnce(
    own,
    swap,
    coin,
    `The Arkade operator is gone: coin ${key} of ${path.amount} sats is brought to the chain now.`,
  );
  return id;
}

async function rateNow(bitcoin: BitcoinPort): Promise<number> {
  return Math.max(1, await bitcoin.feeRate(6));
}

/** Not on the chain, nor on its way there, and its last failure is over. */
async function mayBegin(own: Leaving, coin: Outpoint, bitcoin: BitcoinPort): Promise<boolean> {
  const { clock, tried } = own;
  const key = outpointKey(coin);
  if (jobs(own).has(key) || (tried.get(key)?.notBefore ?? 0) > clock.now().wall) return false;
  return ((await bitcoin.transaction(coin.txid))?.height ?? null) === null;
}

/** All in one turn: the first to look for a coin that pays then sees how many others will. */
function beginAll(
  own: Leaving,
  starts: readonly Start[],
  rate: number,
  most: number,
): { start: Start; id: string | Refusal }[] {
  const open = jobs(own);
  let room = most - open.size;
  return starts.flatMap((start) => {
    if (room <= 0 || open.has(outpointKey(start.candidate.coin))) return [];
    const id = begin(own, start, rate);
    if (typeof id === 'string') room--;
    return [{ start, id }];
  });
}

export type UnilateralExits = ReturnType<typeof createUnilateralExits>;
