import type { DecodeInvoice } from '../../engine/legs/lightning/invoice.ts';
import type { Clocks } from '../../engine/domain/time.ts';
import type { Facts, TurnView } from '../../engine/taker/facts.ts';
import type { AnyMachine } from '../../engine/runtime/working-set.ts';

export const arkadeEvm: AnyMachine;
export const arkadeLightning: AnyMachine;
export const bitcoinArkade: AnyMachine;
export const evmBitcoin: AnyMachine;
export const evmLightning: AnyMachine;
export const lightningArkade: AnyMachine;
export const takenDirections: Readonly<
  Record<
    string,
    {
      machine(decode: DecodeInvoice): AnyMachine;
      facts(terms: unknown, progress: object, now: Clocks): Facts;
      steps(progress: object, terms: unknown): TurnView;
    }
  >
>;
