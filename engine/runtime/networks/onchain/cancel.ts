import { btcOn, less } from '../../../domain/money.ts';
import { hasPassed, unix } from '../../../domain/time.ts';
import type { BroadcastAnswer, ChainTip } from '../../../legs/onchain/port.ts';
import { outputAt, paidOut, readRawTx } from '../../../legs/raw-tx.ts';
import { spendBudget } from '../../../quote/ceilings.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf, bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import { ifKnown } from '../if-known.ts';
import type { OnchainContext } from './context.ts';
import { pendingTx, type PendingTx } from './cpfp.ts';
import { betterRate, worthRaising, type FeeUrgency } from './fee-urgency.ts';
import { noteFee, rateText } from './note.ts';
import { noteSpent } from './outlay.ts';
import { dueBy, furthestMtp, moment, tipNow, whoeverShows } from './transactions.ts';
import { wantedRate } from './wanted-rate.ts';

/*
 * A funding that came too late and may have been sent has its first coin taken back, so that it can never be mined.
 *
 * Loses money when wrong: a cancel that no block takes until the client has back what it gave. From then on the client
 * may have the funding mined with its claim (facts/faults.md 248), so that it costs, as a refund does, more and more of
 * what the funding holds.
 */

type Cancel = NonNullable<EffectOf<'onchain.broadcast'>['cancel']>;

/**
 * Sends the cancel that there is, and makes it, or one that pays more. Not where the funding shows after all: its
 * client may have built on it. While nobody says what spends the coin, none is made, and the one before is sent again.
 */
export async function takeCoinBack(effect: EffectOf<'onchain.broadcast'>, context: OnchainContext): Promise<void> {
  const bitcoin = bitcoinOf(context.ports);
  const look = await ifKnown(async () => ({ spend: await bitcoin.spend(effect.spends, whoeverShows) }));
  if (look?.spend?.txid === effect.txid) {
    context.taken.add(effect.txid);
    throw new NotYet(null, 'it came too late, and is out');
  }
  context.taken.forget(effect.txid);
  const tip = await tipNow(context);
  const before = pendingTx(context.row, 'cancel', context.store);
  const sent = before === null ? null : await bitcoin.broadcast(before.bytes);
  if (look === null && before !== null) return;
  if (look === null) throw new NotYet(null, 'it came too late, and whether it is out cannot be read', true);
  const made = await prepareCancel(effect, { tip, before, sent }, context);
  if (made !== null) await bitcoin.broadcast(made);
}

/** Null where the one before is right. */
async function prepareCancel(
  effect: EffectOf<'onchain.broadcast'>,
  { tip, before, sent }: { tip: ChainTip | null; before: PendingTx | null; sent: BroadcastAnswer | null },
  context: OnchainContext,
): Promise<Uint8Array | null> {
  const { ports, store, row, clock } = context;
  const { coin, holds, by } = effect.cancel ?? (await cancelOf(effect, context));
  const now = furthestMtp(tip, context) ?? unix(0);
  const due = moment(by, tip, context);
  const from = dueBy(effect, tip, context) ?? now;
  const { most: mostFee } = spendBudget(holds, context.ceilings(), { from, deadline: due, now });
  const paid = before === null ? null : feeOf(before, coin);
  const { rate: asks, urgency } = await wantedRate(bitcoinOf(ports), {
    deadline: due,
    now,
    doubtAbove: paid === null ? 0 : paid.rate * worthRaising,
  });
  let better = { rate: asks, reason: 'funding came too late' };
  if (before !== null && sent !== null && paid !== null) {
    const raised = betterRate({ rate: paid.rate, capped: paid.fee >= mostFee }, asks, {
      sent,
      waits: sent.is === 'accepted' && waitsLong(before, { tip, wall: clock.now().wall }, urgency),
      ownerAsks: false,
      late: urgency.late,
      mayRaise: false,
      rival: null,
    });
    if (raised === null || raised.rate <= paid.rate) return null;
    better = raised;
  }
  const made = await bitcoinWalletOf(ports).prepareCancel({ coin, rate: better.rate, mostFee });
  if (made === null) throw cannotBe();
  if (paid !== null && made.fee <= paid.fee) return null;
  const note = noteFee(
    context,
    `coin of the funding taken back at ${rateText(made.rate)} for ${made.fee} sats: ${better.reason}`,
  );
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
        replaces: before?.txid ?? effect.txid,
      },
      time,
    );
    note(store, time);
    noteSpent('fund', made.fee, context)(store, time);
  });
  return made.bytes;
}

/**
 * What an effect of an earlier version says nothing of. It may cost all of what the funding holds once that should have
 * been mined: when the client has back its own it does not say either.
 */
async function cancelOf(
  { txid, spends, deadline }: EffectOf<'onchain.broadcast'>,
  { ports, store: { transactions } }: OnchainContext,
): Promise<Cancel> {
  const funding = transactions.bytes(txid);
  const htlc = funding === null ? null : outputAt(readRawTx(funding), 0);
  const bitcoin = bitcoinOf(ports);
  const maker = transactions.maker(spends.txid) ?? (await bitcoin.transaction(spends.txid))?.bytes;
  const output = maker === undefined ? null : outputAt(readRawTx(maker), spends.vout);
  const coin = output === null ? null : await bitcoinWalletOf(ports).coinAt(spends, output);
  if (htlc === null || coin === null) throw cannotBe();
  return { coin, holds: htlc.amount, by: deadline ?? unix(0) };
}

const cannotBe = (): NotYet => new NotYet(null, 'it came too late, and its coin cannot be taken back now', true);

function feeOf({ bytes, txid }: PendingTx, { amount }: Cancel['coin']) {
  const tx = readRawTx(bytes);
  if (tx === null) throw new Error(`${txid} is no transaction`);
  const fee = less(amount, paidOut(tx));
  return { fee, rate: Number(fee) / tx.vsize };
}

/** A block came since it was made and left it out, after as much time as it is waited for. */
function waitsLong(
  { since }: PendingTx,
  { tip, wall }: { tip: ChainTip | null; wall: number },
  { patience }: FeeUrgency,
): boolean {
  return tip !== null && tip.time > since && hasPassed(patience.seconds, since, unix(wall));
}
