import { noSats } from '../../engine/domain/money.ts';
import { refuse } from '../../engine/domain/errors.ts';
import { asPublicKey } from '../../engine/domain/hash.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import type { SwapStatus } from '../../engine/domain/status.ts';
import { bitcoinOn } from '../../engine/domain/token.ts';
import type { OwnerEvent } from '../../engine/contract/owner/events.ts';
import type { OwnerStatus } from '../../engine/contract/owner/status.ts';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import type { CreateLightningArkade } from '../../engine/contract/directions/lightning-arkade.ts';
import type { Service } from '../../engine/api/service.ts';

/** An engine that keeps swaps in memory and moves no money: enough for the API to be asked everything. */
export interface MemoryService extends Service {
  move(id: string, status: SwapStatus): void;
  tell(event: OwnerEvent): void;
  /** What the next create does instead of creating. */
  nextCreate: (() => never) | null;
  readonly asked: unknown[];
  /** Whose creates they were. */
  readonly clients: (string | null)[];
}

const key = asPublicKey(fromHex('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'));
const later = refuse('unavailable', 'EVM chains are not connected to this node: add one in the settings.');

function record(request: CreateLightningArkade, id: string): LightningArkadeRecord {
  return {
    id,
    created_at: '2026-01-01T00:00:00.000Z',
    network: 'regtest',
    status: 'pending',
    fee_sats: Number(noSats),
    source_amount: String(request.amount.amount),
    source_token: bitcoinOn('Lightning'),
    target_amount: String(request.amount.amount),
    target_token: bitcoinOn('Arkade'),
    arkade_htlc_script_version: 1,
    arkade_server_pk: request.claimKey.text,
    unilateral_claim_delay: 512,
    unilateral_refund_delay: 1024,
    unilateral_refund_without_receiver_delay: 1536,
    vhtlc_refund_locktime: 1_800_000_000,
    receiver_pk: request.claimKey.text,
    sender_pk: request.claimKey.text,
    arkade_vhtlc_address: request.targetAddress ?? '',
    bolt11_invoice: 'lnbcrt1',
    hash_lock: `0x${'ab'.repeat(32)}`,
    invoice_expires_at: 1_800_000_000,
    network_fee_sats: 0,
    target_arkade_address: request.targetAddress ?? '',
  };
}

export const ownerStatus: OwnerStatus = {
  version: '0',
  network: 'regtest',
  started: 1,
  paused: null,
  live: true,
  networks: [],
  open_swaps: 0,
  at_risk_sats: 0,
};

export function memoryService(): MemoryService {
  const swaps = new Map<string, LightningArkadeRecord>();
  const used = new Set<string>();
  const onStatus = new Set<(id: string, status: SwapStatus) => void>();
  const onEvent = new Set<(event: OwnerEvent) => void>();
  let healthy = true;

  const service: MemoryService = {
    asked: [],
    clients: [],
    nextCreate: null,
    move(id, status) {
      const swap = swaps.get(id);
      if (swap !== undefined) swaps.set(id, { ...swap, status });
      for (const listener of onStatus) listener(id, status);
    },
    tell: (event) => onEvent.forEach((listener) => listener(event)),
    async create(direction, request, developerKey, client = null) {
      service.asked.push({ direction, developerKey });
      service.clients.push(client);
      service.nextCreate?.();
      if (direction !== 'lightning-arkade') return later;
      const { hash } = request as CreateLightningArkade;
      if (used.has(String(hash))) return refuse('hash-used', 'hash_lock was used before, make a new secret');
      used.add(String(hash));
      const made = record(
        request as CreateLightningArkade,
        `00000000-0000-4000-8000-${String(swaps.size).padStart(12, '0')}`,
      );
      swaps.set(made.id, made);
      return made as never;
    },
    swap: (id) => {
      const swap = swaps.get(id);
      return swap === undefined ? null : { record: swap, direction: 'lightning-arkade' };
    },
    statuses: (ids) => ({
      statuses: ids.flatMap((id) => (swaps.has(id) ? [{ id, status: swaps.get(id)?.status ?? 'pending' }] : [])),
      not_found: ids.filter((id) => !swaps.has(id)),
    }),
    recover: () => ({ swaps: [], highest_index: 0, next_index: 0, scanned_until: 20, complete: true }),
    onStatus(listener) {
      onStatus.add(listener);
      return () => onStatus.delete(listener);
    },
    quote: () => later,
    lightningSendQuote: () => later,
    pairs: () => ({ pairs: [] }),
    tokens: () => ({ btc_tokens: [bitcoinOn('Arkade'), bitcoinOn('Lightning')], evm_tokens: [] }),
    networkFees: () => ({ pairs: [] }),
    chainConfig: () => ({ chains: [] }),
    evmTokens: () => ({ chains: {} }),
    evmTokenChains: () => ({ chains: [] }),
    dexQuote: () => refuse('invalid', 'Nothing is exchanged here.'),
    dexCalls: () => refuse('invalid', 'Nothing is exchanged here.'),
    mtp: () => ({ mtp: 1_700_000_000, tip_height: 100 }),
    status() {
      const one = { healthy };
      return { healthy, services: { arkade: one, bitcoin: one, polygon: one, ethereum: one, arbitrum: one } };
    },
    ready: () => healthy,
    metrics: () => '# HELP up Whether it is there\n# TYPE up gauge\nup 1\n',
    referralFee: () => ({ extra_fee_rate: 0 }),
    supportAgents: () => ({ agents: [] }),
    version: () => ({ tag: '0.1.0', commit_hash: 'none' }),
    standing(operation, id, naming) {
      const swap = swaps.get(id);
      if (swap === undefined) return refuse('unknown-swap', `no swap ${id}`);
      if (operation === 'owner') return null;
      if (operation !== 'refund-arkade')
        return refuse(operation === 'refund-evm' ? 'forbidden' : 'invalid', 'This swap has no EVM leg.');
      // One that is over may have a second coin: only a request that names none can be judged by the state alone.
      if (swap.status === 'serverredeemed' && naming === 'something') return null;
      return swap.status === 'serverwontfund'
        ? null
        : refuse('forbidden', 'The swap is running: wait for its refund locktime.');
    },
    async collabRefund(id, request) {
      if (!swaps.has(id)) return refuse('unknown-swap', `no swap ${id}`);
      return swaps.get(id)?.status === 'serverwontfund'
        ? request
        : refuse('forbidden', 'The swap is running: wait for its refund locktime.');
    },
    collabRefundDelegate: async () => refuse('unknown-swap', 'no such swap'),
    cooperativeClaim: async () => refuse('unknown-swap', 'no such swap'),
    cooperativeRefund: async () => refuse('unknown-swap', 'no such swap'),
    serverClaim: () => refuse('unknown-swap', 'no such swap'),
    signServerClaim: () => refuse('unknown-swap', 'no such swap'),
    delegateKey: () => key,
    delegateSettle: async () => ({ commitmentTxid: 'ab'.repeat(32) }),
    redeemData: () => refuse('unknown-swap', 'no such swap'),
    claimGasless: () => refuse('unknown-swap', 'no such swap'),
    permit2Funding: () => refuse('unknown-swap', 'no such swap'),
    useropFunding: () => refuse('unknown-swap', 'no such swap'),
    bundlerConfig: () => refuse('not-found', 'no bundler'),
    fundGasless: () => refuse('unknown-swap', 'no such swap'),
    refundCalldata: () => refuse('unknown-swap', 'no such swap'),
    collabRefundEvmParams: () => refuse('unknown-swap', 'no such swap'),
    collabRefundEvm: () => refuse('unknown-swap', 'no such swap'),
    owner: {
      status: () => ownerStatus,
      swaps: () => ({ swaps: [], next_cursor: null }),
      swap: () => null,
      retry: () => refuse('forbidden', 'Nothing of this swap was given up.'),
      bump: () => refuse('forbidden', 'Nothing of this swap is on its way.'),
      refund: () => refuse('unknown-swap', 'no such swap'),
      label: (_id, words) => words,
      pause: (reason) => ({ ...ownerStatus, paused: { by: 'owner', reason, since: 1 } }),
      resume: () => {
        healthy = false;
        return ownerStatus;
      },
      settings: () => ({ settings: { network: 'regtest', lnd: { macaroonFile: true } } }),
      changeSettings: (patch) => ({ settings: patch }),
      previewTerms: () => ({ pairs: [] }),
      display: () => ({ fiat: null, trouble: null, explorers: {} }),
      doctor: () => ({ rows: [] }),
      tryChange: () => ({ rows: [] }),
      checklist: () => ({ live: true, ready: false, steps: [] }),
      deployment: () => ({
        account: '0x0000000000000000000000000000000000000001',
        contracts: [],
        most_wei: '0',
        balance_wei: '0',
        kept_wei: '0',
        missing_wei: '0',
        obstacle: null,
        job: null,
      }),
      deploy: () => ({ id: '', sent: false, transaction: '' }),
      testAlerts: () => ({ results: [] }),
      logs: () => ({ lines: [], next_cursor: null, dropped: 0 }),
      balances: () => ({ balances: [] }),
      walletAddress: (network) => ({ address: `an address on ${network}` }),
      walletExit: () => ({ jobs: [{ id: '1', coin: `${'ab'.repeat(32)}:0`, amount: 5 }] }),
      withdrawalFees: () => ({
        fees: [{ speed: 'hour', refused: null, rate: 2.5, fee: 400, arrives: 100_000 }],
      }),
      withdraw: (_network, request) => ({ id: '1', sent: true, transaction: String(request.amount) }),
      ledger: () => ({
        rows: [
          { time: 1, swap_id: null, pair: null, kind: '=SUM(A1)', network: 'lightning', asset: 'btc', amount: '-12' },
        ],
        next_cursor: '7',
      }),
      earnings: () => ({ from: 0, to: 0, days: [] }),
      liquidity: () => ({ from: 0, to: 0, networks: [] }),
      accounts: () => ({ accounts: [], wallets: [] }),
      writeOff: ({ of, account, reason }) => ({
        wallet: {
          ...of,
          account,
          unknown: reason,
          books: '1',
          seen: '1',
          on_its_way: '0',
          difference: '0',
          alarm: false,
        },
      }),
      developerKeys: () => ({ keys: [] }),
      newDeveloperKey: () => ({ id: '1', key: 'shown once' }),
      deleteDeveloperKey: (id) => id === '1',
      onEvent(listener) {
        onEvent.add(listener);
        return () => onEvent.delete(listener);
      },
    },
    sandbox: null,
  };
  return service;
}
