import type { RedeemData } from '../../contract/records/evm.ts';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import { asSha256 } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import { approveCall } from '../../legs/evm/calls.ts';
import type { Call } from '../../legs/evm/contracts.ts';
import type { SignedOn } from '../../legs/evm/digests.ts';

/** What of a swap's record every signature is made with. */
export interface SwapOnChain {
  readonly evm_chain_id: number;
  readonly evm_htlc_kind: 'erc20' | 'native';
  readonly evm_htlc_address: string;
  readonly evm_coordinator_address: string;
  readonly evm_htlc_version: number;
  readonly evm_refund_locktime: number;
  readonly server_evm_address: string;
  readonly wbtc_address: string;
}

/** What a claim is signed with. */
export interface ClaimedLock extends SwapOnChain {
  readonly evm_expected_sats: string;
  readonly target_token: { readonly token_id: string };
}

/** What a funding is signed with. */
export interface OwnLock extends SwapOnChain {
  readonly hash_lock: string;
  readonly source_token: { readonly token_id: string };
}

/** The secret that opens the lock, and where its tokens go. */
export interface Claim {
  readonly secret: Uint8Array;
  readonly destination: string;
}

export function bytesIn(hex: string): Uint8Array {
  return fromHex(hex.slice(2));
}

export function addressIn(hex: string): EvmAddress {
  return asEvmAddress(bytesIn(hex.toLowerCase()));
}

export function signedOn(record: SwapOnChain, coordinatorVersion: string | null = null): SignedOn {
  return {
    chainId: record.evm_chain_id,
    contracts: {
      kind: record.evm_htlc_kind,
      htlc: addressIn(record.evm_htlc_address),
      coordinator: addressIn(record.evm_coordinator_address),
      htlcVersion: String(record.evm_htlc_version),
      coordinatorVersion,
    },
  };
}

/** The lock of the service that a claim takes. */
export function lockToClaim(record: ClaimedLock) {
  return {
    amount: BigInt(record.evm_expected_sats),
    token: addressIn(record.wbtc_address),
    refundAddress: addressIn(record.server_evm_address),
    timelock: BigInt(record.evm_refund_locktime),
  };
}

/** The lock that a funding makes. */
export function lockToFund(record: OwnLock) {
  return {
    preimageHash: asSha256(bytesIn(record.hash_lock)),
    token: addressIn(record.wbtc_address),
    claimAddress: addressIn(record.server_evm_address),
    timelock: BigInt(record.evm_refund_locktime),
  };
}

/** What the client is paid by its claim: the token of the lock as it is, or what the exchange makes of it. */
export function payoutOf(record: ClaimedLock, { min_amount_out, dex_calldata }: RedeemData, destination: string) {
  const direct = record.target_token.token_id.toLowerCase() === record.wbtc_address.toLowerCase();
  const calls: Call[] = [];
  if (dex_calldata !== undefined) {
    const exchange = {
      target: addressIn(dex_calldata.to),
      value: BigInt(dex_calldata.value),
      data: bytesIn(dex_calldata.data),
    };
    const { to, value, data } = approveCall(
      addressIn(record.wbtc_address),
      exchange.target,
      BigInt(record.evm_expected_sats),
    );
    calls.push({ target: to, value, data }, exchange);
  }
  return {
    calls,
    destination: addressIn(destination),
    sweepToken: addressIn(direct ? record.wbtc_address : record.target_token.token_id),
    minAmountOut: BigInt(min_amount_out),
  };
}
