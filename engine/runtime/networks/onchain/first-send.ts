import type { OnlyIf } from '../../../legs/only-if.ts';
import type { ChainSpend } from '../../../legs/onchain/port.ts';
import { NotYet } from '../../not-yet.ts';
import { tooLate } from '../late.ts';
import { refundInDoubt } from '../refund-in-doubt.ts';
import { judgedOnceNoted } from '../shown-first.ts';
import type { EffectOf } from '../act.ts';
import { takeCoinBack } from './cancel.ts';
import type { OnchainContext } from './context.ts';
import { pendingTx } from './cpfp.ts';
import { wasAsked } from './fence.ts';
import { isOurs } from './transactions.ts';

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
  const { leg, txid, spends: coin } = effect;
  const isFirst = store.transactions.byId(txid)?.state === 'prepared' && !store.intents.has('payment', row.subject);
  const cancel = isFirst ? null : pendingTx(row, 'cancel', store);
  if (spend !== null && (spend.txid === txid || (!isFirst && cancel === null && isOurs(spend, context)))) return true;
  if (cancel === null) {
    const reason =
      refundInDoubt(store, row.subject) ?? (await context.judge.forbidden(onlyIf, 0, async () => !isFirst));
    if (reason === null) {
      store.intents.note('payment', row.subject, null);
      store.transactions.accepted(txid, bytes, clock.now().wall);
      return true;
    }
    if (isFirst) {
      answer(
        { is: 'onchain.refused', leg, txid, coin, why: 'late', reason },
        { always: (open, now) => open.transactions.close(txid, 'dead', now) },
      );
      return false;
    }
  }
  await takeCoinBack(effect, context);
  throw new NotYet(null, 'it came too late and may have been sent: its coin is being taken back', true);
}

/**
 * Judges what must hold before a claim shows its secret for the first time, and notes that it does, in the rescue
 * bundle as well: from then on it counts as shown, for nobody could tell later, and nothing stops it any more. False
 * once it was answered that it came too late, and the secret is still ours.
 */
export async function mayBeShown(
  { leg, txid, spends: coin }: Conditional,
  onlyIf: OnlyIf,
  { bytes, spend }: { bytes: Uint8Array; spend: ChainSpend | null },
  context: OnchainContext,
): Promise<boolean> {
  const { store, clock, answer, row, judge, bundled } = context;
  const { intents } = store;
  if (store.transactions.byId(txid)?.state !== 'prepared') return true;
  const note = (): void => intents.note('payment', row.subject, null);
  // Whoever sees it in a mempool has read it, and so has a provider that was asked to sign with us: a life of this node
  // that the database forgot sent it.
  const isOut = spend?.txid === txid || intents.has('payment', row.subject) || wasAsked(store.partials, coin, 'claim');
  const look = (): Promise<string | null> => judge.forbidden(onlyIf, 0);
  const drop = (): void => intents.drop('payment', row.subject);
  const reason = isOut ? null : ((await look()) ?? (await judgedOnceNoted(look, { make: note, drop, bundled })));
  if (reason === null) {
    if (isOut) note();
    store.transactions.accepted(txid, bytes, clock.now().wall);
    return true;
  }
  answer(
    { is: 'onchain.refused', leg, txid, coin, why: 'late', reason },
    { always: (open, now) => open.transactions.close(txid, 'dead', now) },
  );
  return false;
}

/**
 * Why a claim that shows our secret is not made any more, by the clocks alone: a chain that says nothing must not keep
 * what was given for its coin (facts/faults.md 183). Null where it is made, or its secret may be out.
 */
export function tooLateToClaim(
  { onlyIf, coin }: EffectOf<'htlc.spend'>,
  { store, row, clock }: OnchainContext,
): string | null {
  if (onlyIf === undefined || wasAsked(store.partials, coin, 'claim') || store.intents.has('payment', row.subject))
    return null;
  const isOut = store.transactions
    .of(row.subject, 'bitcoin')
    .some(({ purpose, state }) => purpose === 'claim' && (state === 'accepted' || state === 'final'));
  return isOut ? null : tooLate(onlyIf, clock.now());
}
