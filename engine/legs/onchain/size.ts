import { sats, type Sats } from '../../domain/money.ts';

/** Weight units per virtual byte (BIP-141). */
const perVirtualByte = 4;
/** Version, locktime, and the two counts while they are below 253, each at full weight; marker and flag at one unit. */
const frame = (4 + 4 + 1 + 1) * perVirtualByte + 2;
/** Outpoint, empty script and sequence, at full weight; a witness of one 64-byte signature (BIP-341 key path). */
const keyPathInput = (36 + 1 + 4) * perVirtualByte + 1 + 1 + 64;
/** Sats per virtual byte that nodes reckon dust with (bitcoin/bitcoin, src/policy/policy.h). */
const dustRate = 3;
/** What nodes take for the size of a later input: of a witness program, and of anything else. */
const laterInput = { witness: 67, other: 148 } as const;

/** Virtual bytes that one more input costs, rounded up. */
export const inputSize = Math.ceil(keyPathInput / perVirtualByte);
/** Of a taproot output. */
const ownOutputSize = 8 + 1 + 34;
/** Sats per virtual byte at which a coin of ours is spent some day, at most: nobody in no hurry pays more. */
const laterRate = 10;

/** What change costs: its output now, and its input some day. */
export function changeWaste(rate: number): bigint {
  return feeUp(ownOutputSize, rate) + laterCost(rate);
}

/** Of an input some day: change below it is given to the miner. */
export function laterCost(rate: number): Sats {
  return feeUp(inputSize, Math.min(rate, laterRate));
}

/** Of an output of this script. */
export function outputSize(script: Uint8Array): number {
  return 8 + 1 + script.length;
}

/** Virtual bytes of a transaction whose inputs are all taproot key spends; fewer than 253 inputs and outputs. */
export function sendSize(inputs: number, outputs: readonly Uint8Array[]): number {
  const weight =
    frame + inputs * keyPathInput + outputs.reduce((sum, script) => sum + outputSize(script) * perVirtualByte, 0);
  return Math.ceil(weight / perVirtualByte);
}

/** The least amount that nodes relay in an output of this script. */
export function dustOf(script: Uint8Array): Sats {
  const [version = 0, length = -1] = script;
  const witness =
    (version === 0 || (version >= 0x51 && version <= 0x60)) &&
    length === script.length - 2 &&
    length >= 2 &&
    length <= 40;
  return sats(dustRate * (outputSize(script) + (witness ? laterInput.witness : laterInput.other)));
}

/**
 * Below it, in sats, a coin at an HTLC does not pay for its own refund at one sat per virtual byte and leave an output
 * that nodes relay.
 */
export const leastRefund = sats(600);

/** The fee of so many virtual bytes at a rate, rounded up. */
export function feeUp(size: number, rate: number): Sats {
  return sats(Math.ceil(size * rate));
}
