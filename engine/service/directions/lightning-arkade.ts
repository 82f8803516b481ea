import type { CreateLightningArkade, LightningArkadeRecord } from '../../contract/directions/lightning-arkade.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { lesser, noSats } from '../../domain/money.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { holdLeg } from '../../legs/lightning/timelocks.ts';
import { coinLife } from '../../legs/timelocks.ts';
import { priceFromPinned } from '../../quote/fees.ts';
import { flatCost } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import {
  lightningArkade,
  viewLightningArkade,
  type LightningArkadeProgress,
  type LightningArkadeTerms,
} from '../../swap/directions/lightning-arkade.ts';
import { openingEffects } from '../../swap/halves/lightning/hold/waiting.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap, pricedTerms } from '../create/create.ts';
import { answeredByInvoice } from '../create/hold-invoice.ts';
import { createPatience } from '../create/patience.ts';
import { stopped, tooMuch } from '../limits/limits.ts';
import { belowDust, wrongTargetAddress } from '../create/target-address.ts';
import { isLockedAway, operatorNow, ourVhtlc } from '../create/vhtlc.ts';
import { rateOf } from '../price/rate.ts';
import { strangersInvoice } from '../create/strangers.ts';
import { directionOf } from './entry.ts';

/**
 * Opens the swap, waits for its hold invoice, and answers the record; a create that was not answered leaves no trace.
 */
async function createLightningArkade(
  context: ServiceContext,
  request: CreateLightningArkade,
  developer: DeveloperKey | null,
): Promise<LightningArkadeRecord | Refusal> {
  const left = createPatience(context);
  const { policy } = context;
  const closed = stopped(context, lightningArkadeDirection);
  if (closed !== null) return closed;
  const operator = operatorNow(context);
  if (isRefusal(operator)) return operator;

  const { targetAddress, door } = request;
  const astray = targetAddress === null ? null : wrongTargetAddress(context, operator, targetAddress);
  if (astray !== null) return astray;

  const rate = rateOf(context, lightningArkadeDirection, request, developer);
  if (isRefusal(rate)) return rate;
  const price = door?.price ?? priceFromPinned(request.amount, rate);
  const refused = tooMuch(context, lightningArkadeDirection, price) ?? belowDust(operator, price.target);
  if (refused !== null) return refused;

  const strangers = await strangersInvoice(context, request.hash, left);
  if (strangers !== null) return strangers;
  const hash = hash160OfSha256(request.hash);
  const opened = await openSwap<LightningArkadeTerms, LightningArkadeProgress>(context, lightningArkadeDirection, {
    machine: lightningArkade,
    hash,
    hashOf: 'preimage',
    request,
    price,
    atRisk: door?.vhtlc === 'loose' ? price.target : null,
    reserve: [
      { network: 'arkade', amount: price.target },
      { network: 'lightning-in', amount: price.source },
    ],
    build(key, clocks) {
      const leg = holdLeg({ clocks, policy });
      if (isRefusal(leg)) return leg;
      const terms: LightningArkadeTerms = {
        hash: request.hash,
        ...pricedTerms(price),
        ...ourVhtlc(context, operator, {
          ...{ request, key, hash, clocks, form: door?.vhtlc },
          refundLocktime: leg.vhtlcRefundLocktime,
        }),
        clientKeyText: request.claimKey.text,
        description: request.description ?? `Swap ${price.target} sats to Arkade`,
        ...(door?.descriptionHash === undefined ? {} : { descriptionHash: door.descriptionHash }),
        fundBefore: leg.fundBefore,
        cltvDelta: leg.cltvDelta,
        lockBefore: leg.lockBefore,
        minCoinExpiry: leg.minCoinExpiry,
        policy,
      };
      return { terms, progress: { at: 'opening' }, effects: openingEffects(terms) };
    },
  });
  return isRefusal(opened) ? opened : answeredByInvoice(context, opened.row.id, lightningArkadeDirection, left);
}

/** The client pays a held invoice, we lock on Arkade, and the secret that its claim shows settles the payment. */
export const lightningArkadeDirection = directionOf<'lightning-arkade', LightningArkadeTerms, LightningArkadeProgress>(
  lightningArkade,
  {
    name: 'lightning-arkade',
    source: 'Lightning',
    target: 'Arkade',
    needs: ['arkade', 'lightning', 'bitcoin'],
    locksOn: 'arkade',
    unpaidOn: ['arkade'],
    exposedOn: ['arkade', 'lightning'],
    // Holding an invoice and moving coins on Arkade cost nothing.
    costs: () => flatCost(noSats),
    liquidity: ({ networks, policy }) => lesser(networks.arkadeLockable(coinLife(policy)), networks.inboundFree()),
    atOperator: isLockedAway,
    bringsToOperator: false,
    create: createLightningArkade,
    view(facts, terms, progress) {
      const { at } = progress;
      return at === 'opening' || at === 'unopened' ? null : viewLightningArkade(facts, terms, progress);
    },
    vhtlc: (terms) => ({ terms: terms.vhtlc, script: terms.script }),
  },
);
