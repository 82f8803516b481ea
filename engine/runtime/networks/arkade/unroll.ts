import { btcOn, less, noSats, plus, sats, type Sats } from '../../../domain/money.ts';
import { sameOutpoint, type Outpoint, type Txid } from '../../../domain/outpoint.ts';
import { hasPassed } from '../../../domain/time.ts';
import { anchorOf, exitChildSize } from '../../../legs/arkade/exit-child.ts';
import type { Tx } from '../../../legs/psbt.ts';
import { outpointsOf, outputAt, readRawTx } from '../../../legs/raw-tx.ts';
import type { TransactionRow } from '../../../store/transactions.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf, bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { ArkadeContext } from './context.ts';
import { believedRate } from '../onchain/fee-rate.ts';
import { urgencyOf, worthRaising } from '../onchain/fee-urgency.ts';
import { noteFee, rateText } from '../onchain/note.ts';
import { furthestMtp, paidBy, takenBy, tipNow } from '../onchain/transactions.ts';
import { hasCoin } from './fee-split.ts';
import { nextOnWay, rivalOf, type NextOnWay } from './way.ts';

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
  const { ports, store, answer } = context;
  const bitcoin = bitcoinOf(ports);
  const path = store.exits.path(effect.coin);
  if (path === null) return answer({ is: 'unroll.refused', reason: 'nothing is saved of its way to the chain' });
  const next = await nextOnWay(path, bitcoin);
  if (next === null) {
    const mined = await minedChildren(context);
    return answer(
      { is: 'unroll.done', fee: sumOf(mined) },
      {
        always(open, now) {
          for (const { txid } of mined) open.transactions.close(txid, 'final', now);
          open.ownCoins.unrolled(effect.coin);
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

async function send(
  effect: EffectOf<'arkade.unroll'>,
  { tx, bytes }: NextOnWay,
  context: ArkadeContext,
): Promise<void> {
  const { ports, store, row, clock } = context;
  const anchor = anchorOf(tx);
  if (anchor === null) throw new Error(`${tx.id} has no anchor`);
  const children = childrenOf(anchor, context);
  const foreign = children.find(({ subject }) => subject !== row.subject);
  if (foreign !== undefined) throw new NotYet(null, 'another coin on the same way is being brought to the chain');
  const replaced = new Set(children.map(({ replaces }) => replaces));
  const standing = children.find(({ txid }) => !replaced.has(txid)) ?? null;
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
  if (standing !== null && wanted < rate * worthRaising && !waitsLong) return null;
  const spent = sumOf(await minedChildren(context));
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
      `Bringing a coin of ours to the chain waits for fees: it may cost ${effect.mostFee} sats, and ${spent} are ` +
        'paid. Have confirmed coins in the Bitcoin wallet, or wait until fees fall.',
      row.attempts >= again,
    );
  }
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
  store.atomically(() => {
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
      },
      time,
    );
    note(store, time);
  });
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

interface Paid {
  readonly txid: Txid;
  readonly fee: Sats;
}

function sumOf(of: readonly Paid[]): Sats {
  return of.reduce((sum, { fee }) => plus(sum, fee), noSats);
}

/** And of splits of a coin that paid for them. */
async function minedChildren({ ports, store, row }: ArkadeContext): Promise<Paid[]> {
  const bitcoin = bitcoinOf(ports);
  const mined: Paid[] = [];
  for (const { txid, purpose, state } of store.transactions.of(row.subject)) {
    if ((purpose !== 'unroll' && purpose !== 'split') || state === 'dead') continue;
    const there = await bitcoin.transaction(txid);
    if (there === null || there.height === null) continue;
    const taken = await takenBy(bitcoin, txid);
    mined.push({ txid, fee: taken === null ? noSats : less(taken, await paidBy(bitcoin, txid)) });
  }
  return mined;
}
