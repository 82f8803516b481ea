import { z } from 'zod';
import { fieldsShape, outpoint, sats, statesShape, unix, type AnyOf, type ValueOf } from '../../legs/shape.ts';
import { move, type Effect, type Event, type Machine, type SwapOutcome } from '../machine.ts';
import { feePaid } from '../ledger.ts';
import { jobOfWallet } from './job.ts';

/** A coin of ours that leaves its operator for the chain, by what was saved when it was made. */
const terms = {
  coin: outpoint,
  amount: sats,
  /** Most that all the fees on the way may cost. */
  mostFee: sats,
  /** Of a swap: by then it should lie there. */
  deadline: unix.exactOptional(),
};
export type UnrollTerms = ValueOf<typeof terms>;

const states = {
  unrolling: {},
  /** It lies on the chain, for its own leaf to take. */
  unrolled: {},
  failed: { reason: z.string() },
} as const;

type T = UnrollTerms;
type P = AnyOf<typeof states>;

export function unrollEffect({ coin, mostFee, deadline }: T): Effect {
  return { do: 'arkade.unroll', coin, mostFee, ...(deadline === undefined ? {} : { deadline }) };
}

function step(_: T, p: P, event: Event): SwapOutcome<P> {
  if (p.at !== 'unrolling') return 'stay';
  switch (event.is) {
    case 'unroll.done':
      return {
        ...move<P>({ at: 'unrolled' }),
        ...(event.fee > 0n ? { ledger: [feePaid(event)] } : {}),
      };
    case 'unroll.refused':
      return {
        progress: { at: 'failed', reason: event.reason },
        effects: [],
        flag: `A coin of ours could not be brought to the chain: ${event.reason}.`,
      };
    default:
      return 'stay';
  }
}

/**
 * Brings a coin of ours to the chain without its operator (facts/arkade.md 49); what takes it there begins when it is
 * seen there.
 */
export const unrollArkade: Machine<T, P> = {
  ...jobOfWallet,
  name: 'unroll-arkade',
  shape: { terms: fieldsShape(terms), progress: statesShape(states) },
  step,
  status: (p) => (p.at === 'unrolled' ? 'serverredeemed' : p.at === 'failed' ? 'expired' : 'pending'),
  open: (_, p) => p.at === 'unrolling',
  nextAction: (_, p) =>
    p.at === 'unrolling' ? 'the miners: one transaction after the other goes to the chain' : 'nothing: it is over',
};
