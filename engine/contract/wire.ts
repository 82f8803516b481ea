import { z } from 'zod';
import { bitcoinNetworks, chainValues } from '../domain/chain.ts';
import { swapStatuses } from '../domain/status.ts';

/** The scalars of replies: plain JSON, described for the published contract. */

/** A whole number that JSON carries exactly. */
export const integer = (description: string) => z.int().meta({ description });
export const count = (description: string) => z.int().min(0).meta({ description });
export const words = (description: string) => z.string().meta({ description });
/** A whole number of smallest units as decimal digits. */
export const amount = (description: string) => z.string().regex(/^\d+$/).meta({ description });
/** A whole number of smallest units that may be negative. */
export const signedAmount = (description: string) =>
  z
    .string()
    .regex(/^-?\d+$/)
    .meta({ description });
export const fraction = (description: string) => z.number().meta({ description });
export const flag = (description: string) => z.boolean().meta({ description });
export const unixTime = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description: `${description}, unix seconds` });
export const sats = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description: `${description}, in satoshis` });
/** Bare hex of a fixed number of bytes. */
export const hex = (bytes: number, description: string) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`))
    .meta({ description: `${description}, ${bytes}-byte hex` });
/** `0x` and hex of a fixed number of bytes. */
export const hex0x = (bytes: number, description: string) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`))
    .meta({ description: `${description}, 0x-prefixed ${bytes}-byte hex` });
export const evmAddress = (description: string) =>
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .meta({ description });
/** A public key as records show it: as the client sent it, or 33 bytes compressed. */
export const publicKey = (description: string) =>
  z
    .string()
    .regex(/^(0[23])?[0-9a-f]{64}$/)
    .meta({ description });

export const swapStatus = z.enum(swapStatuses).meta({ id: 'SwapStatus', description: 'Status of a swap' });
export const chain = z
  .enum(chainValues)
  .meta({ id: 'Chain', description: 'Network of a token; EVM chains by their number' });
export const bitcoinNetwork = z.enum(['bitcoin', ...bitcoinNetworks]).meta({ description: 'Bitcoin network' });

export const tokenInfo = z
  .object({
    chain,
    decimals: count('Decimal places'),
    name: words('Name of the token'),
    symbol: words('Symbol of the token'),
    token_id: words(
      'btc for bitcoin; on an EVM chain the address of the contract, the zero address for the native coin',
    ),
  })
  .meta({ id: 'TokenInfo', description: 'A token on a network' });

/** Any JSON value, for what the contract shows but does not promise the shape of. */
const jsonValue: z.ZodType<JsonValue> = z.custom<JsonValue>().meta({
  type: ['string', 'number', 'boolean', 'null', 'array', 'object'],
  items: { description: 'Any JSON value' },
  description: 'Any JSON value',
});
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue };

export const jsonObject = (description: string) => z.record(z.string(), jsonValue).meta({ description });
export const empty = z.object({}).meta({ id: 'Empty', description: 'Nothing to say' });
