import type { LightningSendQuote } from '../contract/records/replies.ts';
import type { LightningSendRequest } from '../contract/requests/quotes.ts';
import type { Payee, PinnedSats } from '../contract/requests/common.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { asPublicKey } from '../domain/hash.ts';
import { fromHex } from '../domain/hex.ts';
import { sats, type Sats } from '../domain/money.ts';
import { isRead } from '../domain/time.ts';
import { checkInvoice } from '../legs/lightning/invoice.ts';
import { payoutLeg } from '../legs/timelocks.ts';
import type { DeveloperKey } from '../store/developer-keys.ts';
import type { ServiceContext } from './context.ts';
import { roomNow, tooMuch } from './limits.ts';
import { payoutPrice, payTargetOf, unpayable } from './payout.ts';
import { rateBetweenBitcoins } from './quotes.ts';
import { rateOf } from './rate.ts';

/**
 * What paying one destination over Lightning costs (facts/clients.md 33): net, what the user locks and what the payee gets.
 * The destination is asked and the payment judged as the create would, and no invoice is asked for.
 */
export async function lightningSendQuote(
  context: ServiceContext,
  request: LightningSendRequest,
  developer: DeveloperKey | null,
): Promise<LightningSendQuote | Refusal> {
  const direction = context.directions.all.find(
    ({ source, target }) => source === request.sourceChain && target === 'Lightning',
  );
  if (direction === undefined)
    return refuse(
      'unavailable',
      `Paying Lightning from ${request.sourceChain} needs an EVM chain, and this version of the node swaps on none yet.`,
    );
  if (request.sourceToken !== null && request.sourceToken !== 'btc')
    return refuse('invalid', `source_token cannot be ${request.sourceToken} on Arkade: send btc or leave it out.`);
  const room = roomNow(context, direction);
  if (isRefusal(room)) return room;
  const rate = rateOf(context, direction, request, developer);
  if (isRefusal(rate)) return rate;
  const payee = inSats(request.payee);
  if (isRefusal(payee)) return payee;
  const price = payoutPrice(payee, rate);
  const refused = tooMuch(context, direction, price) ?? (await refusedBy(context, payee, price.target));
  if (refused !== null) return refused;
  return {
    source_amount: price.source.toString(),
    source_amount_sats: Number(price.source),
    target_amount_sats: Number(price.target),
    protocol_fee_sats: Number(price.fee),
    network_fee_sats: Number(price.networkFee),
    protocol_fee_rate: rate.bps / 10_000,
    min_amount_sats: Number(room.min),
    max_amount_sats: Number(room.max),
    exchange_rate: rateBetweenBitcoins,
  };
}

/** The source is bitcoin here, so its smallest units are sats. */
function inSats(payee: LightningSendRequest['payee']): Payee<Sats> | Refusal {
  if (payee.is === 'invoice') return payee;
  const { pinned, amount } = payee.amount;
  if (amount > BigInt(Number.MAX_SAFE_INTEGER))
    return refuse('invalid', 'There are not that many satoshis: ask for less.');
  const inSats: PinnedSats = { pinned, amount: sats(amount) };
  return { ...payee, amount: inSats };
}

/** What the payee, or the invoice, says against being paid. */
async function refusedBy(context: ServiceContext, payee: Payee<Sats>, amount: Sats): Promise<Refusal | null> {
  if (payee.is !== 'invoice') {
    const answer = await context.resolver.check(payTargetOf(payee), amount);
    return answer === null ? null : unpayable(answer);
  }
  const { networks, policy, config, runtime } = context;
  const lightning = networks.lightning();
  if (lightning.state !== 'connected')
    return refuse('unavailable', 'The Lightning node does not answer now: try again later.');
  const invoice = context.decodeInvoice(payee.bolt11);
  if (isRefusal(invoice)) return invoice;
  const now = runtime.clock.now();
  const checked = checkInvoice(invoice, {
    network: config.network,
    now: now.wall,
    fundingWindow: policy.fundingWindow,
    ownNode: asPublicKey(fromHex(lightning.facts.info.pubkey)),
    targetAmount: amount,
  });
  if (isRefusal(checked)) return checked;
  if (!isRead(now)) return refuse('unavailable', 'The Bitcoin clock has not been read yet: try again later.');
  const leg = payoutLeg({ clocks: now, finalCltv: invoice.finalCltv, policy });
  return isRefusal(leg) ? leg : null;
}
