import { Band, MiniBand } from '../../../renderer/parts/band/band.tsx';
import type { BandTimes } from '../../../renderer/parts/band/geometry.ts';
import { Lanes } from '../../../renderer/parts/band/lanes.tsx';

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
      <p className="mt-6">
        Refund <MiniBand times={{ ...three, now: begin + 20 * hour }} />
      </p>
      <div className="mt-12">
        <Lanes
          span={{ from: begin, to: begin + 30 * hour, now: begin + 6 * hour }}
          labels={{ source: 'Your leg', target: 'Their leg' }}
          lanes={[
            {
              key: 'source',
              mark: begin + 24 * hour,
              zones: [
                { name: 'normal', from: begin, to: begin + 11 * hour },
                { name: 'refund', from: begin + 11 * hour, to: begin + 24 * hour },
                { name: 'danger', from: begin + 24 * hour, to: begin + 30 * hour },
              ],
            },
            {
              key: 'target',
              mark: null,
              zones: [
                { name: 'normal', from: begin + hour, to: begin + 12 * hour },
                { name: 'over', from: begin + 12 * hour, to: begin + 30 * hour },
              ],
            },
          ]}
        />
      </div>
    </section>
  );
}
