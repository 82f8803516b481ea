import type { Payee } from '../contract/requests/common.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { asPublicKey } from '../domain/hash.ts';
import { fromHex } from '../domain/hex.ts';
import type { Sats } from '../domain/money.ts';
import { seconds } from '../domain/time.ts';
import { checkInvoice, foreignInvoice, networkOfInvoice, type Bolt11 } from '../legs/lightning/invoice.ts';
import { priceFromTarget, priceFromPinned, type Price, type Rate } from '../quote/fees.ts';
import type { PayTarget } from '../quote/ports.ts';
import type { ServiceContext } from './context.ts';
import type { Direction } from './directions/direction.ts';
import { notNow, tooMuch } from './limits.ts';

/** What a payout costs: an invoice fixes what it pays, with a place either side may be fixed. */
export function payoutPrice(payee: Payee<Sats>, rate: Rate): Price {
  return payee.is === 'invoice' ? priceFromTarget(payee.amount, rate) : priceFromPinned(payee.amount, rate);
}

/** A destination that cannot be paid is the caller's to change, whether it says no or nobody answers there. */
export function unpayable({ sentence }: Refusal): Refusal {
  return refuse('invalid', sentence);
}

export function payTargetOf(
  payee: Pick<Payee<unknown> & { readonly is: 'address' | 'lnurl' }, 'is' | 'text'>,
): PayTarget {
  return payee.is === 'address' ? { lightning_address: payee.text } : { lnurl: payee.text };
}

/** What is said of an invoice of another network before anything else of the request. */
export function foreignPayee({ config }: Pick<ServiceContext, 'config'>, payee: Payee<unknown>): Refusal | null {
  return payee.is === 'invoice' ? foreignInvoice(networkOfInvoice(payee.bolt11), config.network) : null;
}

/** The invoice of a payout: the one given, or what the address or LNURL gives for this amount. */
export async function invoiceOf(
  context: ServiceContext,
  payee: Payee<unknown>,
  { target }: Price,
): Promise<Bolt11 | Refusal> {
  if (payee.is === 'invoice') return context.decodeInvoice(payee.bolt11);
  const resolved = await context.resolver.resolve(payTargetOf(payee), target);
  return isRefusal(resolved) ? unpayable(resolved) : context.decodeInvoice(resolved);
}

/**
 * Why a swap for this invoice is not opened now: asked inside the commit that opens it, since whoever gives out the
 * invoice decides how long that took, and how many more asked meanwhile. `waits`: for what the client gives, once it
 * was given.
 */
export function notPayableNow(
  context: ServiceContext,
  direction: Direction,
  invoice: Bolt11,
  price: Price,
  ownNode: string,
  waits = seconds(0),
): Refusal | null {
  const { config, policy, runtime } = context;
  const refusedNow = notNow(context) ?? tooMuch(context, direction, price);
  if (refusedNow !== null) return refusedNow;
  const amount = checkInvoice(invoice, {
    network: config.network,
    now: runtime.clock.now().wall,
    fundingWindow: seconds(policy.fundingWindow + waits),
    ownNode: asPublicKey(fromHex(ownNode)),
    targetAmount: price.target,
  });
  return isRefusal(amount) ? amount : null;
}
