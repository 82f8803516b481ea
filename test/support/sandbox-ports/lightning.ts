import type { Retry } from '../../../engine/domain/errors.ts';
import { type Sha256, asPreimage, asSha256 } from '../../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { type Unix, unix } from '../../../engine/domain/time.ts';
import { msatPerSat } from '../../../engine/domain/money.ts';
import type {
  HoldState,
  LightningLiquidity,
  LightningPort,
  LightningSubscription,
  PaymentState,
} from '../../../engine/legs/lightning/port.ts';
import { type PaymentRequest, decodeInvoice } from '../../../engine/sandbox/world/lightning/bolt11.ts';
import { LightningError, type LightningErrorKind } from '../../../engine/sandbox/world/lightning/errors.ts';
import type { BitcoinWorld } from '../../../engine/sandbox/world/bitcoin/chain.ts';
import type { LightningWorld } from '../../../engine/sandbox/world/lightning/lightning.ts';
import { finalCltvPadding, largestPartMsat, routeFee } from '../../../engine/sandbox/world/lightning/network.ts';
import type { Invoice, PaymentFailure } from '../../../engine/sandbox/world/lightning/records.ts';
import { chainWallet, closingFunds, holdings, invoices, payments } from './lightning-listings.ts';
import { type Chaos, withChaos } from './chaos.ts';
import { lightningFailure, type LightningFailure } from '../../../engine/legs/lightning/failures.ts';

/**
 * The owner's Lightning node in process, straight over the world; `wall` is the clock of the machine that asks, the
 * world's own unless given, and `bitcoin` the chain on which it has a wallet.
 */
export function createLightningPort(
  world: LightningWorld,
  {
    chaos,
    wall = () => unix(world.clock.now()),
    bitcoin,
  }: { chaos?: Chaos; wall?: () => Unix; bitcoin?: BitcoinWorld } = {},
): LightningPort {
  return { ...withChaos(chaos, methods(world, wall, bitcoin)), watch: (handlers) => watch(world, handlers) };
}

function methods(
  world: LightningWorld,
  wall: () => Unix,
  bitcoin: BitcoinWorld | undefined,
): Omit<LightningPort, 'watch'> {
  return {
    async info() {
      reachable(world, 'safe');
      followsChain(world);
      return {
        alias: 'sandbox',
        pubkey: world.pubkey('node'),
        version: world.like.version,
        network: 'regtest',
        height: world.clock.height(),
        tipTime: unix(world.clock.tipTime()),
        synced: true,
      };
    },
    async liquidity() {
      reachable(world, 'safe');
      return liquidity(world);
    },
    async createHold(terms) {
      reachable(world, 'ask-first');
      const there = world.invoice('node', toHex(terms.hash));
      if (there !== undefined) return answerKnown(there, terms, wall());
      const left = terms.expiresAt - wall();
      if (left <= 0)
        throw lightningFailure(
          'hold-late',
          'never',
          `The invoice was to expire at ${terms.expiresAt} and was not made before that.`,
        );
      const request = {
        hash: toHex(terms.hash),
        hold: true,
        amountMsat: terms.amount * msatPerSat,
        memo: terms.description,
        ...(terms.descriptionHash === undefined ? {} : { descriptionHash: toHex(terms.descriptionHash) }),
        cltvDelta: terms.cltvDelta,
        expirySeconds: left,
      };
      const invoice = refusing({ 'bad-request': ['hold-refused', 'never'] }, () => world.addInvoice('node', request));
      return { bolt11: invoice.bolt11, expiresAt: unix(invoice.expiresAt) };
    },
    async hold(hash) {
      reachable(world, 'safe');
      return holdState(world.invoice('node', toHex(hash)));
    },
    async settle(preimage) {
      reachable(world, 'ask-first');
      refusing(
        {
          'unknown-invoice': ['hold-absent', 'never'],
          'invoice-open': ['hold-open', 'safe'],
          'invoice-cancelled': ['hold-cancelled', 'never'],
        },
        () => world.settle('node', toHex(preimage)),
      );
    },
    async cancel(hash) {
      reachable(world, 'ask-first');
      // An invoice that does not exist cannot be paid either.
      if (world.invoice('node', toHex(hash)) !== undefined)
        refusing({ 'invoice-settled': ['hold-settled', 'never'] }, () => world.cancel('node', toHex(hash)));
    },
    async pay({ bolt11, hash, amount, maxFeeMsat, maxTimeoutHeight, maxParts: mostParts }) {
      const invoice = read(bolt11);
      const same =
        invoice.network === 'regtest' && invoice.hash === toHex(hash) && invoice.amountMsat === amount * msatPerSat;
      if (!same)
        throw lightningFailure(
          'invoice-mismatch',
          'never',
          'The invoice is for another hash, amount or network than the payment that was asked for.',
        );
      reachable(world, 'safe');
      // lnd would try a failed payment anew; for the engine a hash is paid once or has failed for good.
      if (world.payment('node', invoice.hash) !== undefined) return;
      followsChain(world);
      const cltvLimit = maxTimeoutHeight - world.clock.height();
      if (cltvLimit < finalCltvPadding)
        throw lightningFailure(
          'payment-too-late',
          'never',
          `The payment must be over by height ${maxTimeoutHeight}; the chain is at ${world.clock.height()}.`,
        );
      const refused = ['payment-refused', 'never'] as const;
      // lnd's adapter reads it before lnd does.
      const amp = ['invoice-malformed', 'never'] as const;
      refusing({ amp, expired: refused, 'cltv-limit': refused, 'self-payment': refused }, () =>
        world.send('node', { bolt11, feeLimitMsat: maxFeeMsat, cltvLimit, mostParts }),
      );
    },
    async payment(hash) {
      reachable(world, 'safe');
      return paymentState(world, hash);
    },
    async estimateFee(bolt11) {
      const { amountMsat, destination } = read(bolt11);
      if (amountMsat === null)
        throw lightningFailure(
          'invoice-malformed',
          'never',
          'The Lightning invoice carries no amount, so its fee cannot be told.',
        );
      reachable(world, 'safe');
      followsChain(world);
      if (destination !== world.pubkey('outside')) return null;
      const parts = partCounts.find((count) => amountMsat <= largestPartMsat * count);
      if (parts === undefined) return null;
      const feeMsat = routeFee((amountMsat + parts - 1n) / parts) * parts;
      return amountMsat + feeMsat > liquidity(world).outbound * msatPerSat
        ? null
        : sats((feeMsat + msatPerSat - 1n) / msatPerSat);
    },
    async holdings() {
      reachable(world, 'safe');
      return holdings(world);
    },
    async chainWallet(from) {
      reachable(world, 'safe');
      return chainWallet(world, bitcoin, from);
    },
    async closingFunds() {
      reachable(world, 'safe');
      return closingFunds(world, bitcoin);
    },
    async payments(page) {
      reachable(world, 'safe');
      return payments(world, page);
    },
    async invoices(page) {
      reachable(world, 'safe');
      return invoices(world, page);
    },
    async createInvoice({ amount, description }) {
      reachable(world, 'ask-first');
      const { bolt11, hash } = world.addInvoice('node', {
        hold: false,
        amountMsat: amount === null ? null : amount * msatPerSat,
        memo: description,
      });
      return { bolt11, hash: asSha256(fromHex(hash)) };
    },
  };
}

/** Into how many equal parts an estimate is reckoned. */
const partCounts = [1n, 2n, 4n, 8n, 16n];

function liquidity(world: LightningWorld): LightningLiquidity {
  const { node, hubToNode, outgoing, incoming } = world.balances();
  const active = world.faults().peer === 'back';
  return {
    outbound: wholeSats(active ? node : 0n),
    inbound: wholeSats(active ? hubToNode : 0n),
    pending: wholeSats(outgoing + incoming),
    leastHeld: sats(active ? 354 : 0),
  };
}

function answerKnown(
  invoice: Invoice,
  terms: Parameters<LightningPort['createHold']>[0],
  now: number,
): { bolt11: string; expiresAt: Unix } {
  const same =
    invoice.hold &&
    invoice.amountMsat === terms.amount * msatPerSat &&
    invoice.memo === terms.description &&
    invoice.descriptionHash === (terms.descriptionHash === undefined ? null : toHex(terms.descriptionHash)) &&
    invoice.cltvDelta === terms.cltvDelta;
  const which =
    terms.again !== true
      ? 'that it was not asked for'
      : !same
        ? 'with other terms'
        : invoice.state !== 'open' || invoice.htlcs.length > 0 || invoice.expiresAt <= now
          ? 'that is paid or over'
          : null;
  if (which !== null)
    throw lightningFailure(
      'hold-taken',
      'never',
      `The Lightning node already has an invoice with this payment hash ${which}.`,
    );
  return { bolt11: invoice.bolt11, expiresAt: unix(invoice.expiresAt) };
}

function read(bolt11: string): PaymentRequest {
  try {
    return decodeInvoice(bolt11);
  } catch {
    throw lightningFailure(
      'invoice-malformed',
      'never',
      'The Lightning invoice cannot be read. Copy it again or ask the payee for a new one.',
    );
  }
}

function holdState(invoice: Invoice | undefined): HoldState {
  if (invoice === undefined) return { is: 'absent' };
  if (invoice.state !== 'accepted') return { is: invoice.state };
  const msat = invoice.htlcs.reduce((sum, htlc) => sum + htlc.amountMsat, 0n);
  return {
    is: 'held',
    amount: wholeSats(msat),
    smallest: wholeSats(
      invoice.htlcs.reduce((least, { amountMsat }) => (amountMsat < least ? amountMsat : least), msat),
    ),
    expiryHeight: Math.min(...invoice.htlcs.map((htlc) => htlc.expiryHeight)),
  };
}

function paymentState(world: LightningWorld, hash: Sha256): PaymentState {
  const payment = world.payment('node', toHex(hash));
  if (payment === undefined) return { is: 'absent' };
  if (payment.outcome === 'settled' && payment.preimage !== null) {
    return { is: 'settled', preimage: asPreimage(fromHex(payment.preimage)), feeMsat: payment.feeMsat };
  }
  return payment.outcome === 'failed'
    ? { is: 'failed', reason: reasons[payment.failure ?? 'no-route'] }
    : { is: 'in-flight' };
}

/** In the words of lnd. */
const reasons: Record<PaymentFailure, string> = {
  'no-route': 'no route',
  'insufficient-balance': 'insufficient balance',
  'incorrect-details': 'incorrect payment details',
};

function watch(world: LightningWorld, handlers: Parameters<LightningPort['watch']>[0]): LightningSubscription {
  const holds = new Set<string>();
  const payments = new Set<string>();
  let stopped = false;
  const stop = world.onEvent((event) => {
    if (event.is === 'node' && event.state === 'back') {
      handlers.onGap();
      for (const hash of holds) tellHold(hash);
      for (const hash of payments) tellPayment(hash);
    }
    if (world.faults().node === 'away') return;
    if (event.is === 'invoice' && event.owner === 'node') tellHold(event.hash);
    if (event.is === 'payment' && event.payer === 'node') tellPayment(event.hash);
  });

  /** lnd's streams begin with the present state; an open invoice is what the caller has just made. */
  function tellHold(hash: string): void {
    const state = world.invoice('node', hash)?.state ?? 'open';
    if (!stopped && holds.has(hash) && state !== 'open') handlers.onHold(hashOf(hash));
  }

  function tellPayment(hash: string): void {
    if (stopped || !payments.has(hash) || world.payment('node', hash) === undefined) return;
    const state = paymentState(world, hashOf(hash));
    handlers.onPayment(hashOf(hash), state.is === 'settled' ? state : undefined);
  }

  function add(hashes: Set<string>, hash: Sha256, tell: (hash: string) => void): void {
    hashes.add(toHex(hash));
    if (world.faults().node === 'back') queueMicrotask(() => tell(toHex(hash)));
  }

  return {
    addHold: (hash) => add(holds, hash, tellHold),
    removeHold: (hash) => void holds.delete(toHex(hash)),
    followsHold: (hash) => !stopped && holds.has(toHex(hash)) && world.faults().node === 'back',
    addPayment: (hash) => add(payments, hash, tellPayment),
    removePayment: (hash) => void payments.delete(toHex(hash)),
    async stop() {
      stopped = true;
      stop();
    },
  };
}

function reachable(world: LightningWorld, retry: Retry): void {
  if (world.faults().node === 'away')
    throw lightningFailure('lightning-away', retry, 'The Lightning node does not answer.');
}

function followsChain(world: LightningWorld): void {
  if (world.faults().chain === 'away')
    throw lightningFailure('lightning-timeout', 'safe', 'The Lightning node did not answer in time.');
}

/** What the node refuses did not happen; `known` says what that is to the engine. */
function refusing<T>(
  failures: Partial<Record<LightningErrorKind, readonly [code: LightningFailure, retry: Retry]>>,
  act: () => T,
): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof LightningError)) throw error;
    const [code, retry] = failures[error.kind] ?? ['lightning-error', 'ask-first'];
    throw lightningFailure(code, retry, error.message, error);
  }
}

function wholeSats(msat: bigint): ReturnType<typeof sats> {
  return sats(msat / msatPerSat);
}

function hashOf(hex: string): Sha256 {
  return asSha256(fromHex(hex));
}
