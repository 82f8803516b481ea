import { btcOn } from '../../../domain/money.ts';
import type { OnlyIf } from '../../../legs/only-if.ts';
import type { ChainSpend } from '../../../legs/onchain/port.ts';
import { NotYet } from '../../not-yet.ts';
import { refundInDoubt } from '../refund-in-doubt.ts';
import { bitcoinOf, bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { OnchainContext } from './context.ts';
import { believedRate } from './fee-rate.ts';
import { noUrgency } from './fee-urgency.ts';
import { noteFee, rateText } from './note.ts';
import { pendingTx } from './cpfp.ts';
import { wasAsked } from './fence.ts';

type Conditional = EffectOf<'onchain.broadcast'>;

/**
 * Judges what must hold before a transaction is sent for the first time, and notes that it is: from then on it counts
 * as sent, for nobody could tell later, and so it does in a database that was restored. False once it was answered that
 * it came too late. One that may have been sent, that nobody shows, and that may not be sent any more has its coin
 * taken back, and only when that is buried it can never be mined (facts/faults.md 5).
 */
export async function mayBeSent(
  effect: Conditional,
  onlyIf: OnlyIf,
  { bytes, spend }: { bytes: Uint8Array; spend: ChainSpend | null },
  context: OnchainContext,
): Promise<boolean> {
  const { store, clock, answer, row } = context;
  const { leg, txid } = effect;
  const isFirst = store.transactions.byId(txid)?.state === 'prepared' && !store.intents.has('payment', row.subject);
  const cancel = isFirst ? null : pendingTx(row, 'cancel', store);
  if (spend?.txid === txid || (!isFirst && spend !== null && cancel === null)) return true;
  if (cancel === null) {
    const reason = refundInDoubt(store, row.subject) ?? (await context.judge.forbidden(onlyIf, 0));
    if (reason === null) {
      store.intents.note('payment', row.subject, null);
      store.transactions.accepted(txid, bytes, clock.now().wall);
      return true;
    }
    if (isFirst) {
      answer(
        { is: 'onchain.refused', leg, txid, why: 'late', reason },
        { always: (open, now) => open.transactions.close(txid, 'dead', now) },
      );
      return false;
    }
  }
  await bitcoinOf(context.ports).broadcast(cancel?.bytes ?? (await prepareCancel(effect, context)));
  throw new NotYet(null, 'it came too late and may have been sent: its coin is being taken back', true);
}

/**
 * Judges what must hold before a claim shows its secret for the first time, and notes that it does: from then on it
 * counts as shown, for nobody could tell later, and nothing stops it any more. False once it was answered that it came
 * too late, and the secret is still ours.
 */
export async function mayBeShown(
  { leg, txid, spends }: Conditional,
  onlyIf: OnlyIf,
  { bytes, spend }: { bytes: Uint8Array; spend: ChainSpend | null },
  context: OnchainContext,
): Promise<boolean> {
  const { store, clock, answer } = context;
  if (store.transactions.byId(txid)?.state !== 'prepared') return true;
  // Whoever sees it in a mempool has read it, and so has a provider that was asked to sign with us: a life of this node
  // that the database forgot sent it.
  const isOut = spend?.txid === txid || wasAsked(store.partials, spends, 'claim');
  const reason = isOut ? null : await context.judge.forbidden(onlyIf, 0);
  if (reason === null) {
    store.transactions.accepted(txid, bytes, clock.now().wall);
    return true;
  }
  answer(
    { is: 'onchain.refused', leg, txid, why: 'late', reason },
    { always: (open, now) => open.transactions.close(txid, 'dead', now) },
  );
  return false;
}

async function prepareCancel({ txid, spends }: Conditional, context: OnchainContext): Promise<Uint8Array> {
  const { ports, store, row, clock } = context;
  const { within } = noUrgency;
  const rate = await believedRate(bitcoinOf(ports), { within, doubtAbove: 0, late: false });
  const made = await bitcoinWalletOf(ports).prepareCancel(spends, rate);
  if (made === null) throw new NotYet(null, 'it came too late, and its coin cannot be taken back now', true);
  const note = noteFee(context, `funding came too late: its coin is taken back at ${rateText(made.rate)}`);
  const time = clock.now().wall;
  store.atomically(() => {
    store.transactions.insert(
      {
        ...btcOn('bitcoin'),
        txid: made.txid,
        subject: row.subject,
        leg: 'bitcoin',
        purpose: 'cancel',
        bytes: made.bytes,
        inputs: [],
        replaces: txid,
      },
      time,
    );
    note(store, time);
  });
  return made.bytes;
}
