import { isRefusal } from '../domain/errors.ts';
import { btcOn, noSats } from '../domain/money.ts';
import { outpointKey } from '../domain/outpoint.ts';
import { unix, type Unix } from '../domain/time.ts';
import { anchorOf } from '../legs/arkade/exit-child.ts';
import type { ExitPath } from '../legs/arkade/exit-path.ts';
import { exitsFrom, mustExit } from '../legs/arkade/exit-rule.ts';
import { outpointsOf, readRawTx } from '../legs/raw-tx.ts';
import type { ClaimCeilings } from '../quote/ceilings.ts';
import { nextOnExitPath } from '../runtime/networks/arkade/exit-path.ts';
import { slowBlock } from '../runtime/networks/onchain/transactions.ts';
import { bitcoinOf, bitcoinWalletOf } from '../runtime/ports.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { createExitJobs, type ExitCandidate, type ExitStart } from '../service/exits/jobs.ts';
import { mostUnderway } from '../service/exits/places.ts';
import { moment, type Done } from './leg.ts';
import { operatorTrouble, type Troubles } from './troubles.ts';

export interface BeginExits {
  readonly runtime: Runtime;
  readonly whose: ExitCandidate['whose'];
  readonly candidates: readonly ExitCandidate[];
  readonly troubles: Troubles;
  readonly ceilings: ClaimCeilings;
  /** The owner says that an operator that does not answer never will again: nothing is waited for. */
  readonly operatorGone: boolean;
}

/** What became of the coins so far, by their names, and the jobs of those that are on their way. */
export interface Exits {
  readonly stays: ReadonlyMap<string, Done>;
  readonly jobs: ReadonlyMap<string, string>;
}

/**
 * Coins leave their operator by the node's own rule (`legs/arkade/exit-rule.ts`) and by its own jobs, though nobody
 * watches between two runs: what is next on a way, and what pays for it already, the chain tells each time.
 */
export async function beginExits(options: BeginExits): Promise<Exits> {
  const { runtime, ceilings, whose } = options;
  const jobs = createExitJobs({ runtime, ceilings: () => ceilings });
  const { mtp: now } = await bitcoinOf(runtime.ports).tip();
  const stays = new Map<string, Done>();
  const leaving: ExitCandidate[] = [];
  for (const candidate of options.candidates) {
    const path = runtime.store.exits.path(candidate.coin);
    const staying = path === null ? withoutExitPath : staysFor(candidate, path, { ...options, now });
    if (staying === null) leaving.push(candidate);
    stays.set(outpointKey(candidate.coin), staying ?? isThere);
  }
  const { begun, inTurn } = await jobs.beginFirst(whose, leaving);
  for (const { coin } of inTurn) stays.set(outpointKey(coin), inItsTurn(unix(now + slowBlock)));
  for (const { start, id } of begun) {
    const key = outpointKey(start.candidate.coin);
    if (isRefusal(id)) stays.set(key, { is: 'later', sentence: sentenceOf(id.sentence) });
    else stays.delete(key);
    if (!isRefusal(id)) await adoptChild(runtime, start, id);
  }
  return { stays, jobs: jobs.open() };
}

const withoutExitPath: Done = { is: 'later', sentence: 'the bundle does not hold its way to the chain' };
const isThere: Done = { is: 'later', sentence: 'it lies on the chain' };

/** The next run begins the next ones. */
function inItsTurn(at: Unix): Done {
  return {
    is: 'later',
    sentence: `others go first: no more than ${mostUnderway} at once, and what costs too much once fees are lower`,
    at,
  };
}

/** A sentence that stands by itself, for the middle of a line. */
function sentenceOf(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

/** Why it stays with its operator for now, or null. */
function staysFor(
  candidate: ExitCandidate,
  path: ExitPath,
  { troubles, operatorGone, now }: Pick<BeginExits, 'troubles' | 'operatorGone'> & { readonly now: Unix },
): Done | null {
  const away = troubles.lasts(operatorTrouble, now);
  const denied = troubles.lasts(outpointKey(candidate.coin), now);
  const awayFor = away === null ? denied : denied !== null && denied > away ? denied : away;
  const { length: transactions } = path.transactions;
  if (mustExit({ ...candidate, awayFor, transactions, now })) return null;
  if (awayFor === null) return { is: 'later', sentence: 'the operator has it, and serves' };
  if (operatorGone && away !== null) return null;
  const since = unix(now - awayFor);
  const at = exitsFrom({ ...candidate, transactions }, since);
  return {
    is: 'later',
    at,
    sentence:
      `the Arkade operator has not served since ${moment(since)}, and may come back: without it the coin goes to ` +
      `the chain from ${moment(at)} on, or now with --operator-gone`,
  };
}

/** A child that a run before has sent and that waits for its block is the job's own: another one would pay twice. */
async function adoptChild({ store, ports, clock }: Runtime, { path }: ExitStart, job: string): Promise<void> {
  const bitcoin = bitcoinOf(ports);
  const next = await nextOnExitPath(path, bitcoin);
  const anchor = next === null ? null : anchorOf(next.tx);
  const spend = anchor === null ? null : await bitcoin.spend(anchor);
  const bytes = spend === null ? null : ((await bitcoin.transaction(spend.txid))?.bytes ?? null);
  const child = bytes === null ? null : readRawTx(bytes);
  // Coins of one way share its transactions, and the child is of the first of them.
  if (bytes === null || child === null || store.transactions.byId(child.txid) !== null) return;
  store.transactions.insert(
    {
      ...btcOn('bitcoin'),
      txid: child.txid,
      subject: job,
      leg: 'arkade',
      purpose: 'unroll',
      bytes,
      inputs: outpointsOf(child).slice(1),
      replaces: null,
    },
    clock.now().wall,
  );
}

/** How a coin that is on its way stands: what was paid for it in this run, and what it waits for. */
export async function exitDone(
  { runtime, job }: { readonly runtime: Runtime; readonly job: string },
  reason: string | null,
): Promise<Done> {
  const { store, workingSet, ports } = runtime;
  const progress = workingSet.find(job)?.row.progress;
  if (progress?.at === 'failed')
    return { is: 'failed', sentence: 'reason' in progress ? String(progress.reason) : 'it could not be brought there' };
  if (progress?.at !== 'unrolling') return isThere;
  const at = unix((await bitcoinOf(ports).tip()).mtp + slowBlock);
  const notes = store.journal.of(job).flatMap(({ event }) => (event.includes(' sats ') ? [event] : []));
  const line = [...notes, ...(reason === null ? [] : [sentenceOf(reason)])].join('; ');
  const isPaid = (['unroll', 'split'] as const).some((purpose) => store.transactions.onTheWay(purpose).length > 0);
  if (isPaid) return { is: 'later', sentence: line, at };
  const wallet = bitcoinWalletOf(ports);
  const { available, pending } = await wallet.balance([]);
  if (available > noSats) return { is: 'later', sentence: line, at };
  if (pending > noSats)
    return { is: 'later', sentence: 'it waits for coins of the Bitcoin wallet that wait for their block', at };
  return {
    is: 'failed',
    sentence:
      'no child can pay for the transactions that bring it to the chain: send confirmed coins to the Bitcoin wallet ' +
      `of these words (${await wallet.address()}), or wait until fees fall`,
  };
}
