import type { ArkadeLightningRecord, CreateArkadeLightning } from '../../contract/directions/arkade-lightning.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { plus, sats } from '../../domain/money.ts';
import { seconds, unix } from '../../domain/time.ts';
import { payoutLeg } from '../../legs/lightning/timelocks.ts';
import { routingBudgetMsat, type Price } from '../../quote/fees.ts';
import { flatCost } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import {
  arkadeLightning,
  viewArkadeLightning,
  type ArkadeLightningProgress,
  type ArkadeLightningTerms,
} from '../../swap/directions/arkade-lightning.ts';
import { latePayment } from '../../swap/halves/lightning/pay.ts';
import { exposed } from '../limits/caps.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap, pricedTerms } from '../create/create.ts';
import { invoiceTerms, leastOf, namedTerms, notPayableNow, payoutOrder } from '../create/payout.ts';
import { recordOf } from '../record.ts';
import { clientsVhtlc, operatorNow } from '../create/vhtlc.ts';
import type { Named, NamedInvoice } from './direction.ts';
import { directionOf } from './entry.ts';

/** Opens the swap for an invoice, or for one that an address or LNURL is resolved to first; that asks nothing of us. */
async function createArkadeLightning(
  context: ServiceContext,
  request: CreateArkadeLightning,
  developer: DeveloperKey | null,
): Promise<ArkadeLightningRecord | Refusal> {
  const { policy, config } = context;
  const order = await payoutOrder(context, arkadeLightningDirection, request, developer);
  if (isRefusal(order)) return order;
  const { isNamed, price, invoice, hash } = order;
  const operator = operatorNow(context);
  if (isRefusal(operator)) return operator;
  const opened = await openSwap<ArkadeLightningTerms, ArkadeLightningProgress>(context, arkadeLightningDirection, {
    machine: arkadeLightning,
    hash,
    hashOf: isNamed ? 'invoice' : 'preimage',
    request,
    price: isNamed ? price : null,
    refused: () => (invoice.payee === null ? null : notPayableNow(context, invoice, price)),
    reserve: isNamed ? [reserveOf(price)] : [],
    build(key, clocks) {
      const leg = payoutLeg({ clocks, finalCltv: invoice.finalCltv, policy });
      if (isRefusal(leg)) return leg;
      const terms: ArkadeLightningTerms = {
        hash: invoice.hash,
        ...pricedTerms(price),
        ...leastOf(request),
        ...clientsVhtlc(context, operator, {
          ...{ refundKey: request.refundKey, key, hash, clocks, form: request.door?.vhtlc },
          refundLocktime: leg.refundLocktime,
        }),
        ...invoiceTerms(invoice),
        maxFeeMsat: routingBudgetMsat(price, config.terms.routingShareBps),
        maxTimeoutHeight: leg.maxTimeoutHeight,
        fundBefore: unix(Math.min(clocks.wall + policy.fundingWindow, invoice.expiresAt)),
        payBefore: unix(Math.min(leg.payBefore, invoice.expiresAt)),
        minCoinExpiry: unix(leg.refundLocktime + policy.margin),
        policy,
      };
      const waits: ArkadeLightningProgress = isNamed
        ? { at: 'pending', fenced: false }
        : { at: 'unnamed', fenced: false, extras: [] };
      return { terms, progress: waits, effects: [] };
    },
  });
  return isRefusal(opened) ? opened : recordOf(context, opened.row.id, arkadeLightningDirection);
}

/** What is promised to a swap of this price. */
function reserveOf({ target, fee, networkFee }: Price) {
  return { network: 'lightning', amount: plus(target, plus(fee, networkFee)) } as const;
}

/** A swap that was opened for a hash alone, once its invoice is named. */
function named(
  context: Pick<ServiceContext, 'config'>,
  terms: ArkadeLightningTerms,
  { invoice, price }: NamedInvoice,
): Named<ArkadeLightningTerms> {
  return {
    terms: { ...terms, ...namedTerms(context, terms, { invoice, price, budget: price }) },
    price,
    reserve: reserveOf(price),
    waits: seconds(0),
  };
}

/** The client locks on Arkade, we pay its invoice, and the secret that the payment shows claims the lock. */
export const arkadeLightningDirection = directionOf<'arkade-lightning', ArkadeLightningTerms, ArkadeLightningProgress>(
  arkadeLightning,
  {
    name: 'arkade-lightning',
    source: 'Arkade',
    target: 'Lightning',
    needs: ['arkade', 'lightning', 'bitcoin'],
    locksOn: 'lightning',
    unpaidOn: [],
    exposedOn: ['lightning', 'arkade'],
    // Paying over Lightning costs routing fees, which are paid out of the fee and this.
    costs: () => flatCost(sats(10)),
    liquidity: ({ networks }) => networks.outboundFree(),
    atOperator: (status) => exposed.has(status),
    bringsToOperator: true,
    create: createArkadeLightning,
    view: viewArkadeLightning,
    nameInvoice: named,
    vhtlc: (terms, progress) => ({
      terms: terms.vhtlc,
      script: terms.script,
      byClient: { keyIndex: terms.keyIndex, latePayment: latePayment(terms, progress) },
    }),
  },
);
