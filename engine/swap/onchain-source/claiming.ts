import { btc, noSats } from '../../domain/money.ts';
import { sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import { buried } from '../../legs/onchain/depth.ts';
import { move, type Effect, type Event, type LedgerLine, type Outcome, type Step } from '../machine.ts';
import { isOurs, whenCalledSpent, whileTakingCoin, type CoinTaker } from '../onchain-taking.ts';
import { ownCoin } from './coins.ts';
import { whenFunded } from './funding.ts';
import type { Claiming, OnchainSourceTerms } from './terms.ts';

/** What a direction makes of its claim. */
export interface Ends<C extends Claiming, P> {
  /** Ours is buried. */
  claimed(p: C, txid: Txid): Step<P>;
  /** The client took the coin back after it had what the swap gives for it. */
  lost(p: C): Step<P>;
}

/** Takes the client's coin with the secret that was learned: its fee rises until the client could take it back. */
export function claimEffect(
  t: OnchainSourceTerms,
  { coin, parent }: Pick<Claiming, 'coin'> & { readonly parent?: Uint8Array | undefined },
  leastRate = 0,
): Effect {
  return {
    do: 'htlc.spend',
    purpose: 'claim',
    terms: t.htlc,
    script: t.htlcScript,
    key: { branch: 'swap', index: t.keyIndex },
    coin,
    ...(parent === undefined ? {} : { funding: parent }),
    leastRate,
    deadline: t.htlc.refundLocktime,
  };
}

function claimOf<C extends Claiming, P>(t: OnchainSourceTerms, ends: Ends<C, P>): CoinTaker<C, P> {
  return {
    purpose: 'claim',
    coin: (p) => p.coin,
    effect: (p, leastRate) => claimEffect(t, p, leastRate),
    taken: (p, txid, costs) => claimed(t, p, txid, ends, costs),
  };
}

/**
 * What was given for the coin is the client's: nothing but a spend of the coin that is buried stops the claim. Null: the event is no
 * business of the claim's.
 */
export function whenClaiming<C extends Claiming, P>(
  t: OnchainSourceTerms,
  p: C,
  event: Event,
  ends: Ends<C, P>,
): Outcome<C | P> | null {
  return event.is === 'htlc.seen' ? whenSeen(t, p, event, ends) : whileTakingCoin(claimOf(t, ends), p, event);
}

function claimed<C extends Claiming, P>(
  t: OnchainSourceTerms,
  p: C,
  txid: Txid,
  ends: Ends<C, P>,
  costs: readonly LedgerLine[] = [],
): Step<P> {
  return {
    ...ends.claimed(p, txid),
    ledger: [
      { kind: 'protocol-fee', ...btc('bitcoin', t.feeSats) },
      { kind: 'network-fee-charged', ...btc('bitcoin', t.networkFeeSats) },
      ...(p.surplus > noSats ? [{ kind: 'surplus' as const, ...btc('bitcoin', p.surplus) }] : []),
      ...costs,
    ],
  };
}

function whenSeen<C extends Claiming, P>(
  t: OnchainSourceTerms,
  p: C,
  event: Event & { is: 'htlc.seen' },
  ends: Ends<C, P>,
): Outcome<C | P> {
  const own = ownCoin(p, event.coins);
  if (own === null) return vanished(t, p, event);
  const again = whenCalledSpent(claimOf(t, ends), p, own, event.height);
  if (again !== null) return again;
  const { spend } = own;
  if (spend === null || spend.by === 'unknown' || spend.height === null) return whenFunded(t, p, event);
  const isBuried = buried(spend.height, event.height);
  if (spend.by === 'refund') return isBuried ? ends.lost(p) : whenFunded(t, p, event);
  // Only we sign a claim: one that we do not know is ours too, and was made before this database was restored.
  if (isBuried && (!isOurs(p, spend.txid) || p.halted === true)) return claimed(t, p, spend.txid, ends);
  if (p.mined === spend.txid) return whenFunded(t, p, event);
  return move<C>({ ...p, mined: spend.txid });
}

/**
 * A reorganisation took the coin: whoever sent it may have sent another in its place, and that one is claimed. Not once a claim of the first
 * is signed, which would take it too should it come again: the client gave one coin.
 */
function vanished<C extends Claiming>(t: OnchainSourceTerms, p: C, event: Event & { is: 'htlc.seen' }): Outcome<C> {
  const step = whenFunded(t, p, event, p.spends.length === 0);
  if (step === 'stay' || sameOutpoint(step.progress.coin, p.coin)) return step;
  return { ...step, effects: [claimEffect(t, step.progress)], supersedes: true };
}
