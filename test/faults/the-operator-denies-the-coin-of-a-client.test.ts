import { afterEach, expect, test, vi } from 'vitest';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import { readTx, witnessItems } from '../../engine/legs/psbt.ts';
import type { ArkadeLeg } from '../../engine/taker/terms.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { anyFailure } from '../support/failure.ts';
import { eventually } from '../support/scene.ts';
import { startPair, type Pair } from '../taker/pair.ts';

/*
 * The operator calls the VHTLC of a client spent, by a transaction that fits none of its leaves, while the coin lies
 * unspent on the chain or could. The client brings it there by itself, and takes it there.
 */

vi.setConfig({ testTimeout: 120_000 });

const amount = 50_000n;

let pair: Pair;
/** The client has sent something that its operator may have read. */
let isShown = false;
afterEach(() => pair.stop());

/** `mute`: what the client sends to the operator may have come there, and no answer comes back. */
async function start(mute: boolean): Promise<void> {
  pair = await startPair({
    provider: { bitcoinWallet: true, untilMs: 60_000 },
    taker: {
      bitcoinWallet: true,
      untilMs: 60_000,
      onBoundary(what, moment) {
        if (!mute || what !== 'ark.submitTx' || moment !== 'before') return;
        isShown = true;
        throw anyFailure('away', 'ask-first', 'no answer');
      },
    },
  });
  await deposit({ world: pair.world, node: pair.taker }, 60_000, 60_000, 60_000, 60_000);
}

/** Some transaction of the operator's, which spends other coins. */
async function unrelated(): Promise<string> {
  const [coin] = await pair.provider.ports.arkade!.walletCoins();
  return coin?.outpoint.txid ?? '';
}

function leafOf(coin: Outpoint): Uint8Array | null {
  const spend = pair.world.bitcoin.spend(coin);
  const bytes = spend && pair.world.bitcoin.transaction(spend.txid)?.tx.bytes;
  const tx = bytes && readTx(bytes);
  return tx ? (witnessItems(tx, 0).at(-2) ?? null) : null;
}

interface Denied {
  readonly id: string;
  readonly coin: Outpoint;
  readonly terms: VhtlcTerms;
}

/** The way of its coin to the chain is saved; then the operator denies it, and the client starts anew. */
async function denied(id: string, { vhtlc: terms, script }: ArkadeLeg): Promise<Denied> {
  const { world } = pair;
  await world.mine(1);
  await eventually(async () => {
    await pair.taker.exits.look();
    return pair.taker.store.exits.at(script).length === 1;
  }, 'the way is saved');
  const coin = pair.taker.store.exits.at(script)[0]!.outpoint;
  world.operator.faults.callSpent(outpointKey(coin), await unrelated());
  await eventually(() => pair.taker.runtime.guard.paused() !== null, 'the operator is distrusted');
  await pair.restartTaker();
  return { id, coin, terms };
}

/** The client brings it to the chain, block by block. */
async function brought(coin: Outpoint): Promise<void> {
  await eventually(async () => {
    await pair.taker.networks.refresh();
    await pair.taker.unilateralExits.look();
    await pair.world.mine(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return (pair.world.bitcoin.transaction(coin.txid)?.height ?? null) !== null;
  }, 'the client brings its coin to the chain');
}

function legOf(id: string, side: 'source' | 'target'): ArkadeLeg {
  const { deal } = pair.taker.runtime.workingSet.find(id)!.row.progress as unknown as {
    deal: Record<typeof side, ArkadeLeg>;
  };
  return deal[side];
}

test('fault 68: a client whose secret is out claims on the chain the VHTLC that its operator calls spent', async () => {
  await start(true);
  const id = await pair.fromLightning(amount);
  pair.world.pay((await pair.listed(id)).invoice ?? '');
  await pair.taker.until(id, 'claiming');
  await eventually(() => isShown, 'the claim was on its way');
  const { coin, terms } = await denied(id, legOf(id, 'target'));
  await brought(coin);
  await pair.world.advance(terms.claimDelay + 600);
  await eventually(() => leafOf(coin) !== null, 'the claim is sent');
  await pair.world.mine(6);
  await pair.taker.until(id, 'claimed');
  expect(leafOf(coin)).toEqual(vhtlcScript(terms).leaf['unilateral-claim'].script);
});

test('fault 68: a client takes back on the chain what it funded and its operator calls spent', async () => {
  await start(false);
  const { bolt11 } = pair.world.invoice(amount, { hold: true });
  const id = await pair.toLightning(bolt11, amount);
  const { address, amount_sats } = await pair.listed(id);
  await pair.provider.kill();
  pair.world.faucet(address ?? '', BigInt(amount_sats));
  await pair.taker.until(id, 'funded');
  await pair.restartProvider();
  const { coin, terms } = await denied(id, legOf(id, 'source'));
  await brought(coin);
  await pair.world.advance(terms.refundLocktime - pair.world.now() + 7_200);
  await pair.world.mine(12);
  await pair.taker.until(id, 'refunding');
  await pair.world.advance(terms.refundWithoutReceiverDelay + 600);
  await eventually(() => leafOf(coin) !== null, 'the refund is sent');
  await pair.world.mine(6);
  await pair.taker.until(id, 'done');
  expect(leafOf(coin)).toEqual(vhtlcScript(terms).leaf['unilateral-refund-without-receiver'].script);
});
