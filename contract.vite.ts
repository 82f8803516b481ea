import type { Plugin } from 'vite';

/** A part of the syntax tree, as the bundler has it. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';
}

/** Where `.meta(...)` stands behind an expression: from the end of that to the closing bracket. */
function descriptionsIn(node: SyntaxNode): (readonly [from: number, to: number])[] {
  const inner = Object.values(node).flat().filter(isNode).flatMap(descriptionsIn);
  const { callee } = node;
  if (node.type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression') return inner;
  const { object, property } = callee;
  const isMeta = isNode(object) && isNode(property) && property['name'] === 'meta';
  return isMeta ? [...inner.filter(([from]) => from < object.end), [object.end, node.end]] : inner;
}

/**
 * The contract without what only its document says: names and descriptions of fields judge nothing, and the page would
 * fetch all of them before it shows anything.
 */
export function withoutDescriptions(folder: string): Plugin {
  return {
    name: 'contract-without-descriptions',
    enforce: 'post',
    transform(code, id) {
      if (!id.startsWith(folder)) return null;
      const cuts = descriptionsIn(this.parse(code) as unknown as SyntaxNode).toSorted(([a], [b]) => b - a);
      const bare = cuts.reduce((text, [from, to]) => text.slice(0, from) + text.slice(to), code);
      return { code: bare, map: null };
    },
  };
}
