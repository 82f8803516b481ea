import type { BitcoinNetwork } from '../domain/chain.ts';
import { PortFailure } from '../domain/errors.ts';
import type { Preimage } from '../domain/hash.ts';
import type { RescueEntry, RescueLeg } from '../legs/rescue.ts';
import { outpointKey } from '../domain/outpoint.ts';
import type { Ports } from '../runtime/ports.ts';
import type { ExitCandidate } from '../service/exits/jobs.ts';
import type { PartialNotes } from '../store/partial-notes.ts';
import { arkadeHand } from './arkade.ts';
import { bitcoinHand } from './bitcoin.ts';
import type { EvmPatience } from './evm-payer.ts';
import { evmHand } from './evm.ts';
import { again, attempt, type Done, type LegHand, type LegLook } from './leg.ts';
import { lightningHand } from './lightning.ts';
import { planOf, shownByClaim, type Plan } from './plan.ts';
import { noteNow, type Troubles } from './troubles.ts';
import type { Ran, RunMachines } from './run-machines.ts';
import type { ExitPaths } from './exit-paths.ts';
import { byHand, inWords, sentenceOf } from './words.ts';

export interface BringSwapsHome {
  readonly swaps: readonly RescueEntry[];
  readonly ports: Ports;
  readonly network: BitcoinNetwork;
  readonly evm: EvmPatience;
  readonly say: (line: string) => void;
  /** Whether to go on, with what was said. */
  readonly agree: () => Promise<boolean>;
  /** Saves what was learned; nothing is done by a secret that is not on the disk. */
  readonly keep: (swaps: readonly RescueEntry[]) => Promise<void>;
  /** Swaps that are left to their legs, whatever their machine would do. */
  readonly byHand: readonly string[];
  /** There is something to do beside the swaps. */
  readonly more: boolean;
  /** Once the owner agrees: the machines go on, and what they came to is answered. */
  readonly goOn: (going: Going) => Promise<Ends>;
  readonly exitPaths: ExitPaths;
  readonly troubles: Troubles;
  readonly partials: Pick<PartialNotes, 'of'>;
  readonly signal: AbortSignal;
}

/** What goes on by machines: the swaps of `which`, and coins of all that may leave their operator. */
export interface Going extends Pick<RunMachines, 'swaps' | 'which' | 'shown'> {
  readonly exits: readonly ExitCandidate[];
}

/** `waits`: why the coin of a swap is where it is, by its name. */
export interface Ends extends Ran {
  readonly waits: ReadonlyMap<string, Done>;
}

/** `later`: something is left that time or a network brings on. `failed`: something is left that needs the owner. */
export type Outcome = 'done' | 'later' | 'failed';

/** What one claim makes possible, the next look finds: a few rounds bring home all that can come now. */
const mostRounds = 4;

interface Row {
  readonly entry: RescueEntry;
  readonly claim: LegLook | null;
  readonly refund: LegLook | null;
  readonly plan: Plan;
}

/**
 * Looks at every swap, says what can be done and what only later, and does it. Run again it goes on from what the
 * networks show.
 */
export async function bringSwapsHome(options: BringSwapsHome): Promise<Outcome> {
  const { say } = options;
  const hands = handsOf(options);
  let swaps = options.swaps;
  /** Null until the owner agreed. */
  let outcome: Ends | null = null;
  /** Those whose machine went on. */
  const went = new Set<string>();
  const failures = new Map<string, string>();
  /** What the last act for a swap waits for. */
  const waits = new Map<string, Done>();
  for (let round = 1; ; round++) {
    const rows = [];
    for (const entry of swaps) rows.push(await lookAt(entry, hands));
    if (round === 1) for (const row of rows) tellFound(row, hands, say);
    const learned = rows.map((row) => withCoin(row, withSecret(row)));
    if (learned.some((entry, i) => entry !== swaps[i])) await options.keep((swaps = learned));
    const acts = rows.filter(({ entry, plan }) => isAct(plan) && !failures.has(entry.id));
    const fresh = acts.map(({ entry }) => entry.id).filter((id) => !options.byHand.includes(id) && !went.has(id));
    if (outcome === null && acts.length === 0 && !options.more) return summary(rows);
    if (outcome === null && !(await options.agree())) {
      say('Nothing was done.');
      return summary(rows);
    }
    // What one claim makes possible, the next look finds.
    if (outcome === null || (fresh.length > 0 && round < mostRounds)) {
      for (const id of fresh) went.add(id);
      const exits = acts.filter(({ entry }) => !went.has(entry.id) || fresh.includes(entry.id)).flatMap(exitOf);
      outcome = joined(outcome, await options.goOn({ swaps, which: new Set(fresh), shown: shownIn(rows), exits }));
      swaps = outcome.swaps;
      continue;
    }
    for (const row of rows) await noteService(row, options);
    const mine = acts.filter(
      (row) => options.byHand.includes(row.entry.id) || outcome?.hands.has(row.entry.id) === true || isOnEvm(row),
    );
    let moved = false;
    for (const row of mine) moved = (await act(row)) || moved;
    if (!moved || round === mostRounds) return summary(rows);
  }

  /** True where the next look may find more to do. */
  async function act(row: Row): Promise<boolean> {
    const { entry } = row;
    const done = await attempt(() => carryOut(row, options, hands));
    say(`${entry.id}: ${inWords(row.plan)}: ${done.sentence}.`);
    if (done.is === 'failed') failures.set(entry.id, done.sentence);
    if (done.is === 'later') waits.set(entry.id, done);
    else waits.delete(entry.id);
    return done.is === 'done';
  }

  /** Why nothing more was done for it now. */
  function waitOf({ entry, plan, ...looks }: Row): Done {
    const before = waits.get(entry.id);
    if (!isAct(plan)) return before ?? { is: 'later', sentence: sentenceOf(plan), ...atOf(plan) };
    const look = plan.do === 'claim' || (plan.do === 'bring-on' && plan.side === 'claim') ? looks.claim : looks.refund;
    const leaving = look?.exit === undefined ? undefined : outcome?.waits.get(outpointKey(look.exit.coin));
    const reason = outcome?.reasons.get(entry.id);
    const isAlone = plan.do !== 'bring-on' && outcome !== null && !options.byHand.includes(entry.id);
    const sentence =
      sentenceOf(plan) +
      (reason === undefined ? '' : ` (${reason.replace(/\.$/, '')})`) +
      (isAlone ? `; should it stay so, run this again with --by-hand ${entry.id}` : '');
    return leaving ?? before ?? look?.note ?? { is: 'later', sentence };
  }

  function summary(rows: readonly Row[]): Outcome {
    const left = rows.filter(({ plan }) => plan.do !== 'nothing');
    if (left.length === 0) return 'done';
    say('What is left:');
    const ends = left.map((row): Done => {
      const failure = failures.get(row.entry.id);
      return failure === undefined ? waitOf(row) : { is: 'failed', sentence: failure };
    });
    for (const [i, row] of left.entries()) {
      say(`  ${row.entry.id} (${row.entry.direction}): ${ends[i]?.sentence}`);
      const help = options.ports.lightning === null ? byHand(withSecret(row)) : null;
      if (help !== null) say(`    ${help}`);
    }
    say(again(ends.flatMap(({ at }) => (at === undefined ? [] : [at]))));
    return ends.some(({ is }) => is === 'failed') ? 'failed' : 'later';
  }
}

/** A machine sends by the account of the node alone, which may have no gas: another one of the seed may have some. */
function isOnEvm({ entry, plan }: Row): boolean {
  const leg = plan.do === 'claim' ? entry.claim : plan.do === 'refund' ? entry.refund : null;
  return leg?.on === 'evm';
}

function atOf(plan: Plan): Pick<Done, 'at'> {
  return plan.do === 'wait' && plan.at !== null ? { at: plan.at } : {};
}

function joined(before: Ends | null, ends: Ends): Ends {
  return {
    swaps: ends.swaps,
    hands: new Set([...(before?.hands ?? []), ...ends.hands]),
    reasons: new Map([...(before?.reasons ?? []), ...ends.reasons]),
    waits: new Map([...(before?.waits ?? []), ...ends.waits]),
  };
}

/** By the same rule as everything here: what was given for a public secret is ours again where the plan says so. */
function shownIn(rows: readonly Row[]): ReadonlySet<string> {
  const isBack = ({ do: what, ...plan }: Plan): boolean =>
    what === 'refund' || (what === 'bring-on' && 'side' in plan && plan.side === 'refund');
  return new Set(rows.filter((row) => withSecret(row).shown && !isBack(row.plan)).map(({ entry }) => entry.id));
}

/** The coin of a leg that is to be taken now, should it have to leave its operator. */
function exitOf({ entry, plan, ...looks }: Row): ExitCandidate[] {
  const look = plan.do === 'claim' ? looks.claim : plan.do === 'refund' ? looks.refund : null;
  return look?.exit === undefined ? [] : [{ ...look.exit, swap: entry.id, whose: 'swap' }];
}

/** An operator that answers, and did not let us take what we came for, is left as one that is away is. */
async function noteService(row: Row, { ports, troubles }: BringSwapsHome): Promise<void> {
  for (const look of [row.claim, row.refund]) {
    if (look?.exit?.served !== true) continue;
    const key = outpointKey(look.exit.coin);
    if (exitOf(row).some(({ coin }) => outpointKey(coin) === key)) await noteNow(key, troubles, ports);
    else troubles.over(key);
  }
}

type Hands = { readonly [On in RescueLeg['on']]: LegHand<Extract<RescueLeg, { on: On }>> } & {
  readonly lightning: ReturnType<typeof lightningHand>;
};

function handsOf({ ports, network, evm, partials, ...rest }: BringSwapsHome): Hands {
  return {
    bitcoin: bitcoinHand(ports, network, partials),
    arkade: arkadeHand({ ...rest, ports, network }),
    evm: evmHand(ports, evm),
    lightning: lightningHand(ports),
  };
}

function handOf(hands: Hands, leg: RescueLeg): LegHand<RescueLeg> {
  return hands[leg.on] as LegHand<RescueLeg>;
}

async function lookAt(entry: RescueEntry, hands: Hands): Promise<Row> {
  const refund = await lookAtLeg(entry.refund, 'refund', hands);
  const claim = await lookAtLeg(entry.claim, 'claim', hands);
  return { entry, claim, refund, plan: planOf(entry, refund, claim) };
}

/** A network that does not answer tells nothing, and keeps no other one from being asked. */
async function lookAtLeg(leg: RescueLeg | null, side: 'claim' | 'refund', hands: Hands): Promise<LegLook | null> {
  if (leg === null) return null;
  try {
    return await handOf(hands, leg).look(leg, side);
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return { state: { is: 'unclear', reason: cause.message }, timelock: null };
  }
}

async function carryOut({ entry, plan, refund }: Row, { ports }: BringSwapsHome, hands: Hands): Promise<Done> {
  const { claim, refund: ours, resend } = entry;
  if (resend !== undefined && (plan.do === 'claim' || plan.do === 'bring-on') && refund?.state.is === 'standing')
    await ports.bitcoin?.broadcast(resend);
  switch (plan.do) {
    case 'claim':
      return take(claim, plan.secret);
    case 'refund':
      return take(ours, null);
    case 'bring-on': {
      const leg = plan.side === 'claim' ? claim : ours;
      return leg === null ? nothing : handOf(hands, leg).bringOn(leg, plan.secret);
    }
    case 'cancel':
      if (claim?.on === 'lightning') await hands.lightning.cancel(claim);
      return { is: 'done', sentence: 'done' };
    default:
      return nothing;
  }

  async function take(leg: RescueLeg | null, secret: Preimage | null): Promise<Done> {
    return leg === null ? nothing : handOf(hands, leg).take(leg, secret);
  }
}

const nothing: Done = { is: 'later', sentence: 'there is nothing to do' };

/** A secret that a chain showed may be gone from it tomorrow: from now on what we gave is never taken back. */
function withSecret({ entry, refund, claim }: Row): RescueEntry {
  const ours = refund?.state.is === 'claimed' ? refund.state.secret : null;
  const secret = ours ?? shownByClaim(entry, claim);
  return secret === null || entry.shown ? entry : { ...entry, secret, shown: true };
}

/** Once what we gave is spent, by our own refund that may be driven out again, nothing finds it but its name. */
function withCoin({ refund: look }: Row, entry: RescueEntry): RescueEntry {
  const { refund } = entry;
  if (refund?.on !== 'bitcoin' || refund.coin !== null || look?.coin === undefined) return entry;
  return { ...entry, refund: { ...refund, coin: look.coin } };
}

function isAct({ do: what }: Plan): boolean {
  return what !== 'wait' && what !== 'nothing';
}

function tellFound({ entry, plan }: Row, hands: Hands, say: (line: string) => void): void {
  say(`${entry.id} (${entry.direction})`);
  if (entry.refund !== null) say(`  given:    ${handOf(hands, entry.refund).name(entry.refund)}`);
  if (entry.claim !== null) say(`  received: ${handOf(hands, entry.claim).name(entry.claim)}`);
  say(`  now:      ${sentenceOf(plan)}`);
}
