/** The EVM chains that swaps can be on, by their number. */
export const evmChainIds = ['137', '1', '42161', '30', '31'] as const;

/** Those whose coin is bitcoin: it is locked itself, and transactions are of the oldest form (facts/evm.md 7). */
export const nativeChainIds: readonly number[] = [30, 31];

/** The chain values of the wire: networks of a token. */
export const chainValues = ['Arkade', 'Lightning', 'Bitcoin', ...evmChainIds] as const;
export type Chain = (typeof chainValues)[number];

/** An EVM chain by its number (EIP-155). */
export type EvmNetwork = `evm:${number}`;

/** What an owner connects. */
export type Network = 'arkade' | 'lightning' | 'bitcoin' | EvmNetwork;

/** The networks by what they are: every EVM chain is of one kind. */
export type NetworkKind = Exclude<Network, EvmNetwork> | 'evm';

/** The network of a chain by its number, as it is or as text. */
export function evmNetwork(chainId: number | string): EvmNetwork {
  return `evm:${Number(chainId)}`;
}

export function isEvm(network: string): network is EvmNetwork {
  return network.startsWith('evm:');
}

/** Its number (EIP-155). */
export function chainIdOf(network: EvmNetwork): number {
  return Number(network.slice(4));
}

export function kindOf(network: Network): NetworkKind {
  return network === 'arkade' || network === 'lightning' || network === 'bitcoin' ? network : 'evm';
}

/**
 * The Bitcoin network a data folder is bound to, for ever. Mutinynet is a signet of its own (BIP-325): the addresses of
 * signet, other blocks, one every 30 seconds (facts/onchain.md 14).
 */
export const bitcoinNetworks = ['mainnet', 'signet', 'mutinynet', 'regtest'] as const;
export type BitcoinNetwork = (typeof bitcoinNetworks)[number];

type ChainId = (typeof evmChainIds)[number];

/**
 * The EVM chains of a node on each: chains for money beside bitcoin, chains for tests beside its test networks
 * (facts/faults.md 193). On regtest every chain is its owner's own.
 */
export const evmChainsOn: Readonly<Record<BitcoinNetwork, readonly [ChainId, ...ChainId[]]>> = {
  mainnet: ['137', '1', '42161', '30'],
  signet: ['31'],
  mutinynet: ['31'],
  regtest: evmChainIds,
};

/** The directions that the published interface lists (facts/clients.md 2), and how a swap that is read spells them. */
export const wireDirections = {
  'arkade-evm': 'arkade_to_evm',
  'evm-lightning': 'evm_to_lightning',
  'evm-bitcoin': 'evm_to_bitcoin',
  'arkade-lightning': 'arkade_to_lightning',
  'lightning-arkade': 'lightning_to_arkade',
  'bitcoin-arkade': 'btc_to_arkade',
  'lightning-evm': 'lightning_to_evm',
  'evm-arkade': 'evm_to_arkade',
  'bitcoin-evm': 'bitcoin_to_evm',
  'lightning-bitcoin': 'lightning_to_bitcoin',
  'bitcoin-lightning': 'bitcoin_to_lightning',
  'arkade-bitcoin': 'arkade_to_bitcoin',
} as const;
export type DirectionName = keyof typeof wireDirections;
export const directionNames = Object.keys(wireDirections) as readonly DirectionName[];

/** What the owner's own wallets do, beside the directions in the list of what is open. */
export const walletJobs = {
  'withdraw-arkade': 'withdraw_arkade',
  'withdraw-lightning': 'withdraw_lightning',
  'withdraw-bitcoin': 'withdraw_bitcoin',
  'withdraw-evm': 'withdraw_evm',
  'forward-evm': 'forward_evm',
  'deploy-evm': 'deploy_evm',
  'claim-evm': 'claim_evm',
  'consolidate-bitcoin': 'consolidate_bitcoin',
  'exit-arkade': 'exit_arkade',
  'unroll-arkade': 'unroll_arkade',
} as const;
export type WalletJob = keyof typeof walletJobs;

/**
 * The directions in which the node can be the client, and who makes the invoice of the swap, where it has one. A new
 * one is a line here.
 */
export const takerInvoices = {
  'lightning-arkade': 'provider',
  'arkade-lightning': 'owner',
  'arkade-evm': 'nobody',
  'bitcoin-arkade': 'nobody',
  'evm-lightning': 'owner',
  'evm-bitcoin': 'nobody',
  'lightning-evm': 'provider',
  'evm-arkade': 'nobody',
  'bitcoin-evm': 'nobody',
  'lightning-bitcoin': 'provider',
  'bitcoin-lightning': 'owner',
  'arkade-bitcoin': 'nobody',
} as const satisfies { readonly [D in DirectionName]?: 'provider' | 'owner' | 'nobody' };

export type TakerDirection = keyof typeof takerInvoices;
export const takerDirections = Object.keys(takerInvoices) as readonly TakerDirection[];

/** A swap in which the node is the client is run by the machine of this name. */
export function takerMachine<D extends DirectionName>(direction: D): `take-${D}` {
  return `take-${direction}`;
}

/**
 * The direction of anything in the store, or what a wallet's job does, by the name of its machine; undefined for a name
 * that nothing has.
 */
export function ownerDirectionOf(machine: string): (typeof ownerDirections)[DirectionName | WalletJob] | undefined {
  const direction = directionNames.find((name) => takerMachine(name) === machine);
  return ownerDirections[(direction ?? machine) as DirectionName | WalletJob] as
    (typeof ownerDirections)[DirectionName | WalletJob] | undefined;
}

/** Everything that the owner's list may hold, by the name of its machine. */
export const ownerDirections = { ...wireDirections, ...walletJobs } as const;

/** Networks never mix: the sentence for an endpoint that belongs to another one, with both names in it. */
export function otherNetwork(endpoint: string, theirs: string, ours: string): string {
  return (
    `${endpoint} is on ${theirs}, this node is on ${ours}: connect one of ${ours}, or give ${theirs} a data folder ` +
    'of its own.'
  );
}

/**
 * The chains of Bitcoin by the hash of their first block (Bitcoin Core's chainparams.cpp; btcd's params.go for simnet).
 */
const genesisNames: Readonly<Record<string, string>> = {
  '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f': 'mainnet',
  '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943': 'testnet3',
  '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043': 'testnet4',
  '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6': 'signet',
  '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206': 'regtest',
  '683e86bd5c6d110d91b94b97137ba6bfe02dbbdb8e3dff722a669b5d69d77af6': 'simnet',
};

/** Every signet has the same first block (BIP-325): the second one tells them apart. */
const signetNames: Readonly<Record<string, string>> = {
  '00000086d6b2636cb2a392d45edc4ec544a10024d30141c9adf4bfd9de533b53': 'signet',
  '000002855893a0a9b24eaffc5efc770558a326fee4fc10c9da22fc19cd2954f9': 'mutinynet',
};

/** Whether the block at height 1 has to be asked for before the chain of this first block has a name. */
export function isSignet(genesis: string): boolean {
  return genesisNames[genesis] === 'signet';
}

/**
 * The name of the Bitcoin chain that begins with this block: one of ours, another one that is known, or words for an
 * unknown one. `second` is its block at height 1, asked for where `isSignet`; null where it has none yet.
 */
export function networkOfGenesis(hash: string, second: string | null = null): string {
  const name = genesisNames[hash] ?? `an unknown chain (genesis ${hash.slice(0, 16)}...)`;
  if (name !== 'signet') return name;
  return signetNames[second ?? ''] ?? `an unknown signet (block 1 ${second?.slice(0, 16) ?? 'is missing'}...)`;
}
