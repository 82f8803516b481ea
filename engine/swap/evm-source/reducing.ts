import { z } from 'zod';
import type { EvmNetwork } from '../../domain/chain.ts';
import { asEvmAddress } from '../../domain/evm.ts';
import { asSha256, sameBytes } from '../../domain/hash.ts';
import { sats, type Sats } from '../../domain/money.ts';
import { unix } from '../../domain/time.ts';
import { evmNetworkName } from '../../legs/evm/shape.ts';
import { bytes } from '../../legs/shape.ts';
import {
  contractsOf,
  keepContracts,
  keepToken,
  keptContracts,
  keptToken,
  tokenOf,
  type KeptContracts,
  type KeptToken,
} from '../evm-reduced.ts';
import type { EvmSourceTerms } from './terms.ts';

/** In the order of `keepSource`: what a record says of a lock that nobody ever made is as short as it can be. */
export type SourceColumns = readonly [
  hash: Uint8Array,
  network: EvmNetwork,
  contracts: KeptContracts,
  ours: Uint8Array,
  timelock: bigint,
  least: bigint,
  pegged: KeptToken,
  /** Null for the pegged token itself. */
  source: KeptToken | null,
  sourceUnits: bigint,
  client: Uint8Array,
  sourceAmount: number,
  targetAmount: number,
  fee: number,
  networkFee: number,
  gasless: boolean,
  confirmations: number,
  since: number,
];

export const sourceColumns = [
  bytes,
  evmNetworkName,
  keptContracts,
  bytes,
  z.bigint(),
  z.bigint(),
  keptToken,
  keptToken.nullable(),
  z.bigint(),
  bytes,
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.boolean(),
  z.number(),
  z.number(),
] as const;

type Source = EvmSourceTerms & { readonly targetAmount: Sats };

const longAgo = unix(0);

export function keepSource(t: Source): SourceColumns {
  return [
    t.hash,
    t.network,
    keepContracts(t.contracts),
    t.lock.claimAddress,
    t.lock.timelock,
    t.least,
    keepToken(t.pegged),
    sameBytes(t.source.address, t.pegged.address) ? null : keepToken(t.source),
    t.sourceUnits,
    t.clientAddress,
    Number(t.sourceAmount),
    Number(t.targetAmount),
    Number(t.feeSats),
    Number(t.networkFeeSats),
    t.gasless,
    t.confirmations,
    t.since,
  ];
}

/** Nothing is begun with them any more: what says until when is over. */
export function sourceOf(columns: SourceColumns): Source {
  const [hashBytes, network, contracts, ours, timelock, least, pegged, source, sourceUnits, client, ...rest] = columns;
  const [sourceAmount, targetAmount, fee, networkFee, gasless, confirmations, since] = rest;
  const hash = asSha256(hashBytes);
  const token = tokenOf(pegged);
  const pair = contractsOf(contracts);
  return {
    hash,
    network,
    contracts: pair,
    lock: {
      preimageHash: hash,
      token: token.address,
      refundAddress: pair.coordinator,
      claimAddress: asEvmAddress(ours),
      timelock,
    },
    least,
    pegged: token,
    clientAddress: asEvmAddress(client),
    source: source === null ? token : tokenOf(source),
    sourceUnits,
    sourcePinned: false,
    gasless,
    sourceAmount: sats(sourceAmount),
    targetAmount: sats(targetAmount),
    feeSats: sats(fee),
    networkFeeSats: sats(networkFee),
    confirmations,
    since,
    fundBefore: longAgo,
    payBefore: longAgo,
  };
}
