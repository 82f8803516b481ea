import { isRefusal } from '../../domain/errors.ts';
import { sameBytes, type Sha256 } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { mostParts } from '../../legs/lightning/closing-cost.ts';
import { lightningFailure } from '../../legs/lightning/failures.ts';
import { msatPerSat } from '../../domain/money.ts';
import type { LightningPort, PaymentState } from '../../legs/lightning/port.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { finalHopPadding } from '../../legs/timeout-policy.ts';
import { type Attempt, dangles } from './dangling.ts';
import { decodeInvoice } from './decode.ts';
import { isVerdict, readError } from './failure.ts';
import { firstRow, type Lnd, type Stream, timed } from './rpc.ts';
import { info } from './node.ts';

/*
 * Sending and tracking go to lnd's router directly. ln-service's own methods ask lnd to end a payment when the caller
 * goes away, so that a restart of this node would fail payments, and stay silent about a payment that is still looking
 * for a route.
 */

/** lnd's Payment message, as far as it is used here. */
interface Payment {
  readonly status: string;
  readonly payment_preimage: string;
  readonly fee_msat: string;
  readonly failure_reason: string;
  readonly htlcs: readonly Attempt[];
}

/** Seconds that lnd may look for a route; a held payment is not ended by it. */
const pathfindingSeconds = 60;

const takenOver = /already paid|in transition|already exists|already in flight/i;
const neverInitiated = /payment isn't initiated/i;

export function track(node: Lnd, hash: Sha256): Stream {
  return node.lnd.router.trackPaymentV2({ payment_hash: Buffer.from(hash), no_inflight_updates: false });
}

export async function payment(node: Lnd, hash: Sha256): Promise<PaymentState> {
  const row = await timed(node, 'look up a payment', 'safe', () => {
    return firstRow(node.limit, () => track(node, hash)).catch((error: unknown) => {
      if (neverInitiated.test(readError(error).details)) return null;
      throw error;
    });
  });
  if (row === null) return { is: 'absent' };
  const state = stateOf(row as Payment, hash);
  return state.is === 'in-flight' && (await dangles(node, inFlightOf(row as Payment), hash)) ? { is: 'absent' } : state;
}

/**
 * Of a row of `track`: the preimage that settled the payment, or null where it tells of none that fits. A payee that
 * took one part has shown it, however long it leaves the others in flight (facts/faults.md 223).
 */
export function settledBy(row: unknown, hash: Sha256): (PaymentState & { is: 'settled' }) | null {
  const { status, payment_preimage: text, fee_msat: fee, htlcs = [] } = row as Partial<Payment>;
  const preimage = text === undefined ? null : preimageMatches(hash, fromHex(text));
  if (preimage === null) return null;
  // lnd counts the parts that were taken; those in flight will be, or come back.
  const parts = htlcs
    .filter((part) => part.status !== 'FAILED')
    .map(({ route }) => BigInt(route?.total_fees_msat ?? 0));
  const feeMsat = status === 'SUCCEEDED' ? BigInt(fee ?? 0) : parts.reduce((sum, part) => sum + part, 0n);
  return { is: 'settled', preimage, feeMsat };
}

function inFlightOf({ htlcs }: Payment): readonly Attempt[] {
  return htlcs.filter((part) => part.status === 'IN_FLIGHT');
}

function stateOf(row: Payment, hash: Sha256): PaymentState {
  const settled = settledBy(row, hash);
  if (settled !== null) return settled;
  if (row.status === 'SUCCEEDED')
    throw lightningFailure(
      'lightning-unclear',
      'ask-first',
      'The Lightning node calls a payment settled and shows no preimage of it.',
    );
  // A part in flight can still settle, whatever the payment as a whole is called.
  if (row.status === 'FAILED' && inFlightOf(row).length === 0) {
    return {
      is: 'failed',
      reason: row.failure_reason.replace('FAILURE_REASON_', '').toLowerCase().replaceAll('_', ' '),
    };
  }
  return { is: 'in-flight' };
}

/** One send per hash at a time: a second attempt after a first one failed would be a second payment. */
const sending = new WeakMap<Lnd, Map<string, Promise<void>>>();

type PayRequest = Parameters<LightningPort['pay']>[0];

export function pay(node: Lnd, request: PayRequest): Promise<void> {
  const running = sending.get(node) ?? new Map<string, Promise<void>>();
  sending.set(node, running);
  const key = toHex(request.hash);
  const started = running.get(key) ?? start(node, request).finally(() => running.delete(key));
  running.set(key, started);
  return started;
}

async function start(node: Lnd, request: PayRequest): Promise<void> {
  checkRequest(node, request);
  if ((await payment(node, request.hash)).is !== 'absent') return;
  const { height } = await info(node);
  const cltvLimit = request.maxTimeoutHeight - height;
  if (cltvLimit < finalHopPadding) {
    throw lightningFailure(
      'payment-too-late',
      'never',
      `The payment must be over by height ${request.maxTimeoutHeight}; the chain is at ${height}.`,
    );
  }
  let refused: string | null = null;
  await timed(node, 'start a payment', 'ask-first', () => {
    return firstRow(node.limit, () => send(node, request, cltvLimit)).catch((error: unknown) => {
      const read = readError(error);
      if (takenOver.test(read.details)) return;
      if (!isVerdict(read)) throw error;
      refused = read.details;
    });
  });
  if (refused === null) return;
  if ((await afterVerdict(node, request.hash, refused)).is !== 'absent') return;
  throw lightningFailure('payment-refused', 'never', `The Lightning node refuses the payment: ${refused}.`);
}

/**
 * lnd judges the invoice before it looks whether the payment exists, and stores a payment before it sends any of it: a
 * second look makes its refusal definite, in whatever words (facts/faults.md 370). Without one nothing is known.
 */
function afterVerdict(node: Lnd, hash: Sha256, words: string): Promise<PaymentState> {
  return payment(node, hash).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : '';
    throw lightningFailure(
      'lightning-unclear',
      'ask-first',
      `The Lightning node ended a payment (${words}), and did not say whether it has it: ${why}`,
    );
  });
}

function send(node: Lnd, request: PayRequest, cltvLimit: number): Stream {
  return node.lnd.router.sendPaymentV2({
    payment_request: request.bolt11,
    fee_limit_msat: String(request.maxFeeMsat),
    cltv_limit: cltvLimit,
    timeout_seconds: pathfindingSeconds,
    max_parts: request.maxParts ?? mostParts,
    no_inflight_updates: false,
    allow_self_payment: false,
    cancelable: false,
  });
}

function checkRequest(node: Lnd, request: PayRequest): void {
  const invoice = decodeInvoice(request.bolt11);
  if (isRefusal(invoice)) throw lightningFailure('invoice-malformed', 'never', invoice.sentence);
  const same =
    invoice.network === node.network &&
    sameBytes(invoice.hash, request.hash) &&
    invoice.amountMsat === request.amount * msatPerSat;
  if (!same)
    throw lightningFailure(
      'invoice-mismatch',
      'never',
      'The invoice is for another hash, amount or network than the payment that was asked for.',
    );
}
