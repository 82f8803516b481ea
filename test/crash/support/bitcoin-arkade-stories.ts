import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BitcoinArkadeRecord } from '../../../engine/contract/directions/bitcoin-arkade.ts';
import { sendBitcoin } from '../../stories/client/esplora.ts';
import {
  bitcoinToArkade,
  ownAddress,
  payBitcoin,
  takeBitcoinBack,
  type BitcoinCoin,
  type FromBitcoin,
} from '../../stories/client/from-bitcoin.ts';
import { takenBack } from './bitcoin-refunds.ts';
import type { Oracle } from './oracle.ts';
import {
  begin,
  look,
  isLockDecided,
  lockOrEnd,
  opened,
  until,
  type Stage,
  type Story,
  type Scenario,
} from './scenario.ts';

interface Open {
  readonly scenario: Scenario;
  readonly swap: FromBitcoin;
  readonly record: BitcoinArkadeRecord;
}

const change = 20_000;
/** No attempt to pay, and worth its fee all the same. */
const dust = 1_500;
const lateClaim = 'claims at the last moment';
const lateFunding = 'funds late';

async function open(stage: Stage, story: string): Promise<Open> {
  const { node, wallet, chance } = stage;
  const swap = await opened(() =>
    bitcoinToArkade(node.url, wallet, { receive: Math.floor(chance.between(40_000, 120_000)), userId: randomUUID() }),
  );
  const record = swap.record as unknown as BitcoinArkadeRecord;
  wallet.terms(record);
  const hash = hex.encode(sha256(swap.secret));
  return {
    scenario: begin(stage, { direction: 'bitcoin-arkade', story, hash, record, fromBitcoin: swap }),
    swap,
    record,
  };
}

async function pay(stage: Stage, { scenario, swap, record }: Open, difference = 0): Promise<void> {
  await until(stage, 'the payment', scenario, () =>
    stage.wallet.controls.bitcoinFaucet({ address: record.btc_htlc_address, amount: swap.price + difference }),
  );
}

const locked = (stage: Stage, scenario: Scenario): Promise<string> => lockOrEnd(stage, 'the lock', scenario);

async function claimUntilOver(stage: Stage, { scenario, swap, record }: Open): Promise<void> {
  await until(stage, 'the claim', scenario, async () => {
    const status = await look(stage, scenario);
    if (status === 'serverfunded') await stage.wallet.claim(record, swap.secret);
    return status === 'serverredeemed';
  });
}

async function claimIfLocked(stage: Stage, opening: Open): Promise<void> {
  if ((await locked(stage, opening.scenario)) === 'serverfunded') await claimUntilOver(stage, opening);
}

/** A coin of the client's own, for what the faucet cannot do. */
async function ownCoin(stage: Stage, { scenario, swap }: Open): Promise<BitcoinCoin> {
  const amount = swap.price + change;
  const coin = await until(stage, 'a coin', scenario, () =>
    stage.wallet.controls.bitcoinFaucet({ address: ownAddress(swap), amount }),
  );
  return { ...coin, amount: BigInt(amount) };
}

export const bitcoinToArkadeStories: Record<string, Story> = {
  async honest(stage) {
    const swap = await open(stage, 'honest');
    await pay(stage, swap);
    await claimIfLocked(stage, swap);
  },
  /** Pays and is never seen again. */
  async 'walks away'(stage) {
    const swap = await open(stage, 'walks away');
    await pay(stage, swap);
    await locked(stage, swap.scenario);
  },
  async [lateClaim](stage) {
    const swap = await open(stage, lateClaim);
    await pay(stage, swap);
    await locked(stage, swap.scenario);
  },
  async 'pays too little, or too much'(stage) {
    const swap = await open(stage, 'pays too little, or too much');
    await pay(stage, swap, stage.chance.pick([-1, 5_000]));
    await locked(stage, swap.scenario);
  },
  async 'pays dust first, and twice'(stage) {
    const swap = await open(stage, 'pays dust first, and twice');
    await pay(stage, swap, dust - swap.swap.price);
    await pay(stage, swap);
    if (stage.chance.next() < 0.5) await pause(stage.chance.between(0, 2_000));
    await pay(stage, swap);
    await claimIfLocked(stage, swap);
  },
  /** A payment that it takes back before it is mined, unless that is too late already. */
  async 'replaces its payment'(stage) {
    const swap = await open(stage, 'replaces its payment');
    const { esploraUrl } = stage.endpoints.bitcoin;
    const coin = await ownCoin(stage, swap);
    await until(stage, 'the payment', swap.scenario, () =>
      sendBitcoin(esploraUrl, payBitcoin(swap.swap, coin, { to: 'htlc', fee: 400n })),
    );
    await pause(stage.chance.between(0, 1_500));
    const back = payBitcoin(swap.swap, coin, { to: 'itself', fee: 4_000n });
    const replaced = await sendBitcoin(esploraUrl, back).then(
      () => true,
      () => false,
    );
    if (!replaced) await claimIfLocked(stage, swap);
  },
  /** Its payment is driven out of mempool and chain, and it sends it again. */
  async 'pays again what was lost'(stage) {
    const swap = await open(stage, 'pays again what was lost');
    const { controls } = stage.wallet;
    const { esploraUrl } = stage.endpoints.bitcoin;
    const payment = payBitcoin(swap.swap, await ownCoin(stage, swap), { to: 'htlc', fee: 2_000n });
    const txid = await until(stage, 'the payment', swap.scenario, () => sendBitcoin(esploraUrl, payment));
    await pause(stage.chance.between(0, 1_500));
    await controls.reorg(1 + Math.floor(stage.chance.next() * 5), [txid]);
    await pause(stage.chance.between(0, 1_500));
    await until(stage, 'the payment', swap.scenario, async () => {
      await sendBitcoin(esploraUrl, payment).catch(() => undefined); // it may be there still
      return isLockDecided(await look(stage, swap.scenario));
    });
    await claimIfLocked(stage, swap);
  },
  async [lateFunding](stage) {
    await open(stage, lateFunding);
  },
  async 'never funds'(stage) {
    await open(stage, 'never funds');
  },
};

/** What a client does at the very time that passed, whatever the node does. */
export async function bitcoinToArkadeAtLast(
  stage: Stage,
  scenario: Scenario,
  time: string,
  oracle: Oracle,
): Promise<void> {
  const { fromBitcoin: swap, story } = scenario;
  const record = scenario.record as BitcoinArkadeRecord;
  if (swap === undefined) return;
  if (story === lateFunding && time === 'windows' && (await oracle.bitcoin.legOf(record))?.length === 0)
    await pay(stage, { scenario, swap, record });
  if (story !== lateClaim || time !== 'service') return;
  await pause(stage.chance.between(0, 3_000) * stage.chance.pick([0, 1]));
  await stage.wallet.claim(record, swap.secret).catch(() => undefined); // too late
}

/** The coins of the client's that nobody took, after its locktime. */
export async function takeBitcoin(stage: Stage, scenario: Scenario, oracle: Oracle): Promise<void> {
  const { fromBitcoin: swap, record } = scenario;
  if (swap === undefined) return;
  await takenBack(oracle, record, (coin) => takeBitcoinBack(stage.endpoints.bitcoin.esploraUrl, swap, coin));
}
