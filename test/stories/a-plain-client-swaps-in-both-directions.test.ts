import { hex } from '@scure/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultsOf } from './client/record.ts';
import { xOnly, vhtlcOf } from './client/vhtlc.ts';
import type { Client } from './client/client.ts';
import type { Json } from './client/http.ts';
import { startWireNode, type WireNode } from './wire-node.ts';

let node: WireNode;
let client: Client;

beforeAll(async () => {
  node = await startWireNode();
  client = await node.client();
});

afterAll(() => node.stop());

// Vector 2 of test/legs/arkade/script.test.ts.
test('the client of these stories derives the published VHTLC', () => {
  const derived = vhtlcOf({
    sender: xOnly('f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9'),
    receiver: xOnly('dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659'),
    operator: xOnly('dd308afec5777e13121fa72b9cc1b7cc0139715309b086c960e18fd969774eb8'),
    hash: hex.decode('b566a3eecce809896361988823cd2f423fe800e7'),
    locktime: 1_800_000_000,
    delays: [512, 1_024, 1_536],
  });
  expect([hex.encode(derived.pkScript), derived.address]).toEqual([
    '5120352a696f0ddcb6da1c9f5dc68076bdb9f4bb9bde9399dd5523abe79577f25274',
    'tark1qrwnpzh7c4mhuycjr7njh8xpklxqzwt32vymppkfvrsclktfwa8tsdf2d9hsmh9kmgwf7hwxspmtmw05hwdaayuem42j82l8j4mly5n5hfe6e4',
  ]);
});

describe('lightning to arkade', () => {
  test.each([
    ['what is sent', { source: 50_000 }, { source_amount: '50000', target_amount: '49875', fee_sats: 125 }],
    ['what arrives', { target: 50_000 }, { source_amount: '50125', target_amount: '50000', fee_sats: 125 }],
  ])('a client that fixes %s gets its coins for its secret', async (_, wish, priced) => {
    const before = await client.arkade.balance();
    const swap = await client.lightningToArkade({ ...wish, description: 'Kaffee für zwei ☕' });
    expect(swap.record).toMatchObject({
      ...priced,
      network: 'regtest',
      network_fee_sats: 0,
      source_token: { chain: 'Lightning', token_id: 'btc' },
      target_token: { chain: 'Arkade', token_id: 'btc' },
    });
    const hash = await node.pay(swap.bolt11);
    const locked = await node.until(swap, 'serverfunded');
    expect({
      faults: faultsOf('lightning_to_arkade', locked),
      fund: locked['arkade_fund_txid'],
      payment: await node.payment(hash),
    }).toEqual({
      faults: [],
      fund: (await client.arkade.coins(swap.vhtlc))[0]?.txid,
      payment: 'in_flight',
    });
    const txid = await client.claim(swap);
    const done = await node.until(swap, 'serverredeemed');
    expect({
      faults: faultsOf('lightning_to_arkade', done),
      claim: done['arkade_claim_txid'],
      payment: await node.payment(hash),
      got: (await client.arkade.balance()) - before,
      direction: done['direction'],
      books: await books(swap),
    }).toEqual({
      faults: [],
      claim: txid,
      payment: 'settled',
      got: Number(priced.target_amount),
      direction: 'lightning_to_arkade',
      books: { ledger: { 'protocol-fee': '125', 'network-fee-charged': '0' }, reserved: '0' },
    });
  });
});

/** What the owner reads of it: its rows of the ledger, in sats, and what is promised on Arkade once it is over. */
async function books(swap: { id: string }): Promise<{ ledger: Record<string, string>; reserved: unknown }> {
  const { ledger } = (await node.owner('GET', `/owner/swaps/${swap.id}`)) as { ledger: Json[] };
  const { balances } = (await node.owner('GET', '/owner/balances')) as { balances: Json[] };
  return {
    ledger: Object.fromEntries(ledger.map(({ kind, amount }) => [String(kind), String(amount)])),
    reserved: balances.find(({ network }) => network === 'arkade')?.['reserved'],
  };
}

test('fault 16: a claim that never became final is paid for, and its client gets its coins', async () => {
  const before = await client.arkade.balance();
  const swap = await client.lightningToArkade({ target: 50_000 });
  const hash = await node.pay(swap.bolt11);
  await node.until(swap, 'serverfunded');
  await node.owner('POST', '/sandbox/arkade/fault', { next_submit: 'unanswered' });
  await expect(client.claim(swap)).rejects.toThrow();
  await node.until(swap, 'serverredeemed');
  const missing = {
    payment: await node.payment(hash),
    paid: await client.arkade.paidBy(swap.vhtlc),
    got: (await client.arkade.balance()) - before,
  };
  await client.arkade.finishClaim(swap.vhtlc, swap.secret);
  expect([missing, await client.arkade.paidBy(swap.vhtlc), (await client.arkade.balance()) - before]).toEqual([
    { payment: 'settled', paid: false, got: 0 },
    true,
    50_000,
  ]);
});

describe('arkade to lightning', () => {
  test('a client that funds the VHTLC gets its invoice paid', async () => {
    const { bolt11, hash } = await node.invoice(40_000, { description: 'bread' });
    const swap = await client.arkadeToLightning(bolt11);
    expect(swap.record).toMatchObject({
      target_amount: '40000',
      fee_sats: 100,
      source_token: { chain: 'Arkade' },
      target_token: { chain: 'Lightning' },
    });
    const coin = await node.faucet(swap.vhtlc.address, swap.price);
    const done = await node.until(swap, 'serverredeemed');
    const [spent] = await client.arkade.coins(swap.vhtlc);
    expect({
      faults: faultsOf('arkade_to_lightning', done),
      fund: done['arkade_fund_txid'],
      claim: done['arkade_claim_txid'],
      payment: await node.payment(hash),
      direction: done['direction'],
      spent: spent?.isSpent,
      books: await books(swap),
    }).toEqual({
      faults: [],
      fund: coin.split(':')[0],
      claim: spent?.arkTxId,
      payment: 'settled',
      direction: 'arkade_to_lightning',
      spent: true,
      books: {
        ledger: { 'lightning-fee-paid': '-1.040', 'protocol-fee': '100', 'network-fee-charged': '10' },
        reserved: '0',
      },
    });
  });
});
