import { z } from 'zod';
import { btc, bpsDown, lesser, minus, noSats, plus, sats, type Sats } from '../../domain/money.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import { savedSend, walletCoin } from '../../legs/onchain/shape.ts';
import type { WalletCoin } from '../../legs/onchain/wallet-coin.ts';
import type { SavedSend } from '../../legs/onchain/wallet-port.ts';
import {
  bytes,
  fieldsShape,
  listOf,
  partOf,
  sats as satsShape,
  statesShape,
  type AnyOf,
  type ValueOf,
} from '../../legs/shape.ts';
import {
  move,
  type Effect,
  type Event,
  type LedgerLine,
  type Machine,
  type SwapOutcome,
  type SwapStep,
} from '../machine.ts';
import { feePaid } from '../ledger.ts';
import { paymentEffect } from '../halves/broadcast.ts';
import { jobOfWallet, sendingStatus } from './job.ts';

/** A payment out of the Bitcoin wallet: to whom, and how much arrives there. */
const terms = {
  script: bytes,
  address: z.string(),
  amount: satsShape,
  /** Most that first fee and raises together may cost. Left out in jobs of before. */
  mostFee: satsShape.exactOptional(),
  /** The owner said so for this one: no other estimate is asked. */
  told: z.literal(true).exactOptional(),
  /** Blocks within which the owner wants it mined. Left out where nothing was said. */
  within: z.number().exactOptional(),
};
export type BitcoinWithdrawalTerms = ValueOf<typeof terms>;

/**
 * The coins of what was signed before other coins were chosen. It is held for dead, on the word of the chain's sources;
 * what comes after it spends one of its coins all the same, so that never both are mined (facts/faults.md 49).
 */
const choice = { earlier: listOf(listOf(walletCoin)).exactOptional() };
type Choice = ValueOf<typeof choice>;

const onItsWay = {
  /** The last one prepared. It and those it replaces spend the same coins: only one of them can ever be mined. */
  payment: savedSend,
  replaced: listOf(savedSend),
  /** Of the tip when it was prepared. */
  height: z.number(),
  ...choice,
};
type OnItsWay = ValueOf<typeof onItsWay>;

const states = {
  choosing: choice,
  sending: onItsWay,
  /** A higher fee is being prepared, while what was sent may still be mined. */
  raising: onItsWay,
  sent: { txid: z.string() },
  failed: { reason: z.string() },
} as const;
export type BitcoinWithdrawalProgress = AnyOf<typeof states>;

type T = BitcoinWithdrawalTerms;
type P = BitcoinWithdrawalProgress;

/** What it may cost without being asked. Beyond it the owner decides. */
function feeBudget({ amount, mostFee }: T): Sats {
  return mostFee ?? plus(bpsDown(amount, 200), sats(5_000));
}

/**
 * The owner who asks for a higher fee may double what there is each time: an estimate out of its mind takes no more.
 */
function askedBudget(t: T, { payment }: OnItsWay): Sats {
  const [own, doubled] = [feeBudget(t), plus(payment.fee, payment.fee)];
  return own > doubled ? own : doubled;
}

/** The first fee, and what it was raised by: whichever of the payments was mined. */
function costs({ payment, replaced }: OnItsWay, fee: Sats): readonly LedgerLine[] {
  const first = lesser(fee, (replaced.at(-1) ?? payment).fee);
  const raise = minus(fee, first);
  return [
    feePaid({ fee: first }),
    ...(raise === noSats ? [] : [{ kind: 'fee-raise-paid' as const, ...btc('bitcoin', -raise) }]),
  ];
}

/** Asks for coins, a fee and a signature; nothing is sent before the commit that saves them. */
export function bitcoinWithdrawalEffect(t: T, p: Choice = {}): Effect {
  return {
    do: 'onchain.send',
    script: t.script,
    amount: t.amount,
    mostFee: feeBudget(t),
    doubted: t.told !== true,
    ...chosen(p),
    ...speedOf(t),
  };
}

const speedOf = partOf({ within: terms.within });
const chosen = partOf(choice);

/** The same coins are told once, however often they were held for lost. */
function withCoins(
  earlier: readonly (readonly WalletCoin[])[],
  coins: readonly WalletCoin[],
): readonly (readonly WalletCoin[])[] {
  const nameOf = (of: readonly WalletCoin[]): string => of.map(({ outpoint }) => outpointKey(outpoint)).join(' ');
  return earlier.some((one) => nameOf(one) === nameOf(coins)) ? earlier : [...earlier, coins];
}

function broadcast(t: T, { payment, height }: OnItsWay, capped = payment.capped): Effect {
  // No rate is worse than none: what can pay no other fee is never prepared again.
  return { ...paymentEffect(payment, height), rate: capped ? 0 : payment.rate, capped, ...speedOf(t) };
}

function sending(
  t: T,
  { payment, replaced, height, earlier }: OnItsWay & { earlier?: Choice['earlier'] | undefined },
  capped?: boolean,
): SwapStep<P> {
  const next = {
    payment,
    replaced: replaced.filter(({ txid }) => txid !== payment.txid),
    height,
    ...(earlier === undefined ? {} : { earlier }),
  };
  return move<P>({ at: 'sending', ...next }, broadcast(t, next, capped));
}

function raise(
  t: T,
  p: OnItsWay,
  leastRate: number,
  { mostFee, doubted }: { mostFee: Sats; doubted: boolean },
): SwapOutcome<P> {
  const { payment, replaced, height } = p;
  const { coins, change, fee } = payment;
  return move<P>(
    { at: 'raising', payment, replaced, height, ...chosen(p) },
    {
      do: 'onchain.bump',
      script: t.script,
      amount: t.amount,
      replaces: { coins, change, fee },
      leastRate,
      mostFee,
      doubted,
      ...speedOf(t),
    },
  );
}

/** What the chain says of a payment on its way, whatever is being prepared meanwhile. */
function onChain(t: T, p: OnItsWay, event: Event): SwapOutcome<P> {
  if (event.is === 'onchain.final')
    return { ...move<P>({ at: 'sent', txid: event.txid }), ledger: costs(p, event.fee) };
  if (event.is !== 'onchain.refused') return 'stay';
  // Somebody else's spend of our coin is buried: none of ours can be mined any more, and other coins are chosen.
  if (event.why === 'spent') {
    const next = { earlier: withCoins(p.earlier ?? [], p.payment.coins) };
    return move<P>({ at: 'choosing', ...next }, bitcoinWithdrawalEffect(t, next));
  }
  const [before, ...replaced] = p.replaced;
  if (before === undefined) return move<P>({ at: 'failed', reason: event.reason });
  return sending(t, { payment: before, replaced, height: p.height, ...chosen(p) }, true);
}

function step(t: T, p: P, event: Event): SwapOutcome<P> {
  switch (p.at) {
    case 'choosing':
      if (event.is === 'send.prepared')
        return sending(t, { payment: event.payment, replaced: [], height: event.height, ...chosen(p) });
      // One that was held for dead was mined after all.
      if (event.is === 'onchain.final')
        return {
          ...move<P>({ at: 'sent', txid: event.txid }),
          ...(event.fee === noSats ? {} : { ledger: [feePaid(event)] }),
        };
      if (event.is !== 'send.refused') return 'stay';
      return {
        ...move<P>({ at: 'failed', reason: event.reason }),
        ...(p.earlier === undefined
          ? {}
          : { flag: `Its coins were spent by somebody else, and it was not made again: ${event.reason}` }),
      };
    case 'sending':
      if (event.is === 'onchain.stuck' && event.txid === p.payment.txid)
        return raise(t, p, event.leastRate, { mostFee: feeBudget(t), doubted: t.told !== true });
      if (event.is === 'bump.requested' && p.payment.change !== null) {
        const step = raise(t, p, p.payment.rate * ownersRaise, { mostFee: askedBudget(t, p), doubted: false });
        return step === 'stay' ? 'stay' : { ...step, interrupts: ['bitcoin'] };
      }
      return onChain(t, p, event);
    case 'raising':
      if (event.is === 'send.prepared')
        return {
          ...sending(t, {
            payment: event.payment,
            replaced: [p.payment, ...p.replaced],
            height: event.height,
            ...chosen(p),
          }),
          ...atItsCeiling(event.payment),
        };
      if (event.is === 'send.refused')
        return {
          ...sending(t, p, true),
          flag: `It waits to be mined at its fee of ${p.payment.fee} sats. ${event.reason}`,
        };
      return onChain(t, p, event);
    default:
      return 'stay';
  }
}

/** From here on nobody raises it but the owner. */
function atItsCeiling({ capped, change, fee }: SavedSend): { flag?: string } {
  return capped && change !== null
    ? {
        flag:
          `Its fee was raised to ${fee} sats, the most that it may cost by itself: ask for a higher one if it has ` +
          'to be mined sooner.',
      }
    : {};
}

/** The owner who asks for a higher fee gets at least this much of one. */
const ownersRaise = 1.5;

const over: ReadonlySet<P['at']> = new Set(['sent', 'failed']);

/**
 * Sats from the Bitcoin wallet to an address, once: every transaction of it spends the same coins until somebody else's
 * spend of them is buried, and one of them after that, as long as any is left.
 */
export const bitcoinWithdrawal: Machine<T, P> = {
  ...jobOfWallet,
  name: 'withdraw-bitcoin',
  shape: { terms: fieldsShape(terms), progress: statesShape(states) },
  step,
  status: sendingStatus,
  open: (_, p) => !over.has(p.at),
  reserves: (p) => p.at === 'choosing',
  nextAction: (_, p) =>
    over.has(p.at)
      ? 'nothing: it is over'
      : p.at === 'sending'
        ? 'the miners: it waits until it is six blocks deep'
        : 'we send',
};
