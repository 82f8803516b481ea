import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checklistParts } from '../../../engine/contract/owner/checklist.ts';
import { guideTo } from '../../../renderer/pages/provide/guides.ts';

const networks = ['arkade', 'bitcoin', 'lightning', 'evm:137', undefined];
const lookedAt = { id: 'one', state: 'todo' as const, needed: true, sentence: 'Nothing is there.', warnings: [] };

const steps = checklistParts.flatMap((part) => networks.map((network) => [part, network] as const));

test.each(steps)('the step %s on %s has a document, and the heading that its link names', (part, network) => {
  const address = guideTo({ ...lookedAt, part, ...(network === undefined ? {} : { network }) });
  const [, path, heading] = /^docs\/([a-z/]+)\.html(?:#(.+))?$/.exec(address) ?? [];
  const document = readFileSync(`resources/docs/${path}.md`, 'utf8');
  const headings = [...document.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text.toLowerCase().replaceAll(/[^a-z\d]+/g, '-'),
  );
  expect(headings.length).toBeGreaterThan(0);
  if (heading !== undefined) expect(headings).toContain(heading);
});
