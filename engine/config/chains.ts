import chains from '../../resources/chains.json' with { type: 'json' };
import type { Settings } from '../contract/owner/settings.ts';
import { evmChainIds, evmChainsOn, type BitcoinNetwork, nativeChainIds } from '../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { checksummed, readEvmAddress } from '../domain/evm-address.ts';
import type { EvmAddress } from '../domain/evm.ts';
import { sameBytes } from '../domain/hash.ts';
import type { SwapContracts } from '../legs/evm/contracts.ts';
import { ownPair, pairAt, permit2 } from '../legs/evm/deployments.ts';
import { configSchema, type ParsedConfig } from './schema.ts';

type ParsedChain = ParsedConfig['evm'][string];
type ChainId = (typeof evmChainIds)[number];

/** An EVM chain as it is used, every default filled in. */
export interface EvmChainConfig {
  /** In the order of preference. */
  readonly rpc: readonly string[];
  /** Up to and above 0.1 BTC. */
  readonly confirmations: readonly [number, number];
  /** Of new swaps. */
  readonly contracts: SwapContracts;
  /** What swaps lock; null where the chain's own coin is bitcoin. */
  readonly peggedToken: EvmAddress | null;
  /** What else can be swapped. */
  readonly tokens: readonly EvmAddress[];
  readonly dex: EvmDex | null;
  /** What says that the pegged token is worth a bitcoin; null where nobody is asked. */
  readonly peg: { readonly pool: EvmAddress; readonly boundBps: number } | null;
  /** What is kept of USDC that goes on, in its smallest units. */
  readonly bridgeFees: ParsedChain['bridgeFees'];
  /** That clients may send their fundings by; null for none. */
  readonly bundler: ParsedChain['bundler'];
  readonly agreeAboveSats: number;
  readonly gas: ParsedChain['gas'] & { readonly maxFeeGwei: number };
  readonly relayerFloorWei: bigint;
}

export interface EvmDex {
  readonly kind: 'uniswap-v3';
  readonly quoter: EvmAddress;
  readonly router: EvmAddress;
  readonly slippageBps: number;
}

type Chains = Readonly<Record<string, EvmChainConfig>>;

/** The chains of a configuration, or one sentence for what cannot be. */
export function chainsOf(parsed: ParsedConfig['evm'], network: BitcoinNetwork): Chains | Refusal {
  const result: Record<string, EvmChainConfig> = {};
  for (const [id, chain] of Object.entries(parsed)) {
    const chainId = evmChainIds.find((one) => one === id);
    if (chainId === undefined)
      return refuse('invalid', `evm.${id} is no chain that swaps can be on: give one of ${evmChainIds.join(', ')}.`);
    if (!evmChainsOn[network].includes(chainId))
      return refuse(
        'invalid',
        `evm.${id} cannot be set on ${network}: one of the two is for tests, the other for money. ${network} takes ` +
          `${evmChainsOn[network].join(', ')}.`,
      );
    const next = chainOf(chainId, chain, network);
    if (isRefusal(next)) return next;
    result[id] = next;
  }
  return result;
}

/** A chain of the sandbox: where it answers, and what stands on it. */
export interface SandboxChain {
  readonly rpcUrl: string;
  readonly secondRpcUrl: string;
  readonly htlc: string;
  readonly coordinator: string;
  /** The pegged token first; the zero address where the chain's coin is bitcoin. */
  readonly tokens: readonly { readonly address: string }[];
  readonly dex?: { readonly quoter: string; readonly router: string };
}

/** The configuration of a sandbox node with the chains that its sandbox brings. */
export function withSandboxChains<C extends { readonly network: BitcoinNetwork; readonly evm: Chains }>(
  config: C,
  chains: Readonly<Record<string, SandboxChain>>,
): C {
  const evm = Object.entries(chains).map(([id, { rpcUrl, secondRpcUrl, htlc, coordinator, tokens, dex }]) => {
    const [pegged, ...others] = tokens.map(({ address }) => address);
    const swapped = nativeChainIds.includes(Number(id))
      ? {}
      : {
          peggedToken: pegged,
          tokens: others,
          dex: dex === undefined ? null : { quoter: dex.quoter, router: dex.router },
        };
    return [id, { rpc: [rpcUrl, secondRpcUrl], contracts: { htlc, coordinator }, ...swapped }];
  });
  const parsed = configSchema.parse({ evm: Object.fromEntries(evm) });
  const result = chainsOf(parsed.evm, config.network);
  if (isRefusal(result)) throw new Error(result.sentence);
  return { ...config, evm: result };
}

function chainOf(id: ChainId, chain: ParsedChain, network: BitcoinNetwork): EvmChainConfig | Refusal {
  const usual = chains[id];
  const chainId = Number(id);
  if (nativeChainIds.includes(chainId))
    for (const name of ['peggedToken', 'tokens', 'dex', 'peg'] as const)
      if (chain[name] !== undefined && chain[name] !== null)
        return refuse(
          'invalid',
          `evm.${id}.${name} cannot be set: the coin of chain ${id} is bitcoin, and nothing else is swapped there.`,
        );
  const confirmations =
    chain.confirmations ?? (network === 'regtest' ? ([1, 1] as const) : pairOf(usual.confirmations));
  if (confirmations[1] < confirmations[0])
    return refuse(
      'invalid',
      `evm.${id}.confirmations asks for fewer (${confirmations[1]}) above 0.1 BTC than below it ` +
        `(${confirmations[0]}): raise the second.`,
    );
  const contracts = contractsOf(id, chain);
  if (isRefusal(contracts)) return contracts;
  const pegged = chain.peggedToken ?? usual.peggedToken;
  const dex = chain.dex === undefined ? usual.dex : chain.dex;
  return {
    rpc: chain.rpc,
    confirmations,
    contracts,
    peggedToken: pegged === null ? null : addressIn(pegged),
    tokens: (chain.tokens ?? usual.tokens).map(addressIn),
    dex:
      dex === null
        ? null
        : {
            kind: 'uniswap-v3',
            quoter: addressIn(dex.quoter),
            router: addressIn(dex.router),
            slippageBps: dex.slippageBps,
          },
    peg: chain.peg === null ? null : { pool: addressIn(chain.peg.pool), boundBps: chain.peg.boundBps },
    bridgeFees: chain.bridgeFees,
    bundler: chain.bundler,
    agreeAboveSats: chain.agreeAboveSats,
    gas: { ...chain.gas, maxFeeGwei: chain.gas.maxFeeGwei ?? usual.maxFeeGwei },
    relayerFloorWei: BigInt(chain.relayerFloorWei ?? usual.relayerFloorWei),
  };
}

function contractsOf(id: ChainId, { contracts }: ParsedChain): SwapContracts | Refusal {
  const chainId = Number(id);
  if (contracts === undefined) return ownPair(chainId);
  if (contracts.permit2 !== undefined && !sameBytes(addressIn(contracts.permit2), permit2))
    return refuse(
      'invalid',
      `evm.${id}.contracts.permit2 cannot be ${contracts.permit2}: clients sign for the one at ` +
        `${checksummed(permit2)}, leave it out.`,
    );
  const at = { htlc: addressIn(contracts.htlc), coordinator: addressIn(contracts.coordinator) };
  if (sameBytes(at.htlc, at.coordinator))
    return refuse(
      'invalid',
      `evm.${id}.contracts names one contract twice: give the HTLC and the coordinator that is made for it.`,
    );
  return (
    pairAt(chainId, at) ??
    refuse(
      'invalid',
      `evm.${id}.contracts names published contracts that this node makes no swaps with: ${otherPair(chainId)}.`,
    )
  );
}

/** What an owner does who named published contracts that are none of these. */
function otherPair(chainId: number): string {
  const { kind, htlcVersion } = ownPair(chainId);
  return kind === 'native'
    ? `give version ${htlcVersion} as a pair, or leave them out`
    : 'leave them out, and deploy those of this node with npm run deploy-contracts';
}

function pairOf([low = 1, high = low]: readonly number[]): readonly [number, number] {
  return [low, high];
}

/** The schema and the table hold addresses alone. */
function addressIn(text: string): EvmAddress {
  const address = readEvmAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return address;
}

/** A chain as the configuration is written. */
export function shownChain({
  contracts,
  peggedToken,
  tokens,
  dex,
  peg,
  relayerFloorWei,
  ...rest
}: EvmChainConfig): Settings['settings'] {
  return {
    ...rest,
    contracts: {
      htlc: checksummed(contracts.htlc),
      coordinator: checksummed(contracts.coordinator),
      permit2: checksummed(permit2),
    },
    ...(peggedToken === null
      ? {}
      : {
          peggedToken: checksummed(peggedToken),
          tokens: tokens.map(checksummed),
          dex: dex === null ? null : { ...dex, quoter: checksummed(dex.quoter), router: checksummed(dex.router) },
          peg: peg === null ? null : { ...peg, pool: checksummed(peg.pool) },
        }),
    relayerFloorWei: relayerFloorWei.toString(),
  };
}
