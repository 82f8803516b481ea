import { z } from 'zod';
import { directionNames, takerDirections, type TakerDirection } from '../../domain/chain.ts';
import { optional, request } from '../field.ts';
import { payeeFields } from '../requests/common.ts';
import { evmChainIdField, oneOf } from '../scalars.ts';
import { amount, count, flag, sats, words } from '../wire.ts';

/* GET /owner/checklist: the way from an empty folder to a node that serves strangers, each step as it was seen. */

export const checklistParts = [
  'seed',
  'bundle',
  'machine',
  'network',
  'contracts',
  'liquidity',
  'prices',
  'alerts',
  'rehearsal',
  'wallets',
  'live',
] as const;

const deposit = z
  .object({
    asset: words('btc, or the address of a token; the zero address for the coin that pays for gas'),
    symbol: words('Short name of what is put in'),
    decimals: count('Decimals of the smallest unit'),
    least: amount('What is missing for the smallest swap, in smallest units'),
    most: amount('What is missing for the largest swap that the limits allow, in smallest units'),
  })
  .meta({ id: 'ChecklistDeposit', description: 'What is to be put in' });

const step = z
  .object({
    id: words('Names the step'),
    part: z.enum(checklistParts).meta({ description: 'What it is about' }),
    state: z.enum(['done', 'todo', 'failed']).meta({ description: 'Done and failed were seen' }),
    needed: flag('Whether no swap can be served well without it'),
    sentence: words('What was seen'),
    act: words('What to do next; left out where the sentence says it, or nothing is to be done').optional(),
    command: words('What to run in a terminal for it').optional(),
    warnings: z.array(words('What the doctor warns of besides')),
    network: words('arkade, lightning, bitcoin, or evm: and the number of the chain').optional(),
    direction: z.enum(directionNames).optional().meta({ description: 'Of a rehearsal: which way' }),
    address: words('Where it is reached, for whom it is told').optional(),
    deposits: z.array(deposit).optional().meta({ description: 'What can be put in' }),
  })
  .meta({ id: 'ChecklistStep', description: 'A step' });
export type ChecklistStep = z.infer<typeof step>;

export const checklist = z.object({
  live: flag('Whether strangers are offered swaps'),
  ready: flag('Whether every needed step is done, and at least one pair can be swapped'),
  steps: z.array(step),
});
export type Checklist = z.infer<typeof checklist>;

/** POST /owner/checklist/rehearse. */
export interface RehearsalRequest {
  readonly direction: TakerDirection;
  readonly chainId: number | null;
  /** Of another Lightning wallet, where the swap pays one. */
  readonly invoice: string | null;
}

export const rehearsalBody = request(
  {
    direction: oneOf('direction', 'which way', takerDirections),
    evm_chain_id: optional(evmChainIdField('evm_chain_id')),
    invoice: payeeFields.lightning_invoice,
  },
  (wire): RehearsalRequest => ({
    direction: wire.direction,
    chainId: wire.evm_chain_id ?? null,
    invoice: wire.invoice ?? null,
  }),
);

export const rehearsal = z.object({
  id: words('Id of the swap: GET /owner/taker/swaps/{id} follows it'),
  amount_sats: sats('How much is swapped'),
  paid: flag('Whether a wallet of this node pays it; else its owner does, as its record says'),
});
export type Rehearsal = z.infer<typeof rehearsal>;
