import { anchorOf } from '../../documents.vite.ts';

/* What a document in markdown says, as far as a test follows it. */

const fence = /^ *```[^\n]*\n([\s\S]*?)^ *```/gm;

/** The targets of its links and pictures, outside of code. */
export function linksOf(markdown: string): string[] {
  const prose = markdown.replaceAll(fence, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, link = '']) => link);
}

/** Its code: blocks, and what stands between backticks. */
export function codeOf(markdown: string): string[] {
  const blocks = [...markdown.matchAll(fence)].map(([, code = '']) => code);
  const spans = [...markdown.replaceAll(fence, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...blocks, ...spans];
}

/** Its blocks in one language, without what a list indents them by. */
export function blocksOf(markdown: string, language: string): string[] {
  return [...markdown.matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```/gm)]
    .filter(([, , name]) => name === language)
    .map(([, indent = '', , code = '']) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}

/** The anchors of its headings, as GitHub and the pages of the node make them. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = markdown.replaceAll(fence, '').matchAll(/^#{1,6} (.+)$/gm);
  return new Set([...headings].map(([, text = '']) => anchorOf(text)));
}
