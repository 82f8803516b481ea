import { expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { unix, type Clocks, type ReadClocks } from '../../engine/domain/time.ts';
import type { EvmPort, EvmReceipt } from '../../engine/legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../engine/legs/evm/swap-key.ts';
import type { OnlyIf } from '../../engine/legs/only-if.ts';
import type { PayRequest } from '../../engine/legs/lightning/port.ts';
import { payoutLeg } from '../../engine/legs/lightning/timelocks.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import { gasOf } from '../../engine/quote/gas.ts';
import { createGasToCome, type GasToCome } from '../../engine/runtime/networks/evm/gas-to-come.ts';
import type { TransactionRow } from '../../engine/store/transactions.ts';
import { judgeDeposit } from '../../engine/runtime/networks/evm/judge.ts';
import { deadlinePassed } from '../../engine/runtime/networks/late.ts';
import type { LightningContext } from '../../engine/runtime/networks/lightning/context.ts';
import { pay } from '../../engine/runtime/networks/lightning/pay.ts';
import type { RulesOf } from '../../engine/runtime/networks/evm/rules.ts';
import { forbidden } from '../../engine/runtime/networks/only-if.ts';
import { NotYet } from '../../engine/runtime/not-yet.ts';
import type { Ports } from '../../engine/runtime/ports.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { openStore } from '../store/support.ts';
import { clocksAt, hash, start } from '../swap/cases.ts';
import { anyGas, noClaims } from './support.ts';

const network = 'evm:137';
const address = (byte: number) => asEvmAddress(new Uint8Array(20).fill(byte));
const clocks: ReadClocks = { ...clocksAt(start), [network]: { mtp: start, height: 1_000 } };
const offered = payoutLeg({ clocks, network, finalCltv: 80, policy });
if (isRefusal(offered)) throw new Error(offered.sentence);
const leg = offered;

const lock: LockTerms = {
  preimageHash: hash,
  amount: 100_260n,
  token: address(1),
  refundAddress: address(2),
  claimAddress: address(3),
  timelock: BigInt(leg.refundLocktime),
};
const made = { is: 'created', terms: lock } as const;
const event = { htlc: address(9), preimageHash: hash, key: swapKey(lock), txid: 'aa'.repeat(32), height: 985 };
const mined: EvmReceipt = {
  ok: true,
  height: 985,
  blockHash: 'bb'.repeat(32),
  cost: 1n,
  events: [{ ...event, blockHash: 'bb'.repeat(32), logIndex: 0, what: made }],
  transfers: [],
};
const facts: NonNullable<OnlyIf['deposit']> = {
  network,
  htlc: address(9),
  lock,
  txid: 'aa'.repeat(32),
  confirmations: 16,
  agreed: true,
  value: sats(100_000n),
  finalCltv: 80,
  invoiceExpiresAt: unix(start + 7_200),
  policy,
};

interface Chain {
  readonly receipt: EvmReceipt | null;
  readonly active: boolean;
  readonly height: number;
  readonly disagreement: string | null;
  /** Wei of our account. */
  readonly held: bigint;
}

type Questions = Pick<
  EvmPort,
  'account' | 'sureBalance' | 'receipt' | 'isActive' | 'tip' | 'gasFees' | 'disagreement' | 'rpcs'
>;

function chainOf(change: Partial<Chain> = {}): { readonly port: Questions; readonly agreed: (boolean | undefined)[] } {
  const { receipt, active, height, disagreement, held }: Chain = {
    ...{ receipt: mined, active: true, height: 1_000, disagreement: null, held: 10n ** 30n },
    ...change,
  };
  const agreed: (boolean | undefined)[] = [];
  const port: Questions = {
    async receipt(_, how) {
      agreed.push(how?.agreed);
      return receipt;
    },
    async isActive(_, question, how) {
      agreed.push(how?.agreed);
      return active && question === lock;
    },
    tip: async () => ({ height, hash: 'cc'.repeat(32), time: start }),
    gasFees: async () => ({ is: 'legacy', price: 1n }),
    disagreement: () => disagreement,
    rpcs: () => [],
    account: () => address(3),
    sureBalance: async () => held,
  };
  return { port, agreed };
}

/** What the judge says of the deposit, and of which questions it wanted two RPCs to agree. */
async function judged(change: Partial<Chain> = {}, of: Partial<typeof facts> = {}) {
  const { port, agreed } = chainOf(change);
  const context = { ...noClaims, ports: { bitcoin: null, [network]: port as EvmPort }, clock: { now: () => clocks } };
  const safety = await judgeDeposit({ ...facts, ...of }, context, leg.maxTimeoutHeight);
  return { verdict: safety === null ? 'safe' : `${safety.unsafe}: ${safety.sentence}`, agreed };
}

test('a deposit that stands, deep enough, may be paid for, and two RPCs are asked where there are two', async () => {
  expect([await judged(), (await judged({}, { agreed: false })).agreed]).toEqual([
    { verdict: 'safe', agreed: [true, true] },
    [true, false],
  ]);
});

test('fault 36, evm: a deposit that is a ghost, of another lock, gone or too shallow is waited for', async () => {
  const other = { ...mined, events: [{ ...event, key: new Uint8Array(32), blockHash: '', logIndex: 0, what: made }] };
  const elsewhere = { ...mined, events: mined.events.map((one) => ({ ...one, htlc: address(8) })) };
  const ghosts: Partial<Chain>[] = [
    ...[null, { ...mined, ok: false }, { ...mined, events: [] }, other, elsewhere].map((receipt) => ({ receipt })),
    { active: false },
  ];
  const verdicts = await Promise.all(ghosts.map(async (ghost) => (await judged(ghost)).verdict));
  expect(verdicts).toEqual(ghosts.map(() => 'wait: The lock is not seen on its chain now.'));
  expect((await judged({ height: 999 })).verdict).toBe('wait: The lock is buried under 15 blocks; 16 are needed.');
});

test('fault 36, evm: nothing is paid while the RPCs of the chain disagree', async () => {
  expect((await judged({ disagreement: 'They differ.' })).verdict).toBe('wait: They differ.');
});

test('fault 60, evm: a payment for a deposit is late by the clock of its own chain alone', () => {
  const onlyIf: OnlyIf = { notAfter: start, deposit: facts };
  const at = (mtp: number): ReadClocks => ({ ...clocks, [network]: { mtp: unix(mtp), height: 1 } });
  expect([
    deadlinePassed(onlyIf, at(start)),
    deadlinePassed(onlyIf, at(start + 1)),
    deadlinePassed(onlyIf, { ...clocksAt(start + 90_000), [network]: { mtp: start, height: 1 } }),
    deadlinePassed(onlyIf, clocksAt(start + 90_000)),
  ]).toEqual([false, true, false, false]);
});

/** A payment for the deposit whose clocks are these, one after the other and then the last; what came of it. */
async function paid(...readings: readonly Clocks[]) {
  const sent: PayRequest[] = [];
  const answers: Event[] = [];
  let looks = 0;
  const clock = { now: () => readings[Math.min(looks++, readings.length - 1)] ?? clocks };
  const { port } = chainOf();
  const ports = { bitcoin: null, [network]: port as EvmPort } as unknown as Ports;
  const context = {
    ports: {
      lightning: {
        payment: async () => ({ is: 'absent' }),
        info: async () => ({ height: clocks.bitcoin.height, synced: true }),
        closingFunds: async () => ({ coins: 1_000_000n, channels: 0, htlcs: [], hashes: [], theirs: [] }),
        pay: async (request: PayRequest) => void sent.push(request),
      },
      bitcoin: { feeRate: async () => 2 },
    },
    store: { intents: { has: () => false, note: () => undefined } },
    row: { subject: 'a swap' },
    clock,
    judge: {
      forbidden: (onlyIf: OnlyIf, most: number) => forbidden(onlyIf, most, { ports, clock, ...noClaims, evm: anyGas }),
    },
    answer: (event: Event) => answers.push(event),
    together: (act: () => void) => Promise.resolve(act()),
  } as unknown as LightningContext;
  const { maxTimeoutHeight } = leg;
  const payment = { bolt11: 'lnbcrt1', hash, amount: sats(100_000n), maxFeeMsat: 1_000n, maxTimeoutHeight };
  const effect = { do: 'pay', payment, onlyIf: { notAfter: leg.payBefore, deposit: facts } } as const;
  const waits = await pay(effect, context).catch((cause: unknown) => {
    if (!(cause instanceof NotYet)) throw cause;
    return cause.message;
  });
  return { waits, answers, sent: sent.map((request) => request.maxTimeoutHeight - maxTimeoutHeight) };
}

test('a payment waits for a clock that is read only while it is judged, and is not refused for good', async () => {
  const { [network]: _, ...unread } = clocks;
  const bitcoinUnread = { ...clocks, bitcoin: { mtp: null, height: null } };
  const waiting = (waits: string) => ({ waits, answers: [], sent: [] });
  expect([await paid(clocks), await paid(unread, unread, clocks), await paid(clocks, bitcoinUnread, clocks)]).toEqual([
    { waits: undefined, answers: [{ is: 'payment.started' }], sent: [0] },
    waiting('The clock of the EVM chain has not been read yet.'),
    waiting('The Bitcoin clock has not been read yet.'),
  ]);
});

test('fault 184, evm: a payment waits while gas is dear for its deposit, and not for want of a price', async () => {
  const { port } = chainOf();
  async function mayPay(price: bigint, evm: RulesOf = anyGas, isBegun = false): Promise<string | null> {
    const gasFees = async () => ({ is: 'legacy', price }) as const;
    const ports = { bitcoin: null, [network]: { ...port, gasFees } } as unknown as Ports;
    const context = { ports, clock: { now: () => clocks }, ...noClaims, evm };
    const onlyIf = { notAfter: leg.payBefore, deposit: facts };
    return forbidden(onlyIf, leg.maxTimeoutHeight, context, async () => isBegun).catch(
      ({ message }: NotYet) => message,
    );
  }
  const most = (facts.value * 10n ** 10n) / 8n / gasOf.claim;
  const unpriced: RulesOf = () => ({ ...anyGas(network), price: null });
  expect([await mayPay(most), await mayPay(most + 1n), await mayPay(most + 1n, anyGas, true)]).toEqual([
    null,
    `gas costs ${most + 1n} wei, and a claim may pay at most ${most} before anything is given for it`,
    null,
  ]);
  expect(await mayPay(most + 1n, unpriced)).toBeNull();
});

/** Of swaps whose client's lock is deep enough, and for which nothing is given yet. */
function gasOfDeposits(ids: readonly string[], store = openStore().store): GasToCome {
  const claim = { on: 'evm', network, lock } as never;
  const machine = { rescue: () => ({ claim, refund: { on: 'lightning', hash }, shown: false }) };
  const all = () => ids.map((id) => ({ row: { id, machine: 'evm-lightning', progress: { at: 'funded' } }, machine }));
  return createGasToCome({ workingSet: { all: all as never }, store });
}

test('fault 255, evm: nothing is paid for more locks than the account has the gas to claim', async () => {
  const [price, claim] = [1_000n, 2n * gasOf.claim * 1_000n];
  const gasToCome = gasOfDeposits(['first', 'second']);
  async function mayPay(swap: string, held: bigint, isBegun = false): Promise<string | null> {
    const port = { ...chainOf({ held }).port, gasFees: async () => ({ is: 'legacy', price }) as const };
    const ports = { bitcoin: null, [network]: port } as unknown as Ports;
    const context = { ports, clock: { now: () => clocks }, ...noClaims, evm: anyGas, swap, gasToCome };
    const onlyIf = { notAfter: leg.payBefore, deposit: facts };
    return forbidden(onlyIf, leg.maxTimeoutHeight, context, async () => isBegun).catch(
      ({ message }: NotYet) => message,
    );
  }
  const lacks = (wei: bigint) => expect.stringContaining(`lacks ${wei} wei to claim by itself`) as unknown;
  expect(await mayPay('first', claim - 1n)).toEqual(lacks(1n));
  // Both at once find the coins for one.
  expect(await Promise.all([mayPay('first', claim), mayPay('second', claim)])).toEqual([null, lacks(claim)]);
  // What is given is never held back, nor does it wait for what waits for it.
  expect([await mayPay('second', claim, true), await mayPay('first', claim)]).toEqual([null, null]);
  expect(await mayPay('second', 2n * claim)).toBeNull();
});

test('fault 255, evm: the relay of a funding gives nothing, so swaps that wait do not count each other', () => {
  const { store } = openStore();
  const relay = { purpose: 'relay-fund', leg: 'evm', state: 'final' } as TransactionRow;
  const of = (_: string, leg?: string) => (leg === undefined || leg === 'evm' ? [relay] : []);
  const gasToCome = gasOfDeposits(['first', 'second'], { ...store, transactions: { ...store.transactions, of } });
  expect(gasToCome.beside(network, 'first', 1_000n)).toBe(0n);
});
