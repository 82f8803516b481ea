import type { BitcoinNetwork } from '../domain/chain.ts';
import { PortFailure } from '../domain/errors.ts';
import type { Preimage } from '../domain/hash.ts';
import { toHex } from '../domain/hex.ts';
import type { RescueEntry, RescueLeg } from '../legs/rescue.ts';
import type { Ports } from '../runtime/ports.ts';
import { arkadeHand } from './arkade.ts';
import { bitcoinHand } from './bitcoin.ts';
import type { EvmPatience } from './evm-payer.ts';
import { evmHand } from './evm.ts';
import { again, attempt, moment, type Done, type LegHand, type LegLook } from './leg.ts';
import type { Leaver } from './leave.ts';
import { lightningHand } from './lightning.ts';
import { planOf, type Plan } from './plan.ts';
import type { Troubles } from './troubles.ts';
import type { WayBook } from './ways.ts';

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
  /** Once the owner agrees: the machines of these go on, and what they came to is answered, beside all others. */
  readonly goOn: (swaps: readonly RescueEntry[], which: ReadonlySet<string>) => Promise<readonly RescueEntry[]>;
  readonly ways: WayBook;
  readonly troubles: Troubles;
  readonly leaver: Leaver;
  readonly signal: AbortSignal;
}

/** `later`: something is left that time or a network brings on. `failed`: something is left that needs the owner. */
export type Outcome = 'done' | 'later' | 'failed';

/** What one claim makes possible, the next look finds: a few rounds bring home all that can come now. */
const mostRounds = 4;

interface Row {
  readonly entry: RescueEntry;
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
  let agreed = false;
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
    if (acts.length > 0 && !agreed) {
      agreed = await options.agree();
      if (!agreed) say('Nothing was done.');
      else {
        // What is done by a machine is done; its hand finds what is left.
        const going = acts.map(({ entry }) => entry.id).filter((id) => !options.byHand.includes(id));
        swaps = await options.goOn(swaps, new Set(going));
        continue;
      }
    }
    let moved = false;
    if (agreed) for (const row of acts) moved = (await act(row)) || moved;
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

  function summary(rows: readonly Row[]): Outcome {
    const left = rows.filter(({ plan }) => plan.do !== 'nothing');
    if (left.length === 0) return 'done';
    say('What is left:');
    for (const row of left) {
      const { entry, plan } = row;
      say(
        `  ${entry.id} (${entry.direction}): ` +
          `${failures.get(entry.id) ?? waits.get(entry.id)?.sentence ?? sentenceOf(plan)}`,
      );
      const help = options.ports.lightning === null ? byHand(withSecret(row)) : null;
      if (help !== null) say(`    ${help}`);
    }
    say(
      again(
        left.flatMap(({ entry, plan }) => {
          const at = plan.do === 'wait' ? plan.at : (waits.get(entry.id)?.at ?? null);
          return at === null ? [] : [at];
        }),
      ),
    );
    return failures.size > 0 ? 'failed' : 'later';
  }
}

type Hands = { readonly [On in RescueLeg['on']]: LegHand<Extract<RescueLeg, { on: On }>> } & {
  readonly lightning: ReturnType<typeof lightningHand>;
};

function handsOf({ ports, network, evm, ...rest }: BringSwapsHome): Hands {
  return {
    bitcoin: bitcoinHand(ports, network),
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
  return { entry, refund, plan: planOf(entry, refund, claim) };
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
function withSecret({ entry, refund }: Row): RescueEntry {
  const state = refund?.state;
  if (state?.is !== 'claimed' || state.secret === null || entry.shown) return entry;
  return { ...entry, secret: state.secret, shown: true };
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

function inWords(plan: Plan): string {
  switch (plan.do) {
    case 'claim':
      return 'we claim what we received';
    case 'refund':
      return 'we take back what we gave';
    case 'bring-on':
      return plan.side === 'claim' ? 'our claim is on its way' : 'our refund is on its way';
    case 'cancel':
      return 'the held payment goes back to the client';
    case 'wait':
      return 'it waits';
    case 'nothing':
      return 'nothing is left to do';
  }
}

function sentenceOf(plan: Plan): string {
  switch (plan.do) {
    case 'wait':
      return plan.at === null ? plan.why : `${plan.why}, until ${moment(plan.at)}`;
    case 'nothing':
      return `${inWords(plan)}: ${plan.why}`;
    default:
      return inWords(plan);
  }
}

/**
 * For an owner whose Lightning node is not in the configuration. The secret of a held payment is public once it is
 * known here.
 */
function byHand({ claim, refund, secret, shown }: RescueEntry): string | null {
  if (claim?.on === 'lightning' && shown && secret !== null)
    return `Settle the payment at your Lightning node: lncli settleinvoice ${toHex(secret)}`;
  return refund?.on === 'lightning' && !shown
    ? `Your Lightning node knows whether payment ${toHex(refund.hash)} was settled, and its secret: set lnd in the ` +
        'configuration.'
    : null;
}
