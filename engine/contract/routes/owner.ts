import { z } from 'zod';
import { ownerSwap, ownerSwaps, ownerSwapsQuery } from '../owner/swaps.ts';
import {
  balances,
  walletAddress,
  walletAddressBody,
  walletParams,
  walletExit,
  withdrawal,
  withdrawalFees,
  withdrawalFeesBody,
  withdrawBody,
} from '../owner/wallets.ts';
import { alertTest } from '../owner/alert-test.ts';
import { deployment, deploymentBody } from '../owner/deployment.ts';
import { checklist, rehearsal, rehearsalBody } from '../owner/checklist.ts';
import { developerKeyBody, developerKeys, newDeveloperKey } from '../owner/developer-keys.ts';
import { display } from '../owner/display.ts';
import { doctor } from '../owner/doctor.ts';
import { swapLabel, swapLabelBody } from '../owner/labels.ts';
import { accounts, writeOffBody, writtenOff } from '../owner/accounts.ts';
import { earnings, earningsQuery } from '../owner/earnings.ts';
import { liquidity } from '../owner/liquidity.ts';
import { ledger, ledgerCsv, ledgerQuery } from '../owner/ledger.ts';
import { logs, logsQuery } from '../owner/logs.ts';
import { ownerStatus, pauseBody } from '../owner/status.ts';
import { settings } from '../owner/settings.ts';
import { termsPreview, termsPreviewBody } from '../owner/terms.ts';
import { empty, words, type JsonValue } from '../wire.ts';
import { route, swapId } from './route.ts';
import { act, nothing } from './owner-act.ts';
import { takerRoutes } from './taker.ts';

/** Taken as it came: a record would leave out `__proto__` without a word, and whoever judges settings names it. */
const patch = z
  .custom<Record<string, JsonValue>>((given) => typeof given === 'object' && given !== null && !Array.isArray(given), {
    error: 'The request needs a JSON object: send the settings to change.',
  })
  .meta({ type: 'object', additionalProperties: true, description: 'Partial configuration' });

/** What only the owner of the node may do. Over HTTP with the bearer token, in the desktop by IPC. */
export const ownerRoutes = {
  ownerStatus: route('GET', '/owner/status', { summary: 'The node at a glance', reply: ownerStatus, refusals: [401] }),
  ownerSwaps: route('GET', '/owner/swaps', {
    summary:
      'List swaps: open ones the most urgent first, those that nobody paid for last; all others the newest first',
    query: ownerSwapsQuery,
    reply: ownerSwaps,
    refusals: [400, 401],
  }),
  ownerSwap: route('GET', '/owner/swaps/{id}', {
    summary: 'All that is known of a swap, secrets left out',
    params: swapId,
    reply: ownerSwap,
    refusals: [401, 404, 503],
  }),
  ownerRetry: route('POST', '/owner/swaps/{id}/retry', { summary: 'Try what was given up again', ...act }),
  ownerBump: route('POST', '/owner/swaps/{id}/bump', { summary: 'Raise the fee of what is on its way', ...act }),
  ownerRefund: route('POST', '/owner/swaps/{id}/refund', { summary: 'Take back what the node locked', ...act }),
  labelSwap: route('POST', '/owner/swaps/{id}/label', {
    summary: "Write down the owner's name and note for a swap; what is left out is removed",
    params: swapId,
    body: swapLabelBody,
    reply: swapLabel,
    judged: 'owner',
    spends: false,
    refusals: [400, 401, 404],
  }),
  ownerPause: route('POST', '/owner/pause', {
    summary: 'Refuse new swaps; claims and refunds go on',
    body: pauseBody,
    reply: ownerStatus,
    spends: false,
    refusals: [400, 401],
  }),
  ownerResume: route('POST', '/owner/resume', {
    summary: 'Accept new swaps',
    body: nothing,
    reply: ownerStatus,
    refusals: [401, 403],
  }),
  ownerSettings: route('GET', '/owner/settings', {
    summary: 'The configuration in force',
    reply: settings,
    refusals: [401],
  }),
  changeSettings: route('PATCH', '/owner/settings', {
    summary: 'Change the configuration',
    body: patch,
    reply: settings,
    refusals: [400, 401],
  }),
  previewTerms: route('POST', '/owner/terms/preview', {
    summary: 'What proposed terms would quote, beside what is quoted now; nothing is changed',
    body: termsPreviewBody,
    reply: termsPreview,
    spends: false,
    refusals: [400, 401],
  }),
  ownerDisplay: route('GET', '/owner/display', {
    summary: 'What the owner set for reading amounts and transactions: a price in fiat, explorers',
    reply: display,
    refusals: [401],
  }),
  ownerDoctor: route('GET', '/owner/doctor', { summary: 'Check every connection', reply: doctor, refusals: [401] }),
  trySettings: route('POST', '/owner/doctor', {
    summary: 'Check the networks that a change of the configuration names, as it would have them; nothing is changed',
    body: patch,
    reply: doctor,
    refusals: [400, 401],
  }),
  ownerChecklist: route('GET', '/owner/checklist', {
    summary: 'The way to a node that serves strangers: each step as it was seen just now',
    reply: checklist,
    refusals: [401],
  }),
  rehearse: route('POST', '/owner/checklist/rehearse', {
    summary: 'Swap a small amount with this node itself, and pay for it where a wallet here can',
    body: rehearsalBody,
    reply: rehearsal,
    refusals: [400, 401, 403, 404, 503],
  }),
  deployment: route('GET', '/owner/contracts/{network}', {
    summary: 'What an EVM chain lacks of the contracts that swaps are made with, and what putting them there costs',
    params: walletParams,
    reply: deployment,
    refusals: [400, 401, 503],
  }),
  deployContracts: route('POST', '/owner/contracts/{network}', {
    summary: 'Put the contracts on an EVM chain where they lack, and have the settings name them once they stand',
    params: walletParams,
    body: deploymentBody,
    reply: withdrawal,
    refusals: [400, 401, 403, 503],
  }),
  testAlerts: route('POST', '/owner/alerts/test', {
    summary: 'Tell each way of the alerts that is set that this is a test',
    body: nothing,
    reply: alertTest,
    spends: false,
    refusals: [401],
  }),
  metrics: route('GET', '/metrics', {
    summary: 'What is known of the node now, for Prometheus',
    access: 'owner',
    reply: z.string().meta({ description: 'Text format 0.0.4; no address, key, invoice or host is in it' }),
    text: 'text/plain',
    refusals: [401],
  }),
  ownerLogs: route('GET', '/owner/logs', {
    summary: 'The last lines of the log, newest first',
    query: logsQuery,
    reply: logs,
    refusals: [400, 401],
  }),
  ownerBalances: route('GET', '/owner/balances', {
    summary: 'Balances by network and asset',
    reply: balances,
    refusals: [401],
  }),
  walletAddress: route('POST', '/owner/wallets/{network}/address', {
    summary: 'Where to deposit',
    params: walletParams,
    body: walletAddressBody,
    reply: walletAddress,
    spends: false,
    refusals: [400, 401, 503],
  }),
  withdraw: route('POST', '/owner/wallets/{network}/withdraw', {
    summary: "Send from the node's wallet",
    params: walletParams,
    body: withdrawBody,
    reply: withdrawal,
    refusals: [400, 401, 403, 503],
  }),
  withdrawalFees: route('POST', '/owner/wallets/{network}/fees', {
    summary:
      'What a withdrawal would cost now, on Bitcoin by how soon it is to be mined, or of the coin of an EVM chain; ' +
      'nothing is sent',
    params: walletParams,
    body: withdrawalFeesBody,
    reply: withdrawalFees,
    spends: false,
    refusals: [400, 401, 403, 503],
  }),
  walletExit: route('POST', '/owner/wallets/{network}/exit', {
    summary: 'Bring the coins of the Arkade wallet to the Bitcoin chain, without the operator',
    params: walletParams,
    reply: walletExit,
    refusals: [400, 401, 403, 503],
  }),
  ownerLedger: route('GET', '/owner/ledger', {
    summary: 'Income and costs, as JSON or CSV',
    query: ledgerQuery,
    reply: ledger,
    also: { 'text/csv': ledgerCsv },
    refusals: [400, 401],
  }),
  ownerEarnings: route('GET', '/owner/earnings', {
    summary: 'Volume, income and costs by day and direction',
    query: earningsQuery,
    reply: earnings,
    refusals: [400, 401],
  }),
  ownerLiquidity: route('GET', '/owner/liquidity', {
    summary: 'When each network runs dry at the rate of the last day',
    reply: liquidity,
    refusals: [401],
  }),
  ownerAccounts: route('GET', '/owner/accounts', {
    summary: 'Accounts of the books',
    reply: accounts,
    refusals: [401],
  }),
  writeOff: route('POST', '/owner/accounts/write-off', {
    summary: 'Write off a difference',
    body: writeOffBody,
    reply: writtenOff,
    refusals: [400, 401, 403, 404, 503],
  }),
  developerKeys: route('GET', '/owner/developer-keys', {
    summary: 'List developer keys',
    reply: developerKeys,
    refusals: [401],
  }),
  newDeveloperKey: route('POST', '/owner/developer-keys', {
    summary: 'Make a developer key',
    body: developerKeyBody,
    reply: newDeveloperKey,
    refusals: [400, 401],
  }),
  deleteDeveloperKey: route('DELETE', '/owner/developer-keys/{id}', {
    summary: 'Revoke a developer key',
    params: z.object({ id: words('Id of the key') }),
    reply: empty,
    spends: false,
    refusals: [401, 404],
  }),
  ...takerRoutes,
};
