import { readTransaction } from '../../engine/adapters/bitcoin/raw.ts';
import { sats } from '../../engine/domain/money.ts';
import { createBitcoin, type BitcoinWorld } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { createTime } from '../../engine/sandbox/world/clock.ts';
import { memoryJournal } from '../support/memory-journal.ts';
import { startOfTests } from '../sandbox/worlds.ts';
import type { BitcoinControls } from './bitcoin-suite.ts';

/** A chain of the sandbox, and what the tests do to it. */
export function openBitcoinWorld(): { world: BitcoinWorld; controls: BitcoinControls } {
  const journal = memoryJournal();
  const world = createBitcoin({ journal, time: createTime(journal, () => startOfTests), startHeight: 150 });
  return {
    world,
    controls: {
      async faucet(script, amount) {
        const outpoint = world.faucet(script, sats(amount));
        if (outpoint === null) throw new Error('the faucet has no coin');
        return outpoint;
      },
      replacesAll: true,
      mempoolMinimum: (satPerVb) => world.setMempoolMinimum(satPerVb),
      mine: async (blocks) => world.mine(blocks),
      async reach(mtp) {
        world.advance(Math.max(1, mtp - world.tip().mtp));
        while (world.tip().mtp < mtp) world.mine(1);
      },
      async reorg(depth, instead = []) {
        const ousted = instead.flatMap((bytes) =>
          readTransaction(bytes).inputs.map((input) => world.spend(input)?.txid ?? ''),
        );
        world.reorg(depth, ousted);
        for (const bytes of instead) world.submit(bytes);
        if (instead.length > 0) world.mine(1);
      },
      async truth() {
        const { hash, height } = world.tip();
        return { hash, height, times: Array.from({ length: 11 }, (_, i) => world.at(height - i)?.time ?? 0) };
      },
    },
  };
}
