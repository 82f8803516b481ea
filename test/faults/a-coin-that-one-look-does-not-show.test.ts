import { describe, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { SeenHtlcCoin } from '../../engine/legs/onchain/events.ts';
import { htlcScript } from '../../engine/legs/onchain/htlc.ts';
import type { BitcoinPort, ChainTx } from '../../engine/legs/onchain/port.ts';
import { publicKeyOf } from '../../engine/legs/secp256k1.ts';
import { name, newReading, readHtlc } from '../../engine/runtime/networks/onchain/read-htlc.ts';
import type { Event, Machine } from '../../engine/swap/machine.ts';
import { clientPublic, keyOf, termsOf } from '../runtime/onchain/support.ts';
import { bitcoin, bitcoinArkadeCase, fundPoint } from '../swap/bitcoin-arkade-cases.ts';
import { bitcoinEvmCase } from '../swap/bitcoin-evm-cases.ts';
import { bitcoinLightningCase } from '../swap/bitcoin-lightning-cases.ts';
import { clocksAt, coinPoint, otherPoint, start, startHeight, type Case } from '../swap/cases.ts';
import { representatives } from '../swap/table.ts';
import { claimed, claimTxid, coinOf, takeEvmBitcoinCase, takenBack, terms } from '../taker/evm-bitcoin-cases.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';

/*
 * The owner's node is away for one look, or reads its mempool after a reorganisation, and what is left shows what it
 * likes: not the coin that was paid, and others beside it.
 */

const now = clocksAt(start + 60);

function look(height: number, ...coins: readonly SeenHtlcCoin[]): Event & { is: 'htlc.seen' } {
  return { is: 'htlc.seen', coins, height, mtp: unix(start), asked: unix(start) };
}

/** The state after these events, and all that was asked for; one that changes nothing is passed over. */
function after<T, P extends { readonly at: string }>(
  machine: Machine<T, P>,
  of: { readonly terms: T; readonly from: P; readonly at?: Clocks },
  ...events: readonly Event[]
) {
  let progress = of.from;
  const coins: (Outpoint | null)[] = [];
  for (const event of events) {
    const step = machine.step(of.terms, progress, event, of.at ?? now);
    if (step === 'stay') continue;
    progress = machine.shape.progress.read(step.progress, 1);
    for (const effect of step.effects) if (effect.do === 'htlc.spend') coins.push(effect.coin);
  }
  return { progress: progress as P & Record<string, unknown>, coins };
}

const prepared = (purpose: 'claim' | 'refund', id = claimTxid): Event => ({
  ...{ is: 'onchain.prepared', leg: 'bitcoin', purpose, txid: id, rate: 2, capped: false, height: startHeight },
  amount: sats(100_000),
});

describe('the coin of a client', () => {
  const other = (change: Partial<SeenHtlcCoin> = {}) => bitcoin({ outpoint: otherPoint, ...change });
  const t = bitcoinArkadeCase.terms;
  const stateOf = (at: string) => representatives(bitcoinArkadeCase).get(at)!;

  const cases = { bitcoinArkadeCase, bitcoinEvmCase, bitcoinLightningCase } as unknown as Record<
    string,
    Case<unknown, { readonly at: string; readonly coin?: Outpoint }>
  >;
  test.each(Object.entries(cases))(
    'fault 244, bitcoin: what waits in a mempool never takes the place of the coin that was paid: %s',
    (_, { machine, terms: of, ...it }) => {
      const behind = [...representatives({ machine, terms: of, ...it }).values()].filter(
        (p) => p.coin !== undefined && machine.open(of, p) && p.at !== 'seen',
      );
      expect(behind.length).toBeGreaterThan(3);
      const amount = (of as { sourceAmount: SeenHtlcCoin['amount'] }).sourceAmount;
      const waits = look(startHeight, bitcoin({ amount, outpoint: otherPoint, height: null }));
      const next = behind.map((from) => after(machine, { terms: of, from }, waits));
      expect(next.map(({ progress }) => progress.coin)).toEqual(behind.map(({ coin }) => coin));
      expect(next.flatMap(({ coins }) => coins)).toEqual([]);
    },
  );

  test('fault 244, bitcoin: another coin stands for it as deep as it had to be itself, and not before', () => {
    const deep = { ...t, confirmations: 3 };
    const at = [startHeight, startHeight - 1, startHeight - 2].map((height) => {
      const from = stateOf('locked');
      return after(bitcoinArkadeCase.machine, { terms: deep, from }, look(startHeight, other({ height }))).progress
        .coin;
    });
    expect(at).toEqual([fundPoint, fundPoint, otherPoint]);
  });

  test('fault 244, bitcoin: nothing takes the place of one of which a claim is signed', () => {
    const of = { terms: t, from: stateOf('claiming') };
    const { coins } = after(bitcoinArkadeCase.machine, of, prepared('claim'), look(startHeight + 9, other()));
    expect(coins).toEqual([]);
  });

  test('fault 244, bitcoin: one that was in a block, and is on no list, is there with its transaction', async () => {
    const htlc = termsOf(clientPublic, publicKeyOf(keyOf('ours')), start + 100_000);
    const tip = { hash: '00'.repeat(32), height: 900, time: unix(start), mtp: unix(start) };
    const coin = { outpoint: coinPoint, amount: sats(100_000) };
    const shown = async (tx: ChainTx | null, height: number | null = 890) => {
      const reading = newReading(htlc, () => []);
      name(reading, [coin]);
      const port = { spend: async () => null, transaction: async () => tx } as unknown as BitcoinPort;
      await readHtlc(reading, [{ ...coin, script: htlcScript(htlc).pkScript, height }], { bitcoin: port, tip });
      return readHtlc(reading, [], { bitcoin: port, tip });
    };
    const waits = { bytes: new Uint8Array(1), height: null };
    expect([await shown(waits), await shown(null), await shown(waits, null)]).toEqual([
      [{ ...coin, height: null, spend: null }],
      [],
      [],
    ]);
  });
});

describe('the coin of a provider, with the secret out', () => {
  const { machine } = takeEvmBitcoinCase;
  const claiming = representatives(takeEvmBitcoinCase).get('claiming') as never as { target: object; at: string };
  const at = evmClocksAt(start + 7_200);
  const tip = startHeight + 12;
  const other = (change: Partial<SeenHtlcCoin> = {}) => coinOf(change, otherPoint);
  const afterClaim = (spends: readonly string[], ...events: readonly Event[]) => {
    const target = { ...claiming.target, coin: { outpoint: coinPoint, amount: sats(100_000) }, spends, shown: true };
    return after(machine, { terms, from: { ...claiming, target } as never, at }, ...events);
  };

  test('fault 245, bitcoin: nothing but a whole coin that is buried ends a claim that is on its way', () => {
    const others = [
      other({ amount: sats(330) }),
      other({ height: null }),
      other({ height: tip - 4 }),
      other({ height: tip - 5 }),
    ];
    const all = others.map((one) => afterClaim([claimTxid], look(tip, one)).coins);
    expect(all).toEqual([[], [], [], [otherPoint]]);
  });

  test('fault 245, bitcoin: before one is signed a whole coin in any block will do, and no less', () => {
    const others = [other({ amount: sats(330) }), other({ height: null }), other({ height: tip })];
    expect(others.map((one) => afterClaim([], look(tip, one)).coins)).toEqual([[], [], [otherPoint]]);
  });

  test('fault 245, bitcoin: a coin that shows again with our claim is claimed on, the other being away', () => {
    const missing = look(tip, other({ height: tip }));
    const back = look(tip, coinOf({ spend: claimed(null) }));
    const { coins, progress } = afterClaim([], missing, back);
    expect([coins, (progress as never as { target: { coin: object } }).target.coin]).toMatchObject([
      [otherPoint, coinPoint],
      { outpoint: coinPoint },
    ]);
  });

  test('fault 245, bitcoin: a whole coin whose refund is not buried is claimed before dust', () => {
    const funded = representatives(takeEvmBitcoinCase).get('funded') as never as { target: object };
    const none = { coin: null, unsafe: null, claimTxid: null, takenBack: false };
    const from = { ...funded, takenBy: claimTxid, target: none } as never;
    const dust = other({ amount: sats(330) });
    const begun = (...events: readonly Event[]) => after(machine, { terms, from, at }, ...events).coins;
    const waits = coinOf({ spend: takenBack(null) });
    expect([
      begun(look(tip, dust, waits)),
      begun(look(tip, other({ height: null, spend: claimed(null) }), coinOf())),
      begun(look(tip, dust), prepared('claim'), look(tip, dust, coinOf())),
    ]).toEqual([[coinPoint], [coinPoint], [otherPoint, coinPoint]]);
  });
});
