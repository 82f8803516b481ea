import type {
  Balances,
  WalletAddress,
  Withdrawal,
  WithdrawalFees,
  WithdrawalFeesRequest,
  WithdrawRequest,
} from '../../contract/owner/wallets.ts';
import { chainIdOf, type EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed, readEvmAddress } from '../../domain/evm-address.ts';
import { nativeCoin, type EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { lesser, noSats, sats, type Sats, type TokenAmount } from '../../domain/money.ts';
import { withdrawalCeiling } from '../../domain/withdrawal-cost.ts';
import { isDeadOn } from '../../legs/evm/dead-address.ts';
import { satsOfWeiUp } from '../../quote/coin-price.ts';
import { satsOfUnitsDown, unitsOfSats } from '../../quote/token-price.ts';
import { evmOf } from '../../runtime/ports.ts';
import { evmWithdrawal, evmWithdrawalEffect, type EvmWithdrawalTerms } from '../../swap/jobs/withdrawal-evm.ts';
import type { ServiceContext } from '../context.ts';
import type { EvmFacts, Holding } from '../networks/evm.ts';
import { coinGasOf, sendableOf, type CoinGas } from './coin-gas.ts';
import { beginJob } from './job.ts';

function factsOf({ networks }: ServiceContext, network: EvmNetwork): EvmFacts | Refusal {
  const missing = networks.missing(network);
  if (missing !== null) return missing;
  const last = networks.chains.get(network)?.last();
  return last?.state === 'connected'
    ? last.facts
    : refuse('unavailable', `There is no wallet on ${network} here: connect the network first.`);
}

/** The coin, or the token that locks hold: the account keeps nothing else. */
function holdingOf(facts: EvmFacts, asset: string | null, network: EvmNetwork): Holding | Refusal {
  const { coin, pegged } = facts;
  if (asset === null) return pegged ?? coin;
  const wanted = asset.toLowerCase();
  const holding = [coin, pegged].find((one) => one !== null && `0x${toHex(one.token)}` === wanted) ?? null;
  const held = [coin, pegged].flatMap((one) => (one === null ? [] : [checksummed(one.token)]));
  return (
    holding ??
    refuse(
      'invalid',
      `asset is ${asset}; the account on ${network} holds ${[...new Set(held)].join(' and ')}: give one of them.`,
    )
  );
}

/** Where the owner sends the coin and the token of a chain: both to one account. */
export function evmAddress(
  context: ServiceContext,
  network: EvmNetwork,
  asset: string | null,
): WalletAddress | Refusal {
  const facts = factsOf(context, network);
  if (isRefusal(facts)) return facts;
  const holding = holdingOf(facts, asset, network);
  if (isRefusal(holding)) return holding;
  return { address: checksummed(evmOf(context.runtime.ports, network).account()) };
}

/** Whether locks hold it. */
function isLocked({ pegged }: Pick<EvmFacts, 'pegged'>, { token }: Holding): boolean {
  return pegged !== null && sameBytes(token, pegged.token);
}

/** What of a holding is promised to swaps and not on its way, and what is free of that. */
function shareOf(
  { networks }: Pick<ServiceContext, 'networks'>,
  network: EvmNetwork,
  facts: EvmFacts,
  holding: Holding,
): { readonly free: bigint; readonly reserved: bigint } {
  const reader = networks.chains.get(network);
  const promised = isLocked(facts, holding) ? (reader?.promised() ?? noSats) : noSats;
  const reserved = unitsOfSats(promised, holding.decimals);
  const units = reader?.freeUnits(holding) ?? 0n;
  return { free: units > reserved ? units - reserved : 0n, reserved };
}

/**
 * What the account has on each connected chain: `available` is beside what signed transactions take, and for the coin
 * what is kept for gas.
 */
export function evmBalances(context: ServiceContext, lockedOn: (network: EvmNetwork) => Sats): Balances['balances'] {
  return [...context.networks.chains].flatMap(([network, reader]) => {
    const last = reader.last();
    if (last.state !== 'connected') return [];
    const { coin, pegged } = last.facts;
    const row = (holding: Holding) => {
      const { free, reserved } = shareOf(context, network, last.facts, holding);
      return {
        network,
        asset: checksummed(holding.token),
        available: free.toString(),
        reserved: reserved.toString(),
        locked: (isLocked(last.facts, holding) ? unitsOfSats(lockedOn(network), holding.decimals) : 0n).toString(),
        pending: holding.outgoing.toString(),
      };
    };
    return pegged === null || pegged.token === coin.token ? [row(coin)] : [row(coin), row(pegged)];
  });
}

/** What an amount is worth in sats, null while nobody knows. */
function worthOf(
  { markets }: ServiceContext,
  network: EvmNetwork,
  holding: Holding,
  pegged: Holding | null,
  amount: bigint,
): Sats | null {
  if (isLocked({ pegged }, holding)) return satsOfUnitsDown(amount, holding.decimals);
  const price = markets.coinPrice(network);
  return price === null ? null : satsOfWeiUp(amount, price);
}

/** Where a withdrawal of a holding goes, as far as that can be told from its address. */
function destinationOf(
  { config, runtime }: ServiceContext,
  network: EvmNetwork,
  facts: EvmFacts,
  address: string,
): EvmAddress | Refusal {
  const chainId = chainIdOf(network);
  const to = readEvmAddress(address, chainId);
  if (to === null)
    return refuse('invalid', `address is not an address of chain ${chainId}: 0x and 40 digits, look for a wrong one.`);
  const own = evmOf(runtime.ports, network).account();
  const tokens = [facts.coin, facts.pegged].flatMap((one) => (one === null ? [] : [one.token]));
  if (isDeadOn(config.evm[`${chainId}`], to, tokens) || sameBytes(to, own))
    return refuse(
      'invalid',
      'address is the zero address, our own, a token or a contract of swaps or of the exchange: nothing sent ' +
        'there comes back.',
    );
  return to;
}

/** What is to leave the account, and whereto. */
interface Transfer {
  readonly facts: EvmFacts;
  readonly holding: Holding;
  readonly to: EvmAddress;
}

function transferOf(
  context: ServiceContext,
  network: EvmNetwork,
  { address, asset }: Pick<WithdrawalFeesRequest, 'address' | 'asset'>,
): Transfer | Refusal {
  const facts = factsOf(context, network);
  if (isRefusal(facts)) return facts;
  const holding = holdingOf(facts, asset, network);
  if (isRefusal(holding)) return holding;
  const own = evmOf(context.runtime.ports, network).account();
  const to = address === null ? own : destinationOf(context, network, facts, address);
  return isRefusal(to) ? to : { facts, holding, to };
}

/** The same with how much: its gas comes out of what is free where it is the coin, and is null for a token. */
interface Leaving extends Transfer {
  readonly amount: bigint;
  readonly free: bigint;
  readonly gas: CoinGas | null;
}

/** What its gas costs is known by then: between this and the promise nothing is waited for. */
function leavingOf(
  context: ServiceContext,
  network: EvmNetwork,
  request: Pick<WithdrawalFeesRequest, 'address' | 'amount' | 'asset'>,
  gas: CoinGas | null,
): Leaving | Refusal {
  const of = transferOf(context, network, request);
  if (isRefusal(of)) return of;
  const { facts, holding } = of;
  const { amount: given } = request;
  if (given === 'all' && gas === null)
    return refuse(
      'invalid',
      'amount is all, which a withdrawal on Bitcoin and of the coin of a chain alone can be: give a number.',
    );
  const { free } = shareOf(context, network, facts, holding);
  const all = gas === null ? free : sendableOf(gas, { free, units: holding.units });
  const amount = given === 'all' ? all : given;
  if (amount <= 0n || amount > free - (gas?.now ?? 0n))
    return refuse(
      'forbidden',
      `amount is ${given === 'all' ? given : `${given} units`}; ${free} are free beside what is promised to swaps, ` +
        `on its way and kept for gas${gas === null ? '' : `, and its own gas takes up to ${gas.most} of them`}: ` +
        'send less.',
    );
  return { ...of, amount, free, gas };
}

/** What the gas of a withdrawal takes out of what it sends; null for a token. */
async function gasOfOne(
  context: ServiceContext,
  network: EvmNetwork,
  request: Pick<WithdrawalFeesRequest, 'address' | 'asset'>,
): Promise<CoinGas | Refusal | null> {
  const of = transferOf(context, network, request);
  if (isRefusal(of)) return of;
  return sameBytes(of.holding.token, nativeCoin) ? coinGasOf(context, network, of.to) : null;
}

/**
 * Most sats that gas may cost. Of the coin no more than was shown, nor than what is left of the free, to the sat: what
 * is kept for claims pays for no withdrawal.
 */
function mostFeeOf(
  { config, markets }: ServiceContext,
  network: EvmNetwork,
  { amount, free, gas }: Leaving,
  { worth, maxFee }: { readonly worth: Sats | null; readonly maxFee: TokenAmount | null },
): Sats {
  const most = maxFee === null ? withdrawalCeiling(worth ?? noSats, config.ceilings) : sats(maxFee);
  const price = markets.coinPrice(network);
  if (gas === null || price === null) return most;
  const left = free - amount;
  return lesser(most, satsOfWeiUp(maxFee === null ? lesser(left, gas.most) : left, price));
}

/** What a withdrawal of the coin would cost now; nothing is signed, promised or sent. */
export async function coinFees(
  context: ServiceContext,
  network: EvmNetwork,
  request: WithdrawalFeesRequest,
): Promise<WithdrawalFees | Refusal> {
  const gas = await gasOfOne(context, network, request);
  if (isRefusal(gas)) return gas;
  if (gas === null)
    return refuse('invalid', 'asset is a token, of which all arrives: only the coin of a chain pays for its own gas.');
  const leaving = leavingOf(context, network, request, gas);
  return isRefusal(leaving) ? leaving : { fees: [], coin: { most_gas: `${gas.most}`, arrives: `${leaving.amount}` } };
}

export async function withdrawEvm(
  context: ServiceContext,
  network: EvmNetwork,
  { maxFee = null, ...request }: WithdrawRequest,
): Promise<Withdrawal | Refusal> {
  const { config, networks, runtime } = context;
  const gas = await gasOfOne(context, network, request);
  if (isRefusal(gas)) return gas;
  const leaving = leavingOf(context, network, request, gas);
  if (isRefusal(leaving)) return leaving;
  const { facts, holding, to, amount } = leaving;
  const worth = worthOf(context, network, holding, facts.pegged, amount);
  if (worth === null && maxFee === null)
    return refuse(
      'unavailable',
      `What the coin of chain ${chainIdOf(network)} costs is not known now: give max_fee, in sats, or try again later.`,
    );
  const mostFee = mostFeeOf(context, network, leaving, { worth, maxFee });
  const confirmations = Math.max(...(config.evm[`${chainIdOf(network)}`]?.confirmations ?? [1]));
  const terms: EvmWithdrawalTerms = { network, token: holding.token, to, amount, mostFee, confirmations };
  const answer = await beginJob(
    context,
    {
      machine: evmWithdrawal,
      network,
      amount: worth ?? noSats,
      terms,
      progress: { at: 'choosing' },
      effects: [evmWithdrawalEffect(terms)],
    },
    (reason) => `Nothing was sent: ${reason ?? 'it was refused'}`,
  );
  runtime.background('reading the networks', () => networks.refresh());
  return answer;
}
