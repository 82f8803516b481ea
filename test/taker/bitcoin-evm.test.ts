import { locktimeOf } from '../../engine/legs/onchain/locktime.ts';
import { describe, expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { decode, encode } from '../../engine/store/codec.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { explore } from '../swap/explore.ts';
import { representatives, tableOf } from '../swap/table.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';
import { start } from '../swap/cases.ts';
import { bitcoin, spend } from './bitcoin-arkade-cases.ts';
import { deal, takeBitcoinEvmCase } from './bitcoin-evm-cases.ts';
import { locks, offer } from './arkade-evm-cases.ts';
import type { TakeBitcoinEvmProgress } from './taken.ts';

const { machine, terms } = takeBitcoinEvmCase;

/**
 * Every state of a swap that its owner wants, and every event of the catalogue that moves it. An event that is not
 * listed leaves the state alone.
 */
const moves: Record<string, Record<string, string>> = {
  waiting: {
    'bitcoin: in a mempool': 'funded',
    'bitcoin: mined': 'funded',
    'bitcoin: dust': 'waiting',
    'bitcoin: paid twice': 'funded',
    'bitcoin: claimed in a mempool': 'funded, FLAG',
    'bitcoin: claimed and buried': 'funded, FLAG',
    'bitcoin: claimed beside a second coin': 'funded, FLAG',
    'bitcoin: our refund in a mempool': 'funded',
    'bitcoin: our refund buried': 'done',
    'bitcoin: a forgotten refund buried': 'done',
    'bitcoin: spent by nobody knows what': 'funded',
    'bitcoin, the locktime is over: nothing': 'lapsed',
    'bitcoin, the locktime is over: mined': 'funded',
    'bitcoin, the locktime is over: claimed and buried': 'funded, FLAG',
    'bitcoin, the locktime is over: our refund buried': 'done',
    'provider: serverfunded': 'waiting',
    'provider: serverwontfund': 'waiting',
    'the lock': 'claiming, provider.claim-evm, supersedes',
    'the lock, shallow': 'waiting',
    'the lock, nearly over': 'waiting',
    'claimed, shallow': 'claiming, supersedes',
    claimed: 'claimed, supersedes',
    'the owner does not want it': 'waiting cancelled',
    'claimed, our bitcoin is ours again': 'claimed, supersedes',
  },
  funded: {
    'bitcoin: nothing': 'waiting',
    'bitcoin: mined': 'funded',
    'bitcoin: dust': 'waiting',
    'bitcoin: paid twice': 'funded',
    'bitcoin: claimed in a mempool': 'funded, FLAG',
    'bitcoin: claimed and buried': 'funded, FLAG',
    'bitcoin: claimed beside a second coin': 'funded, FLAG',
    'bitcoin: our refund in a mempool': 'funded',
    'bitcoin: our refund buried': 'done',
    'bitcoin: a forgotten refund buried': 'done',
    'bitcoin: spent by nobody knows what': 'funded',
    'bitcoin, the locktime is over: nothing': 'waiting',
    'bitcoin, the locktime is over: mined': 'funded',
    'bitcoin, the locktime is over: claimed and buried': 'funded, FLAG',
    'bitcoin, the locktime is over: our refund buried': 'done',
    'provider: serverfunded': 'funded',
    'provider: serverwontfund': 'funded',
    'the lock': 'claiming, provider.claim-evm, supersedes',
    'the lock, shallow': 'funded',
    'the lock, nearly over': 'funded',
    'claimed, shallow': 'claiming, supersedes',
    claimed: 'claimed, supersedes',
    'claimed, our bitcoin is ours again': 'claimed, supersedes',
  },
  done: {
    'bitcoin: nothing': 'waiting',
    'bitcoin: in a mempool': 'funded',
    'bitcoin: mined': 'funded',
    'bitcoin: dust': 'waiting',
    'bitcoin: paid twice': 'funded',
    'bitcoin: claimed in a mempool': 'funded, FLAG',
    'bitcoin: claimed and buried': 'funded, FLAG',
    'bitcoin: claimed beside a second coin': 'funded, FLAG',
    'bitcoin: our refund in a mempool': 'funded',
    'bitcoin: a forgotten refund buried': 'done',
    'bitcoin: spent by nobody knows what': 'funded',
    'bitcoin, the locktime is over: nothing': 'waiting',
    'bitcoin, the locktime is over: mined': 'funded',
    'bitcoin, the locktime is over: claimed and buried': 'funded, FLAG',
    'bitcoin, the locktime is over: our refund buried': 'done',
    'provider: serverfunded': 'done',
    'provider: serverwontfund': 'done',
  },
  lapsed: {
    'the owner wants it back': 'waiting',
    'the owner wants it back, the locktime is over': 'waiting',
  },
  claiming: {
    'bitcoin: in a mempool': 'claiming',
    'bitcoin: mined': 'claiming',
    'bitcoin: dust': 'claiming',
    'bitcoin: paid twice': 'claiming',
    'bitcoin: claimed in a mempool': 'claiming',
    'bitcoin: claimed and buried': 'claiming',
    'bitcoin: claimed beside a second coin': 'claiming',
    'bitcoin: our refund in a mempool': 'claiming',
    'bitcoin: our refund buried': 'claiming',
    'bitcoin: a forgotten refund buried': 'claiming',
    'bitcoin: spent by nobody knows what': 'claiming',
    'bitcoin, the locktime is over: mined': 'claiming',
    'bitcoin, the locktime is over: claimed and buried': 'claiming',
    'bitcoin, the locktime is over: our refund buried': 'claiming',
    'provider: serverfunded': 'claiming',
    'provider: serverwontfund': 'claiming',
    'the lock, nearly over': 'claiming, evm.send, provider.claim-evm, supersedes',
    'claimed, shallow': 'claiming',
    claimed: 'claimed, supersedes',
    'taken back': 'lost, supersedes, FLAG',
    withheld: 'waiting',
    'nobody heard it': 'claiming, evm.send',
    'the provider declines': 'claiming, evm.send',
    signed: 'claiming',
    'a quarter of an hour': 'claiming, evm.send, provider.claim-evm, supersedes',
    'the timelock': 'claiming, evm.send, provider.claim-evm, supersedes',
    'the locktime': 'claiming, evm.send, provider.claim-evm, supersedes',
    'the lock, our bitcoin is ours again': 'claiming, evm.send, provider.claim-evm, supersedes',
    'claimed, our bitcoin is ours again': 'claimed, supersedes',
    'taken back, our bitcoin is ours again': 'lost, supersedes, FLAG',
  },
  claimed: {
    'bitcoin: in a mempool': 'claimed',
    'bitcoin: mined': 'claimed',
    'bitcoin: dust': 'claimed',
    'bitcoin: paid twice': 'claimed',
    'bitcoin: claimed in a mempool': 'claimed',
    'bitcoin: claimed and buried': 'claimed',
    'bitcoin: claimed beside a second coin': 'claimed',
    'bitcoin: our refund in a mempool': 'claimed',
    'bitcoin: our refund buried': 'claimed',
    'bitcoin: a forgotten refund buried': 'claimed',
    'bitcoin: spent by nobody knows what': 'claimed',
    'bitcoin, the locktime is over: nothing': 'claimed',
    'bitcoin, the locktime is over: mined': 'claimed',
    'bitcoin, the locktime is over: claimed and buried': 'claimed',
    'bitcoin, the locktime is over: our refund buried': 'claimed',
    'provider: serverfunded': 'claimed',
    'provider: serverwontfund': 'claimed',
  },
  refunding: {
    'bitcoin: nothing': 'refunding',
    'bitcoin: in a mempool': 'refunding',
    'bitcoin: paid twice': 'refunding',
    'bitcoin: claimed in a mempool': 'refunding',
    'bitcoin: claimed and buried': 'funded, supersedes',
    'bitcoin: claimed beside a second coin': 'funded, supersedes',
    'bitcoin: our refund in a mempool': 'refunding',
    'bitcoin: our refund buried': 'done, supersedes',
    'bitcoin: a forgotten refund buried': 'done, supersedes',
    'bitcoin, the locktime is over: nothing': 'refunding',
    'bitcoin, the locktime is over: claimed and buried': 'funded, supersedes',
    'bitcoin, the locktime is over: our refund buried': 'done, supersedes',
    'refund on the chain prepared': 'refunding, onchain.broadcast',
    'refund on the chain refused: spent': 'refunding',
    'provider: serverfunded': 'refunding',
    'provider: serverwontfund': 'refunding',
  },
  lost: {
    'bitcoin: nothing': 'lost',
    'bitcoin: in a mempool': 'lost',
    'bitcoin: mined': 'lost',
    'bitcoin: dust': 'lost',
    'bitcoin: paid twice': 'lost',
    'bitcoin: claimed and buried': 'lost',
    'bitcoin: claimed beside a second coin': 'lost',
    'bitcoin: our refund in a mempool': 'lost',
    'bitcoin: our refund buried': 'lost',
    'bitcoin: a forgotten refund buried': 'lost',
    'bitcoin: spent by nobody knows what': 'lost',
    'bitcoin, the locktime is over: nothing': 'lost',
    'bitcoin, the locktime is over: mined': 'lost',
    'bitcoin, the locktime is over: claimed and buried': 'lost',
    'bitcoin, the locktime is over: our refund buried': 'lost',
    'provider: serverfunded': 'lost',
    'provider: serverwontfund': 'lost',
  },
};

const byName = representatives(takeBitcoinEvmCase);

test('these are all states, and one that nobody wants any more moves as one that somebody does', () => {
  const names = [...byName.keys()];
  const live = names.filter((name) => !name.endsWith(' cancelled'));
  expect(live.sort()).toEqual(Object.keys(moves).sort());
  expect(names.filter((name) => name.endsWith(' cancelled')).sort()).toEqual(live.map((name) => `${name} cancelled`));
});

test.each(Object.entries(moves))('%s', (name, expected) => {
  const progress = byName.get(name);
  if (progress === undefined) throw new Error(`${name} is never reached`);
  expect(tableOf(takeBitcoinEvmCase, progress)).toEqual(expected);
});

test('the secret is shown for the very lock that was agreed, buried and in time, and for nothing else', () => {
  for (const name of ['waiting', 'funded']) {
    const claims = Object.entries(moves[name] ?? {}).filter(([, move]) => move.includes('claim-evm'));
    expect(claims.map(([label]) => label)).toEqual(['the lock']);
  }
});

test('terms and every state can be kept and read back', () => {
  const { shape } = machine;
  expect(shape.terms.read(decode(encode(terms)), shape.terms.version)).toEqual(terms);
  const { states } = explore(takeBitcoinEvmCase);
  for (const p of states) expect(shape.progress.read(decode(encode(p)), shape.progress.version)).toEqual(p);
});

describe('what is ours comes back', () => {
  const unlocked = evmClocksAt(locktimeOf(deal.source.htlc) + 1_801);
  const look = (...coins: Parameters<typeof bitcoin>[0][]): Event => ({
    is: 'htlc.seen',
    coins: coins.map((coin) => bitcoin(coin)),
    height: 900_000,
    mtp: unix(locktimeOf(deal.source.htlc) + 1),
    asked: unlocked.wall,
  });
  function after(p: TakeBitcoinEvmProgress, event: Event, now = unlocked) {
    const step = machine.step(terms, p, event, now);
    return step === 'stay' ? { progress: p, effects: [] } : step;
  }

  test('a coin is taken back above the locktime, and not while the provider’s lock is being claimed', () => {
    const funded = after(takeBitcoinEvmCase.first, look({}), evmClocksAt(start + 600)).progress;
    const clock: Event = { is: 'clock' };
    expect(after(funded, clock, evmClocksAt(locktimeOf(deal.source.htlc))).progress.at).toBe('funded');
    expect(after(funded, clock)).toMatchObject({
      progress: { at: 'refunding' },
      effects: [{ do: 'htlc.spend', purpose: 'refund', terms: deal.source.htlc }],
    });
    const claiming = after(funded, locks('the lock', offer()).event, evmClocksAt(start + 600)).progress;
    expect(claiming.at).toBe('claiming');
    const late = after(claiming, clock);
    expect([late.progress.at, late.effects.map((effect) => effect.do)]).toEqual([
      'claiming',
      ['evm.send', 'provider.claim-evm'],
    ]);
  });

  test('once the bitcoin may be ours again no secret is shown for the lock, unless the provider has it', () => {
    const funded = after(takeBitcoinEvmCase.first, look({}), evmClocksAt(start + 600)).progress;
    const { event } = locks('the lock', offer());
    expect(after(funded, event).effects).toEqual([]);
    const theirs = after(funded, look({ spend: spend.claim(899_990) })).progress;
    expect(after(theirs, event)).toMatchObject({ progress: { at: 'claiming' }, effects: [{ do: 'evm.send' }] });
  });
});
