import { afterAll, describe, expect, test } from 'vitest';
import type { Leg } from '../../engine/legs/leg.ts';
import { gamesLimit } from './dice.ts';
import { everyPair, networks } from './pair-explore.ts';
import { claims, funds } from './pair-halves.ts';
import { faultsOf, type Findings } from './pair-rules.ts';

/*
 * Every half that claims beside every half that funds, whether or not a direction offers the pair: whatever either
 * tells, in every stage in which it can tell it.
 */

const explored = new Map<string, Findings>();

function explorePairOnce(claim: Leg, fund: Leg): Findings {
  const name = `${claim}-${fund}`;
  const before = explored.get(name);
  if (before !== undefined) return before;
  const findings = faultsOf(claim, fund);
  explored.set(name, findings);
  return findings;
}

/** An entry in another stage in which our part is out, as it would read in this one. */
function inStage(entry: string, from: string, to: string): string {
  return entry.replace(`${from} |`, `${to} |`).replace(`moves to ${from}`, `moves to ${to}`);
}

/** While our part is asked for and not given the client may still have its own again: that stage is like no other. */
function standingOf(fund: Leg): string[] {
  return Object.keys(funds[fund].half.fields.standing).filter((at) => at !== 'funded');
}

/** What the halves of the pair told beside any half at all, and may tell beside each other. */
function mayTell(claim: Leg, fund: Leg): string[] {
  const all = new Set<string>();
  for (const [, otherClaim, otherFund] of everyPair)
    for (const entry of explorePairOnce(otherClaim, otherFund).pair.entries) {
      const [at = '', answer = ''] = entry.split(' | ');
      if (answer.startsWith('fund')) {
        if (otherFund === fund) all.add(entry);
      } else if (otherClaim === claim) {
        const out = standingOf(otherFund).includes(at) ? standingOf(fund) : [at];
        for (const to of out) all.add(inStage(entry, at, to));
      }
    }
  return [...all];
}

/** Stages that the half that funds never brings about. */
const never: Readonly<Record<Leg, readonly (readonly [stage: string, because: string])[]>> = {
  arkade: [
    ['stopped in doubt', 'a lock that was forgotten is found by its coin before another is made'],
    ['refunded in doubt', 'only a payment may settle after the client has its own again'],
  ],
  bitcoin: [],
  evm: [],
  lightning: [
    ['returned', 'a payment that fails never left us'],
    ['refunded, ours back', 'a payment that fails never left us'],
  ],
};

/** The same of a half that claims. */
const neverOf: Readonly<Partial<Record<Leg, readonly (readonly [stage: string, because: string])[]>>> = {
  lightning: [['refunded in doubt', 'a held payment that went back leaves its swap stopped while ours is in doubt']],
};

afterAll(() => {
  explored.clear();
});

describe('whatever two halves a provider puts together', gamesLimit, () => {
  /** States, steps, and answers of a half by the stage in which it gave them. */
  const counts: Readonly<Record<string, string>> = {
    'arkade-bitcoin': '548 23136 102',
    'arkade-evm': '236 7730 114',
    'arkade-lightning': '45 1894 61',
    'bitcoin-arkade': '1183 102423 74',
    'bitcoin-evm': '701 49548 117',
    'bitcoin-lightning': '97 6400 64',
    'evm-arkade': '1126 96652 75',
    'evm-bitcoin': '926 64153 106',
    'evm-lightning': '182 13425 65',
    'lightning-arkade': '123 4204 61',
    'lightning-bitcoin': '102 1608 84',
    'lightning-evm': '98 1923 94',
  };

  test.each(everyPair)('%s: nothing of it can be lost', (name, claim, fund) => {
    const { wrong, pair } = explorePairOnce(claim, fund);
    expect(wrong).toEqual([]);
    expect(pair.counts).toBe(counts[name]);
  });

  test.each(everyPair)('%s: the join hears whatever its halves can tell', (_, claim, fund) => {
    const { pair } = explorePairOnce(claim, fund);
    const stages = new Set(
      mayTell(claim, fund)
        .filter((entry) => !pair.entries.has(entry))
        .map((entry) => entry.split(' | ')[0]),
    );
    const unreached = [...never[fund], ...(neverOf[claim] ?? [])].map(([stage]) => stage);
    expect([...stages].filter((stage) => !unreached.includes(stage ?? ''))).toEqual([]);
    // What is listed is never reached in truth.
    expect([...pair.entries].filter((entry) => unreached.some((stage) => entry.startsWith(`${stage} |`)))).toEqual([]);
  });

  test.each(everyPair)('%s: its terms have one name for one thing', (name, claim, fund) => {
    expect(explorePairOnce(claim, fund).pair.clashes()).toEqual(clashes[name] ?? []);
  });

  test.each(everyPair)('%s: its states have one name for one thing', (name, claim, fund) => {
    const [theirs, ours] = [claims[claim].half.fields, funds[fund].half.fields];
    const stages: Readonly<Record<string, readonly [theirs: object, ours: object]>> = {
      claiming: [theirs.claiming, ours.revealed],
      claimed: [theirs.claimed, ours.revealed],
      lost: [theirs.lost, ours.revealed],
      returned: [theirs.stopped, ours.returned],
      doubt: [theirs.seed, ours.doubt],
      ...Object.fromEntries(Object.entries(ours.standing).map(([at, fields]) => [at, [theirs.sure, fields]])),
    };
    const same = Object.entries(stages).flatMap(([at, [one, other]]) =>
      Object.keys(one).flatMap((field) => (Object.hasOwn(other, field) ? [`${at}: ${field}`] : [])),
    );
    expect(same).toEqual(sameFields[name] ?? []);
  });

  test.each(networks)('%s: facts of the half that funds there', (network) => {
    expect(factsOf('fund', network)).toEqual(ofFunds[network]);
  });

  test.each(networks)('%s: facts of the half that claims there', (network) => {
    expect(factsOf('claim', network)).toEqual(['claimed', 'lost', 'sure']);
  });
});

/**
 * Both halves read them, and the cases of today put other values there. Terms are flat: before a direction is made of
 * the pair one of the two needs a name of its own, as the HTLC of `bitcoin-arkade` has beside its VHTLC. What is not
 * listed as such has one meaning, and the cases merely differ: one hash in two forms, one key, what the client gives.
 */
const clashes: Readonly<Record<string, readonly string[]>> = {
  'arkade-bitcoin': ['keyIndex'],
  'bitcoin-evm': ['sourceAmount'],
  'evm-arkade': ['hash'],
  'lightning-arkade': ['hash'],
  'lightning-evm': ['sourceAmount'],
};

/**
 * A state is flat as well: whatever the half that claims keeps there, the other one overwrites. What is listed the half
 * that funds keeps in another stage alone.
 */
const sameFields: Readonly<Record<string, readonly string[]>> = {
  'arkade-bitcoin': ['claiming: halted'],
  'bitcoin-arkade': ['claiming: halted'],
};

/** What a half told the join of, beside whatever other half. */
function factsOf(side: 'claim' | 'fund', network: Leg): string[] {
  const all = everyPair
    .filter(([, claim, fund]) => (side === 'claim' ? claim : fund) === network)
    .flatMap(([, claim, fund]) => [...explorePairOnce(claim, fund).pair.entries])
    .flatMap((entry) => new RegExp(`\\| ${side} \\w+: (.*)$`).exec(entry)?.[1] ?? [])
    .filter((answer) => !/^(null|stay|moves)/.test(answer));
  return [...new Set(all)].sort();
}

const ofFunds: Readonly<Record<Leg, readonly string[]>> = {
  arkade: [
    'again',
    'declined',
    'lost',
    'neither',
    'next locked',
    'next locking',
    'next refunding',
    'returned',
    'revealed',
  ],
  // Both locks are refunded: told by the end of its coin, and no fact of its own.
  bitcoin: [
    'again',
    'declined',
    'declined in doubt',
    'lost',
    'next funding',
    'next locked',
    'next refunding',
    'returned',
    'revealed',
  ],
  // Not even a refusal is believed before a look: nothing is declined but in doubt.
  evm: [
    'again',
    'declined in doubt',
    'lost',
    'neither',
    'next locked',
    'next locking',
    'next refunding',
    'next relayed',
    'next relaying',
    'returned',
    'revealed',
    'settled',
  ],
  // The node itself makes it once, and nothing of it comes back.
  lightning: ['declined', 'declined in doubt', 'lost', 'next paying', 'revealed', 'settled'],
};
