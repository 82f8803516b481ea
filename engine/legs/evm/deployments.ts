import { nativeChainIds } from '../../domain/chain.ts';
import { type EvmAddress, asEvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import { samePair, type ContractPair, type SwapContracts } from './contracts.ts';

/** A pair of contracts that stands on public chains, by the versions that its signatures name. */
export interface Deployment {
  /** Of the HTLC's domain. */
  readonly version: string;
  readonly kind: 'erc20' | 'native';
  readonly chainIds: readonly number[];
  readonly htlc: EvmAddress;
  readonly coordinator: EvmAddress;
  /** Of the coordinator's domain; null where it takes no signature of its own. */
  readonly coordinatorVersion: string | null;
  /** Whether a lock can be given back before its timelock by both signatures. */
  readonly collaborativeRefund: boolean;
  /** Whether whoever may claim a lock can take it without the preimage, as the caller of a refund (facts/evm.md 3). */
  readonly openToClaimer: boolean;
}

const address = (hex: string): EvmAddress => asEvmAddress(fromHex(hex));

/** The same address on every chain. */
export const permit2 = address('000000000022d473030f116ddee9f6b43ac78ba3');

/** The CREATE2 deployer that stands on most chains at this address (facts/evm.md 8). */
export const create2Deployer = address('4e59b44847b379578588920ca78fbf26c0b4956c');

/**
 * What a client without coins sends its funding through, by a bundler: EntryPoint 0.7, and Kernel 3.3, which its
 * account delegates to (EIP-7702). The same on every chain; published clients sign for these (facts/evm.md 24).
 */
export const accountAbstraction = {
  entryPoint: address('0000000071727de22e5e9d8baf0edac6f37da032'),
  delegationTarget: address('d6cedde84be40893d153be9d467cd6ad37875b28'),
};

/**
 * What is published (facts/evm.md 6). Other people's contracts: a swap pins the pair that it began with, and money
 * sent to a pair of another version is locked where nobody looks.
 */
export const published: readonly Deployment[] = [
  {
    version: '3',
    kind: 'erc20',
    chainIds: [1, 137, 42161],
    htlc: address('5317dccd55dde04d5f7ba2e34fe8b1b214f1e022'),
    coordinator: address('57ef7025f9f6f135e8338e18eb3027acb9d4785c'),
    coordinatorVersion: '3',
    collaborativeRefund: true,
    openToClaimer: true,
  },
  {
    version: '4',
    kind: 'erc20',
    chainIds: [1, 137, 42161],
    htlc: address('5cede56704374c6aa37592af9d8818f7abb5147f'),
    coordinator: address('e2e043b72161ed562b6235d7654e2449871fc58f'),
    coordinatorVersion: '3',
    collaborativeRefund: true,
    openToClaimer: true,
  },
  {
    version: '6',
    kind: 'erc20',
    chainIds: [1, 137, 42161],
    htlc: address('f12a26a6cefc1f5a0772faf09f94c5e5662a3948'),
    coordinator: address('db76f29f1d04d1202f56a34549869b070dfcbff0'),
    coordinatorVersion: '4',
    collaborativeRefund: false,
    openToClaimer: false,
  },
  {
    version: '1',
    kind: 'native',
    chainIds: [30, 31],
    htlc: address('18123a31261a76c74c82ed2f8346002caa78ab39'),
    coordinator: address('447a4cd711ce66d25c7008d26d5f09ca7d621f48'),
    coordinatorVersion: null,
    collaborativeRefund: false,
    openToClaimer: false,
  },
];

/**
 * Whether nothing of ours may be locked in a pair: the other side would take it without its preimage (facts/faults.md
 * 347).
 */
export function isOpenToClaimer({ htlc }: Pick<ContractPair, 'htlc'>): boolean {
  return published.some((one) => one.openToClaimer && sameBytes(one.htlc, htlc));
}

/** Ours, at the address that their code alone decides, on every chain (facts/evm.md 6). */
const ours = {
  erc20: {
    kind: 'erc20',
    htlc: address('76bcd01e9d3db4f1ee5a2e10a481814de1fd6b88'),
    coordinator: address('3dc522740ee585547bbadbcf9ed3676c3303c0c6'),
    htlcVersion: '4',
    coordinatorVersion: '3',
  },
  native: {
    kind: 'native',
    htlc: address('7d48e7cbf1f83f9c2bb783de32ce6b09dd5ef688'),
    coordinator: address('d3c67672eebbb8939a9d82672bc91ecad1158112'),
    htlcVersion: '1',
    coordinatorVersion: null,
  },
} as const satisfies Record<SwapContracts['kind'], SwapContracts>;

/** The contracts that new swaps on a chain are made with where the owner names none. */
export function ownPair(chainId: number): SwapContracts {
  return ours[nativeChainIds.includes(chainId) ? 'native' : 'erc20'];
}

/**
 * The pair that an owner names for a chain, with the versions of ours: whoever deploys elsewhere deploys the same. Null
 * for a published pair of another version, whose signatures and refunds are not those that this node makes, and for one
 * that whoever may claim a lock takes it from without the preimage.
 */
export function pairAt(chainId: number, at: ContractPair): SwapContracts | null {
  const own = ownPair(chainId);
  const same = published.find(({ htlc, coordinator }) =>
    [htlc, coordinator].some((one) => sameBytes(one, at.htlc) || sameBytes(one, at.coordinator)),
  );
  const fits =
    same === undefined ||
    (same.version === own.htlcVersion &&
      same.coordinatorVersion === own.coordinatorVersion &&
      samePair(same, at) &&
      !same.openToClaimer);
  return fits ? { ...own, htlc: at.htlc, coordinator: at.coordinator } : null;
}
