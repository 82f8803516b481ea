/**
 * A guide as steps that can be run. A request is a fenced `sh` block with one curl; the `http` block behind it is its
 * reply. A `ws` block holds frames, `>` to the node and `<` from it. A line "Keep `NAME` = `path`" takes values out of
 * the last reply. A `js` block is what the wallet does with its own keys meanwhile.
 */
export type Step =
  | { readonly is: 'request'; readonly line: number; readonly command: string; readonly reply: Shown }
  | { readonly is: 'frames'; readonly line: number; readonly frames: readonly Frame[] }
  | { readonly is: 'keep'; readonly line: number; readonly values: ReadonlyMap<string, string> }
  | { readonly is: 'code'; readonly line: number; readonly code: string };

/** A reply as the guide shows it. */
export interface Shown {
  readonly line: number;
  readonly status: number;
  readonly body: unknown;
}

export interface Frame {
  readonly from: 'client' | 'node';
  readonly text: string;
}

export interface Chapter {
  readonly title: string;
  readonly steps: readonly Step[];
}

interface Fence {
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** The chapters that have something to run, in the order of the guide. */
export function chaptersOf(markdown: string): Chapter[] {
  const lines = markdown.split('\n');
  const chapters: { title: string; steps: Step[] }[] = [{ title: '', steps: [] }];
  let request: Fence | null = null;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const add = (step: Step): unknown => chapters.at(-1)?.steps.push(step);
    const opened = /^```(\w*)$/.exec(line);
    if (opened !== null) {
      const end = lines.indexOf('```', at + 1);
      if (end < 0) throw new Error(`line ${at + 1}: the block has no end`);
      const fence: Fence = { line: at + 1, language: opened[1] ?? '', text: lines.slice(at + 1, end).join('\n') };
      at = end;
      if (request !== null && fence.language !== 'http')
        throw new Error(`line ${request.line}: the request has no reply`);
      if (fence.language === 'sh' && /\bcurl\b/.test(fence.text)) request = fence;
      if (fence.language === 'js') add({ is: 'code', line: fence.line, code: fence.text });
      if (fence.language === 'ws') add({ is: 'frames', line: fence.line, frames: framesOf(fence) });
      if (fence.language !== 'http') continue;
      if (request === null) throw new Error(`line ${fence.line}: the reply has no request`);
      add({ is: 'request', line: request.line, command: request.text, reply: replyOf(fence) });
      request = null;
      continue;
    }
    if (line.startsWith('## ')) chapters.push({ title: line.slice(3), steps: [] });
    if (line.startsWith('Keep `'))
      add({
        is: 'keep',
        line: at + 1,
        values: new Map([...line.matchAll(/`(\w+)` = `([\w.]+)`/g)].map(([, name = '', path = '']) => [name, path])),
      });
  }
  if (request !== null) throw new Error(`line ${request.line}: the request has no reply`);
  return chapters.filter(({ steps }) => steps.length > 0);
}

function replyOf({ line, text }: Fence): Shown {
  const [head = '', ...rest] = text.split('\n');
  const status = /^HTTP\/1\.1 (\d{3}) [A-Z]/.exec(head)?.[1];
  const blank = rest.indexOf('');
  if (status === undefined || blank < 0)
    throw new Error(`line ${line}: a reply begins with its status line and has a blank line before its body`);
  return { line, status: Number(status), body: JSON.parse(rest.slice(blank + 1).join('\n')) as unknown };
}

function framesOf({ line, text }: Fence): Frame[] {
  return text.split('\n').map((each) => {
    const [mark, frame] = [each.slice(0, 2), each.slice(2)];
    if (mark !== '> ' && mark !== '< ') throw new Error(`line ${line}: a frame begins with > or <`);
    return { from: mark === '> ' ? 'client' : 'node', text: frame };
  });
}
