import { latePayment } from '../../swap/halves/lightning/pay.ts';
import type { BitcoinLightningRecord, CreateBitcoinLightning } from '../../contract/directions/bitcoin-lightning.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { noSats, plus, sats } from '../../domain/money.ts';
import { blockInterval, seconds, unix, type Seconds, type Unix } from '../../domain/time.ts';
import { coinPayoutLegs } from '../../legs/lightning/timelocks.ts';
import type { MusigHtlcTerms } from '../../legs/onchain/htlc.ts';
import { soonerBy } from '../../legs/onchain/timelocks.ts';
import { routingBudgetMsat, type Price } from '../../quote/fees.ts';
import { bytesOf } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import {
  bitcoinLightning,
  viewBitcoinLightning,
  type BitcoinLightningProgress,
  type BitcoinLightningTerms,
} from '../../swap/directions/bitcoin-lightning.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap, pricedTerms } from '../create/create.ts';
import { fundingConfirmations } from '../limits/funding-confirmations.ts';
import { coinTerms } from '../htlc/opening.ts';
import { invoiceTerms, leastOf, namedTerms, notPayableNow, payoutOrder } from '../create/payout.ts';
import { recordOf } from '../record.ts';
import type { Named, NamedInvoice } from './direction.ts';
import { directionOf } from './entry.ts';

/** Paying over Lightning costs routing fees, which are paid out of the fee and this. */
const routing = sats(10);

/** How long an invoice has to live beyond the funding window, for the blocks that come before it is paid. */
function blocksWait(confirmations: number): Seconds {
  return seconds(2 * confirmations * blockInterval);
}

/** Opens the swap for an invoice, or for one that an address or LNURL is resolved to first; that asks nothing of us. */
async function createBitcoinLightning(
  context: ServiceContext,
  request: CreateBitcoinLightning,
  developer: DeveloperKey | null,
): Promise<BitcoinLightningRecord | Refusal> {
  const { policy, config } = context;
  const direction = bitcoinLightningDirection;
  const order = await payoutOrder(context, direction, request, developer);
  if (isRefusal(order)) return order;
  const { isNamed, price, invoice, hash } = order;
  // Of the largest coin where its amount is not known: the more, the longer its client's lock.
  const confirmations = isNamed
    ? fundingConfirmations(config, price.source)
    : Math.max(...config.bitcoin.confirmations);
  const opened = await openSwap<BitcoinLightningTerms, BitcoinLightningProgress>(context, direction, {
    machine: bitcoinLightning,
    hash,
    hashOf: isNamed ? 'invoice' : 'preimage',
    request,
    price: isNamed ? price : null,
    refused: () => (invoice.payee === null ? null : notPayableNow(context, invoice, price, blocksWait(confirmations))),
    reserve: isNamed ? [reserveOf(price)] : [],
    build(key, clocks) {
      const legs = coinPayoutLegs({ clocks, finalCltv: invoice.finalCltv, confirmations, policy });
      if (isRefusal(legs)) return legs;
      const { refundHeight, maxTimeoutHeight, fundBefore, lockBefore } = legs;
      // The secret is a payee's: over Lightning it has 32 bytes, and the script need not ask.
      const htlc: MusigHtlcTerms = {
        form: 'musig',
        hash,
        claimer: key.publicKey,
        refunder: request.refundKey.key,
        provider: 'claimer',
        sizeGuard: false,
        refundHeight,
      };
      const terms: BitcoinLightningTerms = {
        hash: invoice.hash,
        ...pricedTerms(price),
        ...leastOf(request),
        ...coinTerms(context, htlc, { keyIndex: key.index, confirmations, clocks }),
        ...invoiceTerms(invoice),
        ...(request.signsClaim ? { asksClient: true } : {}),
        maxFeeMsat: routingBudgetMsat(budgetOf(price), config.terms.routingShareBps),
        maxTimeoutHeight,
        fundBefore: unix(Math.min(fundBefore, invoice.expiresAt)),
        giveBefore: lockBefore,
        payBefore: lockBefore,
        policy,
      };
      const waits: BitcoinLightningProgress = isNamed
        ? { at: 'pending', extras: [], vanished: false }
        : { at: 'unnamed', extras: [] };
      return { terms, progress: waits, effects: [] };
    },
  });
  return isRefusal(opened) ? opened : recordOf(context, opened.row.id, direction);
}

/** What is promised to a swap of this price. */
function reserveOf({ target, fee }: Price) {
  return { network: 'lightning', amount: plus(target, plus(fee, routing)) } as const;
}

/** What a block costs is spent on our claim: of the network fee only the flat part is the route's. */
function budgetOf(price: Price): Price {
  return { ...price, networkFee: routing };
}

/** A swap that was opened for a hash alone, once its invoice is named. */
function named(
  context: Pick<ServiceContext, 'config'>,
  terms: BitcoinLightningTerms,
  { invoice, price }: NamedInvoice,
): Named<BitcoinLightningTerms> {
  const confirmations = fundingConfirmations(context.config, price.source);
  const sooner = (moment: Unix): Unix => soonerBy(moment, { was: terms.confirmations, is: confirmations });
  const times = { giveBefore: sooner(terms.giveBefore), payBefore: sooner(terms.payBefore) };
  const namedFor = namedTerms(context, { ...terms, ...times }, { invoice, price, budget: budgetOf(price) });
  return {
    terms: { ...terms, ...times, ...namedFor, confirmations },
    price,
    reserve: reserveOf(price),
    waits: blocksWait(confirmations),
  };
}

/** The client pays on the Bitcoin chain, we pay its invoice, and the secret that the payment shows claims the coin. */
export const bitcoinLightningDirection = directionOf<
  'bitcoin-lightning',
  BitcoinLightningTerms,
  BitcoinLightningProgress
>(bitcoinLightning, {
  name: 'bitcoin-lightning',
  source: 'Bitcoin',
  target: 'Lightning',
  needs: ['lightning', 'bitcoin'],
  locksOn: 'lightning',
  unpaidOn: [],
  exposedOn: ['lightning', 'bitcoin'],
  costs({ bytes }) {
    const claim = bytes(bytesOf.claim);
    // Its client's own refund: a coin that is not worth that is worth nothing to it.
    const exit = plus(claim, bytes(bytesOf.refund));
    return { source: claim, target: noSats, flat: routing, relay: noSats, exit };
  },
  // Without a wallet there is nowhere for the bitcoin to go.
  liquidity: ({ networks }) => (networks.bitcoinWallet().state === 'absent' ? noSats : networks.outboundFree()),
  atOperator: () => false,
  bringsToOperator: false,
  create: createBitcoinLightning,
  view: viewBitcoinLightning,
  nameInvoice: named,
  vhtlc: () => null,
  htlc: (terms, progress) => ({
    terms: terms.htlc,
    keyIndex: terms.keyIndex,
    latePayment: latePayment(terms, progress),
  }),
});
