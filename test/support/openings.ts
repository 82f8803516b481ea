import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import type { Preimage, Sha256 } from '../../engine/domain/hash.ts';
import { toHex } from '../../engine/domain/hex.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import type { Client } from './client.ts';
import type { TestNode } from './node.ts';
import type { World } from './world.ts';

/** Where most scenes about a swap begin, for each direction the moment at which our own money is out. */
interface Cast {
  readonly world: World;
  readonly client: Client;
  readonly node: TestNode;
}

/** A swap from Lightning to Arkade: its payment is held, and our lock is there for the client to claim. */
export async function lockLightningArkade(
  { world, client, node }: Cast,
  amount = 100_000n,
): Promise<{ record: LightningArkadeRecord; secret: Preimage; coin: Vtxo }> {
  const secret = client.secret();
  const record = await client.createLightningArkade(node, amount, secret);
  world.pay(record.bolt11_invoice);
  await node.until(record.id, 'locked');
  const [coin] = await client.coins(record);
  if (coin === undefined) throw new Error('there is no lock');
  return { record, secret, coin };
}

/**
 * A swap from Arkade to Lightning: the client's coin is there, and the payee holds our payment until it is released.
 */
export async function payArkadeLightning(
  { world, client, node }: Cast,
  { amount = 100_000n, ...invoice }: { amount?: bigint; expirySeconds?: number } = {},
): Promise<{
  record: ArkadeLightningRecord;
  coin: Outpoint;
  hash: Sha256;
  release(outcome: 'settles' | 'fails'): void;
}> {
  const { bolt11, hash } = world.invoice(amount, { hold: true, ...invoice });
  const record = await client.createArkadeLightning(node, bolt11, amount);
  const coin = world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
  await node.until(record.id, 'paying');
  return { record, coin, hash, release: (outcome) => world.lightning.release(toHex(hash), outcome) };
}

/** The VHTLC of a swap that is open. */
export function vhtlcTerms({ runtime }: TestNode, id: string): VhtlcTerms {
  const terms = runtime.workingSet.find(id)?.row.terms as { readonly vhtlc: VhtlcTerms } | undefined;
  if (terms === undefined) throw new Error(`no swap ${id} is open`);
  return terms.vhtlc;
}
