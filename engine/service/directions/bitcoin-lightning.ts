import { latePayment } from '../../swap/halves/lightning/pay.ts';
import type { BitcoinLightningRecord, CreateBitcoinLightning } from '../../contract/directions/bitcoin-lightning.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { noSats, plus, sats } from '../../domain/money.ts';
import { blockInterval, seconds, unix, type Seconds } from '../../domain/time.ts';
import { coinPayoutLegs } from '../../legs/lightning/timelocks.ts';
import type { MusigHtlcTerms } from '../../legs/onchain/htlc.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { routingBudgetMsat } from '../../quote/fees.ts';
import { bytesOf } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import { bitcoinLightning } from '../../swap/directions/bitcoin-lightning/machine.ts';
import type { BitcoinLightningProgress, BitcoinLightningTerms } from '../../swap/directions/bitcoin-lightning/terms.ts';
import { viewBitcoinLightning } from '../../swap/directions/bitcoin-lightning/view.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap, pricedTerms } from '../create.ts';
import { fundingConfirmations } from '../funding-confirmations.ts';
import { coinTerms } from '../htlc/opening.ts';
import { stopped, tooMuch } from '../limits.ts';
import { foreignPayee, invoiceTerms, notPayableNow, payoutInvoice, payoutPrice } from '../payout.ts';
import { rateOf } from '../rate.ts';
import { recordOf } from '../record.ts';
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
  const closed = foreignPayee(context, request.payee) ?? stopped(context, direction);
  if (closed !== null) return closed;
  const rate = rateOf(context, direction, request, developer);
  if (isRefusal(rate)) return rate;
  const price = request.door?.price ?? payoutPrice(request.payee, rate);
  const refused = tooMuch(context, direction, price);
  if (refused !== null) return refused;

  const invoice = await payoutInvoice(context, request.payee, price);
  if (isRefusal(invoice)) return invoice;
  const hash = hash160OfSha256(invoice.hash);
  const confirmations = fundingConfirmations(config, price.source);
  const opened = await openSwap<BitcoinLightningTerms, BitcoinLightningProgress>(context, direction, {
    machine: bitcoinLightning,
    hash,
    hashOf: 'invoice',
    request,
    price,
    refused: () => notPayableNow(context, invoice, price, blocksWait(confirmations)),
    reserve: [{ network: 'lightning', amount: plus(price.target, plus(price.fee, routing)) }],
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
        ...coinTerms(context, htlc, { keyIndex: key.index, confirmations, clocks }),
        ...invoiceTerms(invoice),
        // What a block costs is spent on our claim: of the network fee only the flat part is the route's.
        maxFeeMsat: routingBudgetMsat({ ...price, networkFee: routing }, config.terms.routingShareBps),
        maxTimeoutHeight,
        fundBefore: unix(Math.min(fundBefore, invoice.expiresAt)),
        giveBefore: lockBefore,
        payBefore: lockBefore,
        policy,
      };
      return { terms, progress: { at: 'pending', extras: [], vanished: false }, effects: [] };
    },
  });
  return isRefusal(opened) ? opened : recordOf(context, opened.row.id, direction);
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
  vhtlc: () => null,
  htlc: (terms, progress) => ({
    terms: terms.htlc,
    keyIndex: terms.keyIndex,
    latePayment: latePayment(terms, progress),
  }),
});
