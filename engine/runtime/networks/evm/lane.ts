import type { EvmNetwork } from '../../../domain/chain.ts';
import { toHex } from '../../../domain/hex.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import { countsOf } from './counts.ts';
import { isStorageFailure } from '../../../store/failure.ts';
import type { TransactionRow } from '../../../store/transactions.ts';
import { evmOf } from '../../ports.ts';
import { broadcastAll, dueAgain, waitsForNoDisk, type Sendings } from './broadcast.ts';
import { cancel, fillGaps } from './cancel.ts';
import type { Look, QueueOptions } from './look.ts';
import { ifKnown } from '../if-known.ts';
import { createMinedWatch } from './mined.ts';
import { replace, underpriced, waitingFor } from './replace.ts';
import { isOverdue, takeLocksBack } from './take-back.ts';
import {
  allVariants,
  doubtfulOf,
  tooLateToSend,
  isWaiting,
  readTransaction,
  variantsOf,
  type Variants,
} from './variants.ts';

/** The transactions of the account on one chain, in the order of their nonces. */
export function createLane(network: EvmNetwork, options: QueueOptions) {
  const { ports, store, clock, rules, taken, unpaid, log } = options;
  const sendings: Sendings = new Map();
  const mined = createMinedWatch(network, { ...options, isUsed });
  let gaps: ReadonlySet<number> = new Set();

  /** Whether a node refused a variant of it for its nonce. */
  function isUsed(row: NonceRow): boolean {
    const used = [...sendings].filter(([, { answer }]) => answer.is === 'nonce-used');
    return used.length > 0 && variantsOf(row, store).all.some(({ txid }) => used.some(([one]) => one === txid));
  }

  /** Never sent, and too late to be: it is not sent any more. Answers what there is of the others. */
  function dropLate(rows: readonly NonceRow[], look: Look): (row: NonceRow) => Variants {
    const variants = allVariants(network, store);
    let dropped = false;
    for (const row of rows) {
      const { latest } = variants(row);
      if (latest?.state !== 'prepared' || !tooLateToSend({ ...row, purpose: latest.purpose }, look, store)) continue;
      store.transactions.close(latest.txid, 'dead', look.wall);
      dropped = true;
    }
    return dropped ? allVariants(network, store) : variants;
  }

  /**
   * What is sent so late only where the chain takes it still: one that it refuses is dropped. Answers those of which
   * nobody says so.
   */
  async function unsure(rows: readonly NonceRow[], look: Look): Promise<ReadonlySet<string>> {
    const waits = new Set<string>();
    for (const row of rows) {
      const doubtful = doubtfulOf(row, look, store);
      const bytes = doubtful === null ? null : store.transactions.bytes(doubtful.txid);
      if (doubtful === null || bytes === null) continue;
      const { to, value, data } = readTransaction(bytes);
      const simulation = await ifKnown(() => look.port.simulate({ to, value, data }));
      if (simulation === null) waits.add(doubtful.txid);
      else if (simulation.is === 'reverts') store.transactions.close(doubtful.txid, 'dead', look.wall);
    }
    return waits;
  }

  /** Sends what was signed since, once in a look: it waits for no receipt of another one. */
  function newcomers(account: string, look: Look): () => Promise<void> {
    const tried = new Set<string>();
    const mayBeSent = ({ txid, purpose }: TransactionRow): boolean => {
      const row = store.nonces.ofTransaction(txid);
      return (
        row === null || (!tooLateToSend({ ...row, purpose }, look, store) && doubtfulOf(row, look, store) === null)
      );
    };
    return async () => {
      const unsent = store.transactions.unsent(network, account);
      const fresh = unsent.filter((row) => !tried.has(row.txid) && mayBeSent(row));
      for (const { txid } of fresh) tried.add(txid);
      await broadcastAll(fresh, look, { store, sendings, taken });
    };
  }

  /** Receipts, sendings and prices, each saved before what comes after it. */
  async function lookAt(own: () => NonceRow[], look: Look, wanted: () => boolean): Promise<void> {
    const sendNew = newcomers(toHex(look.port.account()), look);
    await sendNew();
    const first = own();
    let sentMore = false;
    const isNew = await mined.look(first, look, async () => {
      sentMore ||= wanted();
      if (wanted()) await sendNew();
    });
    const waiting = (isNew || sentMore ? own() : first).filter(isWaiting);
    const waits = await unsure(waiting, look);
    const queue = { store, sendings, taken, rules: rules(network), unpaid, log };
    const before = dropLate(waiting, look);
    const ends = await takeLocksBack(waiting, before, look, queue);
    const variants = ends.size === 0 ? before : allVariants(network, store);
    const latest = waiting.flatMap((row) => variants(row).latest ?? []);
    const wanting = latest.filter(({ txid }) => !waits.has(txid) && !ends.has(txid));
    await broadcastAll(dueAgain(wanting, look, { sendings, taken }), look, { store, sendings, taken });
    const hurried = underpriced(waiting, look, sendings);
    await replace(hurried, look, queue);
    for (const row of waiting)
      if (variants(row).latest === null)
        await cancel(waitingFor(row, waiting), look, { store, rules: rules(network), unpaid });
    gaps = fillGaps(waiting, look, { store, before: gaps });
  }

  /** Whatever could not be saved before it: a claim that its nodes dropped waits for no disk (facts/faults.md 200). */
  async function sendUnsaved(waiting: readonly NonceRow[], look: Look): Promise<void> {
    const variants = allVariants(network, store);
    const latest = waiting.flatMap((row) => {
      const one = variants(row).latest;
      return one === null || isOverdue(row, one, look, store) ? [] : [one];
    });
    const due = dueAgain(latest, look, { sendings, taken }).filter(waitsForNoDisk);
    await broadcastAll(due, look, { store, sendings, taken });
  }

  return {
    /** `wanted` says whether something was signed since the look began. */
    async look(wanted: () => boolean): Promise<void> {
      if (!store.nonces.isAnyOpen(network)) return;
      const port = evmOf(ports, network);
      const [tip, nonces] = [await port.tip(), await countsOf(port, network, store)];
      const clocks = clock.now();
      const look: Look = { network, port, tip, nonces, now: clocks[network]?.mtp ?? tip.time, wall: clocks.wall };
      const account = toHex(port.account());
      const own = (): NonceRow[] => store.nonces.open(network).filter((row) => row.account === account);
      try {
        await lookAt(own, look, wanted);
      } catch (cause) {
        if (isStorageFailure(cause)) await sendUnsaved(own().filter(isWaiting), look);
        throw cause;
      }
    },
  };
}
