import { base64 } from '@scure/base';
import { describe, expect, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import type { Unix } from '../../../engine/domain/time.ts';
import {
  exitPathFailure,
  exitTransactions,
  nextExitTransaction,
  type ExitPath,
} from '../../../engine/legs/arkade/exit-path.ts';
import { rawExitTx, witnessFailure } from '../../../engine/legs/arkade/exit-witness.ts';
import { prevoutsOf, readTx, witnessItems } from '../../../engine/legs/psbt.ts';
import type { Operator } from '../../../engine/sandbox/world/arkade/operator.ts';
import { memoryJournal } from '../../support/memory-journal.ts';
import { openChain } from '../../sandbox/bitcoin-support.ts';
import recorded from '../../vectors/arkd/get-v1-indexer-virtual-tx.json' with { type: 'json' };
import {
  inputOf,
  openContract,
  parse,
  party,
  pay,
  spendFully,
  testOperator,
  vhtlc,
  walletScript,
} from '../../sandbox/arkade/support.ts';

const now = { mtp: 2_000_000_000 as Unix, height: 1_000 };

/** A coin that was paid, locked, claimed and paid on: two branches of its ancestry come together in it. */
async function world() {
  const journal = memoryJournal();
  const bitcoin = openChain(journal);
  const { operator } = testOperator({ journal, clock: bitcoin.clock, chain: bitcoin });
  const [alice, bob] = [await party(), await party()];
  const contract = vhtlc(operator, alice, bob, bitcoin.clock.now() + 90_000);
  const own = walletScript(operator, alice);
  const to = walletScript(operator, bob);
  const funding = await spendFully(
    operator,
    [inputOf(pay(operator, own, 10_000), own.leaves.refund)],
    [
      { script: contract.script.pkScript, amount: 6_000n },
      { script: own.script.pkScript, amount: 4_000n },
    ],
    [alice],
  );
  const locked = { txid: funding, vout: 0, value: 6_000, of: contract };
  const claim = await spendFully(
    operator,
    [inputOf(locked, contract.leaves.claim)],
    [{ script: to.script.pkScript, amount: 6_000n }],
    [bob],
    contract.preimage,
  );
  const other = pay(operator, to, 5_000);
  const both = await spendFully(
    operator,
    [inputOf({ txid: claim, vout: 0, value: 6_000, of: to }, to.leaves.refund), inputOf(other, to.leaves.refund)],
    [{ script: to.script.pkScript, amount: 11_000n }],
    [bob],
  );
  bitcoin.mine(1);
  const coin: Outpoint = { txid: both, vout: 0 };
  const shown = new Map(
    operator.indexer
      .chain(coin.txid, coin.vout)
      .flatMap(({ txid }) => operator.indexer.virtualTxs([txid]))
      .map((psbt) => [parse(psbt).id, base64.decode(psbt)]),
  );
  operator.stop();
  function path(from: ReadonlyMap<string, Uint8Array> = shown): ExitPath | null {
    const built = exitTransactions(coin, from);
    if (built === null) return null;
    const roots = built.roots.flatMap((outpoint) => {
      const output = bitcoin.transaction(outpoint.txid)?.tx.outputs[outpoint.vout];
      return output === undefined ? [] : [{ outpoint, script: output.script, amount: output.amount }];
    });
    return { coin, amount: sats(11_000), script: to.script.pkScript, roots, transactions: built.transactions };
  }
  return { bitcoin, coin, shown, path, locked, claim };
}

type World = Awaited<ReturnType<typeof world>>;

function idsOf(path: ExitPath): string[] {
  return path.transactions.map((bytes) => readTx(bytes)?.id ?? '');
}

test('the transactions to a coin are found in what an operator shows, each after what it spends, and hold', async () => {
  const { path, coin, locked, claim, shown } = await world();
  const whole = path();
  if (whole === null) throw new Error('no path');
  const ids = idsOf(whole);
  expect({
    count: ids.length,
    all: new Set(ids),
    order: [ids.indexOf(locked.txid) < ids.indexOf(claim), ids.at(-1)],
    roots: whole.roots.length,
    failure: exitPathFailure(whole, now),
  }).toEqual({ count: 9, all: new Set(shown.keys()), order: [true, coin.txid], roots: 2, failure: null });
});

test('the transactions of a path that holds make the coin on the chain', async () => {
  const { bitcoin, path, coin } = await world();
  bitcoin.include(path()?.transactions ?? []);
  bitcoin.mine(1);
  expect(bitcoin.coin(coin)?.amount).toBe(11_000n);
});

test('the first transaction that no block holds is the next to be sent, and none once the coin is there', async () => {
  const { path } = await world();
  const whole = path() as ExitPath;
  const ids = idsOf(whole);
  const mined = (count: number) => (txid: string) => (ids.indexOf(txid) < count ? 'mined' : 'absent');
  expect([0, 3, 9].map((count) => nextExitTransaction(whole, mined(count))?.index ?? null)).toEqual([0, 3, null]);
});

describe('what a lying operator shows is refused:', () => {
  const lies: Record<string, (world: World) => ExitPath | null> = {
    'a transaction left out': ({ path, shown, locked }) =>
      path(new Map([...shown].filter(([id]) => id !== locked.txid))),
    'a signature of somebody else': ({ path }) =>
      changed(path(), 2, (item) => (item.length === 64 ? item.map((byte, i) => byte ^ (i === 40 ? 1 : 0)) : item)),
    'a preimage that is not the one': ({ path }) =>
      changed(path(), null, (item) => (item.length === 32 ? item.map((byte) => byte ^ 1) : item)),
    'a leaf of another script': ({ path }) =>
      changed(path(), 2, (item) => (item.length > 64 ? item.map((byte, i) => byte ^ (i === 64 ? 1 : 0)) : item)),
    'another coin at the end of true transactions': ({ path, coin }) => {
      const whole = path();
      return whole && { ...whole, coin: { ...coin, vout: 1 } };
    },
    'another amount': ({ path }) => {
      const whole = path();
      return whole && { ...whole, amount: sats(11_001) };
    },
    'a script that is not ours': ({ path, locked }) => {
      const whole = path();
      return whole && { ...whole, script: locked.of.script.pkScript };
    },
    'a root that holds another amount': ({ path }) => {
      const whole = path();
      return whole && { ...whole, roots: whole.roots.map((root) => ({ ...root, amount: root.amount + 1n })) };
    },
    'a root that nobody knows': ({ path }) => {
      const whole = path();
      return whole && { ...whole, roots: whole.roots.slice(1) };
    },
    'a transaction that leads elsewhere': ({ path }) => {
      const whole = path();
      if (whole === null) return null;
      const [first] = whole.transactions;
      return { ...whole, transactions: [...whole.transactions.slice(1), first as Uint8Array] };
    },
    'a witness cut off': ({ path }) => changed(path(), 2, () => new Uint8Array()),
  };

  test.each(Object.keys(lies))('%s', async (lie) => {
    const made = await world();
    const path = lies[lie]?.(made) ?? null;
    const failure = path === null ? 'no path' : exitPathFailure(path, now);
    expect(failure).toEqual(expect.any(String));
  });

  test('a locktime on the way that is not over', async () => {
    const { operator, clock, contract, coin, alice } = await openContract();
    const locktime = clock.now() + 1_000;
    clock.setMtp(locktime);
    const own = walletScript(operator, alice);
    const refund = await spendFully(
      operator,
      [inputOf(coin, contract.leaves.late)],
      [{ script: own.script.pkScript, amount: 10_000n }],
      [alice],
    );
    const { transactions, roots } = ancestryOf(operator, { txid: refund, vout: 0 });
    const path = {
      coin: { txid: refund, vout: 0 },
      amount: sats(10_000),
      script: own.script.pkScript,
      transactions,
      // The sandbox writes into a tree what it spends.
      roots: roots.map((outpoint) => ({
        outpoint,
        ...(parse(operator.indexer.virtualTxs([coin.txid])[0] ?? '').getInput(0).witnessUtxo as {
          script: Uint8Array;
          amount: bigint;
        }),
      })),
    };
    operator.stop();
    const failures = [locktime - 1, locktime].map((mtp) => exitPathFailure(path, { mtp: mtp as Unix, height: 1_000 }));
    expect(failures).toEqual([expect.stringContaining('its locktime is not over'), null]);
  });
});

/** The same path with other items in the witnesses of one transaction, or of all. */
function changed(path: ExitPath | null, at: number | null, item: (item: Uint8Array) => Uint8Array): ExitPath | null {
  const transactions = path?.transactions.map((bytes, index) => {
    const tx = readTx(bytes);
    if (tx === null || (at !== null && index !== at)) return bytes;
    for (let i = 0; i < tx.inputsLength; i++)
      tx.updateInput(i, { finalScriptWitness: witnessItems(tx, i).map(item) }, true);
    return tx.toBytes(true, true);
  });
  return path === null || transactions === undefined ? null : { ...path, transactions };
}

function ancestryOf(operator: Operator, coin: Outpoint) {
  const shown = new Map(
    operator.indexer
      .chain(coin.txid, coin.vout)
      .flatMap(({ txid }) => operator.indexer.virtualTxs([txid]))
      .map((psbt) => [parse(psbt).id, base64.decode(psbt)]),
  );
  const built = exitTransactions(coin, shown);
  if (built === null) throw new Error('no path');
  return { shown, ...built };
}

test.each([
  ['as it is', (psbt: Uint8Array) => psbt],
  // The tap tree of an output, of which only its owner knows what it is for.
  [
    'with a field that no library reads',
    (psbt: Uint8Array) => Uint8Array.of(...psbt.subarray(0, -1), 1, 6, 2, 9, 9, 0),
  ],
])('a transaction of a recorded operator comes out as the chain wants it, %s', (_, shown) => {
  const [, , { response }] = recorded as unknown as [unknown, unknown, { response: { body: { txs: string[] } } }];
  const psbt = base64.decode(response.body.txs[0] ?? '');
  const psbtTx = readTx(psbt);
  const raw = rawExitTx(shown(psbt));
  const tx = raw === null ? null : readTx(raw);
  if (psbtTx === null || tx === null) throw new Error('unreadable');
  expect([tx.id === psbtTx.id, witnessItems(tx, 0).length, witnessFailure(tx, 0, prevoutsOf(psbtTx) ?? [])]).toEqual([
    true,
    4,
    null,
  ]);
});
