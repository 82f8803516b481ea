import { expect, test } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { newTx } from '../../../engine/legs/psbt.ts';
import { arkadeEvmDirection } from '../../../engine/service/directions/arkade-evm.ts';
import { evmBitcoinDirection } from '../../../engine/service/directions/evm-bitcoin.ts';
import { lightningArkadeDirection } from '../../../engine/service/directions/lightning-arkade.ts';
import { onChain } from '../../../engine/service/directions/direction.ts';
import { accountName, createUnpaid } from '../../../engine/service/evm/unpaid.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import type { Committed } from '../../../engine/runtime/commit.ts';
import type { SwapStatus } from '../../../engine/domain/status.ts';
import { openStore, swapRow } from '../../store/support.ts';

const network = 'evm:137';
const now = 1_760_500_000;
const account = (byte: number) => asEvmAddress(new Uint8Array(20).fill(byte));
const arkadeEvm = onChain(arkadeEvmDirection, network);
const evmBitcoin = onChain(evmBitcoinDirection, network);

/** A payment on Arkade out of the coins of one wallet. */
function paymentOf(wallet: number): { txid: string; bytes: Uint8Array } {
  const tx = newTx({ version: 3, lockTime: 0 });
  const script = Uint8Array.of(0x51, 0x20, ...new Uint8Array(32).fill(wallet));
  tx.addInput({ txid: '11'.repeat(32), index: wallet, witnessUtxo: { script, amount: 1_000n } });
  tx.addOutput({ script, amount: 1_000n });
  return { txid: tx.id, bytes: tx.toPSBT() };
}

/** A node with a thousand sats a day for what brings no fee: strangers have 500, one of them 125. */
function node() {
  const { store } = openStore();
  const entries = new Map<string, { row: ReturnType<typeof swapRow> }>();
  const payments = [1, 2].map(paymentOf);
  let listener: (committed: Committed) => void = () => undefined;
  const questions: string[] = [];
  const working: Promise<unknown>[] = [];
  const context = {
    runtime: {
      store,
      workingSet: { find: (id: string) => entries.get(id) ?? null },
      clock: { now: () => ({ wall: unix(now), bitcoin: { mtp: null, height: null } }) },
      commits: { onCommit: (next: typeof listener) => void (listener = next) },
      background: (_: string, work: () => Promise<unknown>) => void working.push(work()),
      ports: {
        arkade: {
          async virtualTxs(txids: readonly string[]) {
            questions.push(...txids);
            return new Map(payments.flatMap(({ txid, bytes }) => (txids.includes(txid) ? [[txid, bytes]] : [])));
          },
        },
      },
    },
    directions: { of: (machine: string) => (machine === 'arkade-evm' ? direction : null) },
    config: { ceilings: { unpaidGasPerDaySats: 1_000 } },
  } as unknown as ServiceContext;
  const direction = {
    ...arkadeEvmDirection,
    deposit: () => null,
    claim: ({ terms }: { terms: unknown }) => ({ lock: { claimAddress: (terms as { by: Uint8Array }).by } }),
    vhtlc: () => ({ byClient: {} }),
  };
  const unpaid = createUnpaid(context);
  unpaid.start();
  let swaps = 0;
  return {
    store,
    unpaid,
    questions,
    /** A swap that this address opened, by this account, paid by this wallet. */
    swap(client: string | null, by: number, wallet: number | null = null): string {
      const id = `a0000000-0000-4000-8000-0000000000${(swaps += 1) + 10}`;
      const coin = wallet === null ? null : { txid: payments[wallet - 1]?.txid ?? '', vout: 0 };
      const row = swapRow({
        id,
        machine: 'arkade-evm',
        terms: { by: account(by) },
        progress: { at: 'funded', coin } as never,
      });
      entries.set(id, { row });
      unpaid.opened(id, client);
      return id;
    },
    spend(swap: string, amount: number): void {
      unpaid.note({ swap, network, place: '1', amount: sats(amount) }, store, now - 60);
    },
    /** The swap ends with its fee. */
    async bring(swap: string): Promise<void> {
      const entry = entries.get(swap);
      const row = { ...entry?.row, status: 'serverredeemed' as SwapStatus };
      listener({ entry: { row }, from: { at: 'claiming', status: 'clientredeemed' } } as never);
      await Promise.all(working.splice(0));
    },
    full: async (swap: string) => {
      await unpaid.ready(swap, network);
      return unpaid.full(swap, network);
    },
  };
}

const usedUp = /used up/;

test('fault 67, evm: four accounts behind one address use up what that address may, and nobody else’s', async () => {
  const { swap, spend, full, unpaid } = node();
  for (const by of [1, 2, 3, 4]) spend(swap('203.0.113.1', by), 40);
  expect(await full(swap('203.0.113.1', 5))).toMatch(usedUp);
  expect(await full(swap('203.0.113.2', 6))).toBeNull();
  const opener = (client: string, by: number) => ({ client, account: account(by) });
  expect(unpaid.stops(arkadeEvm, opener('203.0.113.1', 7))).toMatchObject({ refusal: 'flood', retryAfter: 86_400 });
  expect(unpaid.stops(arkadeEvm, opener('203.0.113.2', 7))).toBeNull();
});

test('one account behind four addresses is one client too', async () => {
  const { swap, spend, full } = node();
  for (const last of [1, 2, 3, 4]) spend(swap(`203.0.113.${last}`, 1), 40);
  expect([await full(swap('203.0.113.5', 1)), await full(swap('203.0.113.5', 2))]).toEqual([
    expect.stringMatching(usedUp),
    null,
  ]);
});

test('who paid is known by the keys whose coins did: no other can lock on its account', async () => {
  const { swap, spend, full, bring, unpaid, store } = node();
  const first = swap('198.51.100.1', 9, 1);
  spend(first, 100);
  await bring(first);
  expect([store.outlays.since(network, 0).all, store.outlays.hasPaid(accountName(account(9)))]).toEqual([0n, true]);
  for (let i = 0; i < 5; i++) spend(swap(`203.0.113.${i}`, 20 + i), 100);
  const create = (by: number) => unpaid.stops(arkadeEvm, { client: '198.51.100.2', account: account(by) });
  expect([create(8)?.refusal, create(9)]).toEqual(['flood', null]);
  expect([
    await full(swap('198.51.100.2', 9, 1)),
    await full(swap('198.51.100.3', 10, 1)),
    await full(swap('198.51.100.2', 9, 2)),
    await full(swap('198.51.100.2', 9)),
  ]).toEqual([null, null, expect.stringMatching(usedUp), expect.stringMatching(usedUp)]);
});

test('strangers behind the address of who paid before leave half of its part', async () => {
  const { swap, spend, full, bring } = node();
  await bring(swap('198.51.100.1', 9, 1));
  spend(swap('198.51.100.1', 20), 130);
  expect([await full(swap('198.51.100.1', 21)), await full(swap('198.51.100.1', 9, 1))]).toEqual([
    expect.stringMatching(usedUp),
    null,
  ]);
});

test('fault 104, evm: strangers that name the account of who paid before leave half of its part', async () => {
  const { swap, spend, full, bring } = node();
  await bring(swap('198.51.100.1', 9, 1));
  let locks = 0;
  for (let i = 0; i < 20; i++) {
    const id = swap(`203.0.113.${i}`, 9);
    if ((await full(id)) !== null) continue;
    spend(id, 20);
    locks += 1;
  }
  expect([locks, await full(swap('198.51.100.2', 9, 1))]).toEqual([7, null]);
});

test('who paid is asked of the operator where it decides, and once', async () => {
  const { swap, spend, full, questions } = node();
  const one = swap('203.0.113.1', 1, 1);
  await full(one);
  expect(questions).toEqual([]);
  spend(one, 125);
  await full(one);
  await full(one);
  expect(questions).toHaveLength(1);
});

test('the owner’s own swaps stop at the whole of it alone', async () => {
  const { swap, spend, full, unpaid } = node();
  spend(swap('203.0.113.1', 1), 600);
  expect([await full(swap(null, 2)), unpaid.stops(arkadeEvm, { client: null, account: null })]).toEqual([null, null]);
});

test('fault 67, bitcoin: what one network may cost stops the directions that spend there', () => {
  const { unpaid, store } = node();
  const whose = { clients: ['address:203.0.113.1'], paidBefore: false };
  store.outlays.put({ swap: 'a', network: 'bitcoin', place: 'fund', amount: sats(500) }, whose, now - 60);
  const opener = { client: '203.0.113.9', account: account(1) };
  expect([
    unpaid.stops(evmBitcoin, opener)?.refusal,
    unpaid.stops(arkadeEvm, opener),
    unpaid.stops(lightningArkadeDirection, { ...opener, account: null }),
  ]).toEqual(['flood', null, null]);
});

test('what is no client’s swap is neither counted nor stopped', async () => {
  const { unpaid, store } = node();
  unpaid.note({ swap: 'a job', network, place: '1', amount: sats(5_000) }, store, now);
  expect([store.outlays.since(network, 0).all, unpaid.full('a job', network)]).toEqual([0n, null]);
});
