import { chainIdOf } from '../../domain/chain.ts';
import { evmChainNames, type EvmAddress } from '../../domain/evm.ts';
import type { Refusal } from '../../domain/errors.ts';
import { readEvmAddress } from '../../domain/evm-address.ts';
import { sameBytes, type Sha256 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Clocks } from '../../domain/time.ts';
import type { TokenInfo } from '../../domain/token.ts';
import type { SwapContracts } from '../../legs/evm/contracts.ts';
import { evmTime } from '../../legs/evm/timelocks.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import { tokenInfo } from '../../swap/halves/evm/record.ts';
import { distrust, mostCostBps, objection, type NetworkFee, type Objection } from '../verify.ts';
import type { EvmLeg, EvmOrderTerms } from './terms.ts';

/* The half of a provider's record that is on an EVM chain, judged by what our own order pinned. */

/** What records say of their lock, whoever makes it. */
interface EvmFields {
  readonly chain: string;
  readonly evm_chain_id: number;
  readonly evm_coordinator_address: string;
  readonly evm_htlc_address: string;
  readonly evm_htlc_kind: 'erc20' | 'native';
  readonly evm_htlc_version: number;
  readonly server_evm_address: string;
  readonly client_evm_address: string;
  readonly wbtc_address?: string | undefined;
  readonly evm_claim_txid?: string | undefined;
  readonly evm_fund_txid?: string | undefined;
}

/** Whether a record names this very account or contract; what is no address names none. */
export function isAddress(text: string, expected: EvmAddress): boolean {
  const address = readEvmAddress(text);
  return address !== null && sameBytes(address, expected);
}

/** The account that is the provider's own; null where it is no account, or nobody's who could lock or claim. */
function serviceIn(record: EvmFields, { account, pegged, pairs }: EvmOrderTerms): EvmAddress | null {
  const service = readEvmAddress(record.server_evm_address);
  if (service === null || isZero(service)) return null;
  const others = [account, pegged.address, ...pairs.flatMap(({ htlc, coordinator }) => [htlc, coordinator])];
  return others.some((one) => sameBytes(one, service)) ? null : service;
}

export function isZero(address: EvmAddress): boolean {
  return address.every((byte) => byte === 0);
}

/** Of the pairs that we know, the one that the record names, to every word of it; null for any other. */
function pairIn(record: EvmFields, { pairs }: EvmOrderTerms): SwapContracts | null {
  return (
    pairs.find(
      ({ kind, htlc, coordinator, htlcVersion }) =>
        kind === record.evm_htlc_kind &&
        htlcVersion === String(record.evm_htlc_version) &&
        isAddress(record.evm_htlc_address, htlc) &&
        isAddress(record.evm_coordinator_address, coordinator),
    ) ?? null
  );
}

export function wrongLock(record: EvmFields, terms: EvmOrderTerms): Objection {
  const chainId = chainIdOf(terms.chain);
  return (
    objection(
      record.evm_chain_id === chainId && record.chain === evmChainNames[chainId],
      `it is on chain ${record.evm_chain_id}, we asked for ${chainId}`,
    ) ??
    objection(pairIn(record, terms) !== null, 'its contracts are none that this node knows') ??
    objection(
      record.wbtc_address === undefined || isAddress(record.wbtc_address, terms.pegged.address),
      `its lock would hold the token ${record.wbtc_address}, which is not the one that we know to be bitcoin`,
    ) ??
    objection(isAddress(record.client_evm_address, terms.account), 'its account is not ours') ??
    objection(serviceIn(record, terms) !== null, "the provider's account in it is nobody's") ??
    objection(
      record.evm_claim_txid === undefined && record.evm_fund_txid === undefined,
      'it names transactions although nothing was locked',
    )
  );
}

/** The token of the lock as records say it. */
export function peggedInfo({ chain, pegged }: Pick<EvmOrderTerms, 'chain' | 'pegged'>): TokenInfo {
  return tokenInfo(chain, pegged);
}

/** Whole sats in so many units of the token of the lock, rounded down. */
export function satsDown(units: bigint, { pegged: { decimals } }: EvmOrderTerms): bigint {
  return decimals >= 8 ? units / 10n ** BigInt(decimals - 8) : units * 10n ** BigInt(8 - decimals);
}

/** What a record says of the tokens that we are to lock, and for how much. */
export interface ToLock extends EvmFields, NetworkFee {
  readonly source_amount: string;
  readonly target_amount: string;
  readonly evm_expected_sats: string;
  readonly evm_refund_locktime: number;
  readonly fee_sats: number;
  readonly gasless: boolean;
  readonly returned_amount?: string | undefined;
  readonly bridge_source_chain?: string | undefined;
  readonly bridge_source_token_address?: string | undefined;
}

/** An order that locks tokens of ours: the most of them, and the sats for which. */
export interface OrderFromEvm extends EvmOrderTerms {
  readonly hash: Sha256;
  readonly sourceAmount: bigint;
  readonly targetAmount: Sats;
}

/** What we would lock, what comes out, and who sends it. */
export function wrongPrice(record: ToLock, terms: OrderFromEvm): Objection {
  if (record.source_amount.length > 40) return 'its amounts exceed 21M bitcoin';
  const units = BigInt(record.source_amount);
  const source = satsDown(units, terms);
  const cost = source - terms.targetAmount;
  const fees = BigInt(record.fee_sats) + BigInt(record.network_fee_sats ?? 0);
  return (
    wrongLock(record, terms) ??
    objection(units <= terms.sourceAmount, `it asks for ${units} units, at most ${terms.sourceAmount} were agreed`) ??
    objection(
      record.evm_expected_sats === record.source_amount,
      `it wants ${record.evm_expected_sats} units locked, it asks for ${record.source_amount}`,
    ) ??
    objection(
      record.target_amount === terms.targetAmount.toString(),
      `it would pay ${record.target_amount} sats, ${terms.targetAmount} were asked for`,
    ) ??
    objection(cost === fees, `its fees of ${fees} sats are not the ${cost} between its two amounts`) ??
    objection(cost * 10_000n <= source * mostCostBps, `its fees take ${cost} of ${source} sats, more than a quarter`) ??
    objection(record.returned_amount === undefined, 'it says that something came back although nothing was locked') ??
    objection(record.gasless === terms.gasless, 'it is not for whom we asked to send the transactions') ??
    objection(
      record.bridge_source_chain === undefined && record.bridge_source_token_address === undefined,
      'it comes over a bridge that nobody asked for',
    )
  );
}

/** Our lock must be ours again in bounded time, and not yet. */
export function wrongRefundTime(
  { evm_refund_locktime: timelock }: Pick<ToLock, 'evm_refund_locktime'>,
  { chain, policy }: Pick<EvmOrderTerms, 'chain'> & { readonly policy: TimeoutPolicy },
  now: Clocks,
): Objection {
  const time = evmTime(now, chain);
  if (time === null) return 'the clock of the EVM chain, by which its lock is judged, cannot be read now';
  return (
    objection(timelock > time, `its refund opens at ${timelock}, which has passed`) ??
    objection(
      timelock <= Math.max(now.wall, time) + policy.longestLeg,
      `its refund opens at ${timelock} only, more than ${policy.longestLeg} seconds from now`,
    )
  );
}

/** A lock as a record describes it, on the secret's hash, between whom `parties` says. */
export function lockBetween(
  record: EvmFields & { readonly evm_refund_locktime: number },
  terms: EvmOrderTerms & { readonly hash: Sha256 },
  amount: bigint,
  parties: (contracts: SwapContracts, service: EvmAddress) => Pick<EvmLeg['lock'], 'refundAddress' | 'claimAddress'>,
): EvmLeg | Refusal {
  const contracts = pairIn(record, terms);
  const service = serviceIn(record, terms);
  if (contracts === null || service === null) return distrust('its lock is none that this node knows');
  return {
    on: 'evm',
    amount,
    network: terms.chain,
    contracts,
    lock: {
      preimageHash: terms.hash,
      amount,
      token: terms.pegged.address,
      ...parties(contracts, service),
      timelock: BigInt(record.evm_refund_locktime),
    },
  };
}

/**
 * The lock that we would make: to the provider with the secret, back to the coordinator and so to us from the timelock
 * on.
 */
export function lockOf(record: ToLock, terms: OrderFromEvm): EvmLeg | Refusal {
  return lockBetween(record, terms, BigInt(record.source_amount), ({ coordinator }, service) => ({
    refundAddress: coordinator,
    claimAddress: service,
  }));
}
