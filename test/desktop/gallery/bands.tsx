import { Band } from '../../../renderer/parts/band/band.tsx';
import type { BandTimes } from '../../../renderer/parts/band/geometry.ts';

const begin = 1_795_000_000;
const hour = 3_600;
const three: BandTimes = {
  begin,
  now: begin + 300,
  normal_until: begin + 11 * hour,
  refund_signed_from: begin,
  refund_alone_from: begin + 26 * hour,
  danger_from: begin + 60 * hour,
  last: begin + 84 * hour,
};
const bands: readonly (readonly [string, BandTimes])[] = [
  ['Usually done in 25 seconds', three],
  ['Coming back', { ...three, now: begin + 20 * hour }],
  ['7 hours left to act', { ...three, now: begin + 70 * hour }],
  ['Over', { ...three, now: begin + 90 * hour }],
  ['No last date', { ...three, now: begin + 5 * hour, danger_from: null, last: null }],
];

export function Bands() {
  return (
    <section aria-label="Bands">
      {bands.map(([title, times]) => (
        <Band key={title} title={title} times={times}>
          You may close this window.
        </Band>
      ))}
    </section>
  );
}
