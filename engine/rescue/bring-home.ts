import { PortFailure } from '../domain/errors.ts';
import { outpointKey } from '../domain/outpoint.ts';
import type { RescueEntry } from '../legs/rescue.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { PartialNotes } from '../store/partial-notes.ts';
import type { Bundle } from './bundle.ts';
import { beginExits, exitDone, type BeginExits, type Exits } from './exits.ts';
import { again, type Done } from './leg.ts';
import { candidateOf, coinName, lookAtCoins, sumOf, sweepDone, sweepThere, type OwnCoins } from './own-coins.ts';
import { runMachines, type Beside, type RunMachines } from './run-machines.ts';
import { bringSwapsHome, type BringSwapsHome, type Going, type Ends, type Outcome } from './swaps.ts';
import { createTroubles, type Troubles } from './troubles.ts';
import { withoutOperator } from './without-operator.ts';

/** What a run learns, for the next one. */
export type Learned = Pick<Bundle, 'swaps' | 'troubles'>;

export interface BringHome extends Pick<
  BringSwapsHome,
  'ports' | 'network' | 'evm' | 'say' | 'agree' | 'signal' | 'byHand'
> {
  readonly bundle: Pick<Bundle, 'swaps' | 'exitPaths' | 'troubles'>;
  readonly ceilings: RunMachines['ceilings'];
  readonly machines: Pick<RunMachines, 'wall' | 'rules' | 'patience' | 'partials'>;
  readonly operatorGone: boolean;
  /** Coins of the wallet leave an operator that serves, too. */
  readonly unroll: boolean;
  readonly keep: (learned: Learned) => Promise<void>;
}

/** Open swaps, and what the wallet has at an operator that is gone, in one go. The owner is asked once. */
export async function bringHome(given: BringHome): Promise<Outcome> {
  const { bundle, say } = given;
  const { exitPaths } = bundle;
  const troubles = createTroubles(bundle.troubles);
  const ports = given.operatorGone ? await withoutOperator(given.ports, troubles) : given.ports;
  const options = { ...given, ports };
  let swaps: readonly RescueEntry[] = bundle.swaps.map((entry) => withNote(entry, options.machines.partials));
  const keep = (learned: typeof swaps): Promise<void> =>
    options.keep({ swaps: (swaps = learned), troubles: troubles.all() });
  const seen = await reached(say, null, () => lookAtCoins({ ...options, exitPaths, troubles }));
  const coins = seen ?? noCoins;
  const sum = sumOf(coins);
  if (sum.coins > 0)
    say(`${sum.coins} coins of the Arkade wallet, ${sum.sats} sats, are to leave their operator, or lie on the chain.`);
  let ofCoins: readonly Done[] | null = null;

  async function goOn(going: Going): Promise<Ends> {
    let waits: ReadonlyMap<string, Done> = new Map();
    const ran = await runMachines({
      ...options,
      ...options.machines,
      exitPaths,
      ...going,
      keep,
      async beside(runtime) {
        const mine = ofCoins === null ? coins : noCoins;
        const tell = await beginBeside(runtime, { going, coins: mine, troubles, options });
        return async (reasonOf) => {
          const report = await tell(reasonOf);
          ofCoins ??= report.ofCoins;
          waits = report.waits;
        };
      },
    });
    return { ...ran, waits };
  }

  const { partials } = options.machines;
  const more = sum.coins > 0;
  const ofSwaps = await bringSwapsHome({ ...options, exitPaths, troubles, partials, swaps, keep, more, goOn });
  if (!isSame(troubles.all(), bundle.troubles)) await options.keep({ swaps, troubles: troubles.all() });
  return worst(ofSwaps, ...endsOf(ofCoins), seen === null || sum.coins > 0 ? 'later' : 'done');
}

const noCoins: OwnCoins = { exiting: [], there: [] };

function endsOf(ends: readonly Done[] | null): Outcome[] {
  return (ends ?? []).map(({ is }) => is);
}

interface BesideOptions {
  readonly going: Going;
  readonly coins: OwnCoins;
  readonly troubles: Troubles;
  readonly options: BringHome;
}

/** Coins begin to leave their operator, and to go home from the chain; what came of each is told at the end. */
async function beginBeside(runtime: Runtime, { going, coins, troubles, options }: BesideOptions) {
  const { ceilings, operatorGone, unroll, say } = options;
  const begin = (whose: BeginExits['whose'], candidates: BeginExits['candidates']): Promise<Exits> =>
    reached(say, noExits, async () =>
      candidates.length === 0 ? noExits : beginExits({ runtime, whose, candidates, troubles, ceilings, operatorGone }),
    );
  const ofSwaps = await begin('swap', going.exits);
  const ofWallet = await begin(
    'wallet',
    coins.exiting.map((coin) => candidateOf(coin, unroll)),
  );
  const sweeps = await reached(say, [], () => sweepThere(coins.there, runtime));

  return async (reasonOf: Parameters<Beside>[0]) => {
    const waits = new Map([...ofSwaps.stays, ...ofWallet.stays]);
    const ofCoins: Done[] = [];
    await reached(say, undefined, async () => {
      for (const [key, job] of new Map([...ofSwaps.jobs, ...ofWallet.jobs]))
        waits.set(key, await exitDone({ runtime, job }, reasonOf(job)));
      const tip = await runtime.ports.bitcoin?.tip();
      for (const coin of coins.exiting) {
        const done = waits.get(outpointKey(coin.outpoint));
        if (done !== undefined) ofCoins.push({ ...done, sentence: `${coinName(coin)}: ${done.sentence}` });
      }
      if (tip === undefined) return;
      for (const one of sweeps) ofCoins.push(sweepDone(one, runtime, one.job === null ? null : reasonOf(one.job), tip));
    });
    for (const { sentence } of ofCoins) say(`  ${sentence}.`);
    if (ofCoins.length > 0) say(again(ofCoins.flatMap(({ at }) => (at === undefined ? [] : [at]))));
    return { ofCoins, waits };
  };
}

const noExits: Exits = { stays: new Map(), jobs: new Map() };

/** A chain that does not answer now keeps no swap from going on: the next run begins what this one could not. */
async function reached<T>(say: BringHome['say'], otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    say(`Coins could not be brought to the chain, or looked at there: ${cause.message}.`);
    return otherwise;
  }
}

/**
 * A claim that we signed is made, whatever the bundle knew of it: its secret opens what the other side gave. A provider
 * that was asked to claim with us has the secret of a swap of our own.
 */
function withNote(entry: RescueEntry, partials: PartialNotes): RescueEntry {
  const { id, role } = entry;
  const own = partials.all().filter(({ subject, purpose }) => subject === id && purpose === 'claim');
  const note = own.find((one) => !one.own) ?? own.find(({ txid }) => role === 'client' && txid !== '');
  if (note === undefined) return entry;
  return { ...entry, shown: true, secret: entry.secret ?? note.preimage ?? entry.stored?.secret ?? null };
}

function isSame(a: Learned['troubles'], b: Learned['troubles']): boolean {
  return a.length === b.length && a.every(({ of, since }, i) => of === b[i]?.of && since === b[i].since);
}

export function worst(...outcomes: Outcome[]): Outcome {
  return outcomes.find((one) => one === 'failed') ?? outcomes.find((one) => one === 'later') ?? 'done';
}
