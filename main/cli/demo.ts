import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { isRefusal } from '../../engine/domain/errors.ts';
import { unix } from '../../engine/domain/time.ts';
import { stops } from '../demo/directions.ts';
import { ask, textOf, type Json } from '../demo/http.ts';
import { findOrStartNode, type DemoNode } from '../demo/node.ts';

/** One swap in each direction that works, by a plain client of the REST API; 0 only when every one ended well. */
async function demo(): Promise<number> {
  const { values } = parseArgs({ options: { 'data-dir': { type: 'string' } } });
  const node = await findOrStartNode(values['data-dir'] ?? null);
  if (isRefusal(node)) {
    console.error(node.sentence);
    return 1;
  }
  console.log(node.own ? `Started a sandbox node at ${node.url}` : `Using the sandbox node at ${node.url}`);
  try {
    return await tour(node);
  } finally {
    await node.stop();
  }
}

async function tour(node: DemoNode): Promise<number> {
  const { openClientSide } = await import('../../engine/index.ts');
  const world = await ask(node, 'GET', '/sandbox');
  const client = await openClientSide({
    arkadeUrl: textOf(world['arkade'] as Json, 'url'),
    seed: randomBytes(64),
    wall: () => unix(Number(world['clock'])),
  });
  let failures = 0;
  for (const stop of stops) {
    const begun = performance.now();
    console.log(`\n${stop.name}`);
    try {
      await stop.run({ node, client, say: console.log });
      console.log(`  done in ${((performance.now() - begun) / 1_000).toFixed(2)} s`);
    } catch (error) {
      failures += 1;
      console.error(`  failed: ${(error as Error).message}`);
    }
  }
  console.log(
    failures === 0
      ? '\nEvery swap ended in serverredeemed.'
      : `\n${failures} of ${stops.length} swaps did not end in serverredeemed.`,
  );
  return failures === 0 ? 0 : 1;
}

process.exit(await demo());
