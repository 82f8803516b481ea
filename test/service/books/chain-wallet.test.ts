import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { btcOn, noSats, sats } from '../../../engine/domain/money.ts';
import { lightningFailure } from '../../../engine/legs/lightning/failures.ts';
import type { ChainTransaction, ChainWallet } from '../../../engine/legs/lightning/port.ts';
import { alertName } from '../../../engine/runtime/alert-names.ts';
import { inBooks, lookAtBooks, secondsUntilClosed, sumsOf } from '../../support/books.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const lightning = btcOn('lightning');
let scene: Scene;
let alerts: string[];
/** What lnd says of its wallet, and from which heights it was asked. */
let held: ChainWallet;
let froms: number[];
let height: number;
let synced: boolean;

beforeEach(async () => {
  scene = await openScene();
  alerts = [];
  froms = [];
  synced = true;
  scene.node.runtime.onAlert(({ sentence }) => alerts.push(sentence));
  height = scene.world.bitcoin.tip().height;
  held = { ours: sats(50_000), doubt: noSats, transactions: [tx('old', 1_000n, { height: height - 1 })] };
  standIn();
  await agree();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await scene.end();
});

/** Another lnd than the one before, that lists what the test says from the height that it is asked for. */
function standIn(): void {
  const port = scene.node.runtime.ports.lightning!;
  const info = port.info.bind(port);
  vi.spyOn(port, 'info').mockImplementation(async () => ({ ...(await info()), pubkey: 'another', synced }));
  vi.spyOn(port, 'chainWallet').mockImplementation(async (from) => {
    froms.push(from);
    return { ...held, transactions: held.transactions.filter((one) => one.height === null || one.height >= from) };
  });
}

function tx(txid: string, amount: bigint, more: Partial<ChainTransaction> = {}): ChainTransaction {
  return { txid, amount, fee: noSats, label: '', height: null, ...more };
}

/** The wallet after one more transaction. */
function happens(one: ChainTransaction): void {
  held = { ...held, ours: sats(held.ours + one.amount), transactions: [...held.transactions, one] };
}

/** A transaction that is listed, altered. */
function becomes(txid: string, change: Partial<ChainTransaction>): void {
  held = { ...held, transactions: held.transactions.map((one) => (one.txid === txid ? { ...one, ...change } : one)) };
}

function state() {
  return scene.node.books.states().find(({ account }) => account === 'chain-wallet')!;
}

const account = (name: Parameters<typeof inBooks>[2]): bigint => inBooks(scene.node, lightning, name) / 1_000n;

/** The books say what lnd says, nobody was alarmed, and its channels are as they were. */
async function agree(looks = 1): Promise<void> {
  await lookAtBooks(scene.node, looks);
  expect([state().unknown, state().verdict?.difference, alerts]).toEqual([null, 0n, []]);
  const waiting = held.transactions.filter((one) => one.height === null).reduce((sum, { amount }) => sum + amount, 0n);
  expect([account('chain-wallet') + waiting, account('wallet')]).toEqual([held.ours, 1_000_000_000n]);
  expect(sumsOf(scene.node).every((sum) => sum === 0n)).toBe(true);
}

/** Somebody pays the wallet of the sandbox's lnd, in a block. */
function come(amount: number): string {
  const { bitcoin, lightning: world } = scene.world;
  const coin = bitcoin.faucet(world.newAddress('p2tr'), sats(amount));
  bitcoin.mine(1);
  return coin?.txid ?? '';
}

function notes(): readonly string[] {
  return scene.node.store.ledger
    .lines({ from: 0, to: 2 ** 40, afterId: 0, limit: 1_000 })
    .flatMap(({ kind, note, ends, amount }) =>
      ends?.from === 'chain-wallet' || ends?.to === 'chain-wallet' ? [`${kind} ${amount / 1_000n} ${note}`] : [],
    );
}

describe('the wallet of lnd on the chain is what the books say', () => {
  test('they begin with what is there, and name what comes and goes', async () => {
    happens(tx('deposit', 20_000n, { height: height + 1 }));
    const opening = '0:openchannel:shortchanid-1';
    happens(tx('opening', -30_154n, { fee: sats(154), label: opening, height: height + 1 }));
    happens(tx('sweep', 9_000n, { label: '0:sweep', height: height + 2 }));
    happens(tx('sent', -2_200n, { fee: sats(200), label: 'external', height: height + 2 }));
    happens(tx('joined', -300n, { fee: sats(300), height: height + 2 }));
    await agree(4);
    expect(notes()).toEqual([
      'opening 0 null',
      'opening 50000 null',
      'deposit 20000 deposit',
      `elsewhere -30000 opening, ${opening}`,
      `miner-fee -154 opening, ${opening}`,
      'elsewhere 9000 sweep, 0:sweep',
      'elsewhere -2000 sent, external',
      'miner-fee -200 sent, external',
      'miner-fee -300 joined',
    ]);
    expect([account('owner'), account('elsewhere'), account('network-fees')]).toEqual([-20_000n, 23_000n, 654n]);
  });

  test('a channel that opens and closes comes back from elsewhere, and what is between is nobody’s', async () => {
    const port = scene.node.runtime.ports.lightning!;
    const read = port.holdings.bind(port);
    let more = { ours: 0n, channels: [] as string[] };
    vi.spyOn(port, 'holdings').mockImplementation(async () => {
      const now = await read();
      return { ...now, ours: now.ours + more.ours, channels: [...now.channels, ...more.channels] };
    });
    happens(tx('opening', -30_154n, { fee: sats(154), label: '0:openchannel', height: height + 1 }));
    more = { ours: 30_000_000n, channels: ['2'] };
    await lookAtBooks(scene.node, 4);
    expect([account('elsewhere'), account('wallet')]).toEqual([0n, 1_000_030_000n]);
    more = { ours: 0n, channels: [] };
    await agree(2);
    // Forced closed: in limbo until it is swept.
    expect(account('elsewhere')).toBe(30_000n);
    happens(tx('sweep', 29_500n, { label: '0:sweep', height: height + 2 }));
    await agree();
    expect(account('elsewhere')).toBe(500n);
  });

  test('what no block has is on its way, and booked once one has it', async () => {
    happens(tx('opening', -30_154n, { fee: sats(154), label: '0:openchannel' }));
    await agree(4);
    expect([state().verdict?.onItsWay, account('chain-wallet')]).toEqual([30_154_000n, 50_000n]);
    becomes('opening', { height: height + 1 });
    await agree(4);
    expect([state().verdict?.onItsWay, notes().length]).toEqual([0n, 4]);
  });

  test('a block that is taken back takes nothing from the books, until the transaction is replaced', async () => {
    happens(tx('deposit', 20_000n, { height: height + 1 }));
    await agree();
    becomes('deposit', { height: null });
    await lookAtBooks(scene.node, 4);
    expect([state().verdict?.difference, account('chain-wallet'), alerts]).toEqual([0n, 70_000n, []]);
    held = { ...held, ours: sats(50_000), transactions: held.transactions.filter(({ txid }) => txid !== 'deposit') };
    happens(tx('raised', 19_900n, { height: height + 2 }));
    await agree(4);
    expect(notes().slice(2)).toEqual([
      'deposit 20000 deposit',
      'deposit 19900 raised',
      'deposit -20000 deposit, taken back',
    ]);
    expect(account('owner')).toBe(-19_900n);
  });

  test('what it began with may be taken back too', async () => {
    held = { ...held, ours: sats(49_000), transactions: [] };
    await agree(4);
    expect([account('opening'), notes().slice(2)]).toEqual([-1_000_049_000n, ['opening -1000 old, taken back']]);
  });

  test('a restart books nothing twice, and so does an older copy of the database', async () => {
    vi.restoreAllMocks();
    await scene.end();
    scene = await openScene();
    const first = come(700);
    await lookAtBooks(scene.node, 1);
    scene.backUp();
    const second = come(600);
    await scene.restart();
    await lookAtBooks(scene.node, 4);
    const all = ['opening 0 null', `deposit 700 ${first}`, `deposit 600 ${second}`];
    const level = [null, 0n, 1_300_000n];
    expect([notes(), [state().unknown, state().verdict?.difference, state().verdict?.seen]]).toEqual([all, level]);
    await scene.restore();
    await lookAtBooks(scene.node, 4);
    expect([notes(), [state().unknown, state().verdict?.difference, state().verdict?.seen]]).toEqual([all, level]);
  });

  test('it is listed from where blocks may be taken back, and what is older is forgotten without a line', async () => {
    happens(tx('deposit', 20_000n, { height: height + 1 }));
    await agree();
    expect(new Set(froms)).toEqual(new Set([Math.max(0, height - 144)]));
    scene.world.bitcoin.mine(400);
    happens(tx('late', 5n, { height: height + 100 }));
    await agree(3);
    expect(froms.at(-1)).toBe(height + 400 - 144);
    const places = [...scene.node.store.bookCoins.all(lightning).keys()];
    expect([places, notes().length]).toEqual([['account'], 4]);
  });
});

describe('a difference of one unit', () => {
  test('that its transactions do not explain is found within a minute, and ends when it is written off', async () => {
    held = { ...held, ours: sats(held.ours - 1n) };
    expect(await secondsUntilClosed(scene.node, 'lightning')).toBeLessThan(60);
    expect([alerts.length, alertName(null, alerts[0] ?? '')]).toEqual([1, 'books-differ']);
    expect(alerts[0]).toContain('the account chain-wallet has 50000 sats, the network 49999 sats, which is 1 sat less');
    const { guard } = scene.node.runtime;
    expect([guard.closed('lightning'), guard.closed('arkade')]).toEqual([alerts[0], null]);
    const wrong = await scene.node.books.writeOff(lightning, 'of its channels');
    expect(isRefusal(wrong)).toBe(true);
    const written = await scene.node.books.writeOff(lightning, 'counted wrong', 'chain-wallet');
    expect(isRefusal(written) ? written : written.verdict?.difference).toBe(0n);
    expect([guard.closed('lightning'), account('write-offs')]).toEqual([null, 1n]);
    alerts = [];
    await agree(4);
  });

  test('one sat more is one too, and ends by itself', async () => {
    held = { ...held, ours: sats(held.ours + 1n) };
    await lookAtBooks(scene.node, 3);
    expect(scene.node.runtime.guard.closed('lightning')).toContain('which is 1 sat more');
    held = { ...held, ours: sats(held.ours - 1n) };
    alerts = [];
    await agree();
    expect(scene.node.runtime.guard.closed('lightning')).toBeNull();
  });

  test('which may be a coin that is leased and spent already leaves no verdict, and more than that is found', async () => {
    held = { ...held, ours: sats(held.ours + 600n), doubt: sats(600) };
    await lookAtBooks(scene.node, 4);
    expect([state().unknown, alerts]).toEqual(['a coin that is leased or spent twice may be spent already', []]);
    held = { ...held, ours: sats(held.ours + 1n) };
    await lookAtBooks(scene.node, 3);
    expect(alerts).toHaveLength(1);
    held = { ...held, ours: sats(held.ours - 601n), doubt: noSats };
    alerts = [];
    await agree();
  });
});

describe('beside the channels', () => {
  /** The channels have so much less than they had. */
  function channelsLack(msat: bigint): void {
    const port = scene.node.runtime.ports.lightning!;
    const read = port.holdings;
    vi.spyOn(port, 'holdings').mockImplementation(async () => {
      const now = await read();
      return { ...now, ours: now.ours - msat };
    });
  }

  /** The node dies, and what comes back can read nothing of the wallet on the chain. */
  async function restartsBlind(): Promise<void> {
    vi.restoreAllMocks();
    const refused = lightningFailure('lightning-unauthorized', 'never', 'The Lightning node refuses the macaroon.');
    await scene.restart({
      async beforeStart({ ports }) {
        const port = ports.lightning!;
        const info = port.info.bind(port);
        vi.spyOn(port, 'info').mockImplementation(async () => ({ ...(await info()), pubkey: 'another', synced }));
        vi.spyOn(port, 'chainWallet').mockRejectedValue(refused);
      },
    });
    await lookAtBooks(scene.node, 1);
    expect([state().unknown, state().verdict]).toEqual(['The Lightning node refuses the macaroon.', null]);
  }

  test('what these were closed for ends once they are level, whether or not this wallet can be read', async () => {
    channelsLack(1_000n);
    await lookAtBooks(scene.node, 3);
    expect(scene.node.runtime.guard.closed('lightning')).toContain('the account wallet has');
    await restartsBlind();
    expect(scene.node.runtime.guard.closed('lightning')).toBeNull();
  });

  test('what this wallet was closed for stays until it can be read', async () => {
    held = { ...held, ours: sats(held.ours - 1n) };
    await lookAtBooks(scene.node, 3);
    await restartsBlind();
    await lookAtBooks(scene.node, 3);
    expect(scene.node.runtime.guard.closed('lightning')).toContain('the account chain-wallet has');
    held = { ...held, ours: sats(held.ours + 1n) };
    vi.spyOn(scene.node.runtime.ports.lightning!, 'chainWallet').mockImplementation(async () => held);
    await lookAtBooks(scene.node, 1);
    expect(scene.node.runtime.guard.closed('lightning')).toBeNull();
  });

  test('a difference that comes back is a new one, also while these have one', async () => {
    channelsLack(1_000n);
    held = { ...held, ours: sats(held.ours - 1n) };
    await lookAtBooks(scene.node, 4);
    expect(alerts.length).toBe(2);
    held = { ...held, ours: sats(held.ours + 1n) };
    await lookAtBooks(scene.node, 1);
    expect(scene.node.runtime.guard.closed('lightning')).toContain('the account wallet has');
    held = { ...held, ours: sats(held.ours - 1n) };
    await lookAtBooks(scene.node, 3);
    expect(scene.node.runtime.guard.closed('lightning')).toBe(alerts[1]);
  });
});

describe('without a word of lnd', () => {
  test('there is no verdict, and swaps that its channels stopped go on once these are level', async () => {
    await scene.end();
    const refused = lightningFailure('lightning-unauthorized', 'never', 'The Lightning node refuses the macaroon.');
    scene = await openScene({
      async beforeStart({ ports }) {
        vi.spyOn(ports.lightning!, 'chainWallet').mockRejectedValue(refused);
      },
    });
    scene.node.runtime.onAlert(({ sentence }) => alerts.push(sentence));
    const port = scene.node.runtime.ports.lightning!;
    const read = port.holdings.bind(port);
    await lookAtBooks(scene.node, 1);
    const channels = vi.spyOn(port, 'holdings');
    channels.mockImplementation(async () => {
      const now = await read();
      return { ...now, ours: now.ours - 1_000n };
    });
    await lookAtBooks(scene.node, 3);
    expect([state().unknown, state().verdict, alerts.length]).toEqual([
      'The Lightning node refuses the macaroon.',
      null,
      1,
    ]);
    channels.mockImplementation(read);
    await lookAtBooks(scene.node, 1);
    expect(scene.node.runtime.guard.closed('lightning')).toBeNull();
  });

  test('that does not follow the chain there is none either: it may look through it anew', async () => {
    synced = false;
    held = { ...held, ours: noSats, transactions: [] };
    await lookAtBooks(scene.node, 4);
    expect([state().unknown, alerts]).toEqual(['the Lightning node does not follow the chain', []]);
    held = { ...held, ours: sats(50_000), transactions: [tx('old', 1_000n, { height: height - 1 })] };
    synced = true;
    await agree();
  });
});
