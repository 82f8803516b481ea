import { nativeCoin } from '../../domain/evm.ts';
import { randomUUID } from 'node:crypto';
import type { Withdrawal, WithdrawRequest } from '../../contract/owner/wallets.ts';
import type { TakerAccounts } from '../../contract/taker-accounts.ts';
import { chainIdOf, evmNetwork, isEvm, type EvmNetwork, type Network } from '../../domain/chain.ts';
import { isRefusal, PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed, readEvmAddress } from '../../domain/evm-address.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { noSats, sats, type Sats } from '../../domain/money.ts';
import { withdrawalCeiling } from '../../domain/withdrawal-cost.ts';
import { coinText } from '../../legs/evm/coin-text.ts';
import { isDeadOn } from '../../legs/evm/dead-address.ts';
import { satsOfWeiUp, type CoinPrice } from '../../quote/coin-price.ts';
import { satsOfUnitsDown } from '../../quote/token-price.ts';
import { forwardEvm, forwardEvmEffect, type ForwardEvmTerms } from '../../swap/jobs/forward-evm.ts';
import type { ServiceContext } from '../context.ts';
import { beginJob } from '../owner/job.ts';
import {
  accountKey,
  addressOf,
  busy,
  holdingsOn,
  isCoin,
  keptFor,
  type AccountContext,
  type AccountHolding,
} from './account-holdings.ts';

type Context = AccountContext &
  Pick<ServiceContext, 'networks'> & {
    /** What the coin of a chain costs; null while nobody knows. */
    readonly coinPrice: (network: EvmNetwork) => CoinPrice | null;
  };

/** What the account of the own swaps holds on every chain that is set. */
export async function takerAccounts(context: Context): Promise<TakerAccounts> {
  const { config, networks } = context;
  const chains = Object.keys(config.evm).map((id) => evmNetwork(Number(id)));
  const accounts = await Promise.all(
    chains.map(async (network) => {
      const read = networks.missing(network) === null ? await ifAnswered(() => holdingsOn(context, network)) : null;
      return { network, address: checksummed(addressOf(context)), holdings: read?.map(rowOf) ?? null };
    }),
  );
  return { accounts };
}

/** What the wire says of one asset. What swaps wait for and is not there is kept by nobody. */
export function rowOf({ token, symbol, decimals, held, available, promised, mostWei }: AccountHolding) {
  return {
    asset: checksummed(token),
    symbol,
    decimals,
    available: `${available}`,
    kept: `${held < promised ? held : promised}`,
    most_gas: `${mostWei}`,
  };
}

async function ifAnswered<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return null;
  }
}

/**
 * Sends on what lies at the account of the own swaps: by one transaction, which is on the disk before anybody has it.
 */
export async function sendOn(
  context: Context,
  network: Network,
  request: WithdrawRequest,
): Promise<Withdrawal | Refusal> {
  if (!isEvm(network))
    return refuse('invalid', `network is ${network}; only accounts on EVM chains are emptied like this.`);
  const { speed = null } = request;
  if (speed !== null)
    return refuse('invalid', `speed is ${speed}, which a withdrawal on Bitcoin alone has: leave speed out.`);
  const missing = context.networks.missing(network);
  if (missing !== null) return missing;
  const away = refuse('unavailable', `Chain ${chainIdOf(network)} does not answer now: try again later.`);
  const holdings = await ifAnswered(() => holdingsOn(context, network));
  if (holdings === null) return away;
  const terms = termsOf(context, network, request, holdings);
  if (isRefusal(terms)) return terms;
  const coins = holdings.find(({ token }) => isCoin(token));
  const price = coins === undefined ? 0n : coins.mostWei / (2n * coins.gas);
  return beginJob(
    context,
    {
      machine: forwardEvm,
      network,
      amount: noSats,
      terms,
      progress: { at: 'choosing' },
      effects: [forwardEvmEffect(terms)],
    },
    (reason) => `Nothing was sent: ${reason ?? 'it was refused'}.`,
    { id: randomUUID(), still: () => busy(context, network) ?? short(context, terms, holdings, price) },
  );
}

function termsOf(
  context: Context,
  network: EvmNetwork,
  { address, amount, asset, maxFee }: WithdrawRequest,
  holdings: readonly AccountHolding[],
): ForwardEvmTerms | Refusal {
  const wanted = (asset ?? `0x${toHex(nativeCoin)}`).toLowerCase();
  const holding = holdings.find(({ token }) => `0x${toHex(token)}` === wanted);
  if (holding === undefined)
    return refuse(
      'invalid',
      `asset is ${asset}; known on ${network} are ${holdings.map(({ token }) => checksummed(token)).join(', ')}: ` +
        'give one of them.',
    );
  const chainId = chainIdOf(network);
  const to = readEvmAddress(address, chainId);
  if (to === null)
    return refuse('invalid', `address is not an address of chain ${chainId}: 0x and 40 digits, look for a wrong one.`);
  const tokens = holdings.map((one) => one.token);
  if (isDeadOn(context.config.evm[`${chainId}`], to, tokens) || sameBytes(to, addressOf(context)))
    return refuse(
      'invalid',
      'address is the zero address, this account itself, a token or a contract of swaps or of the exchange: ' +
        'nothing sent there comes back.',
    );
  const { available, gas, mostWei, token } = holding;
  const units = amount === 'all' ? available : amount;
  if (units <= 0n || units > available)
    return refuse(
      'forbidden',
      `amount is ${amount === 'all' ? 'all' : `${units} units`}; ${available} are free beside gas and what open ` +
        'swaps wait for: send less.',
    );
  const dear = tooDear(context, network, holding, units, maxFee ?? null);
  if (dear !== null) return dear;
  const confirmations = Math.max(...(context.config.evm[`${chainIdOf(network)}`]?.confirmations ?? [1]));
  return { network, key: accountKey, token, to, amount: units, gas, mostWei, confirmations };
}

/** Where the coin's price is known: no more for gas than any withdrawal may cost, unless its owner says more. */
function tooDear(
  { coinPrice, config }: Context,
  network: EvmNetwork,
  { token, decimals, mostWei }: AccountHolding,
  units: bigint,
  maxFee: bigint | null,
): Refusal | null {
  const price = coinPrice(network);
  if (price === null) return null;
  const settings = config.evm[`${chainIdOf(network)}`];
  const isPegged =
    settings !== undefined && settings.peggedToken !== null && toHex(settings.peggedToken) === toHex(token);
  const worth: Sats = isCoin(token) ? satsOfWeiUp(units, price) : isPegged ? satsOfUnitsDown(units, decimals) : noSats;
  const most = maxFee === null ? withdrawalCeiling(worth, config.ceilings) : sats(maxFee);
  const cost = satsOfWeiUp(mostWei, price);
  return cost <= most
    ? null
    : refuse(
        'forbidden',
        `Gas may cost up to ${cost} sats now, and at most ${most} are allowed: wait for a better price, or give ` +
          'max_fee.',
      );
}

/** In the turn of the commit: a swap may have been opened since the account was read, and gas has to be there. */
function short(
  context: Context,
  { network, token, amount, mostWei }: ForwardEvmTerms,
  holdings: readonly AccountHolding[],
  price: bigint,
): Refusal | null {
  const heldOf = (wanted: typeof token): bigint =>
    holdings.find((one) => toHex(one.token) === toHex(wanted))?.held ?? 0n;
  const free = heldOf(token) - keptFor(context, network, token, price);
  const needed = amount + (isCoin(token) ? mostWei : 0n);
  if (free < needed) return refuse('forbidden', 'A new swap reserves part of this balance: send less.');
  const coins = heldOf(nativeCoin) - keptFor(context, network, nativeCoin, price);
  return isCoin(token) || coins >= mostWei
    ? null
    : refuse(
        'forbidden',
        `The account ${checksummed(addressOf(context))} has ${coinText(coins > 0n ? coins : 0n)} of the coin of ` +
          `${network} for gas, and sending takes up to ${coinText(mostWei)}: send that much of it there first.`,
      );
}
