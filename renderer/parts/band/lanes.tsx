import type { ReactNode } from 'react';
import { nearText } from '../../format/moment.ts';
import { words } from '../../words/words.ts';
import { vars, zoneClass } from './channel.tsx';
import { drawLanes, type Lane } from './geometry.ts';

/** Two legs on one clock, linear throughout: whose time runs out first is seen at once. */
export function Lanes({
  span,
  lanes,
  labels,
}: {
  span: { readonly from: number; readonly to: number; readonly now: number };
  lanes: readonly Lane[];
  labels: Readonly<Record<string, ReactNode>>;
}) {
  const drawing = drawLanes(span, lanes);
  const turn = drawing.x < 6 ? 'at-left' : drawing.x > 90 ? 'at-right' : '';
  return (
    <div className="legs">
      {drawing.lanes.map((lane, place) => (
        <div key={lane.key} className="contents">
          <div className="lab">{labels[lane.key]}</div>
          <div className="channel lane" aria-hidden="true">
            {lane.zones.map((zone) => (
              <div
                key={zone.name}
                className={
                  'z ' +
                  `${zoneClass[zone.name]}${zone.past >= 1 && !zone.current ? ' gone' : ''}${zone.strong ? ' strong' : ''}`
                }
                style={{ insetInlineStart: `${zone.left}%`, width: `${zone.width}%` }}
              >
                <i className="past" style={vars({ '--f': zone.past })} />
              </div>
            ))}
            {lane.mark === null ? null : <i className="mark" style={{ insetInlineStart: `${lane.mark}%` }} />}
            <div className={`now ${turn}`} style={vars({ '--x': `${drawing.x}%` })}>
              {place === 0 ? <b>{words.band.now(nearText(span.now, span.from))}</b> : null}
            </div>
          </div>
        </div>
      ))}
    </div>
  );
}
