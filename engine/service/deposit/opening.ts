import type { CreateFromEvm } from '../../contract/requests/from-evm.ts';
import type { Config } from '../../config.ts';
import { evmNetwork, type EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import type { Sha256 } from '../../domain/hash.ts';
import type { Unix, ReadClocks } from '../../domain/time.ts';
import { isDeadAddress } from '../../legs/evm/dead-address.ts';
import { muchOnEvm } from '../../legs/evm/much.ts';
import type { PinnedSide } from '../../quote/token-price.ts';
import { refuseInbound } from '../../quote/bridge.ts';
import { satsOfUnitsDown } from '../../quote/token-price.ts';
import type { Price } from '../../quote/fees.ts';
import type { NetworkCosts } from '../../quote/gas.ts';
import { evmOf } from '../../runtime/ports.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import type { EvmSourceTerms, Pending } from '../../swap/halves/evm/claim/terms.ts';
import type { ServiceContext } from '../context.ts';
import type { Direction } from '../directions/direction.ts';
import { costsOf } from '../market/costs.ts';
import type { Market } from '../market/market.ts';
import { priceOrder, type PricedOrder } from '../market/worth.ts';
import { nativeSource } from '../limits/limits.ts';
import { rateOf } from '../price/rate.ts';
import { unsupportedChain } from '../limits/unsupported-chain.ts';
import { clientTextOf } from '../../swap/halves/evm/record.ts';

type ChainSettings = NonNullable<Config['evm'][string]>;

/**
 * The chain that a client wants to lock on, where one can: no native coin, no bridge into it, and an account that can
 * pay.
 */
export function chainOf(context: ServiceContext, request: CreateFromEvm): ChainSettings | Refusal {
  const { evmChainId, bridge, userAddress, token } = request;
  const network = evmNetwork(evmChainId);
  const unsupported = unsupportedChain(context, network) ?? nativeSource(network, token);
  if (unsupported !== null) return unsupported;
  const chain = context.config.evm[`${evmChainId}`];
  if (chain === undefined)
    return refuse('unavailable', 'The settings of this chain are being changed: try again in a minute.');
  if (isDeadAddress(userAddress, chain.contracts, [token]))
    return refuse(
      'invalid',
      `user_address is ${checksummed(userAddress)}, which no payer controls: send the account that sends ` +
        'the token.',
    );
  return bridge === null ? chain : refuseInbound(bridge.chain);
}

/** A chain that is silent during a create is no fault of the request. */
export async function answered<T>({ evmChainId }: CreateFromEvm, create: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await create();
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return refuse('unavailable', `Chain ${evmChainId} does not answer now: try again later.`);
  }
}

export interface PricedDeposit {
  readonly order: PricedOrder;
  readonly costs: NetworkCosts;
  /** In sats: the source is what the lock is worth. */
  readonly price: Price;
}

/** What the swap costs, with either side fixed. */
export async function pricedDeposit(
  context: ServiceContext,
  direction: Direction,
  market: Market,
  request: CreateFromEvm & { readonly amount: { readonly pinned: PinnedSide; readonly amount: bigint } },
  developer: DeveloperKey | null,
): Promise<PricedDeposit | Refusal> {
  const rate = rateOf(context, direction, request, developer);
  if (isRefusal(rate)) return rate;
  const costs = costsOf(context, direction);
  if (isRefusal(costs)) return costs;
  const { token, amount, client = null } = request;
  const order = await priceOrder(context, market, { direction: 'from-token', token, ...amount, client }, rate);
  if (isRefusal(order)) return order;
  const { sats: target, fee, networkFee, locked } = order.price;
  const source = satsOfUnitsDown(locked, market.pegged.decimals);
  return { order, costs, price: { source, target, fee, networkFee } };
}

/** The client's lock that the swap is to begin with; refused while the clock of its chain is not read. */
export function sourceTerms(
  { runtime, policy }: ServiceContext,
  swap: {
    readonly chain: ChainSettings;
    readonly market: Market;
    readonly request: CreateFromEvm;
    readonly hash: Sha256;
    readonly priced: PricedDeposit;
    readonly sourcePinned: boolean;
    readonly timelock: Unix;
    readonly fundBefore: Unix;
    readonly payBefore: Unix;
  },
  clocks: ReadClocks,
): Omit<EvmSourceTerms, 'feeSats' | 'networkFeeSats'> | Refusal {
  const { chain, market, request, hash, priced, timelock, ...terms } = swap;
  const network: EvmNetwork = evmNetwork(request.evmChainId);
  const since = clocks[network]?.height ?? null;
  if (since === null) return refuse('unavailable', 'The clock of this chain cannot be read now: try again later.');
  const { order, price } = priced;
  return {
    hash,
    network,
    contracts: chain.contracts,
    lock: {
      preimageHash: hash,
      token: market.pegged.address,
      refundAddress: chain.contracts.coordinator,
      claimAddress: evmOf(runtime.ports, network).account(),
      timelock: BigInt(timelock),
    },
    least: order.price.locked,
    pegged: market.pegged,
    sourceAmount: price.source,
    confirmations: chain.confirmations[price.source > muchOnEvm ? 1 : 0],
    since,
    clientAddress: request.userAddress,
    ...clientTextOf(request.userAddress, request.userText),
    source: order.token,
    sourceUnits: order.price.token,
    gasless: request.gasless,
    agreed: price.source > BigInt(chain.agreeAboveSats),
    policy,
    ...terms,
  };
}

/** What every swap from a lock on an EVM chain begins as. */
export const waiting: Pending = {
  at: 'pending',
  sent: [],
  given: null,
  extras: [],
  relay: null,
  relays: 0,
  refusal: null,
  vanished: false,
};
