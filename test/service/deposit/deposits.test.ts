import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { collabRefundEvmBody, fundGaslessBody } from '../../../engine/contract/requests/evm.ts';
import { isRefusal, type Refusal } from '../../../engine/domain/errors.ts';
import { noSats } from '../../../engine/domain/money.ts';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { unix } from '../../../engine/domain/time.ts';
import { accountOf } from '../../../engine/legs/evm/account.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { hash160OfSha256 } from '../../../engine/legs/secret.ts';
import type { AnyMachine, Entry } from '../../../engine/runtime/working-set.ts';
import { claimStanding } from '../../../engine/service/evm/claims.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { createFunding } from '../../../engine/service/deposit/funding.ts';
import { collabRefundEvm, collabRefundEvmParams, refundCalldata } from '../../../engine/service/deposit/refund.ts';
import { accountName } from '../../../engine/service/evm/paying.ts';
import { createUnpaid } from '../../../engine/service/evm/unpaid.ts';
import { evmLightningDirection } from '../../../engine/service/directions/evm-lightning.ts';
import { strayOf, swap as ownerSwapOf } from '../../../engine/service/owner/swaps.ts';
import { evmStanding } from '../../../engine/service/evm/standing.ts';
import {
  evmLightning,
  type EvmLightningProgress,
  type EvmLightningTerms,
} from '../../../engine/swap/directions/evm-lightning.ts';
import { stopped } from '../../../engine/swap/halves/evm/claim/terms.ts';
import type { ExtraCoin } from '../../../engine/swap/halves/extra-coins.ts';
import { sourceView } from '../../../engine/swap/halves/evm/claim/view.ts';
import { runtimeOf } from '../../support/runtime.ts';
import { memoryLog } from '../../runtime/support.ts';
import { openStore, swapRow } from '../../store/support.ts';
import { anyFailure } from '../../support/failure.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { testConfig } from '../../support/node.ts';
import { preimage, start } from '../../swap/cases.ts';
import { evmLightningTerms, fresh, lookAt, network, seenLock, sentTxid } from '../../swap/evm-lightning-cases.ts';

const signer = privateKeyToAccount(`0x${'cd'.repeat(32)}`);
const stranger = privateKeyToAccount(`0x${'ef'.repeat(32)}`);
const clientAddress = accountOf(fromHex('cd'.repeat(32)));
const id = 'b0000000-0000-4000-8000-000000000001';
const terms: EvmLightningTerms = { ...evmLightningTerms, clientAddress };
const deposit = seenLock({}, { depositor: clientAddress });
const { terms: lock, ...rest } = deposit;
const base = { sent: [], given: null };
const over = stopped('wont', 'no route', base, [
  { lock, key: rest.key, txid: rest.txid, depositor: clientAddress, taken: false },
]);

interface Options {
  readonly of?: EvmLightningTerms;
  readonly first?: EvmLightningProgress;
  readonly held?: bigint;
  readonly allowed?: bigint;
  /** What the Lightning node says of the payment. */
  readonly payment?: 'in-flight' | 'failed' | 'away';
  /** One with the swap in it: the node that made it is dead. */
  readonly folder?: string;
}

/** A node with this one swap, whose account on the chain has no coins: nothing that it signs is sent. */
function node({
  of = terms,
  first = fresh,
  held = of.least,
  allowed = of.least,
  payment = 'failed',
  folder,
}: Options = {}) {
  const { store, db, folder: dataDir } = openStore(folder);
  const port: EvmPort = {
    ...createEvmChain(network).port(new Uint8Array(32).fill(0x21)),
    balance: async () => held,
    allowance: async () => allowed,
  };
  const payments = {
    payment: async () =>
      payment === 'away' ? Promise.reject(anyFailure('away', 'safe', 'it is away')) : { is: payment, reason: '' },
  };
  const runtime = runtimeOf({
    store,
    machines: [evmLightning as unknown as AnyMachine],
    ports: { arkade: null, lightning: payments as never, bitcoin: null, [network]: port },
    wall: () => unix(start + 60),
    log: memoryLog().log,
    pollMs: 60_000,
    tipMs: 60_000,
    ceilings: () => testConfig().ceilings,
  });
  const market = { pegged: of.pegged, native: false, dex: null, network, chainId: 137 };
  const own = {
    runtime,
    config: { ...testConfig(), timing: { ...testConfig().timing, createWaitSeconds: 0.2 } },
    directions: { all: [], find: () => null, of: () => evmLightningDirection },
  } as unknown as ServiceContext;
  const context: ServiceContext = {
    ...own,
    markets: { on: () => market, gas: () => null, readSoon: () => undefined },
    unpaid: createUnpaid(own),
  } as unknown as ServiceContext;
  if (folder !== undefined) runtime.workingSet.load(() => undefined);
  else
    runtime.commits.open(id, () => ({
      row: swapRow({ id, machine: 'evm-lightning', terms: of, progress: first, status: evmLightning.status(first) }),
      effects: [],
    }));
  const progress = () => runtime.workingSet.find(id)?.row.progress as EvmLightningProgress;
  const effects = () =>
    store.effects.of(id).map(({ effect }) => (effect.do === 'evm.send' ? effect.act.is : effect.do));
  return { runtime, store, db, folder: dataDir, context, progress, effects, funding: createFunding(context) };
}

type Node = ReturnType<typeof node>;

function answered<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(answer.sentence);
  return answer;
}

/** As a client signs that knows nothing but the answer of swap-and-lock-calldata-permit2. */
async function signed(
  { funding }: Node,
  change: { by?: typeof signer; amount?: bigint; spender?: string; late?: true } = {},
) {
  const data = answered(await funding.permit2Funding(id));
  const by = change.by ?? signer;
  const deadline = change.late === true ? 59 : start + 1_200;
  const signature = await by.signTypedData({
    domain: { name: 'Permit2', chainId: 137, verifyingContract: data.permit2_address as `0x${string}` },
    types: {
      PermitWitnessTransferFrom: [
        { name: 'permitted', type: 'TokenPermissions' },
        { name: 'spender', type: 'address' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
        { name: 'witness', type: 'ExecuteAndCreate' },
      ],
      TokenPermissions: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ],
      ExecuteAndCreate: [
        { name: 'preimageHash', type: 'bytes32' },
        { name: 'token', type: 'address' },
        { name: 'claimAddress', type: 'address' },
        { name: 'refundAddress', type: 'address' },
        { name: 'timelock', type: 'uint256' },
        { name: 'callsHash', type: 'bytes32' },
      ],
    },
    primaryType: 'PermitWitnessTransferFrom',
    message: {
      permitted: {
        token: data.source_token_address as `0x${string}`,
        amount: change.amount ?? BigInt(data.source_amount),
      },
      spender: (change.spender ?? data.coordinator_address) as `0x${string}`,
      nonce: 7n,
      deadline: BigInt(deadline),
      witness: {
        preimageHash: data.preimage_hash as `0x${string}`,
        token: data.lock_token_address as `0x${string}`,
        claimAddress: data.claim_address as `0x${string}`,
        refundAddress: data.coordinator_address as `0x${string}`,
        timelock: BigInt(data.timelock),
        callsHash: data.calls_hash as `0x${string}`,
      },
    },
  });
  const body = {
    permit2_nonce: '7',
    permit2_deadline: deadline,
    permit2_signature: signature,
    calls: data.calls,
  };
  return fundGaslessBody.parse(body);
}

type Relayed = 'relay-fund' | 'relay-refund';

const prepared = (purpose: Relayed, txid: string) => ({ is: 'evm.prepared', purpose, txid }) as const;

const waiting = (purpose: Relayed, txid: string, by: string | null = txid) =>
  ({ is: 'evm.sent', purpose, txid, state: { is: 'waiting', taken: by } }) as const;

test('fault 35, evm: of a hundred fundings at once one is relayed, and whoever asks again is told of it', async () => {
  const one = node();
  const body = await signed(one);
  const hundred = Array.from({ length: 100 }, () => one.funding.fundGasless(id, body));
  await expect.poll(() => one.effects()).toEqual(['relay-fund']);
  one.runtime.commits.deliver(id, prepared('relay-fund', sentTxid.fund));
  one.runtime.commits.deliver(id, waiting('relay-fund', sentTxid.fund));
  const hash = `0x${sentTxid.fund}`;
  expect(new Set((await Promise.all(hundred)).map((one) => answered(one).tx_hash))).toEqual(new Set([hash]));
  one.runtime.commits.deliver(id, lookAt([{ ...deposit, confirmations: 1 }]));
  expect(answered(await one.funding.fundGasless(id, body))).toMatchObject({
    tx_hash: `0x${rest.txid}`,
    status: 'clientfundingseen',
  });
});

test('fault 35, evm: after a restart a funding that was being sent is answered as one, and sent once', async () => {
  const before = node();
  const body = await signed(before);
  void before.funding.fundGasless(id, body);
  await expect.poll(() => before.effects()).toEqual(['relay-fund']);
  before.db.close();
  const one = node({ folder: before.folder });
  const hundred = Array.from({ length: 100 }, () => one.funding.fundGasless(id, body));
  await new Promise((resolve) => setTimeout(resolve, 20));
  one.runtime.commits.deliver(id, prepared('relay-fund', sentTxid.fund));
  one.runtime.commits.deliver(id, waiting('relay-fund', sentTxid.fund));
  const hashes = (await Promise.all(hundred)).map((answer) => answered(answer).tx_hash);
  expect([new Set(hashes), one.effects()]).toEqual([new Set([`0x${sentTxid.fund}`]), ['relay-fund']]);
});

test('fault 79, evm: a funding is answered with its hash once a node took it, and so is its record', async () => {
  const one = node();
  const body = await signed(one);
  const first = one.funding.fundGasless(id, body);
  await expect.poll(() => one.effects()).toEqual(['relay-fund']);
  one.runtime.commits.deliver(id, prepared('relay-fund', sentTxid.fund));
  one.runtime.commits.deliver(id, waiting('relay-fund', sentTxid.fund, null));
  const refusal = {
    refusal: 'unavailable',
    sentence: expect.stringMatching(/no node of the chain took it yet: ask again/),
  };
  expect([await first, await one.funding.fundGasless(id, body)]).toEqual([refusal, refusal]);
  expect(sourceView(terms, one.progress())).not.toHaveProperty('evm_fund_txid');
  const again = one.funding.fundGasless(id, body);
  one.runtime.commits.deliver(id, waiting('relay-fund', sentTxid.fund, sentTxid.claim));
  const hash = `0x${sentTxid.claim}`;
  expect([answered(await again).tx_hash, sourceView(terms, one.progress()).evm_fund_txid]).toEqual([hash, hash]);
  expect(one.effects()).toEqual(['relay-fund']);
});

test('fault 57, evm: a permit that would revert is refused before gas is spent, with what is wrong', async () => {
  const refusals = await Promise.all(
    (
      [
        [{}, { by: stranger }, /is not of 0x/],
        [{}, { amount: terms.least - 1n }, /is not of 0x/],
        [{}, { spender: `0x${'05'.repeat(20)}` }, /is not of 0x/],
        [{}, { late: true }, /^permit2_deadline is/],
        [{ held: terms.least - 1n }, {}, /holds 100259 units of WBTC and the swap takes 100260/],
        [{ allowed: 0n }, {}, /approve Permit2 first/],
        [{ of: { ...terms, gasless: false } }, {}, /gasless false/],
      ] as const
    ).map(async ([options, change, sentence]) => {
      const one = node(options);
      const answer = await one.funding.fundGasless(id, await signed(one, change));
      const { length } = one.effects();
      return [isRefusal(answer) && answer.refusal, isRefusal(answer) && sentence.test(answer.sentence), length];
    }),
  );
  expect(refusals).toEqual(refusals.map(() => ['invalid', true, 0]));
});

test('fault 104, evm: bytes that only a contract judges make nobody a client who paid before', async () => {
  const one = node();
  one.store.outlays.paid(accountName(clientAddress), start);
  const { unpaid, runtime } = one.context;
  const place = unpaid.take(evmLightningDirection, { client: '203.0.113.1', account: null }, noSats);
  if (!isRefusal(place)) place.is(id);
  const paidBefore = () => unpaid.whose((runtime.workingSet.find(id) as Entry).row).paidBefore;
  const body = await signed(one);
  const long = { ...body, permit2: { ...body.permit2, signature: new Uint8Array(66).fill(1) } };
  void one.funding.fundGasless(id, long);
  await expect.poll(() => one.effects()).toEqual(['relay-fund']);
  expect(paidBefore()).toBe(false);
  one.runtime.commits.deliver(id, { is: 'evm.refused', purpose: 'relay-fund', reason: 'the signature is not valid' });
  void one.funding.fundGasless(id, body);
  await expect.poll(() => one.effects()).toEqual(['relay-fund', 'relay-fund']);
  expect(paidBefore()).toBe(true);
  // The lock was made by another one, without the relay: it is the one that has to be known.
  const depositor = accountOf(fromHex('ef'.repeat(32)));
  one.runtime.commits.deliver(id, lookAt([{ ...deposit, depositor, confirmations: 1 }]));
  expect(paidBefore()).toBe(false);
});

test('fault 104, evm: a stranger’s lock costs nothing of the account that the stranger named', () => {
  const depositor = accountOf(fromHex('ef'.repeat(32)));
  const lockOf = { lock, key: rest.key, txid: rest.txid, depositor, taken: false };
  const { context, runtime } = node({ first: stopped('wont', 'no route', base, [lockOf]) });
  const { clients } = context.unpaid.whose((runtime.workingSet.find(id) as Entry).row);
  expect(clients).toEqual([accountName(depositor)]);
});

test('facts/clients.md 46: by a bundler the same lock is funded, and a swap that is over is not', async () => {
  const one = node();
  const byPermit = answered(await one.funding.permit2Funding(id));
  const byBundler = answered(await one.funding.useropFunding(id));
  const { lock_token_address, claim_address, timelock, preimage_hash, coordinator_address } = byPermit;
  expect(byBundler).toMatchObject({
    ...{ lock_token_address, claim_address, timelock, preimage_hash, coordinator_address },
    aa: { entry_point: '0x0000000071727De22E5E9d8BAf0edAc6f37da032' },
  });
  expect(await node({ first: over }).funding.useropFunding(id)).toMatchObject({ refusal: 'invalid' });
});

test('calls that were not issued are refused, whatever is signed over them', async () => {
  const one = node();
  const body = await signed(one);
  const foreign = { ...body, calls: [{ target: clientAddress, value: 0n, data: new Uint8Array(4) }] };
  expect(await one.funding.fundGasless(id, foreign)).toMatchObject({
    refusal: 'invalid',
    sentence: expect.stringMatching(/^calls are not those that/),
  });
});

test('a relay that fails is told as it is, and can be asked for again', async () => {
  const one = node();
  const body = await signed(one);
  const first = one.funding.fundGasless(id, body);
  await expect.poll(() => one.effects()).toEqual(['relay-fund']);
  one.runtime.commits.deliver(id, { is: 'evm.refused', purpose: 'relay-fund', reason: 'the token is paused' });
  expect(await first).toMatchObject({ refusal: 'invalid', sentence: expect.stringMatching(/the token is paused/) });
  expect(await one.funding.fundGasless(id, body)).toMatchObject({ refusal: 'unavailable' });
});

/** As a depositor signs that knows nothing but the parameters. */
async function consent({ context }: Node, by: typeof signer, depositor = by.address) {
  const params = answered(collabRefundEvmParams(context, id));
  const signature = await by.signTypedData({
    domain: {
      name: 'HTLCCoordinator',
      version: String(params.coordinator_version),
      chainId: params.chain_id,
      verifyingContract: params.coordinator_address as `0x${string}`,
    },
    types: {
      CollabRefund: [
        { name: 'preimageHash', type: 'bytes32' },
        { name: 'amount', type: 'uint256' },
        { name: 'token', type: 'address' },
        { name: 'claimAddress', type: 'address' },
        { name: 'timelock', type: 'uint256' },
        { name: 'caller', type: 'address' },
        { name: 'sweepToken', type: 'address' },
        { name: 'minAmountOut', type: 'uint256' },
        { name: 'callsHash', type: 'bytes32' },
      ],
    },
    primaryType: 'CollabRefund',
    message: {
      preimageHash: params.preimage_hash as `0x${string}`,
      amount: BigInt(params.amount),
      token: params.token as `0x${string}`,
      claimAddress: params.claim_address as `0x${string}`,
      timelock: BigInt(params.timelock),
      caller: params.server_signer_address as `0x${string}`,
      sweepToken: params.sweep_token as `0x${string}`,
      minAmountOut: BigInt(params.min_amount_out),
      callsHash: params.calls_hash as `0x${string}`,
    },
  });
  const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number(`0x${signature.slice(130)}`)];
  return collabRefundEvmBody.parse({ v, r, s, depositor_address: depositor });
}

test('fault 40, evm: a refund signed from the parameters is relayed once, and ends all payments', async () => {
  const one = node({ first: over });
  const body = await consent(one, signer);
  const first = collabRefundEvm(one.context, id, body);
  await expect.poll(() => one.effects()).toEqual(['relay-refund']);
  expect([
    one.progress().at === 'stopped' && (one.progress() as typeof over).fenced,
    one.store.intents.has('refund', id),
  ]).toEqual([true, true]);
  one.runtime.commits.deliver(id, prepared('relay-refund', sentTxid.refund));
  one.runtime.commits.deliver(id, waiting('relay-refund', sentTxid.refund));
  const hash = `0x${sentTxid.refund}`;
  expect([answered(await first).tx_hash, answered(await collabRefundEvm(one.context, id, body)).tx_hash]).toEqual([
    hash,
    hash,
  ]);
  const settled = { is: 'settled', preimage, feeMsat: 1n } as const;
  one.runtime.commits.deliver(id, { is: 'payment.seen', state: settled });
  expect(one.effects()).toEqual(['relay-refund']);
});

test('fault 79, evm: a refund is answered with its hash once a node took it, then by what was mined', async () => {
  const one = node({ first: over });
  const body = await consent(one, signer);
  const first = collabRefundEvm(one.context, id, body);
  await expect.poll(() => one.effects()).toEqual(['relay-refund']);
  one.runtime.commits.deliver(id, prepared('relay-refund', sentTxid.refund));
  one.runtime.commits.deliver(id, waiting('relay-refund', sentTxid.refund, null));
  expect(await first).toMatchObject({
    refusal: 'unavailable',
    sentence: expect.stringMatching(/no node of the chain took it yet: ask again/),
  });
  one.runtime.commits.deliver(id, waiting('relay-refund', sentTxid.refund));
  expect(answered(await collabRefundEvm(one.context, id, body)).tx_hash).toBe(`0x${sentTxid.refund}`);
  const mined = { is: 'mined', by: sentTxid.claim, ok: true, confirmations: 1, cost: 1n } as const;
  one.runtime.commits.deliver(id, { ...waiting('relay-refund', sentTxid.refund), state: mined });
  expect(answered(await collabRefundEvm(one.context, id, body)).tx_hash).toBe(`0x${sentTxid.claim}`);
  expect(one.effects()).toEqual(['relay-refund']);
});

test('a refund is refused by the state, to a stranger, and while a late payment may still come', async () => {
  const refused = async (options: Options, by = signer, depositor = by.address) => {
    const one = node(options);
    const body = await consent(node({ first: over }), by, depositor);
    const answer = await collabRefundEvm(one.context, id, body);
    const { length } = one.effects();
    return isRefusal(answer) ? [answer.refusal, length] : answer;
  };
  const maybe: EvmLightningProgress = {
    ...over,
    doubt: { late: 'maybe', deposit: { lock, key: rest.key, txid: rest.txid, depositor: null } },
  };
  expect([
    await refused({}),
    await refused({
      payment: 'in-flight',
      first: { at: 'paying', ...base, deposit: { lock, key: rest.key, txid: rest.txid, depositor: null }, extras: [] },
    }),
    await refused({ first: over }, stranger),
    await refused({ first: over }, stranger, signer.address),
    await refused({ first: maybe, payment: 'in-flight' }),
    await refused({ first: maybe, payment: 'away' }),
  ]).toEqual([
    ['forbidden', 0],
    ['forbidden', 0],
    ['invalid', 0],
    ['invalid', 0],
    ['forbidden', 0],
    ['unavailable', 0],
  ]);
});

test('of the client’s own lock it is said whose it is where a claim of ours is asked for', () => {
  const { context } = node();
  const theirs =
    'The lock of this swap on chain 137 is made by its client, who can take it back alone from ' +
    `${terms.lock.timelock} (evm_refund_locktime, unix time) on`;
  expect(claimStanding(context, id)).toEqual({
    refusal: 'invalid',
    sentence: `${theirs}: for it the node pays the invoice, and there is nothing to claim.`,
  });
  const direction = { ...evmLightningDirection, target: 'Bitcoin' } as const;
  const toBitcoin = { ...context, directions: { ...context.directions, of: () => direction } } as ServiceContext;
  expect(claimStanding(toBitcoin, id)).toMatchObject({
    sentence: `${theirs}: what the client claims is on Bitcoin.`,
  });
});

test('before anything is locked there are no parameters; the way alone is told as soon as there is a lock', () => {
  const [empty, paying] = [
    node(),
    node({
      first: { at: 'paying', ...base, deposit: { lock, key: rest.key, txid: rest.txid, depositor: null }, extras: [] },
    }),
  ];
  expect([
    collabRefundEvmParams(empty.context, id),
    evmStanding(empty.context, id, 'refund-evm'),
    evmStanding(empty.context, id, 'fund-evm'),
    refundCalldata(empty.context, id),
    collabRefundEvmParams(paying.context, id),
    refundCalldata(paying.context, id),
  ]).toMatchObject([
    { refusal: 'forbidden' },
    { refusal: 'forbidden' },
    null,
    { refusal: 'invalid' },
    { refusal: 'forbidden' },
    { calldata: expect.stringMatching(new RegExp(`^0x29240837${toHex(lock.preimageHash)}`)) },
  ]);
  expect(hash160OfSha256(terms.hash)).toEqual(evmLightning.hash160(terms));
});

test('of a lock that its client has back nobody is told that nothing is locked yet', () => {
  const { key, txid } = rest;
  const gave = (back: { back?: string }) => {
    const own = { lock, key, txid, depositor: clientAddress, taken: true, ...back };
    return refundCalldata(node({ first: stopped('wont', 'no route', base, [own]) }).context, id);
  };
  expect([gave({ back: '5c'.repeat(32) }), gave({})]).toEqual([
    {
      refusal: 'invalid',
      sentence: `Nothing is locked for this swap any more: 0x${'5c'.repeat(32)} gave it back to its depositor.`,
    },
    {
      refusal: 'invalid',
      sentence: 'Nothing is locked for this swap any more: look at the coordinator’s events for what took it.',
    },
  ]);
});

test('the owner is shown a coin that is left on the network on which it lies', () => {
  const row = { id, terms: {}, progress: {}, open: false, updatedAt: 5 };
  const coin = { outpoint: { txid: 'ab'.repeat(32), vout: 1 }, amount: 7n, spent: false };
  expect(
    ['bitcoin-lightning', 'bitcoin-arkade', 'bitcoin-evm', 'arkade-evm', 'arkade-bitcoin', 'arkade-lightning'].map(
      (name) => strayOf(coin as ExtraCoin, { machine: { name }, row } as unknown as Entry).network,
    ),
  ).toEqual(['bitcoin', 'bitcoin', 'bitcoin', 'arkade', 'arkade', 'arkade']);
});

test('the owner is shown a lock that is left: its chain, the transaction that made it, and its amount', () => {
  const shown = ownerSwapOf(node({ first: over }).context, id);
  expect(shown).toMatchObject({
    at: 'stopped',
    strays: [{ network, coin: `0x${rest.txid}`, amount: lock.amount.toString() }],
  });
});
