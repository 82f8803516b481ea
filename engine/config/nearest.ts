/** The known name that takes the fewest edits to reach, or null where none is close. */
export function nearest(name: string, candidates: readonly string[]): string | null {
  const wanted = plain(name);
  let best: { name: string; edits: number } | null = null;
  for (const candidate of candidates) {
    const edits = wanted.length >= 3 && plain(candidate).startsWith(wanted) ? 1 : distance(wanted, plain(candidate));
    if (best === null || edits < best.edits) best = { name: candidate, edits };
  }
  return best !== null && best.edits <= Math.max(2, Math.floor(wanted.length / 2)) ? best.name : null;
}

/** Case, underscores and hyphens do not make a different name: `FEE_BPS` is `feeBps`. */
export function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(swap, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above[b.length] ?? 0;
}
