// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// What became of a swap key. A key goes forward only and is never used twice: signatures name no nonce, so a second
/// lock under a spent key could be taken with the signature of the first.
enum SwapState {
    None,
    Active,
    Redeemed,
    Refunded
}
