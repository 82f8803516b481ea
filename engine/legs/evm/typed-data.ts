import { bytesToHex, encodeAbiParameters, hexToBytes, keccak256, stringToBytes } from 'viem/utils';
import type { EvmAddress } from '../../domain/evm.ts';

/** Whose signatures a contract takes: EIP-712's domain. Another chain, contract or version recovers a stranger. */
export interface Domain {
  readonly name: 'HTLCErc20' | 'HTLCCoordinator' | 'HTLCNative' | 'Permit2';
  /** Permit2 has none. */
  readonly version: string | null;
  readonly chainId: number;
  readonly contract: EvmAddress;
}

/** A struct of EIP-712: its members in the order in which they are hashed. */
export interface Struct {
  readonly name: string;
  readonly members: readonly { readonly name: string; readonly type: string }[];
}

/** `Name(type member,...)` as a table, so that what is signed and what is hashed cannot part. */
function struct(text: string): Struct {
  const [, name = '', members = ''] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  return {
    name,
    members: members.split(',').map((member) => {
      const [type = '', called = ''] = member.split(' ');
      return { name: called, type };
    }),
  };
}

/**
 * A claim by signature (facts/evm.md 4). `sender` is whom the lock would be refunded to: the service where it locked
 * itself, the coordinator where a client did. `caller` is the coordinator, which is paid and carries out the rest.
 */
export const redeem = struct(
  'Redeem(bytes32 preimage,uint256 amount,address token,address sender,uint256 timelock,address caller,' +
    'address destination,address sweepToken,uint256 minAmountOut,bytes32 callsHash)',
);

/** The same for the native coin: no token. */
export const redeemNative = struct(
  'Redeem(bytes32 preimage,uint256 amount,address sender,uint256 timelock,address caller,' +
    'address destination,address sweepToken,uint256 minAmountOut,bytes32 callsHash)',
);

/** The claimer's consent to a refund before the timelock. It never expires: who signs it has given the lock up. */
export const refund = struct(
  'Refund(bytes32 preimageHash,uint256 amount,address token,address refundAddress,uint256 timelock,' +
    'address caller,address destination,address sweepToken,uint256 minAmountOut)',
);

/** The depositor's own consent, to the coordinator. `caller` is who sends the transaction. */
export const collabRefund = struct(
  'CollabRefund(bytes32 preimageHash,uint256 amount,address token,address claimAddress,uint256 timelock,' +
    'address caller,address sweepToken,uint256 minAmountOut,bytes32 callsHash)',
);

/** What a client's Permit2 signature says beside token and amount. */
export const executeAndCreate = struct(
  'ExecuteAndCreate(bytes32 preimageHash,address token,address claimAddress,address refundAddress,' +
    'uint256 timelock,bytes32 callsHash)',
);

/** The type hash of a struct: 32 bytes (EIP-712, "Definition of hashStruct"). */
export function typeHash({ name, members }: Struct): Uint8Array {
  const text = `${name}(${members.map((member) => `${member.type} ${member.name}`).join(',')})`;
  return hexToBytes(keccak256(stringToBytes(text)));
}

/** The domain separator, 32 bytes, as the contract answers it itself (EIP-712, "Definition of domainSeparator"). */
export function domainSeparator({ name, version, chainId, contract }: Domain): Uint8Array {
  const text = `EIP712Domain(string name${version === null ? '' : ',string version'},uint256 chainId,address verifyingContract)`;
  const hashes = [text, name, ...(version === null ? [] : [version])].map((each) => keccak256(stringToBytes(each)));
  return hexToBytes(
    keccak256(
      encodeAbiParameters(
        [...hashes.map(() => ({ type: 'bytes32' })), { type: 'uint256' }, { type: 'address' }],
        [...hashes, BigInt(chainId), bytesToHex(contract)],
      ),
    ),
  );
}
