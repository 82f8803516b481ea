import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { csvOf } from '../../../renderer/pages/activity/csv.ts';
import { bodyOf, LabelPanel } from '../../../renderer/pages/labels/label-panel.tsx';
import { swap } from '../../desktop/screens/fixtures.ts';

test('the form shows what was kept, and sends what is empty as left out', () => {
  const shown = renderToStaticMarkup(<LabelPanel id="a" label="Rent" note={'for <May>'} />);
  expect([shown.includes('value="Rent"'), shown.includes('for &lt;May&gt;</textarea>')]).toEqual([true, true]);
  expect([bodyOf({ label: ' Rent ', note: '  ' }), bodyOf({ label: '', note: '' })]).toEqual([{ label: 'Rent' }, {}]);
});

test('the CSV of swaps ends with label and note, and no spreadsheet runs them', () => {
  const [head, line] = csvOf([swap({ label: '=SUM(A1)', note: 'a "b", c' })]).split('\r\n');
  expect([head?.endsWith('label,note'), line?.endsWith(`'=SUM(A1),"a ""b"", c"`)]).toEqual([true, true]);
});
