import { inSats, type Amount } from './amount.ts';
import { ask, textOf, type Json } from './http.ts';
import type { Followed } from './follow.ts';
import type { DemoNode } from './node.ts';
import { amount, type Tour } from './tour.ts';

/** What the payee of a swap's invoice has, by the payee's own word. */
export async function paid(node: DemoNode, record: Json): Promise<Amount> {
  const { state } = await ask(node, 'GET', `/sandbox/lightning/payments/${textOf(record, 'hash_lock').slice(2)}`);
  if (state !== 'settled') throw new Error(`The payment is ${String(state)}, not settled.`);
  return inSats(BigInt(textOf(record, 'target_amount')));
}

interface Invoice {
  readonly bolt11: string;
  readonly hash: string;
}

async function invoice(node: DemoNode, hold: boolean): Promise<Invoice> {
  const made = await ask(node, 'POST', '/sandbox/lightning/invoice', { amount_sats: 2 * amount, hold });
  return { bolt11: textOf(made, 'bolt11'), hash: textOf(made, 'payment_hash') };
}

/** An invoice whose payee takes the payment. */
export const openInvoice = (node: DemoNode): Promise<Invoice> => invoice(node, false);

/** An invoice that its payee neither takes nor refuses by itself. */
export const heldInvoice = (node: DemoNode): Promise<Invoice> => invoice(node, true);

interface Unpaid {
  readonly swap: Followed;
  /** Of the held invoice, which the service pays once the swap is `serverfunded`. */
  readonly hash: string;
}

/** The payee refuses the payment of its held invoice, which leaves what the client gave to be given back. */
export async function refused({ node, say }: Pick<Tour, 'node' | 'say'>, { swap, hash }: Unpaid): Promise<void> {
  await swap.until('serverfunded');
  say('  the payee refuses the payment');
  await ask(node, 'POST', '/sandbox/lightning/release', { payment_hash: hash, outcome: 'fails' });
  await swap.until('serverwontfund');
}
