import type { WalletExit } from '../../contract/owner/wallets.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../../domain/outpoint.ts';
import { seconds, spanInWords, unix, type Seconds } from '../../domain/time.ts';
import { mustExit } from '../../legs/arkade/exit-rule.ts';
import type { RescueSwap } from '../../legs/rescue.ts';
import type { Ceilings } from '../../quote/ceilings.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { deniedIn } from '../../swap/halves/extra-coins.ts';
import { createExitJobs, type ExitBegun, type ExitCandidate, type ExitJobs } from './jobs.ts';
import { namedCoins } from './named-coins.ts';
import { createRenewedCoins, type RenewedCoins } from './renewed-coins.ts';
import { mostUnderway } from './places.ts';
import type { Networks } from '../networks/networks.ts';

/** Between two looks no more than this counts as seen: a machine that slept saw nothing. */
const longestGap = 600;
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
  readonly jobs: ExitJobs;
  readonly distrusted: Set<string>;
  readonly renewed: RenewedCoins;
  readonly alerted: Set<string>;
}

/** Begins to bring coins of ours to the chain when their operator is gone, and not before (facts/arkade.md 49). */
export function createUnilateralExits(options: LeavingOptions) {
  const { runtime } = options;
  const { store, ports, clock } = runtime;
  const distrusted = new Set<string>();
  const jobs = createExitJobs(options);
  const renewed = createRenewedCoins(runtime);
  const own: Leaving = { options, runtime, store, clock, jobs, distrusted, renewed, alerted: new Set() };

  runtime.commits.onCommit((committed) => {
    if (committed.distrusted) distrusted.add(committed.entry.row.id);
  });

  return {
    async look(): Promise<void> {
      const { bitcoin } = ports;
      const away = awayFor(own);
      if (bitcoin === null) return;
      await renewed.look(bitcoin);
      if (away === null && distrusted.size === 0 && renewed.isEmpty() && !strandsAny(own)) return;
      const now = unix(Math.max(clock.now().wall, clock.now().bitcoin.mtp ?? 0));
      const leaving = [...swapCoins(own), ...walletCoins(own)].filter((candidate) => {
        const { distrusted, unfinishedRefundSince, unmined } = candidate;
        if (away === null && !distrusted && unfinishedRefundSince === undefined && unmined !== true) return false;
        const path = store.exits.path(candidate.coin);
        const transactions = path?.transactions.length ?? 0;
        return path !== null && mustExit({ ...candidate, awayFor: away, transactions, now });
      });
      for (const whose of ['swap', 'wallet'] as const)
        tell(own, (await jobs.beginFirst(whose, leaving)).begun, (one) => whyNow(one, away));
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
          'No coin of the Arkade wallet can leave: it has none, or their exit transactions were not saved ' +
            'yet. Wait a minute, and see in the alerts what the operator withholds.',
        );
      const begun: WalletExit['jobs'] = [];
      let refusal: Refusal | null = null;
      const outcome = await jobs.beginFirst('wallet', candidates);
      tell(own, outcome.begun, () => 'you asked for it');
      for (const one of outcome.begun) {
        const { candidate, path } = one.start;
        if (isRefusal(one.id)) refusal = one.id;
        else begun.push({ id: one.id, coin: outpointKey(candidate.coin), amount: Number(path.amount) });
      }
      if (begun.length > 0) return { jobs: begun };
      if (refusal !== null) return refusal;
      if (outcome.inTurn.length > 0)
        return refuse(
          'forbidden',
          `${mostUnderway} coins of the Arkade wallet are on their way to the chain, and no more at once: the next ones ` +
            'can leave once some of these are there.',
        );
      return refuse('forbidden', 'Every coin of the Arkade wallet is on its way to the chain already.');
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
 * What a swap of our own takes of its VHTLC; undefined where it takes nothing yet. One whose secret never left is given
 * up once it lies on the chain (facts/faults.md 103).
 */
function takingOf(own: RescueSwap): 'claim' | 'refund' | undefined {
  return own.shown && own.claim?.on === 'arkade' ? 'claim' : own.refund?.on === 'arkade' ? 'refund' : undefined;
}

/** A swap has a coin that its operator calls spent, and that is not gone. */
function strandsAny({ runtime: { workingSet } }: Leaving): boolean {
  for (const { row } of workingSet.all()) if (deniedIn(row.progress).length > 0) return true;
  return false;
}

/** Coins of swaps that we are about to take, or that the operator denies us. */
function swapCoins({ runtime, store, distrusted }: Leaving): ExitCandidate[] {
  const candidates: ExitCandidate[] = [];
  const purposes = new Map<string, 'claim' | 'refund'>();
  for (const { subject, effect } of store.effects.waiting(() => undefined)) {
    if (effect.do === 'vhtlc.claim') purposes.set(subject, 'claim');
    else if (effect.do === 'vhtlc.refund') purposes.set(subject, 'refund');
    else if (effect.do === 'vhtlc.submit' || effect.do === 'vhtlc.finalize' || effect.do === 'vhtlc.settle') {
      if (effect.purpose !== 'lock') purposes.set(subject, effect.purpose);
    }
  }
  for (const { row, machine } of runtime.workingSet.all()) {
    const own = machine.rescue?.(row.terms, row.progress) ?? null;
    const taking = own === null ? undefined : takingOf(own);
    if (own !== null && taking === undefined) continue;
    const denied = deniedIn(row.progress);
    // One that waits for another look at a coin which its operator called spent, or for a coin to come to the chain: an
    // operator that is away shows none, and what it said was there may have to be brought.
    const waits = 'halted' in row.progress || 'exit' in row.progress || denied.length > 0;
    const purpose = purposes.get(row.id) ?? (waits ? taking : undefined);
    if (purpose === undefined && !distrusted.has(row.id)) continue;
    const watches = machine.watches(row.terms, row.progress);
    for (const watch of watches) {
      if (watch.on !== 'vhtlc') continue;
      const named = [...namedCoins(row.progress, watches, watch.script), ...denied];
      const isNamed = ({ outpoint }: { readonly outpoint: Outpoint }): boolean =>
        named.some((one) => sameOutpoint(one, outpoint));
      const coins = store.exits.at(watch.script);
      // The coin that a swap names may lie on another network, as the client's does where the lock here is ours.
      const isNoneNamed = !coins.some(isNamed);
      const { refundLocktime, claimDelay, refundWithoutReceiverDelay } = watch.terms;
      for (const coin of coins) {
        const { outpoint } = coin;
        const expiresAt = store.exits.expiresAt(outpoint) ?? refundLocktime;
        candidates.push({
          coin: outpoint,
          swap: row.id,
          // What lies beside the coin that the swap goes by, anybody may have sent.
          whose: isNoneNamed || isNamed(coin) ? 'swap' : 'wallet',
          distrusted: distrusted.has(row.id),
          ...(purpose === 'refund' && denied.some((one) => sameOutpoint(one, outpoint))
            ? { unfinishedRefundSince: refundLocktime }
            : {}),
          delay: purpose === 'refund' ? refundWithoutReceiverDelay : claimDelay,
          deadline: purpose === 'refund' ? expiresAt : unix(Math.min(refundLocktime, expiresAt)),
        });
      }
    }
  }
  return candidates;
}

function walletCoins({ store, renewed }: Leaving): ExitCandidate[] {
  const mayLeave = renewed.mayLeave();
  return store.ownCoins.all().flatMap(({ outpoint, exitDelay, unrolled }) => {
    const unmined = mayLeave.get(outpointKey(outpoint));
    if (unrolled || unmined === false || !store.exits.has(outpoint)) return [];
    return [
      {
        coin: outpoint,
        swap: null,
        whose: 'wallet' as const,
        distrusted: false,
        ...(unmined === true ? { unmined } : {}),
        delay: seconds(exitDelay < 512 ? exitDelay * 600 : exitDelay),
        deadline: store.exits.expiresAt(outpoint) ?? unix(0xffff_ffff),
      },
    ];
  });
}

/** Told once for each coin and reason. */
function tellOnce({ runtime, alerted }: Leaving, swap: string | null, coin: Outpoint, sentence: string): void {
  const key = `${outpointKey(coin)} ${sentence.slice(0, 24)}`;
  if (alerted.has(key)) return;
  alerted.add(key);
  runtime.alert(swap, sentence);
}

/** What was seen of the operator, for which the coin leaves without it. */
function whyNow({ start }: ExitBegun, away: Seconds | null): string {
  const { distrusted, unfinishedRefundSince, unmined } = start.candidate;
  if (unmined === true) return 'no block has the batch of the Arkade operator that took it, and its time runs out';
  if (!distrusted && unfinishedRefundSince !== undefined)
    return 'the Arkade operator holds a refund of it that the provider does not make final';
  return distrusted || away === null
    ? 'the Arkade operator reports a spend that fits none of its leaves'
    : `the Arkade operator has not answered for ${spanInWords(away)}`;
}

/**
 * What became of them, for their owner. Of coins of the wallet that are not begun the first alone is named: a stranger
 * may have sent any number of small ones (facts/faults.md 315).
 */
function tell(own: Leaving, begun: readonly ExitBegun[], why: (one: ExitBegun) => string): void {
  let isNamed = false;
  for (const one of begun) {
    const { candidate, path } = one.start;
    const { coin, swap, whose } = candidate;
    const sentence = `Coin ${outpointKey(coin)} of ${path.amount} sats is brought to the chain now: ${why(one)}.`;
    if (!isRefusal(one.id)) tellOnce(own, swap, coin, sentence);
    else if (whose === 'swap' || !isNamed) tellOnce(own, swap, coin, one.id.sentence);
    isNamed ||= isRefusal(one.id) && whose === 'wallet';
  }
}

export type UnilateralExits = ReturnType<typeof createUnilateralExits>;
