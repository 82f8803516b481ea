import { z } from 'zod';
import type { DirectionName } from '../../domain/chain.ts';
import { wireDirections } from '../../domain/chain.ts';
import { count } from '../wire.ts';
import {
  arkadeLightningRecord,
  bitcoinArkadeRecord,
  lightningArkadeRecord,
  type ArkadeLightningRecord,
  type BitcoinArkadeRecord,
  type LightningArkadeRecord,
} from './arkade.ts';
import {
  arkadeEvmRecord,
  evmBitcoinRecord,
  evmLightningRecord,
  type ArkadeEvmRecord,
  type EvmBitcoinRecord,
  type EvmLightningRecord,
} from './evm.ts';

/** The record that each direction shows to its client. */
export interface Records extends Record<DirectionName, unknown> {
  'arkade-evm': ArkadeEvmRecord;
  'evm-lightning': EvmLightningRecord;
  'evm-bitcoin': EvmBitcoinRecord;
  'arkade-lightning': ArkadeLightningRecord;
  'lightning-arkade': LightningArkadeRecord;
  'bitcoin-arkade': BitcoinArkadeRecord;
}

export type WireRecord = Records[DirectionName];

const readAs = <R extends z.ZodType, D extends DirectionName>(record: R, name: D) =>
  z.intersection(
    record,
    z.object({ direction: z.literal(wireDirections[name]).meta({ description: 'Direction of the swap' }) }),
  );

/** A swap read by id: the record of its creation as it stands now, and its direction (facts/clients.md 7). */
export const swapRecord = z
  .union([
    readAs(arkadeEvmRecord, 'arkade-evm'),
    readAs(evmLightningRecord, 'evm-lightning'),
    readAs(evmBitcoinRecord, 'evm-bitcoin'),
    readAs(arkadeLightningRecord, 'arkade-lightning'),
    readAs(lightningArkadeRecord, 'lightning-arkade'),
    readAs(bitcoinArkadeRecord, 'bitcoin-arkade'),
  ])
  .meta({ id: 'SwapRecord', description: 'A swap with its direction' });
export type SwapRecord = z.infer<typeof swapRecord>;

/** A swap found by recovery, with the index of the client's key. */
export const recoveredSwap = z
  .intersection(swapRecord, z.object({ index: count("Index of the client's key") }))
  .meta({ id: 'RecoveredSwap', description: 'A swap that belongs to a key of the client' });
export type RecoveredSwap = z.infer<typeof recoveredSwap>;
