import { toHex } from '../../domain/hex.ts';
import { PortFailure } from '../../domain/errors.ts';
import { asPreimage, sameBytes, type Preimage } from '../../domain/hash.ts';
import type { SwapStatus } from '../../domain/status.ts';
import { day } from '../../domain/time.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import { anchorScript } from '../../legs/psbt.ts';
import type { RawOutput } from '../../legs/raw-tx.ts';
import { readSeenTx, candidatesIn } from '../../legs/seen-tx.ts';
import { forgetHanded } from '../../runtime/networks/arkade/handed.ts';
import type { Log } from '../../runtime/log.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { HighWater } from '../../store/high-water.ts';
import { intentsCounter } from '../../store/intents.ts';
import { lives } from '../../store/position.ts';
import type { Entry } from '../../runtime/working-set.ts';
import type { Restored } from '../../store/restored.ts';
import type { SwapRow } from '../../store/swaps.ts';
import { arkadeWithdrawal } from '../../swap/jobs/withdrawal.ts';
import { bitcoinWithdrawal } from '../../swap/jobs/withdrawal-bitcoin.ts';
import { forwardEvm } from '../../swap/jobs/forward-evm.ts';
import { evmDeployment } from '../../swap/jobs/deploy-evm.ts';
import { evmWithdrawal } from '../../swap/jobs/withdrawal-evm.ts';
import { beginBooksAnew } from '../books/anew.ts';
import { noRules, type RulesOf } from '../../runtime/networks/evm/rules.ts';
import { noAccountRules, type EvmAccountRulesOf } from '../networks/evm.ts';
import { createRounds } from '../rounds.ts';
import { createForgottenLocks, type ForgottenLocks } from './forgotten-locks.ts';
import { isUngiven, settles } from './held-payments.ts';
import { isComparison, sentenceOf, type Fate, type Sent, type Task } from './sentences.ts';
import { createShownSecrets, type ContractsOf } from './shown-secrets.ts';

const setting = 'reconciling';
/** The longest leg is seven days: what was sent before the restart has been claimed or refunded by then. */
const lasts = 8 * day;

/** States of a swap that has its own lock. */
const locked: ReadonlySet<SwapStatus> = new Set([
  'serverfunded',
  'clientredeeming',
  'clientredeemed',
  'serverredeemed',
  'clientfundedserverrefunded',
  'clientrefundedserverfunded',
  'clientrefundedserverrefunded',
  'clientredeemedandclientrefunded',
]);

/** What the looks go by, and what they remember. */
interface Reconciling {
  readonly runtime: Runtime;
  readonly log: Log;
  readonly store: Runtime['store'];
  readonly guard: Runtime['guard'];
  readonly ports: Runtime['ports'];
  readonly settled: Set<string>;
  /** Whether what was given to us opens by this secret, and is taken. */
  readonly settle: (secret: Preimage) => Promise<boolean>;
  /** By what the other networks show, and what was signed for. */
  readonly settleShown: () => Promise<void>;
  readonly locks: Pick<ForgottenLocks, 'claim'>;
  lastSentence: string;
}

/**
 * A database that is older than what happened (facts/faults.md 5). New swaps wait for the owner, key indices jump, and
 * what the networks know of this wallet is compared with it, again and again: a lock that was made after the backup is
 * found by the coins that it took, or by its log, and once its client claims it the secret in the claim settles the
 * payment held for it, whose swap nobody remembers. What it cannot do is to refund such a lock: its terms went with the
 * database.
 */
export function createReconciliation(options: {
  readonly runtime: Runtime;
  readonly everyMs: number;
  readonly log: Log;
  /** Null for a chain without any, and where none are left out. */
  readonly contracts?: ContractsOf;
  readonly accounts?: EvmAccountRulesOf;
  readonly rules?: RulesOf;
}) {
  const { runtime, log, contracts = () => null, accounts = () => noAccountRules, rules = noRules } = options;
  const { store, guard, ports } = runtime;
  const locks = createForgottenLocks({ runtime, log, accounts, rules });
  const settle = async (secret: Preimage): Promise<boolean> => {
    const isLock = locks.shown(secret);
    return (await settles(own, secret)) || isLock;
  };
  const settleShown = createShownSecrets({ runtime, contracts, settle, forUs: locks });
  const seen = { settle, settleShown, locks, settled: new Set<string>(), lastSentence: '' };
  const own: Reconciling = { runtime, log, store, guard, ports, ...seen };

  const rounds = createRounds(runtime, {
    name: 'comparing with the networks',
    everyMs: options.everyMs,
    round: () => lookOnce(own),
  });

  return {
    check: rounds.check,
    /** Before anything runs on the database: from here on no key of a forgotten swap is used again. */
    begin(restored: Restored, highWater: HighWater): void {
      const open = openSwaps(own);
      const scripts = open.flatMap((entry) => (isUngiven(entry) ? [] : scriptIn(entry.row.terms)));
      const ungiven = open
        .filter(isUngiven)
        .flatMap(({ row: { id, terms } }) => scriptIn(terms).map((script) => ({ id, script })));
      // First: killed here, the next start finds the database as old as it was.
      for (const { row } of open) {
        holdBack(own, row);
        if (row.machine.startsWith('take-')) runtime.commits.deliver(row.id, { is: 'copied' });
      }
      const task: Task = {
        copiedAt: restored.copiedAt,
        scripts,
        ungiven,
        ...(restored.by === undefined ? {} : { by: restored.by }),
        ...(restored.by === undefined && restored.copiedAt === null && store.counters.peek('swap') === 0
          ? { empty: true }
          : {}),
      };
      store.atomically(() => {
        store.counters.take(lives, restored.pastLife ?? 0);
        store.counters.take('swap', restored.firstIndex);
        if (restored.firstIntent !== null) store.counters.take(intentsCounter, restored.firstIntent);
        beginBooksAnew(store);
        store.intents.noteOpen(runtime.workingSet.machines);
        forgetHanded({ swaps: store.swaps.openIds(), until: runtime.clock.now().wall }, store);
        for (const { row, machine } of open)
          if (machine.signsRefund?.(row.terms) === false) store.intents.drop('refund', row.id);
        store.settings.put(setting, task);
        guard.pause(sentenceOf(task, null));
      });
      highWater.reach(restored.firstIndex);
    },
    start(): void {
      rounds.soon();
      rounds.start();
    },
    stop: rounds.stop,
  };
}

/** What each network shows is looked at, whatever the others answer. */
async function look(own: Reconciling, task: Task): Promise<void> {
  const looks = await Promise.allSettled([lookAtArkade(own, task), own.settleShown()]);
  const failed = [...looks, ...(await Promise.allSettled([own.locks.claim()]))].find(
    (one) => one.status === 'rejected',
  );
  if (failed !== undefined) throw failed.reason;
}

async function lookAtArkade(own: Reconciling, task: Task): Promise<void> {
  const { ports, settled } = own;
  const { arkade } = ports;
  if (arkade === null) return;
  const sent = await unknownSpends(own, arkade, knownScripts(own, task));
  const unknownSends: { one: Sent; fate: Fate }[] = [];
  for (const one of sent) {
    const fate = settled.has(one.txid)
      ? 'settled'
      : await fateOf(own, one, arkade).catch((cause: unknown) => later(own, one, cause));
    if (fate === 'settled') settled.add(one.txid);
    unknownSends.push({ one, fate });
  }
  tell(own, task, unknownSends);
}

/** Also of a swap that nothing was given for when the copy was made, once it has found its lock. */
function knownScripts({ store }: Reconciling, { scripts, ungiven = [] }: Task): ReadonlySet<string> {
  const after = ungiven.filter(({ id }) => locked.has(store.swaps.byId(id)?.status ?? 'pending'));
  return new Set([...scripts, ...after.map(({ script }) => script)]);
}

/** One that cannot be looked at now keeps no other one from its payment. */
function later({ log }: Reconciling, { txid }: Sent, cause: unknown): Fate {
  if (!(cause instanceof PortFailure)) throw cause;
  log.warn(
    { transaction: txid, cause: cause.message },
    'what became of a payment that the restored database does not know could not be read',
  );
  return 'waiting';
}

/** Payments of our wallet coins by transactions that we did not write down, to scripts of no swap that we know. */
async function unknownSpends(
  { store }: Reconciling,
  arkade: ArkadePort,
  knownScripts: ReadonlySet<string>,
): Promise<Sent[]> {
  const own = await arkade.walletScripts();
  const ours = new Set(own.map(toHex));
  const coins = await arkade.coins(own);
  const txids = new Set(
    coins.flatMap(({ spentIn }) => (spentIn === null || store.transactions.byId(spentIn) !== null ? [] : [spentIn])),
  );
  const sent: Sent[] = [];
  for (const [txid, bytes] of await arkade.virtualTxs([...txids])) {
    for (const { script, amount } of outputsOf(bytes)) {
      if (!ours.has(toHex(script)) && !sameBytes(script, anchorScript) && !knownScripts.has(toHex(script)))
        sent.push({ txid, script, amount });
    }
  }
  return sent;
}

async function fateOf(own: Reconciling, { txid, script }: Sent, arkade: ArkadePort): Promise<Fate> {
  const coin = (await arkade.coins([script])).find(({ outpoint }) => outpoint.txid === txid);
  if (coin === undefined || !coin.spent) return 'waiting';
  for (const secret of await secretsFor(coin, arkade)) if (await own.settle(secret)) return 'settled';
  return 'gone';
}

async function secretsFor(coin: Vtxo, arkade: ArkadePort): Promise<Preimage[]> {
  const spenders = [coin.spentIn, coin.spentBy].filter((txid) => txid !== null);
  const transactions = await arkade.virtualTxs(spenders);
  return [...transactions.values()].flatMap(secretsIn);
}

function tell(own: Reconciling, task: Task, unknownSends: readonly { one: Sent; fate: Fate }[]): void {
  const { log, guard } = own;
  const sentence = sentenceOf(task, unknownSends);
  if (sentence === own.lastSentence) return;
  own.lastSentence = sentence;
  log.warn({}, sentence);
  // Whoever resumed, or paused for a reason of their own, is not overruled.
  if (isComparison(guard.paused()?.reason ?? '')) guard.pause(sentence);
}

async function lookOnce(own: Reconciling): Promise<void> {
  const { runtime, log, store } = own;
  try {
    const task = store.settings.get<Task>(setting);
    if (task === null) return;
    const { mtp } = runtime.clock.now().bitcoin;
    if (mtp !== null && task.chainSince === undefined) store.settings.put(setting, { ...task, chainSince: mtp });
    if (mtp !== null && mtp > (task.chainSince ?? mtp) + lasts) store.settings.remove(setting);
    else await look(own, task);
  } catch (cause) {
    if (cause instanceof PortFailure)
      log.info({ cause: cause.message }, 'the networks could not be compared with the restored database yet');
    else
      log.error(
        { cause: String(cause) },
        'comparing the networks with the restored database failed; the next round tries again',
      );
  }
}

/**
 * It chose no coins yet and chooses others each time, so nothing would tell that it was sent since (facts/faults.md
 * 5).
 */
function holdBack({ runtime }: Reconciling, { id, machine, progress }: SwapRow): void {
  const reason =
    'the database was restored from a backup, and it may have been sent since then. See whether it arrived ' +
    'before you ask for it again';
  if (progress.at !== 'choosing') return;
  if (machine === bitcoinWithdrawal.name) runtime.commits.deliver(id, { is: 'send.refused', reason: `${reason}.` });
  if (machine === arkadeWithdrawal.name)
    runtime.commits.deliver(id, { is: 'vhtlc.refused', purpose: 'lock', txid: null, why: 'refused', reason });
  if (machine === evmWithdrawal.name) runtime.commits.deliver(id, { is: 'evm.refused', purpose: 'pay', reason });
  if (machine === evmDeployment.name) runtime.commits.deliver(id, { is: 'evm.refused', purpose: 'deploy', reason });
  if (machine === forwardEvm.name) runtime.commits.deliver(id, { is: 'evm.refused', purpose: 'taker-pay', reason });
}

/** A row that cannot be read is told of at the start, and stops neither it nor this. */
function openSwaps({ runtime, store }: Reconciling): Entry[] {
  return store.swaps
    .openIds()
    .map((id) => runtime.workingSet.readable(id))
    .flatMap((entry) => entry ?? []);
}

/** Where a swap or a withdrawal has one. */
function scriptIn(terms: unknown): string[] {
  const script = (terms as { script?: unknown } | null)?.script;
  return script instanceof Uint8Array ? [toHex(script)] : [];
}

function outputsOf(bytes: Uint8Array): readonly RawOutput[] {
  return readSeenTx(bytes)?.tx.outputs ?? [];
}

function secretsIn(bytes: Uint8Array): Preimage[] {
  return (readSeenTx(bytes)?.inputs ?? []).flatMap((input) => [...candidatesIn(input)]).map(asPreimage);
}
