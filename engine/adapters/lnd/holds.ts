import {
  cancelHodlInvoice,
  createInvoice as addInvoice,
  getInvoice,
  type GetInvoiceResult,
  settleHodlInvoice,
} from 'ln-service';
import { type PortFailure } from '../../domain/errors.ts';
import { asSha256, type Preimage, sameBytes, type Sha256 } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { msatPerSat, type Sats, sats } from '../../domain/money.ts';
import { type Unix, until } from '../../domain/time.ts';
import { lightningFailure, failedOnLightning } from '../../legs/lightning/failures.ts';
import type { HoldState, LightningPort } from '../../legs/lightning/port.ts';
import { readOwnInvoice } from './decode.ts';
import { carried } from './dust.ts';
import { readError } from './failure.ts';
import { type Lnd, timed, unary } from './rpc.ts';

type HoldTerms = Parameters<LightningPort['createHold']>[0];

const noInvoice = /unable to locate invoice|no existing invoices/i;
const invoiceExists = /already exists/i;
const alreadySettled = /already settled/i;
const alreadyCancelled = /already cancell?ed/i;

export async function createHold(node: Lnd, terms: HoldTerms): Promise<{ bolt11: string; expiresAt: Unix }> {
  // lnd gives an invoice that lives for no time its own default of a day: a promise that nobody made.
  if (node.now() >= terms.expiresAt) {
    const invoice = await find(node, terms.hash);
    if (invoice !== null) return answerKnown(node, invoice, terms);
    throw lightningFailure(
      'hold-late',
      'never',
      `The invoice was to expire at ${terms.expiresAt} and was not made before that.`,
    );
  }
  // Asked for at once: lnd itself says when the hash has an invoice already, and a create is waiting.
  try {
    const request = await timed(node, 'create a hold invoice', 'ask-first', () => {
      return addHold(node, terms).catch((error: unknown) => {
        if (invoiceExists.test(readError(error).details)) return null;
        throw error;
      });
    });
    if (request !== null) return answer(node, request, terms);
  } catch (error) {
    throw definiteRefusal(error);
  }
  const invoice = await find(node, terms.hash);
  if (invoice === null)
    throw lightningFailure(
      'lightning-unclear',
      'ask-first',
      'The Lightning node says that the invoice exists and does not find it.',
    );
  return answerKnown(node, invoice, terms);
}

/** ln-service's own call decodes the invoice once more than we do, and a create is waiting. */
async function addHold(node: Lnd, terms: HoldTerms): Promise<string> {
  const request = {
    hash: Buffer.from(terms.hash),
    memo: terms.description,
    ...(terms.descriptionHash === undefined ? {} : { description_hash: Buffer.from(terms.descriptionHash) }),
    value_msat: String(terms.amount * msatPerSat),
    cltv_expiry: terms.cltvDelta,
    expiry: until(node.now(), terms.expiresAt),
    private: true,
  };
  const { payment_request: bolt11 } = await unary<{ payment_request: string }>(node, (options, done) =>
    node.lnd.invoices.addHoldInvoice(request, options, done),
  );
  return bolt11;
}

/** lnd names these before it stores anything. */
function definiteRefusal(error: unknown): unknown {
  const refused = /CLTV delta of|memo too large|invoice expiry|expiry of|too large|exceeds/i;
  if (failedOnLightning(error, 'lightning-error') && refused.test(error.message)) {
    return lightningFailure('hold-refused', 'never', error.message);
  }
  return error;
}

function answerKnown(node: Lnd, invoice: GetInvoiceResult, terms: HoldTerms): { bolt11: string; expiresAt: Unix } {
  if (terms.again !== true) throw taken('that it was not asked for');
  const { request = '', description, description_hash, cltv_delta } = invoice;
  const same =
    readOwnInvoice(request)?.amountMsat === terms.amount * msatPerSat &&
    description === terms.description &&
    description_hash === (terms.descriptionHash === undefined ? undefined : toHex(terms.descriptionHash)) &&
    cltv_delta === terms.cltvDelta;
  if (!same || !isHold(invoice)) throw taken('with other terms');
  // Nobody was told of what an earlier call made: whoever paid, even in part, was told by somebody else.
  const over =
    invoice.is_confirmed || invoice.is_canceled === true || Date.parse(invoice.expires_at) <= node.now() * 1_000;
  if (over || invoice.is_held === true || invoice.payments.length > 0) throw taken('that is paid or over');
  return answer(node, request, terms);
}

/** lnd knows the preimage of an ordinary invoice, and shows nothing or zeros for that of another. */
function isHold({ secret }: GetInvoiceResult): boolean {
  return secret === undefined || /^0*$/.test(secret);
}

function taken(which: string): PortFailure {
  return lightningFailure(
    'hold-taken',
    'never',
    `The Lightning node already has an invoice with this payment hash ${which}.`,
  );
}

/** What lnd made is read back: the record promises this text to the client. */
function answer(node: Lnd, bolt11: string, terms: HoldTerms): { bolt11: string; expiresAt: Unix } {
  const invoice = readOwnInvoice(bolt11);
  const matches =
    invoice?.network === node.network &&
    sameBytes(invoice.hash, terms.hash) &&
    invoice.amountMsat === terms.amount * msatPerSat &&
    sameHash(invoice.descriptionHash, terms.descriptionHash ?? null);
  if (!matches)
    throw lightningFailure(
      'lightning-unclear',
      'ask-first',
      'The Lightning node made an invoice with another hash, amount, description or network than it was asked for.',
    );
  return { bolt11, expiresAt: invoice.expiresAt };
}

function sameHash(one: Sha256 | null, other: Sha256 | null): boolean {
  return one === null || other === null ? one === other : sameBytes(one, other);
}

/** Null is known: lnd answered that it has none. */
async function find(node: Lnd, hash: Sha256): Promise<GetInvoiceResult | null> {
  return timed(node, 'look up an invoice', 'safe', () => {
    return getInvoice({ lnd: node.lnd, id: toHex(hash) }).catch((error: unknown) => {
      if (noInvoice.test(readError(error).details)) return null;
      throw error;
    });
  });
}

export async function hold(node: Lnd, hash: Sha256): Promise<HoldState> {
  const invoice = await find(node, hash);
  if (invoice === null) return { is: 'absent' };
  if (invoice.is_confirmed) return { is: 'settled' };
  if (invoice.is_canceled) return { is: 'cancelled' };
  if (!invoice.is_held) return { is: 'open' };
  const parts = invoice.payments.filter((part) => part.is_held);
  if (parts.length === 0)
    throw lightningFailure('lightning-unclear', 'safe', 'The Lightning node holds a payment and names no part of it.');
  const msats = (await carried(node, parts)).map((part) => BigInt(part.mtokens));
  return {
    is: 'held',
    amount: sats(msats.reduce((sum, one) => sum + one, 0n) / msatPerSat),
    smallest: smallestOf(msats),
    expiryHeight: Math.min(...parts.map((part) => part.timeout)),
  };
}

function smallestOf(msats: readonly bigint[]): Sats {
  const [first = 0n, ...more] = msats;
  return sats(more.reduce((least, one) => (one < least ? one : least), first) / msatPerSat);
}

export async function settle(node: Lnd, preimage: Preimage): Promise<void> {
  await timed(node, 'settle a held payment', 'ask-first', () => {
    return settleHodlInvoice({ lnd: node.lnd, secret: toHex(preimage) }).catch((error: unknown) => {
      const { name, details } = readError(error);
      if (alreadySettled.test(details)) return;
      if (alreadyCancelled.test(details))
        throw lightningFailure('hold-cancelled', 'never', 'The held payment went back before it was settled.');
      if (name === 'SecretDoesNotMatchAnyExistingHodlInvoice')
        throw lightningFailure('hold-absent', 'never', 'The Lightning node has no invoice that this preimage opens.');
      if (name === 'CannotSettleHtlcBeforeHtlcReceived')
        throw lightningFailure('hold-open', 'safe', 'Nothing is held yet on the invoice that was to be settled.');
      throw error;
    });
  });
}

export async function cancel(node: Lnd, hash: Sha256): Promise<void> {
  await timed(node, 'cancel an invoice', 'ask-first', () => {
    return cancelHodlInvoice({ lnd: node.lnd, id: toHex(hash) }).catch((error: unknown) => {
      const { details } = readError(error);
      if (alreadySettled.test(details))
        throw lightningFailure('hold-settled', 'never', 'The held payment is settled and cannot go back.');
      // An invoice that does not exist cannot be paid either.
      if (alreadyCancelled.test(details) || noInvoice.test(details)) return;
      throw error;
    });
  });
}

export async function createInvoice(
  node: Lnd,
  invoice: { amount: Sats | null; description: string },
): Promise<{ bolt11: string; hash: Sha256 }> {
  const { request, id } = await timed(node, 'create an invoice', 'ask-first', () => {
    return addInvoice({
      lnd: node.lnd,
      ...(invoice.amount === null ? {} : { mtokens: String(invoice.amount * msatPerSat) }),
      description: invoice.description,
      is_including_private_channels: true,
    });
  });
  return { bolt11: request, hash: asSha256(fromHex(id)) };
}
