import { PortFailure, type Retry } from '../../domain/errors.ts';
import { type Sha256, asPreimage, asSha256 } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { sats } from '../../domain/money.ts';
import { unix } from '../../domain/time.ts';
import type { HoldState, LightningPort, LightningWatch, PaymentState } from '../../legs/lightning/port.ts';
import { LightningError } from '../world/lightning/errors.ts';
import type { LightningWorld } from '../world/lightning/lightning.ts';
import { routeFee } from '../world/lightning/network.ts';
import { readInvoice } from '../world/lightning/payments.ts';
import type { Invoice } from '../world/lightning/records.ts';
import { type Chaos, withChaos } from './chaos.ts';

/** The owner's Lightning node in process, straight over the world. */
export function createLightningPort(world: LightningWorld, chaos?: Chaos): LightningPort {
  return { ...withChaos(chaos, methods(world)), watch: (handlers) => watch(world, handlers) };
}

function methods(world: LightningWorld): Omit<LightningPort, 'watch'> {
  return {
    async info() {
      reachable(world, 'safe');
      return { alias: 'sandbox', pubkey: world.pubkey('node'), version: 'sandbox', network: 'regtest', height: world.clock.height(), synced: true };
    },
    async liquidity() {
      reachable(world, 'safe');
      const { node, hubToNode, outgoing, incoming } = world.balances();
      return { outbound: wholeSats(node), inbound: wholeSats(hubToNode), pending: wholeSats(outgoing + incoming) };
    },
    async createHold({ hash, amount, description, expiresAt, cltvDelta }) {
      reachable(world, 'ask-first');
      const amountMsat = amount * 1000n;
      const known = world.invoice('node', toHex(hash));
      if (known !== undefined) {
        const same = known.hold && known.amountMsat === amountMsat && known.memo === description && known.cltvDelta === cltvDelta;
        if (!same) throw new PortFailure('hold-taken', 'never', `the node already has an invoice with other terms for the hash ${known.hash}`);
        return { bolt11: known.bolt11, expiresAt: unix(known.expiresAt) };
      }
      const invoice = refusing(() =>
        world.addInvoice('node', { hash: toHex(hash), hold: true, amountMsat, memo: description, cltvDelta, expirySeconds: expiresAt - world.clock.now() }),
      );
      return { bolt11: invoice.bolt11, expiresAt: unix(invoice.expiresAt) };
    },
    async hold(hash) {
      reachable(world, 'safe');
      return holdState(world.invoice('node', toHex(hash)));
    },
    async settle(preimage) {
      reachable(world, 'ask-first');
      refusing(() => world.settle('node', toHex(preimage)));
    },
    async cancel(hash) {
      reachable(world, 'ask-first');
      // An invoice that does not exist cannot be paid either.
      if (world.invoice('node', toHex(hash)) !== undefined) refusing(() => world.cancel('node', toHex(hash)));
    },
    async pay({ bolt11, hash, amount, maxFeeMsat, maxTimeoutHeight }) {
      reachable(world, 'ask-first');
      const request = refusing(() => readInvoice(bolt11));
      if (request.hash !== toHex(hash)) throw new PortFailure('invoice-mismatch', 'never', `the invoice pays the hash ${request.hash}, not ${toHex(hash)}`);
      if (request.amountMsat !== amount * 1000n) {
        throw new PortFailure('invoice-mismatch', 'never', `the invoice asks ${request.amountMsat} msat, not the ${amount} sats agreed`);
      }
      // lnd would try a failed payment anew; for the engine a hash is paid once or has failed for good.
      if (world.payment('node', request.hash) !== undefined) return;
      const cltvLimit = maxTimeoutHeight - world.clock.height();
      refusing(() => world.send('node', { bolt11, feeLimitMsat: maxFeeMsat, cltvLimit }));
    },
    async payment(hash) {
      reachable(world, 'safe');
      return paymentState(world, hash);
    },
    async estimateFee(bolt11) {
      reachable(world, 'safe');
      const request = refusing(() => readInvoice(bolt11));
      if (request.destination !== world.pubkey('outside')) return null;
      return sats((routeFee(request.amountMsat ?? 0n) + 999n) / 1000n);
    },
    async createInvoice({ amount, description }) {
      reachable(world, 'ask-first');
      const { bolt11, hash } = refusing(() => world.addInvoice('node', { hold: false, amountMsat: amount * 1000n, memo: description }));
      return { bolt11, hash: asSha256(fromHex(hash)) };
    },
  };
}

function holdState(invoice: Invoice | undefined): HoldState {
  if (invoice === undefined) return { is: 'absent' };
  if (invoice.state !== 'accepted') return { is: invoice.state };
  if (invoice.htlc === null) throw new Error(`the accepted invoice ${invoice.hash} has no HTLC`);
  return { is: 'held', amount: wholeSats(invoice.htlc.amountMsat), expiryHeight: invoice.htlc.expiryHeight };
}

function paymentState(world: LightningWorld, hash: Sha256): PaymentState {
  const payment = world.payment('node', toHex(hash));
  if (payment === undefined) return { is: 'absent' };
  if (payment.outcome === 'settled' && payment.preimage !== null) {
    return { is: 'settled', preimage: asPreimage(fromHex(payment.preimage)), feeMsat: payment.feeMsat };
  }
  return payment.outcome === 'failed' ? { is: 'failed', reason: payment.failure ?? 'unknown' } : { is: 'in-flight' };
}

function watch(world: LightningWorld, handlers: Parameters<LightningPort['watch']>[0]): LightningWatch {
  const holds = new Set<string>();
  const payments = new Set<string>();
  const stop = world.onEvent((event) => {
    if (event.is === 'node' && event.state === 'back') return handlers.onGap();
    if (world.faults().node === 'away') return;
    if (event.is === 'invoice' && event.owner === 'node' && holds.has(event.hash)) handlers.onHold(hashOf(event.hash));
    if (event.is === 'payment' && event.payer === 'node' && payments.has(event.hash)) handlers.onPayment(hashOf(event.hash));
  });
  return {
    addHold: (hash) => void holds.add(toHex(hash)),
    removeHold: (hash) => void holds.delete(toHex(hash)),
    addPayment: (hash) => void payments.add(toHex(hash)),
    removePayment: (hash) => void payments.delete(toHex(hash)),
    stop: async () => stop(),
  };
}

function reachable(world: LightningWorld, retry: Retry): void {
  if (world.faults().node === 'away') throw new PortFailure('lightning-away', retry, 'the Lightning node does not answer');
}

/** What the node refuses did not happen and will not; only an open invoice can still come to be held. */
function refusing<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof LightningError) throw new PortFailure(error.kind, error.kind === 'invoice-open' ? 'safe' : 'never', error.message, error);
    throw error;
  }
}

function wholeSats(msat: bigint): ReturnType<typeof sats> {
  return sats(msat / 1000n);
}

function hashOf(hex: string): Sha256 {
  return asSha256(fromHex(hex));
}
