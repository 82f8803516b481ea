import { z } from 'zod';
import { refuseOffCurve } from '../api/curve.ts';
import type { ClientKey } from '../contract/scalars.ts';
import { invoiceAmount } from '../contract/invoice.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { asPreimage, asPublicKey, asSha256 } from '../domain/hash.ts';
import { fromHex } from '../domain/hex.ts';
import { sats } from '../domain/money.ts';
import type { Webhook } from '../store/boltz-swaps.ts';

/*
 * The bodies of this interface. Clients send empty texts, nulls and objects of nothing for what they leave out, and
 * fields that nobody reads.
 */

/** No body of this interface is deeper. */
const deepest = 3;

/** Null, an empty text, and an object of nothing but such are left out. */
export function present(given: unknown, depth = 0): unknown {
  if (given === null || given === '') return undefined;
  if (typeof given !== 'object' || Array.isArray(given) || depth >= deepest) return given;
  const fields = Object.entries(given).flatMap(([name, value]) => {
    const one = present(value, depth + 1);
    return one === undefined ? [] : [[name, one] as const];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** The body by its schema, or the first thing that is wrong with it. */
export function read<T extends z.ZodType>(schema: T, body: unknown): z.output<T> | Refusal {
  const result = schema.safeParse(present(body) ?? {});
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.join('.') ?? '';
  return refuse('invalid', `${where === '' ? 'the body' : where}: ${issue?.message ?? 'it cannot be read'}`);
}

function hexOf(bytes: number) {
  return z.string().regex(new RegExp(`^[0-9a-fA-F]{${2 * bytes}}$`), `it takes ${2 * bytes} hex digits`);
}

/** A point of 33 bytes: clients in Go and Rust read no other form of our own keys. */
export const keyField = z
  .string()
  .regex(/^0[23][0-9a-fA-F]{64}$/, 'it takes a compressed public key, 66 hex digits')
  .transform((text): ClientKey => ({ key: asPublicKey(fromHex(text.toLowerCase())), text: text.toLowerCase() }))
  .refine((key) => refuseOffCurve({ key }) === null, 'it is no point of the curve');

/** SHA-256 of the client's secret. */
export const hashField = hexOf(32)
  .transform((text) => asSha256(fromHex(text.toLowerCase())))
  .refine((hash) => hash.some((byte) => byte !== 0), 'it is all zeros, which is the hash of nothing');

/** SHA-256 of what an invoice is for; it stands there even where a text is given too. */
export const descriptionHashField = hexOf(32).transform((text) => asSha256(fromHex(text.toLowerCase())));

/** A secret: exactly 32 bytes, whatever any script would take. */
export const preimageField = hexOf(32).transform((text) => asPreimage(fromHex(text.toLowerCase())));

export const nonceField = hexOf(66).transform((text) => fromHex(text.toLowerCase()));

export const partialField = hexOf(32).transform((text) => fromHex(text.toLowerCase()));

export const satsField = z
  .int('it takes a whole number of satoshis')
  .min(1, 'it takes at least 1')
  .max(2_100_000_000_000_000, 'it is more than there is')
  .transform(sats);

/** A transaction with witnesses or without. */
export const rawTxField = z
  .string()
  .regex(/^([0-9a-fA-F]{2}){10,25000}$/, 'it takes a transaction as hex, at most 50000 digits')
  .transform((text) => fromHex(text.toLowerCase()));

/** BOLT 11, upper case as QR codes have it or lower. */
export const invoiceField = z
  .string()
  .max(8_000)
  .transform((text) => text.toLowerCase().replace(/^lightning:/, ''))
  .transform((bolt11, issues) => {
    const amount = invoiceAmount('invoice', bolt11);
    if (!isRefusal(amount)) return { bolt11, amount };
    issues.addIssue({ code: 'custom', message: amount.sentence });
    return z.NEVER;
  });

/** Where it wants to be told of its swap; what lies there is judged at each call. */
const webhookField = z
  .looseObject({
    url: z
      .string()
      .max(1_000, 'it takes at most 1000 characters')
      .refine((text) => URL.canParse(text) && new URL(text).protocol === 'https:', 'it takes an address of https')
      .optional(),
    hashSwapId: z.boolean().optional(),
    status: z.array(z.string().max(40)).max(40).optional(),
  })
  .transform(({ url, hashSwapId = false, status = null }): Webhook | undefined =>
    url === undefined ? undefined : { url, hashed: hashSwapId, statuses: status },
  );

/** Whether a body names an address that is called later. */
export function namesWebhook(body: unknown): boolean {
  const { webhook } = (body ?? {}) as { readonly webhook?: { readonly url?: unknown } | null };
  return typeof webhook?.url === 'string' && webhook.url !== '';
}

/** What every create says. */
export const createFields = {
  from: z.string().max(20),
  to: z.string().max(20),
  pairHash: z.string().max(100).optional(),
  webhook: webhookField.optional(),
  /** Who sent the client: said again in the answer, and nothing else; what is no such text is left out. */
  referralId: z.string().max(100).optional().catch(undefined),
};
