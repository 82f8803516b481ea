/** What the examples of requests and replies are made of. */
export const id = '70f50371-aef0-4388-a6f6-4ff82abf0b0c';
export const key = '033a42c939a96e86a213a229684d493ef3fbfba4823a7a6a76a8550a58ebca9749';
export const serviceKey = '03e3539c3a9b2773c3f8353ca5c7c632d7f8b7a8c00dbcaf5e941104a877bea7b7';
const operatorKey = '27a33ba3e7d834dd2729eb40ee93ac770662a36d89101048ffb0ac3d4268fcaa';
export const digits = '8502c476226c3ff15dcb18e3aab93b6e895d0cfb669c36ba21e917eb19f9f650';
export const hash = `0x${digits}`;
export const txid = '49ccfd5a1ab54b6b70f918076f609d6e3144a103945d1a75796acfcd16ff04eb';
export const evmTxid = `0x${txid}`;
export const wbtc = '0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6';
const usdc = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359';
export const account = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const service = '0xb97fd42d3B09f05ACf07DeC02D4E14Be02a82aB2';
export const contract = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
export const arkade =
  'tark1qrunpzspjfvvxyzfx38ct7ya2g5m2vwggkpklxdsscqlzyauuqm0jqyh32xgapqkdeld42ryn4tpv6wx2z6w9yqwwzu600wxlwrrpezh7saegv';
export const invoice = `lnbcrt2500u1p${'q'.repeat(120)}`;
const psbt = 'cHNidP8BAAoAAAAAAAAAAAAAAA==';
export const refund = { ark_tx: psbt, checkpoint_txs: [psbt] };
export const delegated = { intent_proof: psbt, forfeit_psbts: [psbt] };
export const signature = { v: 27, r: `0x${'11'.repeat(32)}`, s: `0x${'22'.repeat(32)}` };
export const userId = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
export const exchange = {
  from: { kind: 'evm', chain_id: 137, address: wbtc },
  to: { kind: 'evm', chain_id: 137, address: usdc },
  amount: { kind: 'exact_in', value: '50000' },
  slippage_bps: 50,
};

export const btc = (chain: string) => ({ chain, decimals: 8, name: 'Bitcoin', symbol: 'BTC', token_id: 'btc' });
export const pegged = { chain: '137', decimals: 8, name: 'Wrapped BTC', symbol: 'WBTC', token_id: wbtc };
export const began = { id, created_at: '2026-11-22T01:43:00.000Z', network: 'bitcoin', status: 'pending' };
export const vhtlc = {
  arkade_htlc_script_version: 1,
  arkade_server_pk: operatorKey,
  unilateral_claim_delay: 86_528,
  unilateral_refund_delay: 172_544,
  unilateral_refund_without_receiver_delay: 259_072,
  vhtlc_refund_locktime: 1_795_398_180,
};
export const evm = {
  chain: 'polygon',
  evm_chain_id: 137,
  evm_coordinator_address: contract,
  evm_htlc_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  evm_htlc_kind: 'erc20',
  evm_htlc_version: 4,
  evm_refund_locktime: 1_795_354_980,
  server_evm_address: service,
  client_evm_address: account,
  wbtc_address: wbtc,
};
export const fromEvm = { ...evm, evm_refund_locktime: 1_795_398_180, evm_funding_confirmations: 16, gasless: true };
