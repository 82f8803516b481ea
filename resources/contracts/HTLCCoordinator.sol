// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {CallExecutor} from "./CallExecutor.sol";
import {HTLCErc20} from "./HTLCErc20.sol";
import {ISignatureTransfer} from "./ISignatureTransfer.sol";

/// @title Coordinator of HTLCErc20, version 3
/// @notice Swaps a client's tokens on the way into a lock and out of it, by signatures alone, so that the client needs
/// no gas. It is the refund address of every lock that it makes and remembers whose money that is.
contract HTLCCoordinator is CallExecutor, EIP712 {
    using SafeERC20 for IERC20;

    /// The version of this contract's domain: not that of the HTLC.
    uint8 public constant VERSION = 3;

    bytes32 public constant TYPEHASH_COLLAB_REFUND = keccak256(
        "CollabRefund(bytes32 preimageHash,uint256 amount,address token,address claimAddress,uint256 timelock,"
        "address caller,address sweepToken,uint256 minAmountOut,bytes32 callsHash)"
    );

    bytes32 public constant TYPEHASH_EXECUTE_AND_CREATE = keccak256(
        "ExecuteAndCreate(bytes32 preimageHash,address token,address claimAddress,address refundAddress,"
        "uint256 timelock,bytes32 callsHash)"
    );

    /// What Permit2 hashes behind its own fields: the witness and every type that the whole names, in their order.
    string public constant TYPESTRING_EXECUTE_AND_CREATE = "ExecuteAndCreate witness)"
        "ExecuteAndCreate(bytes32 preimageHash,address token,address claimAddress,address refundAddress,"
        "uint256 timelock,bytes32 callsHash)TokenPermissions(address token,uint256 amount)";

    HTLCErc20 public immutable HTLC;
    ISignatureTransfer public immutable PERMIT2;

    /// Whose money the lock of a key is. It goes when the lock is refunded and stays when it is claimed.
    mapping(bytes32 key => address depositor) public deposits;

    constructor(address htlc, address permit2) EIP712("HTLCCoordinator", "3") {
        HTLC = HTLCErc20(htlc);
        PERMIT2 = ISignatureTransfer(permit2);
    }

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    /// @notice Takes a client's tokens by its Permit2 signature, runs the calls, and locks all of `token` that is here
    /// then. Anybody may submit it: hash, lock token, claim address, timelock and calls stand in the signature.
    /// @dev The amount locked is what the calls brought and no less than they promise themselves; who acts on the lock
    /// reads it from the event. Tokens that somebody sent here before are locked with it.
    function executeAndCreateWithPermit2(
        Call[] calldata calls,
        bytes32 preimageHash,
        address token,
        address claimAddress,
        uint256 timelock,
        address depositor,
        ISignatureTransfer.PermitTransferFrom calldata permit,
        bytes calldata signature
    ) external nonReentrant {
        bytes32 witness = keccak256(
            abi.encode(
                TYPEHASH_EXECUTE_AND_CREATE,
                preimageHash,
                token,
                claimAddress,
                address(this),
                timelock,
                _hashOf(calls)
            )
        );
        PERMIT2.permitWitnessTransferFrom(
            permit,
            ISignatureTransfer.SignatureTransferDetails(address(this), permit.permitted.amount),
            depositor,
            witness,
            TYPESTRING_EXECUTE_AND_CREATE,
            signature
        );
        _execute(calls, address(HTLC), address(PERMIT2));
        _lockAll(preimageHash, token, claimAddress, timelock, depositor);
        // What the calls did not use is the client's.
        if (permit.permitted.token != token) _sweep(permit.permitted.token, 0, depositor);
    }

    /// @notice Claims a lock by its claimer's signature, runs the calls, and pays all of `sweepToken` to the
    /// destination. Anybody may submit it: all but the sender stands in the signature.
    /// @dev Coins sent along are for the calls' own fees (a bridge's); what the calls leave of them goes back, and no
    /// coin that the calls brought: else whoever submits this first would send one and take them.
    function redeemAndExecute(
        bytes32 preimage,
        uint256 amount,
        address token,
        address htlcSender,
        uint256 timelock,
        Call[] calldata calls,
        address sweepToken,
        uint256 minAmountOut,
        address destination,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external payable nonReentrant {
        uint256 before = address(this).balance - msg.value;
        HTLC.redeemBySig(
            preimage,
            amount,
            token,
            htlcSender,
            timelock,
            destination,
            sweepToken,
            minAmountOut,
            _hashOf(calls),
            v,
            r,
            s
        );
        _execute(calls, address(HTLC), address(PERMIT2));
        _sweepAll(token, sweepToken, minAmountOut, destination);
        uint256 unspent = Math.min(Math.saturatingSub(address(this).balance, before), msg.value);
        if (unspent > 0) _pay(msg.sender, unspent);
    }

    /// @notice Gives an expired lock back to its depositor, who is the sender, through calls of his choice.
    function refundAndExecute(
        bytes32 preimageHash,
        uint256 amount,
        address token,
        address claimAddress,
        uint256 timelock,
        Call[] calldata calls,
        address sweepToken,
        uint256 minAmountOut
    ) external nonReentrant {
        address depositor = _takeDeposit(preimageHash, amount, token, claimAddress, timelock);
        if (msg.sender != depositor) revert Unauthorized();
        HTLC.refund(preimageHash, amount, token, claimAddress, timelock);
        _execute(calls, address(HTLC), address(PERMIT2));
        _sweepAll(token, sweepToken, minAmountOut, depositor);
    }

    /// @notice Gives an expired lock back to its depositor, as it was locked. Anybody may submit it.
    function refundTo(bytes32 preimageHash, uint256 amount, address token, address claimAddress, uint256 timelock)
        external
        nonReentrant
    {
        address depositor = _takeDeposit(preimageHash, amount, token, claimAddress, timelock);
        HTLC.refund(preimageHash, amount, token, claimAddress, timelock, depositor);
    }

    /// @notice Gives a lock back to its depositor before its timelock, with both signatures: the claimer's to the
    /// HTLC, the depositor's to this coordinator.
    /// @dev The depositor's signature names the sender, so that nobody else chooses the moment. The claimer's names
    /// depositor, token and floor, but no calls: those are the depositor's business.
    function collabRefundAndExecute(
        bytes32 preimageHash,
        uint256 amount,
        address token,
        address claimAddress,
        uint256 timelock,
        Call[] calldata calls,
        address sweepToken,
        uint256 minAmountOut,
        uint8 depositorV,
        bytes32 depositorR,
        bytes32 depositorS,
        uint8 claimV,
        bytes32 claimR,
        bytes32 claimS
    ) external nonReentrant {
        address depositor = _takeDeposit(preimageHash, amount, token, claimAddress, timelock);
        bytes32 structHash = keccak256(
            abi.encode(
                TYPEHASH_COLLAB_REFUND,
                preimageHash,
                amount,
                token,
                claimAddress,
                timelock,
                msg.sender,
                sweepToken,
                minAmountOut,
                _hashOf(calls)
            )
        );
        if (ECDSA.recover(_hashTypedDataV4(structHash), depositorV, depositorR, depositorS) != depositor) {
            revert Unauthorized();
        }
        HTLC.refundBySig(
            preimageHash,
            amount,
            token,
            address(this),
            timelock,
            depositor,
            sweepToken,
            minAmountOut,
            claimV,
            claimR,
            claimS
        );
        _execute(calls, address(HTLC), address(PERMIT2));
        _sweepAll(token, sweepToken, minAmountOut, depositor);
    }

    function _lockAll(bytes32 preimageHash, address token, address claimAddress, uint256 timelock, address depositor)
        private
    {
        uint256 amount = IERC20(token).balanceOf(address(this));
        deposits[HTLC.computeKey(preimageHash, amount, token, address(this), claimAddress, timelock)] = depositor;
        IERC20(token).forceApprove(address(HTLC), amount);
        HTLC.create(preimageHash, amount, token, claimAddress, timelock);
    }

    /// Whose lock it is, once: a lock that this coordinator did not make for somebody is nobody's to be given back.
    function _takeDeposit(bytes32 preimageHash, uint256 amount, address token, address claimAddress, uint256 timelock)
        private
        returns (address depositor)
    {
        bytes32 key = HTLC.computeKey(preimageHash, amount, token, address(this), claimAddress, timelock);
        depositor = deposits[key];
        if (depositor == address(0)) revert UnknownHtlc();
        delete deposits[key];
    }

    /// The token that is wanted, above its floor, and what the calls left of the token that was locked.
    function _sweepAll(address token, address sweepToken, uint256 minAmountOut, address destination) private {
        _sweep(sweepToken, minAmountOut, destination);
        if (sweepToken != token) _sweep(token, 0, destination);
    }
}
