import { z } from 'zod';
import { onChainCoin } from '../../legs/arkade/shape.ts';
import { fieldsShape, listOf, sats, statesShape, type AnyOf, type ValueOf } from '../../legs/shape.ts';
import { move, type Effect, type Event, type Machine, type SwapOutcome } from '../machine.ts';
import { feePaid } from '../ledger.ts';
import { sendingJob, untilDeep } from './job.ts';

/** Coins of the Arkade wallet that somebody brought to the chain, and whose delay is over. */
const terms = { coins: listOf(onChainCoin) };
export type ArkadeExitTerms = ValueOf<typeof terms>;

const states = {
  choosing: {},
  sending: { txid: z.string(), amount: sats },
  sent: { txid: z.string() },
  /** What is left of the coins goes into another one. */
  failed: { reason: z.string() },
} as const;
export type ArkadeExitProgress = AnyOf<typeof states>;

type T = ArkadeExitTerms;
type P = ArkadeExitProgress;

export function arkadeExitEffect({ coins }: T, leastRate = 0): Effect {
  return { do: 'arkade.sweep', coins, leastRate };
}

function step(t: T, p: P, event: Event): SwapOutcome<P> {
  if (p.at !== 'choosing' && p.at !== 'sending') return 'stay';
  switch (event.is) {
    case 'sweep.prepared':
      return move<P>(
        { at: 'sending', txid: event.txid, amount: event.amount },
        {
          do: 'onchain.broadcast',
          leg: 'arkade',
          txid: event.txid,
          spends: event.spends,
          amount: event.amount,
          rate: event.rate,
          capped: event.capped,
          since: event.height,
        },
      );
    case 'onchain.stuck':
      return p.at === 'sending' ? move<P>(p, arkadeExitEffect(t, event.leastRate)) : 'stay';
    case 'onchain.final':
      return {
        progress: { at: 'sent', txid: event.txid },
        effects: [],
        supersedes: ['arkade'],
        ledger: [feePaid(event)],
      };
    case 'onchain.refused':
      return event.why === 'spent'
        ? move<P>({ at: 'failed', reason: event.reason })
        : {
            progress: { at: 'failed', reason: event.reason },
            effects: [],
            flag: `The Bitcoin node refused to take our own coins home: ${event.reason}.`,
          };
    default:
      return 'stay';
  }
}

/** Takes coins of ours home from the chain by the leaf that needs no operator (facts/faults.md 56). */
export const arkadeExit: Machine<T, P> = {
  ...sendingJob,
  name: 'exit-arkade',
  shape: { terms: fieldsShape(terms), progress: statesShape(states) },
  step,
  nextAction: (_, p) => untilDeep(p),
};
