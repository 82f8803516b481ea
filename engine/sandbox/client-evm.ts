import { randomBytes } from 'node:crypto';
import type { Signature } from 'viem';
import { privateKeyToAddress, serializeSignature, sign } from 'viem/accounts';
import { concat, encodeAbiParameters, keccak256, stringToBytes } from 'viem/utils';
import type { Permit2Funding, RedeemData } from '../contract/records/replies.ts';
import { asEvmAddress, type EvmAddress } from '../domain/evm.ts';
import { asPreimage, asSha256 } from '../domain/hash.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import { permitDigest, redeemDigest, type SignedOn } from '../legs/evm/digests.ts';

/** What of a swap's record every signature is made with. */
interface SwapOnChain {
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
interface ClaimedLock extends SwapOnChain {
  readonly evm_expected_sats: string;
  readonly target_token: { readonly token_id: string };
}

/** What a funding is signed with. */
interface OwnLock extends SwapOnChain {
  readonly hash_lock: string;
  readonly source_token: { readonly token_id: string };
}

/** An account on EVM chains that holds no coins: it claims and funds by its signatures. */
export interface EvmSide {
  readonly address: string;
  /** The signature that a relay of the claim needs, as it is posted. */
  sign(
    record: ClaimedLock,
    data: RedeemData,
    claim: { readonly secret: Uint8Array; readonly destination: string },
  ): Promise<Parts>;
  /** The body of a gasless funding, whose signatures count until `deadline`, in unix seconds. */
  fund(record: OwnLock, data: Permit2Funding, deadline: number): Promise<Readonly<Record<string, unknown>>>;
}

interface Parts {
  readonly v: number;
  readonly r: string;
  readonly s: string;
}

function addressIn(hex: string): EvmAddress {
  return asEvmAddress(fromHex(hex.slice(2).toLowerCase()));
}

function signedOn(record: SwapOnChain): SignedOn {
  return {
    chainId: record.evm_chain_id,
    contracts: {
      kind: record.evm_htlc_kind,
      htlc: addressIn(record.evm_htlc_address),
      coordinator: addressIn(record.evm_coordinator_address),
      htlcVersion: String(record.evm_htlc_version),
      coordinatorVersion: null,
    },
  };
}

function inParts({ r, s, yParity }: Signature): Parts {
  return { v: 27 + (yParity ?? 0), r, s };
}

const everything = 2n ** 256n - 1n;
const permitType = 'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)';
const permitWords = ['bytes32', 'address', 'address', 'uint256', 'uint256', 'uint256'].map((type) => ({ type }));

/** What the owner signs for Permit2 to move its tokens (EIP-2612); null where Permit2 may already, or the token takes none. */
function tokenPermit({ eip2612, permit2_address }: Permit2Funding, owner: string, deadline: number) {
  if (eip2612 === undefined || !eip2612.supported || eip2612.already_approved) return null;
  const type = keccak256(stringToBytes(permitType));
  const values = [type, owner, permit2_address, everything, BigInt(eip2612.nonce), BigInt(deadline)];
  const struct = keccak256(encodeAbiParameters(permitWords, values));
  return keccak256(concat(['0x1901', `0x${eip2612.domain_separator.slice(2)}`, struct]));
}

export function evmSideOf(secretKey: Uint8Array): EvmSide {
  const privateKey = `0x${toHex(secretKey)}` as const;
  const owner = privateKeyToAddress(privateKey);
  return {
    address: owner,
    async sign(record, data, { secret, destination }) {
      const direct = record.target_token.token_id.toLowerCase() === record.wbtc_address.toLowerCase();
      const digest = redeemDigest(signedOn(record), {
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
      });
      return inParts(await sign({ hash: `0x${toHex(digest)}`, privateKey }));
    },
    async fund(record, data, deadline) {
      const nonce = BigInt(`0x${randomBytes(32).toString('hex')}`);
      const digest = permitDigest(signedOn(record), {
        lock: {
          preimageHash: asSha256(fromHex(record.hash_lock.slice(2))),
          token: addressIn(record.wbtc_address),
          claimAddress: addressIn(record.server_evm_address),
          timelock: BigInt(record.evm_refund_locktime),
        },
        permit: {
          token: addressIn(record.source_token.token_id),
          amount: BigInt(data.source_amount),
          nonce,
          deadline: BigInt(deadline),
        },
        callsHash: fromHex(data.calls_hash.slice(2)),
      });
      const hash = tokenPermit(data, owner, deadline);
      return {
        permit2_nonce: nonce.toString(),
        permit2_deadline: deadline,
        permit2_signature: serializeSignature(await sign({ hash: `0x${toHex(digest)}`, privateKey })),
        calls: data.calls,
        ...(hash === null
          ? {}
          : {
              eip2612_permit: {
                value: everything.toString(),
                deadline,
                ...inParts(await sign({ hash, privateKey })),
              },
            }),
      };
    },
  };
}
