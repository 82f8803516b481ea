import type { CreateEvmLightning, EvmLightningRecord } from '../../contract/directions/evm-lightning.ts';
import { evmNetwork } from '../../domain/chain.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { noSats, plus, sats, type Sats } from '../../domain/money.ts';
import { unix } from '../../domain/time.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { payoutLeg } from '../../legs/lightning/timelocks.ts';
import { routingBudgetMsat } from '../../quote/fees.ts';
import { gasOf } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import {
  evmLightning,
  viewEvmLightning,
  type EvmLightningProgress,
  type EvmLightningTerms,
} from '../../swap/directions/evm-lightning.ts';
import { latePayment } from '../../swap/halves/lightning/pay.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap } from '../create/create.ts';
import { depositState } from '../deposit/swap-deposit.ts';
import { answered, chainOf, pricedDeposit, sourceTerms, waiting } from '../deposit/opening.ts';
import { stopped, tooMuch } from '../limits/limits.ts';
import { marketOf } from '../market/market-of.ts';
import { aboveSingleSource } from '../limits/single-source.ts';
import { foreignPayee, invoiceTerms, notPayableNow, payoutInvoice } from '../create/payout.ts';
import { recordOf } from '../record.ts';
import { onChain } from './direction.ts';
import { directionOf } from './entry.ts';

/** Opens the swap for an invoice, or for one that an address or LNURL is resolved to first; that asks nothing of us. */
async function create(
  context: ServiceContext,
  request: CreateEvmLightning,
  developer: DeveloperKey | null,
): Promise<EvmLightningRecord | Refusal> {
  const { policy, config } = context;
  const foreign = foreignPayee(context, request.payee);
  if (foreign !== null) return foreign;
  const chain = chainOf(context, request);
  if (isRefusal(chain)) return chain;
  const network = evmNetwork(request.evmChainId);
  const direction = onChain(evmLightningDirection, network);
  const closed = stopped(context, direction);
  if (closed !== null) return closed;
  const market = marketOf(context, network);
  if (isRefusal(market)) return market;

  const { payee } = request;
  // An invoice fixes what it pays, with a place either side may be fixed.
  const amount = payee.is === 'invoice' ? ({ pinned: 'target', amount: payee.amount } as const) : payee.amount;
  const priced = await pricedDeposit(context, direction, market, { ...request, amount }, developer);
  if (isRefusal(priced)) return priced;
  const { costs, price } = priced;
  const refused = tooMuch(context, direction, price) ?? aboveSingleSource(context, network, price.source);
  if (refused !== null) return refused;

  const invoice = await payoutInvoice(context, payee, price);
  if (isRefusal(invoice)) return invoice;
  const opened = await openSwap<EvmLightningTerms, EvmLightningProgress>(context, direction, {
    machine: evmLightning,
    hash: hash160OfSha256(invoice.hash),
    hashOf: 'invoice',
    request,
    price,
    refused: () => notPayableNow(context, invoice, price),
    reserve: [{ network: 'lightning', amount: (price.target + price.fee + price.networkFee) as Sats }],
    build(_, clocks) {
      const leg = payoutLeg({ clocks, network, finalCltv: invoice.finalCltv, policy });
      if (isRefusal(leg)) return leg;
      const source = sourceTerms(
        context,
        {
          chain,
          market,
          request,
          hash: invoice.hash,
          priced,
          sourcePinned: payee.is !== 'invoice' && payee.amount.pinned === 'source',
          timelock: leg.refundLocktime,
          fundBefore: unix(Math.min(clocks.wall + policy.fundingWindow, invoice.expiresAt)),
          payBefore: leg.payBefore,
        },
        clocks,
      );
      if (isRefusal(source)) return source;
      const relay = request.gasless ? costs.relay : noSats;
      const terms: EvmLightningTerms = {
        ...source,
        feeSats: plus(price.fee, relay),
        networkFeeSats: sats(price.networkFee - relay),
        targetAmount: price.target,
        ...invoiceTerms(invoice),
        // What gas costs is spent on gas: of the network fee only the flat part is the route's.
        maxFeeMsat: routingBudgetMsat({ ...price, networkFee: costs.flat }, config.terms.routingShareBps),
        maxTimeoutHeight: leg.maxTimeoutHeight,
        policy,
      };
      return { terms, progress: waiting, effects: [] };
    },
  });
  return isRefusal(opened) ? opened : recordOf(context, opened.row.id, evmLightningDirection);
}

/** The client locks on an EVM chain, we pay its invoice, and the secret that the payment shows claims the lock. */
export const evmLightningDirection = directionOf<'evm-lightning', EvmLightningTerms, EvmLightningProgress>(
  evmLightning,
  {
    name: 'evm-lightning',
    source: 'evm',
    target: 'Lightning',
    needs: ['lightning', 'bitcoin', 'evm'],
    locksOn: 'lightning',
    unpaidOn: ['evm'],
    exposedOn: ['lightning', 'evm'],
    costs({ gas }) {
      const relay = gas(gasOf.relayFund);
      const claim = gas(gasOf.claim);
      // Paying over Lightning costs routing fees, which are paid out of the fee and the flat part.
      return {
        source: plus(claim, relay),
        target: noSats,
        flat: sats(10),
        relay,
        exit: plus(claim, gas(gasOf.relayRefund)),
      };
    },
    liquidity: ({ networks }) => networks.outboundFree(),
    atOperator: () => false,
    bringsToOperator: false,
    create: (context, request, developer) => answered(request, () => create(context, request, developer)),
    view: viewEvmLightning,
    vhtlc: () => null,
    chainOf: ({ network }) => network,
    deposit: (terms, progress) => depositState(terms, progress, latePayment(terms, progress)),
  },
);
