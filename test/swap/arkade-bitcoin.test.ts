import { describe, expect, test } from 'vitest';
import { decode, encode } from '../../engine/store/codec.ts';
import { longestFor } from '../../engine/legs/block-times.ts';
import { viewArkadeBitcoin, type ArkadeBitcoinProgress } from '../../engine/swap/directions/arkade-bitcoin.ts';
import type { Event, SwapStep } from '../../engine/swap/machine.ts';
import { arkadeBitcoinCase, arkadeBitcoinTerms as t, calledOf, clocksOf, last } from './arkade-bitcoin-cases.ts';
import { clocksAt, coin, coinPoint, preimage, spentBy, start, startHeight } from './cases.ts';
import {
  bitcoinTx,
  claimedBy,
  height,
  lookAtHtlc,
  otherCoin,
  output,
  prepared,
  refundedBy,
  seenCoin,
} from './evm-bitcoin-cases.ts';
import { explore } from './explore.ts';
import { clocksAtHeight } from './lightning-bitcoin-cases.ts';

type P = ArkadeBitcoinProgress;
const { machine, first } = arkadeBitcoinCase;
const { states } = explore(arkadeBitcoinCase);
const { refundHeight } = t.htlc;

function stepFrom(p: P, event: Event, now = clocksAtHeight(height)): SwapStep<P> {
  const step = machine.step(t, p, event, now);
  if (step === 'stay') throw new Error(`${event.is} changes nothing in ${p.at}`);
  return step;
}

const does = ({ effects }: SwapStep<P>) =>
  effects.map((effect) => ('purpose' in effect ? `${effect.do} ${effect.purpose}` : effect.do));
const facts = { id: 'swap', createdAt: start, status: 'pending', network: 'regtest' } as const;
const exact: Event = { is: 'vhtlc.seen', coins: [coin()] };
const refund: Event = { is: 'refund.cosign.requested', coins: [coinPoint] };
const clock: Event = { is: 'clock' };
const signed: Event = {
  is: 'onchain.prepared',
  leg: 'bitcoin',
  purpose: 'refund',
  txid: bitcoinTx.refund,
  amount: t.targetAmount,
  rate: 2,
  capped: false,
  height,
};

const funded = () => stepFrom(first, exact, clocksAt(start + 60));
const locked = () => stepFrom(stepFrom(funded().progress, prepared).progress, lookAtHtlc(seenCoin())).progress;
const refunding = () => stepFrom(locked(), clock, clocksAtHeight(refundHeight)).progress;

test('terms and every state can be kept and read back', () => {
  expect(machine.shape.terms.read(decode(encode(t)), machine.shape.terms.version)).toEqual(t);
  const { version, read } = machine.shape.progress;
  for (const p of states) expect(read(decode(encode(p)), version)).toEqual(p);
});

describe('the coin is funded for a VHTLC, a height for a time', () => {
  test('the funding hangs on the VHTLC, its end and the height of our own refund', () => {
    const { script, sourceAmount, policy, lockBefore: notAfter, vhtlc } = t;
    const backingForCoin = {
      ...{ script, outpoint: coinPoint, sourceAmount, policy },
      ...{ refundLocktime: vhtlc.refundLocktime, htlcRefundLocktime: refundHeight },
    };
    expect([funded().progress.at, does(funded())]).toEqual(['funded', ['htlc.fund']]);
    expect(stepFrom(funded().progress, prepared).effects).toEqual([
      expect.objectContaining({ do: 'onchain.broadcast', onlyIf: { notAfter, backingForCoin } }),
    ]);
  });

  test('nothing is funded once its blocks might outlast the VHTLC, nor for a client without time', () => {
    const at = (mtp: number, tip: number) => {
      const now = { ...clocksOf(mtp, tip), wall: clocksAt(start + 60).wall };
      return calledOf(stepFrom(first, exact, now).progress);
    };
    const last = t.vhtlc.refundLocktime - t.policy.mtpLag - t.policy.margin - longestFor(72, t.policy);
    expect([at(last, startHeight), at(last + 1, startHeight)]).toEqual(['funded', 'stopped late']);
    expect([at(start, refundHeight - 16), at(start, refundHeight - 15)]).toEqual(['funded', 'stopped late']);
  });

  test('short, over, or expiring too soon it is given back, and dust beside it changes nothing', () => {
    const with_ = (...coins: Parameters<typeof coin>[0][]) =>
      calledOf(stepFrom(first, { is: 'vhtlc.seen', coins: coins.map(coin) }, clocksAt(start + 60)).progress);
    expect([
      with_({ amount: (t.sourceAmount - 1n) as never }),
      with_({ amount: (t.sourceAmount * 2n) as never }),
      with_({ expiresAt: (t.minCoinExpiry - 1) as never }),
      with_({}, { outpoint: output, amount: 330n as never }),
    ]).toEqual(['stopped invalid', 'stopped invalid', 'stopped invalid', 'funded']);
  });
});

describe('whatever opens the coin takes the VHTLC', () => {
  test('a claim in a mempool claims the VHTLC at once, and the coin is never taken back', () => {
    const claiming = stepFrom(locked(), lookAtHtlc(seenCoin({ spend: claimedBy(null) })));
    expect([claiming.progress.at, claiming.learned]).toEqual(['claiming', preimage]);
    expect(does(claiming)).toEqual(['vhtlc.claim', 'htlc.resend', 'onchain.broadcast']);
    for (const now of [clocksAtHeight(refundHeight), clocksAtHeight(refundHeight + 1_000)])
      expect(machine.step(t, claiming.progress, clock, now)).toBe('stay');
    // Gone from the mempool, it is sent again, and its coin is still not ours.
    expect(machine.step(t, claiming.progress, lookAtHtlc(seenCoin()), clocksAtHeight(refundHeight))).toBe('stay');
  });

  test('the secret of a coin that a stranger put beside ours opens nothing', () => {
    const look = lookAtHtlc(seenCoin(), otherCoin({ spend: claimedBy(null) }));
    expect(machine.step(t, locked(), look, clocksAtHeight(height))).toBe('stay');
  });

  test('a claim beside our signed refund waits for a block, until the VHTLC is surely ours no more', () => {
    const raced = stepFrom(stepFrom(refunding(), signed).progress, lookAtHtlc(seenCoin({ spend: claimedBy(null) })));
    expect([raced.progress.at, raced.learned]).toEqual(['refunding', preimage]);
    const tick = (mtp: number) => machine.step(t, raced.progress, clock, clocksOf(mtp, refundHeight + 9));
    expect(tick(last - 1)).toBe('stay');
    const step = stepFrom(raced.progress, clock, clocksOf(last, refundHeight + 9));
    expect([step.progress.at, does(step)[0]]).toEqual(['claiming', 'vhtlc.claim']);
    // Whichever is buried first decides.
    const back = stepFrom(raced.progress, lookAtHtlc(seenCoin({ spend: refundedBy(height) })));
    expect(back.progress.at).toBe('returned');
  });
});

describe('our half of the client’s signature is the claim', () => {
  const ask = { is: 'cosign.asked', purpose: 'claim', coin: output, preimage } as const;
  const given = { ...ask, is: 'cosign.given', txid: '5e'.repeat(32), bytes: new Uint8Array(90).fill(5) } as const;
  const answerTo = (p: P, now = clocksAtHeight(height)) => machine.step(t, p, ask, now);

  test('it claims the VHTLC by the step that it is answered after, and closes our refund for ever', () => {
    expect(answerTo(locked())).not.toBe('stay');
    const claiming = stepFrom(locked(), given);
    expect([claiming.learned, does(claiming)[0]]).toEqual([preimage, 'vhtlc.claim']);
    expect(machine.step(t, claiming.progress, clock, clocksAtHeight(refundHeight + 200))).toBe('stay');
    expect(viewArkadeBitcoin(facts, t, claiming.progress)).not.toHaveProperty('btc_claim_txid');
  });

  test('it is not given in any state in which our refund may be, nor once the VHTLC is surely ours no more', () => {
    const open = states.filter((p) => answerTo(p) !== 'stay').map(({ at }) => at);
    expect([...new Set(open)].sort()).toEqual(['claimed', 'claiming', 'locked']);
    for (const p of states)
      if (answerTo(p) !== 'stay' && 'spends' in p) expect([calledOf(p), p.spends]).toEqual([calledOf(p), []]);
    expect([answerTo(locked(), clocksOf(last - 1)) === 'stay', answerTo(locked(), clocksOf(last)) === 'stay']).toEqual([
      false,
      true,
    ]);
  });

  test('once given, whatever comes takes nothing back and signs no refund of what it opened', () => {
    const claiming = stepFrom(locked(), given).progress;
    const all = explore({ ...arkadeBitcoinCase, first: claiming });
    const spends = all.moves.filter(({ step }) => step.effects.some((effect) => effect.do === 'htlc.spend'));
    expect([all.states.length > 20, spends]).toEqual([true, []]);
    for (const p of all.states)
      expect([p.at, machine.step(t, p, refund, clocksAtHeight(height))]).toEqual([p.at, 'stay']);
  });
});

describe('the client has its VHTLC again once our coin is ours for good, and not before', () => {
  test('no refund of it is signed while our coin is asked for, on its way, out, or being taken back', () => {
    const funding = stepFrom(funded().progress, prepared).progress;
    const raced = stepFrom(
      stepFrom(refunding(), signed).progress,
      lookAtHtlc(seenCoin({ spend: claimedBy(null) })),
    ).progress;
    for (const p of [funded().progress, funding, locked(), refunding(), stepFrom(refunding(), signed).progress, raced])
      expect([p.at, machine.step(t, p, refund, clocksAtHeight(refundHeight))]).toEqual([p.at, 'stay']);
  });

  test('it is taken back once the tip is at the height, by a time before the VHTLC may go', () => {
    expect(machine.deadline(t, locked())).toBe(refundHeight);
    expect(machine.step(t, locked(), clock, clocksAtHeight(refundHeight - 1))).toBe('stay');
    const step = stepFrom(locked(), clock, clocksAtHeight(refundHeight));
    const deadline = t.vhtlc.refundLocktime - t.policy.mtpLag - t.policy.margin;
    expect(step.effects).toMatchObject([{ do: 'htlc.spend', purpose: 'refund', deadline }]);
  });

  test('a refund of ours that is in no deep block signs nothing, and a buried one does', () => {
    const p = stepFrom(refunding(), signed).progress;
    for (const at of [null, height + 1]) {
      const step = machine.step(t, p, lookAtHtlc(seenCoin({ spend: refundedBy(at) })), clocksAtHeight(height));
      const next = step === 'stay' ? p : step.progress;
      expect(machine.step(t, next, refund, clocksAtHeight(height))).toBe('stay');
    }
    const back = stepFrom(p, lookAtHtlc(seenCoin({ spend: refundedBy(height) }))).progress;
    expect([back.at, machine.status(back)]).toEqual(['returned', 'clientfundedserverrefunded']);
    const fenced = stepFrom(back, refund).progress;
    expect(calledOf(fenced)).toBe('returned fenced');
    const over = stepFrom(fenced, { is: 'vhtlc.seen', coins: [coin(spentBy.cosignedRefund)] }).progress;
    expect([calledOf(over), machine.status(over)]).toEqual(['refunded, ours back', 'clientrefundedserverrefunded']);
  });

  test('what was called off in doubt signs nothing until a day after its height', () => {
    const refused: Event = {
      is: 'onchain.refused',
      leg: 'bitcoin',
      txid: bitcoinTx.fund,
      why: 'refused',
      reason: 'no',
    };
    const doubtful = stepFrom(stepFrom(funded().progress, prepared).progress, refused);
    expect([calledOf(doubtful.progress), doubtful.flag]).toEqual([
      'stopped wont doubtful',
      expect.stringContaining(`${t.vhtlc.refundLocktime}`),
    ]);
    expect(machine.step(t, doubtful.progress, refund, clocksAtHeight(height))).toBe('stay');
    const look = (tip: number) => ({ ...lookAtHtlc(), height: tip });
    // In somebody's mempool it may go away again, and nobody sends it: a block decides, or a claim.
    const waits = lookAtHtlc(seenCoin({ height: null }));
    expect(machine.step(t, doubtful.progress, waits, clocksAtHeight(height))).toBe('stay');
    expect(stepFrom(doubtful.progress, lookAtHtlc(seenCoin())).progress.at).toBe('locked');
    expect(machine.step(t, doubtful.progress, look(refundHeight + 143), clocksAtHeight(height))).toBe('stay');
    const over = stepFrom(doubtful.progress, look(refundHeight + 144)).progress;
    expect(calledOf(stepFrom(over, refund).progress)).toBe('stopped wont fenced');
  });

  test('fault 123, bitcoin: a funding that may come is looked for, though the client has its own again', () => {
    const refused: Event = {
      is: 'onchain.refused',
      leg: 'bitcoin',
      txid: bitcoinTx.fund,
      why: 'refused',
      reason: 'no',
    };
    const doubtful = stepFrom(stepFrom(funded().progress, prepared).progress, refused).progress;
    const back = stepFrom(doubtful, { is: 'vhtlc.seen', coins: [coin(spentBy.refund)] }).progress;
    expect([calledOf(back), machine.open(t, back), machine.watches(t, back).map(({ on }) => on)]).toEqual([
      'refunded doubtful',
      true,
      ['vhtlc', 'htlc'],
    ]);
    expect(machine.step(t, back, refund, clocksAtHeight(height))).toBe('stay');
    const lies = stepFrom(back, lookAtHtlc(seenCoin())).progress;
    const refunds = stepFrom(lies, clock, clocksAtHeight(refundHeight));
    expect([lies.at, does(refunds)]).toEqual(['locked', ['htlc.spend refund']]);
    const none = stepFrom(back, { ...lookAtHtlc(), height: refundHeight + 144 }).progress;
    expect([calledOf(none), machine.open(t, none)]).toEqual(['refunded', false]);
  });

  test('a client that has both is an alarm, and our coin is taken back from it if it can be', () => {
    const claiming = stepFrom(locked(), lookAtHtlc(seenCoin({ spend: claimedBy(null) }))).progress;
    const over = clocksAt(t.vhtlc.refundLocktime + 1_801);
    const loss = stepFrom(claiming, { is: 'vhtlc.seen', coins: [coin(spentBy.refund)] }, over);
    expect([loss.progress.at, does(loss)]).toEqual(['lost', ['htlc.spend refund', 'onchain.broadcast']]);
    expect([loss.flag, loss.ledger]).toEqual([
      expect.stringContaining('although it had claimed our coin'),
      [{ kind: 'loss', network: 'bitcoin', asset: 'btc', amount: -t.targetAmount * 1_000n }],
    ]);
  });
});

describe('what a record says', () => {
  const view = (p: P) => viewArkadeBitcoin(facts, t, p);

  test('both legs and their ends, one hash and one key of ours', () => {
    const record = view(first);
    expect(record).toMatchObject({
      source_amount: t.sourceAmount.toString(),
      target_amount: t.targetAmount.toString(),
      arkade_vhtlc_address: t.address,
      btc_htlc_address: t.htlcAddress,
      vhtlc_refund_locktime: t.vhtlc.refundLocktime,
      btc_refund_locktime: refundHeight,
      hash_lock: `0x${Buffer.from(t.hash).toString('hex')}`,
    });
    expect(Object.keys(record).filter((name) => name.endsWith('txid'))).toEqual([]);
  });

  test('the transactions of either leg have its own names', () => {
    const claimed = stepFrom(locked(), lookAtHtlc(seenCoin({ spend: claimedBy(null) }))).progress;
    const done = stepFrom(claimed, { is: 'vhtlc.final', purpose: 'claim', txid: 'b2'.repeat(32) }).progress;
    expect(view(done)).toMatchObject({
      arkade_fund_txid: coinPoint.txid,
      arkade_claim_txid: 'b2'.repeat(32),
      btc_fund_txid: bitcoinTx.fund,
      btc_fund_vout: 0,
      btc_claim_txid: bitcoinTx.claim,
    });
    const signedOnly = stepFrom(funded().progress, prepared).progress;
    expect(view(signedOnly)).not.toHaveProperty('btc_fund_txid');
  });
});
