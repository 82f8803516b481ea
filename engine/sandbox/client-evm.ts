import { privateKeyToAddress, sign } from 'viem/accounts';
import type { RedeemData } from '../contract/records/replies.ts';
import { asEvmAddress, type EvmAddress } from '../domain/evm.ts';
import { asPreimage } from '../domain/hash.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import { redeemDigest } from '../legs/evm/digests.ts';

/** What of a swap's record a claim is signed with. */
interface ClaimedLock {
  readonly evm_chain_id: number;
  readonly evm_htlc_kind: 'erc20' | 'native';
  readonly evm_htlc_address: string;
  readonly evm_coordinator_address: string;
  readonly evm_htlc_version: number;
  readonly evm_expected_sats: string;
  readonly evm_refund_locktime: number;
  readonly server_evm_address: string;
  readonly wbtc_address: string;
  readonly target_token: { readonly token_id: string };
}

/** An account on EVM chains that holds nothing and claims by its signature. */
export interface EvmSide {
  readonly address: string;
  /** The signature that a relay of the claim needs, as it is posted. */
  sign(
    record: ClaimedLock,
    data: RedeemData,
    claim: { readonly secret: Uint8Array; readonly destination: string },
  ): Promise<{ readonly v: number; readonly r: string; readonly s: string }>;
}

function addressIn(hex: string): EvmAddress {
  return asEvmAddress(fromHex(hex.slice(2).toLowerCase()));
}

export function evmSideOf(secretKey: Uint8Array): EvmSide {
  const privateKey = `0x${toHex(secretKey)}` as const;
  return {
    address: privateKeyToAddress(privateKey),
    async sign(record, data, { secret, destination }) {
      const direct = record.target_token.token_id.toLowerCase() === record.wbtc_address.toLowerCase();
      const digest = redeemDigest(
        {
          chainId: record.evm_chain_id,
          contracts: {
            kind: record.evm_htlc_kind,
            htlc: addressIn(record.evm_htlc_address),
            coordinator: addressIn(record.evm_coordinator_address),
            htlcVersion: String(record.evm_htlc_version),
            coordinatorVersion: null,
          },
        },
        {
          lock: {
            amount: BigInt(record.evm_expected_sats),
            token: addressIn(record.wbtc_address),
            refundAddress: addressIn(record.server_evm_address),
            timelock: BigInt(record.evm_refund_locktime),
          },
          preimage: asPreimage(secret),
          destination: addressIn(destination),
          sweepToken: addressIn(direct ? record.wbtc_address : record.target_token.token_id),
          minAmountOut: BigInt(data.min_amount_out),
          callsHash: fromHex(data.calls_hash.slice(2)),
        },
      );
      const { r, s, yParity } = await sign({ hash: `0x${toHex(digest)}`, privateKey });
      return { v: 27 + (yParity ?? 0), r, s };
    },
  };
}
