import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ArkNote,
  type ExtendedCoin,
  EsploraProvider,
  InMemoryContractRepository,
  InMemoryWalletRepository,
  SingleKey,
  Transaction,
  Wallet,
} from '@arkade-os/sdk';
import { hex } from '@scure/base';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { sats } from '../../../engine/domain/money.ts';
import { arkProviderOf, indexerProviderOf } from '../../support/sandbox-ports/arkade-providers.ts';
import { serveArkadeAdmin } from '../../../engine/sandbox/wire/arkade/admin.ts';
import type { ArkadeServer } from '../../../engine/sandbox/wire/arkade/server.ts';
import type { Operator } from '../../../engine/sandbox/world/arkade/operator.ts';
import type { Journal } from '../../../engine/sandbox/world/journal.ts';
import {
  type TestClock,
  buildSpend,
  inputOf,
  keyOf,
  party,
  pay,
  refusalOf,
  send,
  signedCheckpoints,
  testOperator,
  walletScript,
} from './support.ts';

let operator: Operator;
let clock: TestClock;
let journal: Journal;
let server: ArkadeServer;
let wallet: Wallet | null;

beforeEach(async () => {
  ({ operator, clock, journal } = testOperator());
  server = await serveArkadeAdmin(operator, { port: 0 });
  wallet = null;
});
afterEach(async () => {
  await wallet?.dispose();
  operator.stop();
  await server.stop();
});

async function ask(path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(
    `${server.url}/v1/admin/${path}`,
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  return { status: response.status, ...((await response.json()) as object) };
}

class NoChain extends EsploraProvider {
  override async getCoins(): Promise<[]> {
    return [];
  }
}

function openWallet(): Promise<Wallet> {
  return Wallet.create({
    identity: SingleKey.fromRandomBytes(),
    arkProvider: arkProviderOf(operator),
    indexerProvider: indexerProviderOf(operator),
    onchainProvider: new NoChain('http://127.0.0.1:1', { forcePolling: true, pollingInterval: 3_600_000 }),
    storage: { walletRepository: new InMemoryWalletRepository(), contractRepository: new InMemoryContractRepository() },
    settlementConfig: false,
  });
}

async function noteOf(amount: number): Promise<ExtendedCoin> {
  const [text = ''] = (await ask('note', { amount, quantity: 1 })).notes as string[];
  return ArkNote.fromString(text) as ExtendedCoin;
}

test('a note is money to the unmodified SDK, once', async () => {
  wallet = await openWallet();
  const address = await wallet.getAddress();
  const note = await noteOf(50_000);
  const before = operator.indexer.coins({ outpoints: [`${note.txid}:0`] });
  await wallet.settle({ inputs: [note], outputs: [{ address, amount: 50_000n }] });
  const again = wallet.settle({ inputs: [note], outputs: [{ address, amount: 50_000n }] });
  await expect(again).rejects.toThrow(/VTXO_ALREADY_SPENT \(6\): input .* already spent/);
  expect([before, (await wallet.getBalance()).available]).toMatchObject([
    [{ amount: 50_000n, expiresAt: 0, commitmentTxids: [] }],
    50_000,
  ]);
});

test('a note with a guessed preimage, or for more than it is worth, is refused', async () => {
  wallet = await openWallet();
  const address = await wallet.getAddress();
  const real = await noteOf(50_000);
  const guess = ArkNote.fromString(new ArkNote(new Uint8Array(32).fill(1), 50_000).toString());
  const forged = Object.assign(guess, { txid: real.txid }) as ExtendedCoin;
  await expect(wallet.settle({ inputs: [forged], outputs: [{ address, amount: 50_000n }] })).rejects.toThrow(
    /\((5|23)\)/,
  );
  await expect(wallet.settle({ inputs: [real], outputs: [{ address, amount: 50_001n }] })).rejects.toThrow();
  expect(operator.indexer.coins({ outpoints: [`${real.txid}:0`] })).toMatchObject([{ spent: false }]);
});

test('an operator without a wallet is not ready until it has one that is unlocked', async () => {
  const info = () => refusalOf(() => operator.info());
  const coins = () => refusalOf(() => operator.indexer.coins({ scripts: ['51'] }));
  operator.admin.wallet.set({ initialized: false, unlocked: false, synced: false });
  const states = [info(), coins()];
  const { seed } = await ask('wallet/seed');
  await ask('wallet/create', { seed, password: 'one' });
  states.push(info());
  const wrong = await ask('wallet/unlock', { password: 'two' });
  await ask('wallet/unlock', { password: 'one' });
  const ready = await ask('wallet/status');
  const twice = await ask('wallet/create', { seed: generateMnemonic(wordlist), password: 'one' });
  operator.admin.wallet.set({ synced: false });
  states.push(info(), coins());
  expect({
    seen: states.map((each) => [each?.grpc, each?.message]),
    wrong: wrong.status,
    ready,
    twice: twice.message,
  }).toEqual({
    seen: [
      [14, 'server not ready'],
      [14, 'server not ready'],
      [14, 'server not ready'],
      [9, 'ark service not ready: wallet is locked or syncing'],
      [9, 'indexer service not ready: wallet is locked or syncing'],
    ],
    wrong: 500,
    ready: { status: 200, initialized: true, unlocked: true, synced: true },
    twice: 'rpc error: code = Unknown desc = wallet already initialized',
  });
});

test('a changed setting is enforced, shown, digested and kept', async () => {
  const before = operator.info();
  const change = await ask('settings', {
    settings: {
      unilateralExitDelay: '1024',
      publicUnilateralExitDelay: '1024',
      boardingExitDelay: '2048',
      vtxoMinAmount: '1000',
      sessionDuration: '12',
    },
  });
  const after = operator.info();
  const again = testOperator({ journal }).operator;
  expect({
    change,
    shown: after,
    digest: after.digest === before.digest,
    kept: again.admin.settings().sessionDuration,
  }).toMatchObject({
    change: {
      changeLog: [
        'session_duration',
        'vtxo_min_amount',
        'unilateral_exit_delay',
        'public_unilateral_exit_delay',
        'boarding_exit_delay',
      ],
    },
    shown: { unilateralExitDelay: '1024', boardingExitDelay: '2048', vtxoMinAmount: '1000', sessionDuration: '12' },
    digest: false,
    kept: '12',
  });
  again.stop();
});

test('an expired batch is swept by a valid transaction, and what was left in it is recoverable', async () => {
  wallet = await openWallet();
  const address = await wallet.getAddress();
  const commitment = await wallet.settle({ inputs: [await noteOf(30_000)], outputs: [{ address, amount: 30_000n }] });
  const swept: string[] = [];
  operator.transactions(({ kind, tx }) => void (kind === 'sweepTx' && swept.push(tx)));
  const scheduled = await ask('sweeps');
  const early = await ask('sweep', { commitmentTxids: [], withConnectors: false });
  clock.advance(604_673);
  const done = await ask('sweep', { commitmentTxids: [commitment], withConnectors: false });
  const sweep = Transaction.fromRaw(hex.decode(swept[0] ?? ''), {
    allowUnknownOutputs: true,
    allowUnknownInputs: true,
  });
  const [leaf] = operator.indexer.leaves(commitment);
  expect({
    scheduled,
    early: early.message,
    done,
    spends: hex.encode(sweep.getInput(0).txid ?? new Uint8Array()),
    sequence: sweep.getInput(0).sequence,
    listed: operator.indexer.sweepTxids(commitment),
    coin: operator.indexer.coins({ outpoints: [`${leaf?.txid}:0`] }),
    left: await ask('sweeps'),
  }).toMatchObject({
    scheduled: { sweeps: [{ outputs: [{ txid: commitment, vout: 0, amount: '0.00030000' }], confirmed: true }] },
    early: 'no funds to sweep',
    done: { status: 200, txid: sweep.id },
    spends: commitment,
    sequence: 0x0040_0000 | 1_181,
    listed: [sweep.id],
    coin: [{ swept: true, spent: false }],
    left: { sweeps: [] },
  });
});

test('a replaced signer signs until its cutoff, and the new one from at once', async () => {
  const alice = await party();
  const old = walletScript(operator, alice);
  const coins = [pay(operator, old, 5_000), pay(operator, old, 6_000)] as const;
  const oldKey = operator.info().signerPubkey;
  operator.rotateSigner(1_000);
  const fresh = walletScript(operator, alice);
  const to = [{ script: fresh.script.pkScript, amount: 5_000n }];
  const first = await buildSpend(operator, [inputOf(coins[0], old.leaves.refund)], to, [alice]);
  const reply = send(operator, first);
  operator.finalize(reply.arkTxid, await signedCheckpoints(reply.signedCheckpointTxs, [alice]));
  const moved = { txid: reply.arkTxid, vout: 0, value: 5_000, of: fresh };
  const second = await buildSpend(operator, [inputOf(moved, fresh.leaves.refund)], to, [alice]);
  send(operator, second);
  const restarted = testOperator({ journal }).operator;
  clock.advance(1_001);
  const late = await buildSpend(
    operator,
    [inputOf(coins[1], old.leaves.refund)],
    [{ script: fresh.script.pkScript, amount: 6_000n }],
    [alice],
  );
  expect([
    operator.info().deprecatedSigners,
    restarted.info().signerPubkey === operator.info().signerPubkey,
    operator.info().signerPubkey === oldKey,
    refusalOf(() => send(operator, late)),
  ]).toMatchObject([[{ pubkey: oldKey, cutoffDate: String(clock.now() - 1) }], true, false, { code: 10 }]);
  expect(operator.indexer.coins({ outpoints: [keyOf(coins[1])] })).toMatchObject([
    { spent: false, amount: sats(6_000) },
  ]);
  restarted.stop();
});

test('faults on request outlive the process, and befall one submission and one event', async () => {
  const alice = await party();
  const own = walletScript(operator, alice);
  const coin = pay(operator, own, 5_000);
  operator.faults.loseNextSubmit();
  operator.faults.dropNextEvent();
  operator.faults.away();
  operator.stop();
  operator = testOperator({ journal, clock }).operator;
  const away = operator.faults.isAway;
  operator.faults.back();
  const events: number[] = [];
  operator.attach(operator.subscribe([hex.encode(own.script.pkScript)]), {
    event: ({ newVtxos }) => void events.push(Number(newVtxos[0]?.amount)),
    end: () => undefined,
  });
  for (const amount of [1_000, 2_000]) pay(operator, own, amount);
  const spends = await Promise.all(
    [coin, pay(operator, own, 3_000)].map((each) =>
      buildSpend(
        operator,
        [inputOf(each, own.leaves.refund)],
        [{ script: own.script.pkScript, amount: BigInt(each.value) }],
        [alice],
      ),
    ),
  );
  const outcomes = spends.map((spend) => {
    try {
      return send(operator, spend).arkTxid === spend.arkTx.id;
    } catch (error) {
      return (error as Error).message;
    }
  });
  expect({
    away,
    events,
    outcomes,
    spent: operator.indexer.coins({ outpoints: [keyOf(coin)] }).map(({ spent }) => spent),
  }).toEqual({
    away: true,
    events: [2_000, 3_000],
    outcomes: ['the answer to a submission was lost', true],
    spent: [true],
  });
});
