import { sats } from '../../../engine/domain/money.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import type { TakeEvmArkadeTerms } from '../../taker/taken.ts';
import { silent } from '../../taker/pair.ts';
import { signerFaults, type TakerPlay, type TakerStory } from './mortal-taker.ts';
import { bringTokens, faultsIf, pegged } from './taker-moves.ts';

const hour = 3_600;
const amount = 50_000n;

function open(on: TakerPlay, gasless: boolean): Promise<string> {
  return on.open({
    direction: 'evm-arkade',
    amount: sats(amount),
    invoice: null,
    evm: { chainId: 137, token: null, destination: null, gasless },
  });
}

/** Both legs, by the chain and by the operator: one of them is the client's, and its lock was made once. */
async function faults(
  on: TakerPlay,
  { id, account }: { id: string; account: string },
  ends: 'coins' | 'tokens back',
): Promise<string[]> {
  const { taker } = on.pair;
  const { give } = await on.swap(id);
  const { hash } = taker.store.swaps.byId(id)?.terms as TakeEvmArkadeTerms;
  const held = await on.evm.reader.balance(pegged(on), account);
  const locks = await on.evm.reader.locks(toHex(hash));
  const arrived = await on.balance();
  const isHere = ends === 'coins';
  return [
    ...faultsIf([
      [held !== (isHere ? 0n : BigInt(give.amount)), `the account holds ${held} of ${give.amount}`],
      [locks.length !== 1, `${locks.length} locks were made`],
      [locks.some(({ end }) => end !== (isHere ? 'redeemed' : 'refunded')), 'a lock ended otherwise'],
      [arrived !== (isHere ? amount : 0n), `${arrived} sats arrived`],
    ]),
    ...(await signerFaults(on, account)),
  ];
}

export const takenFromEvmToArkade: readonly TakerStory[] = [
  {
    direction: 'evm-arkade',
    name: 'the coins arrive, and the provider takes the tokens',
    async play(on) {
      const id = await open(on, true);
      on.arm();
      const account = await bringTokens(on, id);
      await on.reached(id, 'claimed');
      await on.pair.provider.until((await on.swap(id)).provider_swap_id ?? '', 'claimed');
      return faults(on, { id, account }, 'coins');
    },
  },
  {
    direction: 'evm-arkade',
    name: 'the provider vanishes before it locks, and the tokens come back alone',
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
