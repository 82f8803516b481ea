import type { DirectionName, Network } from '../domain/chain.ts';
import type { Refusal } from '../domain/errors.ts';
import type { Preimage, PublicKey } from '../domain/hash.ts';
import type { SwapStatus } from '../domain/status.ts';
import type { Acted, OwnerSwap, OwnerSwaps, OwnerSwapsQuery } from '../contract/owner/swaps.ts';
import type {
  Balances,
  WalletAddress,
  WalletAddressRequest,
  WalletExit,
  Withdrawal,
  WithdrawalFees,
  WithdrawalFeesRequest,
  WithdrawRequest,
} from '../contract/owner/wallets.ts';
import type { DeveloperKeyRequest, DeveloperKeys, NewDeveloperKey } from '../contract/owner/developer-keys.ts';
import type { Accounts, WriteOffRequest, WrittenOff } from '../contract/owner/accounts.ts';
import type { Earnings, EarningsQuery } from '../contract/owner/earnings.ts';
import type { Liquidity } from '../contract/owner/liquidity.ts';
import type { AlertTest } from '../contract/owner/alert-test.ts';
import type { Deployment, DeploymentRequest } from '../contract/owner/deployment.ts';
import type { Checklist, Rehearsal, RehearsalRequest } from '../contract/owner/checklist.ts';
import type { Display } from '../contract/owner/display.ts';
import type { Doctor } from '../contract/owner/doctor.ts';
import type { SwapLabel } from '../contract/owner/labels.ts';
import type { Ledger, LedgerQuery } from '../contract/owner/ledger.ts';
import type { Logs, LogsQuery } from '../contract/owner/logs.ts';
import type { OwnerEvent } from '../contract/owner/events.ts';
import type { OwnerStatus } from '../contract/owner/status.ts';
import type { Settings } from '../contract/owner/settings.ts';
import type { TermsPreview, TermsPreviewRequest } from '../contract/owner/terms.ts';
import type {
  BundlerConfig,
  GaslessClaim,
  Permit2Funding,
  RedeemData,
  Relayed,
  UseropFunding,
} from '../contract/records/evm.ts';
import type {
  ChainConfig,
  DexCalls,
  DexQuoteReply,
  EvmTokenChains,
  EvmTokens,
  LightningSendQuote,
  NetworkFees,
  Quote,
  ReferralFee,
  SwapPairs,
  TokenList,
} from '../contract/records/market.ts';
import type { BulkStatus, MedianTimePast, NodeStatus, SupportAgents, Version } from '../contract/records/node.ts';
import type { CollabRefundEvmParams, RefundCalldata } from '../contract/records/refunds.ts';
import type { Creates, Records, WireRecord } from '../contract/directions/directions.ts';
import type {
  ClaimGaslessRequest,
  CollabRefundEvmRequest,
  FundGaslessRequest,
  RedeemDataRequest,
} from '../contract/requests/evm.ts';
import type { DexCallsRequest, DexQuoteRequest } from '../contract/requests/dex.ts';
import type {
  LightningSendRequest,
  QuoteRequest,
  ReferralFeeRequest,
  TokenFilter,
} from '../contract/requests/quotes.ts';
import type {
  CooperativeClaimRequest,
  CooperativeRefundRequest,
  ServerClaimRequest,
} from '../contract/requests/cosign.ts';
import type {
  CollabRefundRequest,
  DelegateRefundRequest,
  DelegateSettleRequest,
  RecoverRequest,
} from '../contract/requests/refunds.ts';
import type { TakerAccounts } from '../contract/taker-accounts.ts';
import type { TakerRestore } from '../contract/taker-restore.ts';
import type {
  Place,
  TakerPayee,
  TakerRestoreRequest,
  TakerSwapCreated,
  TakerSwapRequest,
  TakerSwapsQuery,
} from '../contract/taker.ts';
import type { ProviderCheck, TakerQuotes, TakerQuotesRequest } from '../contract/taker-quotes.ts';
import type { TakerWays } from '../contract/taker-ways.ts';
import type { TakerSwap, TakerSwaps } from '../contract/taker-swap.ts';
import type { Recovery } from '../contract/records/swap.ts';
import type { SwapOperation } from '../contract/routes/route.ts';
import type { JsonValue } from '../contract/wire.ts';

export type Maybe<T> = T | Refusal;
/** Answers at once where the engine can, so that a read costs no turn of the event loop. */
export type Answer<T> = Maybe<T> | Promise<Maybe<T>>;

/** A partial signature of ours beside the client's nonce (BIP-327). */
export interface OurPartial {
  /** 66 bytes. */
  readonly publicNonce: Uint8Array;
  /** 32 bytes. */
  readonly partial: Uint8Array;
}

/** A claim of a client's coin that its client is asked to sign with us. */
export interface ServerClaim {
  /** By which the client knows that its own part was kept. */
  readonly preimage: Preimage;
  /** Of the service: the same for whoever asks. */
  readonly publicNonce: Uint8Array;
  /** The key of the service in the HTLC. */
  readonly key: PublicKey;
  /** Without witnesses; its input 0 takes the coin. */
  readonly transaction: Uint8Array;
  /** What both sign: BIP-341 with SIGHASH_DEFAULT. 32 bytes. */
  readonly sighash: Uint8Array;
}

/**
 * What the API asks of the engine, in domain terms. Expected refusals are values; a rejection with a `PortFailure`
 * answers 503, any other rejection is a bug and answers 500 without details. A swap whose id names nothing is a
 * refusal `unknown-swap` or null where the type says so.
 */
export interface Service {
  /**
   * `developerKey` is the text of the X-Developer-Key header; extra fees above 0 arrive only together with one.
   * `client` is whose creates are counted together, null for whoever is not counted.
   */
  create<D extends DirectionName>(
    direction: D,
    request: Creates[D],
    developerKey: string | null,
    client?: string | null,
  ): Promise<Maybe<Records[D]>>;
  swap(id: string): { readonly record: WireRecord; readonly direction: DirectionName } | null;
  /** Status of each known id, in the order asked for. */
  statuses(ids: readonly string[]): BulkStatus;
  /** `client`: whose recoveries are counted together; `left`: aborted when nobody waits for the answer any more. */
  recover(request: RecoverRequest, client?: string | null, left?: AbortSignal): Answer<Recovery>;
  /** Calls back after each commit that changed the wire status of a swap; returns how to stop. */
  onStatus(listener: (id: string, status: SwapStatus) => void): () => void;

  /** `client`, of this and others: whose places it takes where few may ask at once, null for whoever is not counted. */
  quote(request: QuoteRequest, developerKey: string | null, client?: string | null): Answer<Quote>;
  lightningSendQuote(
    request: LightningSendRequest,
    developerKey: string | null,
    client?: string | null,
  ): Answer<LightningSendQuote>;
  referralFee(request: ReferralFeeRequest, developerKey: string | null): Answer<ReferralFee>;
  pairs(): Answer<SwapPairs>;
  tokens(filter: TokenFilter): Answer<TokenList>;
  networkFees(): Answer<NetworkFees>;
  chainConfig(): Answer<ChainConfig>;
  /** Of one chain, or of all for null. */
  evmTokens(chainId: number | null): Answer<EvmTokens>;
  evmTokenChains(): Answer<EvmTokenChains>;
  dexQuote(request: DexQuoteRequest, client?: string | null): Answer<DexQuoteReply>;
  dexCalls(purpose: 'fund' | 'claim', request: DexCallsRequest, client?: string | null): Answer<DexCalls>;
  mtp(): Answer<MedianTimePast>;
  /** `healthy: false` answers 503 with the same body. */
  status(): NodeStatus | Promise<NodeStatus>;
  /** Whether new swaps are begun. */
  ready(): boolean;
  /** Text for Prometheus; the owner's alone. */
  metrics(): string;
  version(): Version;
  supportAgents(): SupportAgents;

  /**
   * What the id and the state of its swap say against an operation, before the request itself is looked at; null when
   * nothing.
   */
  standing(operation: SwapOperation, id: string, naming: 'something' | 'nothing'): Refusal | null;
  collabRefund(id: string, request: CollabRefundRequest): Promise<Maybe<CollabRefundRequest>>;
  /** Our half of the client's claim, or refund, by the key of both sides. */
  cooperativeClaim(id: string, request: CooperativeClaimRequest): Promise<Maybe<OurPartial>>;
  cooperativeRefund(id: string, request: CooperativeRefundRequest): Promise<Maybe<OurPartial>>;
  /** Our claim of the client's coin, which it signs with us. */
  serverClaim(id: string): Answer<ServerClaim>;
  signServerClaim(id: string, request: ServerClaimRequest): Answer<null>;
  collabRefundDelegate(id: string, request: DelegateRefundRequest): Promise<Maybe<DelegateRefundRequest>>;
  delegateKey(): Answer<PublicKey>;
  delegateSettle(
    request: DelegateSettleRequest,
    signal: AbortSignal,
  ): Promise<Maybe<{ readonly commitmentTxid: string }>>;

  redeemData(id: string, request: RedeemDataRequest): Answer<RedeemData>;
  claimGasless(id: string, request: ClaimGaslessRequest): Answer<GaslessClaim>;
  permit2Funding(id: string): Answer<Permit2Funding>;
  useropFunding(id: string): Answer<UseropFunding>;
  /** Of one chain. */
  bundlerConfig(request: { readonly chainId: number }): Answer<BundlerConfig>;
  fundGasless(id: string, request: FundGaslessRequest): Answer<Relayed>;
  refundCalldata(id: string): Answer<RefundCalldata>;
  collabRefundEvmParams(id: string): Answer<CollabRefundEvmParams>;
  collabRefundEvm(id: string, request: CollabRefundEvmRequest): Answer<Relayed>;

  readonly owner: OwnerService;
  /** Null on a node with real networks. */
  readonly sandbox: SandboxProxy | null;
}

export interface OwnerService {
  status(): Answer<OwnerStatus>;
  /** `left`: aborted when nobody waits for the answer any more. */
  swaps(query: OwnerSwapsQuery, left?: AbortSignal): Answer<OwnerSwaps>;
  /** Null when no swap has the id. */
  swap(id: string): OwnerSwap | Refusal | null;
  retry(id: string): Answer<Acted>;
  bump(id: string): Answer<Acted>;
  refund(id: string): Answer<Acted>;
  /** What the owner calls a swap, kept beside it. */
  label(id: string, words: SwapLabel): Answer<SwapLabel>;
  pause(reason: string): Answer<OwnerStatus>;
  resume(): Answer<OwnerStatus>;
  settings(): Answer<Settings>;
  changeSettings(patch: Readonly<Record<string, JsonValue>>): Answer<Settings>;
  display(): Answer<Display>;
  previewTerms(request: TermsPreviewRequest): Answer<TermsPreview>;
  doctor(): Answer<Doctor>;
  tryChange(patch: Readonly<Record<string, JsonValue>>): Answer<Doctor>;
  checklist(): Answer<Checklist>;
  /** Left out by a node that only provides. */
  rehearse?(request: RehearsalRequest): Answer<Rehearsal>;
  deployment(network: Network): Answer<Deployment>;
  deploy(network: Network, request: DeploymentRequest): Answer<Withdrawal>;
  testAlerts(): Answer<AlertTest>;
  logs(query: LogsQuery): Answer<Logs>;
  balances(): Answer<Balances>;
  walletAddress(network: Network, request: WalletAddressRequest): Answer<WalletAddress>;
  withdraw(network: Network, request: WithdrawRequest): Answer<Withdrawal>;
  withdrawalFees(network: Network, request: WithdrawalFeesRequest): Answer<WithdrawalFees>;
  walletExit(network: Network): Answer<WalletExit>;
  ledger(query: LedgerQuery): Answer<Ledger>;
  earnings(query: EarningsQuery): Answer<Earnings>;
  liquidity(): Answer<Liquidity>;
  accounts(): Answer<Accounts>;
  writeOff(request: WriteOffRequest): Answer<WrittenOff>;
  developerKeys(): Answer<DeveloperKeys>;
  newDeveloperKey(request: DeveloperKeyRequest): Answer<NewDeveloperKey>;
  /** False when no key has the id. */
  deleteDeveloperKey(id: string): boolean;
  onEvent(listener: (event: OwnerEvent) => void): () => void;
  /** Left out by a node that only provides. */
  readonly taker?: TakerService;
}

/** Swaps in which the node is the client. */
export interface TakerService {
  /** What every provider of the settings would do for an amount, the best first. */
  quotes(request: TakerQuotesRequest): Answer<TakerQuotes>;
  /** What can be swapped into what now, with whomever. */
  ways(): Answer<TakerWays>;
  /** What a Lightning address or LNURL takes. */
  payee(place: Place): Answer<TakerPayee>;
  /** Whether an address answers as a provider does. */
  check(provider: string): Answer<ProviderCheck>;
  create(request: TakerSwapRequest): Answer<TakerSwapCreated>;
  swaps(query: TakerSwapsQuery): Answer<TakerSwaps>;
  /** Null when no swap of the owner's own has the id. */
  swap(id: string): TakerSwap | null;
  refund(id: string): Answer<Acted>;
  /** Pays it from a wallet of this node, once at most. */
  cancel(id: string): Answer<Acted>;
  pay(id: string): Answer<Acted>;
  /** What lies at the account of its swaps on every EVM chain. */
  accounts(): Answer<TakerAccounts>;
  sendOn(network: Network, request: WithdrawRequest): Answer<Withdrawal>;
  /** Asks providers for swaps of this seed, in the background; one that runs already goes on. */
  restore(request: TakerRestoreRequest): TakerRestore;
  /** The same by itself, for a folder that never swapped and knows providers. */
  restoreIfNew(): void;
  /** Once a start: asks providers for keys that this folder has not come to. */
  askForKeys(): void;
  restored(): TakerRestore;
  stop(): Promise<void>;
}

/** Hands a control, checked already, to the process that holds the sandbox's networks. */
export interface SandboxProxy {
  /** `path` begins with /sandbox and has its parameters filled in; `body` is null for a GET. */
  call(
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
  ): Promise<{ readonly status: number; readonly body: unknown }>;
}
