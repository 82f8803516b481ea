import { greater, less, noSats, type Sats } from '../domain/money.ts';
import { outpointKey, type Outpoint } from '../domain/outpoint.ts';
import { unix, type Unix } from '../domain/time.ts';
import { anchorOf, exitChildSize } from '../legs/arkade/exit-child.ts';
import { exitPathFailure, type ExitPath } from '../legs/arkade/exit-path.ts';
import { exitsFrom, exitCosts, mustExit, type ExitFacts } from '../legs/arkade/exit-rule.ts';
import type { Tx } from '../legs/psbt.ts';
import { outpointsOf, outputAt, type RawTransaction, readRawTx } from '../legs/raw-tx.ts';
import { claimCeiling, type ClaimCeilings } from '../quote/ceilings.ts';
import { nextOnWay, rivalOf, type NextOnWay } from '../runtime/networks/arkade/way.ts';
import { believedRate } from '../runtime/networks/onchain/fee-rate.ts';
import { urgencyOf, worthRaising } from '../runtime/networks/onchain/fee-urgency.ts';
import { paidBy, slowBlock, takenBy } from '../runtime/networks/onchain/transactions.ts';
import { bitcoinOf, bitcoinWalletOf, type Ports } from '../runtime/ports.ts';
import { attempt, moment, type Done } from './leg.ts';
import { operatorTrouble, type Troubles } from './troubles.ts';
import type { WayBook, WayCoin } from './ways.ts';

export interface LeaverOptions {
  readonly ports: Ports;
  readonly ways: WayBook;
  readonly troubles: Troubles;
  readonly ceilings: ClaimCeilings;
  /** The owner says that an operator that does not answer never will again: nothing is waited for. */
  readonly operatorGone: boolean;
}

/** What speaks for a coin to leave. */
export interface Leaving extends Pick<ExitFacts, 'whose' | 'delay' | 'deadline'> {
  /** It leaves whether or not its operator serves: that one denies it, or its owner wants it. */
  readonly haste: boolean;
}

/** The next transaction of a way. */
interface Ready {
  readonly path: ExitPath;
  readonly next: NextOnWay;
  readonly mostFee: Sats;
  readonly deadline: Unix;
}

export interface Leaver {
  /** Looks what brings a coin one block nearer to the chain, if its operator is to be left. */
  leave(coin: WayCoin, facts: Leaving): Promise<Done>;
  /** Sends that for all of them, the earliest deadline first. Run again and again they get there. */
  handOver(): Promise<readonly Done[]>;
}

/** What coins leave their operator with. */
interface Means {
  readonly ports: LeaverOptions['ports'];
  readonly troubles: LeaverOptions['troubles'];
  readonly operatorGone: LeaverOptions['operatorGone'];
  /** Coins of the Bitcoin wallet that pay already. */
  readonly promised: Outpoint[];
}

/**
 * Brings coins to the chain without their operator, with no memory of its own: which transaction is next, and whether
 * its child waits, the chain tells. The rule when to leave is the node's (`legs/arkade/exit-rule.ts`).
 */
export function createLeaver({ ports, ways, troubles, ceilings, operatorGone }: LeaverOptions): Leaver {
  const means: Means = { ports, troubles, operatorGone, promised: [] };

  /** By transaction, for coins share their ways; of those that do, what the most urgent says. */
  const ready = new Map<string, Ready>();

  return {
    async leave(coin, facts) {
      const bitcoin = bitcoinOf(ports);
      const { mtp: now, height } = await bitcoin.tip();
      const path = ways.path(coin);
      if (path === null) return { is: 'later', sentence: 'the bundle does not hold its way to the chain' };
      const stays = staysFor(means, coin, path, facts, now);
      if (stays !== null) return stays;
      const wrong = exitPathFailure(path, { mtp: now, height });
      if (wrong !== null)
        return { is: 'failed', sentence: `what was saved of its way to the chain does not hold (${wrong})` };
      const next = await nextOnWay(path, bitcoin);
      if (next === null) return { is: 'done', sentence: 'it lies on the chain' };
      const taker = await rivalOf(next.tx, bitcoin, height);
      if (taker !== null) return { is: 'failed', sentence: `${taker} spent on the chain what it hangs on` };
      const mostFee = claimCeiling(path.amount, ceilings, false);
      const rate = await believedRate(bitcoin, { ...urgencyOf(facts.deadline, now), doubtAbove: 0 });
      const costs = exitCosts(path, rate, next.index);
      if (costs > mostFee)
        return {
          is: 'later',
          sentence:
            `bringing it to the chain would cost about ${costs} sats now, and may cost ${mostFee} ` +
            '(ceilings.claimBps): it waits for lower fees',
        };
      const before = ready.get(next.tx.id);
      if (before === undefined || facts.deadline < before.deadline)
        ready.set(next.tx.id, { path, next, mostFee, deadline: facts.deadline });
      return {
        is: 'later',
        sentence: `${stepOf(path, next)} is ready, and goes with the others`,
        at: unix(now + slowBlock),
      };
    },

    async handOver() {
      if (ready.size === 0) return [];
      const { mtp: now } = await bitcoinOf(ports).tip();
      const inOrder = [...ready.values()].sort((a, b) => a.deadline - b.deadline);
      ready.clear();
      const first = await attempt(() => split(means, inOrder, now));
      const done: Done[] = first === null ? [] : [first];
      for (const one of inOrder) {
        const { is, sentence } = await attempt(() => handOver(means, one, now));
        done.push({ is, sentence: `${stepOf(one.path, one.next)}: ${sentence}` });
      }
      return done;
    },
  };
}

/** Why it stays with its operator for now, or null. */
function staysFor(
  { troubles, operatorGone }: Means,
  coin: WayCoin,
  path: ExitPath,
  facts: Leaving,
  now: Unix,
): Done | null {
  const away = troubles.lasts(operatorTrouble, now);
  const denied = troubles.lasts(outpointKey(coin.outpoint), now);
  const awayFor = away === null ? denied : denied !== null && denied > away ? denied : away;
  const { length: transactions } = path.transactions;
  if (mustExit({ ...facts, distrusted: facts.haste, awayFor, transactions, now })) return null;
  if (awayFor === null) return { is: 'later', sentence: 'the operator has it, and serves' };
  if (operatorGone && away !== null) return null;
  const since = unix(now - awayFor);
  const at = exitsFrom({ ...facts, transactions }, since);
  return {
    is: 'later',
    at,
    sentence:
      `the Arkade operator has not served since ${moment(since)}, and may come back: without it the coin goes to ` +
      `the chain from ${moment(at)} on, or now with --operator-gone`,
  };
}

async function costOf(
  { ports }: Means,
  child: RawTransaction,
  parent: Tx,
): Promise<{ readonly fee: Sats; readonly rate: number }> {
  const bitcoin = bitcoinOf(ports);
  const taken = await takenBy(bitcoin, child.txid);
  const fee = taken === null ? noSats : less(taken, await paidBy(bitcoin, child.txid));
  // Not by `vsize`: the witness of an anchor is empty.
  const size = exitChildSize(child.inputs.length - 1, outputAt(child, 0)?.script ?? new Uint8Array());
  return { fee, rate: Number(fee) / (parent.vsize + size) };
}

/** What pays for it already, if anything does. */
async function standingChild(
  means: Means,
  { tx }: NextOnWay,
): Promise<{ readonly tx: RawTransaction; readonly fee: Sats; readonly rate: number } | null> {
  const { ports } = means;
  const anchor = anchorOf(tx);
  const spend = anchor === null ? null : await bitcoinOf(ports).spend(anchor);
  const bytes = spend === null ? null : ((await bitcoinOf(ports).transaction(spend.txid))?.bytes ?? null);
  const standing = bytes === null ? null : readRawTx(bytes);
  return standing === null ? null : { tx: standing, ...(await costOf(means, standing, tx)) };
}

/** A coin is split first where more are ready than there are coins that pay; null where none is. */
async function split(means: Means, inOrder: readonly Ready[], now: Unix): Promise<Done | null> {
  const { ports, promised } = means;
  const unpaid: Ready[] = [];
  for (const one of inOrder) if ((await standingChild(means, one.next)) === null) unpaid.push(one);
  const [first] = unpaid;
  if (first === undefined) return null;
  const bitcoin = bitcoinOf(ports);
  const rate = await believedRate(bitcoin, { ...urgencyOf(first.deadline, now), doubtAbove: 0 });
  const costs = unpaid.map(({ path, next }) => exitCosts(path, rate, next.index));
  const made = await bitcoinWalletOf(ports).prepareFeeSplit({
    reserved: promised,
    ready: unpaid.length,
    cost: costs.reduce((most, one) => (one > most ? one : most)),
    rate,
    // Within what one of them may cost beside its own way.
    mostFee: unpaid.reduce<Sats>((most, { mostFee }, i) => greater(most, less(mostFee, costs[i] ?? mostFee)), noSats),
  });
  if (made === null) return null;
  const answer = await bitcoin.broadcast(made.bytes);
  if (answer.is !== 'accepted')
    return { is: 'later', sentence: `a coin of the Bitcoin wallet could not be split: ${answer.reason}` };
  promised.push(...made.coins);
  return {
    is: 'later',
    sentence:
      `a coin of the Bitcoin wallet is split into ${made.pieces} by ${made.txid} for ${made.fee} sats, so that ` +
      `each of ${unpaid.length} transactions finds one that pays for it, and waits for its block`,
  };
}

async function handOver(means: Means, { next, mostFee, deadline }: Ready, now: Unix): Promise<Done> {
  const { ports, promised } = means;
  const bitcoin = bitcoinOf(ports);
  const wallet = bitcoinWalletOf(ports);
  if (anchorOf(next.tx) === null)
    return { is: 'failed', sentence: `${next.tx.id} has no output by which its fee can be paid` };
  const { within, late } = urgencyOf(deadline, now);
  const standing = await standingChild(means, next);
  const rate = await believedRate(bitcoin, { within, late, doubtAbove: (standing?.rate ?? 0) * worthRaising });
  if (standing !== null && rate < standing.rate * worthRaising) return waits(next.tx);
  const made = await wallet.prepareAnchorChild({
    parent: next.bytes,
    reserved: promised,
    rate,
    mostFee,
    replaces: standing === null ? null : { coins: outpointsOf(standing.tx).slice(1), fee: standing.fee },
  });
  if (made === null && standing !== null) return waits(next.tx);
  if (made === null && (await wallet.balance(promised)).pending > 0n)
    return { is: 'later', sentence: `${next.tx.id} waits for coins of the Bitcoin wallet that wait for their block` };
  if (made === null)
    return {
      is: 'failed',
      sentence:
        `no child can pay for ${next.tx.id} at ${rate} sats per vbyte: send confirmed coins to the Bitcoin wallet ` +
        `of these words (${await wallet.address()}), or wait until fees fall`,
    };
  const { parent, child } = await bitcoin.broadcastPackage(next.bytes, made.bytes);
  if (child.is !== 'accepted') {
    const reason = [parent, child].flatMap((one) => ('reason' in one ? [one.reason] : []))[0] ?? child.is;
    return {
      is: 'later',
      sentence:
        `the Bitcoin node took none of the package with ${next.tx.id} (${reason}): one without package relay ` +
        'cannot; name one of Bitcoin Core 28 or newer, or an Esplora that takes packages',
    };
  }
  promised.push(...made.coins);
  return {
    is: 'later',
    sentence: `${next.tx.id} goes to the chain, paid by a child for ${made.fee} sats, and waits for its block`,
  };
}

function stepOf({ transactions }: ExitPath, { index }: NextOnWay): string {
  return `transaction ${index + 1} of ${transactions.length} on its way to the chain`;
}

function waits(tx: Tx): Done {
  return { is: 'later', sentence: `${tx.id} waits for its block` };
}
