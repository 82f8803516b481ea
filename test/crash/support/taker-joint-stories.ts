import { sats } from '../../../engine/domain/money.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import type { BitcoinLeg, LightningLeg } from '../../../engine/taker/terms.ts';
import { deposit } from '../../support/bitcoin-wallet.ts';
import { silence, silent } from '../../taker/pair.ts';
import type { TakerPlay, TakerStory } from './mortal-taker.ts';
import { bitcoins, dealOf, faultsIf, mined, mostFee, payHtlc } from './taker-moves.ts';

/* A client dies around what it asks its provider to sign with it, and around what it sends of that. */

const amount = 50_000n;

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
  const arrived = await bitcoins(on);
  return faultsIf([[arrived > amount || arrived < amount - mostFee, `${arrived} sats arrived`]]);
}

interface Sale {
  readonly id: string;
  readonly hash: Uint8Array;
  readonly source: BitcoinLeg;
  readonly swapId: string;
}

/** Opened, for an invoice whose payee keeps the payment for a while. */
async function sell(on: TakerPlay): Promise<Sale> {
  const { bolt11, hash } = on.pair.world.invoice(amount, { hold: true });
  const id = await on.open({ direction: 'bitcoin-lightning', amount: sats(amount), invoice: bolt11 });
  const { source, swapId } = dealOf<BitcoinLeg, LightningLeg>(on, id);
  return { id, hash, source, swapId };
}

function backFaults(back: bigint, { amount: paid }: BitcoinLeg): string[] {
  return faultsIf([[back > paid || back < paid - mostFee, `${back} of ${paid} sats are back`]]);
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
      const { id, hash, source, swapId } = await sell(on);
      on.arm();
      const coin = payHtlc(on, source);
      await mined(on, 'the payment', () => on.pair.provider.at(swapId) === 'paying');
      on.pair.world.lightning.release(toHex(hash), 'fails');
      await mined(on, 'done', () => on.pair.taker.at(id) === 'done');
      const { height = null } = on.pair.world.bitcoin.spend(coin) ?? {};
      const { htlc } = source;
      const isLate = height === null || htlc.form !== 'musig' || height >= htlc.refundHeight;
      return [...backFaults(await bitcoins(on), source), ...faultsIf([[isLate, 'it came back by the height alone']])];
    },
  },
  {
    direction: 'bitcoin-lightning',
    name: 'the payment settles, and the client signs the claim',
    async play(on) {
      const { id, hash, source, swapId } = await sell(on);
      const coin = payHtlc(on, source);
      await mined(on, 'the payment', () => on.pair.provider.at(swapId) === 'paying');
      on.arm();
      on.pair.world.lightning.release(toHex(hash), 'settles');
      await mined(on, 'claimed', () => on.pair.taker.at(id) === 'claimed');
      await mined(on, 'the claim', () => on.pair.provider.at(swapId) === 'claimed');
      const { htlc } = source;
      const secret = await on.stored(({ preimages }) => preimages.find(htlc.hash));
      if (htlc.form !== 'musig') throw new Error(`the HTLC has the form ${htlc.form}`);
      await on.pair.world.mine(htlc.refundHeight - on.pair.world.bitcoin.clock.height() + 2);
      const back = await bitcoins(on);
      const given = await on.stored(({ partials }) => partials.of(coin).filter(({ own }) => !own).length);
      return faultsIf([
        [back !== 0n, `${back} sats are back`],
        [secret === null, 'the secret of the payee is not kept'],
        [given > 1, `${given} claims of the provider were signed`],
      ]);
    },
  },
  {
    direction: 'bitcoin-lightning',
    name: 'the provider vanishes, and the bitcoin comes back alone',
    async play(on) {
      const { id, source } = await sell(on);
      await on.pair.provider.kill();
      Object.assign(on.pair.tampered, { ...silent, refundTogether: silence });
      on.arm();
      const coin = payHtlc(on, source);
      await on.pair.world.mine(1);
      await on.reached(id, 'funded');
      const { htlc } = source;
      if (htlc.form !== 'musig') throw new Error(`the HTLC has the form ${htlc.form}`);
      await on.pair.world.mine(htlc.refundHeight - on.pair.world.bitcoin.clock.height());
      await mined(on, 'done', () => on.pair.taker.at(id) === 'done');
      return [
        ...backFaults(await bitcoins(on), source),
        ...faultsIf([[on.pair.world.bitcoin.spend(coin) === undefined, 'the coin was left behind']]),
      ];
    },
  },
];
