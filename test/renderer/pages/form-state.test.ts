import { expect, test } from 'vitest';
import { takerDirections } from '../../../engine/domain/chain.ts';
import {
  evmPart,
  keyOfAsset,
  mostOf,
  pairBetween,
  optionsOf,
  turned,
  pairsOf,
  pairWith,
} from '../../../renderer/pages/swap/assets.ts';
import {
  askOf,
  carried,
  firstText,
  fixedSide,
  limitBreach,
  missing,
  mostGiven,
  otherText,
  restated,
  type FormState,
} from '../../../renderer/pages/swap/form-state.ts';
import { worse, type Priced } from '../../../renderer/pages/swap/quote.ts';

const bitcoin = (chain: 'Arkade' | 'Lightning') => ({ chain, token: 'btc', symbol: 'BTC', decimals: 8 }) as const;
const polygon = { chain: '137', token: `0x${'ab'.repeat(20)}`, symbol: 'WBTC', decimals: 8 } as const;
const pairs = pairsOf({
  ways: [
    { direction: 'lightning-arkade', source: bitcoin('Lightning'), target: bitcoin('Arkade') },
    { direction: 'arkade-lightning', source: bitcoin('Arkade'), target: bitcoin('Lightning') },
  ],
});
const [toPolygon] = pairsOf({ ways: [{ direction: 'arkade-evm', source: bitcoin('Arkade'), target: polygon }] });
const [fromLightning, fromArkade] = pairs as [(typeof pairs)[number], (typeof pairs)[number]];
const limits = { provider: '', costs: [], rate: null, least: 1_000, most: 10_000_000 };
const priced = (give: string, get: string): Priced => ({ give, get, ...limits });
const state: FormState = { pair: fromArkade, side: 'give', text: '25,000', destination: { is: 'empty' } };
const paid: FormState = { ...state, destination: { is: 'invoice', network: 'lightning', text: 'ln', amount: '7000' } };

test('what is offered is what the node can take, of what can be swapped now', () => {
  expect(pairs.map(({ direction }) => direction)).toEqual(
    ['lightning-arkade', 'arkade-lightning'].filter((one) => (takerDirections as readonly string[]).includes(one)),
  );
  expect(optionsOf(pairs, 'give').map(({ value, detail }) => [value, detail])).toEqual([
    ['lightning', 'Lightning'],
    ['arkade', 'Arkade'],
  ]);
});

test('picking a side keeps what it can of the other, and the arrow turns the swap around', () => {
  expect([pairWith(pairs, 'give', 'lightning', fromArkade), turned(pairs, fromArkade)]).toEqual([
    fromLightning,
    fromLightning,
  ]);
});

test('a form that a page advised begins with its pair and amount, where that is offered', () => {
  const between = (from: string, to: string) => pairBetween([...pairs, toPolygon!], from, to);
  expect([between('arkade', 'lightning'), between('arkade', 'evm:137'), between('bitcoin', 'arkade')]).toEqual([
    fromArkade,
    toPolygon,
    undefined,
  ]);
  expect([firstText(fromArkade), firstText(fromArkade, '1200000')]).toEqual(['25,000', '1200000']);
});

test('an invoice fixes what arrives, whatever was typed', () => {
  expect([askOf(state)?.units, askOf(paid), askOf({ ...state, text: 'much' })]).toEqual([
    '25000',
    { pair: fromArkade, side: 'get', units: '7000' },
    null,
  ]);
});

test('the side that the create fixes is the payer’s over Lightning, and what arrives elsewhere', () => {
  expect([fixedSide(fromLightning), fixedSide(fromArkade)]).toEqual(['give', 'get']);
});

test('the other side shows its price, and nothing while there is none', () => {
  const ask = askOf(state);
  expect([
    otherText(ask, priced('25000', '24928'), 'get'),
    otherText(ask, null, 'get'),
    otherText(ask, null, 'give'),
  ]).toEqual(['24,928', '', '25,000']);
});

test('an amount beyond the limits is named with the nearest that would do', () => {
  const beyond = (text: string) => limitBreach(askOf({ ...state, text }), priced('1', '1'));
  expect([beyond('12,000,000'), beyond('10'), beyond('1000'), beyond('10,000,000')]).toEqual([
    { is: 'most', nearest: '10000000' },
    { is: 'least', nearest: '1000' },
    null,
    null,
  ]);
});

test('a swap that cannot be made yet says what is missing, one thing at a time', () => {
  const says = (form: FormState, price: Priced | null) => missing(form, askOf(form), price);
  expect([
    says(state, null),
    says({ ...state, pair: fromLightning, text: '' }, null),
    says(paid, null),
    says({ ...paid, destination: { ...paid.destination, amount: '1' } as never }, priced('1', '1')),
    says(paid, priced('7100', '7000')),
  ]).toEqual([
    'Fill in where to send it first.',
    'Fill in an amount first.',
    'Wait for a price.',
    'Choose an amount within the limits.',
    null,
  ]);
});

test('a price is worse when less arrives or more is given, and not when it is better', () => {
  const before = priced('100', '90');
  expect([
    worse(fromArkade, priced('100', '89'), before),
    worse(fromArkade, priced('101', '90'), before),
    worse(fromArkade, priced('99', '91'), before),
  ]).toEqual([true, true, false]);
});

test('what an exchange makes may be less by what was shown, and is never counted in bitcoin', () => {
  const usdc = { chain: '137', token: `0x${'cd'.repeat(20)}`, symbol: 'USDC', decimals: 6, less_bps: 100 } as const;
  const [toDollars] = pairsOf({ ways: [{ direction: 'arkade-evm', source: bitcoin('Arkade'), target: usdc }] });
  const all = [fromArkade, toPolygon!, toDollars!];
  const before = priced('25000', '15000000');
  expect([
    optionsOf(all, 'get').map(({ label }) => label),
    pairWith(all, 'get', keyOfAsset(toDollars!.get), fromArkade),
    worse(toDollars!, priced('25000', '14850000'), before),
    worse(toDollars!, priced('25000', '14849999'), before),
    evmPart(toDollars!.get),
    evmPart(toPolygon!.get),
    carried({ ...state, pair: toDollars!, side: 'get', text: '15' }, toPolygon!, before),
    carried(state, toDollars!, before),
  ]).toEqual([
    ['sats', 'WBTC', 'USDC'],
    toDollars,
    false,
    true,
    { evm_chain_id: 137, token_address: usdc.token },
    { evm_chain_id: 137 },
    { side: 'give', text: '25,000' },
    { side: 'give', text: '25,000' },
  ]);
});

test('what an exchange takes may be more by what was shown, and the bitcoin that it is for stays', () => {
  const usdc = { chain: '137', token: `0x${'cd'.repeat(20)}`, symbol: 'USDC', decimals: 6, less_bps: 100 } as const;
  const [fromDollars] = pairsOf({
    ways: [{ direction: 'evm-lightning', source: usdc, target: bitcoin('Lightning') }],
  });
  const before = priced('15000001', '25000');
  expect([
    mostOf(fromDollars!.give, '15000001'),
    worse(fromDollars!, priced('15150002', '25000'), before),
    worse(fromDollars!, priced('15150001', '25000'), before),
    carried(state, fromDollars!, priced('25000', '24000')),
    carried({ ...state, pair: fromDollars!, side: 'give', text: '15' }, fromArkade, before),
  ]).toEqual(['15150002', false, false, { side: 'get', text: '25,000' }, { side: 'give', text: '25,000' }]);
  expect(worse(fromDollars!, priced('15150003', '25000'), before)).toBe(true);
});

test('to an EVM chain it is the token that swaps lock there, and somebody’s address on it', () => {
  const form: FormState = { ...state, pair: toPolygon! };
  expect([
    toPolygon!.get,
    fixedSide(toPolygon!),
    missing(form, askOf(form), priced('25000', '24000')),
    missing({ ...form, destination: { is: 'evm', text: '0x' } }, askOf(form), priced('25000', '24000')),
    limitBreach({ pair: toPolygon!, side: 'get', units: '1' }, priced('10', '1')),
  ]).toEqual([
    { network: 'evm:137', chain: '137', token: `0x${'ab'.repeat(20)}`, symbol: 'WBTC', decimals: 8, less: null },
    'give',
    'Fill in where to send it first.',
    null,
    { is: 'least', nearest: '1000' },
  ]);
});

test('an amount keeps its worth when another coin is picked: no 25,000 sats become 25,000 of a token', () => {
  const { get: wrapped } = toPolygon as NonNullable<typeof toPolygon>;
  const { give: sats } = fromArkade;
  const fine = { ...wrapped, symbol: 'tBTC', decimals: 18 };
  expect([
    restated('25,000', sats, wrapped),
    restated('0.00025', wrapped, sats),
    restated('25,000', sats, fine),
    restated('0.000250000000000001', fine, wrapped),
    restated('25,000', sats, sats),
    restated('much', sats, wrapped),
  ]).toEqual(['0.00025', '25,000', '0.00025', '0.00025', '25,000', 'much']);
});

test('of what lies free one swap takes as much as its limit, in the units of what is given', () => {
  const most = { most: 1_000_000 };
  const ofToken = (decimals: number) => ({ ...fromArkade, give: { ...fromArkade.give, decimals } });
  expect([
    mostGiven(fromArkade, '2000000', null),
    mostGiven(fromArkade, '2000000', most),
    mostGiven(fromArkade, '900000', most),
    mostGiven(ofToken(8), '2000000', most),
    mostGiven(ofToken(18), '20000000000000001', most),
    mostGiven(ofToken(18), '9000000000000001', most),
  ]).toEqual(['2000000', '1000000', '900000', '1000000', '10000000000000000', '9000000000000001']);
});
