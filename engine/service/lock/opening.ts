import type { CreateToEvm } from '../../contract/requests/to-evm.ts';
import type { Config } from '../../config.ts';
import { chainIdOf, evmNetwork, type EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { plus, sats, tokenAmount } from '../../domain/money.ts';
import { leastOut } from '../../domain/slippage.ts';
import type { ReadClocks } from '../../domain/time.ts';
import type { BridgeTerms } from '../../legs/evm/bridge.ts';
import { isDeadOn } from '../../legs/evm/dead-address.ts';
import type { LockLeg } from '../../legs/evm/timelocks.ts';
import { bridgeTerms, judgeOnward, judgeRecipient } from '../../quote/bridge.ts';
import type { Price } from '../../quote/fees.ts';
import { satsOfUnitsDown, type TokenPrice } from '../../quote/token-price.ts';
import { evmOf } from '../../runtime/ports.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import type { EvmTarget } from '../../swap/halves/evm/fund/terms.ts';
import type { ServiceContext } from '../context.ts';
import type { Direction } from '../directions/direction.ts';
import { tooMuch } from '../limits/limits.ts';
import { bridgedToken, isPegged, type EvmToken, type Market } from '../market/market.ts';
import { priceOrder } from '../market/worth.ts';
import { aboveSingleSource } from '../limits/single-source.ts';
import { rateOf } from '../price/rate.ts';
import { clientTextOf } from '../../swap/halves/evm/record.ts';

/** Where a lock of ours is to be made, and for whom: judged before anything is asked of others. */
interface LockPlace {
  readonly network: EvmNetwork;
  readonly market: Market;
  readonly chain: NonNullable<Config['evm'][string]>;
  /** Of ours. */
  readonly account: EvmAddress;
  /** What the claim brings. */
  readonly wanted: EvmAddress;
  readonly onward: BridgeTerms | null;
  /** Where that goes. */
  readonly destination: EvmAddress;
}

/** The chain that a client wants to receive on, where one can, with the addresses that it named. */
function lockPlace(context: ServiceContext, market: Market, request: CreateToEvm): LockPlace | Refusal {
  const network = evmNetwork(request.evmChainId);
  const account = evmOf(context.runtime.ports, network).account();
  const chain = context.config.evm[chainIdOf(network)];
  if (chain === undefined)
    return refuse('unavailable', 'The settings of this chain are being changed: try again in a minute.');
  const bridged = bridgeOf(market, request);
  if (isRefusal(bridged)) return bridged;
  const { onward, token: wanted } = bridged;
  const isDead = (address: EvmAddress): boolean =>
    isDeadOn(chain, address, [market.pegged.address, wanted]) || sameBytes(address, account);
  const destination = addressesOf(request, isDead);
  return isRefusal(destination) ? destination : { network, market, chain, account, wanted, onward, destination };
}

/** A lock with its price, in sats: the target is what it is worth. */
export interface PricedLock extends LockPlace {
  readonly token: EvmToken;
  readonly order: TokenPrice;
  readonly price: Price;
}

/** What the swap costs, with either side fixed, and where its lock is to be made. */
export async function pricedLock(
  context: ServiceContext,
  direction: Direction,
  {
    market,
    request,
    developer,
  }: { readonly market: Market; readonly request: CreateToEvm; readonly developer: DeveloperKey | null },
): Promise<PricedLock | Refusal> {
  const place = lockPlace(context, market, request);
  if (isRefusal(place)) return place;
  const { network, onward, wanted } = place;
  const rate = rateOf(context, direction, request, developer);
  if (isRefusal(rate)) return rate;
  const order = {
    direction: 'to-token',
    token: wanted,
    ...request.amount,
    client: request.client ?? null,
    ...(onward === null ? {} : { bridgeFee: tokenAmount(onward.fee) }),
  } as const;
  const priced = await priceOrder(context, market, order, rate);
  if (isRefusal(priced)) return priced;
  const { sats: source, token: targetAmount, locked, fee, networkFee } = priced.price;
  const price: Price = { source, target: satsOfUnitsDown(locked, market.pegged.decimals), fee, networkFee };
  const refused = tooMuch(context, direction, price) ?? aboveSingleSource(context, network, price.source);
  if (refused !== null) return refused;
  if (targetAmount === 0n)
    return refuse('invalid', 'The amount is worth less than the smallest unit of this token: ask for more.');
  return { ...place, token: priced.token, order: priced.price, price };
}

/** What is promised to the swap until the lock is made. */
export function lockReserve({ network, price }: PricedLock) {
  return { network, amount: plus(price.target, sats(1)) };
}

/** The lock that the swap is to end with, pinned to the last byte. */
export function targetTerms(
  context: ServiceContext,
  { claimingAddress, claimingText, gasless, hash }: CreateToEvm,
  swap: PricedLock,
  { timelock, lockBefore }: LockLeg,
  clocks: ReadClocks,
): EvmTarget {
  const { network, market, chain, account, onward, destination, token, order, price } = swap;
  return {
    hash,
    sourceAmount: price.source,
    targetSats: price.target,
    network,
    contracts: chain.contracts,
    lock: {
      preimageHash: hash,
      amount: order.locked,
      token: market.pegged.address,
      refundAddress: account,
      claimAddress: claimingAddress,
      timelock: BigInt(timelock),
    },
    pegged: market.pegged,
    target: token,
    targetAmount: order.token,
    floor: isPegged(market, token.address) ? order.locked : leastOut(order.token, market.slippageBps),
    targetAddress: destination,
    ...clientTextOf(claimingAddress, claimingText),
    ...(onward === null ? {} : { onward }),
    gasless,
    lockBefore,
    since: clocks[network]?.height ?? 0,
    burial: burialOf(context, network),
  };
}

/** The token that a claim brings, and where it goes on to: all of it judged before anything is made. */
function bridgeOf(
  market: Market,
  { bridge, target, token }: CreateToEvm,
): { readonly token: EvmAddress; readonly onward: BridgeTerms | null } | Refusal {
  if (bridge === null) return { token, onward: null };
  const onward = judgeOnward(market.bridge, bridge.chain, bridge.token);
  if (isRefusal(onward)) return onward;
  const usdc = bridgedToken(market, onward, token);
  if (isRefusal(usdc)) return usdc;
  const recipient = judgeRecipient(onward, target.is === 'evm' ? `0x${toHex(target.address)}` : target.text);
  return isRefusal(recipient) ? recipient : { token: usdc, onward: bridgeTerms(onward, recipient) };
}

/** Where the tokens go; refused where nobody could ever claim or receive them. */
function addressesOf(
  { claimingAddress, target }: CreateToEvm,
  isDead: (address: EvmAddress) => boolean,
): EvmAddress | Refusal {
  if (target.is !== 'evm')
    return refuse('invalid', 'target_address is no address of this chain: send 0x and 40 hex digits.');
  const of = [
    ['claiming_address', claimingAddress],
    ['target_address', target.address],
  ] as const;
  for (const [field, address] of of)
    if (isDead(address))
      return refuse(
        'invalid',
        `${field} is ${checksummed(address)}, an address that nobody can spend from: send an ` + 'account of your own.',
      );
  return target.address;
}

/** Of any amount: whoever takes one refund of ours out of its block takes all of that block (facts/faults.md 343). */
function burialOf({ config }: ServiceContext, network: EvmNetwork): number {
  return config.evm[chainIdOf(network)]?.confirmations[1] ?? 1;
}
