import { toHex } from '../../domain/hex.ts';
import { sameOutpoint } from '../../domain/outpoint.ts';
import type { Clocks } from '../../domain/time.ts';
import { move, type Event, type Outcome } from '../machine.ts';
import { whenClaiming, type Ends } from '../vhtlc-source/claiming.ts';
import * as source from '../vhtlc-source/over.ts';
import type { Claiming, Funded } from '../vhtlc-source/terms.ts';
import { lockSeen } from './locking.ts';
import { takenBack } from './claimed.ts';
import { ownLock } from './seen.ts';
import { lockedOf, type ArkadeEvmProgress, type ArkadeEvmTerms } from './terms.ts';

type P = ArkadeEvmProgress;
type T = ArkadeEvmTerms;
type Redeemed = P & { at: 'claiming' };

/** The client has our lock: the VHTLC is claimed, whatever becomes of anything else. */
export function whenRedeemed(t: T, p: Redeemed, event: Event, now: Clocks): Outcome<P> {
  const state = ownLock(t, event)?.state;
  if (state?.is === 'redeemed') return state.txid === p.redeemTxid ? 'stay' : move<P>({ ...p, redeemTxid: state.txid });
  if (state?.is === 'refunded')
    return {
      progress: p,
      effects: [],
      flag: takenBack(t),
    };
  if (event.is === 'evm.sent' && event.purpose === 'relay-claim' && event.state.is === 'mined')
    return p.relay === null || event.txid !== p.relay.txid || p.relay.by === event.state.by
      ? 'stay'
      : move<P>({ ...p, relay: { txid: event.txid, by: event.state.by } });
  return whenClaiming<Redeemed & Claiming, P>(t, p, event, now, ends(t));
}

const ends = (t: T): Ends<Redeemed & Claiming, P> => ({
  claimed: (p, claimTxid) => ({
    at: 'claimed',
    claimTxid,
    ...lockedOf(p),
    redeemTxid: p.redeemTxid,
    // What was not signed when the claim came is not signed any more.
    relay: p.relay?.txid === null ? null : p.relay,
    shallow: { reverts: 0 },
  }),
  lost: (p) => ({
    progress: { at: 'lost', ...lockedOf(p), redeemTxid: p.redeemTxid, relay: p.relay },
    effects: [],
    supersedes: true,
    ledger: [{ kind: 'loss', network: t.network, asset: `0x${toHex(t.lock.token)}`, amount: -t.lock.amount }],
    flag: 'The client took the VHTLC back although it had claimed our lock.',
  }),
});

/** Nothing will be locked: the coins at the address are the client's to take back. */
export function whenStopped(t: T, p: P & { at: 'stopped' }, event: Event, now: Clocks): Outcome<P> {
  const { doubt } = p;
  if (doubt !== undefined) {
    if (ownLock(t, event) !== null) return forgottenLock(t, p, doubt, event) ?? 'stay';
    if (event.is === 'refund.cosign.requested') return 'stay';
    if (event.is === 'evm.seen' && event.network === t.network) return event.asked > doubt.since ? sure(p) : 'stay';
  }
  const outcome = source.whenStopped(t, p, event, now);
  return outcome === 'stay' || outcome.progress.at !== 'stopped' || doubt === undefined
    ? outcome
    : { ...outcome, progress: { ...outcome.progress, doubt } };
}

function sure({ doubt: _, ...p }: P & { at: 'stopped' }): Outcome<P> {
  return move<P>(p);
}

/** It was refused because it stands already: the swap goes on with it. */
function forgottenLock(
  t: T,
  p: P & { at: 'stopped' },
  { coin, surplus }: Pick<Funded, 'coin' | 'surplus'>,
  event: Event,
): Outcome<P> | null {
  const strays = p.strays.filter(({ outpoint }) => !sameOutpoint(outpoint, coin));
  return lockSeen(t, { coin, surplus, strays }, event);
}

/** Our lock is ours again for good: the client gets its coin back, by our signature or alone. */
export function whenReturned(t: T, p: P & { at: 'returned' }, event: Event, now: Clocks): Outcome<P> {
  const { at: _, fundTxid, returnTxid, ...left } = p;
  const outcome = source.whenStopped(t, { ...left, at: 'stopped' as const, why: 'wont' as const }, event, now);
  if (outcome === 'stay') return 'stay';
  const { progress, ...rest } = outcome;
  if (progress.at === 'refunded') return { ...rest, progress: { ...progress, returned: { fundTxid, returnTxid } } };
  if (progress.at === 'lapsed') return { ...rest, progress };
  const { why: __, ...more } = progress;
  return { ...rest, progress: { ...more, at: 'returned', fundTxid, returnTxid } };
}
