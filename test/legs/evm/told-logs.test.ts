import { describe, expect, it } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { asPreimage } from '../../../engine/domain/hash.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { reachedByEnough } from '../../../engine/legs/evm/agreement.ts';
import { mostBlocksIn } from '../../../engine/legs/evm/block-rate.ts';
import type { LockEvent } from '../../../engine/legs/evm/port.ts';
import { contradictionIn, standingLogs, type ToldLogs } from '../../../engine/legs/evm/told-logs.ts';
import { sha256Of } from '../../../engine/legs/secret.ts';

const account = asEvmAddress(new Uint8Array(20).fill(1));
const preimage = asPreimage(new Uint8Array(32).fill(2));
const preimageHash = sha256Of(preimage);
const terms = { preimageHash, amount: 1n, token: account, refundAddress: account, claimAddress: account, timelock: 1n };

function event(what: LockEvent['what'], height = 10): LockEvent {
  const key = new Uint8Array(32).fill(3);
  return { htlc: account, preimageHash, key, txid: what.is, height, blockHash: `${height}`, logIndex: 0, what };
}

const created = event({ is: 'created', terms });
const redeemed = event({ is: 'redeemed', preimage }, 12);
const forged = event({ is: 'redeemed', preimage: asPreimage(new Uint8Array(32)) }, 12);
const refunded = event({ is: 'refunded' }, 12);

function logsOf(name: string, events: readonly LockEvent[], change: Partial<ToldLogs> = {}): ToldLogs {
  return { name, own: false, counts: true, from: 1, to: 40, events, ...change };
}

const names = (...all: readonly ToldLogs[]): string[] => standingLogs(all).events.map(({ what }) => what.is);

describe('the logs of several RPCs', () => {
  it('show a claim, and with it its lock, by the word of one, whatever the others leave out', () => {
    const witness = logsOf('a', [created, redeemed]);
    for (const others of [[logsOf('b', [])], [logsOf('b', []), logsOf('c', [])]])
      expect(names(witness, ...others)).toEqual(['created', 'redeemed']);
    expect(names(logsOf('a', [created, redeemed], { counts: false }), logsOf('b', []))).toEqual([
      'created',
      'redeemed',
    ]);
    expect(names(logsOf('a', [forged]), logsOf('b', []))).toEqual([]);
  });

  it('show a lock unless enough leave it out', () => {
    expect(names(logsOf('a', [created]), logsOf('b', []))).toEqual(['created']);
    expect(names(logsOf('a', [created]), logsOf('b', [], { to: 9 }), logsOf('c', []))).toEqual(['created']);
    expect(names(logsOf('a', [created]), logsOf('b', []), logsOf('c', []))).toEqual([]);
    expect(names(logsOf('a', [created], { counts: false }), logsOf('b', []))).toEqual([]);
  });

  it('fault 341, evm: one of which not all of a hash is held denies nothing of it in those blocks', () => {
    const of = (from: number, to: number, hash = preimageHash) =>
      standingLogs([logsOf('a', [], { dropped: new Map([[toHex(hash), { from, to }]]) }), logsOf('b', [created])])
        .contested;
    expect([of(10, 10), of(1, 9), of(11, 40), of(1, 40, sha256Of(asPreimage(new Uint8Array(32))))]).toEqual([
      [],
      [10],
      [10],
      [10],
    ]);
  });

  it('fault 356, evm: one that tells a claim with another preimage, hash or height hides it from nobody', () => {
    const other = asPreimage(new Uint8Array(32).fill(4));
    const liars = [
      logsOf('l', [created, forged]),
      logsOf('l', [created, forged], { counts: false }),
      logsOf('l', [created, { ...redeemed, preimageHash: sha256Of(other), what: { is: 'redeemed', preimage: other } }]),
      logsOf('l', [created, { ...redeemed, height: redeemed.height - 1 }]),
    ];
    const honest = ['a', 'b'].map((name) => logsOf(name, [created, redeemed]));
    for (const liar of liars)
      for (const all of [
        [liar, ...honest],
        [...honest, liar],
        [...honest.slice(1), liar],
      ])
        expect(standingLogs(all).events).toEqual(expect.arrayContaining([created, redeemed]));
    // However many tell it.
    expect(names(logsOf('a', [forged]), logsOf('b', [forged]))).toEqual([]);
    expect(names(logsOf('a', [forged]))).toEqual([]);
  });

  it('fault 356, evm: a refund stands at the height of enough, and a lock by no claim of another hash', () => {
    const early = { ...refunded, height: refunded.height - 1 };
    const honest = ['a', 'b'].map((name) => logsOf(name, [created, refunded]));
    const liar = logsOf('l', [created, early]);
    for (const all of [
      [liar, ...honest],
      [...honest, liar],
    ])
      expect(standingLogs(all).events).toEqual([created, refunded]);
    expect(names(logsOf('a', [created, refunded]), liar)).toEqual(['created']);
    const other = asPreimage(new Uint8Array(32).fill(4));
    const claim: LockEvent = { ...redeemed, preimageHash: sha256Of(other), what: { is: 'redeemed', preimage: other } };
    expect(names(logsOf('l', [created, claim]), logsOf('a', []), logsOf('b', []))).toEqual(['redeemed']);
  });

  it('show the end of a lock when enough tell it', () => {
    const all = [created, refunded];
    expect(names(logsOf('a', all), logsOf('b', [created]))).toEqual(['created']);
    expect(names(logsOf('a', all), logsOf('b', [created], { to: 11 }))).toEqual(['created']);
    expect(names(logsOf('a', all), logsOf('b', all), logsOf('c', []))).toEqual(['created', 'refunded']);
    expect(names(logsOf('a', all), logsOf('b', [], { counts: false }))).toEqual(['created', 'refunded']);
    // One that keeps no logs of so long ago is no witness of them.
    expect(names(logsOf('a', all), logsOf('b', [], { from: 30 }))).toEqual(['created', 'refunded']);
  });

  it('are contested where neither side is enough, and name whoever stands alone once the block is buried', () => {
    const two = standingLogs([logsOf('a', [created]), logsOf('b', [])]);
    expect(two.contested).toEqual([10]);
    expect(contradictionIn(two, 25)).toBeNull();
    expect(contradictionIn(two, 26)).toMatch(/^The RPC b lacks a log of block 10 that another one has/);
    const three = standingLogs([logsOf('a', [created]), logsOf('b', []), logsOf('c', [])]);
    expect([three.contested, contradictionIn(three, 26)]).toEqual([
      [],
      expect.stringMatching(/^The RPC a tells a log/),
    ]);
  });
});

it('a figure is reached by enough where two, more than half and one of the owner’s have come to it', () => {
  const at = (...of: readonly (readonly [number, boolean?])[]) =>
    reachedByEnough(
      of.map(([height, own = false]) => ({ height, own })),
      ({ height }) => height,
    )?.height;
  expect([at(), at([7]), at([9], [7]), at([9], [8], [7]), at([9], [8], [7], [6])]).toEqual([undefined, 7, 7, 8, 7]);
  expect(at([9], [8], [3, true])).toBe(3);
});

it('a chain makes as many blocks as it can at its fastest', () => {
  expect([mostBlocksIn(1, 59), mostBlocksIn(42161, 10), mostBlocksIn(137, -5), mostBlocksIn(7, 24)]).toEqual([
    4, 40, 0, 2,
  ]);
});
