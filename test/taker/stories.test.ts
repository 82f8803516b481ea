import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HDKey } from '@scure/bip32';
import Database from 'better-sqlite3';
import { afterEach, expect, test } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { takerAccounts } from '../../engine/adapters/keys/taker-accounts.ts';
import { isRefusal, refuse } from '../../engine/domain/errors.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { createHighWater } from '../../engine/store/high-water.ts';
import type { ProviderPort } from '../../engine/taker/port.ts';
import type { TakeLightningArkadeTerms } from './taken.ts';
import { seedOf, startNodeOn } from '../support/node.ts';
import { everything, legOn, silence, silent, startPair, takerSeed, type Listed, type Pair } from './pair.ts';
import type { TakeArkadeLightningProgress, TakeLightningArkadeProgress } from './taken.ts';

let pair: Pair;
afterEach(() => pair.stop());

const hour = 3_600;
const amount = 50_000n;

function summary({ at, status, can_refund }: Listed): Pick<Listed, 'at' | 'status' | 'can_refund'> {
  return { at, status, can_refund };
}

function progressOf<P>(id: string): P {
  return pair.taker.runtime.workingSet.find(id)?.row.progress as P;
}

function dealOf(id: string) {
  const progress = progressOf<TakeArkadeLightningProgress | TakeLightningArkadeProgress>(id);
  if (!('deal' in progress)) throw new Error(`the swap is ${progress.at}`);
  return progress.deal;
}

function arkadeOf(id: string) {
  return legOn(dealOf(id), 'arkade');
}

const secret = createKeys(seedOf(takerSeed), 'regtest').takerSecret(0);

async function fund(id: string, change = 0n): Promise<void> {
  const { address, amount_sats } = await pair.listed(id);
  pair.world.faucet(address ?? '', BigInt(amount_sats) + change);
}

/** Ways in which bytes could lie around in clear. */
function showing(bytes: Uint8Array): string[] {
  return [Buffer.from(bytes).toString('latin1'), toHex(bytes), Buffer.from(bytes).toString('base64')];
}

test('from Lightning: the coins arrive, the payment settles, and the secret lies nowhere in clear', async () => {
  pair = await startPair();
  const id = await pair.fromLightning(amount);
  const waiting = await pair.listed(id);
  expect([summary(waiting), waiting.provider_swap_id !== null, waiting.amount_sats]).toEqual([
    { at: 'waiting', status: 'pending', can_refund: false },
    true,
    50_000,
  ]);
  pair.world.pay(waiting.invoice ?? '');
  await pair.taker.until(id, 'claimed');
  await pair.provider.until(waiting.provider_swap_id ?? '', 'claimed');
  expect([summary(await pair.listed(id)), await pair.balance(), pair.world.paid(sha256Of(secret))]).toEqual([
    { at: 'claimed', status: 'serverredeemed', can_refund: false },
    BigInt(waiting.receive_sats),
    'settled',
  ]);
  const places = [
    readFileSync(pair.taker.databaseFile, 'latin1'),
    readFileSync(`${pair.taker.databaseFile}-wal`, 'latin1'),
    pair.taker.logged.join('\n'),
    JSON.stringify(await pair.taker.taker.swaps(everything)),
  ];
  expect(places.flatMap((place) => showing(secret).map((text) => place.includes(text)))).toEqual(
    places.flatMap(() => [false, false, false]),
  );
});

test('from Arkade: the address is funded, the invoice paid, and the preimage kept as proof', async () => {
  pair = await startPair();
  const { bolt11, hash } = pair.world.invoice(amount);
  const id = await pair.toLightning(bolt11, amount);
  await fund(id);
  await pair.taker.until(id, 'done');
  const proof = pair.taker.store.preimages.find(arkadeOf(id).vhtlc.hash);
  expect([summary(await pair.listed(id)), proof === null ? null : sha256Of(proof)]).toEqual([
    { at: 'done', status: 'serverredeemed', can_refund: false },
    hash,
  ]);
});

test('a node that swaps with itself claims its own lock and takes its own coins', async () => {
  pair = await startPair();
  const own = pair.provider;
  const created = await own.taker.create({
    direction: 'lightning-arkade',
    amount: sats(amount),
    invoice: null,
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  const { swaps } = (await own.taker.swaps(everything)) as { swaps: TakerSwap[] };
  pair.world.pay(swaps[0]?.pay?.text ?? '');
  await own.until(created.id, 'claimed');
  await own.until(swaps[0]?.provider_swap_id ?? '', 'claimed');
});

test('the provider never locks: the secret stays here, and the payment goes back to its payer', async () => {
  pair = await startPair();
  const id = await pair.fromLightning(amount);
  const { invoice } = await pair.listed(id);
  await pair.provider.kill();
  pair.world.pay(invoice ?? '');
  await pair.world.advance(13 * hour);
  await pair.world.mine(6);
  await pair.taker.until(id, 'lapsed');
  await pair.restartProvider();
  await expect.poll(() => pair.world.paid(sha256Of(secret)), { timeout: 60_000 }).toBe('failed');
  expect([summary(await pair.listed(id)), await pair.balance(), (await pair.listed(id)).reason]).toEqual([
    { at: 'lapsed', status: 'expired', can_refund: false },
    0n,
    'never-locked',
  ]);
});

test('fault 8: a VHTLC that is one satoshi short is never claimed', async () => {
  pair = await startPair();
  const id = await pair.fromLightning(amount);
  const { address, receive_sats } = await pair.listed(id);
  pair.world.faucet(address ?? '', BigInt(receive_sats) - 1n);
  await expect
    .poll(() => progressOf<{ target?: { unsafe?: string } }>(id).target?.unsafe, { timeout: 60_000 })
    .toContain('were agreed');
  expect([summary(await pair.listed(id)), pair.taker.store.transactions.of(id)]).toEqual([
    { at: 'waiting', status: 'pending', can_refund: false },
    [],
  ]);
});

test('fault 7: what strangers send to a VHTLC of ours neither stops the claim nor makes it early', async () => {
  pair = await startPair();
  const id = await pair.fromLightning(amount);
  const { address, invoice, receive_sats, provider_swap_id } = await pair.listed(id);
  pair.world.faucet(address ?? '', 1_000n);
  // Two halves are not the coin that was agreed: the secret stays here.
  pair.world.faucet(address ?? '', BigInt(receive_sats) / 2n);
  pair.world.faucet(address ?? '', BigInt(receive_sats) / 2n + 1n);
  await expect
    .poll(() => progressOf<{ target?: { unsafe?: string } }>(id).target?.unsafe, { timeout: 60_000 })
    .toContain('were agreed');
  pair.world.pay(invoice ?? '');
  await pair.taker.until(id, 'claimed');
  await pair.provider.until(provider_swap_id ?? '', 'claimed');
  expect(await pair.balance()).toBe(BigInt(receive_sats));
});

test('fault 41: a VHTLC whose coin has expired is not claimed, although its amount is right', async () => {
  pair = await startPair();
  const id = await pair.fromLightning(amount);
  const deal = dealOf(id);
  await pair.provider.kill();
  // Seen for the first time when it has expired already.
  const { address } = await pair.listed(id);
  await pair.taker.kill();
  pair.world.expire(pair.world.faucet(address ?? '', deal.target.amount));
  await pair.restartTaker();
  await expect
    .poll(() => progressOf<{ target?: { unsafe?: string } }>(id).target?.unsafe, { timeout: 60_000 })
    .toContain('past its expiry');
  expect(pair.taker.store.transactions.of(id)).toEqual([]);
});

/** A claim is signed and saved, and the node dies before it is sent. */
async function diesBeforeClaiming(): Promise<string> {
  const id = await pair.fromLightning(amount);
  const { invoice } = await pair.listed(id);
  let dying = false;
  await pair.restartTaker({
    onBoundary: (what, moment) => {
      if (what !== 'commit' || moment !== 'after' || dying) return;
      // Once a note says that the secret may have left, it counts as shown.
      if (pair.taker.store.transactions.of(id).length === 0) return;
      dying = true;
      void pair.taker.kill();
    },
  });
  pair.world.pay(invoice ?? '');
  await expect.poll(() => dying, { timeout: 60_000 }).toBe(true);
  await pair.provider.kill();
  return id;
}

async function claimNotSent(id: string): Promise<unknown> {
  await pair.restartTaker();
  await pair.taker.until(id, 'waiting');
  const coins = await pair.taker.ports.arkade?.coins([arkadeOf(id).script]);
  return [coins?.map(({ spent }) => spent), pair.taker.store.transactions.of(id).map(({ state }) => state)];
}

test('fault 17: a claim that was signed and then slept past its time is not sent', async () => {
  pair = await startPair();
  const id = await diesBeforeClaiming();
  await pair.world.advance(arkadeOf(id).vhtlc.refundLocktime - pair.world.now() - 60);
  expect(await claimNotSent(id)).toEqual([[false], ['dead']]);
});

test('fault 41: a claim that was signed for a coin that has expired since is not sent', async () => {
  pair = await startPair();
  const id = await diesBeforeClaiming();
  const progress = progressOf<TakeLightningArkadeProgress>(id);
  if (progress.at !== 'claiming') throw new Error(`the swap is ${progress.at}`);
  pair.world.expire(progress.target.coin);
  expect(await claimNotSent(id)).toEqual([[false], ['dead']]);
});

test('the payment fails: the provider signs the refund, and every coin comes back', async () => {
  pair = await startPair();
  const { bolt11, hash } = pair.world.invoice(amount, { hold: true });
  const id = await pair.toLightning(bolt11, amount);
  await fund(id);
  const { provider_swap_id, amount_sats } = await pair.listed(id);
  await pair.provider.until(provider_swap_id ?? '', 'paying');
  pair.world.lightning.release(toHex(hash), 'fails');
  await pair.taker.until(id, 'done');
  expect([summary(await pair.listed(id)), await pair.balance()]).toEqual([
    { at: 'done', status: 'clientrefunded', can_refund: false },
    BigInt(amount_sats),
  ]);
});

test('fault 8: an address funded one satoshi short gives everything back', async () => {
  pair = await startPair();
  const id = await pair.toLightning(pair.world.invoice(amount).bolt11, amount);
  await fund(id, -1n);
  await pair.taker.until(id, 'done');
  expect([summary(await pair.listed(id)), await pair.balance()]).toEqual([
    { at: 'done', status: 'clientrefunded', can_refund: false },
    BigInt((await pair.listed(id)).amount_sats) - 1n,
  ]);
});

test('fault 6: of an address funded twice one coin pays the invoice and the other comes back', async () => {
  pair = await startPair();
  const { bolt11, hash } = pair.world.invoice(amount, { hold: true });
  const id = await pair.toLightning(bolt11, amount);
  await fund(id);
  const { provider_swap_id, amount_sats } = await pair.listed(id);
  await pair.provider.until(provider_swap_id ?? '', 'paying');
  await fund(id);
  pair.world.lightning.release(toHex(hash), 'settles');
  await pair.taker.until(id, 'done');
  expect([summary(await pair.listed(id)), await pair.balance()]).toEqual([
    { at: 'done', status: 'serverredeemed', can_refund: false },
    BigInt(amount_sats),
  ]);
});

test('an invoice that a swap gave coins for is not paid for by another one, at no provider', async () => {
  pair = await startPair();
  let creates = 0;
  const { bolt11, hash } = pair.world.invoice(amount, { hold: true });
  const again = () =>
    pair.taker.taker.create({
      direction: 'arkade-lightning',
      amount: sats(amount),
      invoice: bolt11,
      provider: 'https://swaps.example',
    });
  const id = await pair.toLightning(bolt11, amount);
  pair.tampered.create = async () => {
    creates += 1;
    return { is: 'refused', sentence: 'closed today' };
  };
  const beforeCoins = await again();
  await fund(id);
  await pair.taker.until(id, 'funded');
  const meanwhile = await again();
  await pair.provider.until((await pair.listed(id)).provider_swap_id ?? '', 'paying');
  pair.world.lightning.release(toHex(hash), 'settles');
  await pair.taker.until(id, 'done');
  const spokenFor = {
    refusal: 'forbidden',
    sentence: expect.stringContaining(`Your swap ${id} pays this invoice already`),
  };
  expect([beforeCoins, meanwhile, await again(), creates]).toEqual([
    { refusal: 'forbidden', sentence: 'closed today' },
    spokenFor,
    spokenFor,
    1,
  ]);
});

test('fault 40: a provider that answers 403 to the refund is waited out until the locktime', async () => {
  pair = await startPair();
  pair.tampered.cosign = async () => refuse('forbidden', 'Refund not allowed in current swap state.');
  const id = await pair.toLightning(pair.world.invoice(amount).bolt11, amount);
  await fund(id, -1n);
  await expect
    .poll(async () => (await pair.listed(id)).detail, { timeout: 60_000 })
    .toContain('Refund not allowed in current swap state');
  expect([summary(await pair.listed(id)), await pair.balance()]).toEqual([
    { at: 'funded', status: 'clientinvalidfunded', can_refund: true },
    0n,
  ]);
  await pair.world.advance(arkadeOf(id).vhtlc.refundLocktime - pair.world.now() + 2 * hour);
  await pair.world.mine(12);
  await pair.taker.until(id, 'done');
  expect(await pair.balance()).toBe(BigInt((await pair.listed(id)).amount_sats) - 1n);
});

test('fault 37: a provider that is gone for good costs nothing but the time until the locktime', async () => {
  pair = await startPair();
  const id = await pair.toLightning(pair.world.invoice(amount).bolt11, amount);
  await pair.provider.kill();
  Object.assign(pair.tampered, silent);
  await fund(id);
  await pair.taker.until(id, 'funded');
  expect(await pair.taker.taker.refund(id)).toEqual({ at: 'asking' });
  await pair.world.advance(arkadeOf(id).vhtlc.refundLocktime - pair.world.now() - hour);
  expect([pair.taker.at(id), await pair.balance()]).toEqual(['asking', 0n]);
  await pair.world.advance(3 * hour);
  await pair.world.mine(12);
  await pair.taker.until(id, 'done');
  expect([summary(await pair.listed(id)), await pair.balance()]).toEqual([
    { at: 'done', status: 'clientrefunded', can_refund: false },
    BigInt((await pair.listed(id)).amount_sats),
  ]);
});

test('a provider that leaves a checkpoint unsigned cannot strand the coin', async () => {
  pair = await startPair();
  const honest = pair.provider.asProvider('');
  pair.tampered.cosign = async (swapId, own) => {
    const signed = await honest.cosign(swapId, own);
    if (isRefusal(signed)) return signed;
    return { arkTx: signed.arkTx, checkpoints: own.checkpoints };
  };
  const id = await pair.toLightning(pair.world.invoice(amount).bolt11, amount);
  await fund(id, -1n);
  await expect
    .poll(async () => (await pair.listed(id)).detail, { timeout: 60_000 })
    .toContain('lacks a valid signature');
  expect(pair.taker.store.transactions.of(id)).toEqual([]);
  delete pair.tampered.cosign;
  await pair.world.advance(120);
  await pair.taker.until(id, 'done');
  expect(await pair.balance()).toBe(BigInt((await pair.listed(id)).amount_sats) - 1n);
});

test('fault 2: the answer to a create is lost, and the same swap is found again instead of a second one', async () => {
  pair = await startPair();
  let lost = 0;
  pair.tampered.create = async (order) => {
    const created = await pair.provider.asProvider('').create(order);
    if (lost++ > 0) return created;
    return silence();
  };
  const id = await pair.fromLightning(amount);
  await pair.taker.until(id, 'waiting');
  expect([
    (await pair.listed(id)).provider_swap_id,
    pair.provider.store.swaps.page({ machine: 'lightning-arkade', limit: 10 }).length,
  ]).toEqual([pair.provider.store.swaps.page({ machine: 'lightning-arkade', limit: 10 })[0]?.id, 1]);
});

test('a provider that lies about its price is refused in words before anybody is shown where to pay', async () => {
  pair = await startPair();
  pair.tampered.create = async (order) => {
    const created = await pair.provider.asProvider('').create(order);
    if (created.is !== 'created') return created;
    const record = created.record as Record<string, unknown>;
    return { is: 'created', record: { ...record, target_amount: '1000', fee_sats: 49_000 } };
  };
  const created = await pair.taker.taker.create({
    direction: 'lightning-arkade',
    amount: sats(amount),
    invoice: null,
    provider: '',
  });
  const all = await pair.taker.taker.swaps(everything);
  expect([created, isRefusal(all) ? [] : all.swaps.map(({ at, pay, reason }) => ({ at, pay, reason }))]).toEqual([
    refuse('forbidden', expect.stringContaining('pays out 1000 sats') as never),
    [{ at: 'refused', pay: null, reason: 'record-wrong' }],
  ]);
});

/** The taker's seed in an empty folder, with the settings of a provider that it never named before. */
async function reborn(
  provider: (xpub: string, url: string) => ProviderPort,
): Promise<{ indices: number[]; refused: string | null }> {
  const empty = mkdtempSync(join(tmpdir(), 'sluice-taker-seed-'));
  const config = { taker: { providers: ['https://swaps.example'] } };
  const node = await startNodeOn(pair.world, empty, {
    seed: takerSeed,
    without: ['lightning'],
    coins: { count: 0, sats: 0n },
    provider,
    config,
    wordsFromElsewhere: true,
  });
  const created = await node.taker.create({
    direction: 'lightning-arkade',
    amount: sats(amount),
    invoice: null,
    provider: '',
  });
  const indices = node.store.swaps
    .page({ machine: 'take-lightning-arkade', limit: 10 })
    .map(({ id }) => (node.store.swaps.byId(id)?.terms as TakeLightningArkadeTerms).keyIndex);
  await node.stop();
  rmSync(empty, { recursive: true, force: true });
  return { indices, refused: isRefusal(created) ? created.sentence : null };
}

const elsewhere = 'https://swaps.example';

/** Providers as they are, and one of the settings that answers a recovery like this. */
const answering = (recover: ProviderPort['recover']) => (xpub: string, url: string) => ({
  ...pair.provider.asProvider(xpub),
  ...(url === elsewhere ? { recover } : {}),
});

test('fault 71: words from elsewhere leave out ten thousand keys past what is proven, each time', async () => {
  pair = await startPair();
  await pair.fromLightning(amount);
  await pair.fromLightning(amount);
  const first = await reborn((xpub) => pair.provider.asProvider(xpub));
  const second = await reborn((xpub) => pair.provider.asProvider(xpub));
  expect([first, second]).toEqual([
    { indices: [20_000], refused: null },
    { indices: [30_000], refused: null },
  ]);
});

test.each([
  { name: 'knows nothing of them', recover: async () => ({ swaps: [], scannedUntil: 119, complete: true }) },
  { name: 'answers no such question', recover: async () => null },
])(
  'fault 71: words from elsewhere begin at no key that may be used, also where every provider $name',
  async ({ recover }) => {
    pair = await startPair();
    await pair.fromLightning(amount);
    const forgetful = (xpub: string) => ({ ...pair.provider.asProvider(xpub), recover });
    expect(await reborn(forgetful)).toEqual({ indices: [10_000], refused: null });
  },
);

test('fault 71: words from elsewhere start nothing while one provider is silent', async () => {
  pair = await startPair();
  expect(await reborn(answering(silence))).toEqual({
    indices: [],
    refused: expect.stringContaining(`${elsewhere} does not answer`),
  });
});

test('fault 71: a copy of a database without its marks leaves out ten thousand keys past its own', async () => {
  pair = await startPair();
  await pair.fromLightning(amount);
  await pair.fromLightning(amount);
  await pair.taker.kill();
  rmSync(join(pair.taker.nextFolder, 'taker-high-water'));
  await pair.restartTaker();
  const next = await pair.fromLightning(amount);
  expect((pair.taker.store.swaps.byId(next)?.terms as TakeLightningArkadeTerms).keyIndex).toBe(20_000);
});

test('fault 73: nothing but a hardened key of ours proves that an index was used', async () => {
  pair = await startPair();
  await pair.fromLightning(amount);
  const keys = createKeys(seedOf(takerSeed), 'regtest');
  const page = await pair.provider.asProvider(keys.userXpub).recover(0);
  const [given] = page?.swaps ?? [];
  const account = `0x${toHex(takerAccounts(keys).accountOf({ scheme: 'wallet', index: 0 }))}`;
  const lies = [{}, null, 7, { index: 20_148 }].concat(
    [20_148, 2 ** 31 - 1, 2 ** 53].flatMap((index) => [
      // All that a provider can derive by itself.
      { ...(given as object), index, user_id: toHex(keys.userId(20_148)), receiver_pk: toHex(keys.userId(20_148)) },
      { direction: 'evm_to_lightning', index, client_evm_address: account },
    ]) as never[],
  );
  const liar = answering(async (start) => ({
    swaps: start === 0 ? lies : [],
    scannedUntil: start === 0 ? 2 ** 31 - 2 : start,
    complete: start > 0,
  }));
  const forgetful = (xpub: string, url: string) => ({
    ...liar(xpub, url),
    ...(url === elsewhere ? {} : { recover: async () => null }),
  });
  expect(await reborn(forgetful)).toEqual({ indices: [10_000], refused: null });
});

test('fault 73: a search for own swaps takes no index for which its record shows no key of ours', async () => {
  pair = await startPair();
  await pair.fromLightning(amount);
  const [given] =
    (await pair.provider.asProvider(createKeys(seedOf(takerSeed), 'regtest').userXpub).recover(0))?.swaps ?? [];
  pair.tampered.recover = async (start) => ({
    swaps: start === 0 ? [{ ...(given as object), index: 148, receiver_pk: '02'.repeat(33) }, { index: 199 }] : [],
    scannedUntil: 199,
    complete: true,
  });
  pair.taker.taker.restore({ provider: null });
  await expect.poll(() => pair.taker.taker.restored().state, { timeout: 60_000 }).toBe('done');
  const next = await pair.fromLightning(amount);
  expect((pair.taker.store.swaps.byId(next)?.terms as TakeLightningArkadeTerms).keyIndex).toBe(1);
});

test('a swap that was begun with another user id keeps it, and its coins are claimed all the same', async () => {
  pair = await startPair();
  const id = await pair.fromLightning(amount);
  await pair.taker.kill();
  const db = new Database(pair.taker.databaseFile.replace('life-1', 'life-2'));
  const account = HDKey.fromMasterSeed(seedOf(takerSeed)).derive("m/9419'/121923'/0'");
  const before = toHex(account.deriveChild(0).publicKey as Uint8Array);
  const now = toHex(createKeys(seedOf(takerSeed), 'regtest').userId(0));
  const { changes } = db.prepare('UPDATE swaps SET terms = replace(terms, ?, ?)').run(now, before);
  db.close();
  await pair.restartTaker();
  pair.world.pay((await pair.listed(id)).invoice ?? '');
  await pair.taker.until(id, 'claimed');
  const terms = pair.taker.runtime.workingSet.find(id)?.row.terms as TakeLightningArkadeTerms;
  expect([changes, now === before, terms.userId]).toEqual([1, false, before]);
});

test('fault 5: a database from an older backup does not use a secret a second time', async () => {
  pair = await startPair();
  await pair.fromLightning(amount);
  const marks = pair.taker.databaseFile.replace('sluice.db', 'taker-high-water');
  expect(Number(readFileSync(marks, 'utf8'))).toBe(1);
  writeFileSync(marks, '7\n');
  const again = createHighWater(dirname(marks), 'taker-high-water', 1);
  expect([again.floor(), pair.taker.store.counters.take('taker', again.floor())]).toEqual([7, 7]);
});

test('fault 72: a provider that knows a key beyond ours pauses the node, and no such key is used', async () => {
  pair = await startPair({ config: { taker: { providers: [elsewhere] } } });
  await pair.fromLightning(amount);
  await pair.taker.kill();
  const rolledBack = readFileSync(join(pair.taker.nextFolder, 'sluice.db'));
  const log = readFileSync(join(pair.taker.nextFolder, 'sluice.db-wal'));
  await pair.restartTaker();
  const level = pair.taker.runtime.guard.paused();
  await pair.fromLightning(amount);
  await pair.taker.kill();
  // The whole folder, with the mark that lies in it.
  writeFileSync(join(pair.taker.nextFolder, 'sluice.db'), rolledBack);
  writeFileSync(join(pair.taker.nextFolder, 'sluice.db-wal'), log);
  writeFileSync(join(pair.taker.nextFolder, 'taker-high-water'), '1\n');
  await pair.restartTaker();
  await expect(pair.fromLightning(amount)).rejects.toThrow('The swap was not started: A provider knows a key');
  expect([level, pair.taker.runtime.guard.paused()?.reason]).toEqual([
    null,
    expect.stringContaining(`${elsewhere} knows key 1, and this folder has come to 1`),
  ]);
  await pair.taker.service.owner.resume();
  const next = await pair.fromLightning(amount);
  expect((pair.taker.store.swaps.byId(next)?.terms as TakeLightningArkadeTerms).keyIndex).toBe(20_000);
});

test('a provider that is silent at a start holds no swap back where the marks agree', async () => {
  pair = await startPair({ config: { taker: { providers: [elsewhere] } } });
  await pair.fromLightning(amount);
  pair.tampered.recover = silence;
  await pair.restartTaker();
  await pair.fromLightning(amount);
  expect(pair.taker.runtime.guard.paused()).toBeNull();
});
