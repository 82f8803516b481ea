/**
 * Published clients of the Boltz interface replace these digits by 9004 in the address of the WebSocket, so that a port
 * that has them in it is never heard (facts/boltz.md).
 */
export const misreadPort = '9069';
