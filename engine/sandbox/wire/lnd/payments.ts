import { status } from '@grpc/grpc-js';
import type { LightningWorld } from '../../world/lightning/lightning.ts';
import {
  canCarry,
  defaultCltvLimit,
  finalCltvPadding,
  hubCltvDelta,
  largestPartMsat,
  routeFee,
} from '../../world/lightning/network.ts';
import { readInvoice } from '../../world/lightning/payments.ts';
import {
  type Message,
  type Stream,
  type Streaming,
  type Unary,
  RpcError,
  big,
  noAnswer,
  bytesOf,
  hexOf,
  text,
  whole,
} from './calls.ts';
import { featureMap, paymentMessage, type RoutePlan, routeMessage } from './messages.ts';

/** lnd's calls about payments and routes: `lnrpc` and `routerrpc`. */
export function paymentCalls(
  world: LightningWorld,
): Record<'decodePayReq' | 'listPayments' | 'queryRoutes' | 'estimateRouteFee', Unary> {
  return {
    decodePayReq(request) {
      const invoice = readInvoice(text(request['pay_req']));
      return {
        destination: invoice.destination,
        payment_hash: invoice.hash,
        num_satoshis: ((invoice.amountMsat ?? 0n) / 1000n).toString(),
        num_msat: (invoice.amountMsat ?? 0n).toString(),
        timestamp: invoice.createdAt,
        expiry: invoice.expiresAt - invoice.createdAt,
        description: invoice.description,
        description_hash: invoice.descriptionHash ?? '',
        cltv_expiry: invoice.cltvDelta,
        payment_addr: bytesOf(invoice.paymentSecret),
        features: featureMap(),
      };
    },
    listPayments(request) {
      const offset = whole(request['index_offset']);
      const limit = whole(request['max_payments']) || Number.MAX_SAFE_INTEGER;
      const matching = world
        .payments('node')
        .filter((payment) => request['include_incomplete'] === true || payment.outcome === 'settled');
      const payments =
        request['reversed'] === true
          ? matching.filter((payment) => offset === 0 || payment.index < offset).slice(-limit)
          : matching.filter((payment) => payment.index > offset).slice(0, limit);
      return {
        payments: payments.map((payment) => paymentMessage(world, payment)),
        first_index_offset: payments.at(0)?.index ?? 0,
        last_index_offset: payments.at(-1)?.index ?? 0,
      };
    },
    queryRoutes(request) {
      if (world.faults().chain === 'away') return noAnswer;
      const amountMsat = big(request['amt_msat']) || big(request['amt']) * 1000n;
      const limits = request['fee_limit'] as Message | null;
      const feeLimit = limits === null ? null : big(limits['fixed_msat']) || big(limits['fixed']) * 1000n || null;
      const plan = planRoute(
        world,
        text(request['pub_key']),
        amountMsat,
        whole(request['final_cltv_delta']) || finalCltvPadding,
      );
      const tooLong =
        plan !== null && plan.firstExpiry - world.clock.height() > (whole(request['cltv_limit']) || defaultCltvLimit);
      if (plan === null || tooLong || (feeLimit !== null && plan.feeMsat > feeLimit))
        throw new RpcError(status.UNKNOWN, 'unable to find a path to destination');
      if (
        world.faults().peer === 'away' ||
        canCarry(world.balances(), { payer: 'node', amountMsat, feeMsat: plan.feeMsat }) !== 'yes'
      )
        throw new RpcError(status.UNKNOWN, 'insufficient local balance');
      return { routes: [routeMessage(world, plan)], success_prob: 0.95 };
    },
    estimateRouteFee(request) {
      const invoice = readInvoice(text(request['payment_request']));
      const plan = planRoute(
        world,
        invoice.destination,
        invoice.amountMsat ?? 1000n,
        invoice.cltvDelta + finalCltvPadding,
      );
      if (plan === null)
        return { routing_fee_msat: '0', time_lock_delay: '0', failure_reason: 'FAILURE_REASON_NO_ROUTE' };
      return {
        routing_fee_msat: plan.feeMsat.toString(),
        time_lock_delay: plan.firstExpiry - world.clock.height(),
        failure_reason: 'FAILURE_REASON_NONE',
      };
    },
  };
}

export function paymentStreams(
  world: LightningWorld,
): Record<'sendPaymentV2' | 'trackPaymentV2' | 'trackPayments', Streaming> {
  return {
    sendPaymentV2(request, stream) {
      const bolt11 = text(request['payment_request']);
      if (bolt11 === '') throw new RpcError(status.UNIMPLEMENTED, 'the sandbox pays payment requests only');
      const amountMsat = big(request['amt_msat']) || big(request['amt']) * 1000n;
      const payment = world.send('node', {
        bolt11,
        ...(amountMsat === 0n ? {} : { amountMsat }),
        feeLimitMsat: big(request['fee_limit_msat']) || big(request['fee_limit_sat']) * 1000n,
        ...(whole(request['cltv_limit']) === 0 ? {} : { cltvLimit: whole(request['cltv_limit']) }),
        ...(big(request['max_shard_size_msat']) === 0n ? {} : { largestMsat: big(request['max_shard_size_msat']) }),
        // lnd reads 0 as 1.
        mostParts: whole(request['max_parts']) || 1,
        allowSelf: request['allow_self_payment'] === true,
      });
      follow(world, payment.hash, request['no_inflight_updates'] !== true, stream);
    },
    trackPaymentV2(request, stream) {
      const hash = hexOf(request['payment_hash']);
      if (world.payment('node', hash) === undefined) throw new RpcError(status.NOT_FOUND, `payment isn't initiated`);
      follow(world, hash, request['no_inflight_updates'] !== true, stream);
    },
    /** Every payment from now on, without a backlog. */
    trackPayments(request, stream) {
      const stop = world.onEvent((event) => {
        const payment =
          event.is === 'payment' && event.payer === 'node' ? world.payment('node', event.hash) : undefined;
        if (payment === undefined || (request['no_inflight_updates'] === true && payment.outcome === 'in-flight'))
          return;
        stream.write(paymentMessage(world, payment));
      });
      stream.onEnd(stop);
    },
  };
}

/** The payment's state now and each later one, until it is final. */
function follow(world: LightningWorld, hash: string, inFlightToo: boolean, stream: Stream): void {
  const stop = world.onEvent((event) => {
    if (event.is === 'payment' && event.payer === 'node' && event.hash === hash) tell();
  });
  stream.onEnd(stop);
  tell();

  function tell(): void {
    const payment = world.payment('node', hash);
    if (payment === undefined) return;
    if (payment.outcome !== 'in-flight' || inFlightToo) stream.write(paymentMessage(world, payment));
    if (payment.outcome !== 'in-flight') stream.end();
  }
}

function planRoute(
  world: LightningWorld,
  destination: string,
  amountMsat: bigint,
  finalDelta: number,
): RoutePlan | null {
  if (destination !== world.pubkey('outside') || amountMsat > largestPartMsat) return null;
  const finalExpiry = world.clock.height() + finalDelta;
  return {
    destination,
    amountMsat,
    feeMsat: routeFee(amountMsat),
    finalExpiry,
    firstExpiry: finalExpiry + hubCltvDelta,
    totalMsat: amountMsat,
    paymentSecret: null,
  };
}
