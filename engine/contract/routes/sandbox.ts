import {
  advanceBody,
  arkadeFaultBody,
  coinFaucetBody,
  evmFaucetBody,
  evmFaultBody,
  evmMineBody,
  evmParams,
  feesBody,
  invoiceBody,
  lightningFaultBody,
  mineBitcoinBody,
  payBody,
  paymentParams,
  releaseBody,
  reorgBody,
  resetBody,
  sandboxClock,
  sandboxCoin,
  sandboxEvmTx,
  sandboxHeight,
  sandboxInvoice,
  sandboxPayment,
  sandboxPaymentState,
  sandboxTip,
  sandboxWorld,
  skewBody,
} from '../sandbox.ts';
import { empty } from '../wire.ts';
import { route } from './route.ts';

const refusals = [400, 401, 404] as const;

/** Controls of the sandbox's networks. On a node with real networks these routes do not exist. */
export const sandboxRoutes = {
  sandbox: route('GET', '/sandbox', { summary: 'Where the networks are', reply: sandboxWorld, refusals }),
  advanceClock: route('POST', '/sandbox/clock/advance', { summary: 'Move every clock forward', body: advanceBody, reply: sandboxClock, refusals }),
  skewClock: route('POST', '/sandbox/clock/skew', { summary: "Make the node's own wall clock wrong", body: skewBody, reply: empty, refusals }),
  arkadeFaucet: route('POST', '/sandbox/arkade/faucet', { summary: 'Coins on Arkade', body: coinFaucetBody, reply: sandboxCoin, refusals }),
  arkadeFault: route('POST', '/sandbox/arkade/fault', { summary: 'A fault of Arkade', body: arkadeFaultBody, reply: empty, refusals }),
  lightningInvoice: route('POST', '/sandbox/lightning/invoice', { summary: 'An invoice of the outside wallet', body: invoiceBody, reply: sandboxInvoice, refusals }),
  lightningPay: route('POST', '/sandbox/lightning/pay', { summary: 'Pay from the outside wallet', body: payBody, reply: sandboxPayment, refusals }),
  lightningPayment: route('GET', '/sandbox/lightning/payments/{hash}', { summary: 'A payment of the outside wallet', params: paymentParams, reply: sandboxPaymentState, refusals }),
  lightningFault: route('POST', '/sandbox/lightning/fault', { summary: 'A fault of Lightning', body: lightningFaultBody, reply: empty, refusals }),
  lightningRelease: route('POST', '/sandbox/lightning/release', { summary: 'End a hanging payment', body: releaseBody, reply: empty, refusals }),
  bitcoinFaucet: route('POST', '/sandbox/bitcoin/faucet', { summary: 'Coins on Bitcoin', body: coinFaucetBody, reply: sandboxCoin, refusals }),
  bitcoinMine: route('POST', '/sandbox/bitcoin/mine', { summary: 'Mine blocks, once or every so often', body: mineBitcoinBody, reply: sandboxTip, refusals }),
  bitcoinReorg: route('POST', '/sandbox/bitcoin/reorg', { summary: 'Replace blocks', body: reorgBody, reply: sandboxHeight, refusals }),
  bitcoinFees: route('POST', '/sandbox/bitcoin/fees', { summary: 'Set the fee rate', body: feesBody, reply: empty, refusals }),
  evmFaucet: route('POST', '/sandbox/evm/{chain}/faucet', { summary: 'Tokens on an EVM chain', params: evmParams, body: evmFaucetBody, reply: sandboxEvmTx, refusals }),
  evmMine: route('POST', '/sandbox/evm/{chain}/mine', { summary: 'Mine EVM blocks', params: evmParams, body: evmMineBody, reply: sandboxHeight, refusals }),
  evmFault: route('POST', '/sandbox/evm/{chain}/fault', { summary: 'A fault of an EVM chain', params: evmParams, body: evmFaultBody, reply: empty, refusals }),
  sandboxReset: route('POST', '/sandbox/reset', { summary: 'Start over with fresh networks and a fresh node', body: resetBody, reply: empty, refusals }),
};
