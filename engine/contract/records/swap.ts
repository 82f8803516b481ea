import { z } from 'zod';
import type { DirectionName } from '../../domain/chain.ts';
import { wireDirections } from '../../domain/chain.ts';
import { count } from '../wire.ts';
import { arkadeLightningRecord, bitcoinArkadeRecord, lightningArkadeRecord, type ArkadeLightningRecord, type BitcoinArkadeRecord, type LightningArkadeRecord } from './arkade.ts';
import { arkadeEvmRecord, evmBitcoinRecord, evmLightningRecord, type ArkadeEvmRecord, type EvmBitcoinRecord, type EvmLightningRecord } from './evm.ts';

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

const direction = <D extends DirectionName>(name: D) => z.literal(wireDirections[name]).meta({ description: 'Direction of the swap' });

const read = [
  arkadeEvmRecord.extend({ direction: direction('arkade-evm') }),
  evmLightningRecord.extend({ direction: direction('evm-lightning') }),
  evmBitcoinRecord.extend({ direction: direction('evm-bitcoin') }),
  arkadeLightningRecord.extend({ direction: direction('arkade-lightning') }),
  lightningArkadeRecord.extend({ direction: direction('lightning-arkade') }),
  bitcoinArkadeRecord.extend({ direction: direction('bitcoin-arkade') }),
] as const;

/** A swap read by id: the record of its creation as it stands now, and its direction (interop.md trap 3). */
export const swapRecord = z.discriminatedUnion('direction', read).meta({ id: 'SwapRecord', description: 'A swap with its direction' });
export type SwapRecord = z.infer<typeof swapRecord>;

/** A swap found by recovery, with the index of the client's key. */
export const recoveredSwap = z
  .intersection(swapRecord, z.object({ index: count("Index of the client's key") }))
  .meta({ id: 'RecoveredSwap', description: 'A swap that belongs to a key of the client' });
export type RecoveredSwap = z.infer<typeof recoveredSwap>;
