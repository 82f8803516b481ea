import { expect, it } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { paidFor } from '../../../engine/legs/evm/paid.ts';
import type { LockEvent, TokenTransfer } from '../../../engine/legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../../engine/legs/evm/swap-key.ts';

const address = (byte: number) => asEvmAddress(new Uint8Array(20).fill(byte));
const [pegged, token, coordinator, client, router, fake] = [1, 2, 3, 4, 5, 6].map(address) as [
  never,
  never,
  never,
  never,
  never,
  never,
];

function made(byte: number, logIndex: number): LockEvent {
  const terms: LockTerms = {
    preimageHash: asSha256(new Uint8Array(32).fill(byte)),
    ...{ token: pegged, amount: 700n, refundAddress: coordinator, claimAddress: address(9), timelock: 1n },
  };
  const place = { txid: 'aa'.repeat(32), blockHash: 'bb'.repeat(32), height: 7 };
  return {
    ...{ htlc: address(8), preimageHash: terms.preimageHash, key: swapKey(terms), logIndex, ...place },
    what: { is: 'created', terms },
  };
}

const moved = (logIndex: number, of: never, from: never, to: never, amount: bigint): TokenTransfer => ({
  ...{ token: of, from, to, amount, logIndex },
});

const [one, other] = [made(1, 12), made(2, 22)];
const fundings = {
  events: [one, other],
  transfers: [
    moved(1, fake, client, coordinator, 10n ** 30n),
    moved(10, token, client, coordinator, 1_005n),
    moved(11, token, coordinator, router, 1_000n),
    moved(13, token, coordinator, client, 5n),
    moved(20, token, client, coordinator, 2_000n),
    moved(21, token, coordinator, router, 2_000n),
    moved(30, token, client, coordinator, 3_000n),
    moved(31, token, coordinator, client, 3_000n),
  ],
};

it('fault 74, evm: of several fundings in one transaction each lock has its own price and its own rest', () => {
  const paid = [one, other].map(({ key }) => paidFor(fundings, { key, depositor: client }));
  expect(paid).toEqual([
    { token, taken: 1_005n, returned: 5n },
    { token, taken: 2_000n, returned: 0n },
  ]);
});

it('nothing is said of what holds what was given, of somebody else, and of a lock that is not in it', () => {
  const inPegged = { events: [one], transfers: [moved(10, pegged, client, coordinator, 700n)] };
  expect([
    paidFor(inPegged, { key: one.key, depositor: client }),
    paidFor(fundings, { key: one.key, depositor: router }),
    paidFor(fundings, { key: made(3, 1).key, depositor: client }),
  ]).toEqual([null, null, null]);
});
