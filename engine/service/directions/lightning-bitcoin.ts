import type { CreateLightningBitcoin, LightningBitcoinRecord } from '../../contract/directions/lightning-bitcoin.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { lesser, noSats } from '../../domain/money.ts';
import { holdCoinLegs } from '../../legs/lightning/timelocks.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { priceFromPinned } from '../../quote/fees.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import {
  lightningBitcoin,
  viewLightningBitcoin,
  type LightningBitcoinProgress,
  type LightningBitcoinTerms,
} from '../../swap/directions/lightning-bitcoin.ts';
import { openingEffects } from '../../swap/halves/lightning/hold/waiting.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap } from '../create/create.ts';
import { answeredByInvoice } from '../create/hold-invoice.ts';
import { createPatience } from '../create/patience.ts';
import { clientsHtlc, fundCosts, fundLiquidity, fundReserve, fundTerms, wrongTarget } from '../htlc/opening.ts';
import { stopped, tooMuch } from '../limits/limits.ts';
import { rateOf } from '../price/rate.ts';
import { strangersInvoice } from '../create/strangers.ts';
import { directionOf } from './entry.ts';

/**
 * Opens the swap with the HTLC that we are to fund pinned to the last byte, waits for its hold invoice, and answers the
 * record.
 */
async function createLightningBitcoin(
  context: ServiceContext,
  request: CreateLightningBitcoin,
  developer: DeveloperKey | null,
): Promise<LightningBitcoinRecord | Refusal> {
  const left = createPatience(context);
  const { policy } = context;
  const direction = lightningBitcoinDirection;
  const closed = stopped(context, direction) ?? wrongTarget(context, request);
  if (closed !== null) return closed;
  const rate = rateOf(context, direction, request, developer);
  if (isRefusal(rate)) return rate;
  const price = request.door?.price ?? priceFromPinned(request.amount, rate);
  const refused = tooMuch(context, direction, price);
  if (refused !== null) return refused;

  const strangers = await strangersInvoice(context, request.hash, left);
  if (strangers !== null) return strangers;
  const hash = hash160OfSha256(request.hash);
  const opened = await openSwap<LightningBitcoinTerms, LightningBitcoinProgress>(context, direction, {
    machine: lightningBitcoin,
    hash,
    hashOf: 'preimage',
    request,
    price,
    reserve: [fundReserve(context, price.target), { network: 'lightning-in', amount: price.source }],
    build(key, clocks) {
      const legs = holdCoinLegs({ clocks, policy });
      if (isRefusal(legs)) return legs;
      const { htlcRefundHeight, fundBefore, lockBefore, cltvDelta, back } = legs;
      const htlc = clientsHtlc(request, { hash, refunder: key.publicKey, refundHeight: htlcRefundHeight });
      const { targetAddress, door: { descriptionHash } = {} } = request;
      const terms: LightningBitcoinTerms = {
        ...fundTerms(context, htlc, { price, keyIndex: key.index, lockBefore, targetAddress, clocks }),
        hash: request.hash,
        sourceAmount: price.source,
        feeSats: price.fee,
        networkFeeSats: price.networkFee,
        description: request.description ?? `Swap ${price.target} sats to Bitcoin`,
        ...(descriptionHash === undefined ? {} : { descriptionHash }),
        fundBefore,
        cltvDelta,
        back,
        policy,
      };
      return { terms, progress: { at: 'opening' }, effects: openingEffects(terms) };
    },
  });
  return isRefusal(opened) ? opened : answeredByInvoice(context, opened.row.id, direction, left);
}

/**
 * The client pays a held invoice, we fund an HTLC on the Bitcoin chain, and the secret that the client's claim there
 * shows settles the payment.
 */
export const lightningBitcoinDirection = directionOf<
  'lightning-bitcoin',
  LightningBitcoinTerms,
  LightningBitcoinProgress
>(lightningBitcoin, {
  name: 'lightning-bitcoin',
  source: 'Lightning',
  target: 'Bitcoin',
  needs: ['lightning', 'bitcoin'],
  locksOn: 'bitcoin',
  unpaidOn: ['bitcoin'],
  exposedOn: ['bitcoin', 'lightning'],
  costs: (prices) => ({ source: noSats, flat: noSats, relay: noSats, ...fundCosts(prices) }),
  liquidity: ({ networks }) => lesser(fundLiquidity(networks), networks.inboundFree()),
  atOperator: () => false,
  bringsToOperator: false,
  create: createLightningBitcoin,
  view(facts, terms, progress) {
    const { at } = progress;
    return at === 'opening' || at === 'unopened' ? null : viewLightningBitcoin(facts, terms, progress);
  },
  vhtlc: () => null,
  htlc: ({ htlc: terms, keyIndex }) => ({ terms, keyIndex, latePayment: null }),
});
