import { setTimeout as pause } from 'node:timers/promises';
import { sats } from '../../../engine/domain/money.ts';
import type { ArkadeLeg, BitcoinLeg } from '../../../engine/taker/terms.ts';
import { deposit } from '../../support/bitcoin-wallet.ts';
import { silence, silent } from '../../taker/pair.ts';
import type { TakerPlay, TakerStory } from './mortal-taker.ts';
import { bitcoins, dealOf, faultsIf, mined, mostFee } from './taker-moves.ts';

/* A client that funds a VHTLC, and claims an HTLC on the Bitcoin chain. */

const hour = 3_600;
const amount = 60_000n;

async function open(on: TakerPlay): Promise<string> {
  await deposit({ world: on.pair.world, node: on.pair.provider }, 1_000_000);
  return on.open({ direction: 'arkade-bitcoin', amount: sats(amount), invoice: null });
}

/** The provider's coin ends at a height: blocks that came as fast as they are asked for would be its end. */
async function minedSlowly(on: TakerPlay, what: string, reached: () => boolean): Promise<void> {
  await mined(on, what, async () => {
    if (!reached()) await pause(300);
    return reached();
  });
}

async function bought(on: TakerPlay): Promise<string[]> {
  const id = await open(on);
  const { source, swapId } = dealOf<ArkadeLeg, BitcoinLeg>(on, id);
  on.arm();
  on.pair.world.faucet(source.address, source.amount);
  await minedSlowly(on, 'done', () => on.pair.taker.at(id) === 'done');
  await minedSlowly(on, 'the provider’s claim', () => on.pair.provider.at(swapId) === 'claimed');
  const arrived = await bitcoins(on);
  const back = await on.balance();
  return faultsIf([
    [arrived > amount || arrived < amount - mostFee, `${arrived} sats arrived`],
    [back !== 0n, `${back} sats are back as well`],
  ]);
}

export const takenFromArkadeToBitcoin: readonly TakerStory[] = [
  {
    direction: 'arkade-bitcoin',
    name: 'the bitcoin arrives by the key of both',
    play: bought,
  },
  {
    direction: 'arkade-bitcoin',
    name: 'a provider that has the secret signs nothing',
    play(on) {
      on.pair.tampered.claimTogether = silence;
      return bought(on);
    },
  },
  {
    direction: 'arkade-bitcoin',
    name: 'the provider vanishes before it pays, and the coins come back alone',
    async play(on) {
      const id = await open(on);
      const { source } = dealOf<ArkadeLeg, BitcoinLeg>(on, id);
      await on.pair.provider.kill();
      Object.assign(on.pair.tampered, silent);
      on.arm();
      on.pair.world.faucet(source.address, source.amount);
      await on.reached(id, 'funded');
      await on.pair.world.advance(source.vhtlc.refundLocktime - on.pair.world.now() + 4 * hour);
      await minedSlowly(on, 'done', () => on.pair.taker.at(id) === 'done');
      const back = await on.balance();
      const arrived = await bitcoins(on);
      return faultsIf([
        [back !== source.amount, `${back} of ${source.amount} sats are back`],
        [arrived !== 0n, `${arrived} sats came from nowhere`],
      ]);
    },
  },
];
