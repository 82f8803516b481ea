import { z } from 'zod';
import { takerDirections } from '../domain/chain.ts';
import {
  costParts,
  paidStates,
  reasonCodes,
  refundStates,
  stepCodes,
  takerActors,
  takerAttentions,
  takerOutcomes,
  takerPhases,
  takerTransactions,
  whyCodes,
} from '../domain/taker.ts';
import { labelFields } from './owner/labels.ts';
import { amount, count, flag, sats, swapStatus, unixTime, words } from './wire.ts';

/* A swap of the owner's own as facts, codes and times: whoever shows it has the sentences. */

const network = z
  .string()
  .regex(/^(arkade|lightning|bitcoin|evm:\d+)$/)
  .meta({ description: 'arkade, lightning, bitcoin, or evm: and the number of the chain' });

const side = z
  .object({
    network,
    token: words('Contract of the token; null for bitcoin and for the own coin of a chain').nullable(),
    symbol: words('Short name of what is moved'),
    decimals: count('Decimals of the smallest unit'),
    amount: amount('How much, in smallest units'),
    sats: sats('Its worth as the swap agreed on it').nullable(),
    least: amount('What it is at least, where the amount is what an exchange is expected to bring').optional(),
  })
  .meta({ id: 'TakerSide', description: 'What is given or what comes out' });

const moment = (description: string) => unixTime(description).nullable();

const pay = z
  .object({
    kind: z.enum(['invoice', 'arkade', 'bitcoin', 'evm']).meta({ description: 'What is paid' }),
    text: words('Invoice or address'),
    uri: words('The same as a payment link'),
    amount: amount('Exactly this much, in smallest units'),
    until: moment('Until when'),
    own_wallet: flag('Whether a wallet of this node can pay it: POST /owner/taker/swaps/{id}/pay'),
  })
  .meta({ id: 'TakerPay', description: 'Where to pay; only once every part of the record was derived again' });

const times = z
  .object({
    now: moment('The time of the chain by which the others are judged'),
    pay_until: moment('Until when it can be paid, by the wall clock'),
    normal_until: moment('Last moment at which finishing is safe'),
    refund_signed_from: moment('From when on the provider signs a refund'),
    refund_alone_from: moment('From when on a refund needs nobody'),
    danger_from: moment('From when on something can be lost'),
    last: moment('Last moment at which this node can still move it'),
  })
  .meta({ id: 'TakerTimes', description: 'Boundaries in the time of the chain; null is one that does not exist' });

const reason = z.enum(reasonCodes).nullable();

export const takerSwap = z
  .object({
    id: words('Id of the swap at this node'),
    ...labelFields,
    provider_url: words('Base URL of the provider; empty for this node'),
    provider_swap_id: words('Id of the swap at its provider').nullable(),
    direction: z.enum(takerDirections).meta({ description: 'Which way' }),
    created: unixTime('When it was opened'),
    updated: unixTime('When it last changed'),
    at: words('Internal state of the swap'),
    phase: z.enum(takerPhases).meta({ description: 'The screen that it is on' }),
    outcome: z.enum(takerOutcomes).nullable().meta({ description: 'How it ended; null while it goes on' }),
    open: flag('Whether it goes on'),
    attention: z.enum(takerAttentions).meta({ description: 'How urgently it needs you' }),
    turn: z
      .object({
        who: z.enum(takerActors).meta({ description: 'Who is waited for' }),
        step: z.enum(stepCodes).meta({ description: 'For what' }),
        until: moment('Until when'),
      })
      .meta({ id: 'TakerTurn', description: 'Whose turn it is' }),
    give: side,
    get: side,
    to: z
      .object({
        own: flag('Whether it is a wallet of this node'),
        text: words('Invoice or address; null where it is chosen when it is claimed').nullable(),
      })
      .meta({ id: 'TakerDestination', description: 'Where it arrives' }),
    paid: z
      .object({
        state: z.enum(paidStates).meta({ description: 'What was seen of the payment, and where it is' }),
        amount: amount('How much was seen, in the smallest units of what is given').nullable(),
      })
      .meta({ id: 'TakerPaid', description: 'The payment as it was seen: what is promised hangs on it alone' }),
    costs: z
      .array(z.object({ part: z.enum(costParts).meta({ description: 'For what' }), sats: sats('How much') }))
      .meta({ description: 'What it costs, as its record proves; empty while nobody knows' }),
    pay: pay.nullable(),
    times,
    refund: z
      .object({
        state: z.enum(refundStates).meta({ description: 'Whether something can be taken back' }),
        from: moment('From when on with the help of nobody'),
        why: z.enum(whyCodes).nullable().meta({ description: 'Why it stands so' }),
      })
      .meta({ id: 'TakerRefund', description: 'What can be taken back' }),
    back: side.nullable().meta({
      description:
        'What comes back, where that is another token than was given: an exchange made it of that; null else',
    }),
    steps: z
      .array(
        z.object({
          step: z.enum(stepCodes).meta({ description: 'What is done' }),
          state: z.enum(['done', 'current', 'later']).meta({ description: 'How far it is' }),
          time: moment('When it was done'),
        }),
      )
      .meta({ description: 'The way through the swap, in order' }),
    transactions: z
      .array(
        z.object({
          what: z.enum(takerTransactions).meta({ description: 'What it does' }),
          network,
          txid: words('Its id'),
          whose: z.enum(['you', 'provider']).meta({ description: 'Who sent it' }),
        }),
      )
      .meta({ description: 'What was seen on the networks' }),
    said: swapStatus.nullable(),
    reason: reason.meta({ description: 'Why it was refused, ended, or wants a look' }),
    detail: words('That reason in the words of whoever gave it').nullable(),
  })
  .meta({ id: 'TakerSwap', description: 'A swap in which this node is the client' });
export type TakerSwap = z.infer<typeof takerSwap>;

export const takerSwaps = z.object({
  swaps: z.array(takerSwap),
  next_cursor: words('Give it as cursor to go on; null at the end').nullable(),
  counts: z
    .object({
      all: count('All'),
      open: count('That go on'),
      needs_you: count('That want their owner'),
      finished: count('That arrived'),
      returned: count('That came back'),
    })
    .meta({ id: 'TakerCounts', description: 'How many there are of each, whatever is shown' }),
});
export type TakerSwaps = z.infer<typeof takerSwaps>;
