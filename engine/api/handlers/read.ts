import { wireDirections } from '../../domain/chain.ts';
import type { SwapRecord } from '../../contract/records/swap.ts';
import { isSwapId, refuseExtraFees, unknownSwap, type Handlers } from './handler.ts';

type ReadRoute =
  | 'swap'
  | 'bulkStatus'
  | 'recover'
  | 'tokens'
  | 'quote'
  | 'lightningSendQuote'
  | 'swapPairs'
  | 'networkFees'
  | 'chainConfig'
  | 'evmTokens'
  | 'evmTokenChains'
  | 'dexQuote'
  | 'dexFundCalls'
  | 'dexClaimCalls'
  | 'mtp'
  | 'health'
  | 'live'
  | 'ready'
  | 'version'
  | 'status'
  | 'referralFee'
  | 'supportAgents';

export const readHandlers: Handlers<ReadRoute> = {
  swap({ service, request }) {
    const { id } = request.params;
    const view = isSwapId(id) ? service.swap(id) : null;
    if (view === null) return unknownSwap(id);
    return { ...view.record, direction: wireDirections[view.direction] } as SwapRecord;
  },
  bulkStatus({ service, request }) {
    const ids = [...new Set(request.body.ids)];
    const answered = service.statuses(ids.filter(isSwapId));
    return { statuses: answered.statuses, not_found: [...answered.not_found, ...ids.filter((id) => !isSwapId(id))] };
  },
  recover: ({ service, request, client, signal }) => service.recover(request.body, client, signal),
  tokens: ({ service, request }) => service.tokens(request.query),
  async quote({ service, request, developerKey, client }) {
    return (
      refuseExtraFees(request.query.extraFeesBps, developerKey) ?? service.quote(request.query, developerKey, client)
    );
  },
  async lightningSendQuote({ service, request, developerKey, client }) {
    return (
      refuseExtraFees(request.query.extraFeesBps, developerKey) ??
      service.lightningSendQuote(request.query, developerKey, client)
    );
  },
  async referralFee({ service, request, developerKey }) {
    return (
      refuseExtraFees(request.query.extraFeesBps, developerKey) ?? service.referralFee(request.query, developerKey)
    );
  },
  swapPairs: ({ service }) => service.pairs(),
  networkFees: ({ service }) => service.networkFees(),
  chainConfig: ({ service }) => service.chainConfig(),
  evmTokens: ({ service, request }) => service.evmTokens(request.query.chainId),
  evmTokenChains: ({ service }) => service.evmTokenChains(),
  dexQuote: ({ service, request, client }) => service.dexQuote(request.body, client),
  dexFundCalls: ({ service, request, client }) => service.dexCalls('fund', request.body, client),
  dexClaimCalls: ({ service, request, client }) => service.dexCalls('claim', request.body, client),
  mtp: ({ service }) => service.mtp(),
  health: () => 'ok',
  live: () => ({ live: true }),
  ready: ({ service }) => ({ ready: service.ready() }),
  version: ({ service }) => service.version(),
  status: ({ service }) => service.status(),
  supportAgents: ({ service }) => service.supportAgents(),
};
