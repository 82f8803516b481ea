import { sameOutpoint } from '../../../../domain/outpoint.ts';
import type { Clocks } from '../../../../domain/time.ts';
import type { SeenCoin } from '../../../../legs/arkade/events.ts';
import { preimageMatches } from '../../../../legs/secret.ts';
import { stands } from '../exit.ts';
import { stepTo } from '../../answer.ts';
import type { Surety } from '../../surety.ts';
import type { Event, Outcome, Step, EventOf } from '../../../machine.ts';
import { lossOf } from '../../../ledger.ts';
import { leafOf } from '../../extra-coins.ts';
import type { Claim, Lock, Revealed, Stage, TargetTerms as T, Fact } from './terms.ts';

/** The coin of our lock, where the event shows it. */
export function lockedCoin(p: Lock, event: Event): SeenCoin | null {
  if (event.is !== 'vhtlc.seen') return null;
  return event.coins.find((coin) => sameOutpoint(coin.outpoint, p.lock)) ?? null;
}

/** The client's batch is over our lock, whatever else it took. */
export function relayed(p: Lock, event: Event): event is EventOf<'claim.relayed'> {
  return event.is === 'claim.relayed' && event.coins.some((coin) => sameOutpoint(coin, p.lock));
}

/**
 * The client's claim, of exactly our lock, with a preimage that fits: from here on we only finish. The transaction of a
 * claim is the one that made the client's coin, which clients compare with what lies at their address (facts/clients.md
 * 24); a claim through a batch has none that we know, and its commitment is another one.
 */
export function claimShown({ hash }: T, p: Lock, event: Event, now: Clocks): Claim | null {
  if (event.is === 'claim.relayed') {
    const preimage = relayed(p, event) ? preimageMatches(hash, event.preimage) : null;
    return preimage && { preimage, txid: null, is: 'fact' };
  }
  const coin = lockedCoin(p, event);
  const spend = coin && leafOf(coin);
  if (coin === null || spend?.leaf !== 'claim') return null;
  const preimage = preimageMatches(hash, spend.preimage);
  const is = !coin.spent ? 'queued' : stands(coin, now) ? 'fact' : 'on-chain';
  return preimage && { preimage, txid: coin.spentIn ?? null, is };
}

/**
 * From here on we only finish. A refund of ours that has not been sent would only race a claim that already happened.
 */
export function claimFact({ lock }: Lock, { preimage, txid }: Claim, race: Pick<Revealed, 'racing'>): Fact {
  return {
    fact: 'revealed',
    revealed: { lock, redeemTxid: txid, ...race },
    along: { supersedes: true, learned: preimage },
  };
}

/**
 * The client has our lock by a secret of another length than 32 bytes, which only the loose form takes: nothing that it
 * gave opens by it, and no more than the owner agreed to is lost. What waits on the chain or may be refunded before it
 * is none yet.
 */
export function forfeitShown(t: T, p: Lock, event: Event, now: Clocks): Fact | null {
  const coin = lockedCoin(p, event);
  if (coin === null || leafOf(coin)?.leaf !== 'off-length' || !stands(coin, now)) return null;
  return {
    fact: 'forfeit',
    revealed: { lock: p.lock, redeemTxid: coin.spentIn ?? null },
    along: {
      supersedes: true,
      ledger: [lossOf('arkade', t)],
      flag: `${offLength}: ${t.targetAmount} sats are lost, as far as you agreed to by boltz.toArkade.`,
    },
  };
}

const offLength =
  'The client claimed our VHTLC with a secret of another length than 32 bytes, which opens nothing that it gave';

export const lockDenied =
  'The operator reports our VHTLC as spent by a transaction that fits none of its leaves: use another operator, ' +
  'and bring the coin to the chain if you can.';

/**
 * The operator says "spent", and does not show by which leaf, or shows none of its leaves: its word is not the script's
 * verdict.
 */
export function unexplained<S extends Stage<'locked'>>(p: S, event: Event, { words }: Surety): Step<S> | null {
  const coin = lockedCoin(p, event);
  if (coin === null || !coin.spent) return null;
  if (coin.spend === 'hidden')
    return stepTo(p, {
      flag:
        `Our VHTLC expired and a batch took it, which may be the client's: the operator does not show by which ` +
        `leaf. ${words.stays}`,
    });
  return coin.spend === 'unknown' ? stepTo(p, { distrust: true, flag: lockDenied }) : null;
}

/** The owner is told once: from here on what the client gave may go back to it while it can still claim. */
export function lateAlarm<S extends Stage<'locked' | 'refunding'>>(p: S, now: Clocks, surety: Surety): Outcome<S> {
  const sure = surety.late(now);
  if (sure === null || p.alarmed === true) return 'stay';
  const flag = `${sure}, and the VHTLC is neither claimed nor refunded: ask the Arkade operator why.`;
  return stepTo({ ...p, alarmed: true }, { flag });
}
