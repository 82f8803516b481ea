import type { Database } from 'better-sqlite3';
import type { Queue } from '../legs/leg.ts';
import { effectVersion, readEffect } from '../swap/effect-shapes.ts';
import { legOf } from '../swap/leg-of.ts';
import type { Effect } from '../swap/machine.ts';
import { decode, encode } from './codec.ts';

/** Something the engine still has to do. A row is deleted when it is done: the outbox holds only what is owed. */
export interface EffectRow {
  readonly id: number;
  /** A swap's id, or `job:…` for a wallet job. */
  readonly subject: string;
  /** Whose queue it waits in: those of one leg are done in order, and wait for those of no other. */
  readonly leg: Queue;
  readonly effect: Effect;
  readonly attempts: number;
  /** How often its swap had asked for the same before, and nothing came of it. */
  readonly asked: number;
  /**
   * Not before this moment, in milliseconds: a retry waits, and what is asked for again; everything else is due at
   * once.
   */
  readonly due: number;
  /** Why it was given up until a person looks; null while it is tried. */
  readonly parked: string | null;
}

type SendEffect = Effect & { readonly do: 'evm.send' };

interface Raw {
  id: number;
  subject: string;
  leg: Queue;
  body: string;
  version: number;
  attempts: number;
  asked: number;
  due: number;
  parked: string | null;
}

/** Throws for what is damaged, or of a newer build. */
function fromRaw(raw: Raw): EffectRow {
  return {
    id: raw.id,
    subject: raw.subject,
    leg: raw.leg,
    effect: readEffect(decode(raw.body), raw.version),
    attempts: raw.attempts,
    asked: raw.asked,
    due: raw.due,
    parked: raw.parked,
  };
}

type OnUnread = (subject: string, cause: unknown) => void;

/** One that cannot be read is told of and left as it is; nothing owed is ever deleted. */
function readable(raws: readonly Raw[], onUnread: OnUnread): EffectRow[] {
  return raws.flatMap((raw) => {
    try {
      return [fromRaw(raw)];
    } catch (cause) {
      onUnread(raw.subject, cause);
      return [];
    }
  });
}

function rethrow(_: string, cause: unknown): never {
  throw cause;
}

export function effectsTable(db: Database) {
  const insert = db.prepare(`INSERT INTO effects (subject, leg, body, version, due, asked) VALUES (?, ?, ?, ?, ?, ?)`);
  const done = db.prepare(`DELETE FROM effects WHERE id = ?`);
  const retire = db.prepare(`DELETE FROM effects WHERE subject = ? AND leg = ?`);
  const postpone = db.prepare(`UPDATE effects SET attempts = ?, due = ? WHERE id = ?`);
  const park = db.prepare(`UPDATE effects SET parked = ?, due = ? WHERE id = ?`);
  const unpark = db.prepare(`UPDATE effects SET parked = NULL, due = 0 WHERE subject = ? AND parked IS NOT NULL`);
  const revive = db.prepare<[number], Raw>(
    'UPDATE effects SET parked = NULL, due = 0, attempts = attempts + 1 WHERE id = ? AND parked IS NOT NULL ' +
      'RETURNING *',
  );
  const reviveAll = db.prepare(`UPDATE effects SET parked = NULL, attempts = attempts + 1 WHERE parked IS NOT NULL`);
  const parkedCount = db.prepare<[], { count: number }>(
    `SELECT count(*) AS count FROM effects WHERE parked IS NOT NULL`,
  );
  const all = db.prepare<[], Raw>(`SELECT * FROM effects WHERE parked IS NULL ORDER BY id`);
  const every = db.prepare<[], Raw>(`SELECT * FROM effects ORDER BY id`);
  // One damaged row must not make the others unreadable.
  const inBody = (path: string): string => `CASE WHEN json_valid(body) THEN json_extract(body, '${path}') END`;
  const ofKind = db.prepare<[string], Raw>(
    `SELECT * FROM effects WHERE parked IS NULL AND ${inBody('$.do')} = ? ORDER BY id`,
  );
  const ofAct = db.prepare<[string], Raw>(
    `SELECT * FROM effects WHERE parked IS NULL AND ${inBody('$.do')} = 'evm.send'
       AND ${inBody('$.act.is')} = ? ORDER BY id`,
  );
  const bySubject = db.prepare<[string], Raw>(`SELECT * FROM effects WHERE subject = ? ORDER BY id`);

  return {
    insert(subject: string, effect: Effect, due: number, asked = 0): EffectRow {
      const leg = legOf(effect);
      const { lastInsertRowid } = insert.run(subject, leg, encode(effect), effectVersion(effect), due, asked);
      return { id: Number(lastInsertRowid), subject, leg, effect, attempts: 0, asked, due, parked: null };
    },
    done(id: number): void {
      done.run(id);
    },
    /** Drops everything that a leg of a swap asked for before and does not want any more, parked or not. */
    retire(subject: string, leg: Queue): void {
      retire.run(subject, leg);
    },
    postpone(id: number, due: number, attempts: number): void {
      postpone.run(attempts, due, id);
    },
    /** Given up until a person looks, or until it is `due` for one more try. */
    park(id: number, reason: string, due: number): void {
      park.run(reason, due, id);
    },
    unpark(subject: string): number {
      return unpark.run(subject).changes;
    },
    /** One that was given up, to be tried once more; empty when it is not parked any more. */
    revive(id: number): EffectRow[] {
      return revive.all(id).map((raw) => fromRaw(raw));
    },
    /** All that was given up, each when it is due. */
    reviveAll(): void {
      reviveAll.run();
    },
    /** How many were given up until a person looks. */
    parkedCount(): number {
      return parkedCount.get()?.count ?? 0;
    },
    waiting(onUnread: OnUnread = rethrow): EffectRow[] {
      return readable(all.all(), onUnread);
    },
    /** All at a start: what was given up is tried again, whether or not the disk takes that. */
    owed(onUnread: OnUnread): EffectRow[] {
      return readable(every.all(), onUnread).map((row) => ({ ...row, parked: null }));
    },
    /** All of one kind that are not given up, the oldest first. */
    waitingFor<D extends Effect['do']>(kind: D): (EffectRow & { readonly effect: Effect & { do: D } })[] {
      return readable(ofKind.all(kind), () => undefined) as (EffectRow & { effect: Effect & { do: D } })[];
    },
    /** Transactions of one purpose that an EVM account owes. */
    waitingToSend(act: SendEffect['act']['is']): (EffectRow & { readonly effect: SendEffect })[] {
      return readable(ofAct.all(act), () => undefined) as (EffectRow & { effect: SendEffect })[];
    },
    of(subject: string, onUnread: OnUnread = rethrow): EffectRow[] {
      return readable(bySubject.all(subject), onUnread);
    },
  };
}
