import { PortFailure } from '../domain/errors.ts';
import type { RescueEntry } from '../legs/rescue.ts';
import type { Bundle } from './bundle.ts';
import { bringCoinsHome } from './coins.ts';
import { createLeaver, type Leaver } from './leave.ts';
import { runMachines, type RunMachines } from './run-machines.ts';
import { bringSwapsHome, type BringSwapsHome, type Outcome } from './swaps.ts';
import type { PartialNotes } from '../store/partial-notes.ts';
import { createTroubles } from './troubles.ts';
import { wayBook } from './ways.ts';

/** What a run learns, for the next one. */
export type Learned = Pick<Bundle, 'swaps' | 'troubles'>;

export interface BringHome extends Pick<
  BringSwapsHome,
  'ports' | 'network' | 'evm' | 'say' | 'agree' | 'signal' | 'byHand'
> {
  readonly bundle: Pick<Bundle, 'swaps' | 'ways' | 'troubles'>;
  readonly ceilings: RunMachines['ceilings'];
  readonly machines: Pick<RunMachines, 'wall' | 'rules' | 'patience' | 'partials'>;
  readonly operatorGone: boolean;
  /** Coins of the wallet leave an operator that serves, too. */
  readonly unroll: boolean;
  readonly keep: (learned: Learned) => Promise<void>;
}

/** Open swaps first, then what the wallet has at an operator that is gone. The owner is asked once. */
export async function bringHome(options: BringHome): Promise<Outcome> {
  const { bundle, ports } = options;
  const troubles = createTroubles(bundle.troubles);
  const ways = wayBook(bundle.ways);
  const leaver = createLeaver({ ...options, ways, troubles });
  let swaps: readonly RescueEntry[] = bundle.swaps.map((entry) => withNote(entry, options.machines.partials));
  let agreed: Promise<boolean> | null = null;
  const shared = { ...options, ports, ways, troubles, leaver, agree: () => (agreed ??= options.agree()) };
  const keep = (learned: typeof swaps): Promise<void> =>
    options.keep({ swaps: (swaps = learned), troubles: troubles.all() });
  const ofSwaps = await bringSwapsHome({
    ...shared,
    swaps,
    keep,
    goOn: (all, which) => runMachines({ ...options, ...options.machines, ports, swaps: all, which, keep }),
  });
  const ofCoins = await bringCoinsHome(shared);
  const ofWays = await handOver(leaver, options);
  if (!isSame(troubles.all(), bundle.troubles)) await options.keep({ swaps, troubles: troubles.all() });
  return worst(ofSwaps, ofCoins, ofWays);
}

/** A claim that we signed is made, whatever the bundle knew of it: its secret opens what the other side gave. */
function withNote(entry: RescueEntry, partials: PartialNotes): RescueEntry {
  const note = partials.all().find(({ subject, own, purpose }) => !own && subject === entry.id && purpose === 'claim');
  return note === undefined ? entry : { ...entry, shown: true, secret: entry.secret ?? note.preimage };
}

/** What swaps and coins of the wallet wait for shares the coins that pay: it goes together. */
async function handOver(leaver: Leaver, { say }: BringHome): Promise<Outcome> {
  try {
    const done = await leaver.handOver();
    for (const { sentence } of done) say(`  ${sentence}.`);
    return done.some(({ is }) => is === 'failed') ? 'failed' : done.length > 0 ? 'later' : 'done';
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    say(`What brings coins to the chain could not be sent: ${cause.message}.`);
    return 'later';
  }
}

function isSame(a: Learned['troubles'], b: Learned['troubles']): boolean {
  return a.length === b.length && a.every(({ of, since }, i) => of === b[i]?.of && since === b[i].since);
}

export function worst(...outcomes: Outcome[]): Outcome {
  return outcomes.find((one) => one === 'failed') ?? outcomes.find((one) => one === 'later') ?? 'done';
}
