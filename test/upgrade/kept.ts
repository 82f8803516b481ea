import Database from 'better-sqlite3';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asPreimage } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { decode, encode } from '../../engine/store/codec.ts';
import { migrate, migrations } from '../../engine/store/migrate.ts';
import type { Balances } from '../crash/support/verdict.ts';
import type { Opened } from './scenarios.ts';
import type { Rows } from './world-journal.ts';

/** A node and its networks as they were at one moment: what a process that died there would have left. */
export interface Fixture {
  readonly label: string;
  readonly opened: Opened;
  /** Everybody's money before the swap. */
  readonly before: Balances;
  /** By table, each row as text. */
  readonly database: ReadonlyMap<string, readonly string[]>;
  readonly world: Rows;
  /** What the owner was shown of the swap, as JSON. */
  readonly told: string;
}

const fixtures = fileURLToPath(new URL('../store/fixtures', import.meta.url));

/**
 * Schemas that a release wrote and that were recorded before they were left, each for ever. None before the first
 * release.
 */
export function releasedSchemas(): number[] {
  const folders = existsSync(fixtures) ? readdirSync(fixtures) : [];
  return folders.map((name) => Number(name.replace('schema-', ''))).sort((a, b) => a - b);
}

export function fixturePath(schema: number, name: string): string {
  return join(fixtures, `schema-${schema}`, `${name}.json`);
}

/** Rows that many copies share are written once. */
interface Packed {
  readonly texts: readonly string[];
  readonly kept: readonly {
    readonly label: string;
    readonly hash: string;
    readonly secret: string | null;
    readonly before: string;
    readonly told: string;
    readonly database: Readonly<Record<string, readonly number[]>>;
    readonly world: Readonly<Record<string, readonly (readonly [key: number, row: number])[]>>;
  }[];
}

export function writeKept(path: string, fixtures: readonly Fixture[]): void {
  const texts = new Map<string, number>();
  function indexOf(text: string): number {
    const index = texts.get(text) ?? texts.size;
    texts.set(text, index);
    return index;
  }
  const packed = fixtures.map(({ label, opened, before, told: view, database, world }) => ({
    label,
    hash: opened.hash,
    secret: opened.secret === null ? null : toHex(opened.secret),
    before: encode(before),
    told: view,
    database: Object.fromEntries([...database].map(([table, rows]) => [table, rows.map(indexOf)])),
    world: Object.fromEntries(
      [...world].map(([table, rows]) => [table, [...rows].map(([key, row]) => [indexOf(key), indexOf(row)] as const)]),
    ),
  }));
  mkdirSync(dirname(path), { recursive: true });
  const lines = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(',\n');
  writeFileSync(path, `{"texts": [\n${lines([...texts.keys()])}\n], "kept": [\n${lines(packed)}\n]}\n`);
}

export function readKept(path: string): Fixture[] {
  const { texts, kept: packed } = JSON.parse(readFileSync(path, 'utf8')) as Packed;
  const text = (index: number): string => texts[index] ?? '';
  return packed.map(({ label, hash, secret, before, told: view, database, world }) => ({
    label,
    opened: { hash, secret: secret === null ? null : asPreimage(fromHex(secret)) },
    before: decode<Balances>(before),
    told: view,
    database: new Map(Object.entries(database).map(([table, rows]) => [table, rows.map(text)])),
    world: new Map(
      Object.entries(world).map(([table, rows]) => [table, new Map(rows.map(([key, row]) => [text(key), text(row)]))]),
    ),
  }));
}

/** Every row of a database that somebody else may have open. */
export function rowsOf(file: string): Fixture['database'] {
  const db = new Database(file, { readonly: true });
  try {
    const tables = db
      .prepare<[], { name: string }>(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND (name NOT LIKE 'sqlite_%' OR name = ` +
          `'sqlite_sequence')`,
      )
      .all();
    return new Map(tables.map(({ name }) => [name, db.prepare(`SELECT * FROM ${name}`).all().map(encode)]));
  } finally {
    db.close();
  }
}

/** Makes the database file of these rows, at the schema that they are of. */
export function writeDatabase(file: string, schema: number, rows: Fixture['database']): void {
  const db = new Database(file);
  try {
    db.pragma('journal_mode = WAL');
    migrate(db, () => undefined, migrations.slice(0, schema));
    db.pragma('foreign_keys = OFF');
    for (const [table, texts] of rows)
      for (const row of texts.map((text) => decode<Record<string, unknown>>(text))) {
        const names = Object.keys(row);
        db.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`).run(
          Object.values(row),
        );
      }
  } finally {
    db.close();
  }
}
