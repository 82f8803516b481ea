/** On the chain's clock, unix seconds; null for what does not exist. They are the viewer's own boundaries. */
export interface BandTimes {
  /** When it was funded: where the channel begins. */
  readonly begin: number;
  readonly now: number;
  /** Last moment at which finishing is safe; without it there is nothing to draw. */
  readonly normal_until: number | null;
  readonly refund_signed_from: number | null;
  /** From here on it comes back with nobody's help. */
  readonly refund_alone_from: number | null;
  readonly danger_from: number | null;
  readonly last: number | null;
}

export type ZoneName = 'normal' | 'refund' | 'danger';

export interface Zone {
  readonly name: ZoneName;
  readonly from: number;
  /** Null for an end that is open. */
  readonly to: number | null;
  /** Share of the channel's width. */
  readonly width: number;
  /** Share of the zone that is over, 0 to 1. */
  readonly past: number;
  readonly current: boolean;
  /** Where in the zone it opens with nobody's help, 0 to 1. */
  readonly mark: number | null;
  /** Its pattern at full strength. */
  readonly strong: boolean;
}

export interface BandDrawing {
  readonly zones: readonly Zone[];
  /** Where now is, in percent of the channel. */
  readonly x: number;
  /** Which way its label turns. */
  readonly label: 'middle' | 'at-left' | 'at-right';
}

/** Whatever the durations: equal widths are read faster than true ones. */
const widths = { 1: [1], 2: [0.62, 0.38], 3: [0.46, 0.32, 0.22] } as const;
const day = 86_400;
const hour = 3_600;

/** Zones, fills, the mark and now; null where the boundaries are not known. */
export function drawBand(times: BandTimes): BandDrawing | null {
  const bounds = boundsOf(times);
  if (bounds === null) return null;
  const share = widths[bounds.length as 1 | 2 | 3];
  const here = Math.max(
    0,
    bounds.findLastIndex(({ from }) => times.now >= from),
  );
  let x = 0;
  let before = 0;
  const zones = bounds.map(({ name, from, to, end }, place): Zone => {
    const width = share[place] ?? 0;
    const past = clamp((times.now - from) / (end - from));
    if (place === here) x = (before + width * past) * 100;
    before += width;
    return {
      name,
      from,
      to,
      width,
      past,
      current: place === here,
      mark: name === 'refund' ? markOf(times, from, end) : null,
      strong: name !== 'danger' || from - times.now < day,
    };
  });
  return { zones, x, label: x < 6 ? 'at-left' : x > 90 ? 'at-right' : 'middle' };
}

interface Bounds {
  readonly name: ZoneName;
  readonly from: number;
  readonly to: number | null;
  /** Where it ends on the drawing: an open zone is drawn as long as its mark and now ask for. */
  readonly end: number;
}

function boundsOf(times: BandTimes): readonly Bounds[] | null {
  const { begin, now, normal_until: safe, refund_signed_from: signed, refund_alone_from: alone } = times;
  if (safe === null || safe <= begin) return null;
  const bounds: Bounds[] = [{ name: 'normal', from: begin, to: safe, end: safe }];
  const danger = times.danger_from;
  if (signed !== null || alone !== null) {
    const to = danger ?? times.last;
    const open = safe + Math.max(((alone ?? safe) - safe) / 0.3, (now - safe) / 0.9, hour);
    if (to === null || to > safe) bounds.push({ name: 'refund', from: safe, to, end: to ?? open });
  }
  if (danger !== null && (times.last === null || times.last > danger)) {
    const from = Math.max(danger, safe);
    bounds.push({ name: 'danger', from, to: times.last, end: times.last ?? from + Math.max((now - from) / 0.9, hour) });
  }
  return bounds;
}

function markOf({ refund_alone_from: alone }: BandTimes, from: number, end: number): number | null {
  return alone === null || alone > end ? null : clamp((alone - from) / (end - from));
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
