import { z } from 'zod';
import type { EvmEffect } from '../../legs/evm/effects.ts';
import type { SeenLock } from '../../legs/evm/events.ts';
import { evmNetworkName, lockTerms, swapContracts } from '../../legs/evm/shape.ts';
import { swapKey } from '../../legs/evm/swap-key.ts';
import { lockEnd } from '../../legs/evm/timelocks.ts';
import { sameBytes } from '../../domain/hash.ts';
import { fieldsShape, sats, statesShape, type AnyOf, type ValueOf } from '../../legs/shape.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { move, type Event, type Machine, type SwapOutcome, type EventOf } from '../machine.ts';
import { jobOfWallet } from './job.ts';

/**
 * A lock for our account of a swap that a restored database does not know, and whose preimage it has (facts/faults.md
 * 185).
 */
const terms = {
  network: evmNetworkName,
  contracts: swapContracts,
  lock: lockTerms,
  /** Of its creation. */
  height: z.number(),
  /** What it holds, which bounds what gas may cost. */
  value: sats,
  /** Blocks after which nothing of the chain is taken back any more. */
  confirmations: z.number(),
};
export type EvmClaimTerms = ValueOf<typeof terms>;

const states = {
  claiming: { txid: z.string().nullable() },
  claimed: { txid: z.string() },
  /** Whoever made it has it again. */
  lost: {},
} as const;
export type EvmClaimProgress = AnyOf<typeof states>;

type T = EvmClaimTerms;
type P = EvmClaimProgress;

function step(t: T, p: P, event: Event): SwapOutcome<P> {
  if (p.at !== 'claiming') return 'stay';
  if (event.is === 'evm.prepared') return move<P>({ at: 'claiming', txid: event.txid });
  if (event.is === 'evm.seen') return seen(t, event);
  if (event.is !== 'evm.sent' || event.txid !== p.txid) return 'stay';
  const { state } = event;
  // What was mined and did nothing is tried again: the act sees for itself whether the lock stands.
  if (state.is === 'gone' || (state.is === 'mined' && !state.ok))
    return move<P>({ at: 'claiming', txid: null }, evmClaimEffect(t));
  return state.is === 'mined' && state.by !== p.txid ? move<P>({ at: 'claiming', txid: state.by }) : 'stay';
}

/** Its logs alone end it, buried; one that a reorganisation took may come again until it could be taken back. */
function seen(t: T, { locks, time }: EventOf<'evm.seen'>): SwapOutcome<P> {
  const state = locks.find(isOf(t))?.state;
  if (state === undefined) return time < lockEnd(t) ? 'stay' : over({ at: 'lost' });
  if (state.is === 'active' || state.confirmations < t.confirmations) return 'stay';
  return over(state.is === 'redeemed' ? { at: 'claimed', txid: state.txid } : { at: 'lost' });
}

function over(progress: P): SwapOutcome<P> {
  return { progress, effects: [], supersedes: ['evm'] };
}

function isOf({ lock }: T): (one: SeenLock) => boolean {
  const key = swapKey(lock);
  return (one) => sameBytes(one.key, key);
}

export function evmClaimEffect(t: T): EvmEffect {
  const { network, contracts, lock, value } = t;
  return { do: 'evm.send', network, contracts, act: { is: 'claim', lock }, deadline: lockEnd(t), value };
}

export const evmClaim: Machine<EvmClaimTerms, EvmClaimProgress> = {
  ...jobOfWallet,
  name: 'claim-evm',
  shape: { terms: fieldsShape(terms), progress: statesShape(states) },
  step,
  watches({ network, contracts: { htlc }, lock, height }, p) {
    if (p.at !== 'claiming') return [];
    const wanted = { are: 'one', key: swapKey(lock) } as const;
    return [
      { on: 'evm-lock', network, htlc, hash: lock.preimageHash, wanted, since: height },
      ...(p.txid === null ? [] : [{ on: 'evm-sent', network, purpose: 'claim', txid: p.txid } as const]),
    ];
  },
  status: (p) => (p.at === 'claimed' ? 'serverredeemed' : p.at === 'lost' ? 'expired' : 'pending'),
  open: (_, p) => p.at === 'claiming',
  hash160: ({ lock }) => hash160OfSha256(lock.preimageHash),
  nextAction: (_, p) => (p.at === 'claiming' ? 'we claim' : 'nothing: it is over'),
};
