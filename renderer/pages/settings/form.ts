import { readUnits } from '../../format/amount.ts';

/** One setting of the configuration, and how it is typed. */
export interface Setting {
  /** Its place in the configuration: `['terms', 'feeBps']`. */
  readonly at: readonly string[];
  /** `secret` is never shown as it is typed; `bytes` may be pasted or come from a file. */
  readonly is: 'sats' | 'bps' | 'text' | 'list' | 'secret' | 'bytes';
  readonly label: string;
  readonly hint?: string;
}

export type Tree = Readonly<Record<string, unknown>>;

/** What stands at a place, as it is typed: lists one a line, basis points as percent. */
export function typed(setting: Setting, settings: Tree): string {
  const value = valueAt(settings, setting.at);
  if (value === null || value === undefined || value === true) return '';
  if (setting.is === 'list') return Array.isArray(value) ? value.join('\n') : '';
  if (setting.is === 'bps') return String(Number(value) / 100);
  if (setting.is === 'sats') return Number(value).toLocaleString('en');
  return String(value);
}

/** What was typed as the node reads it; null takes the default back, undefined is nothing that could be sent. */
export function meant(setting: Setting, text: string): unknown {
  const trimmed = text.trim();
  if (setting.is === 'list') return trimmed === '' ? null : trimmed.split(/\s*\n\s*/);
  if (trimmed === '') return null;
  if (setting.is === 'sats') return /^0+$/.test(trimmed) ? 0 : numberOf(readUnits(trimmed, 0));
  if (setting.is === 'bps') return /^0+([.]0*)?$/.test(trimmed) ? 0 : numberOf(readUnits(trimmed, 2));
  return trimmed;
}

/** A patch with what was changed and nothing else. */
export function patchOf(changes: readonly (readonly [Setting, unknown])[]): Tree {
  const patch: Record<string, unknown> = {};
  for (const [{ at }, value] of changes) {
    let parent = patch;
    for (const step of at.slice(0, -1)) parent = (parent[step] ??= {}) as Record<string, unknown>;
    const name = at.at(-1);
    if (name !== undefined) parent[name] = value;
  }
  return patch;
}

export function valueAt(settings: Tree, at: readonly string[]): unknown {
  let value: unknown = settings;
  for (const step of at) value = typeof value === 'object' && value !== null ? (value as Tree)[step] : undefined;
  return value;
}

function numberOf(units: string | null): number | undefined {
  return units === null ? undefined : Number(units);
}

/** Its place as one word: `terms.feeBps`. */
export function keyOf({ at }: Setting): string {
  return at.join('.');
}
