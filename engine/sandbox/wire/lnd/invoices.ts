import { status } from '@grpc/grpc-js';
import type { NewInvoice } from '../../world/lightning/invoices.ts';
import type { LightningWorld } from '../../world/lightning/lightning.ts';
import {
  type Message,
  type Stream,
  type Streaming,
  type Unary,
  RpcError,
  big,
  bytesOf,
  hexOf,
  text,
  whole,
} from './calls.ts';
import { invoiceMessage } from './messages.ts';

/** lnd's calls about the node's own invoices: `lnrpc` and `invoicesrpc`. */
export function invoiceCalls(
  world: LightningWorld,
): Record<
  'addInvoice' | 'lookupInvoice' | 'listInvoices' | 'addHoldInvoice' | 'settleInvoice' | 'cancelInvoice',
  Unary
> {
  return {
    addInvoice(request) {
      const preimage = hexOf(request['r_preimage']);
      const invoice = world.addInvoice('node', {
        ...termsOf(request),
        ...(preimage === '' ? {} : { preimage }),
        hold: false,
      });
      return {
        r_hash: bytesOf(invoice.hash),
        payment_request: invoice.bolt11,
        add_index: invoice.addIndex,
        payment_addr: bytesOf(invoice.paymentSecret),
      };
    },
    addHoldInvoice(request) {
      const invoice = world.addInvoice('node', { ...termsOf(request), hash: hexOf(request['hash']), hold: true });
      return {
        payment_request: invoice.bolt11,
        add_index: invoice.addIndex,
        payment_addr: bytesOf(invoice.paymentSecret),
      };
    },
    lookupInvoice: (request) =>
      invoiceMessage(invoiceOf(world, hexOf(request['r_hash']) || text(request['r_hash_str']))),
    listInvoices(request) {
      const offset = whole(request['index_offset']);
      const limit = whole(request['num_max_invoices']) || 100;
      const matching = world
        .invoices('node')
        .filter(
          (invoice) => request['pending_only'] !== true || invoice.state === 'open' || invoice.state === 'accepted',
        );
      const invoices =
        request['reversed'] === true
          ? matching.filter((invoice) => offset === 0 || invoice.addIndex < offset).slice(-limit)
          : matching.filter((invoice) => invoice.addIndex > offset).slice(0, limit);
      return {
        invoices: invoices.map(invoiceMessage),
        first_index_offset: invoices.at(0)?.addIndex ?? 0,
        last_index_offset: invoices.at(-1)?.addIndex ?? 0,
      };
    },
    settleInvoice(request) {
      world.settle('node', hexOf(request['preimage']));
      return {};
    },
    cancelInvoice(request) {
      world.cancel('node', hexOf(request['payment_hash']));
      return {};
    },
  };
}

export function invoiceStreams(
  world: LightningWorld,
): Record<'subscribeInvoices' | 'subscribeSingleInvoice', Streaming> {
  return {
    /** Reports additions and settlements only, as lnd does: never that an invoice is held or cancelled. */
    subscribeInvoices(request, stream) {
      const added = whole(request['add_index']);
      const settled = whole(request['settle_index']);
      if (added > 0)
        for (const invoice of world.invoices('node'))
          if (invoice.addIndex > added) stream.write(invoiceMessage(invoice));
      if (settled > 0)
        for (const invoice of world.invoices('node'))
          if (invoice.settleIndex > settled) stream.write(invoiceMessage(invoice));
      const stop = world.onEvent((event) => {
        if (
          event.is === 'invoice' &&
          event.owner === 'node' &&
          (event.change === 'added' || event.change === 'settled')
        )
          stream.write(invoiceMessage(invoiceOf(world, event.hash)));
      });
      stream.onEnd(stop);
    },
    /** Waits for an invoice that does not exist yet, and ends with its last state. */
    subscribeSingleInvoice(request, stream) {
      const hash = hexOf(request['r_hash']);
      const stop = world.onEvent((event) => {
        if (event.is === 'invoice' && event.owner === 'node' && event.hash === hash) tell(world, hash, stream);
      });
      stream.onEnd(stop);
      if (world.invoice('node', hash) !== undefined) tell(world, hash, stream);
    },
  };
}

function tell(world: LightningWorld, hash: string, stream: Stream): void {
  const invoice = invoiceOf(world, hash);
  stream.write(invoiceMessage(invoice));
  if (invoice.state === 'settled' || invoice.state === 'cancelled') stream.end();
}

function invoiceOf(world: LightningWorld, hash: string): NonNullable<ReturnType<LightningWorld['invoice']>> {
  const invoice = world.invoice('node', hash);
  if (invoice === undefined) throw new RpcError(status.NOT_FOUND, 'unable to locate invoice');
  return invoice;
}

function termsOf(request: Message): Omit<NewInvoice, 'hold'> {
  const descriptionHash = hexOf(request['description_hash']);
  const amountMsat = big(request['value_msat']) || big(request['value']) * 1000n;
  return {
    amountMsat: amountMsat === 0n ? null : amountMsat,
    memo: text(request['memo']),
    ...(descriptionHash === '' ? {} : { descriptionHash }),
    ...(whole(request['expiry']) === 0 ? {} : { expirySeconds: whole(request['expiry']) }),
    ...(whole(request['cltv_expiry']) === 0 ? {} : { cltvDelta: whole(request['cltv_expiry']) }),
  };
}
