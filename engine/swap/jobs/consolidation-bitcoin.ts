import { z } from 'zod';
import { btc } from '../../domain/money.ts';
import { savedSend } from '../../legs/onchain/shape.ts';
import type { SavedSend } from '../../legs/onchain/wallet-port.ts';
import { fieldsShape, sats, statesShape, type AnyOf, type ValueOf } from '../../legs/shape.ts';
import { move, type Effect, type Event, type Machine, type SwapOutcome } from '../machine.ts';
import { paymentEffect } from '../halves/broadcast.ts';
import { sendingJob, untilDeep } from './job.ts';

/** Coins of the Bitcoin wallet are joined or split, at fees that are low. */
const terms = {
  /** Sats per virtual byte above which it waits for another day. */
  mostRate: z.number(),
  mostFee: sats,
};
export type BitcoinConsolidationTerms = ValueOf<typeof terms>;

const states = {
  choosing: {},
  sending: { payment: savedSend, height: z.number() },
  sent: { txid: z.string() },
  failed: { reason: z.string() },
} as const;
export type BitcoinConsolidationProgress = AnyOf<typeof states>;

type T = BitcoinConsolidationTerms;
type P = BitcoinConsolidationProgress;

export function bitcoinConsolidationEffect({ mostRate, mostFee }: T): Effect {
  return { do: 'onchain.consolidate', mostRate, mostFee };
}

/** It is never raised: what waits with it are coins that nothing needed. */
function broadcast(payment: SavedSend, height: number): Effect {
  return { ...paymentEffect(payment, height), rate: 0 };
}

function step(_: T, p: P, event: Event): SwapOutcome<P> {
  if (p.at === 'choosing') {
    if (event.is === 'send.prepared') {
      const { payment, height } = event;
      return move<P>({ at: 'sending', payment, height }, broadcast(payment, height));
    }
    return event.is === 'send.refused' ? move<P>({ at: 'failed', reason: event.reason }) : 'stay';
  }
  if (p.at !== 'sending') return 'stay';
  if (event.is === 'onchain.final')
    return {
      ...move<P>({ at: 'sent', txid: event.txid }),
      ledger: [{ kind: 'consolidation-fee-paid', ...btc('bitcoin', -event.fee) }],
    };
  return event.is === 'onchain.refused' ? move<P>({ at: 'failed', reason: event.reason }) : 'stay';
}

/** Makes a few good coins of many small ones, and coins for fees of a large one. Nobody waits for it. */
export const bitcoinConsolidation: Machine<T, P> = {
  ...sendingJob,
  name: 'consolidate-bitcoin',
  shape: { terms: fieldsShape(terms), progress: statesShape(states) },
  step,
  nextAction: (_, p) => untilDeep(p),
};
