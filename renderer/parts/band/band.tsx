import { useId, type ReactNode } from 'react';
import { nearText } from '../../format/moment.ts';
import { spanText } from '../../format/span.ts';
import { words } from '../../words/words.ts';
import { Moment } from '../moment.tsx';
import { Channel, zoneClass } from './channel.tsx';
import { drawBand, type BandTimes, type Zone, type ZoneName } from './geometry.ts';

/** A lag that nobody has to know of: blocks are some minutes apart. */
const unnoticed = 20 * 60;

/**
 * Who is safe until when: the channel, and below it what each zone means. Nothing where the boundaries are not known.
 */
export function Band({
  times,
  clock = times.now,
  title,
  children,
  means = {},
}: {
  times: BandTimes;
  /** What time it is for who reads; the chain that judges the boundaries may be behind. */
  clock?: number;
  title: ReactNode;
  children?: ReactNode;
  /** What happens in a zone, where it is not the usual. */
  means?: Partial<Record<ZoneName, ReactNode>>;
}) {
  const id = useId();
  const minute = times.now - (times.now % 60);
  const drawing = drawBand({ ...times, now: Math.max(minute, times.begin) });
  if (drawing === null) return null;
  const alone = times.refund_alone_from;
  const lag = clock - times.now;
  return (
    <figure className={`band${drawing.zones.length === 2 ? ' z2' : ''}`} aria-labelledby={id}>
      <figcaption>
        <h2 id={id}>{title}</h2>
        <p className="sub">{children}</p>
        {lag > unnoticed ? <p className="sub">{words.band.lag(spanText(lag - (lag % 60)))}</p> : null}
      </figcaption>
      <Channel drawing={drawing} label={words.band.now(nearText(clock, times.begin))} />
      <ol
        className="zones"
        style={{ gridTemplateColumns: drawing.zones.map(({ width }) => `${width * 100}fr`).join(' ') }}
      >
        {drawing.zones.map((zone) => (
          <li key={zone.name} aria-current={zone.current ? 'step' : undefined}>
            <h3>
              <i className={`key ${zoneClass[zone.name]}`} aria-hidden="true" />
              {words.band[zone.name]}
              {zone.current ? <span className="sub font-normal">{words.band.here}</span> : null}
            </h3>
            <p>
              {means[zone.name] ?? usual(zone.name, times)}
              <br />
              <ZoneDate zone={zone} alone={alone} />
            </p>
          </li>
        ))}
      </ol>
    </figure>
  );
}

function usual(zone: ZoneName, times: BandTimes): string {
  if (zone === 'refund') return times.refund_signed_from === null ? words.band.refundAlone : words.band.refundMeans;
  return zone === 'normal' ? words.band.normalMeans : words.band.dangerMeans;
}

function ZoneDate({ zone, alone }: { zone: Zone; alone: number | null }) {
  if (zone.name === 'refund' && alone !== null)
    return (
      <>
        {zone.mark === null ? null : <i className="tick" aria-hidden="true" />}
        {words.band.from}{' '}
        <b>
          <Moment at={alone} />
        </b>{' '}
        {words.band.aloneAfter} {zone.to === null ? words.band.noLastDate : ''}
      </>
    );
  const date = zone.name === 'danger' ? (zone.current ? zone.to : zone.from) : zone.to;
  if (date === null) return <>{words.band.noLastDate}</>;
  return (
    <>
      {zone.name === 'danger' ? (zone.current ? words.band.on : words.band.doneBy) : words.band.until}{' '}
      <b>
        <Moment at={date} />
      </b>
    </>
  );
}
