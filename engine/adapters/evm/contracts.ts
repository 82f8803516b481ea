import { nativeChainIds } from '../../domain/chain.ts';
import type { Hex } from 'viem';
import {
  bytesToHex,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  getCreate2Address,
  getAddress,
  padHex,
  parseAbi,
} from 'viem/utils';
import htlcErc20 from '../../../resources/contracts/compiled/HTLCErc20.json' with { type: 'json' };
import htlcCoordinator from '../../../resources/contracts/compiled/HTLCCoordinator.json' with { type: 'json' };
import htlcNative from '../../../resources/contracts/compiled/HTLCNative.json' with { type: 'json' };
import htlcNativeCoordinator from '../../../resources/contracts/compiled/HTLCNativeCoordinator.json' with { type: 'json' };
import cctpBridgeAdapter from '../../../resources/contracts/compiled/CCTPBridgeAdapter.json' with { type: 'json' };
import { asEvmAddress, nativeCoin, type EvmAddress } from '../../domain/evm.ts';
import { asSha256 } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import { bridgeChainOf, tokenMessenger } from '../../legs/evm/bridge.ts';
import type { SwapContracts } from '../../legs/evm/contracts.ts';
import { create2Deployer, permit2 } from '../../legs/evm/deployments.ts';
import { swapKey } from '../../legs/evm/swap-key.ts';
import {
  type Domain,
  type Struct,
  collabRefund,
  domainSeparator,
  executeAndCreate,
  redeem,
  redeemNative,
  refund,
  typeHash,
} from '../../legs/evm/typed-data.ts';

interface Artifact {
  readonly bytecode: string;
  readonly runtime: string;
  readonly immutables: readonly { readonly start: number; readonly length: number }[];
}

/** A question to a contract, and the one word that it has to answer if it is ours. */
interface Expectation {
  readonly method: string;
  readonly data: Hex;
  readonly answer: Hex;
}

/** One of our contracts on a chain: its code alone decides where it stands. */
export interface OwnContract {
  readonly name: string;
  readonly address: EvmAddress;
  readonly initCode: Hex;
  readonly artifact: Artifact;
  /** It signs, hashes and keys as this node does, on this very chain. */
  readonly expectations: readonly Expectation[];
}

/** What the CREATE2 deployer has for code (facts/evm.md 8). */
export const create2DeployerCode: Hex =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

/** One deployment of each contract a chain: there is nothing to tell apart. */
export const salt: Hex = `0x${'00'.repeat(32)}`;

/**
 * Our pair for a chain: with the native coin where that is bitcoin, else with tokens. Where it stands already, `at`
 * says where.
 */
export function ownContracts(
  chainId: number,
  at?: Pick<SwapContracts, 'htlc' | 'coordinator'>,
): readonly OwnContract[] {
  return nativeChainIds.includes(chainId) ? nativePair(chainId, at) : erc20Pair(chainId, at);
}

function erc20Pair(chainId: number, at?: Pick<SwapContracts, 'htlc' | 'coordinator'>): readonly OwnContract[] {
  const htlc = placed('HTLCErc20', htlcErc20, [], at?.htlc);
  const coordinator = placed('HTLCCoordinator', htlcCoordinator, [htlc.address, permit2], at?.coordinator);
  return [
    {
      ...htlc,
      expectations: [
        domainOf({ name: 'HTLCErc20', version: '4', chainId, contract: htlc.address }),
        typeOf('TYPEHASH_REDEEM', redeem),
        typeOf('TYPEHASH_REFUND', refund),
        keyOf(sampleToken),
      ],
    },
    {
      ...coordinator,
      expectations: [
        domainOf({ name: 'HTLCCoordinator', version: '3', chainId, contract: coordinator.address }),
        typeOf('TYPEHASH_COLLAB_REFUND', collabRefund),
        typeOf('TYPEHASH_EXECUTE_AND_CREATE', executeAndCreate),
        addressOf('HTLC', htlc.address),
        addressOf('PERMIT2', permit2),
      ],
    },
  ];
}

function nativePair(chainId: number, at?: Pick<SwapContracts, 'htlc' | 'coordinator'>): readonly OwnContract[] {
  const htlc = placed('HTLCNative', htlcNative, [], at?.htlc);
  const coordinator = placed('HTLCNativeCoordinator', htlcNativeCoordinator, [htlc.address], at?.coordinator);
  return [
    {
      ...htlc,
      expectations: [
        domainOf({ name: 'HTLCNative', version: '1', chainId, contract: htlc.address }),
        typeOf('TYPEHASH_REDEEM', redeemNative),
        keyOf(nativeCoin),
      ],
    },
    { ...coordinator, expectations: [addressOf('HTLC_NATIVE', htlc.address)] },
  ];
}

/** What sends USDC on from a chain, where it can leave; it stands apart from the pair, which needs none of it. */
export function ownBridge(chainId: number): OwnContract | null {
  const chain = bridgeChainOf(chainId);
  if (chain === null || nativeChainIds.includes(chainId)) return null;
  const usdc = asEvmAddress(fromHex(chain.usdc.slice(2)));
  const adapter = placed('CCTPBridgeAdapter', cctpBridgeAdapter, [usdc, tokenMessenger]);
  return { ...adapter, expectations: [addressOf('USDC', usdc), addressOf('MESSENGER', tokenMessenger)] };
}

function placed(
  name: string,
  artifact: Artifact,
  args: readonly EvmAddress[],
  at?: EvmAddress,
): Omit<OwnContract, 'expectations'> {
  const words = encodeAbiParameters(
    args.map(() => ({ type: 'address' })),
    args.map((arg) => bytesToHex(arg)),
  );
  const initCode = concatHex([artifact.bytecode as Hex, words]);
  const address = getCreate2Address({ from: bytesToHex(create2Deployer), salt, bytecode: initCode });
  return { name, artifact, initCode, address: at ?? asEvmAddress(fromHex(address.slice(2))) };
}

/** What Permit2 has to answer where our coordinator is to use it. */
export function permit2Domain(chainId: number): Expectation {
  return domainOf({ name: 'Permit2', version: null, chainId, contract: permit2 });
}

function domainOf(domain: Domain): Expectation {
  return asking('DOMAIN_SEPARATOR', bytesToHex(domainSeparator(domain)));
}

function typeOf(method: string, struct: Struct): Expectation {
  return asking(method, bytesToHex(typeHash(struct)));
}

function addressOf(method: string, address: EvmAddress): Expectation {
  return asking(method, padHex(bytesToHex(address), { size: 32 }));
}

function asking(method: string, answer: Hex): Expectation {
  const abi = parseAbi([`function ${method}() view returns (bytes32)`] as readonly string[]);
  return { method, data: encodeFunctionData({ abi }), answer };
}

const sampleToken = asEvmAddress(new Uint8Array(20).fill(3));

/** Any lock will do: all six terms differ. */
function keyOf(token: EvmAddress): Expectation {
  const terms = {
    preimageHash: asSha256(new Uint8Array(32).fill(1)),
    amount: 2n,
    token,
    refundAddress: asEvmAddress(new Uint8Array(20).fill(4)),
    claimAddress: asEvmAddress(new Uint8Array(20).fill(5)),
    timelock: 6n,
  };
  const abi = parseAbi(['function computeKey(bytes32,uint256,address,address,address,uint256) view returns (bytes32)']);
  const args = [
    bytesToHex(terms.preimageHash),
    terms.amount,
    getAddress(bytesToHex(terms.token)),
    getAddress(bytesToHex(terms.refundAddress)),
    getAddress(bytesToHex(terms.claimAddress)),
    terms.timelock,
  ] as const;
  return { method: 'computeKey', data: encodeFunctionData({ abi, args }), answer: bytesToHex(swapKey(terms)) };
}
