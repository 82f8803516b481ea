import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { isRefusal, refuse, type Refusal } from '../../engine/domain/errors.ts';
import { unix } from '../../engine/domain/time.ts';
import { judgeBooks } from '../demo/books.ts';
import { stops } from '../demo/directions.ts';
import { ask, textOf, type Json } from '../demo/http.ts';
import { findOrStartNode, type DemoNode } from '../demo/node.ts';
import { visit } from '../demo/visit.ts';
import { answerHelp } from '../help.ts';

const usage = 'npm run demo -- [--data-dir DIR]';

/**
 * Swaps in each direction that works, by plain clients of the REST API; 0 only when every one ended as its name says.
 */
async function demo(): Promise<number> {
  const folder = folderFlag();
  const node = isRefusal(folder) ? folder : await findOrStartNode(folder);
  if (isRefusal(node)) {
    console.error(node.sentence);
    return 1;
  }
  console.log(node.own ? `Started a sandbox node at ${node.url}` : `Using the sandbox node at ${node.url}`);
  try {
    return (await tour(node)) ? 0 : 1;
  } finally {
    await node.stop();
  }
}

function folderFlag(): string | null | Refusal {
  try {
    return parseArgs({ options: { 'data-dir': { type: 'string' } } }).values['data-dir'] ?? null;
  } catch (error) {
    return refuse('invalid', `${(error as Error).message.split('. ')[0]}. Usage: ${usage}`);
  }
}

async function tour(node: DemoNode): Promise<boolean> {
  const { openClientSide } = await import('../../engine/index.ts');
  const { arkade } = await ask(node, 'GET', '/sandbox');
  const clock = async (): Promise<number> => Number((await ask(node, 'GET', '/sandbox'))['clock']);
  const allEnded = await visit(stops, {
    node,
    async newClient() {
      const now = unix(await clock());
      return openClientSide({ arkadeUrl: textOf(arkade as Json, 'url'), seed: randomBytes(64), wall: () => now });
    },
    async moveTo(time) {
      const seconds = time - (await clock());
      if (seconds > 0) await ask(node, 'POST', '/sandbox/clock/advance', { seconds });
    },
    print: console.log,
  });
  const books = await judgeBooks(node);
  console.log(books.line);
  return allEnded && books.good;
}

answerHelp(usage, 'Swaps in every direction against a sandbox node, as any client would.', {
  '--data-dir DIR': 'folder of a running sandbox node; default: the node of the usual folder, else a new one',
});
process.exit(await demo());
