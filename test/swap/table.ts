import type { SwapStep } from '../../engine/swap/machine.ts';
import type { Case } from './cases.ts';
import { explore } from './explore.ts';

/** A transaction that a swap asked for. */
interface OnItsWay {
  readonly txid: string | null;
  readonly mined?: object | null;
}

interface State {
  readonly at: string;
  readonly relay?: OnItsWay | null;
  readonly refund?: OnItsWay | null;
  readonly doubt?: object;
  readonly redeem?: object;
  readonly end?: string | null;
  readonly together?: { readonly until: number | null };
  /** Of a client. */
  readonly target?: object & { readonly unsafe?: string | null };
  readonly deal?: { readonly source: { readonly on: string } };
}

/** A client that waits for the provider's VHTLC: why it is not claimed is part of its name. */
function isUnsureOf({ at, target, deal }: State): boolean {
  const isAwaited = at === 'funded' || (at === 'waiting' && deal?.source.on === 'lightning');
  return isAwaited && target !== undefined && 'claim' in target;
}

function stageOf({ txid, mined = null }: OnItsWay): string {
  return txid === null ? 'asked' : mined === null ? 'sent' : 'mined';
}

/** What a state is called in tables and drawings: its name, why it stopped, and whether we signed a refund. */
export function nameOf(state: State): string {
  const progress = { ...state.target, ...state };
  const why =
    'why' in progress ? ` ${String(progress.why)}` : isUnsureOf(state) ? ` ${String(state.target?.unsafe)}` : '';
  const marks = ['exit', 'alarmed', 'gone', 'vanished', 'other', 'cancelled', 'joint', 'byKey']
    .filter((mark) => mark in progress && Boolean(progress[mark as keyof typeof progress]))
    .map((mark) => ` ${mark}`)
    .join('');
  const asks = (progress.together?.until ?? null) === null ? '' : ' asking';
  const { relay = null, refund = null } = progress;
  const onItsWay = `${relay === null ? '' : ` relay ${stageOf(relay)}`}${refund === null ? '' : ` refund ${stageOf(refund)}`}`;
  const { at, doubt, redeem, end = null } = progress;
  const coin = `${at === 'refunding' && redeem !== undefined ? ' racing' : ''}${end === null ? '' : ` coin ${end}`}`;
  const inDoubt = doubt !== undefined && 'deposit' in doubt && !('late' in doubt) ? ' doubt' : '';
  const whole = { ...progress, ...doubt };
  const late = 'late' in whole ? ` late ${String(whole.late)}` : '';
  return `${at}${why}${marks}${asks}${coin}${inDoubt}${onItsWay}${late}${'fenced' in progress && progress.fenced === true ? ' fenced' : ''}`;
}

/** A move in words: where to, what is asked for, and what else the commit saves. */
export function movesTo(step: SwapStep<{ readonly at: string }>): string {
  const { progress } = step;
  const extras =
    'extras' in progress && Array.isArray(progress.extras) && progress.extras.length > 0
      ? ` +${progress.extras.length}`
      : '';
  const effects = step.effects.map((effect) => ('purpose' in effect ? `${effect.do} ${effect.purpose}` : effect.do));
  const also = [
    step.supersedes !== undefined ? 'supersedes' : '',
    step.learned === undefined ? '' : 'learns',
    step.ledger === undefined ? '' : 'books',
    step.flag === undefined ? '' : 'FLAG',
    step.distrust === true ? 'DISTRUST' : '',
  ];
  return [`${nameOf(progress)}${extras}`, ...effects, ...also].filter((part) => part !== '').join(', ');
}

/** Everything that moves a state, by event; an event that is not listed changes nothing. */
export function tableOf<T, P extends { readonly at: string }>(
  { machine, terms, events }: Case<T, P>,
  progress: P,
): Record<string, string> {
  const table: Record<string, string> = {};
  for (const { label, event, now } of events) {
    const step = machine.step(terms, progress, event, now);
    if (step !== 'stay') table[label] = movesTo(step);
  }
  return table;
}

/** A machine is explored once for all tables of a file. */
const explored = new WeakMap<object, Map<string, unknown>>();

/** The first progress found of every named state. */
export function representatives<T, P extends { readonly at: string }>(of: Case<T, P>): ReadonlyMap<string, P> {
  const before = explored.get(of) as Map<string, P> | undefined;
  if (before !== undefined) return before;
  const byName = new Map<string, P>();
  for (const progress of explore(of).states) if (!byName.has(nameOf(progress))) byName.set(nameOf(progress), progress);
  explored.set(of, byName);
  return byName;
}
