import { isRefusal } from '../../../engine/domain/errors.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { Committed } from '../../../engine/runtime/committed.ts';
import { createLooseLocks } from '../../../engine/service/limits/loose-locks.ts';
import { createLooseNotes, type LooseNotes } from '../../../engine/store/loose-notes.ts';
import { createSealer } from '../../../engine/store/sealer.ts';
import { swapRow } from '../../store/support.ts';

const sealer = createSealer(new Uint8Array(32).fill(1));
/** The funding window of each swap ends then. */
export const fundBefore = unix(1_760_001_800);
export const notesAt = (path: string | null) => createLooseNotes({ path, sealer });
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

type Rows = Map<string, ReturnType<typeof swapRow>>;

/** A node whose owner agreed to 100,000 sats in all and 60,000 a swap, on these notes. */
export function looseNode(
  loose: LooseNotes,
  given: { enabled?: boolean; held?: boolean; sent?: readonly string[]; rows?: Rows } = {},
) {
  const rows: Rows = new Map(given.rows ?? []);
  const listeners: (() => void)[] = [];
  let wall = unix(1_760_000_000);
  let commit: (committed: Committed) => void = () => undefined;
  const setting = { enabled: given.enabled ?? true, maxSwapSats: 60_000, maxLossSats: 100_000 };
  const set = (enabled: boolean) => {
    setting.enabled = enabled;
    for (const listener of listeners) listener();
  };
  const open = () =>
    createLooseLocks({
      runtime: {
        store: { loose, transactions: { byId: (id: string) => (given.sent?.includes(id) === true ? {} : null) } },
        commits: { onCommit: (listener: typeof commit) => void (commit = listener) },
        clock: { now: () => ({ wall }) },
        workingSet: { readable: (id: string) => (rows.has(id) ? { row: rows.get(id) } : null) },
      } as never,
      setting: () => setting,
      onSetting: (listener) => void listeners.push(listener),
      turnOff: async () => (given.held === true || !setting.enabled ? undefined : set(false)),
      log,
    });
  const locks = open();
  return {
    locks,
    /** Of its database, for another start. */
    rows,
    setting,
    set,
    reserve: (id: string, amount: number) => {
      const refused = locks.reserve(id, sats(amount));
      if (refused === null)
        rows.set(id, swapRow({ id, open: true, terms: { fundBefore }, progress: { at: 'opening' } }));
      return refused === null;
    },
    become(id: string, at: string, isOpen: boolean, more: object = {}) {
      const row = swapRow({ id, open: isOpen, terms: { fundBefore }, progress: { at, ...more } });
      rows.set(id, row);
      commit({ entry: { row } } as never);
    },
    /** Its operator calls the lock spent, and shows no leaf; `flagged` where that is news. */
    deny(id: string, flagged: string | null) {
      const row = swapRow({ id, open: true, terms: { fundBefore }, progress: { at: 'locked' } });
      rows.set(id, row);
      commit({ entry: { row }, distrusted: true, flagged } as never);
    },
    setClock: (to: number) => void (wall = unix(to)),
    room: () => {
      const room = locks.room();
      return isRefusal(room) ? null : Number(room);
    },
  };
}
