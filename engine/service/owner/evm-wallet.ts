import type { Balances, WalletAddress, Withdrawal, WithdrawRequest } from '../../contract/owner/wallets.ts';
import { chainIdOf, type EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed, readEvmAddress } from '../../domain/evm-address.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { noSats, sats, type Sats, type TokenAmount } from '../../domain/money.ts';
import { withdrawalCeiling } from '../../domain/withdrawal-cost.ts';
import { isDeadOn } from '../../legs/evm/dead-address.ts';
import { satsOfWeiUp } from '../../quote/coin-price.ts';
import { satsOfUnitsDown, unitsOfSats } from '../../quote/token-price.ts';
import { evmOf } from '../../runtime/ports.ts';
import { evmWithdrawal, evmWithdrawalEffect, type EvmWithdrawalTerms } from '../../swap/jobs/withdrawal-evm.ts';
import type { ServiceContext } from '../context.ts';
import type { EvmFacts, Holding } from '../networks/evm.ts';
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

export async function withdrawEvm(
  context: ServiceContext,
  network: EvmNetwork,
  { address, amount, asset, maxFee }: WithdrawRequest & { readonly amount: TokenAmount },
): Promise<Withdrawal | Refusal> {
  const { config, networks, runtime } = context;
  const facts = factsOf(context, network);
  if (isRefusal(facts)) return facts;
  const holding = holdingOf(facts, asset, network);
  if (isRefusal(holding)) return holding;
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
  const { free } = shareOf(context, network, facts, holding);
  if (amount <= 0n || amount > free)
    return refuse(
      'forbidden',
      `amount is ${amount} units; ${free} are free beside what is promised to swaps, on its way and kept for gas: ` +
        'send less.',
    );
  const worth = worthOf(context, network, holding, facts.pegged, amount);
  if (worth === null && maxFee === null)
    return refuse(
      'unavailable',
      `What the coin of chain ${chainIdOf(network)} costs is not known now: give max_fee, in sats, or try again later.`,
    );
  const mostFee =
    maxFee === null || maxFee === undefined ? withdrawalCeiling(worth ?? noSats, config.ceilings) : sats(maxFee);
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
