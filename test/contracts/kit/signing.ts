import { type Address, type Hex, encodeAbiParameters, keccak256, parseSignature } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import {
  type Struct,
  collabRefund,
  executeAndCreate,
  redeem,
  redeemNative,
  refund,
} from '../../../engine/legs/evm/typed-data.ts';

export interface Call {
  readonly target: Address;
  readonly value: bigint;
  readonly callData: Hex;
}

export interface Domain {
  readonly name: string;
  readonly version?: string;
  readonly chainId: number;
  readonly verifyingContract: Address;
}

export const permit2Address: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3';

const callTuple = {
  type: 'tuple[]',
  components: [
    { name: 'target', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'callData', type: 'bytes' },
  ],
} as const;

export function hashOfCalls(calls: readonly Call[]): Hex {
  return keccak256(encodeAbiParameters([callTuple], [calls]));
}

/** An account by one repeated byte of its key. */
export function account(byte: string): PrivateKeyAccount {
  return privateKeyToAccount(`0x${byte.repeat(32)}`);
}

const structs = { Redeem: redeem, RedeemNative: redeemNative, Refund: refund, CollabRefund: collabRefund } as const;

/** What viem signs and hashes: tables of the engine, values of the test. */
export function typedData(name: keyof typeof structs, domain: Domain, message: Readonly<Record<string, unknown>>) {
  const struct: Struct = structs[name];
  return { domain, types: { [struct.name]: [...struct.members] }, primaryType: struct.name, message };
}

/** A signature in the three parts in which the contracts take it. */
export async function sign(
  who: PrivateKeyAccount,
  name: keyof typeof structs,
  domain: Domain,
  message: Readonly<Record<string, unknown>>,
): Promise<readonly [bigint, Hex, Hex]> {
  const { v, r, s } = parseSignature(await who.signTypedData(typedData(name, domain, message)));
  return [v ?? 0n, r, s];
}

export interface Permit {
  readonly permitted: { readonly token: Address; readonly amount: bigint };
  readonly nonce: bigint;
  readonly deadline: bigint;
}

export interface Witness {
  readonly preimageHash: Hex;
  readonly token: Address;
  readonly claimAddress: Address;
  readonly refundAddress: Address;
  readonly timelock: bigint;
  readonly callsHash: Hex;
}

export function permitData(chainId: number, spender: Address, permit: Permit, witness: Witness) {
  const types: Record<string, readonly { readonly name: string; readonly type: string }[]> = {
    PermitWitnessTransferFrom: [
      { name: 'permitted', type: 'TokenPermissions' },
      { name: 'spender', type: 'address' },
      { name: 'nonce', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
      { name: 'witness', type: 'ExecuteAndCreate' },
    ],
    TokenPermissions: [
      { name: 'token', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
    ExecuteAndCreate: executeAndCreate.members,
  };
  const { permitted, nonce, deadline } = permit;
  const message: Record<string, unknown> = { permitted, spender, nonce, deadline, witness };
  const domain: Omit<Domain, 'version'> = { name: 'Permit2', chainId, verifyingContract: permit2Address };
  return { domain, types, primaryType: 'PermitWitnessTransferFrom', message };
}
