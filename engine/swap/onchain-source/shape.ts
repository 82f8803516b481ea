import { z } from 'zod';
import { outpoint, sats } from '../../legs/shape.ts';
import { coinTaking } from '../onchain-taking-shape.ts';
import { stray } from '../source-shape.ts';

const txid = z.string();
const yes = z.literal(true).exactOptional();
const strays = z.array(stray);
const coin = { coin: outpoint, surplus: sats };
const fundable = { strays, vanished: z.boolean() };
const funded = { ...coin, strays, gone: yes };
const unwatched = { unwatched: yes };

/** Fields of the states that every source of this kind has, without their name. */
export const sourceFields = {
  pending: fundable,
  seen: { ...fundable, ...coin },
  funded,
  claiming: { ...funded, ...coinTaking, mined: txid.nullable() },
  stopped: { why: z.enum(['expired', 'invalid', 'late', 'wont']), reason: z.string(), strays, ...unwatched },
  refunded: { clientTxid: txid.nullable(), strays, ...unwatched },
  unwatched,
} as const;
