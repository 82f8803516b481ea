import { asSha256 } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import type { ListedInvoice, ListedPayment, ListPage } from '../../legs/lightning/port.ts';
import { type Lnd, timed, unary } from './rpc.ts';

/** lnd's Payment message, as far as a list of them is used. */
interface Payment {
  readonly payment_index: string;
  readonly payment_hash: string;
  readonly status: string;
  readonly htlcs: readonly { readonly status: string; readonly route: { readonly total_amt_msat: string } | null }[];
}

/** lnd's Invoice message, in the same way. */
interface Invoice {
  readonly add_index: string;
  readonly r_hash: Uint8Array;
  readonly memo: string;
  readonly state: string;
  readonly htlcs: readonly { readonly chan_id: string; readonly amt_msat: string; readonly state: string }[];
}

export async function payments(node: Lnd, page: ListPage): Promise<readonly ListedPayment[]> {
  const { offset, most, reversed } = bounds(page);
  const request = { include_incomplete: true, index_offset: offset, max_payments: most, reversed };
  const { payments: rows } = await timed(node, 'list its payments', 'safe', () =>
    unary<{ payments: readonly Payment[] }>(node, (options, done) =>
      node.lnd.default.listPayments(request, options, done),
    ),
  );
  return rows.map(paymentOf);
}

export async function invoices(node: Lnd, page: ListPage): Promise<readonly ListedInvoice[]> {
  const { offset, most, reversed } = bounds(page);
  const request = { pending_only: false, index_offset: offset, num_max_invoices: most, reversed };
  const { invoices: rows } = await timed(node, 'list its invoices', 'safe', () =>
    unary<{ invoices: readonly Invoice[] }>(node, (options, done) =>
      node.lnd.default.listInvoices(request, options, done),
    ),
  );
  return rows.map(invoiceOf);
}

/** An offset of zero is the end of the list where it is read backwards. */
function bounds(page: ListPage): { offset: string; most: string; reversed: boolean } {
  return 'newest' in page
    ? { offset: '0', most: String(page.newest), reversed: true }
    : { offset: String(page.after), most: String(page.most), reversed: false };
}

/**
 * A payment is what its parts carried: some send more than was asked, and some invoices ask for nothing. Parts of one
 * that is under way may be with the payee for good already.
 */
function paymentOf({ payment_index: index, payment_hash: hash, status, htlcs }: Payment): ListedPayment {
  const is = status === 'SUCCEEDED' ? 'settled' : status === 'FAILED' ? 'failed' : 'in-flight';
  const parts = htlcs.filter((part) => part.status === 'SUCCEEDED');
  return {
    index: Number(index),
    hash: asSha256(fromHex(hash)),
    is,
    sent: parts.reduce((sum, { route }) => sum + BigInt(route?.total_amt_msat ?? 0), 0n),
  };
}

function invoiceOf({ add_index: index, r_hash: hash, memo, state, htlcs }: Invoice): ListedInvoice {
  const is = state === 'SETTLED' ? 'settled' : state === 'CANCELED' ? 'cancelled' : 'open';
  const parts = is === 'settled' ? htlcs.filter((part) => part.state === 'SETTLED') : [];
  return {
    index: Number(index),
    hash: asSha256(Uint8Array.from(hash)),
    description: memo,
    is,
    came: parts.map(({ chan_id: channel, amt_msat: msat }) => ({ channel, msat: BigInt(msat) })),
  };
}
