import { z } from 'zod';
import { outpoint, sats } from '../../../../legs/shape.ts';
import { coinTaking } from '../taking-shape.ts';
import { stray } from '../../extra-coins-shape.ts';

const txid = z.string();
const yes = z.literal(true).exactOptional();
const strays = z.array(stray);
const coin = { coin: outpoint, surplus: sats };
const fundable = { strays, vanished: z.boolean() };
const funded = { ...coin, strays, gone: yes };
const unwatched = { unwatched: yes };

const ended = { ...coin, strays, spends: coinTaking.spends, mined: txid.nullable(), ...unwatched };

/** Stored fields of each state of this half, without `at`. */
export const sourceFields = {
  pending: fundable,
  seen: { ...fundable, ...coin },
  sure: funded,
  seed: coin,
  claiming: { ...funded, ...coinTaking, mined: txid.nullable() },
  claimed: ended,
  lost: ended,
  stopped: { why: z.enum(['expired', 'invalid', 'late', 'wont']), reason: z.string(), strays, ...unwatched },
  lapsed: {},
  refunded: { clientTxid: txid.nullable(), strays, ...unwatched },
} as const;
