import type { DoorTerms, Payee } from '../../contract/requests/common.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { asPublicKey, type Sha256 } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import type { Sats } from '../../domain/money.ts';
import { after, seconds, unix, type Unix } from '../../domain/time.ts';
import { checkInvoice, foreignInvoice, networkOfInvoice, type Bolt11 } from '../../legs/lightning/invoice.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { priceFromTarget, priceFromPinned, routingBudgetMsat, type Price, type Rate } from '../../quote/fees.ts';
import type { PayTarget } from '../../quote/ports.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import type { PayTerms } from '../../swap/halves/lightning/pay.ts';
import type { ServiceContext } from '../context.ts';
import type { Direction } from '../directions/direction.ts';
import { stopped, tooMuch } from '../limits/limits.ts';
import { rateOf, type Surcharge } from '../price/rate.ts';
import { pricedTerms } from './create.ts';
import { strangersPayment } from './strangers.ts';

/** What a swap has to know of the invoice that it pays. */
type PaidInvoice = Pick<Bolt11, 'hash' | 'text' | 'expiresAt' | 'finalCltv'>;

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

/**
 * The invoice of a payout, the one given, or what the address or LNURL gives for this amount; refused where our node
 * has paid it or tried to.
 */
export async function payoutInvoice(
  context: ServiceContext,
  payee: Payee<unknown>,
  price: Price,
): Promise<Bolt11 | Refusal> {
  const invoice = await invoiceOf(context, payee, price);
  if (isRefusal(invoice)) return invoice;
  return (await strangersPayment(context, invoice.hash)) ?? invoice;
}

/** Blocks that an invoice which is named later may want for its last hop: most nodes ask for less. */
const mostFinalCltv = 144;

/** Stands for the invoice of this hash until one is named: nothing is paid by it. */
async function unnamedInvoice(
  context: ServiceContext,
  hash: Sha256,
): Promise<(PaidInvoice & { readonly payee: null }) | Refusal> {
  const { policy, runtime } = context;
  const refused = await strangersPayment(context, hash, 'preimage');
  const expiresAt = after(runtime.clock.now().wall, policy.longestLeg);
  return refused ?? { hash, text: '', expiresAt, finalCltv: mostFinalCltv, payee: null };
}

/** Why an invoice cannot be paid by terms that were made for one which was not known. */
export function needsMore(
  { finalCltv }: Pick<Bolt11, 'finalCltv'>,
  terms: Pick<PayTerms, 'finalCltv'>,
): Refusal | null {
  return finalCltv <= terms.finalCltv
    ? null
    : refuse(
        'invalid',
        `The invoice asks for a final CLTV delta of ${finalCltv} blocks; this swap has time for ${terms.finalCltv}. ` +
          'Ask the payee for an invoice with a smaller delta.',
      );
}

/** What is to be paid over Lightning, of a request that is priced in sats. */
interface PayoutRequest extends Surcharge {
  readonly payee: Payee<Sats>;
  readonly door?: DoorTerms;
}

/**
 * Price and invoice of a payout. The door of another interface may open it for a hash alone, whose invoice is named
 * later: `isNamed` says which.
 */
export async function payoutOrder(
  context: ServiceContext,
  direction: Direction,
  request: PayoutRequest,
  developer: DeveloperKey | null,
) {
  const { payee, door } = request;
  const hashAlone = door?.hash;
  const isNamed = hashAlone === undefined;
  const foreign = isNamed ? foreignPayee(context, payee) : null;
  const closed = foreign ?? stopped(context, direction);
  if (closed !== null) return closed;
  const rate = rateOf(context, direction, request, developer);
  if (isRefusal(rate)) return rate;
  const price = door?.price ?? payoutPrice(payee, rate);
  const refused = isNamed ? tooMuch(context, direction, price) : null;
  if (refused !== null) return refused;
  const invoice = isNamed ? await payoutInvoice(context, payee, price) : await unnamedInvoice(context, hashAlone);
  return isRefusal(invoice) ? invoice : { isNamed, price, invoice, hash: hash160OfSha256(invoice.hash) };
}

/** Of a swap that is opened for a hash alone, and priced once its invoice is named. */
export function leastOf({ door }: Pick<PayoutRequest, 'door'>): { readonly leastAmount?: Sats } {
  return door?.least === undefined ? {} : { leastAmount: door.least };
}

/** What the terms of a swap that was opened for a hash alone say once its invoice is named. */
export function namedTerms(
  { config }: Pick<ServiceContext, 'config'>,
  terms: Pick<PayTerms, 'payBefore'> & { readonly fundBefore: Unix },
  { invoice, price, budget }: { readonly invoice: Bolt11; readonly price: Price; readonly budget: Price },
) {
  return {
    ...pricedTerms(price),
    ...invoiceTerms(invoice),
    maxFeeMsat: routingBudgetMsat(budget, config.terms.routingShareBps),
    fundBefore: unix(Math.min(terms.fundBefore, invoice.expiresAt)),
    payBefore: unix(Math.min(terms.payBefore, invoice.expiresAt)),
    amended: true,
  } as const;
}

async function invoiceOf(context: ServiceContext, payee: Payee<unknown>, { target }: Price): Promise<Bolt11 | Refusal> {
  if (payee.is === 'invoice') return context.decodeInvoice(payee.bolt11);
  const resolved = await context.resolver.resolve(payTargetOf(payee), target);
  return isRefusal(resolved) ? unpayable(resolved) : context.decodeInvoice(resolved);
}

/**
 * Why a swap for this invoice is not opened now: asked inside the commit that opens it, since whoever gives out the
 * invoice decides how long that took. `waits`: for what the client gives, once it was given.
 */
export function notPayableNow(
  context: ServiceContext,
  invoice: Bolt11,
  price: Price,
  waits = seconds(0),
): Refusal | null {
  const { config, policy, runtime, networks } = context;
  const lightning = networks.lightning();
  if (lightning.state !== 'connected')
    return refuse('unavailable', 'The Lightning node does not answer now: try again later.');
  const amount = checkInvoice(invoice, {
    network: config.network,
    now: runtime.clock.now().wall,
    fundingWindow: seconds(policy.fundingWindow + waits),
    ownNode: asPublicKey(fromHex(lightning.facts.info.pubkey)),
    targetAmount: price.target,
  });
  return isRefusal(amount) ? amount : null;
}

/** What the terms of a swap say of the invoice that it pays. */
export function invoiceTerms({ text, expiresAt, finalCltv }: PaidInvoice) {
  return { bolt11: text, invoiceExpiresAt: expiresAt, finalCltv };
}
