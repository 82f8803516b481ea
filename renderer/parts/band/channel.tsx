import type { CSSProperties } from 'react';
import type { BandDrawing, Zone } from './geometry.ts';

/** Custom properties are style too. */
export function vars(values: Readonly<Record<`--${string}`, string | number>>): CSSProperties {
  return values as CSSProperties;
}

export const zoneClass = { normal: 'normal', refund: 'refund', danger: 'dangerz' } as const;

/** The channel seen from the side; for the eye alone, the list beside it says everything. */
export function Channel({ drawing, label }: { drawing: BandDrawing; label: string }) {
  return (
    <span
      className="channel"
      aria-hidden="true"
      style={{ gridTemplateColumns: drawing.zones.map(({ width }) => `${width * 100}fr`).join(' ') }}
    >
      {drawing.zones.map((zone, place) => (
        <ZoneBox key={zone.name} zone={zone} last={place === drawing.zones.length - 1} />
      ))}
      <span
        className={`now ${drawing.label === 'middle' ? '' : drawing.label}`}
        style={vars({ '--x': `${drawing.x}%` })}
      >
        <b>{label}</b>
      </span>
    </span>
  );
}

function ZoneBox({ zone, last }: { zone: Zone; last: boolean }) {
  const isOver = zone.past >= 1 && !zone.current;
  const className = [
    'z',
    zoneClass[zone.name],
    isOver ? 'gone' : '',
    zone.strong ? 'strong' : '',
    last ? 'last' : '',
    zone.to === null ? 'open-end' : '',
  ];
  return (
    <span className={className.filter((part) => part !== '').join(' ')} data-zone-name={zone.name}>
      <i className="past" style={vars({ '--f': isOver ? 1 : zone.past })} />
      {zone.mark === null ? null : <i className="mark" style={vars({ '--at': zone.mark })} />}
    </span>
  );
}
