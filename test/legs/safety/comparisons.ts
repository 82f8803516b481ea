import { hour } from '../../../engine/domain/time.ts';
import { defaultPolicy, type TimeoutPolicy } from '../../../engine/legs/timeout-policy.ts';
import { base, pairs, policies, start, states, type Case, type Pair, type Rules } from './comparison-cases.ts';
import {
  safeToFundForLock,
  safeToLock,
  safeToLockForCoin,
  safeToLockOnEvm,
  safeToPay,
  safeToPayForLock,
} from './former-comparisons.ts';
import { safeToReveal, safeToRevealForCoin, safeToRevealForLock } from './former-reveals.ts';

// They knew no lock that ends at a height.
const former = {
  safeToFundForLock,
  safeToLock,
  safeToLockForCoin,
  safeToLockOnEvm,
  safeToPay,
  safeToPayForLock,
  safeToReveal,
  safeToRevealForCoin,
  safeToRevealForLock,
} as unknown as Rules;

/*
 * Two timelocks are compared by one function, and were by one for each pair of networks: whatever the clocks and the
 * timelocks are, nothing is called safe that was not, and what is stricter has a name and a reason. The cases lie at
 * every border of every number, one second or block to either side of it, in every state that a clock can be in, and
 * where two borders meet: a number that is drawn at random never lies at one.
 */

type Kind = 'safe' | 'wait' | 'never';

function kind(rules: Rules, { judge }: Pair, of: Case, policy: TimeoutPolicy): Kind {
  return judge(rules, of, policy)?.unsafe ?? 'safe';
}

/** What is stricter than it was, by what the former rules would have to be doubtful for the same answer. */
const stricter: Readonly<Record<string, (name: string, of: Case, policy: TimeoutPolicy) => Case>> = {
  // No source is: a clock that says so counts by the reading that is further on.
  'what another source says counts where it is further on, and only there': (_, of) => ({
    ...of,
    mtpAhead: laterOf(of.mtp, of.mtpAhead),
    heightAhead: laterOf(of.height, of.heightAhead),
    evmAhead: laterOf(of.evm, of.evmAhead),
  }),
  // Its block time may stand still for as long as Bitcoin's trails. Our refund of the lock opens that much later, and a
  // claim of it counts until the refund is final: the client could have its VHTLC again before.
  'a lock of ours on an EVM chain counts the standstill of its chain': (name, of, { mtpLag }) =>
    name === 'arkade-evm'
      ? { ...of, client: Math.max(0, of.client - mtpLag), coinExpiry: Math.max(0, of.coinExpiry - mtpLag) }
      : of,
};

function laterOf(reading: number | null, ahead: number | null): number | null {
  return ahead === null || reading === null ? ahead : Math.max(reading, ahead);
}

/** What the former rules say, corrected by the reasons that make a case stricter; and those of them that did. */
function expected(name: string, given: Case, policy: TimeoutPolicy): { is: Kind; reasons: string[] } {
  const pair = pairs[name]!;
  const reasons: string[] = [];
  let of = given;
  let is = kind(former, pair, of, policy);
  for (const [reason, corrected] of Object.entries(stricter)) {
    const next = corrected(name, of, policy);
    const strict = kind(former, pair, next, policy);
    // A clock that is further on may turn what was waited for into what never comes, and nothing into safe.
    if (strict === 'safe' && is !== 'safe') continue;
    if (strict !== is) reasons.push(reason);
    [of, is] = [next, strict];
  }
  return { is, reasons };
}

/** The values of a number at which either form changes its mind, and one to either side of each. */
function borders(pair: Pair, rules: Rules, of: Case, number: keyof Case, policy: TimeoutPolicy): number[] {
  const most = { depth: 10, amount: 2_000, finalCltv: 500 }[number as string];
  const value = (of[number] ?? base[number] ?? (number === 'heightAhead' ? base.height : start)) as number;
  const isHeight = number === 'height' || number === 'heightAhead' || number === 'limit';
  const [low, high] =
    most !== undefined ? [0, most] : isHeight ? [value - 400, value + 400] : [value - 80 * hour, value + 80 * hour];
  const sides = [former, rules].flatMap((either) => {
    const at = (x: number): Kind => kind(either, pair, { ...of, [number]: x }, policy);
    const changes: number[] = [];
    const seek = (a: number, b: number, atA: Kind, atB: Kind): void => {
      if (b - a <= 1) {
        if (atA !== atB) changes.push(a, b);
        return;
      }
      if (atA === atB && b - a < (high - low) / 12) return;
      const middle = Math.floor((a + b) / 2);
      const atMiddle = at(middle);
      seek(a, middle, atA, atMiddle);
      seek(middle, b, atMiddle, atB);
    };
    seek(low, high, at(low), at(high));
    return changes.flatMap((x) => [x - 1, x, x + 1]);
  });
  return [...new Set(sides.filter((x) => x >= 0))];
}

/** What a comparison of both came to. */
export interface Tally {
  cases: number;
  /** Numbers that have a border at all. */
  readonly borders: Set<string>;
  /** Reasons for which the present rules were stricter. */
  readonly strict: Set<string>;
}

/**
 * Throws at the first case that the rules judge otherwise than is expected. `deep`: the states in which every border is
 * met by every other.
 */
export function compared(name: string, rules: Rules, deep: readonly string[] = Object.keys(states)): Tally {
  const pair = pairs[name]!;
  const tally: Tally = { cases: 0, borders: new Set(), strict: new Set() };
  const compare = (of: Case, policy: TimeoutPolicy): void => {
    const { is, reasons } = expected(name, of, policy);
    const today = kind(rules, pair, of, policy);
    tally.cases++;
    for (const reason of reasons) tally.strict.add(reason);
    if (today !== is) throw new Error(`${name} is ${today} and not ${is}: ${JSON.stringify(of)}`);
  };
  for (const policy of policies)
    for (const [state, change] of Object.entries(states)) {
      const of = { ...base, ...pair.of, ...change };
      compare(of, policy);
      for (const number of pair.numbers)
        for (const x of borders(pair, rules, of, number, policy)) {
          const there = { ...of, [number]: x };
          tally.borders.add(number);
          compare(there, policy);
          if (policy !== defaultPolicy || !deep.includes(state)) continue;
          // Where two borders meet.
          for (const other of pair.numbers)
            for (const y of borders(pair, rules, there, other, policy)) compare({ ...there, [other]: y }, policy);
        }
    }
  return tally;
}
