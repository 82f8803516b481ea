import { chainIdOf } from '../../domain/chain.ts';
import { asEvmAddress, evmChainNames, type EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import type { TokenInfo } from '../../domain/token.ts';
import type { SwapContracts } from '../../legs/evm/contracts.ts';
import { tokenInfo } from '../../swap/evm-record.ts';
import { objection, type Objection } from '../verify.ts';
import type { EvmOrderTerms } from './terms.ts';

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
  readonly wbtc_address: string;
  readonly evm_claim_txid?: string | undefined;
  readonly evm_fund_txid?: string | undefined;
}

/** The contract lets nothing through but addresses. */
export function addressIn(text: string): EvmAddress {
  return asEvmAddress(fromHex(text.slice(2).toLowerCase()));
}

export function isZero(address: EvmAddress): boolean {
  return address.every((byte) => byte === 0);
}

/** Of the pairs that we know, the one that the record names, to every word of it; null for any other. */
export function pairIn(record: EvmFields, { pairs }: EvmOrderTerms): SwapContracts | null {
  return (
    pairs.find(
      ({ kind, htlc, coordinator, htlcVersion }) =>
        kind === record.evm_htlc_kind &&
        htlcVersion === String(record.evm_htlc_version) &&
        sameBytes(htlc, addressIn(record.evm_htlc_address)) &&
        sameBytes(coordinator, addressIn(record.evm_coordinator_address)),
    ) ?? null
  );
}

export function wrongLock(record: EvmFields, terms: EvmOrderTerms): Objection {
  const chainId = chainIdOf(terms.chain);
  const service = addressIn(record.server_evm_address);
  const own = [terms.account, terms.pegged.address, ...terms.pairs.flatMap((pair) => [pair.htlc, pair.coordinator])];
  return (
    objection(
      record.evm_chain_id === chainId && record.chain === evmChainNames[chainId],
      `it is on chain ${record.evm_chain_id}, we asked for ${chainId}`,
    ) ??
    objection(pairIn(record, terms) !== null, 'its contracts are none that this node knows') ??
    objection(
      sameBytes(addressIn(record.wbtc_address), terms.pegged.address),
      `its lock would hold the token ${record.wbtc_address}, which is not the one that we know to be bitcoin`,
    ) ??
    objection(sameBytes(addressIn(record.client_evm_address), terms.account), 'its account is not ours') ??
    objection(
      !isZero(service) && !own.some((one) => sameBytes(one, service)),
      "the provider's account in it is nobody's",
    ) ??
    objection(
      record.evm_claim_txid === undefined && record.evm_fund_txid === undefined,
      'it names transactions although nothing was locked',
    )
  );
}

/** The token of the lock as records say it. */
export function peggedInfo({ chain, pegged }: EvmOrderTerms): TokenInfo {
  return tokenInfo(chain, pegged);
}

/** Whole sats in so many units of the token of the lock, rounded down. */
export function satsDown(units: bigint, { pegged: { decimals } }: EvmOrderTerms): bigint {
  return decimals >= 8 ? units / 10n ** BigInt(decimals - 8) : units * 10n ** BigInt(8 - decimals);
}
