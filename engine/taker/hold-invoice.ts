import { isRefusal, type Refusal } from '../domain/errors.ts';
import { sameBytes } from '../domain/hash.ts';
import { msatPerSat, sats, type Sats } from '../domain/money.ts';
import type { Clocks } from '../domain/time.ts';
import { invoiceSats, type Bolt11, type DecodeInvoice } from '../legs/lightning/invoice.ts';
import type { LightningLeg, OrderTerms } from './terms.ts';
import { distrust, leastTimeToPay, objection, type Objection } from './verify.ts';

/** What a record says of the invoice that we would pay. */
export interface HoldRecord {
  readonly source_amount: string;
  readonly bolt11_invoice: string;
  readonly invoice_expires_at?: number | undefined;
}
type Ordered = Pick<OrderTerms, 'network' | 'hash' | 'policy' | 'restored'> & { readonly description: string };

/**
 * In millisatoshis, what a private way to the payee may take: a hundredth, or the base fees of a few channels. Whoever
 * owns it may be the provider itself, which would be paid beside its quote (facts/faults.md 272).
 */
function mostHinted(amount: Sats): bigint {
  const [hundredth, baseFees] = [(amount * msatPerSat) / 100n, 10n * msatPerSat];
  return hundredth > baseFees ? hundredth : baseFees;
}

/** What is wrong with the hold invoice that we would pay. */
function wrongInvoice(invoice: Bolt11, record: HoldRecord, terms: Ordered, now: Clocks): Objection {
  const amount = invoiceSats(invoice);
  if (isRefusal(amount)) return 'its invoice does not ask for a whole number of sats';
  // Of one that is found again nobody pays the invoice any more.
  const isRestored = terms.restored !== undefined;
  const { feeMsat, blocks: hinted } = invoice.hinted;
  const blocks = invoice.finalCltv + (isRestored ? 0 : hinted);
  const mostBlocks = Math.floor(terms.policy.longestLeg / terms.policy.fastBlock);
  return (
    objection(
      invoice.network === terms.network,
      `its invoice is for the network ${invoice.network}, we are on ${terms.network}`,
    ) ??
    objection(sameBytes(invoice.hash, terms.hash), 'its invoice has another payment hash than ours') ??
    objection(
      amount.toString() === record.source_amount,
      `its invoice asks for ${amount} sats, its source amount is ${record.source_amount}`,
    ) ??
    objection(
      invoice.description === terms.description && invoice.descriptionHash === null,
      'its invoice carries another text than ours',
    ) ??
    objection(
      !invoice.hasFallback || isRestored,
      'its invoice names an address on the Bitcoin chain, where what is paid is bound to no secret and never comes back',
    ) ??
    objection(
      record.invoice_expires_at === undefined || invoice.expiresAt === record.invoice_expires_at,
      `its invoice expires at ${invoice.expiresAt}, it says ${record.invoice_expires_at}`,
    ) ??
    objection(
      invoice.expiresAt >= now.wall + leastTimeToPay,
      `its invoice expires at ${invoice.expiresAt}, too soon to be paid`,
    ) ??
    objection(
      isRestored || feeMsat <= mostHinted(amount),
      `its invoice names a way to its payee that takes ${feeMsat / msatPerSat} sats of ${amount}, too much for a fee`,
    ) ??
    objection(
      blocks <= mostBlocks,
      `its invoice could hold a payment for ${blocks} blocks, at most ${mostBlocks} are accepted`,
    )
  );
}

/** The payment that the invoice asks for, or the sentence for which nobody is shown it. */
export function holdLegOf(
  record: HoldRecord,
  terms: Ordered,
  now: Clocks,
  decode: DecodeInvoice,
): LightningLeg | Refusal {
  const invoice = decode(record.bolt11_invoice);
  if (isRefusal(invoice)) return distrust('its invoice cannot be read');
  const wrong = wrongInvoice(invoice, record, terms, now);
  if (wrong !== null) return distrust(wrong);
  return {
    on: 'lightning',
    amount: sats(BigInt(record.source_amount)),
    bolt11: invoice.text,
    expiresAt: invoice.expiresAt,
  };
}
