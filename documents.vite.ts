import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parsers } from 'prettier/plugins/markdown';
import type { Plugin } from 'vite';

/** As much of a tree of markdown (mdast) as the documents have. */
interface MarkdownNode {
  readonly type: string;
  readonly children?: readonly MarkdownNode[];
  readonly value?: string;
  readonly depth?: number;
  readonly ordered?: boolean;
  readonly url?: string;
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => escapes[sign] ?? sign);
}

function textOf({ value = '', children = [] }: MarkdownNode): string {
  return value + children.map(textOf).join('');
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[`*]|\[|\]\([^)]*\)/g, '')
    .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** Where a document is served, below `docs/`. */
function pageOf(document: string): string {
  return document.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '.html');
}

/** The same target among the pages; null for what lies in the repository alone. */
function targetOf(url: string, document: string, documents: ReadonlySet<string>): string | null {
  if (/^(https?:|#)/.test(url)) return url;
  const [path = '', anchor] = url.split('#');
  const file = posix.normalize(posix.join(posix.dirname(document), path));
  if (documents.has(file)) return `${pageOf(path)}${anchor === undefined ? '' : `#${anchor}`}`;
  return file === '../openapi.json' ? path : null;
}

interface Page {
  readonly document: string;
  readonly documents: ReadonlySet<string>;
}

const blocks: Readonly<Record<string, string>> = { paragraph: 'p', listItem: 'li' };
const inlines: Readonly<Record<string, string>> = { strong: 'strong', emphasis: 'em' };

/** Markup is escaped like any text: the documents have none. */
function html(node: MarkdownNode, page: Page): string {
  const inner = (): string => (node.children ?? []).map((child) => html(child, page)).join('');
  const block = blocks[node.type];
  if (block !== undefined) return `<${block}>${inner()}</${block}>\n`;
  const inline = inlines[node.type];
  if (inline !== undefined) return `<${inline}>${inner()}</${inline}>`;
  switch (node.type) {
    case 'root':
      return inner();
    case 'heading':
      return `<h${node.depth} id="${anchorOf(textOf(node))}">${inner()}</h${node.depth}>\n`;
    case 'list':
      return node.ordered === true ? `<ol>\n${inner()}</ol>\n` : `<ul>\n${inner()}</ul>\n`;
    case 'code':
      return `<pre tabindex="0"><code>${escaped(node.value ?? '')}</code></pre>\n`;
    case 'inlineCode':
      return `<code>${escaped(node.value ?? '')}</code>`;
    case 'table':
      return table(node, page);
    case 'link':
      return link(targetOf(node.url ?? '', page.document, page.documents), inner());
    case 'html':
      return /^<!--/.test(node.value ?? '') ? '' : escaped(node.value ?? '');
    case 'text':
      return escaped(node.value ?? '');
    default:
      throw new Error(`${page.document} has something that no page can show: ${node.type}`);
  }
}

function link(target: string | null, inner: string): string {
  return target === null ? inner : `<a href="${escaped(target)}">${inner}</a>`;
}

function table({ children: [head, ...rows] = [] }: MarkdownNode, page: Page): string {
  const row = (of: MarkdownNode | undefined, cell: 'th' | 'td'): string => {
    const cells = of?.children ?? [];
    const inner = (one: MarkdownNode): string => (one.children ?? []).map((child) => html(child, page)).join('');
    return `<tr>${cells.map((one) => `<${cell}>${inner(one)}</${cell}>`).join('')}</tr>\n`;
  };
  const body = rows.map((one) => row(one, 'td')).join('');
  return `<div class="wide" tabindex="0"><table>\n<thead>${row(head, 'th')}</thead>\n<tbody>${body}</tbody>\n</table></div>\n`;
}

function pageHtml(text: string, page: Page): string {
  const tree = parsers.markdown.parse(text, {} as never) as MarkdownNode;
  const title = tree.children?.find(({ type }) => type === 'heading');
  const up = '../'.repeat(page.document.split('/').length - 1);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title === undefined ? 'Sluice' : textOf(title))}</title>`,
    `<link rel="stylesheet" href="${up}documents.css">`,
    `<nav><a href="${up}index.html">All documents</a> <a href="${up}../">The node</a></nav>`,
    `<main>\n${html(tree, page)}</main>`,
    '</html>\n',
  ].join('\n');
}

/** What is served, by its name below `docs/`: the first document, and those that it lists. */
export function documentFiles(folder: string): ReadonlyMap<string, string> {
  const first = readFileSync(`${folder}/README.md`, 'utf8');
  const listed = [...first.matchAll(/\]\(([\w/-]+\.md)[#)]/g)].map(([, name = '']) => name);
  const documents = new Set(['README.md', ...listed]);
  const pages = [...documents].map((document): [string, string] => [
    pageOf(document),
    pageHtml(readFileSync(`${folder}/${document}`, 'utf8'), { document, documents }),
  ]);
  return new Map([...pages, ['documents.css', readFileSync(`${folder}/documents.css`, 'utf8')]]);
}

/** Puts the documents beside the page, as files: nothing of it is loaded with the page. */
export function documents(folder: string): Plugin {
  return {
    name: 'documents',
    generateBundle() {
      for (const [name, source] of documentFiles(folder))
        this.emitFile({ type: 'asset', fileName: `docs/${name}`, source });
    },
  };
}
