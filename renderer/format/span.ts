import { words } from '../words/words.ts';

const { spans } = words.parts;

/** A span in the two largest units a person needs: `23 h 10 min`, `4 min 5 s`, `now`. */
export function spanText(seconds: number): string {
  if (seconds <= 0) return spans.now;
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), spans.d],
    [Math.floor((seconds % 86_400) / 3_600), spans.h],
    [Math.floor((seconds % 3_600) / 60), spans.min],
    [Math.floor(seconds % 60), spans.s],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
