import type { LightningSendQuote } from '../../contract/records/market.ts';
import type { LightningSendRequest } from '../../contract/requests/quotes.ts';
import type { Payee, PinnedSats } from '../../contract/requests/common.ts';
import { evmNetwork, type Chain } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { asPublicKey } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import { sats, type Sats } from '../../domain/money.ts';
import { isRead } from '../../domain/time.ts';
import { checkInvoice } from '../../legs/lightning/invoice.ts';
import { payoutLeg } from '../../legs/lightning/timelocks.ts';
import type { Rate } from '../../quote/fees.ts';
import { rateBetweenBitcoins } from '../../quote/token-price.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import type { From, ServiceContext } from '../context.ts';
import { onChain, type Direction } from '../directions/direction.ts';
import { roomNow, tooMuch } from '../limits/limits.ts';
import { tokenSend, type SendPrice } from '../market/send.ts';
import { foreignPayee, payoutPrice, payTargetOf, unpayable } from '../create/payout.ts';
import { rateToTell } from './rate.ts';
import { unsupportedChain } from '../limits/unsupported-chain.ts';

/**
 * What paying one destination over Lightning costs (facts/clients.md 33): net, what the user locks and what the payee
 * gets. The destination is asked and the payment judged as the create would, and no invoice is asked for.
 */
export async function lightningSendQuote(
  context: ServiceContext,
  request: From<LightningSendRequest>,
  developer: DeveloperKey | null,
): Promise<LightningSendQuote | Refusal> {
  const foreign = foreignPayee(context, request.payee);
  if (foreign !== null) return foreign;
  if (request.sourceChain === 'Lightning')
    return refuse('invalid', 'source_chain is Lightning, whose payments need no swap: pay the invoice itself.');
  const direction = directionFrom(context, request.sourceChain);
  if (direction === null)
    return refuse(
      'unavailable',
      `Lightning is not paid from ${request.sourceChain} here now: see /swap-pairs for what there is.`,
    );
  const unsupported = direction.evm === null ? null : unsupportedChain(context, direction.evm);
  if (unsupported !== null) return unsupported;
  const room = roomNow(context, direction);
  if (isRefusal(room)) return room;
  const rate = rateToTell(context, direction, request, developer);
  if (isRefusal(rate)) return rate;
  const price =
    direction.evm === null ? bitcoinSend(request, rate) : await tokenSend(context, direction.evm, request, rate);
  if (isRefusal(price)) return price;
  const refused = tooMuch(context, direction, price) ?? (await refusedBy(context, request.payee, price.target));
  if (refused !== null) return refused;
  return {
    source_amount: price.sourceUnits.toString(),
    source_amount_sats: Number(price.source),
    target_amount_sats: Number(price.target),
    protocol_fee_sats: Number(price.fee),
    network_fee_sats: Number(price.networkFee),
    protocol_fee_rate: rate.bps / 10_000,
    min_amount_sats: Number(room.min),
    max_amount_sats: Number(room.max),
    exchange_rate: price.exchangeRate,
  };
}

function directionFrom({ directions }: ServiceContext, chain: Chain): Direction | null {
  const all: readonly Direction[] = directions.all.filter(({ target }) => target === 'Lightning');
  const own = all.find(({ source }) => source === chain);
  if (own !== undefined) return own;
  const isEvm = chain !== 'Arkade' && chain !== 'Lightning' && chain !== 'Bitcoin';
  const over = isEvm ? all.find(({ source }) => source === 'evm') : undefined;
  return over === undefined ? null : onChain(over, evmNetwork(chain));
}

/** The source is bitcoin here, so its smallest units are sats. */
function bitcoinSend({ payee, sourceToken }: LightningSendRequest, rate: Rate): SendPrice | Refusal {
  if (sourceToken !== null && sourceToken !== 'btc')
    return refuse('invalid', `source_token cannot be ${sourceToken} on Arkade: send btc or leave it out.`);
  const inside = inSats(payee);
  if (isRefusal(inside)) return inside;
  const price = payoutPrice(inside, rate);
  return { ...price, sourceUnits: price.source, exchangeRate: rateBetweenBitcoins };
}

function inSats(payee: LightningSendRequest['payee']): Payee<Sats> | Refusal {
  if (payee.is === 'invoice') return payee;
  const { pinned, amount } = payee.amount;
  if (amount > BigInt(Number.MAX_SAFE_INTEGER))
    return refuse('invalid', 'The amount is more than all bitcoin that can exist: ask for less.');
  const pinnedSats: PinnedSats = { pinned, amount: sats(amount) };
  return { ...payee, amount: pinnedSats };
}

/** What the payee, or the invoice, says against being paid. */
async function refusedBy(
  context: ServiceContext,
  payee: LightningSendRequest['payee'],
  amount: Sats,
): Promise<Refusal | null> {
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
