import { expect, test } from 'vitest';
import { meetsTarget as sandboxMeets } from '../../engine/sandbox/world/bitcoin/header.ts';
import { meetsTarget as kitMeets } from '../regtest/kit/block.ts';

/** A hash as blocks are named, whose bytes go the other way round. */
const named = (hex: string) => Uint8Array.from(Buffer.from(hex.padEnd(64, '0'), 'hex')).reverse();

test('a miner takes a block for mined by all bytes of the target and not by the highest alone', () => {
  const cases = [
    ['00', true],
    ['7ffffe'.padEnd(64, 'f'), true],
    ['7fffff', true],
    ['7fffff' + '0'.repeat(57) + '1', false],
    ['7fffffbb', false],
    ['80', false],
    ['f'.repeat(64), false],
  ] as const;
  for (const meets of [sandboxMeets, kitMeets])
    expect(cases.map(([hash]) => [hash, meets(named(hash))])).toEqual(cases);
});
