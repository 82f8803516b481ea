import { sats } from '../../../engine/domain/money.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import type { BitcoinLeg, Deal, LightningLeg } from '../../../engine/taker/terms.ts';
import { deposit } from '../../support/bitcoin-wallet.ts';
import { silence } from '../../taker/pair.ts';
import type { TakerPlay, TakerStory } from './mortal-taker.ts';
import { faultsIf, mined } from './taker-moves.ts';

/* A client dies around what it asks its provider to sign with it, and around what it sends of that. */

const amount = 50_000n;
/** Most that a claim or a refund may have cost. */
const mostFee = 3_000n;

function dealOf<S, G>(on: TakerPlay, id: string): { readonly source: S; readonly target: G; readonly swapId: string } {
  const { deal } = on.pair.taker.store.swaps.byId(id)?.progress as unknown as { deal: Deal };
  return deal as never;
}

/** Opened, and paid once it may die. */
async function buy(on: TakerPlay): Promise<string> {
  await deposit({ world: on.pair.world, node: on.pair.provider }, 1_000_000);
  const id = await on.open({ direction: 'lightning-bitcoin', amount: sats(amount), invoice: null });
  const { source } = dealOf<LightningLeg, BitcoinLeg>(on, id);
  on.arm();
  on.pair.world.pay(source.bolt11);
  return id;
}

async function bought(on: TakerPlay, id: string): Promise<string[]> {
  const { swapId } = dealOf<LightningLeg, BitcoinLeg>(on, id);
  await mined(on, 'claimed', () => on.pair.taker.at(id) === 'claimed');
  await mined(on, 'the payment', () => on.pair.provider.status(swapId) === 'serverredeemed');
  const arrived = (await on.pair.taker.runtime.ports.bitcoinWallet?.balance([]))?.available ?? 0n;
  return faultsIf([[arrived > amount || arrived < amount - mostFee, `${arrived} sats arrived`]]);
}

export const takenTogether: readonly TakerStory[] = [
  {
    direction: 'lightning-bitcoin',
    name: 'the bitcoin arrives by the key of both',
    play: async (on) => bought(on, await buy(on)),
  },
  {
    direction: 'lightning-bitcoin',
    name: 'a provider that has the secret signs nothing',
    async play(on) {
      on.pair.tampered.claimTogether = silence;
      return bought(on, await buy(on));
    },
  },
  {
    direction: 'bitcoin-lightning',
    name: 'the payment fails, and both sign',
    async play(on) {
      const { bolt11, hash } = on.pair.world.invoice(amount, { hold: true });
      const id = await on.open({ direction: 'bitcoin-lightning', amount: sats(amount), invoice: bolt11 });
      const { source, swapId } = dealOf<BitcoinLeg, LightningLeg>(on, id);
      on.arm();
      const coin: Outpoint | null = on.pair.world.bitcoin.faucet(source.script, source.amount);
      if (coin === null) throw new Error('the faucet is empty');
      await mined(on, 'the payment', () => on.pair.provider.at(swapId) === 'paying');
      on.pair.world.lightning.release(toHex(hash), 'fails');
      await mined(on, 'done', () => on.pair.taker.at(id) === 'done');
      const { height = null } = on.pair.world.bitcoin.spend(coin) ?? {};
      const back = (await on.pair.taker.runtime.ports.bitcoinWallet?.balance([]))?.available ?? 0n;
      const { htlc } = source;
      return faultsIf([
        [back > source.amount || back < source.amount - mostFee, `${back} of ${source.amount} sats are back`],
        [height === null || htlc.form !== 'musig' || height >= htlc.refundHeight, 'it came back by the height alone'],
      ]);
    },
  },
];
