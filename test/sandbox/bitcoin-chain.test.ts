import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transaction } from '@scure/btc-signer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { outpointKey } from '../../engine/domain/outpoint.ts';
import type { Block } from '../../engine/sandbox/world/bitcoin/block.ts';
import type { BitcoinWorld } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { TxRejected } from '../../engine/sandbox/world/bitcoin/rejection.ts';
import { isCoinbase, parseTx } from '../../engine/sandbox/world/bitcoin/tx.ts';
import type { Journal } from '../../engine/sandbox/world/journal.ts';
import { memoryJournal } from '../support/memory-journal.ts';
import { openSqliteJournal } from '../../engine/sandbox/world/sqlite-journal.ts';
import { type Funds, fund, openChain, pay, walletOf } from './bitcoin-support.ts';

const alice = walletOf('alice');
const bob = walletOf('bob', 'p2tr');
const million = 1_000_000n;
const idOf = (bytes: Uint8Array) => parseTx(bytes).txid;
const txidsOf = (block: Block | undefined) => (block?.transactions ?? []).slice(1).map(({ txid }) => txid);
const waiting = (chain: BitcoinWorld) => chain.mempool().map(({ tx }) => tx.txid);
const heightOf = (chain: BitcoinWorld, bytes: Uint8Array) => chain.transaction(idOf(bytes))?.height;

/** Everything that a client can see, to compare two worlds by. */
function viewOf(chain: BitcoinWorld): unknown {
  const blocks = Array.from({ length: chain.tip().height + 1 }, (_, height) => chain.at(height)?.hash);
  const coins = [alice, bob].map(({ script }) =>
    chain
      .coinsOf(script)
      .map(({ outpoint, amount, height }) => `${outpointKey(outpoint)} ${amount} ${height}`)
      .sort(),
  );
  return {
    blocks,
    coins,
    waiting: chain.mempool().map(({ tx, fee, time }) => [tx.txid, fee, time]),
    rate: chain.feeRate(),
  };
}

test('transactions are read as another parser reads them', () => {
  const chain = openChain();
  const funds = [fund(chain, alice.script, million), fund(chain, alice.script, million)];
  const bytes = pay({ from: alice, funds, to: [{ script: bob.script, amount: million }], locktime: 77, sequence: 5 });
  const [ours, theirs] = [parseTx(bytes), Transaction.fromRaw(bytes)];
  expect([
    ours.txid,
    ours.version,
    ours.locktime,
    ours.vsize,
    ours.weight,
    ours.inputs.map(({ sequence }) => sequence),
  ]).toEqual([theirs.id, 2, 77, theirs.vsize, theirs.weight, [5, 5]]);
  for (let length = 0; length < bytes.length; length += 7) expect(() => parseTx(bytes.subarray(0, length))).toThrow();
});

test('a block commits to its transactions and their witnesses, and pays subsidy and fees', () => {
  const chain = openChain();
  const funds = fund(chain, alice.script, million);
  chain.submit(pay({ from: alice, funds: [funds], fee: 5_000n }));
  const fees = chain.mempool().reduce((sum, { fee }) => sum + fee, 0n);
  chain.mine(1, bob.script);
  const { transactions, merkleRoot, header } = chain.tip();
  const [coinbase] = transactions;
  expect(coinbase?.outputs[0]).toMatchObject({ script: bob.script, amount: 5_000_000_000n + fees });
  expect(transactions).toHaveLength(3);
  const twice = (bytes: Uint8Array) =>
    createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest();
  const pair = (a: Buffer, b: Buffer) => twice(Buffer.concat([a, b]));
  const rootOf = ([a, b, c]: string[]) => {
    const [x, y, z] = [a, b, c].map((id) => Buffer.from(id ?? '', 'hex').reverse()) as [Buffer, Buffer, Buffer];
    return pair(pair(x, y), pair(z, z));
  };
  expect(
    rootOf(transactions.map(({ txid }) => txid))
      .reverse()
      .toString('hex'),
  ).toBe(merkleRoot);
  expect(Buffer.from(header).subarray(36, 68).reverse().toString('hex')).toBe(merkleRoot);
  const witnessRoot = rootOf(['00'.repeat(32), ...transactions.slice(1).map(({ wtxid }) => wtxid)]);
  expect(toHex(coinbase?.outputs[1]?.script ?? new Uint8Array())).toBe(
    `6a24aa21a9ed${pair(witnessRoot, Buffer.alloc(32)).toString('hex')}`,
  );
});

test('what pays less than the rate waits, until a child pays for both or the rate falls', () => {
  const chain = openChain();
  const [one, two] = [fund(chain, alice.script, million), fund(chain, alice.script, million)];
  chain.mine(1);
  chain.setFeeRate(10);
  const [low, parent] = [pay({ from: alice, funds: [one], fee: 500n }), pay({ from: alice, funds: [two], fee: 500n })];
  chain.submit(low);
  chain.submit(parent);
  chain.mine(1);
  expect(waiting(chain)).toEqual([idOf(low), idOf(parent)]);
  const child = pay({
    from: alice,
    funds: [{ outpoint: { txid: idOf(parent), vout: 0 }, amount: million - 500n }],
    fee: 2_000n,
  });
  chain.submit(child);
  chain.mine(1);
  expect([txidsOf(chain.tip()), waiting(chain)]).toEqual([[idOf(parent), idOf(child)], [idOf(low)]]);
  chain.setFeeRate(1);
  chain.mine(1);
  expect([heightOf(chain, low), waiting(chain)]).toEqual([chain.tip().height, []]);
});

test('a reorg gives transactions back in their order, and the lost blocks stay known beside the chain', () => {
  const chain = openChain();
  const funds = fund(chain, alice.script, million);
  const first = pay({ from: alice, funds: [funds] });
  chain.submit(first);
  chain.mine(1);
  const second = pay({ from: alice, funds: [{ outpoint: { txid: idOf(first), vout: 0 }, amount: million - 1_000n }] });
  chain.submit(second);
  chain.mine(1);
  const [tip, lost] = [chain.tip(), chain.at(chain.tip().height - 1)];
  chain.reorg(2);
  expect(waiting(chain)).toEqual([funds.outpoint.txid, idOf(first), idOf(second)]);
  expect([
    chain.tip().height,
    chain.tip().hash === tip.hash,
    chain.byHash(tip.hash)?.hash,
    chain.at(lost?.height ?? 0)?.hash === lost?.hash,
  ]).toEqual([tip.height, false, tip.hash, false]);
  expect([chain.coin(funds.outpoint), chain.spend(funds.outpoint)]).toEqual([
    undefined,
    { txid: idOf(first), vin: 0, height: null },
  ]);
  chain.mine(1);
  expect(txidsOf(chain.tip())).toEqual([funds.outpoint.txid, idOf(first), idOf(second)]);
});

test('a dropped transaction frees its coin for another spend, and its children fall with it', () => {
  const chain = openChain();
  const funds = fund(chain, alice.script, million);
  chain.mine(1);
  const first = pay({ from: alice, funds: [funds], sequence: 0xffffffff });
  chain.submit(first);
  chain.submit(pay({ from: alice, funds: [{ outpoint: { txid: idOf(first), vout: 0 }, amount: million - 1_000n }] }));
  chain.mine(1);
  chain.reorg(1, [idOf(first)]);
  expect(waiting(chain)).toEqual([]);
  expect(chain.coin(funds.outpoint)?.amount).toBe(million);
  const rival = pay({
    from: alice,
    funds: [funds],
    fee: 7_000n,
    to: [{ script: bob.script, amount: million - 7_000n }],
  });
  chain.submit(rival);
  chain.mine(1);
  expect([heightOf(chain, rival), chain.transaction(idOf(first))]).toEqual([chain.tip().height, undefined]);
});

test('an evicted transaction takes its children with it, frees its coin, and is gone for a restart too', () => {
  const journal = memoryJournal();
  const chain = openChain(journal);
  const funds = fund(chain, alice.script, million);
  chain.mine(1);
  const first = pay({ from: alice, funds: [funds] });
  chain.submit(first);
  chain.submit(pay({ from: alice, funds: [{ outpoint: { txid: idOf(first), vout: 0 }, amount: million - 1_000n }] }));
  expect([chain.evict(idOf(first)), waiting(chain), chain.coin(funds.outpoint)?.amount]).toEqual([true, [], million]);
  expect(waiting(openChain(journal))).toEqual([]);
  chain.submit(first);
  chain.mine(1);
  expect([chain.evict(idOf(first)), heightOf(chain, first)]).toEqual([false, chain.tip().height]);
});

test('after a reorg a relative lock counts anew', () => {
  const chain = openChain();
  const funds = fund(chain, alice.script, million);
  chain.mine(3);
  const spend = pay({ from: alice, funds: [funds], sequence: 3 });
  chain.submit(spend);
  chain.reorg(3);
  // The parent is unconfirmed again, so the spend may not wait in the mempool.
  expect(waiting(chain)).toEqual([funds.outpoint.txid]);
  expect(() => chain.submit(spend)).toThrow('non-BIP68-final');
});

test('included transactions come unchecked with the next block, and come back after a reorg', () => {
  const chain = openChain();
  const funds = fund(chain, alice.script, million);
  chain.mine(1);
  const honest = pay({ from: alice, funds: [funds], sequence: 0xffffffff });
  chain.submit(honest);
  chain.submit(pay({ from: alice, funds: [{ outpoint: { txid: idOf(honest), vout: 0 }, amount: million - 1_000n }] }));
  const fromNowhere = pay({
    from: alice,
    funds: [{ outpoint: { txid: 'ee'.repeat(32), vout: 3 }, amount: 50_000n }],
    fee: 0n,
  });
  const child = pay({
    from: alice,
    funds: [{ outpoint: { txid: idOf(fromNowhere), vout: 0 }, amount: 50_000n }],
    fee: 0n,
  });
  const thief = pay({ from: alice, funds: [funds], fee: 0n });
  chain.include([fromNowhere, child, thief]);
  chain.include([fromNowhere]);
  expect(chain.transaction(idOf(fromNowhere))).toBeUndefined();
  chain.mine(1);
  expect([txidsOf(chain.tip()), waiting(chain)]).toEqual([[fromNowhere, child, thief].map(idOf), []]);
  expect(chain.coin({ txid: idOf(child), vout: 0 })?.amount).toBe(50_000n);
  chain.include([child]);
  chain.reorg(1, [idOf(thief)]);
  expect([txidsOf(chain.tip()), chain.spend(funds.outpoint)]).toEqual([[], undefined]);
  chain.mine(1);
  expect(txidsOf(chain.tip())).toEqual([fromNowhere, child].map(idOf));
});

test('not even an unchecked transaction spends a coin again that a block or its own block spends', () => {
  const chain = openChain();
  const [one, two] = [fund(chain, alice.script, million), fund(chain, alice.script, million)];
  chain.mine(1);
  chain.submit(pay({ from: alice, funds: [one] }));
  chain.mine(1);
  const [again, first, second] = [
    pay({ from: alice, funds: [one], fee: 9n }),
    pay({ from: alice, funds: [two], fee: 0n }),
    pay({ from: alice, funds: [two], fee: 9n }),
  ];
  chain.include([again, first, second]);
  chain.mine(2);
  expect([again, first, second].map((bytes) => heightOf(chain, bytes))).toEqual([
    undefined,
    chain.tip().height - 1,
    undefined,
  ]);
});

test('the faucet pays many at once, out of different coins, and says when it cannot', () => {
  const chain = openChain();
  const paid = Array.from({ length: 300 }, () => fund(chain, alice.script, 100_000n));
  expect(new Set(paid.map(({ outpoint }) => outpointKey(outpoint))).size).toBe(300);
  expect(chain.mempool().filter(({ spent }) => spent[0]?.height !== null)).toHaveLength(100);
  chain.mine(1);
  expect([chain.coinsOf(alice.script).length, waiting(chain)]).toEqual([300, []]);
  expect(chain.faucet(alice.script, 100_000_000_000n as never)).toBeNull();
});

interface Act {
  readonly kind: 'fund' | 'pay' | 'replace' | 'mine' | 'reorg' | 'drop' | 'include' | 'rate' | 'advance';
  readonly pick: number;
}

const acts = fc.array(
  fc.record({
    kind: fc.constantFrom<Act['kind']>(
      'fund',
      'pay',
      'pay',
      'replace',
      'mine',
      'mine',
      'reorg',
      'drop',
      'include',
      'rate',
      'advance',
    ),
    pick: fc.nat(1_000),
  }),
  { minLength: 1, maxLength: 14 },
);

/** Does one thing to the chain; what the rules refuse is refused. */
function act(chain: BitcoinWorld, { kind, pick }: Act): void {
  const coins = chain.coinsOf(alice.script).filter(({ amount }) => amount > 10_000n);
  const coin = coins[pick % Math.max(1, coins.length)];
  const spent = chain
    .mempool()
    .find(({ spent: [first] }) => first !== undefined && toHex(first.script) === toHex(alice.script))?.spent[0];
  const send = (funds: Funds | undefined, fee: bigint) => {
    if (funds !== undefined) chain.submit(pay({ from: alice, funds: [funds], fee }));
  };
  try {
    switch (kind) {
      case 'fund':
        return void fund(chain, alice.script, 100_000n + BigInt(pick));
      case 'pay':
        return send(coin, 200n + BigInt(pick));
      case 'replace':
        return send(spent, 3_000n + BigInt(pick));
      case 'mine':
        return chain.mine(1 + (pick % 3));
      case 'reorg':
        return chain.reorg(1 + (pick % 4));
      case 'drop':
        return chain.reorg(1 + (pick % 2), txidsOf(chain.tip()).slice(0, 1));
      case 'include':
        return coin === undefined ? undefined : chain.include([pay({ from: alice, funds: [coin], fee: 0n })]);
      case 'rate':
        return chain.setFeeRate(1 + (pick % 5));
      case 'advance':
        return chain.advance(pick);
    }
  } catch (error) {
    if (!(error instanceof TxRejected)) throw error;
  }
}

/** What holds in every world: money only from coinbases, each coin spent once, nothing waiting that cannot be mined. */
function checkWhole(chain: BitcoinWorld): void {
  const spent = new Set<string>();
  for (let height = 0; height <= chain.tip().height; height++) {
    const block = chain.at(height);
    if (height > 0) expect(block?.previous).toBe(chain.at(height - 1)?.hash);
    for (const tx of block?.transactions ?? []) {
      expect(chain.transaction(tx.txid)?.height).toBe(height);
      if (isCoinbase(tx)) continue;
      for (const { spends } of tx.inputs) {
        expect(spent.has(outpointKey(spends))).toBe(false);
        spent.add(outpointKey(spends));
        expect(chain.spend(spends)).toMatchObject({ txid: tx.txid, height });
        expect(chain.confirmedCoin(spends)).toBeUndefined();
      }
    }
  }
  for (const { tx } of chain.mempool()) {
    for (const { spends } of tx.inputs) {
      expect(spent.has(outpointKey(spends))).toBe(false);
      spent.add(outpointKey(spends));
      expect(chain.confirmedCoin(spends) ?? chain.waiting(spends.txid)).toBeDefined();
    }
  }
}

test('whatever happens the chain stays whole, and a restart finds it as it was', () => {
  fc.assert(
    fc.property(acts, (steps) => {
      const journal = memoryJournal();
      const chain = openChain(journal);
      for (const step of steps) act(chain, step);
      checkWhole(chain);
      const again = openChain(journal);
      expect(viewOf(again)).toEqual(viewOf(chain));
      again.mine(1);
      chain.mine(1);
      expect(viewOf(again)).toEqual(viewOf(chain));
      checkWhole(again);
    }),
    { numRuns: 40 },
  );
});

test('a chain kept by an earlier version is refused with what to do', () => {
  const journal = memoryJournal();
  journal.put('bitcoin_block', '1', { header: '00'.repeat(80), mtp: 1 });
  expect(() => openChain(journal)).toThrow('remove the folder "sandbox"');
});

test('killed between any two writes, the journal holds the world of before or after', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bitcoin-'));
  const steps: Act[] = [
    { kind: 'fund', pick: 1 },
    { kind: 'mine', pick: 0 },
    { kind: 'pay', pick: 0 },
    { kind: 'replace', pick: 0 },
    { kind: 'include', pick: 0 },
    { kind: 'mine', pick: 1 },
    { kind: 'pay', pick: 0 },
    { kind: 'drop', pick: 1 },
    { kind: 'reorg', pick: 2 },
    { kind: 'mine', pick: 0 },
  ];
  class Killed extends Error {}
  let killedAt = 0;
  for (let writes = 0; ; writes++) {
    const file = join(folder, `${writes}.db`);
    const opened = openSqliteJournal(file);
    if (opened === 'locked') throw new Error('locked');
    const worlds = [] as unknown[];
    let left = Number.POSITIVE_INFINITY;
    const write = (work: () => void) => {
      if (left-- <= 0) throw new Killed();
      work();
    };
    const mortal: Journal = {
      ...opened,
      put: (...row) => write(() => opened.put(...row)),
      remove: (...row) => write(() => opened.remove(...row)),
    };
    const chain = openChain(mortal);
    worlds.push(viewOf(chain));
    left = writes;
    try {
      for (const step of steps) {
        act(chain, step);
        worlds.push(viewOf(chain));
      }
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      killedAt++;
    }
    opened.close();
    const survivor = openSqliteJournal(file);
    if (survivor === 'locked') throw new Error('locked');
    const reopened = openChain(survivor);
    checkWhole(reopened);
    expect(viewOf(reopened)).toEqual(worlds.at(-1));
    survivor.close();
    if (worlds.length > steps.length) break;
  }
  expect(killedAt).toBeGreaterThan(10);
  rmSync(folder, { recursive: true, force: true });
});

test('a block costs the same after five thousand as after a hundred', () => {
  const chain = openChain();
  const timeOf = (blocks: number) => {
    const start = performance.now();
    chain.mine(blocks);
    return (performance.now() - start) / blocks;
  };
  timeOf(300);
  const early = timeOf(300);
  timeOf(4_000);
  expect(timeOf(300)).toBeLessThan(Math.max(1, early * 4));
});
