import { hashTypedData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { claimGaslessBody } from '../../../engine/contract/requests/evm.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { asEvmAddress, type EvmAddress } from '../../../engine/domain/evm.ts';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { height, unix } from '../../../engine/domain/time.ts';
import { accountOf } from '../../../engine/legs/evm/account.ts';
import { bridgeCall, forwardingHook } from '../../../engine/legs/evm/bridge.ts';
import { callsHash } from '../../../engine/legs/evm/calls-hash.ts';
import { approveCall } from '../../../engine/legs/evm/calls.ts';
import type { Call } from '../../../engine/legs/evm/contracts.ts';
import type { SentState } from '../../../engine/legs/evm/events.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import type { Prices } from '../../../engine/quote/gas.ts';
import type { DexPort, DexQuote } from '../../../engine/quote/ports.ts';
import type { Runtime } from '../../../engine/runtime/runtime.ts';
import type { AnyMachine } from '../../../engine/runtime/working-set.ts';
import { claimGasless, claimStanding, redeemData } from '../../../engine/service/evm/claims.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { createFunding } from '../../../engine/service/deposit/funding.ts';
import { collabRefundEvmParams, refundCalldata } from '../../../engine/service/deposit/refund.ts';
import { accountName } from '../../../engine/service/evm/paying.ts';
import { createUnpaid } from '../../../engine/service/evm/unpaid.ts';
import { directions } from '../../../engine/service/directions/directions.ts';
import type { Market } from '../../../engine/service/market/market.ts';
import {
  viewArkadeEvm,
  type ArkadeEvmProgress,
  type ArkadeEvmTerms,
} from '../../../engine/swap/directions/arkade-evm.ts';
import type { BitcoinEvmProgress, BitcoinEvmTerms } from '../../../engine/swap/directions/bitcoin-evm.ts';
import type { LightningEvmProgress, LightningEvmTerms } from '../../../engine/swap/directions/lightning-evm.ts';
import type { targetView } from '../../../engine/swap/halves/evm/fund/view.ts';
import { mostReverts } from '../../../engine/swap/halves/evm/most-reverts.ts';
import type { Event } from '../../../engine/swap/machine.ts';
import { relayToCome } from '../../../engine/store/outlays.ts';
import { runtimeOf } from '../../support/runtime.ts';
import { memoryLog } from '../../runtime/support.ts';
import { newFolder, openStore, swapRow } from '../../store/support.ts';
import { testConfig } from '../../support/node.ts';
import { arkadeEvmTerms, evmSeen, evmTxid, lockIs, network, seenLock } from '../../swap/arkade-evm-cases.ts';
import { bitcoinEvmTerms } from '../../swap/bitcoin-evm-cases.ts';
import { coinPoint, preimage, start } from '../../swap/cases.ts';
import { everyCase } from '../../swap/every-case.ts';
import { lightningEvmTerms } from '../../swap/lightning-evm-cases.ts';

const signer = privateKeyToAccount(`0x${'cd'.repeat(32)}`);
const claimAddress = accountOf(fromHex('cd'.repeat(32)));
const destination = asEvmAddress(new Uint8Array(20).fill(0x77));
const zero = asEvmAddress(new Uint8Array(20));
const id = 'b0000000-0000-4000-8000-000000000001';
const terms: ArkadeEvmTerms = { ...arkadeEvmTerms, lock: { ...arkadeEvmTerms.lock, claimAddress } };
const locked: ArkadeEvmProgress = {
  at: 'locked',
  reverts: 0,
  coin: coinPoint,
  surplus: 0n as ArkadeEvmTerms['sourceAmount'],
  extras: [],
  sent: evmTxid.lock,
  fundTxid: evmTxid.lock,
};

type Terms = ArkadeEvmTerms | BitcoinEvmTerms | LightningEvmTerms;
type Progress = ArkadeEvmProgress | BitcoinEvmProgress | LightningEvmProgress;
type Name = 'arkade-evm' | 'bitcoin-evm' | 'lightning-evm';

/** A node with this one swap, on a disk that outlives it. */
function nodeOn(
  folder: string,
  {
    name = 'arkade-evm',
    of = terms,
    first = null,
    market = null,
    unpaidGas = testConfig().ceilings.unpaidGasPerDaySats,
    gas = null,
  }: {
    name?: Name;
    of?: Terms;
    first?: Progress | null;
    market?: Market | null;
    unpaidGas?: number;
    gas?: Prices['gas'] | null;
  } = {},
) {
  const { store, db } = openStore(folder);
  const { machine } = everyCase[name];
  const runtime = runtimeOf({
    store,
    machines: [machine as AnyMachine],
    ports: { arkade: null, lightning: null, bitcoin: null },
    wall: () => unix(start + 60),
    log: memoryLog().log,
    pollMs: 60_000,
    tipMs: 60_000,
    ceilings: () => testConfig().ceilings,
  });
  const config = testConfig();
  const own = {
    runtime,
    config: {
      ...config,
      timing: { ...config.timing, createWaitSeconds: 1 },
      ceilings: { ...config.ceilings, unpaidGasPerDaySats: unpaidGas },
    },
    directions,
  } as unknown as ServiceContext;
  const context: ServiceContext = {
    ...own,
    markets: { on: () => market, gas: () => gas, readSoon: () => undefined },
    unpaid: createUnpaid(own),
  } as unknown as ServiceContext;
  if (first === null) runtime.workingSet.load(() => undefined);
  else
    runtime.commits.open(id, () => ({
      row: swapRow({ id, machine: name, terms: of, progress: first, status: machine.status(first) }),
      effects: [],
    }));
  return { runtime, context, db };
}

const { at: _at, reverts: _reverts, ...lockedParts } = locked as ArkadeEvmProgress & { at: 'locked' };

type Body = Record<string, string | number | { to: string; data: string; value: string }>;

/** What the record of the swap says of our lock, whichever direction it is of. */
function recordOn(context: ServiceContext): ReturnType<typeof targetView> {
  const row = context.runtime.workingSet.find(id)?.row;
  const facts = { id, createdAt: start, status: row?.status ?? 'pending', network: 'regtest' } as const;
  const record = row === undefined ? null : (directions.of(row.machine)?.view(facts, row) ?? null);
  if (record === null) throw new Error('no such swap');
  return record as unknown as ReturnType<typeof targetView>;
}

/** As a client has them that knows nothing but the record and the answer of redeem-and-swap-calldata. */
async function typedData(context: ServiceContext, to: EvmAddress = destination) {
  const record = recordOn(context);
  const data = await redeemData(context, id, { destination: to, bridgeRecipient: null, bridgeRecipientWallet: null });
  if (isRefusal(data)) throw new Error(data.sentence);
  const native = record.evm_htlc_kind === 'native';
  const direct = record.target_token.token_id.toLowerCase() === record.wbtc_address.toLowerCase();
  const redeem = [
    { name: 'preimage', type: 'bytes32' },
    { name: 'amount', type: 'uint256' },
    ...(native ? [] : [{ name: 'token', type: 'address' }]),
    { name: 'sender', type: 'address' },
    { name: 'timelock', type: 'uint256' },
    { name: 'caller', type: 'address' },
    { name: 'destination', type: 'address' },
    { name: 'sweepToken', type: 'address' },
    { name: 'minAmountOut', type: 'uint256' },
    { name: 'callsHash', type: 'bytes32' },
  ];
  return {
    data,
    domain: {
      name: native ? 'HTLCNative' : 'HTLCErc20',
      version: String(record.evm_htlc_version),
      chainId: record.evm_chain_id,
      verifyingContract: record.evm_htlc_address as `0x${string}`,
    },
    types: { Redeem: redeem },
    primaryType: 'Redeem' as const,
    message: {
      preimage: `0x${toHex(preimage)}`,
      amount: BigInt(record.evm_expected_sats),
      ...(native ? {} : { token: record.wbtc_address }),
      sender: record.server_evm_address,
      timelock: BigInt(record.evm_refund_locktime),
      caller: record.evm_coordinator_address,
      destination: `0x${toHex(to)}`,
      sweepToken: direct ? record.wbtc_address : record.target_token.token_id,
      minAmountOut: BigInt(data.min_amount_out),
      callsHash: data.calls_hash,
    } as Record<string, unknown>,
  };
}

async function signed(of: Omit<Awaited<ReturnType<typeof typedData>>, 'data'>, change: Body = {}) {
  const { domain, types, primaryType, message } = of;
  const signature = await signer.sign({ hash: hashTypedData({ domain, types, primaryType, message } as never) });
  const body: Body = {
    secret: `0x${toHex(preimage)}`,
    destination: `0x${toHex(destination)}`,
    r: `0x${signature.slice(2, 66)}`,
    s: `0x${signature.slice(66, 130)}`,
    v: Number.parseInt(signature.slice(130), 16),
    ...change,
  };
  return claimGaslessBody.parse(body);
}

async function request(context: ServiceContext, change: Body = {}) {
  return signed(await typedData(context), change);
}

const effectsOf = (runtime: Runtime) => runtime.store.effects.waiting(() => undefined).map(({ effect }) => effect);
function deliver(runtime: Runtime, ...events: Event[]): void {
  for (const event of events) runtime.commits.deliver(id, event);
}
const prepared: Event = { is: 'evm.prepared', purpose: 'relay-claim', txid: evmTxid.relay };
const accepted: Event = {
  is: 'evm.sent',
  purpose: 'relay-claim',
  txid: evmTxid.relay,
  state: { is: 'waiting', taken: evmTxid.relay },
};

test('a Redeem signature made from the record and the redeem data alone is relayed as it was signed', async () => {
  const { runtime, context } = nodeOn(newFolder(), { first: locked });
  const answer = claimGasless(context, id, await request(context));
  expect(effectsOf(runtime)).toMatchObject([
    { do: 'evm.send', act: { is: 'relay-claim', lock: terms.lock, calls: [], destination, minAmountOut: 100_000n } },
  ]);
  deliver(runtime, prepared, accepted);
  expect(await answer).toMatchObject({ id, status: 'clientredeeming', tx_hash: `0x${evmTxid.relay}` });
});

test('fault 79, evm: a claim is answered with its hash once a node took it, by the variant that it took', async () => {
  const { runtime, context } = nodeOn(newFolder(), { first: locked });
  const body = await request(context);
  const answer = claimGasless(context, id, body);
  let isTold = false;
  void answer.then(() => (isTold = true));
  const waiting = (by: string | null): Event => ({ ...accepted, state: { is: 'waiting', taken: by } }) as Event;
  const record = () => {
    const row = runtime.workingSet.find(id)?.row;
    const progress = row?.progress as ArkadeEvmProgress;
    return viewArkadeEvm({ id, createdAt: start, status: 'clientredeeming', network: 'regtest' }, terms, progress);
  };
  deliver(runtime, prepared, waiting(null));
  // Signed, and handed to nobody that took it: whoever asks meanwhile hears that it is being sent.
  expect(await claimGasless(context, id, body)).toMatchObject({ status: 'clientredeeming', tx_hash: '' });
  expect([isTold, record()['evm_claim_txid']]).toEqual([false, undefined]);
  deliver(runtime, waiting(evmTxid.bumped));
  const hash = `0x${evmTxid.bumped}`;
  expect(await answer).toMatchObject({ status: 'clientredeeming', tx_hash: hash });
  expect(record()['evm_claim_txid']).toBe(hash);
  expect(await claimGasless(context, id, body)).toMatchObject({ tx_hash: hash });
  expect(effectsOf(runtime)).toHaveLength(1);
});

test('a signature with any field changed, or of anybody else, is refused before anything is asked for', async () => {
  const { runtime, context } = nodeOn(newFolder(), { first: locked });
  const right = await typedData(context);
  const otherAddress = `0x${'99'.repeat(20)}`;
  const other: Record<string, unknown> = {
    preimage: `0x${'01'.repeat(32)}`,
    amount: 100_001n,
    token: otherAddress,
    sender: otherAddress,
    timelock: terms.lock.timelock + 1n,
    caller: otherAddress,
    destination: otherAddress,
    sweepToken: otherAddress,
    minAmountOut: 99_999n,
    callsHash: `0x${'02'.repeat(32)}`,
  };
  expect(Object.keys(other).sort()).toEqual(Object.keys(right.message).sort());
  const domains = [
    { name: 'HTLCNative' },
    { version: '3' },
    { chainId: 1 },
    { verifyingContract: otherAddress as `0x${string}` },
  ];
  const wrong = [
    ...Object.entries(other).map(([field, value]) => ({ ...right, message: { ...right.message, [field]: value } })),
    ...domains.map((domain) => ({ ...right, domain: { ...right.domain, ...domain } })),
  ];
  for (const one of wrong)
    expect(await claimGasless(context, id, await signed(one))).toMatchObject({ refusal: 'invalid' });
  for (const change of [{ v: 29 }, { s: `0x${'ff'.repeat(32)}` }, { destination: otherAddress }] as Body[])
    expect(await claimGasless(context, id, await request(context, change))).toMatchObject({ refusal: 'invalid' });
  expect(effectsOf(runtime)).toEqual([]);
  expect(runtime.store.preimages.find(terms.vhtlc.hash)).toBeNull();
});

test('fault 77, evm: a claim pays nothing to a contract of swaps or to a token of its swap', async () => {
  const dollars = asEvmAddress(new Uint8Array(20).fill(0x0d));
  const { htlc, coordinator } = terms.contracts;
  const of = { ...terms, target: { ...terms.target, address: dollars } };
  const { context } = nodeOn(newFolder(), { of, first: locked });
  for (const to of [zero, htlc, coordinator, terms.lock.token, dollars]) {
    const request = { destination: to, bridgeRecipient: null, bridgeRecipientWallet: null };
    expect(await redeemData(context, id, request)).toMatchObject({
      refusal: 'invalid',
      sentence: expect.stringMatching(/^destination is an address that nobody can spend from/),
    });
  }
});

test('the parity alone is taken for v, and a secret that does not open the swap for none', async () => {
  const { runtime, context } = nodeOn(newFolder(), { first: locked });
  const { signature } = await request(context);
  const wrong = await request(context, { secret: `0x${'01'.repeat(32)}` });
  expect(await claimGasless(context, id, wrong)).toMatchObject({
    refusal: 'invalid',
    sentence: expect.stringContaining('secret'),
  });
  void claimGasless(context, id, await request(context, { v: signature.v - 27 }));
  expect(effectsOf(runtime)).toMatchObject([{ act: { signature: { v: signature.v } } }]);
});

test('fault 35, evm: of a hundred requests at once one is relayed, and the others hear that it is', async () => {
  const { runtime, context } = nodeOn(newFolder(), { first: locked });
  const bodies = await Promise.all(Array.from({ length: 100 }, () => request(context)));
  const answers = bodies.map((body) => claimGasless(context, id, body));
  const later = await Promise.all(answers.slice(1));
  expect(new Set(later.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(later[0]).toMatchObject({ status: 'clientredeeming', tx_hash: '' });
  expect(effectsOf(runtime)).toHaveLength(1);
  deliver(runtime, prepared, accepted);
  expect(await answers[0]).toMatchObject({ status: 'clientredeeming', tx_hash: `0x${evmTxid.relay}` });
  expect(await claimGasless(context, id, bodies[1] as never)).toMatchObject({ tx_hash: `0x${evmTxid.relay}` });
  expect(effectsOf(runtime)).toHaveLength(1);
});

test('fault 35, evm: after a restart a claim that was being sent is answered as one, and sent once', async () => {
  const folder = newFolder();
  const before = nodeOn(folder, { first: locked });
  const body = await request(before.context);
  void claimGasless(before.context, id, body);
  await new Promise((resolve) => setTimeout(resolve, 0));
  before.db.close();
  const { runtime, context } = nodeOn(folder);
  const answers = await Promise.all(Array.from({ length: 100 }, () => claimGasless(context, id, body)));
  expect(answers.every((answer) => !isRefusal(answer) && answer.tx_hash === '')).toBe(true);
  expect(effectsOf(runtime)).toHaveLength(1);
});

test.each([31, 33, 64])('fault 18, evm: a secret of %i bytes is refused for its form', async (length) => {
  const { context } = nodeOn(newFolder(), { first: locked });
  await expect(request(context, { secret: `0x${'07'.repeat(length)}` })).rejects.toThrow(/secret/);
});

test('fault 42, evm: after contracts, fees and prices were changed a claim is relayed as it was agreed', async () => {
  const folder = newFolder();
  const before = nodeOn(folder, { first: locked });
  const body = await request(before.context);
  before.db.close();
  const { runtime, context } = nodeOn(folder);
  const config = testConfig();
  const other = { ...terms.contracts, htlc: zero, coordinator: destination };
  const evm = { '137': { ...config.evm['137'], contracts: other } };
  const changed = { ...context, config: { ...context.config, evm, terms: { ...config.terms, feeBps: 9_000 } } };
  void claimGasless(changed as unknown as ServiceContext, id, body);
  expect(effectsOf(runtime)).toMatchObject([
    { contracts: terms.contracts, act: { is: 'relay-claim', lock: terms.lock, minAmountOut: 100_000n } },
  ]);
});

test('a relay that is refused, reverts or is dropped is told, and a later request claims again', async () => {
  const { runtime, context } = nodeOn(newFolder(), { first: locked });
  const body = await request(context);
  const status = () => runtime.workingSet.find(id)?.row.status;
  const refused = claimGasless(context, id, body);
  deliver(runtime, { is: 'evm.refused', purpose: 'relay-claim', reason: 'the token is paused' });
  expect(await refused).toMatchObject({ refusal: 'invalid', sentence: expect.stringContaining('the token is paused') });
  const ends = [{ is: 'mined', by: evmTxid.relay, ok: false, confirmations: 1, cost: 1n }, { is: 'gone' }] as const;
  for (const state of ends) {
    const answer = claimGasless(context, id, body);
    deliver(runtime, prepared, accepted);
    expect(await answer).toMatchObject({ status: 'clientredeeming' });
    deliver(runtime, { is: 'evm.sent', purpose: 'relay-claim', txid: evmTxid.relay, state });
    expect(status()).toBe('serverfunded');
  }
});

test('a claim whose relays reverted three times is left to its client', async () => {
  const { runtime, context } = nodeOn(newFolder(), { first: { ...locked, reverts: mostReverts } });
  expect(await claimGasless(context, id, await request(context))).toMatchObject({
    refusal: 'invalid',
    sentence: expect.stringContaining('a transaction of your own'),
  });
  expect(effectsOf(runtime)).toEqual([]);
});

test('fault 57, evm: once a relay failed, the next is made within the unpaid gas of a day alone', async () => {
  const poor = async (reverts: number) => {
    const { context } = nodeOn(newFolder(), { first: { ...locked, reverts }, unpaidGas: 0 });
    return claimGasless(context, id, await request(context));
  };
  expect([await poor(0), await poor(1)]).toMatchObject([{ status: 'clientredeeming' }, { refusal: 'flood' }]);
});

test('fault 246, evm: a first relay far dearer than its lock counted has the day’s ceiling', async () => {
  const relayed = async (times: bigint, amount: bigint | null, unpaidGas = 0) => {
    const gas = (units: bigint) => sats((units * times) / 1_000n);
    const { runtime, context } = nodeOn(newFolder(), { first: locked, unpaidGas, gas });
    const outlay = { swap: id, network, place: relayToCome };
    if (amount !== null) context.unpaid.note({ ...outlay, amount: sats(amount) }, runtime.store, start);
    return claimGasless(context, id, await request(context));
  };
  const sent = { status: 'clientredeeming' };
  expect([await relayed(1n, 480n), await relayed(2n, 480n), await relayed(3n, 480n)]).toMatchObject([
    sent,
    sent,
    { refusal: 'flood' },
  ]);
  expect([await relayed(1n, null), await relayed(3n, 480n, 100_000)]).toMatchObject([{ refusal: 'flood' }, sent]);
});

test('fault 260, evm: a first relay is not refused for what its own lock counts, whatever gas costs', async () => {
  /** One lock of 20, of a stranger's part of 15; and what another swap of its client cost. */
  const relayed = async (reverts: number, other: number) => {
    const gas = (units: bigint) => sats((units * 3n * 14n) / 480_000n);
    const { runtime, context } = nodeOn(newFolder(), { first: { ...locked, reverts }, unpaidGas: 120, gas });
    const { note } = context.unpaid;
    const { outlays } = runtime.store;
    note({ swap: id, network, place: '7', amount: sats(6) }, runtime.store, start);
    note({ swap: id, network, place: relayToCome, amount: sats(14) }, runtime.store, start);
    const whose = { clients: [accountName(terms.lock.claimAddress)], paidBefore: false };
    outlays.put({ swap: 'another', network, place: '8', amount: sats(other) }, whose, start);
    return claimGasless(context, id, await request(context));
  };
  const sent = { status: 'clientredeeming' };
  const refused = { refusal: 'flood' };
  expect([await relayed(0, 14), await relayed(0, 15), await relayed(1, 0)]).toMatchObject([sent, refused, refused]);
});

test('fault 260, evm: a lock that nobody could price counted the relay as its client was charged', async () => {
  const relayed = async (cost: bigint) => {
    const gas = (units: bigint) => sats((units * cost) / 480_000n);
    const { runtime, context } = nodeOn(newFolder(), { first: locked, unpaidGas: 0, gas });
    context.unpaid.note({ swap: id, network, place: relayToCome, amount: sats(0) }, runtime.store, start);
    return claimGasless(context, id, await request(context));
  };
  const charged = terms.networkFeeSats;
  expect([await relayed(2n * charged), await relayed(2n * charged + 1n)]).toMatchObject([
    { status: 'clientredeeming' },
    { refusal: 'flood' },
  ]);
});

test('fault 281, evm: a relay that was asked for and is not signed takes its room from the next one', async () => {
  const gas = (units: bigint) => sats((units * 20n) / 1_000n);
  const { runtime, context } = nodeOn(newFolder(), { first: locked, unpaidGas: 40_000, gas });
  const another = 'b0000000-0000-4000-8000-000000000002';
  const row = swapRow({ id: another, machine: 'arkade-evm', terms, progress: locked, status: 'serverfunded' });
  runtime.commits.open(another, () => ({ row, effects: [] }));
  for (const swap of [id, another])
    context.unpaid.note({ swap, network, place: relayToCome, amount: sats(480) }, runtime.store, start);
  const body = await request(context);
  const first = claimGasless(context, id, body);
  const refused = { refusal: 'flood' };
  expect(await claimGasless(context, another, body)).toMatchObject(refused);
  expect(await first).toMatchObject({ status: 'clientredeeming', tx_hash: '' });
  expect(await claimGasless(context, another, body)).toMatchObject(refused);
  expect(effectsOf(runtime)).toHaveLength(1);
  // Signed, it is counted where that is noted, and here no more.
  deliver(runtime, prepared);
  expect(await claimGasless(context, another, body)).toMatchObject({ status: 'clientredeeming' });
});

test('fault 281, evm: a relay that waits and costs less by now than its lock counted stops no other', async () => {
  const gas = (units: bigint) => sats((units * 20n) / 1_000n);
  const { runtime, context } = nodeOn(newFolder(), { first: locked, unpaidGas: 400_000, gas });
  const another = 'b0000000-0000-4000-8000-000000000002';
  const row = swapRow({ id: another, machine: 'arkade-evm', terms, progress: locked, status: 'serverfunded' });
  runtime.commits.open(another, () => ({ row, effects: [] }));
  for (const [swap, amount] of [
    [id, 10_000],
    [another, 480],
  ] as const)
    context.unpaid.note({ swap, network, place: relayToCome, amount: sats(amount) }, runtime.store, start);
  const body = await request(context);
  const first = claimGasless(context, id, body);
  expect(await claimGasless(context, another, body)).toMatchObject({ status: 'clientredeeming' });
  expect(await first).toMatchObject({ status: 'clientredeeming' });
});

test('a swap that paid for no relay gets none, but for a claim that a reorganisation took', async () => {
  const alone = { ...terms, gasless: false };
  const { context } = nodeOn(newFolder(), { of: alone, first: locked });
  expect(await claimGasless(context, id, await request(context))).toMatchObject({
    refusal: 'invalid',
    sentence: expect.stringContaining('paid for no relay'),
  });
  const reorganised: ArkadeEvmProgress = {
    at: 'claimed',
    claimTxid: null,
    redeemTxid: evmTxid.client,
    relay: null,
    shallow: { reverts: 0, missing: unix(start) },
    ...lockedParts,
  };
  const later = nodeOn(newFolder(), { of: alone, first: reorganised });
  void claimGasless(later.context, id, await request(later.context));
  expect(effectsOf(later.runtime)).toMatchObject([{ act: { is: 'relay-claim' } }]);
});

test('a claim that was seen is answered with its hash when it was ours, and with none when it was not', async () => {
  for (const [by, hash] of [
    [evmTxid.relay, `0x${evmTxid.relay}`],
    [evmTxid.client, ''],
  ] as const) {
    const { runtime, context } = nodeOn(newFolder(), { first: locked });
    const body = await request(context);
    const answer = claimGasless(context, id, body);
    deliver(runtime, prepared, accepted);
    await answer;
    deliver(
      runtime,
      evmSeen([seenLock({ ...lockIs.claimed, txid: by }, { terms: terms.lock, key: swapKey(terms.lock) })]),
    );
    expect(await claimGasless(context, id, body)).toMatchObject({ status: 'clientredeemed', tx_hash: hash });
  }
});

test('fault 15, evm: a claim that a reorganisation took is relayed again, though its swap took the VHTLC', async () => {
  const redeemTxid = evmTxid.relay;
  const first: ArkadeEvmProgress = {
    ...lockedParts,
    at: 'claimed',
    claimTxid: null,
    redeemTxid,
    relay: { txid: redeemTxid },
    shallow: { reverts: 0 },
  };
  const { runtime, context } = nodeOn(newFolder(), { first });
  const row = () => runtime.workingSet.find(id)?.row;
  const own = { terms: terms.lock, key: swapKey(terms.lock) };
  const body = await request(nodeOn(newFolder(), { first: locked }).context);
  const sent = (txid: string, state: SentState): Event => ({ is: 'evm.sent', purpose: 'relay-claim', txid, state });
  deliver(runtime, evmSeen([seenLock(lockIs.active, own)]), sent(redeemTxid, { is: 'waiting', taken: redeemTxid }));
  expect(await claimGasless(context, id, body)).toMatchObject({ tx_hash: `0x${redeemTxid}` });
  expect(effectsOf(runtime)).toEqual([]);
  const reverted: SentState = { is: 'mined', by: redeemTxid, ok: false, confirmations: 1, cost: 1n };
  deliver(runtime, sent(redeemTxid, reverted));
  const answer = claimGasless(context, id, body);
  expect(await claimGasless(context, id, body)).toMatchObject({ status: 'serverredeemed', tx_hash: '' });
  expect(effectsOf(runtime)).toMatchObject([{ act: { is: 'relay-claim', lock: terms.lock, destination } }]);
  deliver(runtime, { is: 'evm.prepared', purpose: 'relay-claim', txid: evmTxid.bumped });
  deliver(runtime, sent(evmTxid.bumped, { is: 'waiting', taken: evmTxid.bumped }));
  expect(await answer).toMatchObject({ status: 'serverredeemed', tx_hash: `0x${evmTxid.bumped}` });
  expect(await claimGasless(context, id, body)).toMatchObject({ tx_hash: `0x${evmTxid.bumped}` });
  expect(effectsOf(runtime)).toHaveLength(1);
  deliver(runtime, evmSeen([seenLock({ ...lockIs.claimedDeep, txid: evmTxid.bumped }, own)]));
  expect(row()).toMatchObject({ status: 'serverredeemed', open: false, flag: null });
});

test('before the lock and after its end there is nothing to claim, and both are told apart', () => {
  const { coin, surplus, extras } = locked as ArkadeEvmProgress & { at: 'locked' };
  const early = nodeOn(newFolder(), { first: { at: 'funded', coin, surplus, extras } });
  const late = nodeOn(newFolder(), {
    first: { at: 'refunding', ...lockedParts, refundTxid: null, relay: null },
  });
  expect([claimStanding(early.context, id), claimStanding(late.context, id)]).toEqual([
    { refusal: 'invalid', sentence: expect.stringContaining('wait until it is serverfunded') },
    { refusal: 'invalid', sentence: expect.stringContaining('take the refund') },
  ]);
});

test('a swap without a relay is refused with the way by its own transaction, and given what that takes', async () => {
  const of: ArkadeEvmTerms = { ...terms, gasless: false };
  const { runtime, context } = nodeOn(newFolder(), { of, first: locked });
  const body = await request(context);
  expect(await claimGasless(context, id, body)).toEqual({
    refusal: 'invalid',
    sentence:
      'This swap was created with gasless false and paid for no relay: claim by a transaction of your own, with ' +
      `what GET /swap/${id}/redeem-and-swap-calldata gives, before ${of.lock.timelock} (evm_refund_locktime, unix ` +
      'time).',
  });
  expect(effectsOf(runtime)).toEqual([]);
  expect((await typedData(context)).data).toMatchObject({ min_amount_out: '100000' });
});

test.each([
  ['erc20', terms.lock],
  ['native', { ...terms.lock, token: zero }],
] as const)('of a lock of ours on an EVM chain (%s) it is said whose it is, and until when', async (kind, lock) => {
  const of: ArkadeEvmTerms = { ...terms, contracts: { ...terms.contracts, kind }, lock };
  const { context } = nodeOn(newFolder(), { of, first: locked });
  const made = 'The lock of this swap on chain 137 is made by the node';
  const back =
    `${made}, and goes back to the node from ${lock.timelock} (evm_refund_locktime, unix time) on: its client gave ` +
    'nothing there to take back. What it gave on Arkade comes back by /api/swap/arkade-evm/{id}/collab-refund, or ' +
    `alone from ${terms.vhtlc.refundLocktime} (vhtlc_refund_locktime, unix time) on.`;
  expect([
    collabRefundEvmParams(context, id),
    refundCalldata(context, id),
    await createFunding(context).permit2Funding(id),
    collabRefundEvmParams(context, id.replace(/1$/, '2')),
  ]).toEqual([
    { refusal: 'forbidden', sentence: back },
    { refusal: 'invalid', sentence: back },
    { refusal: 'invalid', sentence: `${made}: its client gives nothing there, and funds the swap on Arkade.` },
    { refusal: 'unknown-swap', sentence: 'Swap not found: check the id.' },
  ]);
});

test('of a swap whose lock was claimed nothing is given to sign, and a repeated claim is answered', async () => {
  for (const at of ['claiming', 'claimed'] as const) {
    const relay = { txid: evmTxid.relay, by: evmTxid.relay };
    const first = { ...lockedParts, at, claimTxid: null, redeemTxid: evmTxid.relay, relay } as ArkadeEvmProgress;
    const { context } = nodeOn(newFolder(), { first });
    const body = await request(nodeOn(newFolder(), { first: locked }).context);
    const given = { destination, bridgeRecipient: null, bridgeRecipientWallet: null };
    expect(await redeemData(context, id, given)).toEqual({
      refusal: 'invalid',
      sentence: expect.stringMatching(
        /^The lock of this swap was claimed \(\w+\): there is nothing to sign any more\.$/,
      ),
    });
    expect(await claimGasless(context, id, body)).toMatchObject({ tx_hash: `0x${evmTxid.relay}` });
  }
});

test('of the native coin the signature has no token, and what is locked is what is paid', async () => {
  const contracts = { ...terms.contracts, kind: 'native', htlcVersion: '1', coordinatorVersion: null } as const;
  const coin = { address: zero, decimals: 18, symbol: 'RBTC', name: 'Smart Bitcoin' };
  const of: ArkadeEvmTerms = { ...terms, contracts, lock: { ...terms.lock, token: zero }, pegged: coin, target: coin };
  const { runtime, context } = nodeOn(newFolder(), { of, first: locked });
  const data = await typedData(context);
  expect(data.message).toMatchObject({ sweepToken: `0x${'00'.repeat(20)}`, minAmountOut: 100_000n });
  void claimGasless(context, id, await signed(data));
  expect(effectsOf(runtime)).toMatchObject([{ act: { is: 'relay-claim', sweepToken: zero, calls: [] } }]);
});

const router = asEvmAddress(new Uint8Array(20).fill(0x88));
const usdc = { address: asEvmAddress(new Uint8Array(20).fill(0x99)), decimals: 6, symbol: 'USDC', name: 'USD Coin' };
const exchanged: ArkadeEvmTerms = { ...terms, target: usdc, floor: 59_400_000n };
const dex: Pick<DexPort, 'rules'> = { rules: { router, selectors: ['04e45aaf'] } };
const market = { network, pegged: terms.pegged, dex } as unknown as Market;
const sent = { to: `0x${toHex(router)}`, data: '0x04e45aaf01', value: '0' };

function oursFor(data: string) {
  const { to, value, data: approval } = approveCall(terms.lock.token, router, terms.lock.amount);
  return [
    { target: to, value, data: approval },
    { target: router, value: 0n, data: fromHex(data.slice(2)) },
  ];
}

/** Over the calls that the node would have given: its approval of the locked token, and the call of the exchange. */
async function overExchange(context: ServiceContext, callsHash: string, dexCalldata: Body[string] | null) {
  const direct = await typedData(nodeOn(newFolder(), { first: locked }).context);
  const message = {
    ...direct.message,
    sweepToken: `0x${toHex(usdc.address)}`,
    minAmountOut: exchanged.floor,
    callsHash,
  };
  return claimGasless(
    context,
    id,
    await signed({ ...direct, message }, dexCalldata === null ? {} : { dex_calldata: dexCalldata }),
  );
}

/** An exchange whose calls for the locked amount are these now. */
const exchange = (data: string): Market => ({
  ...market,
  dex: {
    ...dex,
    quote: async () => ({ amountIn: terms.lock.amount, amountOut: exchanged.floor + 1n, pinned: 'in' }) as DexQuote,
    calls: () => oursFor(data) as unknown as ReturnType<DexPort['calls']>,
  } as unknown as DexPort,
});

test('calldata of an exchange that is not sent back is read anew, and has to be what was signed', async () => {
  const { runtime, context } = nodeOn(newFolder(), { of: exchanged, first: locked, market: exchange(sent.data) });
  const calls = (data: string) => `0x${toHex(callsHash(oursFor(data)))}`;
  expect(await overExchange(context, calls('0x04e45aaf02'), null)).toMatchObject({
    refusal: 'invalid',
    sentence: expect.stringContaining('dex_calldata'),
  });
  expect(effectsOf(runtime)).toEqual([]);
  void overExchange(context, calls(sent.data), null);
  await expect
    .poll(() => effectsOf(runtime))
    .toMatchObject([{ act: { is: 'relay-claim', sweepToken: usdc.address, minAmountOut: exchanged.floor } }]);
});

test('the calldata of an exchange is used as it is sent back, and only if it is one of ours', async () => {
  const { runtime, context } = nodeOn(newFolder(), { of: exchanged, first: locked, market });
  const calls = `0x${toHex(callsHash(oursFor(sent.data)))}`;
  for (const other of [
    { ...sent, to: `0x${'44'.repeat(20)}` },
    { ...sent, data: '0xdeadbeef' },
    { ...sent, value: '1' },
  ])
    expect(await overExchange(context, calls, other)).toMatchObject({
      refusal: 'invalid',
      sentence: expect.stringContaining('dex_calldata'),
    });
  expect(await overExchange(context, calls, { ...sent, data: '0x04e45aaf02' })).toMatchObject({ refusal: 'invalid' });
  expect(effectsOf(runtime)).toEqual([]);
  void overExchange(context, calls, sent);
  await expect
    .poll(() => effectsOf(runtime))
    .toMatchObject([
      {
        act: {
          calls: [{ target: terms.lock.token }, { target: router }],
          sweepToken: usdc.address,
          minAmountOut: 59_400_000n,
        },
      },
    ]);
});

const ourLock = { at: 'locked', reverts: 0, sent: evmTxid.lock, fundTxid: evmTxid.lock } as const;
const invoice = { bolt11: 'lnbcrt1', invoiceExpiresAt: unix(start + 7_200), expiryHeight: height(900_162) };
/** Our lock stands, in each direction whose client claims one. */
const everyLocked: readonly (readonly [Name, Terms, Progress])[] = [
  ['arkade-evm', arkadeEvmTerms, locked],
  ['bitcoin-evm', bitcoinEvmTerms, { ...ourLock, coin: coinPoint, surplus: sats(0), extras: [] }],
  ['lightning-evm', lightningEvmTerms, { ...ourLock, ...invoice }],
];

test.each(everyLocked)(
  '%s: USDC that goes on is sent by a third call, its floor in the exchange, nothing left to sweep',
  async (name, theirs, first) => {
    const adapter = asEvmAddress(new Uint8Array(20).fill(0xad));
    const recipient = new Uint8Array([...new Uint8Array(12), ...new Uint8Array(20).fill(0xbb)]);
    const onward = { chain: 'Base', usdc: `0x${'83'.repeat(20)}`, domain: 6, recipient, fee: 200_000n };
    const { target, floor } = exchanged;
    const of: Terms = { ...theirs, lock: { ...theirs.lock, claimAddress }, target, floor, onward };
    const floors: bigint[] = [];
    const payees: EvmAddress[] = [];
    const [approval, exchange] = oursFor(sent.data) as [Call, Call];
    const pools = {
      ...dex,
      quote: () => Promise.resolve({ amountOut: 60_000_000n }),
      calls(_quote: unknown, floor: bigint, payee: EvmAddress) {
        floors.push(floor);
        payees.push(payee);
        return [approval, exchange];
      },
    };
    const bridge = {
      chainId: 137,
      usdc: usdc.address,
      adapter,
      fees: { ethereum: 1_250_000, others: 200_000 },
      stands: () => Promise.resolve(true),
    };
    const over = { ...market, dex: pools, bridge } as unknown as Market;
    const { runtime, context } = nodeOn(newFolder(), { name, of, first, market: over });
    const data = await typedData(context);
    const calls = [
      approval,
      exchange,
      bridgeCall(adapter, { domain: 6, recipient, maxFee: 200_000n, hookData: forwardingHook(null) }),
    ];
    expect(data.data).toMatchObject({ min_amount_out: '0', calls_hash: `0x${toHex(callsHash(calls))}` });
    expect([floors, payees]).toEqual([[59_600_000n], [adapter]]);
    void claimGasless(context, id, await signed(data, { dex_calldata: sent }));
    await expect
      .poll(() => effectsOf(runtime))
      .toMatchObject([{ act: { calls, sweepToken: usdc.address, minAmountOut: 0n } }]);
    expect(recordOn(context)).toMatchObject({
      bridge_target_chain: 'Base',
      bridge_target_token_address: onward.usdc,
      target_token: { symbol: 'USDC', chain: '137' },
    });
  },
);
