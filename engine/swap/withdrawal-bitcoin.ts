import type { Hash160 } from '../domain/hash.ts';
import { bpsDown, noSats, plus, sats, type Sats } from '../domain/money.ts';
import type { Outpoint, Txid } from '../domain/outpoint.ts';
import type { SavedSend } from '../legs/onchain/wallet-port.ts';
import { move, type Effect, type Event, type Machine, type Outcome } from './machine.ts';

/** A payment out of the Bitcoin wallet: to whom, and how much arrives there. */
export interface BitcoinWithdrawalTerms {
  readonly script: Uint8Array;
  readonly address: string;
  readonly amount: Sats;
}

interface OnItsWay {
  /** The last one prepared. It and those it replaces spend the same coins: only one of them can ever be mined. */
  readonly payment: SavedSend;
  readonly replaced: readonly SavedSend[];
  /** Of the tip when it was prepared. */
  readonly height: number;
}

export type BitcoinWithdrawalProgress =
  | { readonly at: 'choosing' }
  | ({ readonly at: 'sending' } & OnItsWay)
  /** A higher fee is being prepared, while what was sent may still be mined. */
  | ({ readonly at: 'raising' } & OnItsWay)
  | { readonly at: 'sent'; readonly txid: Txid }
  | { readonly at: 'failed'; readonly reason: string };

/**
 * The most that a fee is raised to without being asked, in sats: a fiftieth of the payment, and what a small one costs at
 * an ordinary rate. Beyond it the owner decides.
 */
function feeBudget(amount: Sats): Sats {
  return plus(bpsDown(amount, 200), sats(5_000));
}

/** Whatever the change holds: the owner asked for it. */
const noLimit = sats(BigInt(Number.MAX_SAFE_INTEGER));

/** Asks for coins, a fee and a signature; nothing is sent before the commit that saves them. */
export function bitcoinWithdrawalEffect({ script, amount }: BitcoinWithdrawalTerms): Effect {
  return { do: 'bitcoin.send', script, amount };
}

function spendsOf({ coins }: SavedSend): Outpoint {
  const [first] = coins;
  if (first === undefined) throw new RangeError('a payment spends at least one coin');
  return first.outpoint;
}

function broadcast({ payment, height }: OnItsWay, capped = payment.capped): Effect {
  const amount = payment.coins.reduce((sum, coin) => plus(sum, coin.amount), noSats);
  // No rate is worse than none: what can pay no other fee is never prepared again.
  return { do: 'chain.broadcast', txid: payment.txid, spends: spendsOf(payment), amount, rate: capped ? 0 : payment.rate, capped, since: height };
}

function sending({ payment, replaced, height }: OnItsWay, capped?: boolean): Outcome<BitcoinWithdrawalProgress> {
  const way = { payment, replaced: replaced.filter(({ txid }) => txid !== payment.txid), height };
  return move<BitcoinWithdrawalProgress>({ at: 'sending', ...way }, broadcast(way, capped));
}

function raise(t: BitcoinWithdrawalTerms, { payment, replaced, height }: OnItsWay, leastRate: number, mostFee: Sats): Outcome<BitcoinWithdrawalProgress> {
  const { coins, change, fee } = payment;
  return move<BitcoinWithdrawalProgress>({ at: 'raising', payment, replaced, height }, { do: 'bitcoin.bump', script: t.script, amount: t.amount, replaces: { coins, change, fee }, leastRate, mostFee });
}

/** What the chain says of a payment on its way, whatever is being prepared meanwhile. */
function onChain(t: BitcoinWithdrawalTerms, p: OnItsWay, event: Event): Outcome<BitcoinWithdrawalProgress> {
  if (event.is === 'chain.final') return move<BitcoinWithdrawalProgress>({ at: 'sent', txid: event.txid });
  if (event.is !== 'chain.refused') return 'stay';
  // Somebody else's spend of our coin is buried: none of ours can be mined any more, and other coins are chosen.
  if (event.why === 'spent') return move<BitcoinWithdrawalProgress>({ at: 'choosing' }, bitcoinWithdrawalEffect(t));
  const [before, ...replaced] = p.replaced;
  if (before === undefined) return move<BitcoinWithdrawalProgress>({ at: 'failed', reason: event.reason });
  return sending({ payment: before, replaced, height: p.height }, true);
}

function step(t: BitcoinWithdrawalTerms, p: BitcoinWithdrawalProgress, event: Event): Outcome<BitcoinWithdrawalProgress> {
  switch (p.at) {
    case 'choosing':
      if (event.is === 'send.prepared') return sending({ payment: event.payment, replaced: [], height: event.height });
      return event.is === 'send.refused' ? move<BitcoinWithdrawalProgress>({ at: 'failed', reason: event.reason }) : 'stay';
    case 'sending':
      if (event.is === 'chain.stuck' && event.txid === p.payment.txid) return raise(t, p, event.leastRate, feeBudget(t.amount));
      if (event.is === 'bump.requested' && p.payment.change !== null) {
        const step = raise(t, p, p.payment.rate * ownersRaise, noLimit);
        return step === 'stay' ? 'stay' : { ...step, interrupts: true };
      }
      return onChain(t, p, event);
    case 'raising':
      if (event.is === 'send.prepared') return sending({ payment: event.payment, replaced: [p.payment, ...p.replaced], height: event.height });
      if (event.is === 'send.refused') return sending(p, true);
      return onChain(t, p, event);
    default:
      return 'stay';
  }
}

/** The owner who asks for a higher fee gets at least this much of one. */
const ownersRaise = 1.5;

const noHash = new Uint8Array(20) as Hash160;
const over: ReadonlySet<BitcoinWithdrawalProgress['at']> = new Set(['sent', 'failed']);

/**
 * Sats from the Bitcoin wallet to an address, once: every transaction of it spends the same coins until somebody else's
 * spend of them is buried.
 */
export const bitcoinWithdrawal: Machine<BitcoinWithdrawalTerms, BitcoinWithdrawalProgress> = {
  name: 'withdraw-bitcoin',
  step,
  watches: () => [],
  deadline: () => null,
  status: (p) => (p.at === 'sent' ? 'serverredeemed' : p.at === 'failed' ? 'expired' : 'pending'),
  open: (_, p) => !over.has(p.at),
  reserves: (p) => p.at === 'choosing',
  untold: () => false,
  hash160: () => noHash,
  nextAction: (_, p) => (over.has(p.at) ? 'nothing: it is over' : p.at === 'sending' ? 'the miners: it waits until it is six blocks deep' : 'we send'),
};
