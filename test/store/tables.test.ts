import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, test } from 'vitest';
import { asHash160, asPreimage, asSha256, asXOnly } from '../../engine/domain/hash.ts';
import { btc, btcOn, msat, sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { arkadeLightning } from '../../engine/swap/directions/arkade-lightning.ts';
import { lightningArkade } from '../../engine/swap/directions/lightning-arkade.ts';
import type { Effect } from '../../engine/swap/machine.ts';
import { lightningWithdrawal } from '../../engine/swap/jobs/withdrawal.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import { encode } from '../../engine/store/codec.ts';
import { openStore, swapRow } from './support.ts';

const preimage = asPreimage(new Uint8Array(32).fill(0xa7));
const hash = asSha256(sha256(preimage));
const txid = (digit: string) => digit.repeat(64);

describe('hashes', () => {
  test('a hash is used once, whether it came with 32 bytes or with 20', () => {
    const { store } = openStore();
    const short = asHash160(ripemd160(hash));
    expect([
      store.hashes.claim(hash160OfSha256(hash), 'first'),
      store.hashes.claim(short, 'second'),
      store.hashes.usedBy(short),
    ]).toEqual([true, false, 'first']);
  });

  test('a hash of a swap that nobody was told of can be used again', () => {
    const { store } = openStore();
    store.hashes.claim(hash160OfSha256(hash), 'untold');
    store.hashes.free('untold');
    expect([store.hashes.usedBy(hash160OfSha256(hash)), store.hashes.claim(hash160OfSha256(hash), 'next')]).toEqual([
      null,
      true,
    ]);
  });
});

describe('preimages', () => {
  test('the first one seen stays', () => {
    const { store } = openStore();
    store.preimages.keep(hash160OfSha256(hash), preimage, 1);
    store.preimages.keep(hash160OfSha256(hash), asPreimage(new Uint8Array(32)), 2);
    expect(store.preimages.find(hash160OfSha256(hash))).toEqual(preimage);
  });

  test('moved to the row of another hash it does not open', () => {
    const { db, store } = openStore();
    store.preimages.keep(hash160OfSha256(hash), preimage, 1);
    const other = asHash160(new Uint8Array(20).fill(1));
    db.prepare(`INSERT INTO preimages SELECT ?, sealed, seen_at FROM preimages`).run(other);
    expect(() => store.preimages.find(other)).toThrow();
  });
});

test('a counter never gives an index twice, over restarts, and may be moved forward only', () => {
  const { folder, db, store } = openStore();
  const first = [store.counters.take('swap'), store.counters.take('swap')];
  expect(() =>
    store.atomically(() => {
      store.counters.take('swap');
      throw new Error('the swap was refused');
    }),
  ).toThrow();
  const more = [
    store.counters.take('swap', 40),
    store.counters.take('swap', 7),
    store.counters.peek('swap'),
    store.counters.take('other'),
  ];
  db.close();
  expect([...first, ...more, openStore(folder).store.counters.take('swap')]).toEqual([0, 1, 40, 41, 42, 0, 42]);
});

describe('intents', () => {
  const hash160 = hash160OfSha256(hash);

  test('a note belongs to its swap and its act, is known by its hash, and outlives a restart', () => {
    const { folder, db, store } = openStore();
    store.intents.note('invoice', 'a', hash160);
    store.intents.note('invoice', 'a', hash160);
    db.close();
    const { intents } = openStore(folder).store;
    expect([
      intents.has('invoice', 'a'),
      intents.has('payment', 'a'),
      intents.has('invoice', 'b'),
      intents.known('invoice', hash160),
      intents.known('payment', hash160),
    ]).toEqual([true, false, false, true, false]);
  });

  test("what never reached the node is nobody's, and what is a stranger's is no swap's", () => {
    const { intents } = openStore().store;
    for (const subject of ['a', 'b']) intents.note('invoice', subject, hash160);
    for (const subject of ['a', 'b']) intents.note('payment', subject, hash160);
    intents.drop('payment', 'a');
    intents.disown('invoice', hash160);
    const left = ['a', 'b'].map((subject) => [intents.has('invoice', subject), intents.has('payment', subject)]);
    intents.forget('b');
    expect([left, intents.known('payment', hash160)]).toEqual([
      [
        [false, false],
        [false, true],
      ],
      false,
    ]);
  });

  test('in an older database each open swap may have begun what was forgotten', () => {
    const { store } = openStore();
    const rows = [
      swapRow({ id: 'in' }),
      swapRow({ id: 'out', machine: 'arkade-lightning' }),
      swapRow({ id: 'over', open: false }),
      swapRow({ id: 'owner', machine: 'withdraw-lightning' }),
    ];
    for (const row of rows) store.swaps.insert(row);
    store.hashes.claim(hash160, 'in');
    for (let again = 0; again < 2; again++)
      store.intents.noteOpen([lightningArkade, arkadeLightning, lightningWithdrawal]);
    const intents = rows.map(({ id }) => [id, store.intents.has('invoice', id), store.intents.has('payment', id)]);
    expect([intents, store.intents.known('invoice', hash160)]).toEqual([
      [
        ['in', true, true],
        ['out', false, true],
        ['over', false, false],
        ['owner', false, true],
      ],
      true,
    ]);
  });
});

describe('effects', () => {
  const cancel: Effect = { do: 'hold.cancel', hash };
  const settle: Effect = { do: 'hold.settle', hash };

  test('what is owed is found after a restart, in the order in which it was asked for', () => {
    const { folder, db, store } = openStore();
    store.effects.insert('b', cancel, 0);
    const done = store.effects.insert('a', cancel, 0);
    store.effects.insert('a', settle, 5);
    store.effects.done(done.id);
    db.close();
    expect(openStore(folder).store.effects.waiting()).toEqual([
      { id: 1, subject: 'b', leg: 'lightning', effect: cancel, attempts: 0, asked: 0, due: 0, parked: null },
      { id: 3, subject: 'a', leg: 'lightning', effect: settle, attempts: 0, asked: 0, due: 5, parked: null },
    ]);
  });

  test('one that was given up is kept, not tried, until a person asks for it', () => {
    const { store } = openStore();
    const { id } = store.effects.insert('a', cancel, 9);
    store.effects.park(id, 'no route', 0);
    const parked = [store.effects.waiting().length, store.effects.of('a')[0]?.parked];
    expect([...parked, store.effects.unpark('a'), store.effects.waiting().map(({ due }) => due)]).toEqual([
      0,
      'no route',
      1,
      [0],
    ]);
  });

  test("a swap that turned drops its own effects and nobody else's, and no id comes twice", () => {
    const { store } = openStore();
    store.effects.insert('a', cancel, 0);
    store.effects.insert('b', cancel, 0);
    store.effects.insert('a', settle, 0);
    store.effects.retire('a', 'lightning');
    expect([store.effects.waiting().map(({ subject }) => subject), store.effects.insert('a', cancel, 0).id]).toEqual([
      ['b'],
      4,
    ]);
  });
});

test('fault 3: one row of what is owed that is damaged hides no other of its kind', () => {
  const { db, store } = openStore();
  const put = db.prepare(`INSERT INTO effects (subject, leg, body, version, due) VALUES (?, 'lightning', ?, 1, 0)`);
  put.run('a', '{');
  const { id } = store.effects.insert('b', { do: 'hold.cancel', hash }, 0);
  put.run('c', JSON.stringify({ do: 'evm.send', act: '{' }));
  expect(store.effects.waitingFor('hold.cancel').map((row) => row.id)).toEqual([id]);
  expect(store.effects.waitingToSend('claim')).toEqual([]);
});

describe('transactions', () => {
  const coin = { txid: txid('c'), vout: 1 };
  const row = {
    ...btcOn('arkade'),
    txid: txid('1'),
    subject: 'a',
    leg: 'arkade' as const,
    purpose: 'lock',
    bytes: Uint8Array.of(1, 2, 3),
    inputs: [coin],
  };

  test('a coin is promised to one transaction', () => {
    const { store } = openStore();
    store.transactions.insert(row, 1);
    expect(() => store.transactions.insert({ ...row, txid: txid('2') }, 2)).toThrow(/UNIQUE|PRIMARY/);
    expect(store.transactions.reservedCoins()).toEqual([coin]);
  });

  test('its bytes are kept until it is over, and its coins are free then', () => {
    const { store } = openStore();
    store.transactions.insert(row, 1);
    const prepared = store.transactions.bytes(row.txid);
    store.transactions.accepted(row.txid, Uint8Array.of(4), 2);
    const accepted = store.transactions.bytes(row.txid);
    store.transactions.close(row.txid, 'final', 3);
    expect({
      prepared,
      accepted,
      closed: store.transactions.bytes(row.txid),
      coins: store.transactions.reservedCoins(),
      rows: store.transactions.of('a'),
    }).toEqual({
      prepared: row.bytes,
      accepted: Uint8Array.of(4),
      closed: null,
      coins: [],
      rows: [
        {
          txid: row.txid,
          network: 'arkade',
          asset: 'btc',
          subject: 'a',
          leg: 'arkade',
          purpose: 'lock',
          state: 'final',
          replaces: null,
          createdAt: 1,
          updatedAt: 3,
        },
      ],
    });
  });

  test('an answer that comes after it was closed opens nothing again', () => {
    const { store } = openStore();
    store.transactions.insert(row, 1);
    store.transactions.close(row.txid, 'dead', 2);
    store.transactions.accepted(row.txid, Uint8Array.of(4), 3);
    expect({ state: store.transactions.byId(row.txid)?.state, bytes: store.transactions.bytes(row.txid) }).toEqual({
      state: 'dead',
      bytes: null,
    });
  });

  test('one that was given up may be prepared once more', () => {
    const { store } = openStore();
    store.transactions.insert(row, 1);
    store.transactions.close(row.txid, 'dead', 2);
    store.transactions.insert(row, 3);
    expect({
      state: store.transactions.byId(row.txid)?.state,
      bytes: store.transactions.bytes(row.txid),
      coins: store.transactions.reservedCoins(),
    }).toEqual({ state: 'prepared', bytes: row.bytes, coins: [coin] });
  });
});

test('reservations add up by network and are released once', () => {
  const { store } = openStore();
  store.reservations.hold('a', btc('arkade', 100n));
  store.reservations.hold('a', btc('lightning-in', 101n));
  store.reservations.hold('b', btc('arkade', 1n));
  const before = store.reservations.totals();
  expect([
    before,
    store.reservations.release('a'),
    store.reservations.release('a'),
    store.reservations.totals(),
  ]).toEqual([
    new Map([
      ['arkade', 101n],
      ['lightning-in', 101n],
    ]),
    true,
    false,
    new Map([['arkade', 1n]]),
  ]);
});

test('the journal and the ledger keep their order and their signs', () => {
  const { store } = openStore();
  store.journal.write('a', { time: 1, event: 'created', from: '', to: 'opening', effects: ['hold.create'] });
  store.journal.write('a', { time: 2, event: 'clock', from: 'opening', to: 'pending', effects: [] });
  store.ledger.write('a', 5, 'protocol-fee', msat('arkade', 250_000n));
  store.ledger.write('b', 6, 'lightning-fee-paid', msat('lightning', -1_100n));
  store.ledger.write('a', 9, 'surplus', msat('arkade', 3n));
  expect({
    journal: store.journal.of('a'),
    a: store.ledger.of('a').map(({ amount }) => amount),
    page: store.ledger.page({ from: 6, to: 9, afterId: 1, limit: 9 }),
    lines: store.ledger.lines({ from: 6, to: 9, afterId: 1, limit: 9 }).map(({ time }) => time),
  }).toEqual({
    journal: [
      { time: 1, event: 'created', from: '', to: 'opening', effects: ['hold.create'] },
      { time: 2, event: 'clock', from: 'opening', to: 'pending', effects: [] },
    ],
    a: [250_000n, 3n],
    page: [{ id: 2, subject: 'b', time: 6, kind: 'lightning-fee-paid', ...msat('lightning', -1_100n) }],
    lines: [6],
  });
});

test('settings and developer keys are found, changed and removed', () => {
  const { store } = openStore();
  const key = { id: 'k1', name: 'shop', keyHash: new Uint8Array(32).fill(1), maxExtraFeeBps: 50 };
  store.settings.put('a', { sats: 5n });
  store.settings.put('a', { sats: 6n });
  store.developerKeys.insert(key, 1);
  const rows = [store.settings.get('a'), store.developerKeys.byHash(key.keyHash), store.developerKeys.all()];
  store.settings.remove('a');
  expect([
    ...rows,
    store.settings.get('a'),
    store.developerKeys.remove('k1'),
    store.developerKeys.remove('k1'),
    store.developerKeys.byHash(key.keyHash),
  ]).toEqual([{ sats: 6n }, key, [key], null, true, false, null]);
});

test('no preimage and no transaction is in the files of the database in clear', () => {
  const { folder, db, store } = openStore();
  const psbt = new TextEncoder().encode('psbt\xff a transaction that nobody has seen yet, with a preimage in it');
  store.preimages.keep(hash160OfSha256(hash), preimage, 1);
  store.transactions.insert(
    { ...btcOn('arkade'), txid: txid('1'), subject: 'a', leg: 'arkade', purpose: 'claim', bytes: psbt, inputs: [] },
    1,
  );
  store.transactions.accepted(txid('1'), psbt, 2);
  const needles = [preimage, psbt.subarray(8)].flatMap((bytes) => [
    Buffer.from(bytes),
    Buffer.from(Buffer.from(bytes).toString('hex')),
    Buffer.from(Buffer.from(bytes).toString('base64').slice(2, -4)),
  ]);
  const countIn = (file: string) =>
    needles.filter((needle) => readFileSync(join(folder, file)).includes(needle)).length;
  const walled = countIn('sluice.db-wal');
  db.pragma('wal_checkpoint(TRUNCATE)');
  // A canary for the search itself: what is kept in clear is found.
  expect({
    walled,
    main: countIn('sluice.db'),
    canary: readFileSync(join(folder, 'sluice.db')).includes(Buffer.from(txid('1'))),
  }).toEqual({ walled: 0, main: 0, canary: true });
});

test('a coin of ours is kept once, and what is learned of it stays until it is home', () => {
  const { folder, db, store } = openStore();
  const coin = {
    outpoint: { txid: txid('c'), vout: 3 },
    amount: sats(70_000),
    signer: asXOnly(new Uint8Array(32).fill(9)),
    exitDelay: 512,
  };
  store.ownCoins.keep(coin, 100);
  store.ownCoins.keep({ ...coin, amount: sats(1) }, 200);
  store.ownCoins.unrolled(coin.outpoint);
  store.ownCoins.mined(coin.outpoint, { mtp: unix(1_000), height: 7 });
  db.close();
  const again = openStore(folder).store.ownCoins;
  const coins = again.all();
  again.mined(coin.outpoint, { mtp: unix(2_000), height: 8 });
  const reorganised = again.all();
  again.forget(coin.outpoint);
  expect([coins, reorganised, again.all()]).toEqual([
    [{ ...coin, seenAt: 100, unrolled: true, mined: { mtp: 1_000, height: 7 } }],
    [{ ...coin, seenAt: 100, unrolled: true, mined: { mtp: 2_000, height: 8 } }],
    [],
  ]);
});

test('what is owed is read in the form that it was saved in, or told of and left', () => {
  const { store, db } = openStore();
  store.effects.insert('whole', { do: 'hold.settle', hash }, 0);
  const owe = db.prepare(`INSERT INTO effects (subject, leg, body, version, due) VALUES (?, 'lightning', ?, ?, 0)`);
  owe.run('a field less', '{"do":"hold.settle"}', 1);
  owe.run('a field more', encode({ do: 'hold.settle', hash, more: true }), 1);
  owe.run('another type', encode({ do: 'hold.settle', hash: 'text' }), 1);
  owe.run('a newer form', encode({ do: 'hold.settle', hash }), 2);
  owe.run('a newer kind', '{"do":"evm.lock"}', 1);
  owe.run('an older name', '{"do":"bitcoin.bump"}', 1);
  const unread: string[] = [];
  const read = store.effects.waiting((subject) => unread.push(subject));
  expect([read.map(({ subject, effect }) => [subject, effect]), unread]).toEqual([
    [['whole', { do: 'hold.settle', hash }]],
    ['a field less', 'a field more', 'another type', 'a newer form', 'a newer kind', 'an older name'],
  ]);
  expect(db.prepare(`SELECT count(*) FROM effects`).pluck().get()).toBe(7);
});

test('fault 266, store: what is promised to a network of a site counts for its other networks', () => {
  const { store } = openStore();
  const promise = (swap: string, client: string) => store.reservations.hold(swap, btc('arkade', 10n), client);
  promise('swap 1', '2001:db8:1:1::/64');
  promise('swap 2', '2001:db8:1:ffff::/64');
  promise('swap 3', '2001:db8:11:1::/64');
  promise('swap 4', '203.0.113.1');
  promise('swap 5', '203.0.113.11');
  const counts = ['2001:db8:1:2::/64', '2001:db8:11:9::/64', '203.0.113.1', '203.0.113.2'].map(
    (client) => store.reservations.ofClient(client).length,
  );
  expect(counts).toEqual([2, 1, 1, 0]);
});
