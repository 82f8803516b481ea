import {
  bytesToHex,
  concat,
  encodeAbiParameters,
  hashTypedData,
  hexToBytes,
  keccak256,
  stringToBytes,
} from 'viem/utils';
import type { EvmAddress } from '../../domain/evm.ts';
import type { Preimage } from '../../domain/hash.ts';
import type { Permit } from './acts.ts';
import { callsHash } from './calls-hash.ts';
import type { SwapContracts } from './contracts.ts';
import { permit2 } from './deployments.ts';
import type { LockTerms } from './swap-key.ts';
import {
  collabRefund,
  executeAndCreate,
  redeem,
  redeemNative,
  refund,
  type Domain,
  type Struct,
} from './typed-data.ts';

/** The chain (EIP-155) and the pair of contracts for which a signature is made: it counts nowhere else. */
export interface SignedOn {
  readonly chainId: number;
  readonly contracts: SwapContracts;
}

/** What a claimer decides about what it is paid: in its signature, all of it. */
export interface Payout {
  readonly destination: EvmAddress;
  /** Zero for the native coin. */
  readonly sweepToken: EvmAddress;
  /** Smallest units. */
  readonly minAmountOut: bigint;
  readonly callsHash: Uint8Array;
}

type Message = Readonly<Record<string, unknown>>;

/** EIP-712's digest, 32 bytes. */
function digest(
  { name, version, chainId, contract }: Domain,
  structs: readonly Struct[],
  message: Message,
): Uint8Array {
  const types = Object.fromEntries(structs.map((struct) => [struct.name, struct.members]));
  const domain = { name, ...(version === null ? {} : { version }), chainId, verifyingContract: bytesToHex(contract) };
  return hexToBytes(hashTypedData({ domain, types, primaryType: structs[0]?.name ?? '', message }));
}

function htlcDomain({ chainId, contracts }: SignedOn): Domain {
  const name = contracts.kind === 'native' ? 'HTLCNative' : 'HTLCErc20';
  return { name, version: contracts.htlcVersion, chainId, contract: contracts.htlc };
}

/**
 * What the claimer of a lock signs so that anybody may relay its claim (facts/evm.md 4, EIP-712): 32 bytes.
 * `refundAddress` of the lock is the `sender` in it, the coordinator the `caller`. One field off and a relay burns gas
 * for a lock that does not exist.
 */
export function redeemDigest(
  on: SignedOn,
  of: { readonly lock: Omit<LockTerms, 'preimageHash' | 'claimAddress'>; readonly preimage: Preimage } & Payout,
): Uint8Array {
  const { lock } = of;
  const native = on.contracts.kind === 'native';
  return digest(htlcDomain(on), [native ? redeemNative : redeem], {
    preimage: bytesToHex(of.preimage),
    amount: lock.amount,
    ...(native ? {} : { token: bytesToHex(lock.token) }),
    sender: bytesToHex(lock.refundAddress),
    timelock: lock.timelock,
    caller: bytesToHex(on.contracts.coordinator),
    destination: bytesToHex(of.destination),
    sweepToken: bytesToHex(of.sweepToken),
    minAmountOut: of.minAmountOut,
    callsHash: bytesToHex(of.callsHash),
  });
}

/**
 * What the claimer of a client's lock, the service, signs to give it up before its timelock (facts/evm.md 3, 4): 32
 * bytes. It pays the depositor in the token of the lock and never expires: from its signature on the lock is the
 * client's.
 */
export function refundDigest(
  on: SignedOn,
  of: { readonly lock: LockTerms; readonly depositor: EvmAddress },
): Uint8Array {
  const { lock } = of;
  return digest(htlcDomain(on), [refund], {
    preimageHash: bytesToHex(lock.preimageHash),
    amount: lock.amount,
    token: bytesToHex(lock.token),
    refundAddress: bytesToHex(lock.refundAddress),
    timelock: lock.timelock,
    caller: bytesToHex(on.contracts.coordinator),
    destination: bytesToHex(of.depositor),
    sweepToken: bytesToHex(lock.token),
    minAmountOut: 0n,
  });
}

/**
 * What the depositor signs for the same refund, to the coordinator: 32 bytes. `caller` is the account that will send
 * it. Throws for a coordinator that takes no signature of its own.
 */
export function collabRefundDigest(
  on: SignedOn,
  of: { readonly lock: LockTerms; readonly caller: EvmAddress },
): Uint8Array {
  const { coordinator: contract, coordinatorVersion: version } = on.contracts;
  if (version === null) throw new RangeError('this coordinator gives no lock back before its timelock');
  const { lock } = of;
  return digest({ name: 'HTLCCoordinator', version, chainId: on.chainId, contract }, [collabRefund], {
    preimageHash: bytesToHex(lock.preimageHash),
    amount: lock.amount,
    token: bytesToHex(lock.token),
    claimAddress: bytesToHex(lock.claimAddress),
    timelock: lock.timelock,
    caller: bytesToHex(of.caller),
    sweepToken: bytesToHex(lock.token),
    minAmountOut: 0n,
    callsHash: bytesToHex(callsHash([])),
  });
}

const witnessTransfer: Struct = {
  name: 'PermitWitnessTransferFrom',
  members: [
    { name: 'permitted', type: 'TokenPermissions' },
    { name: 'spender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
    { name: 'witness', type: 'ExecuteAndCreate' },
  ],
};
const permissions: Struct = {
  name: 'TokenPermissions',
  members: [
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
};

/**
 * What a depositor signs so that anybody may make its lock with its tokens (facts/evm.md 4): Permit2's transfer with
 * the lock's terms and the hash of the calls as witness, 32 bytes. What is not in it, somebody else may choose.
 */
export function permitDigest(
  on: SignedOn,
  of: {
    readonly lock: Omit<LockTerms, 'amount' | 'refundAddress'>;
    readonly permit: Pick<Permit, 'token' | 'amount' | 'nonce' | 'deadline'>;
    readonly callsHash: Uint8Array;
  },
): Uint8Array {
  const { lock, permit } = of;
  const spender = bytesToHex(on.contracts.coordinator);
  const domain: Domain = { name: 'Permit2', version: null, chainId: on.chainId, contract: permit2 };
  return digest(domain, [witnessTransfer, permissions, executeAndCreate], {
    permitted: { token: bytesToHex(permit.token), amount: permit.amount },
    spender,
    nonce: permit.nonce,
    deadline: permit.deadline,
    witness: {
      preimageHash: bytesToHex(lock.preimageHash),
      token: bytesToHex(lock.token),
      claimAddress: bytesToHex(lock.claimAddress),
      refundAddress: spender,
      timelock: lock.timelock,
      callsHash: bytesToHex(of.callsHash),
    },
  });
}

/** Permit2 may take any amount of the token: each transfer needs the owner's signature all the same. */
export const everything = 2n ** 256n - 1n;

const tokenPermitType = 'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)';
const tokenPermitWords = ['bytes32', 'address', 'address', 'uint256', 'uint256', 'uint256'].map((type) => ({ type }));

/**
 * What an owner signs so that Permit2 may move `everything` of its token (EIP-2612): 32 bytes. The domain is the
 * token's own, as it answers it. Wrong: the permit reverts, and nothing is locked.
 */
export function tokenPermitDigest(
  domain: Uint8Array,
  of: { readonly owner: EvmAddress; readonly nonce: bigint; readonly deadline: bigint },
): Uint8Array {
  const type = keccak256(stringToBytes(tokenPermitType));
  const values = [type, bytesToHex(of.owner), bytesToHex(permit2), everything, of.nonce, of.deadline];
  const struct = keccak256(encodeAbiParameters(tokenPermitWords, values));
  return hexToBytes(keccak256(concat(['0x1901', bytesToHex(domain), struct])));
}
