import { sats } from '../../../engine/domain/money.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import type { TakeEvmBitcoinTerms } from '../../taker/taken.ts';
import { deposit } from '../../support/bitcoin-wallet.ts';
import { silent } from '../../taker/pair.ts';
import { signerFaults, type TakerPlay, type TakerStory } from './mortal-taker.ts';
import { bitcoins, bringTokens, faultsIf, mined, mostFee, pegged } from './taker-moves.ts';

const hour = 3_600;
const amount = 50_000n;

async function open(on: TakerPlay, gasless: boolean): Promise<string> {
  await deposit({ world: on.pair.world, node: on.pair.provider }, 1_000_000);
  return on.open({
    direction: 'evm-bitcoin',
    amount: sats(amount),
    invoice: null,
    evm: { chainId: 137, token: null, destination: null, gasless },
  });
}

/** Both legs, by the chains and by the wallet: one of them is the client's, and its lock was made once. */
async function faults(
  on: TakerPlay,
  { id, account }: { id: string; account: string },
  ends: 'bitcoin' | 'tokens back',
): Promise<string[]> {
  const { taker } = on.pair;
  const { give } = await on.swap(id);
  const { hash } = taker.store.swaps.byId(id)?.terms as TakeEvmBitcoinTerms;
  const held = await on.evm.reader.balance(pegged(on), account);
  const locks = await on.evm.reader.locks(toHex(hash));
  const arrived = await bitcoins(on);
  const isHere = ends === 'bitcoin';
  const least = isHere ? amount - mostFee : 0n;
  return [
    ...faultsIf([
      [held !== (isHere ? 0n : BigInt(give.amount)), `the account holds ${held} of ${give.amount}`],
      [locks.length !== 1, `${locks.length} locks were made`],
      [locks.some(({ end }) => end !== (isHere ? 'redeemed' : 'refunded')), 'a lock ended otherwise'],
      [arrived < least || arrived > (isHere ? amount : 0n), `${arrived} sats arrived`],
    ]),
    ...(await signerFaults(on, account)),
  ];
}

export const takenFromEvmToBitcoin: readonly TakerStory[] = [
  {
    direction: 'evm-bitcoin',
    name: 'the bitcoin arrives, and the provider takes the tokens',
    async play(on) {
      const id = await open(on, true);
      on.arm();
      const account = await bringTokens(on, id);
      await mined(on, 'claimed', () => on.pair.taker.at(id) === 'claimed');
      await on.pair.provider.until((await on.swap(id)).provider_swap_id ?? '', 'claimed');
      return faults(on, { id, account }, 'bitcoin');
    },
  },
  {
    direction: 'evm-bitcoin',
    name: 'the provider vanishes before it pays, and the tokens come back alone',
    async play(on) {
      const id = await open(on, false);
      await on.pair.provider.kill();
      Object.assign(on.pair.tampered, silent);
      on.arm();
      const account = await bringTokens(on, id);
      await on.reached(id, 'funded');
      await on.pair.world.advance(60 * hour);
      await on.reached(id, 'done');
      return faults(on, { id, account }, 'tokens back');
    },
  },
];
