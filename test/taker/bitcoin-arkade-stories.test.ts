import { locktimeOf } from '../../engine/legs/onchain/locktime.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import type { PaidLeg } from '../../engine/taker/halves/bitcoin/fund/terms.ts';
import type { ArkadeLeg, Deal } from '../../engine/taker/terms.ts';
import { silent, startPair, type Pair } from './pair.ts';
import type { TakeBitcoinArkadeProgress } from './taken.ts';

let pair: Pair;
let id: string;
const hour = 3_600;
const receive = 50_000n;

async function begin(config: Record<string, unknown> = {}): Promise<void> {
  pair = await startPair({ config, provider: { bitcoinWallet: true }, taker: { bitcoinWallet: true } });
  id = await pair.fromBitcoin(receive);
}

beforeEach(() => begin());
afterEach(() => pair?.stop());

function progress(): TakeBitcoinArkadeProgress {
  return pair.taker.runtime.workingSet.find(id)?.row.progress as TakeBitcoinArkadeProgress;
}

function deal(): Deal<PaidLeg, ArkadeLeg> {
  const now = progress();
  if (!('deal' in now)) throw new Error(`the swap is ${now.at}`);
  return now.deal;
}

/** Waits in the mempool. */
function pay(change = 0n): Outpoint {
  const { script, amount } = deal().source;
  const coin = pair.world.bitcoin.faucet(script, sats(amount + change));
  if (coin === null) throw new Error('the faucet is empty');
  return coin;
}

async function paid(change = 0n): Promise<Outpoint> {
  const coin = pay(change);
  await pair.world.mine(1);
  return coin;
}

/** What lies in the taker's Bitcoin wallet, in blocks. */
async function bitcoins(): Promise<bigint> {
  return (await pair.taker.runtime.ports.bitcoinWallet?.balance([]))?.available ?? 0n;
}

function spender(coin: Outpoint): string | undefined {
  return pair.world.bitcoin.spend(coin)?.txid;
}

async function eventually(reached: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await expect.poll(reached, { timeout: 60_000, message: what }).toBe(true);
}

async function unlock(): Promise<void> {
  await pair.world.advance(locktimeOf(deal().source.htlc) - pair.world.now() + 2 * hour);
  await pair.world.mine(12);
}

async function minedUntil(...states: string[]): Promise<void> {
  await eventually(async () => {
    if (states.includes(pair.taker.at(id))) return true;
    await pair.world.mine(1);
    return false;
  }, states.join());
}

/** A look that says nothing new is not told again for 20 seconds, unless a block came. */
async function letGo(): Promise<void> {
  await eventually(async () => {
    await pair.world.mine(1);
    return pair.taker.runtime.workingSet.find(id)?.row.open === false;
  }, 'it is let go');
}

async function shown() {
  const swap = pair.taker.taker.swap(id);
  if (swap === null || isRefusal(swap)) throw new Error('the swap is not shown');
  const { phase, outcome, attention, turn, refund } = swap;
  return { phase, outcome, attention, step: turn.step, refund: refund.state };
}

test.each(['p2wsh', 'p2tr'])(
  'the bitcoin is paid to an HTLC of %s, the coins arrive, the provider is paid',
  async (form) => {
    await pair.stop();
    await begin({ bitcoin: { htlcForm: form } });
    expect([await shown(), pair.taker.taker.swap(id)]).toMatchObject([
      { phase: 'pay', outcome: null, attention: 'needs-you', step: 'pay', refund: 'none' },
      { pay: { kind: 'bitcoin', text: deal().source.address, amount: deal().source.amount.toString() } },
    ]);
    const coin = pay();
    await pair.taker.until(id, 'funded');
    expect(await shown()).toMatchObject({ phase: 'wait', step: 'confirm', refund: 'later' });
    await pair.world.mine(1);
    await pair.taker.until(id, 'claimed');
    await eventually(() => spender(coin) !== undefined, 'the provider claims the bitcoin');
    await pair.world.mine(6);
    await pair.provider.until(deal().swapId, 'claimed');
    await eventually(() => pair.taker.status(id) === 'serverredeemed', 'the claim is seen');
    expect([await pair.balance(), await bitcoins(), await shown()]).toEqual([
      receive,
      0n,
      { phase: 'over', outcome: 'finished', attention: 'none', step: 'finished', refund: 'none' },
    ]);
    expect(pair.taker.taker.swap(id)).toMatchObject({
      transactions: [
        { what: 'fund', network: 'bitcoin', txid: coin.txid, whose: 'you' },
        { what: 'lock', network: 'arkade', whose: 'provider' },
        { what: 'claim', network: 'arkade', whose: 'you' },
        { what: 'claim', network: 'bitcoin', txid: spender(coin), whose: 'provider' },
      ],
    });
    await unlock();
    await letGo();
  },
);

test('a provider that is gone for good costs nothing but the time until the locktime', async () => {
  await pair.provider.kill();
  Object.assign(pair.tampered, silent);
  const coin = await paid();
  await pair.taker.until(id, 'funded');
  const answer = await pair.taker.taker.refund(id);
  expect([isRefusal(answer), await shown()]).toEqual([
    true,
    { phase: 'wait', outcome: null, attention: 'waiting', step: 'lock', refund: 'later' },
  ]);
  await pair.world.advance(13 * hour);
  expect(pair.taker.at(id)).toBe('funded');
  await unlock();
  await minedUntil('done');
  const fee = deal().source.amount - (await bitcoins());
  expect([spender(coin) === undefined, fee > 0n && fee < 3_000n, await pair.balance(), await shown()]).toEqual([
    false,
    true,
    0n,
    { phase: 'over', outcome: 'returned', attention: 'none', step: 'returned', refund: 'done' },
  ]);
});

test.each([-1n, 5_000n])(
  'fault 8: a coin that is wrong by %d sats comes back, and so does the right one beside it',
  async (wrong) => {
    const coin = await paid(wrong);
    await eventually(() => pair.taker.status(id) === 'clientinvalidfunded', 'the provider says so');
    expect(await shown()).toMatchObject({ phase: 'refund', step: 'await-refund', refund: 'later' });
    const late = await paid();
    await unlock();
    await minedUntil('done');
    expect([spender(coin), spender(late)].includes(undefined)).toBe(false);
    expect((await bitcoins()) > 2n * deal().source.amount - 6_000n).toBe(true);
  },
);

test('fault 6: of an address paid twice one coin is the provider’s, and the other comes back', async () => {
  const coins = [await paid(), await paid()];
  await pair.taker.until(id, 'claimed');
  await eventually(() => coins.some((coin) => spender(coin) !== undefined), 'the provider claims one');
  await pair.world.mine(6);
  await pair.provider.until(deal().swapId, 'claimed');
  await eventually(() => pair.taker.status(id) === 'serverredeemed', 'the claim is seen');
  expect((await shown()).refund).toBe('later');
  await unlock();
  await minedUntil('refunding');
  await minedUntil('claimed');
  const back = await bitcoins();
  expect([
    await pair.balance(),
    coins.map(spender).includes(undefined),
    back > deal().source.amount - 3_000n && back < deal().source.amount,
  ]).toEqual([receive, false, true]);
});

test('the provider never claims: its coin is left to it, for nobody may have both legs', async () => {
  const coin = pay();
  await pair.taker.until(id, 'funded');
  // Waited for from before the block on: it dies before it can hear of the claim.
  const locked = pair.provider.until(deal().swapId, 'locked').then(() => pair.provider.kill());
  await pair.world.mine(1);
  await locked;
  Object.assign(pair.tampered, silent);
  await pair.taker.until(id, 'claimed');
  await unlock();
  await letGo();
  expect(progress().at).toBe('claimed');
  expect([spender(coin), await pair.balance(), await bitcoins()]).toEqual([undefined, receive, 0n]);
});

test('fault 8: a VHTLC that is one satoshi short is never claimed, and the bitcoin comes back', async () => {
  await pair.provider.kill();
  Object.assign(pair.tampered, silent);
  await paid();
  await pair.taker.until(id, 'funded');
  const { address, amount } = deal().target;
  pair.world.faucet(address, amount - 1n);
  await eventually(
    () => String((progress() as { target?: { unsafe?: string } }).target?.unsafe).includes('were agreed'),
    'it is judged',
  );
  expect([pair.taker.store.transactions.of(id), (await shown()).step]).toEqual([[], 'await-refund']);
  await unlock();
  await minedUntil('done');
  expect(await pair.balance()).toBe(0n);
});

test('a node that was restarted goes on with a claim and with a refund', async () => {
  const coin = await paid();
  await pair.taker.until(id, 'claiming', 'claimed');
  await pair.restartTaker();
  await pair.taker.until(id, 'claimed');
  const second = await paid();
  await eventually(async () => (await shown()).refund === 'later', 'it is seen');
  await unlock();
  await minedUntil('refunding');
  await pair.restartTaker();
  await minedUntil('claimed');
  expect([outpointKey(coin) === outpointKey(second), await pair.balance()]).toEqual([false, receive]);
  expect((await bitcoins()) > 0n).toBe(true);
});

test('what is paid after the end is looked for when its owner asks, and comes back', async () => {
  await unlock();
  await pair.taker.until(id, 'lapsed');
  const coin = await paid();
  expect(await pair.taker.taker.refund(id)).toEqual({ at: 'waiting' });
  await minedUntil('done');
  expect([spender(coin) === undefined, (await bitcoins()) > 0n]).toEqual([false, true]);
});

test('a node that swaps with itself pays itself, claims its own lock and takes its own coins', async () => {
  const own = pair.provider;
  const created = await own.taker.create({
    direction: 'bitcoin-arkade',
    amount: sats(receive),
    invoice: null,
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  const { deal: theirs } = own.runtime.workingSet.find(created.id)?.row.progress as unknown as {
    deal: Deal<PaidLeg, ArkadeLeg>;
  };
  pair.world.bitcoin.faucet(theirs.source.script, theirs.source.amount);
  await pair.world.mine(1);
  await own.until(created.id, 'claimed');
  await own.until(theirs.swapId, 'claiming');
  await eventually(async () => {
    await pair.world.mine(1);
    return own.at(theirs.swapId) === 'claimed';
  }, 'its own coins');
});
