import { parseAst } from 'vite';
import { expect, test } from 'vitest';
import { withoutDescriptions } from '../../contract.vite.ts';

const plugin = withoutDescriptions('/sluice/engine/contract/');

function bare(code: string, id = '/sluice/engine/contract/a.ts'): string {
  const transform = plugin.transform as (this: unknown, code: string, id: string) => { code: string } | null;
  return transform.call({ parse: parseAst }, code, id)?.code ?? code;
}

test.each([
  ["z.string().meta({ description: 'a' })", 'z.string()'],
  [
    "z.object({ a: z.int().meta({ id: 'A' }).min(1) }).meta({ id: 'B' }).optional()",
    'z.object({ a: z.int().min(1) }).optional()',
  ],
  ["f(z.array(x.meta({ description: '.meta(' })))", 'f(z.array(x))'],
  ['z.object({ meta: z.string(), b: a.meta })', 'z.object({ meta: z.string(), b: a.meta })'],
  ['import.meta.url', 'import.meta.url'],
])('%s judges as before without what it says of itself', (code, without) => {
  expect(bare(`const a = ${code};`)).toBe(`const a = ${without};`);
});

test('nothing outside of the contract is touched', () => {
  expect(bare("a.meta({ b: 'c' });", '/sluice/renderer/a.ts')).toBe("a.meta({ b: 'c' });");
});
