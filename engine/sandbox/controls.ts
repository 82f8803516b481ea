import { PortFailure } from '../domain/errors.ts';
import type { EvmEndpoints, SandboxEndpoints } from './endpoints.ts';

export interface SandboxState {
  readonly clock: number;
  /** Seconds by which the wall clock of the node alone is wrong; left out while it is right. */
  readonly skew?: number;
  readonly arkade: { readonly url: string };
  readonly bitcoin: { readonly esploraUrl: string; readonly height: number; readonly mtp: number };
  readonly lightning: {
    readonly nodePubkey: string;
    readonly peerPubkey: string;
    readonly lnurl: string;
    readonly lightningAddress: string;
  };
  readonly evm?: Readonly<Record<string, EvmEndpoints>>;
}

export type ArkadeFault =
  | { readonly expire: string }
  | { readonly unroll: string }
  | { readonly next_submit: 'unanswered' }
  | { readonly next_event: 'dropped' }
  | { readonly operator: 'away' | 'back' }
  | { readonly intent_fee_sats: number };

export type LightningFault = { readonly next_payment: 'fails' | 'hangs' } | { readonly node: 'away' | 'back' };

export type EvmFault =
  { readonly next_transaction: 'reverts' | 'drops' } | { readonly rpc: 'away' | 'lags' | 'lies' | 'back' };

export interface ForwardedReply {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Everybody on the sandbox's networks who is not the node. `forward` hands a request of the owner on as it is and
 * rejects only when the sandbox does not answer; the others reject with a `PortFailure` on any refusal as well.
 */
export interface SandboxControls {
  forward(method: string, path: string, body?: unknown): Promise<ForwardedReply>;
  state(): Promise<SandboxState>;
  advance(seconds: number): Promise<{ clock: number }>;
  skew(seconds: number): Promise<void>;
  /**
   * `from`: a coin `txid:vout` of the operator's wallet, where the operator is alone on a real chain; its commitment is
   * for the caller to send.
   */
  arkadeFaucet(pay: {
    address: string;
    amount: number;
    from?: string;
    from_sats?: number;
  }): Promise<{ txid: string; vout: number; commitment?: string }>;
  arkadeFault(fault: ArkadeFault): Promise<void>;
  lightningInvoice(invoice: {
    amount_sats: number;
    description?: string;
    expiry_seconds?: number;
    hold?: boolean;
  }): Promise<{ bolt11: string; payment_hash: string }>;
  lightningPay(bolt11: string): Promise<{ payment_hash: string }>;
  lightningPayment(hash: string): Promise<{ state: 'in_flight' | 'settled' | 'failed'; preimage?: string }>;
  lightningFault(fault: LightningFault): Promise<void>;
  lightningRelease(hash: string, outcome: 'settles' | 'fails'): Promise<void>;
  mine(blocks: number): Promise<{ height: number; mtp: number }>;
  mineEvery(seconds: number | null): Promise<{ height: number; mtp: number }>;
  mineOnDemand(): Promise<{ height: number; mtp: number }>;
  bitcoinFaucet(pay: { address: string; amount: number }): Promise<{ txid: string; vout: number }>;
  reorg(depth: number, drop?: readonly string[]): Promise<{ height: number }>;
  evict(txid: string): Promise<void>;
  setFees(satPerVb: number): Promise<void>;
  evmFaucet(chain: string, pay: { address: string; token: string; amount: string }): Promise<{ tx_hash: string }>;
  evmMine(chain: string, blocks: number): Promise<{ height: number }>;
  evmFault(chain: string, fault: EvmFault): Promise<void>;
  evmReorg(chain: string, depth: number, drop?: readonly string[]): Promise<{ height: number }>;
  evmFees(chain: string, baseFeeGwei: number): Promise<void>;
  /** Says which account is the node's; the first time it gets what it begins with. */
  evmNode(chain: string, address: string): Promise<void>;
  /** Fresh networks at the same places; the clock stays. */
  reset(): Promise<void>;
}

/** With what the sandbox itself rejects, not a network in it. */
const sandboxFailure = PortFailure.of<'sandbox-away' | 'sandbox-refused'>();

const patienceMs = 30_000;

export function createControls({ control }: Pick<SandboxEndpoints, 'control'>): SandboxControls {
  async function forward(method: string, path: string, body?: unknown): Promise<ForwardedReply> {
    let response: Response;
    try {
      response = await fetch(`${control.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${control.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patienceMs),
      });
    } catch (error) {
      throw sandboxFailure('sandbox-away', 'ask-first', `The sandbox at ${control.url} does not answer.`, error);
    }
    return { status: response.status, body: await response.json() };
  }

  async function call<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
    const { status, body: reply } = await forward(method, path, body);
    if (status !== 200)
      throw sandboxFailure(
        'sandbox-refused',
        'never',
        `The sandbox refused ${method} ${path}: ${(reply as { error?: string }).error ?? status}`,
      );
    return reply as Reply;
  }

  return {
    forward,
    state: () => call('GET', '/sandbox'),
    advance: (seconds) => call('POST', '/sandbox/clock/advance', { seconds }),
    skew: (seconds) => call('POST', '/sandbox/clock/skew', { seconds }),
    arkadeFaucet: (pay) => call('POST', '/sandbox/arkade/faucet', pay),
    arkadeFault: (fault) => call('POST', '/sandbox/arkade/fault', fault),
    lightningInvoice: (invoice) => call('POST', '/sandbox/lightning/invoice', invoice),
    lightningPay: (bolt11) => call('POST', '/sandbox/lightning/pay', { bolt11 }),
    lightningPayment: (hash) => call('GET', `/sandbox/lightning/payments/${hash}`),
    lightningFault: (fault) => call('POST', '/sandbox/lightning/fault', fault),
    lightningRelease: (hash, outcome) => call('POST', '/sandbox/lightning/release', { payment_hash: hash, outcome }),
    mine: (blocks) => call('POST', '/sandbox/bitcoin/mine', { blocks }),
    mineEvery: (seconds) => call('POST', '/sandbox/bitcoin/mine', { auto_seconds: seconds }),
    mineOnDemand: () => call('POST', '/sandbox/bitcoin/mine', { auto: 'on_demand' }),
    bitcoinFaucet: (pay) => call('POST', '/sandbox/bitcoin/faucet', pay),
    reorg: (depth, drop = []) => call('POST', '/sandbox/bitcoin/reorg', { depth, drop }),
    evict: (txid) => call('POST', '/sandbox/bitcoin/evict', { txid }),
    setFees: (satPerVb) => call('POST', '/sandbox/bitcoin/fees', { sat_per_vb: satPerVb }),
    evmFaucet: (chain, pay) => call('POST', `/sandbox/evm/${chain}/faucet`, pay),
    evmMine: (chain, blocks) => call('POST', `/sandbox/evm/${chain}/mine`, { blocks }),
    evmFault: (chain, fault) => call('POST', `/sandbox/evm/${chain}/fault`, fault),
    evmReorg: (chain, depth, drop = []) => call('POST', `/sandbox/evm/${chain}/reorg`, { depth, drop }),
    evmFees: (chain, gwei) => call('POST', `/sandbox/evm/${chain}/fees`, { base_fee_gwei: gwei }),
    evmNode: (chain, address) => call('POST', `/sandbox/evm/${chain}/node`, { address }),
    reset: () => call('POST', '/sandbox/reset', {}),
  };
}
