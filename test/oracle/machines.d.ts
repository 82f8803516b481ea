import type { DecodeInvoice } from '../../engine/legs/lightning/invoice.ts';
import type { AnyMachine } from '../../engine/runtime/working-set.ts';

export const arkadeEvm: AnyMachine;
export const arkadeLightning: AnyMachine;
export const bitcoinArkade: AnyMachine;
export const evmBitcoin: AnyMachine;
export const evmLightning: AnyMachine;
export const lightningArkade: AnyMachine;
export const takenDirections: Readonly<Record<string, { machine(decode: DecodeInvoice): AnyMachine }>>;
