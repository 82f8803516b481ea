import type { ArkadeBitcoinRecord, CreateArkadeBitcoin } from '../../contract/directions/arkade-bitcoin.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { noSats } from '../../domain/money.ts';
import { legsForVhtlc } from '../../legs/onchain/timelocks.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { priceFromPinned, type Price } from '../../quote/fees.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import {
  arkadeBitcoin,
  viewArkadeBitcoin,
  type ArkadeBitcoinProgress,
  type ArkadeBitcoinTerms,
} from '../../swap/directions/arkade-bitcoin.ts';
import { exposed } from '../limits/caps.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap, pricedTerms } from '../create/create.ts';
import {
  clientsHtlc,
  fundCosts,
  fundLiquidity,
  fundReserve,
  fundTerms,
  mostFeeOf,
  wrongTarget,
} from '../htlc/opening.ts';
import { stopped, tooMuch } from '../limits/limits.ts';
import { rateOf } from '../price/rate.ts';
import { recordOf } from '../record.ts';
import { clientsVhtlc, operatorNow } from '../create/vhtlc.ts';
import type { Amendment } from './direction.ts';
import { directionOf } from './entry.ts';

/**
 * Opens the swap: the VHTLC that the client funds, and the HTLC that we are to fund for it, to the last byte. Nothing
 * is asked of a network, so that it is answered at once.
 */
async function createArkadeBitcoin(
  context: ServiceContext,
  request: CreateArkadeBitcoin,
  developer: DeveloperKey | null,
): Promise<ArkadeBitcoinRecord | Refusal> {
  const { policy } = context;
  const direction = arkadeBitcoinDirection;
  const closed = stopped(context, direction) ?? wrongTarget(context, request);
  if (closed !== null) return closed;
  const operator = operatorNow(context);
  if (isRefusal(operator)) return operator;
  const rate = rateOf(context, direction, request, developer);
  if (isRefusal(rate)) return rate;
  const price = request.door?.price ?? priceFromPinned(request.amount, rate);
  const refused = tooMuch(context, direction, price);
  if (refused !== null) return refused;

  const hash = hash160OfSha256(request.hash);
  const opened = await openSwap<ArkadeBitcoinTerms, ArkadeBitcoinProgress>(context, direction, {
    machine: arkadeBitcoin,
    hash,
    hashOf: 'preimage',
    request,
    price,
    reserve: [fundReserve(context, price.target)],
    build(key, clocks) {
      const legs = legsForVhtlc({ clocks, policy });
      if (isRefusal(legs)) return legs;
      const { refundLocktime, htlcRefundHeight: refundHeight, fundBefore, lockBefore, minCoinExpiry } = legs;
      const htlc = clientsHtlc(request, { hash, refunder: key.publicKey, refundHeight });
      const { refundKey, targetAddress, door } = request;
      const terms: ArkadeBitcoinTerms = {
        hash: request.hash,
        ...pricedTerms(price),
        ...clientsVhtlc(context, operator, { refundKey, key, hash, refundLocktime, clocks, form: door?.vhtlc }),
        ...fundTerms(context, htlc, { price, keyIndex: key.index, lockBefore, targetAddress, clocks }),
        fundBefore,
        minCoinExpiry,
        policy,
      };
      return { terms, progress: { at: 'pending', fenced: false }, effects: [] };
    },
  });
  return isRefusal(opened) ? opened : recordOf(context, opened.row.id, direction);
}

/** The same swap at the price of what its client locked. */
function requoted(
  context: Pick<ServiceContext, 'config'>,
  terms: ArkadeBitcoinTerms,
  price: Price,
): Amendment<ArkadeBitcoinTerms> {
  return {
    terms: { ...terms, ...pricedTerms(price), mostFee: mostFeeOf(context, price.target), amended: true },
    price,
    reserve: fundReserve(context, price.target),
  };
}

/**
 * The client funds a VHTLC, we fund an HTLC on the Bitcoin chain, and the secret of the client's claim there claims the
 * VHTLC.
 */
export const arkadeBitcoinDirection = directionOf<'arkade-bitcoin', ArkadeBitcoinTerms, ArkadeBitcoinProgress>(
  arkadeBitcoin,
  {
    name: 'arkade-bitcoin',
    source: 'Arkade',
    target: 'Bitcoin',
    needs: ['arkade', 'bitcoin'],
    locksOn: 'bitcoin',
    unpaidOn: ['bitcoin'],
    exposedOn: ['bitcoin', 'arkade'],
    costs: (prices) => ({ source: noSats, flat: noSats, relay: noSats, ...fundCosts(prices) }),
    liquidity: ({ networks }) => fundLiquidity(networks),
    atOperator: (status) => exposed.has(status),
    bringsToOperator: true,
    create: createArkadeBitcoin,
    view: viewArkadeBitcoin,
    vhtlc: (terms) => ({
      terms: terms.vhtlc,
      script: terms.script,
      byClient: { keyIndex: terms.keyIndex, latePayment: null },
    }),
    requote: requoted,
    htlc: ({ htlc: terms, keyIndex }) => ({ terms, keyIndex, latePayment: null }),
  },
);
