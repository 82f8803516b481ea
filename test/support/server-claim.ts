import { expect } from 'vitest';
import type { ServerClaim } from '../../engine/api/service.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { newNonce } from '../../engine/legs/musig.ts';
import { readHtlcSpend } from '../../engine/legs/onchain/htlc-spend.ts';
import { jointKeyOf } from '../../engine/legs/onchain/key-spend.ts';
import type { TheirPartial } from '../../engine/legs/onchain/wallet-port.ts';
import { readRawTx } from '../../engine/legs/raw-tx.ts';
import { publicKeyOf } from '../../engine/legs/secp256k1.ts';
import type { BitcoinLightningTerms } from '../../engine/swap/directions/bitcoin-lightning.ts';
import type { TestNode } from './node.ts';
import type { World } from './world.ts';

/* A client of Bitcoin to Lightning that says at the create whether it signs our claim. */

const secret = new Uint8Array(32).fill(7);

export interface ClaimScene {
  readonly world: World;
  readonly node: TestNode;
}

export interface Sold {
  readonly id: string;
  readonly coin: Outpoint;
  readonly terms: BitcoinLightningTerms;
}

/** Its coin is mined, its payment settles, and our claim by the script is on the disk. */
export async function sold(scene: ClaimScene, signsClaim: boolean, isPaid = true, userId = 'a client'): Promise<Sold> {
  const { world, node } = scene;
  const { bolt11 } = world.invoice(50_000n);
  const created = await node.service.create(
    'bitcoin-lightning',
    {
      ...{ userId, extraFeesBps: 0, referralCode: null },
      refundKey: { key: publicKeyOf(secret), text: '' },
      payee: { is: 'invoice', bolt11, amount: sats(50_000n) },
      signsClaim,
    },
    null,
    null,
  );
  if (isRefusal(created)) throw new Error(created.sentence);
  const { id } = created;
  const terms = node.store.swaps.byId(id)?.terms as BitcoinLightningTerms;
  const coin = world.bitcoin.faucet(terms.htlcScript, terms.sourceAmount);
  if (coin === null) throw new Error('the faucet is empty');
  await world.mine(1);
  if (isPaid) await node.until(id, 'claiming');
  return { id, coin, terms };
}

/** What the client is asked to sign, once it is. */
export async function claimOf({ node }: ClaimScene, { id }: Sold): Promise<ServerClaim> {
  let claim: ServerClaim | null = null;
  await expect
    .poll(
      async () => {
        const answer = await node.service.serverClaim(id);
        claim = isRefusal(answer) ? null : answer;
        return claim !== null;
      },
      { timeout: 30_000, interval: 5 },
    )
    .toBe(true);
  return claim as unknown as ServerClaim;
}

/** The client's half of it; `by` another key than its own makes none. */
export function halfOf({ terms }: Sold, { sighash, publicNonce }: ServerClaim, by = secret): TheirPartial {
  const { htlc } = terms;
  const joint = jointKeyOf(htlc);
  const keys = by === secret ? joint : { ...joint, client: publicKeyOf(by) };
  const nonce = newNonce(keys, sighash, by);
  const partial = nonce.sign(publicNonce, by)?.partial;
  if (partial === undefined) throw new Error('no partial came of it');
  return { publicNonce: nonce.shown, partial };
}

/** By what the coin was taken, once something takes it. */
export async function takenBy({ world, node }: ClaimScene, { coin, terms }: Sold): Promise<string | null> {
  await expect.poll(() => world.bitcoin.spend(coin) !== undefined, { timeout: 60_000, interval: 10 }).toBe(true);
  const bytes = (await node.ports.bitcoin?.transaction(world.bitcoin.spend(coin)?.txid ?? ''))?.bytes;
  const tx = readRawTx(bytes ?? new Uint8Array());
  return tx === null ? null : (readHtlcSpend(terms.htlc, coin, tx)?.by ?? null);
}
