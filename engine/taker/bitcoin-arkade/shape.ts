import { z } from 'zod';
import { exactly, outpoint, sats, shapeOf, unix } from '../../legs/shape.ts';
import { coinTaking } from '../../swap/halves/bitcoin/taking-shape.ts';
import {
  arkadeLeg,
  arkadeOrderFields,
  bitcoinLeg,
  cancelled,
  creating,
  dealFields,
  refused,
  lastWord,
} from '../shape.ts';
import type { TakeBitcoinArkadeProgress, TakeBitcoinArkadeTerms } from './terms.ts';

const terms = exactly<TakeBitcoinArkadeTerms>()(z.strictObject({ ...arkadeOrderFields, targetAddress: z.string() }));

const txid = z.string();
const yes = z.literal(true).exactOptional();
const paidCoin = z.strictObject({
  outpoint,
  amount: sats,
  mined: z.boolean(),
  deep: z.boolean().default(false),
  spend: z.strictObject({ txid, by: z.enum(['claim', 'refund']), mined: z.boolean() }).nullable(),
});
const dealt = {
  deal: z.strictObject({
    ...dealFields,
    source: bitcoinLeg,
    target: arkadeLeg,
    payBefore: unix,
    confirmations: z.number().default(1),
  }),
  said: lastWord,
  coins: z.array(paidCoin),
  payout: z.union([z.strictObject({ claimTxid: txid, coin: outpoint }), z.literal('lost'), z.null()]),
  lookUntil: unix.nullable(),
  cancelled,
};

const progress = exactly<TakeBitcoinArkadeProgress>()(
  z.discriminatedUnion('at', [
    creating,
    refused,
    z.strictObject({ at: z.literal('waiting'), ...dealt }),
    z.strictObject({ at: z.literal('funded'), why: z.string().nullable(), ...dealt }),
    z.strictObject({
      at: z.literal('claiming'),
      coin: outpoint,
      claimTxid: txid.nullable(),
      halted: yes,
      told: yes,
      exit: yes,
      ...dealt,
    }),
    z.strictObject({ at: z.literal('claimed'), over: z.boolean(), ...dealt }),
    z.strictObject({ at: z.literal('refunding'), coin: outpoint, ...coinTaking, ...dealt }),
    z.strictObject({ at: z.literal('done'), over: z.boolean(), ...dealt }),
    z.strictObject({ at: z.literal('lost'), over: z.boolean(), ...dealt }),
    z.strictObject({ at: z.literal('lapsed'), ...dealt }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
