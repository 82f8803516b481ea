import Database from 'better-sqlite3';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  closeChannel,
  createChainAddress,
  getChainBalance,
  getChainTransactions,
  getChannelBalance,
  getChannels,
  getForwards,
  getWalletInfo,
  openChannel,
  sendToChainAddress,
  updateRoutingFees,
} from 'ln-service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unitsText } from '../../engine/service/owner/units-text.ts';
import type { Json } from '../stories/client/http.ts';
import { eventually, startWireNode, type WireNode } from '../stories/wire-node.ts';
import { guard, until } from './kit/daemon.ts';
import { lightningWallet } from './kit/lightning-wallet.ts';
import type { Lnd } from './kit/lnd.ts';
import { type Net, startNet } from './kit/net.ts';
import { nodeFiles } from './kit/node-files.ts';
import { onDaemons } from './kit/on-daemons.ts';
import { keyHashTwin, witnessScriptTwin } from './kit/twins.ts';

/** Whatever lnd moves for others, the books say the same within a minute. */
const minuteMs = 60_000;
/** Longer than a difference has to stand until it is one. */
const fourLooksMs = 33_000;
/** Two blocks more than a delayed output waits. */
const csv = 20;

onDaemons('the books of an lnd that routes for others', () => {
  let net: Net;
  let node: WireNode;
  let database: string;
  /** What was in the channels when the books began, in msat. */
  let begun = 0n;

  beforeAll(async () => {
    net = await startNet({
      lnds: ['payer', 'ours', 'payee'],
      flags: { payee: [`--bitcoin.defaultremotedelay=${csv - 2}`] },
    });
    await updateRoutingFees({ lnd: net.lnd('ours').lnd, base_fee_mtokens: '1000', fee_rate: 7, cltv_delta: 80 });
    const { socket, certFile, macaroonFile } = net.lnd('ours');
    const { config, passphraseFile, folder } = await nodeFiles(net.folder, net.node, {
      lnd: { socket, certFile, macaroonFile },
    });
    database = join(folder, 'sluice.db');
    const args = ['--passphrase-file', passphraseFile];
    node = await startWireNode({ mode: ['--config', config], args, folder, onStart: guard });
    await eventually(wallet, ({ difference }) => difference === '0', minuteMs);
    begun = await balance('wallet');
    await agree(0n);
    await chainAgrees();
  });
  afterAll(async () => {
    await node?.stop();
    await net?.stop();
  });

  /** The books say what lnd has, without a difference, and that so many msat of it came from others. */
  async function agree(others: bigint): Promise<void> {
    await eventually(moved, (now) => now === others, minuteMs);
    const held = unitsText({ asset: 'btc', amount: await ownMsat(net.lnd('ours')) });
    const same = { books: held, seen: held, difference: '0', alarm: false };
    const isSame = (one: Json) => Object.entries(same).every(([name, value]) => one[name] === value);
    await eventually(wallet, isSame, minuteMs);
  }

  async function wallet(name = 'wallet'): Promise<Json> {
    const { wallets } = await node.owner('GET', '/owner/accounts');
    return (wallets as Json[]).find(({ network, account }) => network === 'lightning' && account === name) ?? {};
  }

  async function balance(name: string): Promise<bigint> {
    const { accounts } = await node.owner('GET', '/owner/accounts');
    const of = (accounts as Json[]).find(({ network, account }) => network === 'lightning' && account === name);
    return msat(String(of?.['balance'] ?? '0'));
  }

  /** No swap moves the channels here. */
  async function moved(): Promise<bigint> {
    return (await balance('wallet')) - begun;
  }

  /** What the books say of lnd's wallet on the chain is what lnd says, with nothing on its way. */
  async function chainAgrees(): Promise<void> {
    const { lnd } = net.lnd('ours');
    await eventually(
      async () => ({ row: await wallet('chain-wallet'), ours: (await getChainBalance({ lnd })).chain_balance }),
      ({ row, ours }) =>
        [row['books'], row['seen']].every((sats) => sats === String(ours)) &&
        [row['unknown'], row['on_its_way'], row['difference'], row['alarm']].join() === ',0,0,false',
      minuteMs,
    );
    const all = await Promise.all(
      ['wallet', 'chain-wallet', 'elsewhere', 'opening', 'owner', 'network-fees', 'routing', 'clearing'].map(balance),
    );
    expect(all.reduce((sum, one) => sum + one, 0n)).toBe(0n);
  }

  /** Nobody was alarmed by it over so many looks. */
  async function staysCalm(): Promise<void> {
    for (const until = performance.now() + fourLooksMs; performance.now() < until; await pause(1_000))
      expect(await wallet('chain-wallet')).toMatchObject({ alarm: false });
  }

  test('the fee of a forwarded payment, to the millisatoshi', async () => {
    const before = await moved();
    const [payer, payee] = [lightningWallet(net.lnd('payer')), lightningWallet(net.lnd('payee'))];
    const { bolt11, hash } = await payee.invoice(333_337);
    payer.pay(bolt11);
    await eventually(
      () => payee.invoiceState(hash),
      (state) => state === 'settled',
    );
    const { forwards } = await until('lnd lists what it forwarded', async () => {
      const list = await getForwards({ lnd: net.lnd('ours').lnd });
      return list.forwards.length === 1 ? list : null;
    });
    expect(forwards[0]?.fee_mtokens).toBe('3333');
    await agree(before + 3_333n);
  });

  test('a channel that is opened, and one that both close', async () => {
    const [ours, payer] = [net.lnd('ours'), net.lnd('payer')];
    const before = await ownMsat(ours);
    const others = await moved();
    // Without a share of the partner its anchor is left out, and counts as fee to lnd.
    const shares = { local_tokens: 1_100_000, give_tokens: 100_000 };
    const opening = await openChannel({ lnd: ours.lnd, partner_public_key: payer.publicKey, ...shares });
    // lnd counts the coin that is leased for it, and spent already.
    await staysCalm();
    expect(await wallet('chain-wallet')).toMatchObject({
      unknown: 'a coin that is leased or spent twice may be spent already',
    });
    await net.mine(6);
    await until('the new channel is there', async () => (await channelsOf(ours)).length === 3 || null);
    const opened = (await ownMsat(ours)) - before;
    expect(opened).toBe(999_340_000n);
    await agree(others + opened);
    await chainAgrees();
    const { fee = 0 } = await listed(opening.transaction_id);
    expect(await booked(opening.transaction_id)).toEqual([
      ['elsewhere', -1_100_000],
      ['miner-fee', -fee],
    ]);
    const [first] = (await channelsOf(ours)).filter(({ partner_public_key: of }) => of === payer.publicKey);
    const closing = await closeChannel({ lnd: ours.lnd, id: first?.id ?? '' });
    await net.mine(6);
    await until('the channel is gone', async () => (await channelsOf(ours)).length === 2 || null);
    await agree(others + (await ownMsat(ours)) - before);
    await chainAgrees();
    const { tokens } = await listed(closing.transaction_id);
    expect(await booked(closing.transaction_id)).toEqual([['elsewhere', tokens]]);
  });

  test('coins that its owner puts there', async () => {
    const { address: to } = await createChainAddress({ lnd: net.lnd('ours').lnd, format: 'p2wpkh' });
    const { txid } = await net.faucet.pay([{ to, amount: 70_001n }]);
    await eventually(
      () => wallet('chain-wallet'),
      ({ on_its_way: onItsWay }) => onItsWay === '-70001',
      minuteMs,
    );
    await net.mine(1);
    await chainAgrees();
    expect([await booked(txid), await balance('owner')]).toEqual([[['deposit', 70_001]], -70_001_000n]);
  });

  test('coins of its keys in forms that its balance does not count, and what spends them', async () => {
    const { lnd } = net.lnd('ours');
    const addressOf = async (format: 'p2wpkh' | 'p2tr') => (await createChainAddress({ lnd, format })).address;
    const ours = (await getChainBalance({ lnd })).chain_balance;
    const segwit = await addressOf('p2wpkh');
    const first = await net.faucet.pay([
      { to: segwit, amount: 330n },
      { to: keyHashTwin(segwit), amount: BigInt(ours) },
    ]);
    expect(await mined(first.txid)).toEqual([ours + 330, [['deposit', 330]]]);
    // More than it counts, and more than it does not: lnd takes both.
    const to = (await createChainAddress({ lnd: net.lnd('payer').lnd, format: 'p2tr' })).address;
    const sent = await sendToChainAddress({ lnd, address: to, tokens: Math.floor(ours * 1.5) });
    const [spent] = await mined(sent.id);
    expect(spent).toBeGreaterThan(ours);
    const taproot = await addressOf('p2tr');
    // lnd takes it for a coin like the others, and can spend it in no transaction.
    const second = await net.faucet.pay([
      { to: taproot, amount: 331n },
      { to: witnessScriptTwin(taproot), amount: 330n },
    ]);
    expect(await mined(second.txid)).toEqual([661, [['deposit', 331]]]);
    await staysCalm();
  });

  test('a channel that is forced closed with a payment in it, which its payee claims on the chain', async () => {
    const [ours, payee] = [net.lnd('ours'), net.lnd('payee')];
    const wallets = [lightningWallet(ours), lightningWallet(payee)] as const;
    const { bolt11, hash, secret } = await wallets[1].invoice(50_001, 'held');
    wallets[0].pay(bolt11);
    await eventually(
      () => wallets[1].invoiceState(hash),
      (state) => state === 'held',
    );
    const before = await ownMsat(ours);
    const others = await moved();
    const [channel] = (await channelsOf(ours)).filter(({ partner_public_key: of }) => of === payee.publicKey);
    await closeChannel({ lnd: ours.lnd, id: channel?.id ?? '', is_force_close: true });
    await net.mine(1);
    const loss = (await ownMsat(ours)) - before;
    expect(loss).toBeLessThan(-9_000_000_000n);
    await agree(others + loss);
    await wallets[1].settle(secret);
    await until(
      'the claim of the payee shows the secret',
      async () => {
        await net.mine(1);
        return (await wallets[0].payment(hash)) === 'settled' || null;
      },
      { limitMs: 30_000, stepMs: 500 },
    );
    await net.mine(csv);
    // Once it is listed it left by a payment too, and was gone with its channel before.
    await eventually(
      () => lines(hash),
      (count) => count === 1,
      minuteMs,
    );
    await agree(others + loss);
    await net.mine(csv);
    await chainAgrees();
    const { transactions } = await getChainTransactions({ lnd: ours.lnd });
    const swept = transactions.filter(({ description = '' }) => description.startsWith('0:sweep'));
    expect(swept.some(({ tokens }) => tokens > 9_000_000)).toBe(true);
    for (const { id } of swept) expect((await booked(id)).length).toBe(1);
  });

  /** A transaction of lnd's wallet, by lnd's word. */
  async function listed(txid: string) {
    const { transactions } = await getChainTransactions({ lnd: net.lnd('ours').lnd });
    const row = transactions.find(({ id }) => id === txid);
    if (row === undefined) throw new Error(`lnd does not list ${txid}`);
    return row;
  }

  /** Lines of the books that name a transaction, in sats. */
  async function booked(txid: string): Promise<[kind: string, sats: number][]> {
    const db = new Database(database, { readonly: true });
    const rows = db.prepare(`SELECT kind, amount FROM ledger WHERE note LIKE ? ORDER BY id`).all(`${txid}%`);
    db.close();
    return (rows as { kind: string; amount: string }[]).map(({ kind, amount }) => [kind, Number(amount) / 1_000]);
  }

  /** Once it is in a block: what lnd says that it brought, and what the books do. */
  async function mined(txid: string): Promise<[listed: number, booked: Awaited<ReturnType<typeof booked>>]> {
    await net.mine(1);
    const lines = await eventually(
      () => booked(txid),
      ({ length }) => length > 0,
      minuteMs,
    );
    await chainAgrees();
    return [(await listed(txid)).tokens, lines];
  }

  /** Lines of the books that name a payment. */
  async function lines(hash: string): Promise<number> {
    const db = new Database(database, { readonly: true });
    const rows = db.prepare('SELECT id FROM ledger WHERE note = ?').all(`payment ${hash}`);
    db.close();
    return rows.length;
  }

  test('a difference of one millisatoshi in the books is named, and alarms', async () => {
    node.booksDiffer('an account was altered by hand');
    const db = new Database(database);
    const row = db.prepare(`SELECT balance FROM accounts WHERE network = 'lightning' AND account = 'wallet'`);
    const { balance } = row.get() as { balance: string };
    const write = db.prepare(`UPDATE accounts SET balance = ? WHERE network = 'lightning' AND account = 'wallet'`);
    write.run(String(BigInt(balance) + 1n));
    db.close();
    const { difference } = await eventually(wallet, ({ alarm }) => alarm === true, minuteMs).then(() => wallet());
    expect(difference).toBe('-0.001');
  });
});

/** By the lists of lnd alone: whoever opened a channel pays for its commitment, and what is offered is not gone yet. */
async function ownMsat({ lnd }: Lnd): Promise<bigint> {
  return until('no fee of a commitment moves', async () => {
    const balance = await getChannelBalance({ lnd });
    const { channels } = await getChannels({ lnd });
    const again = await getChannelBalance({ lnd });
    if (balance.channel_balance_mtokens !== again.channel_balance_mtokens) return null;
    const outgoing = channels.flatMap((one) => one.pending_payments.filter(({ is_outgoing: out }) => out));
    const fees = channels
      .filter((one) => one.is_partner_initiated === false)
      .reduce((sum, one) => sum + BigInt(one.commit_transaction_fee), 0n);
    const offered = outgoing.reduce((sum, { tokens }) => sum + BigInt(tokens), 0n);
    return BigInt(balance.channel_balance_mtokens ?? 0) + (fees + offered) * 1_000n;
  });
}

async function channelsOf({ lnd }: Lnd) {
  await getWalletInfo({ lnd });
  return (await getChannels({ lnd })).channels;
}

function msat(text: string): bigint {
  const [whole = '0', rest = ''] = text.replace('-', '').split('.');
  const amount = BigInt(whole) * 1_000n + BigInt(rest.padEnd(3, '0'));
  return text.startsWith('-') ? -amount : amount;
}
