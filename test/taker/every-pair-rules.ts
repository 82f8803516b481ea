// What holds in every client's pair of halves, in every state and at every step.
import { isDeepStrictEqual } from 'node:util';
import type { Clocks } from '../../engine/domain/time.ts';
import type { Leg, Queue } from '../../engine/legs/leg.ts';
import { legOf } from '../../engine/swap/leg-of.ts';
import type { Effect } from '../../engine/swap/machine.ts';
import { isAgreed, type Agreed, type ClaimingState, type State } from '../../engine/taker/client/pair.ts';
import { explorePair, type Explored, type Look, type Mutant } from './every-pair-explore.ts';
import { claims, funds, type AnyClaim, type AnyFund } from './every-pair-halves.ts';

interface Halves {
  readonly claim: AnyClaim;
  readonly fund: AnyFund;
}

/** A pair as it was explored: `counts` are its states, its steps, and the answers of its halves. */
export interface Findings {
  readonly pair: Pick<Explored, 'entries' | 'clashes'> & { readonly counts: string };
  readonly wrong: readonly string[];
}

/** Takes back what we gave, or asks for that. */
function takesOurs(effect: Effect, { fund }: Halves): boolean {
  if (legOf(effect) !== fund.leg) return false;
  if (effect.do === 'evm.send') return effect.act.is === 'taker-refund';
  return (
    effect.do === 'provider.cosign' ||
    effect.do === 'provider.refund-evm' ||
    effect.do === 'vhtlc.refund' ||
    effect.do === 'vhtlc.exit' ||
    effect.do === 'vhtlc.settle' ||
    (effect.do === 'htlc.spend' && effect.purpose === 'refund')
  );
}

/** Takes what the provider locked; some of it shows the secret when it is sent, and some when it is asked for. */
function takesTheirs(effect: Effect, { claim }: Halves): boolean {
  if (legOf(effect) !== claim.leg) return false;
  if (effect.do === 'evm.send') return effect.act.is === 'taker-claim';
  return (
    effect.do === 'provider.claim-evm' ||
    effect.do === 'vhtlc.claim' ||
    effect.do === 'vhtlc.exit' ||
    effect.do === 'vhtlc.settle' ||
    (effect.do === 'htlc.spend' && effect.purpose === 'claim')
  );
}

/** Our secret leaves us with it. */
function shows(effect: Effect, { claim }: Halves): boolean {
  if (legOf(effect) !== claim.leg) return false;
  switch (effect.do) {
    case 'evm.send':
      return effect.act.is === 'taker-claim';
    case 'vhtlc.submit':
    case 'vhtlc.settle':
    case 'vhtlc.exit':
    case 'provider.claim-evm':
    case 'onchain.broadcast':
      return true;
    default:
      return false;
  }
}

/** The provider has our secret, or an earlier claim of ours may have shown it. */
function mayBeOut(halves: Halves, p: State): boolean {
  if (!isAgreed(p)) return false;
  if (halves.fund.isTaken(p)) return true;
  if (p.at !== 'claiming') return false;
  const target: Readonly<Record<string, unknown>> = { ...p.target };
  // On an EVM chain all but a transaction of our own that nobody has signed.
  if (halves.claim.leg === 'evm') return target['alone'] !== true;
  if (target['told'] === true || target['shown'] === true) return true;
  return (target['claimTxid'] ?? null) !== null;
}

function fateOf({ claim, fund }: Halves, p: Agreed | ClaimingState) {
  return p.at === 'claiming' ? null : claim.fate(p.target, fund.isTaken(p));
}

/** A coin of the agreed amount is left to the provider. */
function leavesEnough(p: Agreed, effect: Effect): boolean {
  const { coins = [] } = p as { readonly coins?: readonly { readonly outpoint: object; readonly amount: bigint }[] };
  const own = 'coin' in effect ? effect.coin : null;
  return coins.some(({ outpoint, amount }) => amount >= p.deal.source.amount && !isDeepStrictEqual(outpoint, own));
}

/** The stages in which nothing that was asked for on either leg is wanted any more. */
function endsBoth({ fund }: Halves, from: State, to: State): boolean {
  if (to.at === 'lost' || (to.at === 'claiming' && from.at !== 'claiming')) return true;
  // The provider has both, and coins beside them may still be ours.
  return (
    isAgreed(from) && isAgreed(to) && fund.isTaken(from) && 'takenBack' in to.target && to.target.takenBack === true
  );
}

/** What a step does that no step may do. */
function wrongOf(halves: Halves, { from, now, event, outcome, isOpen }: Look): string[] {
  if (outcome === 'stay' || !isAgreed(from)) return [];
  const { claim, fund } = halves;
  const { progress: to, effects, supersedes = [], interrupts = [] } = outcome;
  const wrong: string[] = [];
  const never = (isSo: boolean, what: string): void => {
    if (isSo) wrong.push(`${from.at} to ${to.at}: ${what}`);
  };
  if (!isAgreed(to)) return [`${from.at} to ${to.at}: what was agreed is forgotten`];

  // A look at what we gave comes again every few seconds until our claim is buried, and is written down once.
  const isNothing = effects.length === 0 && outcome.flag === undefined && outcome.learned === undefined;
  const isLook = from.at === 'claiming' && event.is.endsWith('.seen') && event.is !== claim.look;
  never(isLook && isNothing && isDeepStrictEqual(from, to), 'a look that changes nothing');

  // No refund beside a claim of ours that may succeed.
  const refunds = effects.filter((effect) => takesOurs(effect, halves));
  never(refunds.length > 0 && to.at !== 'asking' && to.at !== 'refunding', 'a refund is begun');
  never(
    to.at === 'claiming' && from.at !== 'claiming' && !fund.awaits(from as never),
    'a claim begins beside a refund',
  );
  const isOurs = fateOf(halves, from) === 'ours';
  const isUnderWay = from.at === 'asking' || from.at === 'refunding';
  const isOwed = isOurs && !isUnderWay && !fund.isTaken(from) && to.at !== 'claiming';
  never(isOwed && refunds.some((effect) => !leavesEnough(from as Agreed, effect)), 'both legs are taken');
  const isBegun = to.at === 'claiming' && from.at !== 'claiming';
  // A claim that another life of this node made is on the chain: the provider has the secret.
  const isSeen = fund.isTaken(from) || ('shown' in to.target && to.target.shown === true);
  never(isBegun && effects.length > 0 && !isSeen && fund.isBack(from, now), 'both legs may be ours');

  // The secret leaves us in a claim, and first where that is judged once more.
  never(to.at !== 'claiming' && effects.some((effect) => takesTheirs(effect, halves)), 'the secret is shown elsewhere');
  // What the operator refused was with it.
  const isBack = event.is === 'vhtlc.refused' && event.txid !== null && event.why !== 'late';
  const isFirst = !isBack && !mayBeOut(halves, from);
  never(
    isFirst &&
      effects.some((effect) => shows(effect, halves) && (!('onlyIf' in effect) || effect.onlyIf === undefined)),
    'the secret is shown first without a condition',
  );

  // What is over is over for good.
  const isTaking = effects.some((effect) => takesOurs(effect, halves) || takesTheirs(effect, halves));
  never(!isOpen && isTaking && event.is !== 'refund.requested', 'something can be taken when it is over');

  // A half touches its own leg.
  const legs: readonly Queue[] = [claim.leg, fund.leg];
  const dropped = new Set([...supersedes, ...interrupts]);
  never(
    [...effects.map(legOf), ...dropped].some((leg) => !legs.includes(leg)),
    'a leg that is none of the pair’s',
  );
  never(dropped.size > 1 && !endsBoth(halves, from, to), 'the effects of both legs are dropped');
  never(isBegun && dropped.size < 2, 'what was asked for goes on beside the claim');
  return wrong;
}

/** What is wrong with a state itself. */
function wrongState({ machine, direction, terms, ...halves }: Explored, p: State, clocks: readonly Clocks[]): string[] {
  const wrong: string[] = [];
  if (!isKept(machine, p)) wrong.push(`${p.at}: it is kept as something else`);
  const isSeen = machine.watches(terms, p).length > 0 || machine.deadline(terms, p) !== null;
  const isOpen = machine.open(terms, p);
  if (isOpen && !isSeen) wrong.push(`${p.at}: nothing will ever move it`);
  if (isAgreed(p)) {
    const fate = fateOf(halves, p);
    // Tokens that came back were taken in another branch of their chain.
    const isBack = halves.fund.leg === 'evm' && p.at === 'done';
    // What the provider locks ends before what it is locked for.
    const isLate = halves.fund.leg === 'arkade' && 'over' in p && p.over === true;
    if (!isOpen && fate === null && halves.fund.isTaken(p) && !isBack && !isLate)
      wrong.push(`${p.at}: over, and its lock may be ours`);
    const { coins = [] } = p as { readonly coins?: readonly { readonly spent?: boolean }[] };
    if (!isOpen && fate !== 'ours' && coins.some(({ spent }) => spent === false))
      wrong.push(`${p.at}: over, and a coin of ours lies there`);
  }
  machine.status(p);
  machine.nextAction(terms, p);
  machine.rescue?.(terms, p);
  direction.steps(p as never, terms);
  for (const now of clocks) direction.facts(terms, p as never, now);
  return wrong;
}

function isKept({ shape }: Explored['machine'], p: State): boolean {
  try {
    return isDeepStrictEqual(shape.progress.read(p, shape.progress.version), p);
  } catch {
    return false;
  }
}

/** What is wrong with a pair, in all that can come to it. */
export function faultsOf(fund: Leg, claim: Leg, mutant?: Mutant): Findings {
  const halves = { claim: claims[claim].half, fund: funds[fund].half };
  const wrong = new Set<string>();
  const pair = explorePair(
    fund,
    claim,
    (look) => {
      for (const fault of wrongOf(halves, look)) wrong.add(fault);
    },
    mutant,
  );
  const { entries, clashes, states, moves, tellings } = pair;
  const clocks = [...new Map(tellings.map(({ now }) => [JSON.stringify(now), now])).values()].slice(0, 3);
  for (const p of states) for (const fault of wrongState(pair, p, clocks)) wrong.add(fault);
  return { pair: { entries, clashes, counts: `${states.length} ${moves.length} ${entries.size}` }, wrong: [...wrong] };
}
