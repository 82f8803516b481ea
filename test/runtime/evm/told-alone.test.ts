import { expect, it } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { asPreimage, asSha256 } from '../../../engine/domain/hash.ts';
import type { LockEvent } from '../../../engine/legs/evm/port.ts';
import { beyondAlone } from '../../../engine/runtime/networks/evm/told-alone.ts';

const bytes = (of: number, size = 32): Uint8Array => new Uint8Array(size).fill(of);
const meantKey = bytes(200);

function eventOf(height: number, key: Uint8Array, is: 'redeemed' | 'refunded' = 'refunded', hash = 1): LockEvent {
  const what = is === 'redeemed' ? ({ is, preimage: asPreimage(bytes(9)) } as const) : ({ is } as const);
  const place = { txid: `${height}`, height, blockHash: `${height}`, logIndex: 0 };
  return { htlc: asEvmAddress(bytes(3, 20)), preimageHash: asSha256(bytes(hash)), key, ...place, what };
}

const meant = () => (event: LockEvent) => event.key === meantKey;
const many = (count: number, from: number, hash = 1): LockEvent[] =>
  Array.from({ length: count }, (_, i) => eventOf(from + i, bytes(i % 100), 'refunded', hash));

it('fault 341, evm: of what one alone tells of a hash claims that are meant are held first', () => {
  const claim = eventOf(9_000, meantKey, 'redeemed');
  const end = eventOf(9_001, meantKey);
  const made = many(500, 1);
  const beyond = beyondAlone(
    [
      { name: 'a', events: [...made, claim, end] },
      { name: 'b', events: [] },
    ],
    meant,
  ).get('a');
  expect([beyond?.size, beyond?.has(claim), beyond?.has(end)]).toEqual([470, false, false]);
  expect(made.filter((event) => beyond?.has(event) !== true)).toEqual(made.slice(0, 30));
  const claims = Array.from({ length: 40 }, (_, i) => eventOf(1 + i, meantKey));
  expect(
    beyondAlone([{ name: 'a', events: [...claims, claim] }], meant)
      .get('a')
      ?.has(claim),
  ).toBe(false);
});

it('fault 341, evm: what others tell too is held, and each RPC and hash has a share of its own', () => {
  const shared = many(100, 1);
  const alone = many(40, 500);
  const words = [
    { name: 'a', events: [...shared, ...alone] },
    { name: 'b', events: [...shared, ...many(32, 900), ...many(32, 900, 2)] },
  ];
  const beyond = beyondAlone(words, meant);
  expect([...beyond.keys()]).toEqual(['a']);
  expect([...(beyond.get('a') ?? [])]).toEqual(alone.slice(32));
});
