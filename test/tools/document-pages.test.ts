import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { documentFiles } from '../../documents.vite.ts';

const pages = documentFiles(fileURLToPath(new URL('../../resources/docs', import.meta.url)));

/** The addresses in a page that lead within the node, seen from `docs/`. */
function targetsOf(name: string, text: string): string[] {
  return [...text.matchAll(/(?:href|src)="([^"]*)"/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target))
    .map((target) => (target.startsWith('#') ? name + target : posix.join(posix.dirname(name), target)));
}

test('every link of a page of the documents leads to a page and a heading, to the node or to its contract', () => {
  const broken = [...pages].flatMap(([name, text]) =>
    targetsOf(name, text).filter((target) => {
      const [file = '', anchor] = target.split('#');
      if (['../', '../openapi.json'].includes(file)) return false;
      const page = pages.get(file);
      return page === undefined || (anchor !== undefined && !page.includes(`id="${anchor}"`));
    }),
  );
  expect(broken).toEqual([]);
});

test('a page has no code of its own, nothing inline and nothing from elsewhere', () => {
  const html = [...pages].filter(([name]) => name.endsWith('.html')).map(([, text]) => text);
  expect(html.length).toBeGreaterThan(20);
  expect(html.filter((text) => /<script|<style|\sstyle=|\son\w+=|<img|<iframe/i.test(text))).toEqual([]);
});

test('what stands in a document is text, also where it looks like markup', () => {
  const configuration = pages.get('reference/configuration.html') ?? '';
  expect(configuration).toContain('<code>evm.&lt;chain id&gt;.rpc</code>');
  expect(configuration).not.toContain('<chain id>');
});
