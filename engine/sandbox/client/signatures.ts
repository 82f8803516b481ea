import { randomBytes } from 'node:crypto';
import type { Signature } from 'viem';
import { privateKeyToAddress, serializeSignature, sign } from 'viem/accounts';
import { concat, encodeAbiParameters, keccak256, stringToBytes } from 'viem/utils';
import type { Permit2Funding, RedeemData } from '../../contract/records/evm.ts';
import type { CollabRefundEvmParams } from '../../contract/records/refunds.ts';
import { asPreimage, asSha256 } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import type { EvmSignature } from '../../legs/evm/contracts.ts';
import { collabRefundDigest, permitDigest, redeemDigest } from '../../legs/evm/digests.ts';
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

type PrivateKey = `0x${string}`;

/** A signature as requests carry it. */
type Parts = Readonly<Record<'r' | 's', string> & Record<'v', number>>;

function inParts({ r, s, yParity }: Signature): Parts {
  return { v: 27 + (yParity ?? 0), r, s };
}

export function inBytes({ v, r, s }: Parts): EvmSignature {
  return { v, r: bytesIn(r), s: bytesIn(s) };
}

async function signed(privateKey: PrivateKey, digest: Uint8Array): Promise<Signature> {
  return sign({ hash: `0x${toHex(digest)}`, privateKey });
}

/** Lets anybody send the claim, to that destination and for no less than the floor in `data`. */
export async function signClaim(privateKey: PrivateKey, record: ClaimedLock, data: RedeemData, claim: Claim) {
  const payout = { ...payoutOf(record, data, claim.destination), callsHash: bytesIn(data.calls_hash) };
  const of = { lock: lockToClaim(record), preimage: asPreimage(claim.secret), ...payout };
  return inParts(await signed(privateKey, redeemDigest(signedOn(record), of)));
}

const everything = 2n ** 256n - 1n;
const permitType = 'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)';
const permitWords = ['bytes32', 'address', 'address', 'uint256', 'uint256', 'uint256'].map((type) => ({ type }));

/**
 * What the owner signs for Permit2 to move its tokens (EIP-2612); null where Permit2 may already, or the token takes
 * none.
 */
function tokenPermit({ eip2612, permit2_address }: Permit2Funding, owner: string, deadline: number) {
  if (eip2612 === undefined || !eip2612.supported || eip2612.already_approved) return null;
  const type = keccak256(stringToBytes(permitType));
  const values = [type, owner, permit2_address, everything, BigInt(eip2612.nonce), BigInt(deadline)];
  const struct = keccak256(encodeAbiParameters(permitWords, values));
  return fromHex(concat(['0x1901', `0x${eip2612.domain_separator.slice(2)}`, struct]).slice(2));
}

/** Lets anybody make the lock with the owner's tokens, until `deadline`. */
export async function signPermit(
  privateKey: PrivateKey,
  record: OwnLock,
  data: Permit2Funding,
  deadline: number,
): Promise<{ readonly nonce: bigint; readonly signature: PrivateKey }> {
  const nonce = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const permit = {
    token: addressIn(record.source_token.token_id),
    amount: BigInt(data.source_amount),
    nonce,
    deadline: BigInt(deadline),
  };
  const digest = permitDigest(signedOn(record), {
    lock: lockToFund(record),
    permit,
    callsHash: bytesIn(data.calls_hash),
  });
  return { nonce, signature: serializeSignature(await signed(privateKey, digest)) };
}

/** The body of a gasless funding. */
export async function signFunding(privateKey: PrivateKey, record: OwnLock, data: Permit2Funding, deadline: number) {
  const { nonce, signature } = await signPermit(privateKey, record, data, deadline);
  const permit = tokenPermit(data, privateKeyToAddress(privateKey), deadline);
  return {
    permit2_nonce: nonce.toString(),
    permit2_deadline: deadline,
    permit2_signature: signature,
    calls: data.calls,
    ...(permit === null
      ? {}
      : {
          eip2612_permit: {
            value: everything.toString(),
            deadline,
            ...inParts(await sign({ hash: keccak256(permit), privateKey })),
          },
        }),
  };
}

/** The body of a refund before the timelock: its depositor's half. */
export async function signRefund(privateKey: PrivateKey, record: SwapOnChain, params: CollabRefundEvmParams) {
  const digest = collabRefundDigest(signedOn(record, String(params.coordinator_version)), {
    lock: {
      preimageHash: asSha256(bytesIn(params.preimage_hash)),
      amount: BigInt(params.amount),
      token: addressIn(params.token),
      refundAddress: addressIn(params.coordinator_address),
      claimAddress: addressIn(params.claim_address),
      timelock: BigInt(params.timelock),
    },
    caller: addressIn(params.server_signer_address),
  });
  return { depositor_address: privateKeyToAddress(privateKey), ...inParts(await signed(privateKey, digest)) };
}
