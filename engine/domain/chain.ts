/** The spec's chain values: networks of a token, EVM chains by their number. */
export const chainValues = ['Arkade', 'Lightning', 'Bitcoin', '137', '1', '42161', '30', '31'] as const;
export type Chain = (typeof chainValues)[number];

/** What an owner connects. */
export type Network = 'arkade' | 'lightning' | 'bitcoin' | `evm:${number}`;

/** The Bitcoin network a data folder is bound to, for ever. */
export const bitcoinNetworks = ['mainnet', 'signet', 'regtest'] as const;
export type BitcoinNetwork = (typeof bitcoinNetworks)[number];

/** The directions that the spec lists, by source and target. */
export const directionNames = [
  'arkade-evm',
  'evm-lightning',
  'evm-bitcoin',
  'arkade-lightning',
  'lightning-arkade',
  'bitcoin-arkade',
] as const;
export type DirectionName = (typeof directionNames)[number];

/** The `direction` member of a swap read by id, as published clients spell it. */
export const wireDirections = {
  'arkade-evm': 'arkade_to_evm',
  'evm-lightning': 'evm_to_lightning',
  'evm-bitcoin': 'evm_to_bitcoin',
  'arkade-lightning': 'arkade_to_lightning',
  'lightning-arkade': 'lightning_to_arkade',
  'bitcoin-arkade': 'btc_to_arkade',
} as const satisfies Record<DirectionName, string>;

/** Networks never mix: the sentence for an endpoint that belongs to another one, with both names in it. */
export function otherNetwork(endpoint: string, theirs: string, ours: string): string {
  return `${endpoint} is on ${theirs}, this node is on ${ours}: connect one of ${ours}, or give ${theirs} a data folder of its own.`;
}
