/** What one of the chains does not do, in words for whoever asked. */
export class EvmRefused extends Error {}
