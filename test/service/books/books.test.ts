import Database from 'better-sqlite3';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { accountPlan } from '../../../engine/domain/accounts.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { btcOn } from '../../../engine/domain/money.ts';
import { alertName } from '../../../engine/runtime/alert-names.ts';
import { deposit, withdraw } from '../../support/bitcoin-wallet.ts';
import { inBooks, lookAtBooks, onItsWay, onNetworks, sumsOf, walletsInBooks } from '../../support/books.ts';
import { lockLightningArkade, payArkadeLightning } from '../../support/openings.ts';
import { eventually, openScene, type Scene } from '../../support/scene.ts';

const arkade = btcOn('arkade');
const bitcoin = btcOn('bitcoin');
let scene: Scene;
afterEach(() => scene.end());

/** The books, the networks, and whether anybody was alarmed. */
async function agree(): Promise<void> {
  await lookAtBooks(scene.node);
  const wallets = walletsInBooks(scene.node);
  for (const [name, held] of await onNetworks(scene.node))
    expect([name, (wallets.get(name) ?? 0n) - onItsWay(scene.node, name)]).toEqual([name, held]);
  expect(sumsOf(scene.node).every((sum) => sum === 0n)).toBe(true);
  const states = scene.node.books.states().filter(({ unknown }) => unknown === null);
  expect(states.every(({ verdict, alarm }) => verdict?.difference === 0n && !alarm)).toBe(true);
}

describe('the wallets are what the books say', () => {
  test('what lay there opens them, what the owner puts in and takes out is the owner’s', async () => {
    scene = await openScene({ bitcoinWallet: true });
    await agree();
    expect(inBooks(scene.node, arkade, 'opening')).toBe(-40_000_000_000n);
    scene.world.faucet((await scene.node.ports.arkade!.address()).address, 7_000n);
    await deposit(scene, 100_000, 50_000);
    await agree();
    expect([inBooks(scene.node, arkade, 'owner'), inBooks(scene.node, bitcoin, 'owner')]).toEqual([
      -7_000_000n,
      -150_000_000n,
    ]);
    const { id } = await withdraw(scene, 60_000);
    await agree();
    await scene.world.mine(1);
    await agree();
    await scene.world.mine(6);
    await scene.node.until(id, 'sent');
    await agree();
    // What arrived, once the fee is booked as such.
    expect(inBooks(scene.node, bitcoin, 'owner')).toBe(60_000_000n - 150_000_000n);
    expect(inBooks(scene.node, bitcoin, 'network-fees')).toBeGreaterThan(0n);
  });

  test('from Lightning to Arkade the lock is out, and what it is owed stands in clearing', async () => {
    scene = await openScene();
    await agree();
    const { record, secret } = await lockLightningArkade(scene);
    await agree();
    const target = BigInt(record.target_amount) * 1_000n;
    expect(inBooks(scene.node, arkade, 'clearing')).toBe(target);
    await scene.client.claim(record, secret);
    await scene.node.until(record.id, 'claimed');
    await agree();
    expect(inBooks(scene.node, arkade, 'clearing')).toBe(target);
  });

  test('a lock that comes back leaves nothing in clearing', async () => {
    scene = await openScene();
    await agree();
    const { record } = await lockLightningArkade(scene);
    await agree();
    await scene.world.advance(3 * 86_400);
    await scene.node.until(record.id, 'refunded');
    await agree();
    expect(inBooks(scene.node, arkade, 'clearing')).toBe(0n);
  });

  test('from Arkade to Lightning the claim comes in, and what it earned leaves clearing', async () => {
    scene = await openScene();
    await agree();
    const { record, release } = await payArkadeLightning(scene);
    release('settles');
    await scene.node.until(record.id, 'claimed');
    await agree();
    const earned = inBooks(scene.node, arkade, 'fees-earned') + inBooks(scene.node, arkade, 'network-fees-charged');
    expect(inBooks(scene.node, arkade, 'clearing')).toBe(-BigInt(record.source_amount) * 1_000n - earned);
  });

  test('from Bitcoin to Arkade nothing is left over both networks, to the unit', async () => {
    scene = await openScene({ bitcoinWallet: true, pollMs: 25 });
    await agree();
    const secret = scene.client.secret();
    const record = await scene.client.createBitcoinArkade(scene.node, 100_000n, secret);
    scene.client.payBitcoin(record);
    await scene.world.mine(1);
    await eventually(() => scene.node.status(record.id) === 'serverfunded', 'the VHTLC is locked');
    await agree();
    const coin = await scene.client.claim(record, secret);
    expect(coin).not.toBe('');
    await eventually(() => scene.node.status(record.id) === 'clientredeemed', 'the secret is seen');
    await eventually(() => scene.world.bitcoin.mempool().length > 0, 'our claim is sent');
    await scene.world.mine(1);
    await agree();
    await scene.world.mine(6);
    await eventually(() => scene.node.at(record.id) === 'claimed', 'our claim is buried');
    await agree();
    expect(inBooks(scene.node, arkade, 'clearing') + inBooks(scene.node, bitcoin, 'clearing')).toBe(0n);
    expect(inBooks(scene.node, arkade, 'clearing')).toBe(100_000_000n);
  });

  test('over a restart they go on where they were, and deposits of meanwhile are seen', async () => {
    scene = await openScene({ bitcoinWallet: true });
    await agree();
    const { address } = await scene.node.ports.arkade!.address();
    await scene.restart();
    scene.world.faucet(address, 9_000n);
    await agree();
    expect(inBooks(scene.node, arkade, 'owner')).toBe(-9_000_000n);
  });
});

test('a database that was restored begins anew with what lies there, and misses nothing', async () => {
  scene = await openScene({ bitcoinWallet: true });
  await deposit(scene, 100_000);
  await agree();
  scene.backUp();
  await lockLightningArkade(scene);
  await withdraw(scene, 30_000);
  await eventually(() => scene.world.bitcoin.mempool().length > 0, 'it is sent');
  await scene.world.mine(1);
  await scene.restore();
  await lookAtBooks(scene.node, 4);
  await agree();
  expect([scene.node.runtime.guard.closed('arkade'), scene.node.runtime.guard.closed('bitcoin')]).toEqual([null, null]);
  expect(inBooks(scene.node, arkade, 'opening')).toBeGreaterThan(-40_000_000_000n);
});

test('so does one of which an earlier build noted that, before wallets had names', async () => {
  scene = await openScene({ bitcoinWallet: true });
  await deposit(scene, 100_000);
  await agree();
  scene.node.store.settings.put('books-anew', ['bitcoin btc', 'arkade btc']);
  const port = scene.node.runtime.ports.arkade!;
  const read = port.walletCoins.bind(port);
  vi.spyOn(port, 'walletCoins').mockImplementation(async () => (await read()).slice(1));
  vi.spyOn(port, 'coinsAt').mockResolvedValue([]);
  await lookAtBooks(scene.node, 4);
  expect([scene.node.runtime.guard.closed('arkade'), scene.node.store.settings.get('books-anew')]).toEqual([null, []]);
  vi.restoreAllMocks();
});

describe('a difference of one unit', () => {
  const alerts: string[] = [];

  async function planted(plant: () => void | Promise<void>, options: Parameters<typeof openScene>[0] = {}) {
    scene = await openScene({ bitcoinWallet: true, ...options });
    alerts.length = 0;
    scene.node.runtime.onAlert(({ sentence }) => alerts.push(sentence));
    await deposit(scene, 100_000);
    await agree();
    await plant();
    await lookAtBooks(scene.node, 2);
    expect(alerts).toEqual([]);
    await lookAtBooks(scene.node, 2);
  }

  /** A unit more than its lines come to. */
  function plantIn(network: string, account: string): void {
    alter(`INSERT INTO accounts (network, asset, account, balance) VALUES ('${network}', 'btc', '${account}', '1')
      ON CONFLICT DO UPDATE SET balance = CAST(balance AS INTEGER) + 1`);
  }

  function alter(sql: string): void {
    const db = new Database(scene.node.databaseFile);
    db.prepare(sql).run();
    db.close();
  }

  test.each(Object.keys(accountPlan))(
    'in the account %s stops new swaps over its network, and is named',
    async (name) => {
      scene = await openScene({ bitcoinWallet: true });
      alerts.length = 0;
      scene.node.runtime.onAlert(({ sentence }) => alerts.push(sentence));
      await agree();
      scene.booksDiffer('an account was altered by hand');
      plantIn('arkade', name);
      await lookAtBooks(scene.node);
      expect(alerts).toEqual([
        `The books of arkade do not agree with themselves: the account ${name} has 0.001 sats more than its lines come ` +
          'to. New swaps over arkade wait, the open ones go on: find out what altered the database, or write the ' +
          'difference off.',
      ]);
      const { guard } = scene.node.runtime;
      expect([guard.closed('arkade'), guard.closed('bitcoin')]).toEqual([alerts[0], null]);
      expect(alerts.map((sentence) => alertName(null, sentence))).toEqual(['books-differ']);
    },
  );

  test('in a line, whose accounts do not follow it, is found too', async () => {
    await planted(() => undefined);
    scene.booksDiffer('a line was added by hand');
    alter(`INSERT INTO ledger (subject, time, kind, network, asset, amount, source, target)
      VALUES ('x', 1, 'moved', 'bitcoin', 'btc', '1', 'clearing', 'wallet')`);
    await lookAtBooks(scene.node, 1);
    expect(scene.node.runtime.guard.closed('bitcoin')).toContain('the account wallet has 0.001 sats less');
  });

  test('in a coin that the operator lists is found, and gone when the operator says what it said before', async () => {
    await planted(() => {
      const port = scene.node.runtime.ports.arkade!;
      const read = port.walletCoins.bind(port);
      vi.spyOn(port, 'walletCoins').mockImplementation(async () =>
        (await read()).map((coin, i) =>
          i === 0 ? { ...coin, amount: (coin.amount - 1n) as typeof coin.amount } : coin,
        ),
      );
    });
    expect(alerts).toEqual([
      'The books and arkade do not agree: the account wallet has 40000000 sats, the network 39999999 sats, which is ' +
        '1 sat less. New swaps over arkade wait, the open ones go on: find the cause, or write the ' +
        'difference off.',
    ]);
    expect(alerts.map((sentence) => alertName(null, sentence))).toEqual(['books-differ']);
    const { guard } = scene.node.runtime;
    expect([guard.closed('arkade') !== null, guard.closed('bitcoin')]).toEqual([true, null]);
    const create = scene.client.createLightningArkade(scene.node, 100_000n, scene.client.secret());
    await expect(create).rejects.toThrow('its wallets are being checked');
    vi.restoreAllMocks();
    await lookAtBooks(scene.node, 1);
    expect(guard.closed('arkade')).toBeNull();
  });

  test('in an account goes on over a restart, and its lines say what is right when it is written off', async () => {
    await planted(() => undefined);
    plantIn('bitcoin', 'wallet');
    await lookAtBooks(scene.node);
    await scene.restart();
    expect(scene.node.runtime.guard.closed('bitcoin')).toContain('the account wallet has 0.001 sats more');
    await lookAtBooks(scene.node);
    const state = await scene.node.books.writeOff(bitcoin, 'counted wrong');
    expect(isRefusal(state) ? state : state.verdict?.difference).toBe(0n);
    expect(scene.node.runtime.guard.closed('bitcoin')).toBeNull();
    expect([inBooks(scene.node, bitcoin), inBooks(scene.node, bitcoin, 'write-offs')]).toEqual([100_000_000n, 0n]);
    expect(scene.node.store.ledger.linesOf('books').map(({ note }) => note)).toEqual(['wallet: counted wrong']);
  });

  test('that stood before another account was altered is what its network waits for once that is mended', async () => {
    await planted(async () => {
      await withdraw(scene, 30_000);
      await eventually(() => scene.world.bitcoin.mempool().length > 0, 'it is sent');
      for (const table of ['reserved_coins', 'makers', 'transactions']) alter(`DELETE FROM ${table}`);
      await scene.world.mine(1);
    });
    const { guard } = scene.node.runtime;
    const before = guard.closed('bitcoin');
    expect(before).toMatch(/bitcoin do not agree: the account wallet/);
    plantIn('bitcoin', 'gas');
    await lookAtBooks(scene.node);
    expect(guard.closed('bitcoin')).toMatch(/do not agree with themselves: the account gas/);
    alter("UPDATE accounts SET balance = '0' WHERE account = 'gas'");
    await lookAtBooks(scene.node);
    expect([guard.closed('bitcoin'), alerts.length]).toEqual([before, 2]);
    expect(isRefusal(await scene.node.books.writeOff(bitcoin, 'it was me'))).toBe(false);
    expect(guard.closed('bitcoin')).toBeNull();
  });

  test('coins that a second node with the same words spends are missed', async () => {
    await planted(async () => {
      await withdraw(scene, 30_000);
      await eventually(() => scene.world.bitcoin.mempool().length > 0, 'it is sent');
      alter('DELETE FROM reserved_coins');
      alter('DELETE FROM makers');
      alter('DELETE FROM transactions');
      await scene.world.mine(1);
    });
    expect(alerts).toHaveLength(1);
    expect(alerts[0]).toMatch(/bitcoin do not agree.* 30\d\d\d sats less/);
    expect(isRefusal(await scene.node.books.writeOff(bitcoin, 'it was me'))).toBe(false);
    await agree();
  });

  test('that does not stand for three looks, or that nobody can tell, alarms nobody', async () => {
    await planted(async () => {
      const port = scene.node.runtime.ports.arkade!;
      vi.spyOn(port, 'walletCoins').mockResolvedValue([]);
      vi.spyOn(port, 'coinsAt').mockResolvedValue([]);
      await lookAtBooks(scene.node, 2);
      vi.restoreAllMocks();
    });
    expect([alerts, scene.node.runtime.guard.closed('arkade')]).toEqual([[], null]);
    expect(isRefusal(await scene.node.books.writeOff(arkade, 'nothing'))).toBe(true);
  });
});
