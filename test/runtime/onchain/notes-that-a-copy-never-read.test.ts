import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { asPreimage } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { HtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { createPartialNotes } from '../../../engine/store/partial-notes.ts';
import { createSealer } from '../../../engine/store/sealer.ts';
import type { Effect } from '../../../engine/swap/machine.ts';
import { newFolder, turns } from '../../store/support.ts';
import { eventually, patience } from './patience.ts';
import { bitcoinScene, newWorld, ours, swapKey } from './scene.ts';
import { clientPublic, scriptOf, secret } from './support.ts';

/* What a copy of the database forgot lies at a place outside that cannot be read, as on a share without its server. */

vi.setConfig(patience);

const hour = 3_600;
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 600));

/** Our coin may be taken back by the script, and there are eight hours for it. */
async function refunding() {
  const world = newWorld();
  const refundHeight = world.tip().height + 2;
  const terms: HtlcTerms = {
    ...{ form: 'musig', hash: hash160Of(secret), claimer: clientPublic, refunder: ours, provider: 'refunder' },
    ...{ sizeGuard: true, refundHeight },
  };
  const coin = world.faucet(scriptOf(terms), sats(60_000)) ?? expect.fail('the faucet has no coin');
  world.mine(2);
  const scene = await bitcoinScene({ world });
  const place = join(newFolder(), 'bundle.partials');
  mkdirSync(place);
  await scene.store.partials.alsoAt(() => [place], turns()).catch(() => undefined);
  const spend: Effect & { do: 'htlc.spend' } = {
    ...{ do: 'htlc.spend', purpose: 'refund', terms, script: scriptOf(terms), key: swapKey, coin, leastRate: 0 },
    deadline: unix(world.tip().mtp + 8 * hour),
  };
  const id = scene.open({ spend }, [spend]);
  await eventually(() => scene.runtime.workingSet.find(id)?.row.flag?.includes('never read') === true, 'it waits');
  return { scene, world, place, coin, id };
}

test('fault 312, bitcoin: no refund is signed before notes were read, nor where they forbid it', async () => {
  const { scene, world, place, coin, id } = await refunding();
  await aWhile();
  expect([scene.events(id), world.spend(coin)]).toEqual([[], undefined]);
  rmdirSync(place);
  const bytes = new Uint8Array(32);
  await createPartialNotes({ path: place, sealer: createSealer(new Uint8Array(32).fill(1)) }).note({
    ...{ subject: id, coin, purpose: 'claim', own: false, txid: '22'.repeat(32), preimage: asPreimage(bytes) },
    ...{ sighash: bytes, outputs: bytes, bytes },
  });
  await eventually(() => scene.store.partials.of(coin).length > 0, 'it is read');
  world.advance(7 * hour);
  await aWhile();
  expect([scene.events(id), world.spend(coin)]).toEqual([[], undefined]);
});

test('fault 312, bitcoin: a refund is sent once the place of notes is read and forbids nothing', async () => {
  const { world, place, coin } = await refunding();
  rmdirSync(place);
  await eventually(() => world.spend(coin) !== undefined, 'it is sent');
});

test('fault 312, bitcoin: a place of notes that never answers keeps a refund for half of its time', async () => {
  const { world, coin } = await refunding();
  world.advance(3 * hour);
  await aWhile();
  expect(world.spend(coin)).toBe(undefined);
  world.advance(2 * hour);
  await eventually(() => world.spend(coin) !== undefined, 'it is sent');
});
