import { initEccLib } from 'bitcoinjs-lib/src/ecc_lib';
import { isXOnlyPoint, xOnlyPointAddTweak } from 'tiny-secp256k1';

// bitcoinjs-lib brings no curve of its own: it is handed the engine's, once, and tries it on known points before it
// takes it.
initEccLib({ isXOnlyPoint, xOnlyPointAddTweak });
