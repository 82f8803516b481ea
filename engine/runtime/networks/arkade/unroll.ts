import { btcOn, less, noSats, sats, type Sats } from '../../../domain/money.ts';
import { sameOutpoint, type Outpoint } from '../../../domain/outpoint.ts';
import { hasPassed } from '../../../domain/time.ts';
import { anchorOf, exitChildSize } from '../../../legs/arkade/exit-child.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import type { Tx } from '../../../legs/psbt.ts';
import { outpointsOf, outputAt, readRawTx } from '../../../legs/raw-tx.ts';
import type { TransactionRow } from '../../../store/transactions.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf, bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { ArkadeContext } from './context.ts';
import { believedRate } from '../onchain/fee-rate.ts';
import { urgencyOf, worthRaising } from '../onchain/fee-urgency.ts';
import { isUnmade, makersOf, sendMakers } from '../onchain/makers.ts';
import { noteFee, rateText } from '../onchain/note.ts';
import { furthestMtp, tipNow } from '../onchain/transactions.ts';
import { ifKnown } from '../if-known.ts';
import { latestOf } from '../latest.ts';
import { carriesFunding, unlessTaken } from '../reserved.ts';
import { hasCoin, tend } from './fee-split.ts';
import { minedChildren, sumOf } from './exit-path-paid.ts';
import { nextOnExitPath, rivalOf, type NextOnExitPath } from './exit-path.ts';

/** A child of ours, and whose. */
interface Child extends TransactionRow {
  readonly bytes: Uint8Array;
  readonly coins: readonly Outpoint[];
}

/** It is handed over again this often while it waits, in attempts: whoever says that it waits may be wrong. */
const again = 5;

/**
 * Brings a coin to the chain by what was saved of its way there: one transaction after the other, each with a child
 * that pays for it, until the coin's own is mined. Each child is saved before it is sent, and all of it is found again
 * by what the chain shows, so that a stop at any moment costs nothing. It asks no operator anything.
 */
export async function unroll(effect: EffectOf<'arkade.unroll'>, context: ArkadeContext): Promise<void> {
  const { ports, store, row, answer } = context;
  const bitcoin = bitcoinOf(ports);
  const path = store.exits.path(effect.coin);
  if (path === null) return answer({ is: 'unroll.refused', reason: 'nothing is saved of its way to the chain' });
  const next = await nextOnExitPath(path, bitcoin);
  if (next === null) {
    // Its delay begins; what a reorganisation takes is sent again.
    store.ownCoins.unrolled(effect.coin);
    // Nothing of its own waits for a split any more, but what else spends a piece of one.
    await ifKnown(() => context.alone('bitcoin', () => tend(context)));
    await untilBuried(effect.coin, context);
    const mined = await minedChildren(row.subject, context);
    return answer(
      { is: 'unroll.done', fee: sumOf(mined) },
      {
        always(open, now) {
          for (const { txid, isBuried } of mined) if (isBuried) open.transactions.close(txid, 'final', now);
        },
      },
    );
  }
  const taker = await rivalOf(next.tx, bitcoin, (await tipNow(context))?.height ?? null);
  if (taker !== null) return answer({ is: 'unroll.refused', reason: `${taker} spent what it hangs on` });
  await context.alone('bitcoin', () => send(effect, next, context));
  throw new NotYet(
    null,
    `transaction ${next.index + 1} of ${path.transactions.length} that bring the coin to the chain waits to be mined`,
  );
}

/** A block alone may be replaced by one without it (facts/faults.md 209). */
async function untilBuried({ txid }: Outpoint, context: ArkadeContext): Promise<void> {
  const { height = null } = (await bitcoinOf(context.ports).transaction(txid)) ?? {};
  if (!buried(height, (await tipNow(context))?.height ?? null))
    throw new NotYet(null, 'the coin lies on the chain, and is not buried yet');
}

async function send(
  effect: EffectOf<'arkade.unroll'>,
  { tx, bytes }: NextOnExitPath,
  context: ArkadeContext,
): Promise<void> {
  const { ports, store, row, clock } = context;
  const anchor = anchorOf(tx);
  if (anchor === null) throw new Error(`${tx.id} has no anchor`);
  const children = childrenOf(anchor, context);
  const foreign = children.find(({ subject }) => subject !== row.subject);
  if (foreign !== undefined) throw new NotYet(null, 'another coin on the same way is being brought to the chain');
  if (children.length > 0) await ifKnown(() => tend(context));
  const standing = await standingOf(children, context);
  const child = (await dearer(effect, { tx, bytes, standing }, context)) ?? standing;
  if (child === null) throw new NotYet(null, 'no child pays for it yet');
  const waits = (await bitcoinOf(ports).transaction(child.txid)) !== null;
  if (waits && row.attempts % again !== again - 1) return;
  const answers = await bitcoinOf(ports).broadcastPackage(bytes, child.bytes);
  if (answers.child.is === 'accepted') return store.transactions.accepted(child.txid, child.bytes, clock.now().wall);
  const [reason] = [answers.parent, answers.child].flatMap((one) => ('reason' in one ? [one.reason] : []));
  throw new NotYet(
    null,
    `The Bitcoin node took none of the package that brings a coin of ours to the chain (${reason}): a node ` +
      'without package relay cannot; connect one of Bitcoin Core 28 or newer, or an Esplora that takes packages.',
    row.attempts >= again,
  );
}

/** Our children of an anchor that may still be mined. */
function childrenOf(anchor: Outpoint, { store }: ArkadeContext): Child[] {
  return store.transactions.onTheWay('unroll').flatMap((row) => {
    const bytes = store.transactions.bytes(row.txid);
    const tx = bytes === null ? null : readRawTx(bytes);
    if (bytes === null || tx === null) return [];
    const [first, ...coins] = outpointsOf(tx);
    return first !== undefined && sameOutpoint(first, anchor) ? [{ ...row, bytes, coins }] : [];
  });
}

/**
 * The last child. A reorganisation may take a coin that pays for it: what made that is sent again, and where it never
 * comes back the child is given up, and other coins pay (facts/faults.md 208).
 */
async function standingOf(children: readonly Child[], context: ArkadeContext): Promise<Child | null> {
  const { ports, store, clock } = context;
  const last = latestOf(children) ?? null;
  if (last === null || (await bitcoinOf(ports).transaction(last.txid)) !== null) return last;
  if (!(await isOver(last, context))) {
    await sendMakers(last.coins, context);
    return last;
  }
  const time = clock.now().wall;
  store.atomically(() => {
    for (const { txid } of children) store.transactions.close(txid, 'dead', time);
  });
  return null;
}

/** Whether a coin of it never comes back, for nobody sends again what was closed here, or waits for a block itself. */
async function isOver({ txid: child, coins }: Child, context: ArkadeContext): Promise<boolean> {
  const { ports, store } = context;
  for (const { txid } of coins) {
    const { state, purpose } = store.transactions.byId(txid) ?? {};
    const isClosed = state === 'final' || state === 'dead';
    const isSplit = purpose === 'split' && !carriesFunding(child, store);
    const there = isClosed || isSplit ? await bitcoinOf(ports).transaction(txid) : undefined;
    // A split without a block pays for nothing, and may have to pay more to be in one (facts/faults.md 220).
    if (there === null || (isSplit && there?.height === null)) return true;
  }
  return isUnmade(coins, (await tipNow(context))?.height ?? null, context);
}

/**
 * The first child, or one that pays more where the chain asks for more; saved, and sent nowhere. Null where the one
 * that stands is right.
 */
async function dearer(
  effect: EffectOf<'arkade.unroll'>,
  { tx, bytes, standing }: { tx: Tx; bytes: Uint8Array; standing: Child | null },
  context: ArkadeContext,
): Promise<Child | null> {
  const { ports, store, clock, row } = context;
  const bitcoin = bitcoinOf(ports);
  const now = furthestMtp(await tipNow(context), context) ?? 0;
  const { within, patience, late } = urgencyOf(effect.deadline, now);
  const before = standing === null ? null : await costOf(standing, tx, context);
  const rate = before === null ? 0 : before.rate;
  const wanted = await believedRate(bitcoin, { within, doubtAbove: rate * worthRaising, late });
  const waitsLong = standing !== null && hasPassed(patience.seconds, standing.createdAt, clock.now().wall);
  const isRight = wanted < rate * worthRaising && !waitsLong;
  if (standing !== null && (isRight || (!late && carriesFunding(standing.txid, store)))) return null;
  const spent = sumOf(await minedChildren(row.subject, context));
  const may = standing !== null || (await hasCoin(effect, { rate: wanted, spent }, context));
  const made = may
    ? await bitcoinWalletOf(ports).prepareAnchorChild({
        parent: bytes,
        reserved: store.transactions.reservedCoins(),
        rate: Math.max(wanted, waitsLong ? rate * worthRaising + 1 : 0),
        mostFee: less(effect.mostFee, spent),
        replaces: standing === null || before === null ? null : { coins: standing.coins, fee: before.fee },
      })
    : null;
  if (made === null) {
    if (standing !== null) return null;
    throw new NotYet(
      null,
      `The exit of a coin of ours waits: its fees may be ${effect.mostFee} sats, and ${spent} are ` +
        'paid. Have confirmed coins in the Bitcoin wallet, or wait until fees fall.',
      row.attempts >= again,
    );
  }
  const makers = await makersOf(
    made.coins.map((outpoint) => ({ outpoint })),
    context,
  );
  // A coin of the wallet that is on its way to the chain is for no lock any more.
  const isIt = (outpoint: Outpoint): boolean => sameOutpoint(outpoint, effect.coin);
  const own =
    store.ownCoins.all().some(({ outpoint }) => isIt(outpoint)) && !store.transactions.reservedCoins().some(isIt)
      ? [effect.coin]
      : [];
  const note = noteFee(
    context,
    `${tx.id} goes to the chain at ${rateText(made.rate)}, paid by a child for ${made.fee} sats`,
  );
  const time = clock.now().wall;
  const save = (): void => {
    store.transactions.insert(
      {
        ...btcOn('bitcoin'),
        txid: made.txid,
        subject: row.subject,
        leg: 'arkade',
        purpose: 'unroll',
        bytes: made.bytes,
        // A dearer one spends the same coins, which stay promised to the first.
        inputs: standing === null ? [...made.coins, ...own] : [],
        replaces: standing?.txid ?? null,
        makers,
      },
      time,
    );
    note(store, time);
  };
  unlessTaken(() => store.atomically(save), 'a coin that pays for it was promised to another payment');
  const saved = store.transactions.byId(made.txid);
  if (saved === null) throw new Error('a child that was saved is not there');
  return { ...saved, bytes: made.bytes, coins: made.coins };
}

async function costOf(child: Child, parent: Tx, context: ArkadeContext): Promise<{ fee: Sats; rate: number }> {
  const bitcoin = bitcoinOf(context.ports);
  const tx = readRawTx(child.bytes);
  let taken = 0n;
  for (const coin of child.coins) {
    const from = await bitcoin.transaction(coin.txid);
    const amount = from === null ? undefined : outputAt(readRawTx(from.bytes), coin.vout)?.amount;
    if (amount === undefined) throw new NotYet(null, 'a coin that pays for it cannot be read');
    taken += amount;
  }
  const fee = less(sats(taken), outputAt(tx, 0)?.amount ?? noSats);
  const size = parent.vsize + exitChildSize(child.coins.length, outputAt(tx, 0)?.script ?? new Uint8Array());
  return { fee, rate: Number(fee) / size };
}
