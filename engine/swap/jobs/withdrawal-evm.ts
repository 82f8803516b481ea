import { z } from 'zod';
import type { EvmEffect } from '../../legs/evm/effects.ts';
import { evmAddress, evmNetworkName } from '../../legs/evm/shape.ts';
import { fieldsShape, sats, statesShape, type AnyOf, type ValueOf } from '../../legs/shape.ts';
import { move, type Event, type Machine, type SwapOutcome } from '../machine.ts';
import { sendingJob } from './job.ts';

/** The owner's own money leaving our account on an EVM chain. */
const terms = {
  network: evmNetworkName,
  /** Zero for the native coin. */
  token: evmAddress,
  to: evmAddress,
  /** Smallest units. */
  amount: z.bigint(),
  /** Most that gas may cost, raises included. */
  mostFee: sats,
  /** Blocks after which nothing of the chain is taken back any more. */
  confirmations: z.number(),
};
export type EvmWithdrawalTerms = ValueOf<typeof terms>;

const states = {
  choosing: {},
  sending: { txid: z.string() },
  sent: { txid: z.string() },
  failed: { reason: z.string() },
} as const;
export type EvmWithdrawalProgress = AnyOf<typeof states>;

type P = EvmWithdrawalProgress;

function step(t: EvmWithdrawalTerms, p: P, event: Event): SwapOutcome<P> {
  if (p.at === 'choosing') {
    if (event.is === 'evm.prepared') return move<P>({ at: 'sending', txid: event.txid });
    if (event.is === 'evm.refused') return move<P>({ at: 'failed', reason: event.reason });
    return 'stay';
  }
  if (p.at !== 'sending' || event.is !== 'evm.sent' || event.txid !== p.txid) return 'stay';
  const { state } = event;
  if (state.is === 'gone') return move<P>({ at: 'choosing' }, evmWithdrawalEffect(t));
  if (state.is !== 'mined' || state.confirmations < t.confirmations) return 'stay';
  return move<P>(
    state.ok ? { at: 'sent', txid: state.by } : { at: 'failed', reason: 'it was mined, and its contract refused it' },
  );
}

export function evmWithdrawalEffect({ network, token, to, amount, mostFee }: EvmWithdrawalTerms): EvmEffect {
  const act = { is: 'pay', token, to, amount } as const;
  return { do: 'evm.send', network, contracts: null, act, deadline: null, value: mostFee };
}

export const evmWithdrawal: Machine<EvmWithdrawalTerms, EvmWithdrawalProgress> = {
  ...sendingJob,
  name: 'withdraw-evm',
  shape: { terms: fieldsShape(terms), progress: statesShape(states) },
  step,
  watches: ({ network }, p) => (p.at === 'sending' ? [{ on: 'evm-sent', network, purpose: 'pay', txid: p.txid }] : []),
  reserves: (p) => p.at === 'choosing',
  nextAction: (_, p) => (p.at === 'choosing' || p.at === 'sending' ? 'we send' : 'nothing: it is over'),
};
