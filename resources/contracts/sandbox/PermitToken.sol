// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {PlainToken} from "./PlainToken.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";

/// @title A token of the sandbox with EIP-2612
/// @notice The version of its domain is a parameter, since that of USDC is "2": who takes "1" for granted fails here too.
contract PermitToken is PlainToken, EIP712, Nonces, IERC20Permit {
    bytes32 private constant TYPEHASH_PERMIT =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    error ExpiredSignature(uint256 deadline);
    error InvalidSigner(address signer, address owner);

    constructor(
        string memory name_,
        string memory version_,
        string memory symbol_,
        uint8 decimals_,
        address holder,
        uint256 supply
    ) PlainToken(name_, symbol_, decimals_, holder, supply) EIP712(name_, version_) {}

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        if (block.timestamp > deadline) revert ExpiredSignature(deadline);
        bytes32 digest = _hashTypedDataV4(
            keccak256(abi.encode(TYPEHASH_PERMIT, owner, spender, value, _useNonce(owner), deadline))
        );
        address signer = ECDSA.recover(digest, v, r, s);
        if (signer != owner) revert InvalidSigner(signer, owner);
        _approve(owner, spender, value);
    }

    function nonces(address owner) public view override(Nonces, IERC20Permit) returns (uint256) {
        return super.nonces(owner);
    }

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }
}
