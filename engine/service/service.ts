import type { SandboxProxy, Service, TakerService } from '../api/service.ts';
import type { AlertTest } from '../contract/owner/alert-test.ts';
import type { Checklist } from '../contract/owner/checklist.ts';
import type { Doctor } from '../contract/owner/doctor.ts';
import type { Settings } from '../contract/owner/settings.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import type { LogLines } from '../runtime/log-lines.ts';
import { servingOwner, type ServiceContext } from './context.ts';
import { claimGasless, redeemData } from './evm/claims.ts';
import { bundlerConfig, createFunding } from './deposit/funding.ts';
import { collabRefundEvm, collabRefundEvmParams, refundCalldata } from './deposit/refund.ts';
import { developerOf } from './owner/developer-keys.ts';
import { cooperativeClaim, cooperativeRefund, togetherStanding } from './htlc/cosign.ts';
import { swapCreate } from './create/create.ts';
import { directions } from './directions/directions.ts';
import { serverClaim, serverClaimStanding, signServerClaim } from './htlc/server-claim.ts';
import { createLateRefunds } from './refund/late-refunds.ts';
import { createMetrics } from './metrics/metrics.ts';
import type { ReadFiat } from './owner/display.ts';
import { createOwner, type OwnerSettings } from './owner/owner.ts';
import { dexCalls, dexQuote } from './market/dex.ts';
import { chainConfig, evmTokenChains, evmTokens, tokens } from './market/lists.ts';
import { fees, pairs, quote } from './price/quotes.ts';
import { referralFee } from './price/rate.ts';
import { mtp, nodeStatus, statuses, swap } from './reads.ts';
import { isReady } from './readiness.ts';
import { createRecovery } from './refund/recovery.ts';
import { collabRefund, collabRefundDelegate, delegateKey, delegateSettle, refundStanding } from './refund/refunds.ts';
import { lightningSendQuote } from './price/send-quote.ts';
import { evmStanding } from './evm/standing.ts';

type Offers = Pick<
  Service,
  | 'create'
  | 'quote'
  | 'lightningSendQuote'
  | 'referralFee'
  | 'pairs'
  | 'tokens'
  | 'networkFees'
  | 'chainConfig'
  | 'evmTokens'
  | 'evmTokenChains'
>;

/** What may be begun, at what price, by whoever the context is for. */
export function createOffers(context: ServiceContext): Offers {
  return {
    create: swapCreate(context, directions),
    quote(request, developerKey, client = null) {
      const developer = developerOf(context, developerKey);
      return isRefusal(developer) ? developer : quote(context, { ...request, client }, developer);
    },
    lightningSendQuote(request, developerKey, client = null) {
      const developer = developerOf(context, developerKey);
      return isRefusal(developer) ? developer : lightningSendQuote(context, { ...request, client }, developer);
    },
    referralFee(request, developerKey) {
      const developer = developerOf(context, developerKey);
      return isRefusal(developer) ? developer : referralFee(context, request, developer);
    },
    pairs: () => pairs(context),
    tokens: (filter) => tokens(context, filter),
    networkFees: () => fees(context),
    chainConfig: () => chainConfig(context),
    evmTokens: (chainId) => evmTokens(context, chainId),
    evmTokenChains: () => evmTokenChains(context),
  };
}

/** Every operation of the node, over the runtime that carries its swaps. */
export function createService(
  context: ServiceContext,
  facts: {
    version: string;
    commit: string;
    started: number;
    unguarded?: () => string | null;
    settings: OwnerSettings;
    doctor: () => Promise<Doctor>;
    tryChange?: (patch: Settings['settings']) => Promise<Doctor | Refusal>;
    checklist?: () => Promise<Checklist>;
    logs: LogLines;
    sandbox: SandboxProxy | null;
    taker?: TakerService;
    testAlerts?: () => Promise<AlertTest>;
    readFiat?: ReadFiat;
  },
): Service {
  const { commits } = context.runtime;
  const wasRead = createLateRefunds(context);

  return {
    ...createOffers(context),
    swap: (id) => swap(context, id, wasRead),
    statuses: (ids) => statuses(context, ids, wasRead),
    recover: createRecovery(context),
    onStatus: (listener) =>
      commits.onCommit(({ entry, from }) => {
        if (from.at === '' || from.status !== entry.row.status) listener(entry.row.id, entry.row.status);
      }),
    bundlerConfig: (request) => bundlerConfig(context, request),
    dexQuote: (request, client = null) => dexQuote(context, { ...request, client }),
    dexCalls: (purpose, request, client = null) => dexCalls(context, purpose, { ...request, client }),
    mtp: () => mtp(context),
    status: () => nodeStatus(context),
    ready: () => isReady(context),
    metrics: createMetrics(context, facts),
    version: () => ({ tag: facts.version, commit_hash: facts.commit }),
    standing(operation, id, naming) {
      if (operation === 'refund-arkade') return refundStanding(context, id, naming);
      if (operation === 'claim-together' || operation === 'refund-together')
        return togetherStanding(context, id, operation);
      if (operation === 'sign-server-claim') return serverClaimStanding(context, id);
      if (operation !== 'owner') return evmStanding(context, id, operation);
      return context.runtime.store.swaps.statusOf(id) === null ? refuse('unknown-swap', 'No swap has this id.') : null;
    },
    supportAgents: () => ({ agents: context.config.support.agents.map((npub) => ({ npub })) }),
    collabRefund: (id, request) => collabRefund(context, id, request),
    cooperativeClaim: (id, request) => cooperativeClaim(context, id, request),
    cooperativeRefund: (id, request) => cooperativeRefund(context, id, request),
    serverClaim: (id) => serverClaim(context, id),
    signServerClaim: (id, request) => signServerClaim(context, id, request),
    collabRefundDelegate: (id, request) => collabRefundDelegate(context, id, request),
    delegateKey: () => delegateKey(context),
    delegateSettle: (request, signal) => delegateSettle(context, request, signal),
    redeemData: (id, request) => redeemData(context, id, request),
    claimGasless: (id, request) => claimGasless(context, id, request),
    ...createFunding(context),
    refundCalldata: (id) => refundCalldata(context, id),
    collabRefundEvmParams: (id) => collabRefundEvmParams(context, id),
    collabRefundEvm: (id, request) => collabRefundEvm(context, id, request),
    owner: createOwner(servingOwner(context), facts),
    sandbox: facts.sandbox,
  };
}
