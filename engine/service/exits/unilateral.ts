import type { WalletExit } from '../../contract/owner/wallets.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../../domain/outpoint.ts';
import { seconds, spanInWords, unix, type Seconds, type Unix } from '../../domain/time.ts';
import { mustExit } from '../../legs/arkade/exit-rule.ts';
import type { RescueSwap } from '../../legs/rescue.ts';
import type { Ceilings } from '../../quote/ceilings.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { declinedIn, deniedIn } from '../../swap/halves/extra-coins.ts';
import { awayFor, untakenFor } from './absence.ts';
import { createExitJobs, type ExitBegun, type ExitCandidate, type ExitJobs } from './jobs.ts';
import { namedCoins } from './named-coins.ts';
import { createRenewedCoins, type RenewedCoins } from './renewed-coins.ts';
import { mostUnderway } from './places.ts';
import type { Networks } from '../networks/networks.ts';

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
      const now = unix(Math.max(clock.now().wall, clock.now().bitcoin.mtp ?? 0));
      const ofSwaps = swapCoins(own, now);
      const untaken = untakenFor(
        own,
        ofSwaps.filter(({ isDue }) => isDue).map(({ coin }) => coin),
      );
      const ofWallet = away === null && renewed.isEmpty() ? [] : walletCoins(own);
      const leaving = [...ofSwaps, ...ofWallet].filter((candidate) => {
        const { distrusted, unfinishedRefundSince, unmined } = candidate;
        const awayFor = unservedFor(away, untaken(candidate.coin));
        if (awayFor === null && !distrusted && unfinishedRefundSince === undefined && unmined !== true) return false;
        const path = store.exits.path(candidate.coin);
        const transactions = path?.transactions.length ?? 0;
        return path !== null && mustExit({ ...candidate, awayFor, transactions, now });
      });
      for (const whose of ['swap', 'wallet'] as const)
        tell(own, (await jobs.beginFirst(whose, leaving)).begun, (one) =>
          whyNow(one, away, untaken(one.start.candidate.coin)),
        );
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

/** The longer of the two: what did not let us take the coin is as good as away. */
function unservedFor(away: Seconds | null, untaken: Seconds | null): Seconds | null {
  return away === null || untaken === null ? (away ?? untaken) : seconds(Math.max(away, untaken));
}

/**
 * What a swap of our own takes of its VHTLC; undefined where it takes nothing yet. One whose secret never left is given
 * up once it lies on the chain (facts/faults.md 103).
 */
function takingOf(own: RescueSwap): 'claim' | 'refund' | undefined {
  return own.shown && own.claim?.on === 'arkade' ? 'claim' : own.refund?.on === 'arkade' ? 'refund' : undefined;
}

/** `isDue`: it is ours to take now, and its operator keeps it from us as long as it is. */
interface SwapCoin extends ExitCandidate {
  readonly isDue: boolean;
}

/** Coins of swaps that we are about to take, or that the operator denies us. */
function swapCoins({ runtime, store, distrusted }: Leaving, now: Unix): SwapCoin[] {
  const candidates: SwapCoin[] = [];
  const purposes = new Map<string, 'claim' | 'refund'>();
  for (const { subject, effect } of store.effects.waiting(() => undefined)) {
    if (effect.do === 'vhtlc.claim') purposes.set(subject, 'claim');
    else if (effect.do === 'vhtlc.refund') purposes.set(subject, 'refund');
    else if (effect.do === 'vhtlc.submit' || effect.do === 'vhtlc.finalize' || effect.do === 'vhtlc.settle') {
      if (effect.purpose !== 'lock') purposes.set(subject, effect.purpose);
    }
  }
  for (const { row, machine } of runtime.workingSet.all()) {
    const denied = deniedIn(row.progress);
    const declined = declinedIn(row.progress);
    // One that waits for another look at a coin which its operator called spent, or for a coin to come to the chain: an
    // operator that is away shows none, and what it said was there may have to be brought.
    const waits = 'halted' in row.progress || 'exit' in row.progress || denied.length > 0;
    const isDeclined = declined.length > 0 && !waits && !purposes.has(row.id) && !distrusted.has(row.id);
    if (!purposes.has(row.id) && !waits && !isDeclined && !distrusted.has(row.id)) continue;
    const own = machine.rescue?.(row.terms, row.progress) ?? null;
    const taking = own === null ? undefined : takingOf(own);
    if (own !== null && taking === undefined) continue;
    const purpose = purposes.get(row.id) ?? (waits || isDeclined ? taking : undefined);
    if (purpose === undefined && !distrusted.has(row.id)) continue;
    if (isDeclined && purpose !== 'refund') continue;
    const watches = machine.watches(row.terms, row.progress);
    for (const watch of watches) {
      if (watch.on !== 'vhtlc') continue;
      const named = [...namedCoins(row.progress, watches, watch.script), ...denied, ...declined];
      const isNamed = ({ outpoint }: { readonly outpoint: Outpoint }): boolean =>
        named.some((one) => sameOutpoint(one, outpoint));
      const coins = store.exits.at(watch.script);
      // The coin that a swap names may lie on another network, as the client's does where the lock here is ours.
      const isNoneNamed = !coins.some(isNamed);
      const { refundLocktime, claimDelay, refundWithoutReceiverDelay } = watch.terms;
      for (const coin of coins) {
        const { outpoint } = coin;
        // Before its locktime the other side signs a refund too, and may decline.
        if (isDeclined && (now < refundLocktime || !declined.some((one) => sameOutpoint(one, outpoint)))) continue;
        const expiresAt = store.exits.expiresAt(outpoint) ?? refundLocktime;
        const isOfSwap = isNoneNamed || isNamed(coin);
        candidates.push({
          coin: outpoint,
          swap: row.id,
          // What lies beside the coin that the swap goes by, anybody may have sent.
          whose: isOfSwap ? 'swap' : 'wallet',
          // Of one that expired a batch decides, and one on the chain waits for its delay.
          isDue: purpose !== undefined && isOfSwap && now < expiresAt && !('exit' in row.progress),
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
function whyNow({ start }: ExitBegun, away: Seconds | null, untaken: Seconds | null): string {
  const { distrusted, unfinishedRefundSince, unmined } = start.candidate;
  if (unmined === true) return 'no block has the batch of the Arkade operator that took it, and its time runs out';
  if (!distrusted && unfinishedRefundSince !== undefined)
    return 'the Arkade operator holds a refund of it that the provider does not make final';
  if (distrusted || (away ?? untaken) === null)
    return 'the Arkade operator reports a spend that fits none of its leaves';
  return untaken !== null && untaken > (away ?? 0)
    ? `the Arkade operator has not let us take it for ${spanInWords(untaken)}`
    : `the Arkade operator has not answered for ${spanInWords(away ?? seconds(0))}`;
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
