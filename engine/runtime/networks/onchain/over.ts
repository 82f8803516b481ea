import { btc, less, noSats, plus, type Sats } from '../../../domain/money.ts';
import type { Outpoint, Txid } from '../../../domain/outpoint.ts';
import type { ChainSpend } from '../../../legs/onchain/port.ts';
import type { EffectRow } from '../../../store/effects.ts';
import type { Store } from '../../../store/store.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { OnchainContext } from './context.ts';
import { ifKnown } from '../if-known.ts';
import { pendingTx } from './cpfp.ts';
import { changeOutput } from './makers.ts';
import { isOurs, paidBy, takenBy } from './transactions.ts';

/** What a funding consists of: the others of a subject live and die without it. */
const ofFunding: ReadonlySet<string> = new Set(['fund', 'push', 'cancel']);

/** What stands in its place is buried: one of ours, of which this one is a variant, or a stranger's. */
export async function over(
  effect: EffectOf<'onchain.broadcast'>,
  spend: ChainSpend,
  context: OnchainContext,
): Promise<void> {
  const { ports, store, row, answer } = context;
  const { leg, txid, spends: coin } = effect;
  const purpose = store.transactions.byId(txid)?.purpose ?? '';
  const bitcoin = bitcoinOf(ports);
  if (!isOurs(spend, context)) {
    answer(
      { is: 'onchain.refused', leg, txid, coin, why: 'spent', reason: 'another transaction spent a coin of it' },
      { always: (open, now) => closeAll(open, row, { purpose, stands: [] }, now) },
    );
    return;
  }
  // A payment made anew over other coins, and the one before it is what was mined: what that one took counts.
  const taken = spend.txid === txid ? effect.amount : ((await takenBy(bitcoin, spend.txid)) ?? effect.amount);
  const fee = less(taken, await paidBy(bitcoin, spend.txid));
  if (store.transactions.byId(spend.txid)?.purpose === 'cancel') {
    answer(
      {
        is: 'onchain.refused',
        leg,
        txid,
        coin,
        why: 'late',
        reason: 'its coins were taken back, for it came too late',
      },
      {
        always(open, now) {
          closeAll(open, row, { purpose, stands: [spend.txid] }, now);
          book(open, row.subject, fee, now);
        },
      },
    );
    return;
  }
  const child = effect.push === undefined ? null : await minedChild(effect.push.change.outpoint, context);
  answer(
    { is: 'onchain.final', leg, txid: spend.txid, coin, fee: plus(fee, child?.fee ?? noSats) },
    {
      always: (open, now) =>
        closeAll(
          open,
          row,
          { purpose, stands: [spend.txid, effect.spends.txid, ...(child === null ? [] : [child.txid])] },
          now,
        ),
    },
  );
}

/** Ends what can never be mined. */
export function unmade(
  { leg, txid, spends: coin }: EffectOf<'onchain.broadcast'>,
  { store, row, answer }: OnchainContext,
): void {
  const purpose = store.transactions.byId(txid)?.purpose ?? '';
  const reason = 'a coin of it was never made: another transaction stands in place of the one that was to make it';
  answer(
    { is: 'onchain.refused', leg, txid, coin, why: 'spent', reason },
    { always: (open, now) => closeAll(open, row, { purpose, stands: [] }, now) },
  );
}

/** The client's claim of a coin that we funded is buried, and our funding with it. */
export async function fundingIsOver(coin: Outpoint, context: OnchainContext): Promise<void> {
  const { ports, store, row, answer } = context;
  const state = store.transactions.byId(coin.txid)?.state;
  if (state !== 'prepared' && state !== 'accepted') return;
  const bitcoin = bitcoinOf(ports);
  const taken = await takenBy(bitcoin, coin.txid);
  const fee = taken === null ? noSats : less(taken, await paidBy(bitcoin, coin.txid));
  const child = await minedChild({ txid: coin.txid, vout: changeOutput }, context);
  const stands = [coin.txid, ...(child === null ? [] : [child.txid])];
  answer(
    { is: 'onchain.final', leg: 'bitcoin', txid: coin.txid, fee: plus(fee, child?.fee ?? noSats) },
    { always: (open, now) => closeAll(open, row, { purpose: 'fund', stands }, now) },
  );
}

/**
 * The child that paid for a funding, and what it paid: it costs us as much in a later block, and so that one is waited
 * for.
 */
async function minedChild(change: Outpoint, context: OnchainContext): Promise<{ txid: Txid; fee: Sats } | null> {
  const bitcoin = bitcoinOf(context.ports);
  const spend = await ifKnown(() => bitcoin.spend(change));
  if (spend === null) await sendCpfp(context);
  if (spend === null || !isOurs(spend, context)) return null;
  if (spend.height === null) throw new NotYet(null, 'it is buried, and what pushed it waits to be mined');
  const taken = await takenBy(bitcoin, spend.txid);
  return taken === null ? null : { txid: spend.txid, fee: less(taken, await paidBy(bitcoin, spend.txid)) };
}

/**
 * A reorganisation took the child alone, and another transaction of ours hangs on it: given up here it would never be
 * sent again (facts/faults.md 190).
 */
async function sendCpfp({ ports, store, row }: OnchainContext): Promise<void> {
  const child = pendingTx(row, 'push', store);
  if (child === null || store.transactions.spenders(child.txid).length === 0) return;
  await bitcoinOf(ports).broadcast(child.bytes);
  throw new NotYet(null, 'it is buried, and what pushed it is sent again for what hangs on that');
}

/** Some of the transactions of a leg stand; their rivals never will. */
function closeAll(
  store: Store,
  { subject, leg }: EffectRow,
  { purpose, stands }: { readonly purpose: string; readonly stands: readonly Txid[] },
  now: number,
): void {
  const rows = store.transactions.of(subject, leg);
  const funds = ofFunding.has(purpose) || rows.some((row) => row.purpose === 'fund' && stands.includes(row.txid));
  for (const row of rows) {
    if (row.state !== 'prepared' && row.state !== 'accepted') continue;
    if (stands.includes(row.txid)) store.transactions.close(row.txid, 'final', now);
    else if (ofFunding.has(row.purpose) ? funds : !ofFunding.has(purpose))
      store.transactions.close(row.txid, 'dead', now);
  }
}

/** A cost that no event of the swap tells of. */
function book(store: Store, subject: string, fee: Sats, now: number): void {
  store.ledger.write(subject, now, 'network-fee-paid', btc('bitcoin', -fee));
}
