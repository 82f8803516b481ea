import { createPublicClient, createWalletClient, defineChain, http, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { parseAbi } from 'viem/utils';
import type { Permit2Funding, RedeemData } from '../../contract/records/evm.ts';
import type { CollabRefundEvmParams, RefundCalldata } from '../../contract/records/refunds.ts';
import { asPreimage } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { approveCall, relayClaimCall, relayFundCall } from '../../legs/evm/calls.ts';
import { permit2 } from '../../legs/evm/deployments.ts';
import type { EvmCall } from '../../legs/evm/port.ts';
import { sha256Of } from '../../legs/secret.ts';
import {
  addressIn,
  bytesIn,
  lockToClaim,
  lockToFund,
  payoutOf,
  signedOn,
  type Claim,
  type ClaimedLock,
  type OwnLock,
  type SwapOnChain,
} from './record.ts';
import { inBytes, signClaim, signFunding, signPermit, signRefund } from './signatures.ts';

type Body = Readonly<Record<string, unknown>>;

/** A client's account on EVM chains. Without coins it acts by its signatures, each the body of a request. */
export interface EvmSide {
  readonly address: string;
  claim(record: ClaimedLock, data: RedeemData, claim: Claim): Promise<Body>;
  /** Counts until `deadline`, in unix seconds. */
  fund(record: OwnLock, data: Permit2Funding, deadline: number): Promise<Body>;
  refund(record: SwapOnChain, params: CollabRefundEvmParams): Promise<Body>;
  /** The same account where it has coins to send transactions of its own. */
  on(chainId: number, rpcUrl: string): EvmAccount;
}

/** Each answers the hash of a mined transaction, and rejects where it was reverted or would be. */
export interface EvmAccount {
  /** Smallest units that anybody has of a token, or of the coin for the zero address. */
  balance(token: string, of: string): Promise<bigint>;
  claim(record: ClaimedLock, data: RedeemData, claim: Claim): Promise<string>;
  /** Lets Permit2 take what the funding needs: a token without signed permits asks for it before any funding. */
  approve(data: Permit2Funding): Promise<string>;
  fund(record: OwnLock, data: Permit2Funding, deadline: number): Promise<string>;
  refund(data: RefundCalldata): Promise<string>;
}

const erc20 = parseAbi(['function balanceOf(address) view returns (uint256)']);
const pollingInterval = 250;

export function evmSideOf(secretKey: Uint8Array): EvmSide {
  const privateKey: Hex = `0x${toHex(secretKey)}`;
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address,
    claim: (record, data, claim) => signClaim(privateKey, record, data, claim),
    fund: (record, data, deadline) => signFunding(privateKey, record, data, deadline),
    refund: (record, params) => signRefund(privateKey, record, params),
    on(id, rpcUrl) {
      const nativeCurrency = { name: 'coin', symbol: 'COIN', decimals: 18 };
      const chain = defineChain({ id, name: 'sandbox', nativeCurrency, rpcUrls: { default: { http: [rpcUrl] } } });
      const wallet = createWalletClient({ account, chain, transport: http() });
      const reader = createPublicClient({ chain, transport: http(), pollingInterval });

      async function send({ to, value, data }: EvmCall): Promise<string> {
        // Not every chain takes transactions of a newer type.
        const hash = await wallet.sendTransaction({
          type: 'legacy',
          to: `0x${toHex(to)}`,
          value,
          data: `0x${toHex(data)}`,
        });
        const { status } = await reader.waitForTransactionReceipt({ hash });
        if (status !== 'success') throw new Error(`The transaction ${hash} was reverted.`);
        return hash;
      }

      return {
        balance: (token, of) =>
          /^0x0+$/.test(token)
            ? reader.getBalance({ address: of as Hex })
            : reader.readContract({
                address: token as Hex,
                abi: erc20,
                functionName: 'balanceOf',
                args: [of as Hex],
              }),
        async claim(record, data, { secret, destination }) {
          const payout = payoutOf(record, data, destination);
          const signature = inBytes(await signClaim(privateKey, record, data, { secret, destination }));
          const preimage = asPreimage(secret);
          const lock = {
            ...lockToClaim(record),
            preimageHash: sha256Of(preimage),
            claimAddress: addressIn(account.address),
          };
          return send(relayClaimCall(signedOn(record).contracts, { lock, ...payout, signature }, preimage));
        },
        approve: ({ source_token_address, source_amount }) =>
          send(approveCall(addressIn(source_token_address), permit2, BigInt(source_amount))),
        async fund(record, data, deadline) {
          const token = addressIn(record.source_token.token_id);
          const amount = BigInt(data.source_amount);
          const { nonce, signature } = await signPermit(privateKey, record, data, deadline);
          const permit = {
            depositor: addressIn(account.address),
            token,
            amount,
            nonce,
            deadline: BigInt(deadline),
            signature: bytesIn(signature),
          };
          const calls = data.calls.map(({ target, value, call_data }) => ({
            target: addressIn(target),
            value: BigInt(value),
            data: bytesIn(call_data),
          }));
          const lock = { ...lockToFund(record), refundAddress: addressIn(record.evm_coordinator_address) };
          return send(relayFundCall(signedOn(record).contracts, { lock, permit, calls }));
        },
        refund: ({ coordinator_address, calldata }) =>
          send({ to: addressIn(coordinator_address), value: 0n, data: bytesIn(calldata) }),
      };
    },
  };
}
