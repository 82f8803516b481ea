import { expect, test } from 'vitest';
import type { BitcoinWorld } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { TxRejected } from '../../engine/sandbox/world/bitcoin/rejection.ts';
import { parseTx } from '../../engine/sandbox/world/bitcoin/tx.ts';
import { alice, rules } from './bitcoin-rule-table.ts';
import { type Funds, anchor, fund, openChain, pay, tampered, walletOf } from './bitcoin-support.ts';

const bob = walletOf('bob', 'p2tr');

const million = 1_000_000n;

/** The code and the words with which a transaction is refused, or 'accepted'. */
function answer(chain: BitcoinWorld, bytes: Uint8Array): [number, string] | 'accepted' {
  try {
    chain.submit(bytes);
    return 'accepted';
  } catch (error) {
    if (error instanceof TxRejected) return [error.code, error.message];
    throw error;
  }
}

function confirmed(chain: BitcoinWorld, script: Uint8Array, amount: bigint): Funds {
  const funds = fund(chain, script, amount);
  chain.mine(1);
  return funds;
}

test.each(rules)('%s is refused', (_, broken, expected, whole) => {
  const chain = openChain();
  const funds = confirmed(chain, alice.script, million);
  const { height, mtp, transactions } = chain.tip();
  const at = { height, mtp, coinbase: transactions[0]?.bytes ?? Uint8Array.of() };
  expect(answer(chain, broken(at, funds))).toEqual(expected);
  expect(chain.mempool()).toEqual([]);
  expect(answer(chain, (whole ?? (() => pay({ from: alice, funds: [funds] })))(at, funds))).toBe('accepted');
});

test('relative locks pass with the very block and the very second', () => {
  const chain = openChain();
  const [blocks, seconds, both] = [1, 2, 3].map(() => fund(chain, alice.script, million)) as [Funds, Funds, Funds];
  chain.mine(1);
  const start = chain.at(chain.tip().height - 1)?.mtp ?? 0;
  const [byBlocks, bySeconds] = [
    pay({ from: alice, funds: [blocks], sequence: 3 }),
    pay({ from: alice, funds: [seconds], sequence: 0x400002 }),
  ];
  const disabled = pay({ from: alice, funds: [both], sequence: 0x80000000 + 500 });
  expect(answer(chain, disabled)).toBe('accepted');
  chain.mine(1);
  expect(answer(chain, byBlocks)).toEqual([-26, 'non-BIP68-final']);
  chain.mine(1);
  expect(answer(chain, byBlocks)).toBe('accepted');
  chain.advance(start + 1_000 - chain.tip().mtp);
  // Without the clock moving, each block moves the median by one second at most.
  while (chain.tip().mtp < start + 1_023) chain.mine(1);
  expect([chain.tip().mtp - start, answer(chain, bySeconds)]).toEqual([1_023, [-26, 'non-BIP68-final']]);
  while (chain.tip().mtp < start + 1_024) chain.mine(1);
  expect([chain.tip().mtp - start, answer(chain, bySeconds)]).toEqual([1_024, 'accepted']);
});

test('an unconfirmed parent gives no block to a relative lock', () => {
  const chain = openChain();
  const funds = fund(chain, alice.script, million);
  expect(answer(chain, pay({ from: alice, funds: [funds], sequence: 1 }))).toEqual([-26, 'non-BIP68-final']);
  chain.mine(1);
  expect(answer(chain, pay({ from: alice, funds: [funds], sequence: 1 }))).toBe('accepted');
});

test('a coinbase is spent after a hundred blocks and not before', () => {
  const chain = openChain();
  chain.mine(1, alice.script);
  const coinbase = chain.tip().transactions[0];
  if (coinbase === undefined) throw new Error('no coinbase');
  const spend = pay({
    from: alice,
    funds: [{ outpoint: { txid: coinbase.txid, vout: 0 }, amount: coinbase.outputs[0]?.amount ?? 0n }],
  });
  chain.mine(98);
  expect(answer(chain, spend)).toEqual([
    -26,
    'bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 99',
  ]);
  chain.mine(1);
  expect(answer(chain, spend)).toBe('accepted');
});

test('what is known is told apart: in the mempool, unspent on the chain, spent on the chain', () => {
  const chain = openChain();
  const first = pay({ from: alice, funds: [confirmed(chain, alice.script, million)] });
  expect([answer(chain, first), answer(chain, first)]).toEqual(['accepted', 'accepted']);
  expect(chain.mempool()).toHaveLength(1);
  expect(() => chain.judge(parseTx(first))).toThrow('txn-already-in-mempool');
  chain.mine(1);
  expect(answer(chain, first)).toEqual([-27, 'Transaction outputs already in utxo set']);
  chain.submit(
    pay({ from: alice, funds: [{ outpoint: { txid: parseTx(first).txid, vout: 0 }, amount: million - 1_000n }] }),
  );
  chain.mine(1);
  expect(answer(chain, first)).toEqual([-25, 'bad-txns-inputs-missingorspent']);
});

test('a replacement pays more per byte, more in all and for its own relay, or nothing changes', () => {
  const chain = openChain();
  const [funds, other] = [confirmed(chain, alice.script, million), fund(chain, alice.script, million)];
  const old = pay({ from: alice, funds: [funds], fee: 1_000n });
  chain.submit(old);
  const child = pay({
    from: alice,
    funds: [{ outpoint: { txid: parseTx(old).txid, vout: 0 }, amount: million - 1_000n }],
    fee: 2_000n,
  });
  chain.submit(child);
  const before = chain.mempool().map(({ tx }) => tx.txid);
  const attempts = [
    pay({ from: alice, funds: [funds], fee: 1_000n, locktime: 1 }),
    pay({ from: alice, funds: [funds], fee: 1_000n, to: [{ script: bob.script, amount: million - 1_000n }] }),
    pay({ from: alice, funds: [funds], fee: 2_999n }),
    pay({ from: alice, funds: [funds], fee: 3_109n }),
    pay({ from: alice, funds: [funds, other], fee: 9_000n }),
    pay({
      from: alice,
      funds: [funds, { outpoint: { txid: parseTx(child).txid, vout: 0 }, amount: million - 3_000n }],
      fee: 9_000n,
    }),
  ];
  expect(attempts.map((bytes) => answer(chain, bytes))).toEqual([
    [
      -26,
      expect.stringMatching(
        /^insufficient fee, .* new feerate 0.00009090 BTC\/kvB <= old feerate 0.00009090 BTC\/kvB$/,
      ),
    ],
    [
      -26,
      expect.stringMatching(
        /^insufficient fee, rejecting replacement [0-9a-f]{64}; new feerate 0.0000\d+ BTC\/kvB <= old feerate 0.0000\d+ BTC\/kvB$/,
      ),
    ],
    [-26, expect.stringMatching(/less fees than conflicting txs; 0.00002999 < 0.00003000$/)],
    [-26, expect.stringMatching(/not enough additional fees to relay; 0.00000109 < 0.00000110$/)],
    [-26, expect.stringMatching(/^replacement-adds-unconfirmed, .* idx 1$/)],
    [-26, expect.stringMatching(/^bad-txns-spends-conflicting-tx/)],
  ]);
  expect(chain.mempool().map(({ tx }) => tx.txid)).toEqual(before);
  const better = pay({ from: alice, funds: [funds], fee: 3_110n });
  expect(answer(chain, better)).toBe('accepted');
  expect(
    chain
      .mempool()
      .map(({ tx }) => tx.txid)
      .filter((txid) => txid !== other.outpoint.txid),
  ).toEqual([parseTx(better).txid]);
  expect([chain.transaction(parseTx(old).txid), chain.transaction(parseTx(child).txid)]).toEqual([
    undefined,
    undefined,
  ]);
});

test('what pays enough takes the place of a transaction that does not signal replacement', () => {
  const chain = openChain();
  const funds = confirmed(chain, alice.script, million);
  chain.submit(pay({ from: alice, funds: [funds], sequence: 0xfffffffe }));
  expect(answer(chain, pay({ from: alice, funds: [funds], fee: 1_050n, sequence: 0xfffffffe }))).toEqual([
    -26,
    expect.stringMatching(/not enough additional fees to relay/),
  ]);
  const dearer = pay({ from: alice, funds: [funds], fee: 50_000n, sequence: 0xfffffffe });
  expect(answer(chain, dearer)).toBe('accepted');
  expect(chain.mempool().map(({ tx }) => tx.txid)).toEqual([parseTx(dearer).txid]);
});

test('a chain in the mempool has at most 25 links', () => {
  const chain = openChain();
  let funds = confirmed(chain, alice.script, million);
  const answers = Array.from({ length: 26 }, () => {
    const bytes = pay({ from: alice, funds: [funds] });
    funds = { outpoint: { txid: parseTx(bytes).txid, vout: 0 }, amount: funds.amount - 1_000n };
    return answer(chain, bytes);
  });
  expect(answers.slice(0, 25)).toEqual(Array.from({ length: 25 }, () => 'accepted'));
  expect(answers[25]).toEqual([-26, 'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]']);
});

test('a transaction has at most 25 descendants, itself counted', () => {
  const chain = openChain();
  const parent = pay({
    from: alice,
    funds: [confirmed(chain, alice.script, million)],
    to: Array.from({ length: 25 }, () => ({ script: alice.script, amount: 10_000n })),
  });
  chain.submit(parent);
  const { txid } = parseTx(parent);
  const answers = Array.from({ length: 25 }, (_, vout) =>
    answer(chain, pay({ from: alice, funds: [{ outpoint: { txid, vout }, amount: 10_000n }] })),
  );
  expect(answers).toEqual([
    ...Array.from({ length: 24 }, () => 'accepted'),
    [-26, `too-long-mempool-chain, too many descendants for tx ${txid} [limit: 25]`],
  ]);
});

test('a replacement pushes out a hundred transactions at most', () => {
  const chain = openChain();
  const funds = Array.from({ length: 5 }, () => fund(chain, alice.script, million));
  chain.mine(1);
  for (const [i, one] of funds.entries()) {
    const parent = pay({
      from: alice,
      funds: [one],
      to: Array.from({ length: 20 }, () => ({ script: alice.script, amount: 49_000n })),
    });
    chain.submit(parent);
    for (let vout = 0; vout < (i === 4 ? 20 : 19); vout++)
      chain.submit(
        pay({ from: alice, funds: [{ outpoint: { txid: parseTx(parent).txid, vout }, amount: 49_000n }], fee: 500n }),
      );
  }
  expect(chain.mempool()).toHaveLength(101);
  const replacement = (inputs: readonly Funds[]) =>
    pay({ from: alice, funds: inputs, to: [{ script: alice.script, amount: million }] });
  expect(answer(chain, replacement(funds))).toEqual([
    -26,
    expect.stringMatching(/^too many potential replacements, .*\(101 > 100\)$/),
  ]);
  expect(answer(chain, replacement(funds.slice(0, 4)))).toBe('accepted');
});

test('version 3 stays with its like, in pairs, and small', () => {
  const chain = openChain();
  const funds = confirmed(chain, alice.script, million);
  const parent = pay({
    from: alice,
    funds: [funds],
    version: 3,
    to: [
      { script: alice.script, amount: 500_000n },
      { script: alice.script, amount: 499_000n },
    ],
  });
  chain.submit(parent);
  const { txid } = parseTx(parent);
  const [one, two] = [
    { outpoint: { txid, vout: 0 }, amount: 500_000n },
    { outpoint: { txid, vout: 1 }, amount: 499_000n },
  ];
  expect(answer(chain, pay({ from: alice, funds: [one] }))).toEqual([
    -26,
    expect.stringMatching(/^TRUC-violation, non-version=3 tx/),
  ]);
  const many = Array.from({ length: 30 }, () => ({ script: alice.script, amount: 1_000n }));
  expect(answer(chain, pay({ from: alice, funds: [one], version: 3, to: many }))).toEqual([
    -26,
    expect.stringMatching(/^TRUC-violation, version=3 child tx .* is too big: 10\d\d > 1000/),
  ]);
  const child = pay({ from: alice, funds: [one], version: 3 });
  expect(answer(chain, child)).toBe('accepted');
  const grandchild = pay({
    from: alice,
    funds: [{ outpoint: { txid: parseTx(child).txid, vout: 0 }, amount: 499_000n }],
    version: 3,
  });
  expect(answer(chain, grandchild)).toEqual([-26, expect.stringMatching(/^TRUC-violation, tx .* too many ancestors$/)]);
  const plain = fund(chain, alice.script, million);
  expect(answer(chain, pay({ from: alice, funds: [plain], version: 3 }))).toEqual([
    -26,
    expect.stringMatching(/^TRUC-violation, version=3 tx .* cannot spend from non-version=3 tx/),
  ]);
  const big = Array.from({ length: 330 }, () => ({ script: alice.script, amount: 1_000n }));
  expect(answer(chain, pay({ from: alice, funds: [fund(chain, alice.script, million)], version: 3, to: big }))).toEqual(
    [-26, expect.stringMatching(/^TRUC-violation, version=3 tx .* is too big: 10\d\d\d > 10000/)],
  );
  // A second child pushes the first one out when it pays for that, and not otherwise.
  expect(answer(chain, pay({ from: alice, funds: [two], version: 3, fee: 1_050n }))).toEqual([
    -26,
    expect.stringMatching(/not enough additional fees/),
  ]);
  expect(answer(chain, pay({ from: alice, funds: [two], version: 3, fee: 2_000n }))).toBe('accepted');
  expect(chain.transaction(parseTx(child).txid)).toBeUndefined();
});

test('a parent that pays nothing enters with a child that spends its anchor and pays for both', () => {
  const chain = openChain();
  const [funds, fees] = [fund(chain, alice.script, million), fund(chain, alice.script, million)];
  chain.mine(1);
  const parent = pay({
    from: alice,
    funds: [funds],
    version: 3,
    to: [{ script: alice.script, amount: million }, anchor],
  });
  const spent = { outpoint: { txid: parseTx(parent).txid, vout: 0 }, amount: million };
  const anchors = [{ txid: parseTx(parent).txid, vout: 1 }];
  const child = (fee: bigint) => pay({ from: alice, funds: [fees], version: 3, fee, anchors });
  const errors = (transactions: Uint8Array[]) => {
    const { message, results } = chain.submitPackage(transactions);
    return [message, ...[...results.values()].map(({ error }) => error?.replace(/[0-9a-f]{64}/, 'txid'))];
  };
  expect(answer(chain, parent)).toEqual([-26, expect.stringMatching(/^min relay fee not met, 0 < /)]);
  expect(answer(chain, child(1_000n))).toEqual([-25, 'bad-txns-inputs-missingorspent']);
  const forgetful = "missing-ephemeral-spends, tx txid did not spend parent's ephemeral dust";
  expect(errors([parent, pay({ from: alice, funds: [spent], version: 3 })])).toEqual([
    'transaction failed',
    forgetful,
    forgetful,
  ]);
  const both = parseTx(parent).vsize + parseTx(child(1n)).vsize;
  const cheap = `package-fee-too-low, ${both - 1} < ${both}`;
  expect(errors([parent, child(BigInt(both - 1))])).toEqual(['transaction failed', cheap, cheap]);
  const old = pay({ from: alice, funds: [funds], version: 2, fee: 0n });
  expect(
    errors([old, pay({ from: alice, funds: [{ outpoint: { txid: parseTx(old).txid, vout: 0 }, amount: million }] })]),
  ).toEqual(['transaction failed', 'min relay fee not met, 0 < 110', 'bad-txns-inputs-missingorspent']);
  const loud = tampered(child(2_000n), (raw) => void raw.witnesses?.[1]?.push(Uint8Array.of(1)));
  expect(errors([parent, loud]).at(-1)).toBe('bad-witness-nonstandard');
  expect(chain.mempool()).toEqual([]);
  expect(errors([parent, child(BigInt(both))])).toEqual(['success', undefined, undefined]);
  chain.mine(1);
  expect(
    chain
      .tip()
      .transactions.map(({ txid }) => txid)
      .slice(1),
  ).toEqual([parent, child(BigInt(both))].map((bytes) => parseTx(bytes).txid));
});

test('a package is a child after its parents, each once', () => {
  const chain = openChain();
  const funds = confirmed(chain, alice.script, million);
  const parent = pay({ from: alice, funds: [funds] });
  const child = pay({
    from: alice,
    funds: [{ outpoint: { txid: parseTx(parent).txid, vout: 0 }, amount: million - 1_000n }],
  });
  const stranger = pay({ from: alice, funds: [confirmed(chain, alice.script, million)] });
  const rival = pay({ from: alice, funds: [funds], fee: 5_000n });
  const refusals = [
    [child, parent],
    [parent, parent],
    [parent, rival],
    [stranger, parent, child],
    Array.from({ length: 26 }, () => parent),
  ].map((transactions) => {
    try {
      return chain.submitPackage(transactions).message;
    } catch (error) {
      return (error as Error).message;
    }
  });
  expect(refusals).toEqual([
    'package-not-sorted',
    'package-contains-duplicates',
    'conflict-in-package',
    'package-not-child-with-parents',
    'package-too-many-transactions',
  ]);
  expect(chain.submitPackage([parent, child]).message).toBe('success');
});
