import type { CreateEvmLightning, EvmLightningRecord } from '../../contract/directions/evm-lightning.ts';
import { evmNetwork, type EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import { noSats, plus, sats, type Sats } from '../../domain/money.ts';
import { unix, type ReadChain, type ReadClocks } from '../../domain/time.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { payoutLeg } from '../../legs/timelocks.ts';
import { refuseInbound } from '../../quote/bridge.ts';
import { routingBudgetMsat, type Price } from '../../quote/fees.ts';
import { gasOf, type NetworkCosts } from '../../quote/gas.ts';
import { satsOfUnitsDown } from '../../quote/token-price.ts';
import { evmOf } from '../../runtime/ports.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import { evmLightning } from '../../swap/evm-lightning/machine.ts';
import type { EvmLightningProgress, EvmLightningTerms } from '../../swap/evm-lightning/terms.ts';
import { viewEvmLightning } from '../../swap/evm-lightning/view.ts';
import type { Late } from '../../swap/payment.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap } from '../create.ts';
import { depositState } from '../deposit/deposit.ts';
import { stopped, tooMuch } from '../limits.ts';
import { costsOf } from '../market/costs.ts';
import type { Market } from '../market/market.ts';
import { priceOrder, type PricedOrder } from '../market/worth.ts';
import { invoiceOf, notPayableNow } from '../payout.ts';
import { rateOf } from '../rate.ts';
import { recordOf } from '../record.ts';
import { strangersPayment } from '../strangers.ts';
import { directionOf, onChain, type Direction } from './direction.ts';

/** Above this many sats a lock is buried deeper: 0.1 BTC (facts/clients.md 32). */
const muchValue = 10_000_000n;

/** Opens the swap for an invoice, or for one that an address or LNURL is resolved to first; that asks nothing of us. */
async function createEvmLightning(
  context: ServiceContext,
  request: CreateEvmLightning,
  developer: DeveloperKey | null,
): Promise<EvmLightningRecord | Refusal> {
  try {
    return await create(context, request, developer);
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return refuse('unavailable', `Chain ${request.evmChainId} does not answer now: try again later.`);
  }
}

async function create(
  context: ServiceContext,
  request: CreateEvmLightning,
  developer: DeveloperKey | null,
): Promise<EvmLightningRecord | Refusal> {
  const { networks, policy, config, runtime } = context;
  const network = evmNetwork(request.evmChainId);
  const chain = config.evm[`${request.evmChainId}`];
  if (chain === undefined || chain.contracts.kind === 'native')
    return refuse(
      'invalid',
      `Unsupported chain: tokens of chain ${request.evmChainId} are not swapped from here, GET /swap-pairs lists what is.`,
    );
  if (request.bridge !== null) return refuseInbound(request.bridge.chain);
  const direction = onChain(evmLightningDirection, network);
  const closed = stopped(context, direction);
  if (closed !== null) return closed;
  const lightning = networks.lightning();
  const market = context.markets.on(network);
  if (lightning.state !== 'connected' || market === null)
    return refuse('unavailable', 'A network of this direction does not answer now: try again later.');

  const priced = await pricedBy(context, direction, market, request, developer);
  if (isRefusal(priced)) return priced;
  const { order, costs, price } = priced;
  const tooLarge = aboveOneWord(chain, price);
  const refused = tooMuch(context, direction, price) ?? tooLarge;
  if (refused !== null) return refused;

  const invoice = await invoiceOf(context, request.payee, price);
  if (isRefusal(invoice)) return invoice;
  const strangers = await strangersPayment(context, invoice.hash);
  if (strangers !== null) return strangers;
  const opened = await openSwap<EvmLightningTerms, EvmLightningProgress>(context, {
    machine: evmLightning,
    hash: hash160OfSha256(invoice.hash),
    hashOf: 'invoice',
    userId: request.userId,
    value: price.target,
    refused: () => notPayableNow(context, direction, invoice, price, lightning.facts.info.pubkey),
    reserve: [{ network: 'lightning', amount: (price.target + price.fee + price.networkFee) as Sats }],
    build(_, clocks) {
      const evm = readChain(clocks, network);
      if (evm === null) return refuse('unavailable', 'The clock of this chain cannot be read now: try again later.');
      const leg = payoutLeg({ clocks, evm, finalCltv: invoice.finalCltv, policy });
      if (isRefusal(leg)) return leg;
      const relay = request.gasless ? costs.relay : noSats;
      const terms: EvmLightningTerms = {
        hash: invoice.hash,
        network,
        contracts: chain.contracts,
        lock: {
          preimageHash: invoice.hash,
          token: market.pegged.address,
          refundAddress: chain.contracts.coordinator,
          claimAddress: evmOf(runtime.ports, network).account(),
          timelock: BigInt(leg.refundLocktime),
        },
        least: order.price.locked,
        pegged: market.pegged,
        sourceAmount: price.source,
        feeSats: plus(price.fee, relay),
        networkFeeSats: sats(price.networkFee - relay),
        confirmations: chain.confirmations[price.source > muchValue ? 1 : 0],
        since: evm.height,
        fundBefore: unix(Math.min(clocks.wall + policy.fundingWindow, invoice.expiresAt)),
        payBefore: leg.payBefore,
        targetAmount: price.target,
        clientAddress: request.userAddress,
        source: order.token,
        sourceUnits: order.price.token,
        sourcePinned: request.payee.is !== 'invoice' && request.payee.amount.pinned === 'source',
        gasless: request.gasless,
        bolt11: invoice.text,
        invoiceExpiresAt: invoice.expiresAt,
        // What gas costs is spent on gas: of the network fee only the flat part is the route's.
        maxFeeMsat: routingBudgetMsat({ ...price, networkFee: costs.flat }, config.terms.routingShareBps),
        maxTimeoutHeight: leg.maxTimeoutHeight,
        finalCltv: invoice.finalCltv,
        agreed: price.source > BigInt(chain.agreeAboveSats),
        policy,
      };
      return { terms, progress: waiting, effects: [] };
    },
  });
  if (isRefusal(opened)) return opened;
  return recordOf(context, opened.row.id, evmLightningDirection);
}

const waiting: EvmLightningProgress = {
  at: 'pending',
  sent: [],
  given: null,
  strays: [],
  relay: null,
  relays: 0,
  refusal: null,
  vanished: false,
};

interface Priced {
  readonly order: PricedOrder;
  readonly costs: NetworkCosts;
  /** In sats: the source is what the lock is worth. */
  readonly price: Price;
}

/** What the swap costs: an invoice fixes what it pays, with a place either side may be fixed. */
async function pricedBy(
  context: ServiceContext,
  direction: Direction,
  market: Market,
  request: CreateEvmLightning,
  developer: DeveloperKey | null,
): Promise<Priced | Refusal> {
  const rate = rateOf(context, direction, request, developer);
  if (isRefusal(rate)) return rate;
  const costs = costsOf(context, direction);
  if (isRefusal(costs)) return costs;
  const { payee, token } = request;
  const pin = payee.is === 'invoice' ? ({ pinned: 'target', amount: payee.amount } as const) : payee.amount;
  const order = await priceOrder(context, market, { direction: 'from-token', token, ...pin }, rate);
  if (isRefusal(order)) return order;
  const { sats: target, fee, networkFee, locked } = order.price;
  const source = satsOfUnitsDown(locked, market.pegged.decimals);
  return { order, costs, price: { source, target, fee, networkFee } };
}

/** A single RPC's word is taken for so much and no more (facts/faults.md 36). */
function aboveOneWord(
  { rpc, agreeAboveSats }: { readonly rpc: readonly string[]; readonly agreeAboveSats: number },
  { source }: Price,
): Refusal | null {
  return rpc.length < 2 && source > BigInt(agreeAboveSats)
    ? refuse(
        'invalid',
        `Max amount is ${agreeAboveSats} sats on this chain; the swap would lock ${source}: ask for less.`,
      )
    : null;
}

function readChain(clocks: ReadClocks, network: EvmNetwork): ReadChain | null {
  const chain = clocks[network];
  if (chain === undefined || chain.mtp === null || chain.height === null) return null;
  return { ...chain, mtp: chain.mtp, height: chain.height };
}

/** The client locks on an EVM chain, we pay its invoice, and the secret that the payment shows claims the lock. */
export const evmLightningDirection = directionOf<'evm-lightning', EvmLightningTerms, EvmLightningProgress & Late>(
  evmLightning,
  {
    name: 'evm-lightning',
    source: 'evm',
    target: 'Lightning',
    needs: ['lightning', 'bitcoin', 'evm'],
    locksOn: 'lightning',
    exposedOn: ['lightning', 'evm'],
    costs(gas) {
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
    liquidity: (networks) => networks.outboundFree(),
    atOperator: () => false,
    bringsToOperator: false,
    create: createEvmLightning,
    view: viewEvmLightning,
    vhtlc: () => null,
    chainOf: ({ network }) => network,
    deposit: (terms, progress) => depositState(terms, progress, progress.late === undefined ? null : terms.hash),
  },
);
