import { z } from 'zod';
import { forwarding, type EvmForwardEffect } from '../../legs/evm/effects.ts';
import { fieldsShape, partOf, statesShape, type AnyOf, type ValueOf } from '../../legs/shape.ts';
import { move, type Event, type Machine, type SwapOutcome } from '../machine.ts';
import { jobOfWallet, sendingStatus } from './job.ts';

/**
 * What lies at the account of the owner's own swaps, sent on by that account. It is signed for one place in the
 * account's order and never for a second one.
 */
export type ForwardEvmTerms = ValueOf<typeof forwarding>;

const sent = { txid: z.string() };
const states = {
  choosing: {},
  sending: sent,
  /** Its place was used, and nobody has seen by what yet. */
  missing: sent,
  sent,
  failed: { reason: z.string() },
} as const;
export type ForwardEvmProgress = AnyOf<typeof states>;

type T = ForwardEvmTerms;
type P = ForwardEvmProgress;

function step(t: T, p: P, event: Event): SwapOutcome<P> {
  if (p.at === 'choosing') {
    if (event.is === 'evm.prepared') return move<P>({ at: 'sending', txid: event.txid }, sending(t, false));
    if (event.is === 'evm.refused') return move<P>({ at: 'failed', reason: event.reason });
    return 'stay';
  }
  if (p.at !== 'sending' && p.at !== 'missing') return 'stay';
  if (event.is === 'evm.refused') return move<P>({ at: 'failed', reason: event.reason });
  if (event.is !== 'evm.sent' || event.txid !== p.txid) return 'stay';
  const { state } = event;
  if (state.is === 'waiting') return 'stay';
  if (state.is === 'mined')
    return move<P>(
      state.ok ? { at: 'sent', txid: state.by } : { at: 'failed', reason: 'it was mined, and its contract refused it' },
    );
  // Never signed anew: whether it went is a question for a person before anything is sent a second time.
  return p.at === 'sending'
    ? move<P>({ at: 'missing', txid: p.txid }, sending(t, true))
    : move<P>({
        at: 'failed',
        reason:
          'another transaction of the account took its place: look at what the account holds before it is sent again',
      });
}

export function forwardEvmEffect(t: T): EvmForwardEffect {
  return { do: 'evm.forward', ...forwardingOf(t) };
}

function sending(t: T, lastLook: boolean): EvmForwardEffect {
  return { do: 'evm.forward-send', ...forwardingOf(t), lastLook };
}

const forwardingOf = partOf(forwarding);

const under: ReadonlySet<P['at']> = new Set(['choosing', 'sending', 'missing']);

export const forwardEvm: Machine<ForwardEvmTerms, ForwardEvmProgress> = {
  ...jobOfWallet,
  name: 'forward-evm',
  shape: { terms: fieldsShape(forwarding), progress: statesShape(states) },
  step,
  status: sendingStatus,
  open: (_, p) => under.has(p.at),
  nextAction: (_, p) => (under.has(p.at) ? 'we send' : 'nothing: it is over'),
};
