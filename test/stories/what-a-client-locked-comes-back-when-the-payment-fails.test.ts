import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { text, whole, type Json } from './client/http.ts';
import type { Client, Sent } from './client/client.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

let node: WireNode;
let client: Client;

beforeAll(async () => {
  node = await startWireNode();
  client = await node.client();
});

afterAll(() => node.stop());

async function opened(sats = 40_000): Promise<{ swap: Sent; hash: string }> {
  const { bolt11, hash } = await node.invoice(sats);
  return { swap: await client.arkadeToLightning(bolt11), hash };
}

async function gained(act: () => Promise<unknown>): Promise<number> {
  const before = await client.arkade.balance();
  await act();
  return (await client.arkade.balance()) - before;
}

function nextPayment(fate: 'fails' | 'hangs'): Promise<unknown> {
  return node.owner('POST', '/sandbox/lightning/fault', { next_payment: fate });
}

describe('when the payment fails', () => {
  test('a coin that expired goes back through a batch that the service joins', async () => {
    const { swap } = await opened();
    await nextPayment('fails');
    const coin = await node.faucet(swap.vhtlc.address, swap.price);
    await node.until(swap, 'serverwontfund');
    await node.owner('POST', '/sandbox/arkade/fault', { expire: coin });
    await expect(client.cosigned(swap)).rejects.toThrow(/400 .*expired and can only be refunded through a batch/);
    let txid = '';
    const back = await gained(async () => (txid = await client.delegateRefund(swap, await node.now())));
    await node.until(swap, 'clientrefunded');
    expect({ back, settledBy: (await client.arkade.coins(swap.vhtlc))[0]?.settledBy }).toEqual({
      back: swap.price,
      settledBy: txid,
    });
  });

  test('fault 41: a coin that lay for a week goes back through a batch, and the swap ends with it', async () => {
    const { swap } = await opened();
    await nextPayment('fails');
    await node.faucet(swap.vhtlc.address, swap.price);
    await node.until(swap, 'serverwontfund');
    await node.advance(8 * 86_400);
    // A day after the locktime nobody waits for the client any more.
    const journal = async () => (await node.owner('GET', `/owner/swaps/${swap.id}`))['journal'] as { event: string }[];
    await eventually(journal, (lines) => lines.at(-1)?.event === 'clock');
    expect(await gained(async () => client.delegateRefund(swap, await node.now()))).toBe(swap.price);
    await node.until(swap, 'clientrefunded');
  });

  test('the client needs nobody: after the locktime it refunds alone', async () => {
    const { swap } = await opened();
    await nextPayment('fails');
    await node.faucet(swap.vhtlc.address, swap.price);
    await node.until(swap, 'serverwontfund');
    await expect(client.arkade.refundAlone(swap.vhtlc)).rejects.toThrow(/locked/i);
    await node.advanceTo(whole(swap.record, 'vhtlc_refund_locktime') + 60);
    expect(await gained(() => client.arkade.refundAlone(swap.vhtlc))).toBe(swap.price);
    await node.until(swap, 'clientrefunded');
  });
});

describe('while the payment hangs', () => {
  async function hanging(): Promise<{ swap: Sent; hash: string }> {
    const both = await opened();
    await nextPayment('hangs');
    await node.faucet(both.swap.vhtlc.address, both.swap.price);
    await node.until(both.swap, 'serverfunded');
    return both;
  }

  test('fault 24: nothing is signed for the client, others are paid, and a settled payment is the end', async () => {
    const { swap, hash } = await hanging();
    await expect(client.cosigned(swap)).rejects.toThrow(
      /403 Refund not allowed in current swap state \(serverfunded\)/,
    );
    const { swap: other } = await opened();
    await node.faucet(other.vhtlc.address, other.price);
    await node.until(other, 'serverredeemed');
    expect([await client.status(swap), await node.payment(hash)]).toEqual(['serverfunded', 'in_flight']);
    await node.owner('POST', '/sandbox/lightning/release', { payment_hash: hash, outcome: 'settles' });
    await node.until(swap, 'serverredeemed');
    expect(await node.payment(hash)).toBe('settled');
  });

  test('the payment that fails after all gives the refund free', async () => {
    const { swap, hash } = await hanging();
    await node.owner('POST', '/sandbox/lightning/release', { payment_hash: hash, outcome: 'fails' });
    await node.until(swap, 'serverwontfund');
    let refund = '';
    expect(await gained(async () => (refund = await client.collabRefund(swap)))).toBe(swap.price);
    expect((await node.until(swap, 'clientrefunded'))['arkade_claim_txid']).toBe(refund);
  });
});

describe('funding that is not as agreed', () => {
  test.each([
    ['fault 8: one satoshi short', (price: number) => price - 1],
    ['fault 9: more than one percent over', (price: number) => price + Math.floor(price / 100) + 1],
  ])('%s is never paid for and goes back', async (_, amount) => {
    const { swap, hash } = await opened();
    await node.faucet(swap.vhtlc.address, amount(swap.price));
    await node.until(swap, 'clientinvalidfunded');
    expect(await gained(() => client.collabRefund(swap))).toBe(amount(swap.price));
    await node.until(swap, 'clientrefunded');
    await expect(node.payment(hash)).rejects.toThrow('404');
  });

  test('fault 9: one percent over is accepted and shows as a surplus', async () => {
    const { swap } = await opened();
    const surplus = Math.floor(swap.price / 100);
    await node.faucet(swap.vhtlc.address, swap.price + surplus);
    const { surplus_amount } = await node.until(swap, 'serverredeemed');
    const { ledger } = (await node.owner('GET', `/owner/swaps/${swap.id}`)) as { ledger: Json[] };
    const booked = ledger.find(({ kind }) => kind === 'surplus')?.['amount'];
    expect([surplus_amount, booked]).toEqual([String(surplus), String(surplus)]);
  });

  test('fault 7: dust that a stranger sends first is no funding, and goes back in the end', async () => {
    const { swap, hash } = await opened();
    for (const dust of [330, 20_000]) await node.faucet(swap.vhtlc.address, dust);
    const { swap: later } = await opened();
    await node.faucet(later.vhtlc.address, later.price);
    await node.until(later, 'serverredeemed');
    expect(await client.status(swap)).toBe('pending');
    await node.faucet(swap.vhtlc.address, swap.price);
    await node.until(swap, 'serverredeemed');
    expect(await node.payment(hash)).toBe('settled');
    expect(await gained(() => client.collabRefund(swap))).toBe(20_330);
    expect(await client.status(swap)).toBe('serverredeemed');
  });

  test('fault 7: with dust alone a swap expires once the window is over, and it goes back', async () => {
    const { swap } = await opened();
    await node.faucet(swap.vhtlc.address, 330);
    await node.advance(1_801);
    await node.until(swap, 'expired');
    expect(await gained(() => client.collabRefund(swap))).toBe(330);
    expect(await client.status(swap)).toBe('expired');
  });

  test("fault 6: funded twice, one coin is the swap's and the other goes back once that is over", async () => {
    const { swap, hash } = await opened();
    await nextPayment('hangs');
    const first = await node.faucet(swap.vhtlc.address, swap.price);
    await node.until(swap, 'serverfunded');
    const second = await node.faucet(swap.vhtlc.address, swap.price);
    const extras = async () => ((await node.owner('GET', `/owner/swaps/${swap.id}`))['strays'] as unknown[]).length;
    await eventually(extras, (count) => count === 1);
    const extra = (await client.arkade.unspent(swap.vhtlc)).filter((coin) => `${coin.txid}:${coin.vout}` === second);
    await expect(client.cosigned(swap, extra)).rejects.toThrow(/403/);
    await node.owner('POST', '/sandbox/lightning/release', { payment_hash: hash, outcome: 'settles' });
    await node.until(swap, 'serverredeemed');
    const ours = (await client.arkade.coins(swap.vhtlc)).filter((coin) => `${coin.txid}:${coin.vout}` === first);
    await expect(client.cosigned(swap, ours)).rejects.toThrow(/40[03]/);
    await expect(client.cosigned(swap, [...ours, ...extra])).rejects.toThrow(/40[03]/);
    expect(await gained(() => client.collabRefund(swap, extra))).toBe(swap.price);
    expect(await client.status(swap)).toBe('serverredeemed');
  });

  test('funded after the window, it is too late and goes back', async () => {
    const { swap } = await opened();
    await node.advance(1_801);
    await node.until(swap, 'expired');
    await node.faucet(swap.vhtlc.address, swap.price);
    await node.until(swap, 'clientfundedtoolate');
    expect(await gained(() => client.collabRefund(swap))).toBe(swap.price);
    await node.until(swap, 'clientrefunded');
  });

  test('a swap that expired unfunded answers a used hash for ever', async () => {
    const { bolt11 } = await node.invoice(40_000);
    const swap = await client.arkadeToLightning(bolt11);
    await node.advance(1_801);
    await node.until(swap, 'expired');
    await expect(client.arkadeToLightning(bolt11)).rejects.toThrow(/409 a swap with this invoice exists already/);
  });
});

describe('a refund is not signed', () => {
  test('for a swap that is funded and not paid yet', async () => {
    const { swap } = await opened();
    await node.owner('POST', '/sandbox/lightning/fault', { node: 'away' });
    await node.faucet(swap.vhtlc.address, swap.price);
    await node.until(swap, 'clientfunded');
    await expect(client.cosigned(swap)).rejects.toThrow(
      /403 Refund not allowed in current swap state \(clientfunded\): from \d+ \(unix time\) on the client can refund alone/,
    );
    await node.owner('POST', '/sandbox/lightning/fault', { node: 'back' });
    await node.until(swap, 'serverredeemed');
  });

  test("for another swap's coins, a wrong PSBT or an unknown swap", async () => {
    const [one, two] = [await opened(), await opened()];
    for (const { swap } of [one, two]) await node.faucet(swap.vhtlc.address, swap.price - 1);
    for (const { swap } of [one, two]) await node.until(swap, 'clientinvalidfunded');
    const half = await client.arkade.halfRefund(one.swap.vhtlc, await client.arkade.unspent(one.swap.vhtlc));
    const answers = [
      await node.raw('POST', `/api/swap/arkade-evm/${two.swap.id}/collab-refund`, { ...half }),
      await node.raw('POST', `/api/swap/arkade-evm/${two.swap.id}/collab-refund`, { ...half, ark_tx: 'AAAA' }),
      await node.raw('POST', `/api/swap/arkade-evm/00000000-0000-4000-8000-000000000000/collab-refund`, { ...half }),
    ];
    expect(answers.map(({ status, body }) => [status, Object.keys(body)])).toEqual([
      [400, ['error']],
      [400, ['error']],
      [404, ['error']],
    ]);
    expect(text(answers[0]?.body ?? {}, 'error')).toMatch(/spends an output that is no coin of this swap/);
  });

  test('and nothing is brought into a batch unsigned, for another swap, or without an intent', async () => {
    const [one, two] = [await opened(), await opened()];
    for (const { swap } of [one, two]) await node.faucet(swap.vhtlc.address, swap.price - 1);
    for (const { swap } of [one, two]) await node.until(swap, 'clientinvalidfunded');
    const cosigner_pk = text(await node.get('/api/delegate/cosigner-pk'), 'cosigner_pk');
    const { intent_message, ...half } = await client.arkade.delegate(
      one.swap.vhtlc,
      await client.arkade.unspent(one.swap.vhtlc),
      cosigner_pk,
      await node.now(),
    );
    const signed = await node.raw('POST', `/api/swap/arkade-evm/${one.swap.id}/collab-refund-delegate`, half);
    const settle = (change: Record<string, unknown>) =>
      node.raw('POST', '/api/delegate/settle', {
        ...signed.body,
        intent_message,
        cosigner_pk,
        swap_id: one.swap.id,
        ...change,
      });
    const answers = [
      await settle({ ...half }),
      await settle({ forfeit_psbts: half.forfeit_psbts }),
      await settle({ forfeit_psbts: [] }),
      await settle({ swap_id: two.swap.id }),
      await settle({ intent_message: intent_message.replace('register', 'delete') }),
    ];
    expect(
      answers.map(({ status, body }) => [status, text(body, 'error').replace(/[0-9a-f]{64}:\d+/, 'COIN')]),
    ).toEqual([
      [400, 'The batch was not joined: input 0 of the intent proof has no valid signature of the receiver.'],
      [400, 'The batch was not joined: forfeit 0 has no valid signature of the receiver.'],
      [400, 'The batch was not joined: the coin COIN has no forfeit transaction.'],
      [
        400,
        'The batch was not joined: input 1 of the intent proof must carry the refund, the claim or the ' +
          'refund-without-receiver leaf of this swap, and no other leaf.',
      ],
      [400, 'The batch was not joined: the message is not the register message that the intent proof was signed for.'],
    ]);
    await node.owner('POST', '/sandbox/arkade/fault', { intent_fee_sats: 100 });
    expect(await settle({})).toMatchObject({
      status: 400,
      body: {
        error: expect.stringMatching(
          /^The batch was not joined: the Arkade operator refused .*INTENT_INSUFFICIENT_FEE/,
        ) as string,
      },
    });
    await node.owner('POST', '/sandbox/arkade/fault', { intent_fee_sats: 0 });
    expect((await settle({})).status).toBe(200);
    await node.until(one.swap, 'clientrefunded');
  });
});
