import { refuse } from '../../domain/errors.ts';
import { shown } from '../../contract/field.ts';
import type { OwnerRouteName } from '../../contract/routes.ts';
import { isSwapId, unknownSwap, withSwap, type Handlers } from './handler.ts';

const noTaker = refuse('not-found', 'This node is a provider only: it makes no swaps of its own.');

export const ownerHandlers: Handlers<OwnerRouteName> = {
  ownerStatus: ({ service }) => service.owner.status(),
  ownerSwaps: ({ service, request, signal }) => service.owner.swaps(request.query, signal),
  ownerSwap: ({ service, request }) =>
    (isSwapId(request.params.id) ? service.owner.swap(request.params.id) : null) ?? unknownSwap(request.params.id),
  ownerRetry: ({ service, request }) => withSwap(request.params.id, (id) => service.owner.retry(id)),
  ownerBump: ({ service, request }) => withSwap(request.params.id, (id) => service.owner.bump(id)),
  ownerRefund: ({ service, request }) => withSwap(request.params.id, (id) => service.owner.refund(id)),
  labelSwap: ({ service, request }) => withSwap(request.params.id, (id) => service.owner.label(id, request.body)),
  ownerPause: ({ service, request }) => service.owner.pause(request.body.reason),
  ownerResume: ({ service }) => service.owner.resume(),
  ownerSettings: ({ service }) => service.owner.settings(),
  changeSettings: ({ service, request }) => service.owner.changeSettings(request.body),
  previewTerms: ({ service, request }) => service.owner.previewTerms(request.body),
  ownerDisplay: ({ service }) => service.owner.display(),
  ownerDoctor: ({ service }) => service.owner.doctor(),
  trySettings: ({ service, request }) => service.owner.tryChange(request.body),
  rehearse: ({ service, request }) => service.owner.rehearse?.(request.body) ?? noTaker,
  ownerChecklist: ({ service }) => service.owner.checklist(),
  deployment: ({ service, request }) => service.owner.deployment(request.params.network),
  deployContracts: ({ service, request }) => service.owner.deploy(request.params.network, request.body),
  testAlerts: ({ service }) => service.owner.testAlerts(),
  metrics: ({ service }) => service.metrics(),
  ownerLogs: ({ service, request }) => service.owner.logs(request.query),
  ownerBalances: ({ service }) => service.owner.balances(),
  walletAddress: ({ service, request }) => service.owner.walletAddress(request.params.network, request.body),
  withdraw: ({ service, request }) => service.owner.withdraw(request.params.network, request.body),
  withdrawalFees: ({ service, request }) => service.owner.withdrawalFees(request.params.network, request.body),
  walletExit: ({ service, request }) => service.owner.walletExit(request.params.network),
  ownerLedger: ({ service, request }) => service.owner.ledger(request.query),
  ownerLiquidity: ({ service }) => service.owner.liquidity(),
  ownerEarnings: ({ service, request }) => service.owner.earnings(request.query),
  ownerAccounts: ({ service }) => service.owner.accounts(),
  writeOff: ({ service, request }) => service.owner.writeOff(request.body),
  developerKeys: ({ service }) => service.owner.developerKeys(),
  newDeveloperKey: ({ service, request }) => service.owner.newDeveloperKey(request.body),
  deleteDeveloperKey: ({ service, request }) =>
    service.owner.deleteDeveloperKey(request.params.id)
      ? {}
      : refuse(
          'not-found',
          `No developer key has the id ${shown(request.params.id)}: GET /owner/developer-keys lists them.`,
        ),
  takerSwaps: ({ service, request }) => service.owner.taker?.swaps(request.query) ?? noTaker,
  takerSwap: ({ service: { owner }, request: { params } }) =>
    owner.taker === undefined
      ? noTaker
      : ((isSwapId(params.id) ? owner.taker.swap(params.id) : null) ?? unknownSwap(params.id)),
  takerQuotes: ({ service, request }) => service.owner.taker?.quotes(request.body) ?? noTaker,
  takerWays: ({ service }) => service.owner.taker?.ways() ?? noTaker,
  takerPayee: ({ service, request }) => service.owner.taker?.payee(request.body) ?? noTaker,
  checkProvider: ({ service, request }) => service.owner.taker?.check(request.body) ?? noTaker,
  createTakerSwap: ({ service, request }) => service.owner.taker?.create(request.body) ?? noTaker,
  payTakerSwap: ({ service, request }) => withSwap(request.params.id, (id) => service.owner.taker?.pay(id) ?? noTaker),
  cancelTakerSwap: ({ service, request }) =>
    withSwap(request.params.id, (id) => service.owner.taker?.cancel(id) ?? noTaker),
  refundTakerSwap: ({ service, request }) =>
    withSwap(request.params.id, (id) => service.owner.taker?.refund(id) ?? noTaker),
  takerAccounts: ({ service }) => service.owner.taker?.accounts() ?? noTaker,
  sendOnFromTaker: ({ service, request }) =>
    service.owner.taker?.sendOn(request.params.network, request.body) ?? noTaker,
  takerRestore: ({ service }) => service.owner.taker?.restored() ?? noTaker,
  restoreTakerSwaps: ({ service, request }) => service.owner.taker?.restore(request.body) ?? noTaker,
};
