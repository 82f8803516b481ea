import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mnemonicToSeedSync } from '@scure/bip39';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { sealSeed } from '../../main/keyfile.ts';
import { seedPath, wordsOf } from '../../main/seed.ts';
import { onAnswer, text, whole, type Json } from '../stories/client/http.ts';
import { eventually, startWireNode, type WireNode } from '../stories/wire-node.ts';
import type { Client } from '../stories/client/client.ts';
import { canary, filesOf, formsOf, search, type Canary, type Sighting } from './needles.ts';

const passphrase = `kanarienvogel-${randomBytes(12).toString('hex')}`;
const entropy = randomBytes(16);
const paidFor = 'preimage of a payment that settles';

let home: string;
let folder: string;
let node: WireNode;
let client: Client;
/** What the test itself learnt or made, besides what follows from the seed. */
const canaries: Canary[] = [];
const answers = new Map<string, Buffer>();
const frames: Buffer[] = [];
const copies = new Map<string, Map<string, Buffer>>();

/** Replies whose very purpose is the secret: the sandbox plays everybody, and a new key is shown once. */
const meant = /^\/(sandbox\/lightning\/payments|owner\/developer-keys)/;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sluice-canary-'));
  folder = join(home, 'data');
  const passphraseFile = join(home, 'passphrase');
  writeFileSync(passphraseFile, `${passphrase}\n`, { mode: 0o600 });
  const { makeFolder } = await import('../../main/folder.ts');
  expect(makeFolder(folder)).toBeNull();
  await sealSeed(seedPath(folder), entropy, [{ way: 'passphrase', passphrase: Buffer.from(passphrase) }]);
  let count = 0;
  onAnswer(
    (path, answer) => void (meant.test(path) || answers.set(`reply ${++count} of ${path}`, Buffer.from(answer))),
  );
  node = await startWireNode({ folder, args: ['--passphrase-file', passphraseFile] });
  client = await node.client();
});

afterAll(async () => {
  await node.stop();
  rmSync(home, { recursive: true, force: true });
});

async function preimage(hash: string): Promise<Uint8Array> {
  return Buffer.from(text(await node.owner('GET', `/sandbox/lightning/payments/${hash}`), 'preimage'), 'hex');
}

/** The files as they are right now, write-ahead log included. */
function copy(when: string): void {
  const to = join(home, when);
  cpSync(folder, to, { recursive: true, filter: (path) => !path.endsWith('/sandbox') });
  copies.set(when, filesOf(to, ['sandbox']));
}

function listen(path: string, protocols: string[] = []): void {
  const socket = new WebSocket(`${node.url.replace('http', 'ws')}${path}`, protocols);
  socket.on('message', (data: Buffer) => frames.push(data));
  socket.on('error', () => undefined);
}

/** Both directions and what goes wrong with them, and every mistake that carries a secret in its request. */
async function live(): Promise<void> {
  listen('/owner/events', [node.token]);
  const secretOf = (swap: { secret: Uint8Array }, name: string) =>
    void canaries.push(canary(`secret of ${name}`, swap.secret));

  const happy = await client.lightningToArkade({ source: 30_000 });
  secretOf(happy, 'a swap that succeeds');
  await node.pay(happy.bolt11);
  await node.until(happy, 'serverfunded');
  copy('while a lock stands');
  await client.claim(happy);
  await node.until(happy, 'serverredeemed');

  const unclaimed = await client.lightningToArkade({ source: 30_000 });
  secretOf(unclaimed, 'a swap that nobody claims');
  await node.pay(unclaimed.bolt11);
  await node.until(unclaimed, 'serverfunded');

  const paid = await node.invoice(20_000);
  const paying = await client.arkadeToLightning(paid.bolt11);
  await node.faucet(paying.vhtlc.address, paying.price);
  await node.until(paying, 'serverredeemed');
  canaries.push(canary(paidFor, await preimage(paid.hash)));

  const failing = await client.arkadeToLightning((await node.invoice(20_000)).bolt11);
  await node.owner('POST', '/sandbox/lightning/fault', { next_payment: 'fails' });
  const coin = await node.faucet(failing.vhtlc.address, failing.price);
  await node.until(failing, 'serverwontfund');
  await node.owner('POST', '/sandbox/arkade/fault', { expire: coin });
  await client.delegateRefund(failing, await node.now());
  await node.until(failing, 'clientrefunded');

  const away = await client.lightningToArkade({ source: 30_000 });
  secretOf(away, 'a swap whose settlement waits');
  await node.pay(away.bolt11);
  await node.until(away, 'serverfunded');
  await node.owner('POST', '/sandbox/lightning/fault', { node: 'away' });
  await client.claim(away);
  await node.until(away, 'clientredeemed');
  copy('while a preimage waits to be used');
  await node.owner('POST', '/sandbox/lightning/fault', { node: 'back' });
  await node.until(away, 'serverredeemed');

  const { key } = await node.owner('POST', '/owner/developer-keys', { name: 'bakery', max_extra_fee_bps: 50 });
  canaries.push(canary('developer key', String(key)));
  await takeOne();

  const wrongSecret = randomBytes(32);
  canaries.push(canary('secret in a request that is refused', wrongSecret));
  const hex = wrongSecret.toString('hex');
  const settle = {
    intent_proof: 'cHNidP8BAAoCAAAAAAAAAAAAAA==',
    forfeit_psbts: [],
    intent_message: '{}',
    cosigner_pk: `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`,
    swap_id: happy.id,
  };
  await node.raw('POST', '/api/delegate/settle', { ...settle, preimage: hex });
  await node.raw('POST', '/api/delegate/settle', { ...settle, preimage: `${hex}00` });
  await node.raw('POST', '/api/delegate/settle', { ...settle, preimage: [hex] });
  await node.raw('POST', `/swap/${happy.id}/claim-gasless`, {
    secret: `${hex}ff`,
    destination: 'x',
    v: 27,
    r: hex,
    s: hex,
  });
  for (const { id } of [happy, unclaimed, paying, failing, away]) await node.owner('GET', `/owner/swaps/${id}`);
  for (const path of [
    '/owner/status',
    '/owner/settings',
    '/owner/balances',
    '/owner/ledger',
    '/owner/doctor',
    '/owner/logs?limit=1000',
    '/owner/logs?limit=1000&redacted=true',
    '/owner/swaps',
    '/owner/taker/swaps',
    '/sandbox',
  ])
    await node.owner('GET', path).catch(() => null);
  for (const [path, authorization] of [
    ['/owner/status', `Bearer ${node.token}x`],
    ['/owner/nothing', `Bearer ${node.token}`],
    [`/owner/status?token=${node.token}`, `Basic ${node.token}`],
  ] as const) {
    const reply = await fetch(node.url + path, { headers: { authorization } });
    answers.set(
      `reply to ${path.split('?')[0]} with ${authorization.slice(0, 6)}, ${reply.status}`,
      Buffer.from(await reply.text()),
    );
  }

  await node.restart('SIGKILL');
  copy('after it was killed');
  await node.advanceTo(whole(unclaimed.record, 'vhtlc_refund_locktime') + 60);
  await node.until(unclaimed, 'clientrefundedserverrefunded');
  copy('at the end');
}

/** A swap in which the node is the client of itself: its secret comes from the seed. */
async function takeOne(): Promise<void> {
  await eventually(
    async () => (await node.raw('GET', '/status')).body['healthy'],
    (healthy) => healthy === true,
  );
  const { id } = await node.owner('POST', '/owner/taker/swaps', { direction: 'lightning-arkade', amount_sats: 20_000 });
  const mine = async () =>
    ((await node.owner('GET', '/owner/taker/swaps'))['swaps'] as Json[]).find((swap) => swap['id'] === id) ?? {};
  const { pay } = await eventually(mine, (swap) => swap['pay'] !== null && swap['pay'] !== undefined);
  await node.pay((pay as { text: string }).text);
  await eventually(mine, (swap) => swap['outcome'] === 'finished');
}

function ofTheSeed(): Canary[] {
  const words = wordsOf(entropy);
  const seed = mnemonicToSeedSync(words);
  const keys = createKeys(seed, 'regtest');
  const { lnd } = JSON.parse(readFileSync(join(folder, 'sandbox', 'endpoints.json'), 'utf8')) as { lnd: Json };
  return [
    canary('seed words', words),
    canary('half of the seed words', words.split(' ').slice(0, 6).join(' ')),
    canary('entropy of the seed', entropy),
    canary('seed', seed),
    canary('passphrase', passphrase),
    canary('owner token', node.token),
    canary('owner token as bytes', Buffer.from(node.token, 'hex')),
    canary('macaroon', Buffer.from(String(lnd['macaroon']), 'hex')),
    ...Array.from({ length: 8 }, (_, index) => canary(`swap key ${index}`, keys.privateKey({ branch: 'swap', index }))),
    ...Array.from({ length: 4 }, (_, index) =>
      canary(`taker key ${index}`, keys.privateKey({ branch: 'taker', index })),
    ),
    ...Array.from({ length: 4 }, (_, index) => canary(`taker secret ${index}`, keys.takerSecret(index))),
    canary('key of the Arkade wallet', keys.privateKey({ branch: 'arkade-wallet' })),
    canary('key of the delegate', keys.privateKey({ branch: 'delegate' })),
    canary('sealing key of the store', keys.sealingKey('store')),
  ];
}

function everything(): Map<string, Buffer> {
  const places = new Map(answers);
  places.set('standard output', Buffer.from(node.out.join('\n')));
  places.set('standard error, the log', Buffer.from(node.log.join('\n')));
  places.set("frames of the owner's socket", Buffer.concat(frames));
  for (const [when, files] of copies) for (const [name, content] of files) places.set(`${name} ${when}`, content);
  return places;
}

/** The token lies in its own file, for its owner alone; nowhere else. */
function allowed({ canary: name, where }: Sighting): boolean {
  return name.startsWith('owner token') && where.startsWith('owner.token ');
}

/**
 * The operator shows everybody the claim that this preimage made, and so does the way out of the coin that the claim
 * made, once the node has saved it: there alone, and as the operator gave it.
 */
function isPublished({ canary: name, as, where }: Sighting): boolean {
  const [, when] = /^sluice\.db(?:-wal)? (after it was killed|at the end)$/.exec(where) ?? [];
  if (name !== paidFor || as !== 'bytes' || when === undefined) return false;
  const { bytes } = canaries.find((one) => one.name === paidFor)!;
  const db = new Database(join(home, when, 'sluice.db'));
  const ways = db.prepare<[], { bytes: Buffer }>('SELECT bytes FROM exit_transactions').all();
  db.close();
  return ways.some((way) => way.bytes.includes(Buffer.from(bytes)));
}

test('no secret is in a log line, a reply, a frame or a file, whatever happened', async () => {
  await live();
  const all = [...ofTheSeed(), ...canaries];
  const places = everything();
  const sightings = search(all, places);
  expect({
    // Sentences: a report that is shortened still names the leak.
    leaks: sightings
      .filter((one) => !allowed(one) && !isPublished(one))
      .map(({ canary: name, as, where }) => `${name} as ${as} in ${where}`),
    // The search sees what is there to be seen: the token in its file, as its text and as the hex of its bytes.
    token: sightings.filter(allowed).length,
    looked: [
      places.size > 100,
      places.get('sluice.db-wal while a preimage waits to be used')!.length > 10_000,
      node.log.length > 50,
      frames.length > 5,
    ],
    canaries: all.length > 30,
  }).toEqual({ leaks: [], token: 2 * copies.size, looked: [true, true, true, true], canaries: true });
}, 120_000);

test('the search finds a secret that was planted, in every form and every place', () => {
  const planted = canary('planted', randomBytes(32));
  const [plain, ...others] = formsOf(planted);
  const around = (form: Buffer, prefix: string): Buffer =>
    Buffer.concat([Buffer.from(prefix), form, Buffer.from('"}')]);
  const places = new Map(
    [...others, plain!].map(([as, form], i) => [`${as} ${i}`, around(form, '{"level":30,"x":"')] as const),
  );
  expect(new Set(search([planted], places).map(({ where }) => where))).toEqual(new Set(places.keys()));
  for (const prefix of ['', 'a', 'ab', 'abc']) {
    const inside = Buffer.from(
      Buffer.concat([Buffer.from(prefix), planted.bytes, Buffer.from('tail')]).toString('base64'),
    );
    expect(search([planted], new Map([['inside a longer base64 text', inside]]))).not.toEqual([]);
  }
  expect(search([planted], new Map([['nothing', randomBytes(5_000)]]))).toEqual([]);
});

test('the search would find a preimage that the node kept in clear', () => {
  const happy = canaries.find(({ name }) => name === 'secret of a swap that succeeds');
  const files = new Map(copies.get('at the end'));
  files.set('sluice.db', Buffer.concat([files.get('sluice.db')!, Buffer.from(happy!.bytes)]));
  files.set('log', Buffer.from(`{"msg":"swap moved","preimage":"${Buffer.from(happy!.bytes).toString('hex')}"}`));
  expect(
    search([happy!], files)
      .map(({ where }) => where)
      .toSorted(),
  ).toEqual(['log', 'sluice.db']);
});
