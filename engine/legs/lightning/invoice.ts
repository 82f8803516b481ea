import type { BitcoinNetwork } from '../../domain/chain.ts';
import { type Refusal, refuse } from '../../domain/errors.ts';
import { type PublicKey, sameBytes, type Sha256 } from '../../domain/hash.ts';
import { msatPerSat, type Sats, sats } from '../../domain/money.ts';
import { after, type Seconds, type Unix } from '../../domain/time.ts';
import { invoiceSpare } from '../timelocks.ts';

/** A BOLT 11 invoice whose signature and encoding were checked, with nothing decided about it. */
export interface Bolt11 {
  /** The invoice as it was given, lower case. */
  readonly text: string;
  /** `other` is any chain but those that a node can be bound to. */
  readonly network: BitcoinNetwork | 'other';
  /** Null where the payer chooses. */
  readonly amountMsat: bigint | null;
  readonly hash: Sha256;
  readonly createdAt: Unix;
  readonly expiresAt: Unix;
  /** Blocks that the payee wants between its receipt and the timeout; 18 where the invoice names none (BOLT 11). */
  readonly finalCltv: number;
  readonly description: string | null;
  readonly descriptionHash: Sha256 | null;
  readonly payee: PublicKey;
  /** Whether it names an address on the Bitcoin chain as well: what is paid there is bound to no hash. */
  readonly hasFallback: boolean;
  /** The most that the ways to its payee take which it names itself (BOLT 11, field `r`), beside any other way. */
  readonly hinted: { readonly feeMsat: bigint; readonly blocks: number };
}

/** Reads an invoice; a text that is none, or a malformed one, is a refusal. */
export type DecodeInvoice = (text: string) => Bolt11 | Refusal;

/** The amount in whole satoshis; refuses what no other leg could match exactly (facts/faults.md 28). */
export function invoiceSats(invoice: Bolt11): Sats | Refusal {
  if (invoice.amountMsat === null) {
    return refuse(
      'invalid',
      'lightning_invoice carries no amount. Ask the payee for an invoice with the amount in it.',
    );
  }
  if (invoice.amountMsat === 0n)
    return refuse(
      'invalid',
      'lightning_invoice asks for 0 sats. Ask the payee for an invoice with an amount above zero.',
    );
  if (invoice.amountMsat % msatPerSat !== 0n) {
    return refuse(
      'invalid',
      `lightning_invoice asks for ${invoice.amountMsat} millisatoshis, which is not a whole number of satoshis. ` +
        'Ask for an invoice over whole satoshis.',
    );
  }
  return sats(invoice.amountMsat / msatPerSat);
}

const prefixes: Readonly<Record<string, BitcoinNetwork>> = { bc: 'mainnet', tbs: 'signet', bcrt: 'regtest' };

/**
 * By the first letters of an invoice (BOLT 11, "Human-Readable Part"), in either case; nothing else of it is judged.
 */
export function networkOfInvoice(bolt11: string): Bolt11['network'] {
  return prefixes[/^ln(bcrt|tbs|tb|bc)/i.exec(bolt11)?.[1]?.toLowerCase() ?? ''] ?? 'other';
}

/**
 * The first thing to hear of an invoice: that it asks for the bitcoin of another network. Null where it is of this one.
 */
export function foreignInvoice(of: Bolt11['network'], network: BitcoinNetwork): Refusal | null {
  if (of === network) return null;
  return refuse(
    'invalid',
    `lightning_invoice is for another network (${of}); this node is on ${network}. Ask for an invoice on ${network}.`,
  );
}

export interface InvoiceRules {
  readonly network: BitcoinNetwork;
  readonly now: Unix;
  /** How long the client may take to fund: the invoice must outlive it. */
  readonly fundingWindow: Seconds;
  /** Key of the node that would pay; null while it has not been read. */
  readonly ownNode: PublicKey | null;
  /** `target_amount_sats` of the request, null where it was not given. */
  readonly targetAmount: Sats | null;
}

/**
 * The rules of facts/clients.md 6 and of facts/faults.md 28, in the order in which a person would want to hear of them.
 * Answers the amount to pay out. Wrong: the client funds a leg whose payment cannot be made, or is made to itself.
 */
export function checkInvoice(invoice: Bolt11, rules: InvoiceRules): Sats | Refusal {
  const foreign = foreignInvoice(invoice.network, rules.network);
  if (foreign !== null) return foreign;
  const amount = invoiceSats(invoice);
  if (typeof amount !== 'bigint') return amount;
  if (rules.targetAmount !== null && rules.targetAmount !== amount) {
    return refuse(
      'invalid',
      `target_amount_sats is ${rules.targetAmount}, but lightning_invoice asks for ${amount}. Leave ` +
        `target_amount_sats out or give the invoice's amount.`,
    );
  }
  if (invoice.expiresAt <= rules.now) {
    return refuse(
      'invalid',
      `lightning_invoice expired at ${invoice.expiresAt}; it is ${rules.now} now. Ask for a new invoice.`,
    );
  }
  const needed = after(after(rules.now, rules.fundingWindow), invoiceSpare);
  if (invoice.expiresAt < needed) {
    return refuse(
      'invalid',
      `lightning_invoice expires at ${invoice.expiresAt}, before the swap could be funded and paid (${needed}). ` +
        'Ask for an invoice that is valid for longer.',
    );
  }
  if (rules.ownNode !== null && sameBytes(invoice.payee, rules.ownNode)) {
    return refuse(
      'invalid',
      'lightning_invoice was made by the Lightning node of this service, which cannot pay itself. Give an invoice ' +
        'of another node.',
    );
  }
  return amount;
}
