import type { LightningPort, LightningSubscription } from '../../legs/lightning/port.ts';
import { cancel, createHold, createInvoice, hold, settle } from './holds.ts';
import { closingFunds } from './closing.ts';
import { createChainWallet } from './chain-wallet.ts';
import { holdings } from './holdings.ts';
import { invoices, payments } from './listings.ts';
import { estimateFee, info, liquidity } from './node.ts';
import { pay, payment } from './payments.ts';
import { type LndConnection, closeLnd, openLnd } from './rpc.ts';
import { watch } from './watch.ts';

/** The owner's lnd behind the engine's port. Nothing is asked of it here. */
export function connectLnd(connection: LndConnection): LightningPort & { stop(): Promise<void> } {
  const node = openLnd(connection);
  const watches = new Set<LightningSubscription>();
  return {
    info: () => info(node),
    liquidity: () => liquidity(node),
    createHold: (terms) => createHold(node, terms),
    hold: (hash) => hold(node, hash),
    settle: (preimage) => settle(node, preimage),
    cancel: (hash) => cancel(node, hash),
    pay: (request) => pay(node, request),
    payment: (hash) => payment(node, hash),
    estimateFee: (bolt11) => estimateFee(node, bolt11),
    createInvoice: (invoice) => createInvoice(node, invoice),
    holdings: () => holdings(node),
    chainWallet: createChainWallet(node),
    closingFunds: () => closingFunds(node),
    payments: (page) => payments(node, page),
    invoices: (page) => invoices(node, page),
    watch(handlers) {
      const started = watch(node, handlers);
      watches.add(started);
      return started;
    },
    async stop() {
      await Promise.all([...watches].map((started) => started.stop()));
      closeLnd(node);
    },
  };
}
