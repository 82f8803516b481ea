import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Band } from '../../../renderer/parts/band/band.tsx';
import { drawBand, type BandTimes } from '../../../renderer/parts/band/geometry.ts';

const hour = 3_600;
/** Normal for 10 hours, refund for 20 with its mark in the middle, danger for 10. */
const three: BandTimes = {
  begin: 0,
  now: 0,
  normal_until: 10 * hour,
  refund_signed_from: 0,
  refund_alone_from: 20 * hour,
  danger_from: 30 * hour,
  last: 40 * hour,
};
const at = (hours: number, times: BandTimes = three) => drawBand({ ...times, now: hours * hour })!;
const open: BandTimes = { ...three, danger_from: null, last: null };

test('three zones share the width 46 to 32 to 22, two 62 to 38, whatever their durations', () => {
  expect([at(0).zones.map(({ width }) => width), at(0, open).zones.map(({ width }) => width)]).toEqual([
    [0.46, 0.32, 0.22],
    [0.62, 0.38],
  ]);
});

test('the boundaries are those of the viewer, and each zone begins where the one before ends', () => {
  expect(at(0).zones.map(({ name, from, to }) => [name, from / hour, to! / hour])).toEqual([
    ['normal', 0, 10],
    ['refund', 10, 30],
    ['danger', 30, 40],
  ]);
});

test('a zone that does not exist is not drawn, and an end that is open is said to be', () => {
  expect(at(0, open).zones.map(({ name, to }) => [name, to === null])).toEqual([
    ['normal', false],
    ['refund', true],
  ]);
  expect(drawBand({ ...three, normal_until: null })).toBe(null);
});

test('within a zone time is linear, and what is over is filled', () => {
  expect([0, 5, 10, 15, 35, 99].map((hours) => at(hours).zones.map(({ past }) => past))).toEqual([
    [0, 0, 0],
    [0.5, 0, 0],
    [1, 0, 0],
    [1, 0.25, 0],
    [1, 1, 0.5],
    [1, 1, 1],
  ]);
});

test('now stands where the zones say, and its label turns inward at both ends', () => {
  expect([0, 5, 20, 35, 40, 99].map((hours) => [Math.round(at(hours).x), at(hours).label])).toEqual([
    [0, 'at-left'],
    [23, 'middle'],
    [62, 'middle'],
    [89, 'middle'],
    [100, 'at-right'],
    [100, 'at-right'],
  ]);
});

test('the mark stands where it opens with nobody’s help', () => {
  expect([at(0).zones.map(({ mark }) => mark), at(0, open).zones[1]!.mark]).toEqual([[null, 0.5, null], 0.3]);
});

test('the crossed hatch is faint until danger is less than a day away', () => {
  expect([5, 7, 35].map((hours) => at(hours).zones[2]!.strong)).toEqual([false, true, true]);
});

test('only the current zone says that one is here, and the list carries every date', () => {
  const html = renderToStaticMarkup(<Band title="Coming back" times={{ ...three, now: 15 * hour }} />);
  expect([
    html.match(/aria-current="step"/g)?.length,
    /aria-hidden="true"[^>]*style="grid-template-columns:46fr 32fr 22fr"/.test(html),
    /z normal gone/.test(html),
    html.match(/<time/g)?.length,
  ]).toEqual([1, true, true, 3]);
});

test('without a last date the text says so, and the edge is open', () => {
  const html = renderToStaticMarkup(<Band title="Coming back" times={{ ...open, now: 15 * hour }} />);
  expect([html.includes('There is no last date.'), html.includes('open-end'), html.includes('band z2')]).toEqual([
    true,
    true,
    true,
  ]);
});

test('now moves at most once a minute', () => {
  const html = (now: number) => renderToStaticMarkup(<Band title="Coming back" times={{ ...three, now }} />);
  expect([html(600) === html(659), html(600) === html(660)]).toEqual([true, false]);
});
