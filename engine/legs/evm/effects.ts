import { z } from 'zod';
import { onlyIf } from '../only-if-shape.ts';
import { effectShapes, listOf, sats, txid, unix, type EffectsOf } from '../shape.ts';
import { evmAct } from './acts.ts';
import { evmAddress, evmNetworkName, swapContracts, takerEvmKey } from './shape.ts';

/** What one of the taker's accounts sends to somewhere else, and what it may spend on it. */
export const forwarding = {
  network: evmNetworkName,
  key: takerEvmKey,
  /** Zero for the coin. */
  token: evmAddress,
  to: evmAddress,
  /** Smallest units. */
  amount: z.bigint(),
  /** Units of gas that it is signed for. */
  gas: z.bigint(),
  /** Most wei that its gas may cost, raises included. */
  mostWei: z.bigint(),
  /** Blocks after which nothing of the chain is taken back any more. */
  confirmations: z.number(),
};

const effects = {
  /**
   * Prepares one transaction: judged, simulated with its exact bytes, signed and saved with its nonce; sends nothing.
   * What is saved is sent, replaced and brought to its end by the account's own queue, whatever becomes of the swap.
   */
  'evm.send': {
    network: evmNetworkName,
    /** Null where no contract of a swap is called. */
    contracts: swapContracts.nullable(),
    act: evmAct,
    /** By which it must be mined, by the chain's clock: its fee rises towards it. Null has no hurry. */
    deadline: unix.nullable(),
    /**
     * What is saved by it, which bounds what its gas may cost; of a `pay` what its gas may cost itself, and of a
     * `deploy` the same as if the coin were bitcoin (`bitcoinCoin`): what that one costs nobody needs to know.
     */
    value: sats,
    /** Judged at the act; left out for what takes or gives back money that is on its way already. */
    onlyIf: onlyIf.exactOptional(),
  },
  /** Reads what a mined transaction brought to somebody, of each of these tokens: sends nothing. */
  'evm.read-arrival': { network: evmNetworkName, txid, to: evmAddress, tokens: listOf(evmAddress) },
  /**
   * Looks whether one of our contracts stands, by the word of every RPC, and asks again until they are of one mind;
   * `reverted`: its deployment failed, so that nothing there is an answer too. Sends nothing.
   */
  'evm.look-contract': { network: evmNetworkName, address: evmAddress, reverted: z.boolean() },
  /**
   * Names the pair in the settings, which new swaps are then made with, in the place of `instead`: one that its owner
   * named in the meantime stays. Nothing where they name it already. Waits until the pair is `confirmations` deep.
   */
  'evm.name-contracts': {
    network: evmNetworkName,
    htlc: evmAddress,
    coordinator: evmAddress,
    instead: z.strictObject({ htlc: evmAddress, coordinator: evmAddress }).exactOptional(),
    confirmations: z.number().exactOptional(),
  },
  /** Signs the one transaction for it, which is saved with its place in the account's order; sends nothing. */
  'evm.forward': forwarding,
  /**
   * Sends what was saved, the same bytes or a dearer variant in the same place, until one is buried. `lastLook`: its
   * place was used, and only what used it is looked for, for a while.
   */
  'evm.forward-send': { ...forwarding, lastLook: z.boolean() },
};

type Any = EffectsOf<typeof effects>;
/** What a machine asks of our account on an EVM chain. */
export type EvmEffect = Extract<Any, { do: 'evm.send' }>;
export type EvmReading = Extract<Any, { do: 'evm.read-arrival' }>;
export type EvmContractEffect = Extract<Any, { do: 'evm.look-contract' | 'evm.name-contracts' }>;
export type EvmForwardEffect = Extract<Any, { do: 'evm.forward' | 'evm.forward-send' }>;
export const evmShapes = effectShapes(effects);
