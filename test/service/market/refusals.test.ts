import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { arkadeEvm } from '../../../engine/contract/directions/arkade-evm.ts';
import { evmLightning } from '../../../engine/contract/directions/evm-lightning.ts';
import { parse } from '../../../engine/contract/field.ts';
import { isRefusal, refuse } from '../../../engine/domain/errors.ts';
import { sats, tokenAmount } from '../../../engine/domain/money.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import type { BridgePort } from '../../../engine/quote/ports.ts';
import type { LightningSendRequest, TokenRef } from '../../../engine/contract/requests/quotes.ts';
import { quote } from '../../../engine/service/price/quotes.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { arkadeEvmDirection } from '../../../engine/service/directions/arkade-evm.ts';
import { evmLightningDirection } from '../../../engine/service/directions/evm-lightning.ts';
import { dexQuote } from '../../../engine/service/market/dex.ts';
import { openMarkets } from '../../../engine/service/market/lists.ts';
import { lightningSendQuote } from '../../../engine/service/price/send-quote.ts';
import { asEvmAddress, type EvmAddress } from '../../../engine/domain/evm.ts';
import { evmOf } from '../../../engine/runtime/ports.ts';
import { anyFailure } from '../../support/failure.ts';
import { usdc, wbtc } from '../../adapters/dex/market.ts';
import { hex, network, openPools, zero, type OpenPools } from './context.ts';

let open: OpenPools;
let context: ServiceContext;
const adapter = asEvmAddress(new Uint8Array(20).fill(0xad));
const bridge: BridgePort = {
  chainId: 137,
  usdc,
  adapter,
  fees: { ethereum: 1_250_000, others: 200_000 },
  stands: () => Promise.resolve(true),
};

beforeAll(async () => {
  open = await openPools();
  context = await open.contextWith(wbtc, [usdc], bridge);
});
afterAll(() => open.stop());

const account = `0x${'99'.repeat(20)}`;
const solana = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
type Body = Readonly<Record<string, unknown>>;

const invoice = (amount = 50_000n, options = {}) => open.scene.world.invoice(amount, options).bolt11;

/** As it is posted, over the parser of its body; the sentence of the refusal, or the status of what was made. */
async function fromEvm(change: Body, of: Partial<ServiceContext> = {}): Promise<string> {
  const body = { evm_chain_id: 137, token_address: hex(wbtc), user_address: account, user_id: 'wallet', ...change };
  const given =
    'lightning_invoice' in body || 'lightning_address' in body || 'lnurl' in body
      ? body
      : { ...body, lightning_invoice: invoice() };
  const request = parse(evmLightning.route.body, given);
  const made = isRefusal(request)
    ? request
    : await evmLightningDirection.create({ ...context, ...of } as ServiceContext, request, null);
  return isRefusal(made) ? `${made.refusal}: ${made.sentence}` : made.status;
}

async function toEvm(change: Body): Promise<string> {
  const request = parse(arkadeEvm.route.body, {
    arkade_htlc_script_version: 1,
    claiming_address: account,
    evm_chain_id: 137,
    hash_lock: `0x${randomBytes(32).toString('hex')}`,
    refund_pk: open.scene.client.publicKey,
    target_address: account,
    token_address: hex(usdc),
    user_id: 'wallet',
    amount_in: 1_000_000,
    ...change,
  });
  const made = isRefusal(request) ? request : await arkadeEvmDirection.create(context, request, null);
  return isRefusal(made) ? `${made.refusal}: ${made.sentence}` : made.status;
}

const address = { lightning_address: 'alice@example.com' };

const lightning = { chain: 'Lightning', token: 'btc' } as const;

async function quoted(source: TokenRef, target: TokenRef): Promise<string> {
  const amount = { pinned: 'source', amount: tokenAmount(50_000) } as const;
  const more = { bridgeSource: null, bridgeTarget: null, extraFeesBps: 0, referralCode: null };
  const answer = await quote(context, { source, target, amount, ...more }, null);
  return isRefusal(answer) ? `${answer.refusal}: ${answer.sentence}` : 'a quote';
}

async function exchanged(chainId: number): Promise<string> {
  const token = (address: EvmAddress) => ({ kind: 'evm', chainId, address: hex(address) }) as const;
  const order = { from: token(wbtc), to: token(usdc), pinned: 'in', amount: tokenAmount(1) } as const;
  const answer = await dexQuote(context, { ...order, slippageBps: 50, recipientSetup: false });
  return isRefusal(answer) ? `${answer.refusal}: ${answer.sentence}` : 'a quote';
}

test('an exchange that does not answer is the failure of another server', async () => {
  const { dex } = openMarkets(context).find((one) => one.network === network) ?? {};
  const quoting = vi.spyOn(dex as NonNullable<typeof dex>, 'quote').mockRejectedValue(anyFailure('away', 'safe', 'no'));
  const answers = [await exchanged(137)];
  quoting.mockRestore();
  expect([...answers, await exchanged(137)]).toEqual([
    'upstream: The exchange did not answer: try again in a minute.',
    expect.stringMatching(/^invalid: /),
  ]);
});

test('fault 362, evm: contracts that one client names leave room for those of others, and are few at once', async () => {
  const port = evmOf(context.runtime.ports, network);
  const never = new Promise<never>(() => undefined);
  const looking = vi.spyOn(port, 'token').mockReturnValue(never);
  const token = (address: EvmAddress) => ({ kind: 'evm', chainId: 137, address: hex(address) }) as const;
  let named = 0;
  const ask = (client: string) =>
    dexQuote(context, {
      ...{ from: token(wbtc), to: token(asEvmAddress(new Uint8Array(20).fill(++named))), pinned: 'in' as const },
      ...{ amount: tokenAmount(1), slippageBps: 50, recipientSetup: false, client },
    });
  const refused: unknown[] = [];
  // Nobody waits for the answers: who asks hangs up, and asks again.
  for (let i = 0; i < 100; i++) void ask('203.0.113.1').then((answer) => refused.push(answer));
  await vi.waitFor(() => expect(refused).toHaveLength(96));
  expect(refused[0]).toMatchObject({ refusal: 'unavailable', sentence: expect.stringContaining('Too many tokens') });
  expect(looking).toHaveBeenCalledTimes(4);
  for (let i = 2; i < 102; i++) void ask(`203.0.113.${i}`).then((answer) => refused.push(answer));
  await vi.waitFor(() => expect(refused).toHaveLength(176));
  expect(looking.mock.calls.map(([, how]) => how)).toEqual(Array(24).fill({ agreed: true, by: 'client' }));
  // What is known needs no place.
  looking.mockRestore();
  expect(await exchanged(137)).toMatch(/^invalid: /);
});

test('what Lightning alone pays has no price here', async () => {
  const order = { sourceChain: 'Lightning', payee: { invoice: invoice() }, sourceToken: null, extraFeesBps: 0 };
  expect(await lightningSendQuote(context, order as unknown as LightningSendRequest, null)).toEqual(
    refuse('invalid', 'source_chain is Lightning, whose payments need no swap: pay the invoice itself.'),
  );
});

test('the account of a client is echoed as its request spells it', async () => {
  const small = `0x${'ab'.repeat(20)}`;
  const token = { evm_chain_id: 137, token_address: hex(wbtc), user_id: 'wallet' };
  const parsed = [
    parse(evmLightning.route.body, { ...token, user_address: small, lightning_invoice: invoice() }),
    parse(arkadeEvm.route.body, {
      ...{ ...token, claiming_address: small, target_address: small, arkade_htlc_script_version: 1, amount_in: 50_000 },
      ...{ hash_lock: `0x${randomBytes(32).toString('hex')}`, refund_pk: open.scene.client.publicKey },
    }),
  ];
  const [from, to] = parsed;
  if (from === undefined || to === undefined || isRefusal(from) || isRefusal(to)) throw new Error('both are requests');
  const records = [
    await evmLightningDirection.create(context, from as never, null),
    await arkadeEvmDirection.create(context, to as never, null),
  ];
  expect(records).toMatchObject([{ client_evm_address: small }, { client_evm_address: small }]);
});

describe('a chain that the owner did not connect', () => {
  it.each(['1', '42161'])('is refused with one sentence by quotes and creates: %s', async (id) => {
    const token = { chain: 'Arkade', token: 'btc' } as const;
    const there = { chain: id, token: hex(usdc) } as TokenRef;
    const sentence = `invalid: Unsupported chain: nothing is swapped on chain ${id} here, GET /swap-pairs lists what is.`;
    expect([
      await quoted(token, there),
      await quoted(there, lightning),
      await exchanged(Number(id)),
      await toEvm({ evm_chain_id: Number(id) }),
      await fromEvm({ evm_chain_id: Number(id) }),
      await fromEvm({ evm_chain_id: Number(id), token_address: hex(zero) }),
    ]).toEqual(Array.from({ length: 6 }, () => sentence));
  });

  it.each(['137', '31'])('is not what is wrong where the native coin is to be given: %s', async (id) => {
    const create = await fromEvm({ evm_chain_id: Number(id), token_address: hex(zero) });
    expect([create, await quoted({ chain: id, token: hex(zero) } as TokenRef, lightning)]).toEqual([
      expect.stringMatching(/^invalid: The native coin cannot be the source of a swap: (send|choose) .*token/),
      create,
    ]);
  });
});

describe('a create from an EVM chain to Lightning', () => {
  it('is made where nothing speaks against it', async () => {
    expect([await fromEvm({}), await fromEvm({ ...address, target_amount_sats: 50_000 })]).toEqual([
      'pending',
      'pending',
    ]);
  });

  it.each([
    [
      'a chain that is not swapped on',
      { evm_chain_id: 42_161 },
      'invalid: Unsupported chain: nothing is swapped on chain 42161 here, GET /swap-pairs lists what is.',
    ],
    [
      'a chain whose coin is bitcoin',
      { evm_chain_id: 31 },
      'invalid: The native coin cannot be the source of a swap: choose a token of another chain.',
    ],
    [
      'the native coin',
      { token_address: hex(zero) },
      'invalid: The native coin cannot be the source of a swap: send the address of an ERC-20 token.',
    ],
    [
      'what is no token',
      { token_address: `0x${'12'.repeat(20)}` },
      `invalid: 0x${'12'.repeat(20)} is no token on chain 137: check the address, and that it is of this chain.`,
    ],
    [
      'USDC from another chain',
      { bridge_source_chain: 'Base' },
      'invalid: USDC that arrives from Base is not taken here: bring it to the chain of evm_chain_id yourself, ' +
        'and leave bridge_source_chain out.',
    ],
    [
      'USDC from Solana',
      { bridge_source_chain: 'Solana', bridge_source_token_address: solana },
      'invalid: USDC that arrives from Solana is not taken here: bring it to the chain of evm_chain_id yourself, ' +
        'and leave bridge_source_chain out.',
    ],
    [
      'a bridge from nowhere',
      { bridge_source_chain: 'base' },
      'invalid: bridge_source_chain cannot be "base", which is no chain that USDC is sent to: send one by its ' +
        'exact name, for example Base.',
    ],
    [
      'a bridge without its chain',
      { bridge_source_token_address: solana },
      'invalid: bridge_source_token_address needs bridge_source_chain: send both or neither.',
    ],
    [
      'two destinations',
      { ...address, lnurl: `lnurl1${'q'.repeat(40)}` },
      'invalid: lightning_address, lightning_invoice and lnurl exclude each other: send only one of them.',
    ],
    [
      'no amount for an address',
      address,
      'invalid: The amount is missing: send exactly one of amount_in and target_amount_sats.',
    ],
    [
      'both amounts for an address',
      { ...address, amount_in: '1', target_amount_sats: 1 },
      'invalid: amount_in and target_amount_sats exclude each other: send only one of them.',
    ],
    [
      'less than the least',
      { ...address, target_amount_sats: 1 },
      expect.stringMatching(/^invalid: Min amount is \d+ sats; the swap would pay out 1: ask for more\.$/),
    ],
    [
      'more than the most',
      { ...address, target_amount_sats: 50_000_000 },
      'invalid: Max amount is 10000000 sats; the swap would pay out 50000000: ask for less.',
    ],
    [
      'more than there is',
      { ...address, amount_in: '9'.repeat(30) },
      'invalid: The amount is more than all bitcoin that can exist: ask for less.',
    ],
    ['a surcharge without a key', { extra_fees: 5 }, expect.stringContaining('without a developer key is 0')],
  ] as const)('is refused for %s', async (_, change, sentence) => {
    expect(await fromEvm(change)).toEqual(sentence);
  });

  it('is refused for an invoice that cannot be paid', async () => {
    const own = open.scene.world.lightning.addInvoice('node', { hold: false, amountMsat: 50_000_000n }).bolt11;
    const used = invoice();
    const answers = [
      await fromEvm({ lightning_invoice: invoice(), amount_in: '5' }),
      await fromEvm({ lightning_invoice: invoice(), target_amount_sats: 7 }),
      await fromEvm({ lightning_invoice: `lnbcrt1${'q'.repeat(40)}` }),
      await fromEvm({ lightning_invoice: invoice(50_000n, { expirySeconds: 600 }) }),
      await fromEvm({ lightning_invoice: invoice(50_000n, { cltvDelta: 5_000 }) }),
      await fromEvm({ lightning_invoice: own }),
      await fromEvm({ lightning_invoice: used }),
      await fromEvm({ lightning_invoice: used }),
    ];
    expect(answers).toEqual([
      expect.stringContaining('amount_in cannot be combined with lightning_invoice'),
      expect.stringContaining('target_amount_sats is 7 but the invoice asks for 50000 sats'),
      expect.stringMatching(/^invalid: .*lightning_invoice/),
      expect.stringContaining('before the swap could be funded and paid'),
      expect.stringContaining('asks for a final CLTV delta of 5000 blocks; at most'),
      expect.stringContaining('which cannot pay itself'),
      'pending',
      expect.stringContaining('hash-used: a swap with this invoice exists already'),
    ]);
  });

  it('fault 78: hears first that its invoice is of another network, whatever else is wrong with it', async () => {
    // BOLT 11, "Examples": 2,500 micro-bitcoin on mainnet, expired for years.
    const mainnet =
      'lnbc2500u1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpuaztrnwngzn3kdzw5hydlzf03qdgm2hdq27cqv3agm2awhz5se903vruatfhq77w3ls4evs3ch9zw97j25emudupq63nyw24cg27h2rspfj9srp';
    expect([
      await fromEvm({ lightning_invoice: mainnet }),
      await fromEvm({ lightning_invoice: mainnet.replace('2500u', '2500m') }),
    ]).toEqual([
      expect.stringContaining('lightning_invoice is for another network (mainnet); this node is on regtest'),
      expect.stringContaining('lightning_invoice is for another network (mainnet); this node is on regtest'),
    ]);
  });

  it('fault 77, evm: is refused where nobody could pay from the account, whatever the token', async () => {
    const { contracts } = context.config.evm['137']!;
    const dead = [zero, contracts.htlc, contracts.coordinator, wbtc];
    expect(await Promise.all(dead.map((one) => fromEvm({ user_address: hex(one) })))).toEqual(
      dead.map(() => expect.stringMatching(/^invalid: user_address is 0x\w{40}, which no payer controls/)),
    );
  });

  it('is refused for an invoice that the node paid already', async () => {
    const { world } = open.scene;
    const bolt11 = invoice();
    world.lightning.send('node', { bolt11, feeLimitMsat: 10_000n });
    expect(await fromEvm({ lightning_invoice: bolt11 })).toBe(
      'hash-used: a swap with this invoice exists already: ask the payee for a new invoice.',
    );
  });

  it('is refused where its payee gives no invoice', async () => {
    const resolver = {
      check: () => Promise.resolve(null),
      resolve: () => Promise.resolve(refuse('unavailable', 'The payee at example.com did not answer.')),
    };
    expect(await fromEvm({ ...address, target_amount_sats: 50_000 }, { resolver })).toBe(
      'invalid: The payee at example.com did not answer.',
    );
  });

  it('is unavailable while something that it needs is away', async () => {
    const { networks, markets, runtime, config } = context;
    const silent = () => Promise.reject(evmFailure('evm-unclear', 'safe', 'no RPC answers'));
    const market = markets.on(network);
    if (market === null) throw new Error('no market');
    const chain = config.evm['137'];
    if (chain === undefined) throw new Error('no chain');
    const over = (more: Partial<ServiceContext>) => fromEvm({}, more);
    const answers = [
      await over({ networks: { ...networks, closed: () => refuse('unavailable', 'Chain 137 lags.') } }),
      await over({ networks: { ...networks, lightning: () => ({ state: 'away' }) as never } }),
      await over({ markets: { ...markets, on: () => null } }),
      await over({ markets: { ...markets, gas: () => null } }),
      await over({ markets: { ...markets, token: silent } }),
      await over({
        runtime: {
          ...runtime,
          guard: { ...runtime.guard, paused: () => ({ by: 'owner', reason: 'for the night' }) as never },
        },
      }),
      await over({
        runtime: { ...runtime, clock: { ...runtime.clock, now: () => open.scene.node.runtime.clock.now() } },
      }),
      await over({ networks: { ...networks, outboundFree: () => sats(0) } }),
      await over({
        config: { ...config, evm: { '137': { ...chain, rpc: chain.rpc.slice(1), agreeAboveSats: 2_000 } } },
      }),
    ];
    expect(answers).toEqual([
      'unavailable: Chain 137 lags.',
      'unavailable: The Lightning node does not answer now: try again later.',
      'unavailable: This chain was not read yet: try again later.',
      'unavailable: The transaction cost on this chain is not known now: try again later.',
      'unavailable: Chain 137 does not answer now: try again later.',
      'unavailable: New swaps are paused: for the night',
      'unavailable: The clock of this chain cannot be read now: try again later.',
      expect.stringMatching(/^unavailable: .*liquidity/),
      expect.stringMatching(
        /^invalid: Max amount is 2000 sats on this chain; the swap would lock \d+: ask for less\.$/,
      ),
    ]);
  });
});

it('fault 77, evm: a swap to an EVM chain is refused where nobody could use what arrives', async () => {
  const { contracts } = context.config.evm['137']!;
  const dead = [zero, contracts.htlc, contracts.coordinator, wbtc, usdc];
  const fields = ['claiming_address', 'target_address'];
  const cases = fields.flatMap((field) => dead.map((one) => [field, hex(one)] as const));
  expect(await Promise.all(cases.map(([field, one]) => toEvm({ [field]: one })))).toEqual(
    cases.map(([field]) =>
      expect.stringMatching(new RegExp(`^invalid: ${field} is 0x\\w{40}, an address that nobody can spend from`)),
    ),
  );
  expect(await toEvm({ token_address: hex(wbtc) })).toBe('pending');
});

describe('a swap whose USDC goes on', () => {
  const onward = { bridge_target_chain: 'Base' };

  it('is refused before anything is made where it cannot, and says what to send', async () => {
    const answers = [
      await toEvm({ bridge_target_chain: 'Solana', target_address: solana, bridge_recipient_setup: true }),
      await toEvm({ bridge_target_chain: 'Rootstock' }),
      await toEvm({ ...onward, target_address: solana }),
      await toEvm({ ...onward, token_address: hex(wbtc) }),
      await toEvm({ ...onward, bridge_target_token_address: solana }),
      await toEvm({ target_address: solana }),
      await toEvm({ bridge_target_token_address: solana }),
    ];
    expect(answers).toEqual([
      'invalid: bridge_target_chain cannot be Solana: USDC is sent on to EVM chains alone here, for example Base.',
      expect.stringContaining('invalid: bridge_target_chain cannot be "Rootstock"'),
      expect.stringContaining('invalid: The recipient is no address on Base'),
      expect.stringContaining('invalid: Only USDC is sent on to Base'),
      expect.stringContaining('invalid: bridge_target_token_address is not USDC on Base'),
      expect.stringContaining('target_address is no EVM address, which only a bridge to another chain allows'),
      'invalid: bridge_target_token_address needs bridge_target_chain: send both or neither.',
    ]);
  });

  it('has the chain and its USDC in its record', async () => {
    const request = parse(arkadeEvm.route.body, {
      arkade_htlc_script_version: 1,
      claiming_address: account,
      evm_chain_id: 137,
      hash_lock: `0x${randomBytes(32).toString('hex')}`,
      refund_pk: open.scene.client.publicKey,
      target_address: account,
      token_address: hex(usdc),
      user_id: 'wallet',
      amount_in: 1_000_000,
      ...onward,
    });
    if (isRefusal(request)) throw new Error(request.sentence);
    expect(await arkadeEvmDirection.create(context, request, null)).toMatchObject({
      bridge_target_chain: 'Base',
      bridge_target_token_address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    });
  });
});
