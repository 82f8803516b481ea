import type { Unix } from '../domain/time.ts';

/** A moment for people, in the one time zone that is the same for everybody: `2026-11-22 10:05 UTC`. */
export function momentText(moment: Unix): string {
  return `${new Date(moment * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
