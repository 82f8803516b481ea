import { keccak_256 } from "@noble/hashes/sha3.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, encodeAbiParameters, hexToBytes, keccak256 } from "viem/utils";
import { z } from "zod";
import { bech32m, utf8 } from "@scure/base";
import { BIP32Factory } from "bip32";
import * as library from "tiny-secp256k1";
import { isXOnlyPoint, xOnlyPointAddTweak } from "tiny-secp256k1";
import { CompactSize, Script, SigHash, TAPROOT_UNSPENDABLE_KEY } from "@scure/btc-signer";
import { TAP_LEAF_VERSION } from "@scure/btc-signer/payment.js";
import { OPS, compile, number } from "bitcoinjs-lib/src/script";
import { fromOutputScript } from "bitcoinjs-lib/src/address";
import { bitcoin, regtest, testnet } from "bitcoinjs-lib/src/networks";
import { initEccLib } from "bitcoinjs-lib/src/ecc_lib";
import { LEAF_VERSION_TAPSCRIPT, findScriptPath, tapleafHash, toHashTree, tweakKey } from "bitcoinjs-lib/src/payments/bip341";
// ../..engine/domain/outpoint.ts
/** The text `txid:vout`, the key of an outpoint in maps, tables and queries. */
function outpointKey(point) {
	return `${point.txid}:${point.vout}`;
}
function sameOutpoint(a, b) {
	return a.txid === b.txid && a.vout === b.vout;
}
// ../..engine/swap/source.ts
const stoppedStatuses = {
	expired: "expired",
	invalid: "clientinvalidfunded",
	late: "clientfundedtoolate",
	wont: "serverwontfund"
};
/** By which leaf a coin is taken; null while nobody has shown that. */
function leafOf({ spend }) {
	return spend === "hidden" || spend === "unknown" ? null : spend;
}
/** Coins that are kept in mind: anybody can send more, and each would stand in every commit of the swap (facts/faults.md 97). */
const mostStrays$2 = 50;
/**
* The coins at the script but `used`, in a stable order: of too many the largest, and what is spent behind what is not. One that was `known` stays
* listed when the operator does not show it: forgotten in a moment of lag, nobody would ever sign its refund.
*/
function straysBeside$2(coins, used, earlier) {
	const all = new Map(earlier.map(({ outpoint, amount, spent }) => [outpointKey(outpoint), {
		outpoint,
		amount,
		spent
	}]));
	for (const coin of coins) {
		const key = outpointKey(coin.outpoint);
		const { outpoint, amount } = coin;
		all.set(key, {
			outpoint,
			amount,
			spent: isGoneNow(coin) || coin.spent && all.get(key)?.spent === true
		});
	}
	if (used !== null) all.delete(outpointKey(used));
	const byKey = [...all].sort(([a], [b]) => a < b ? -1 : 1);
	if (byKey.length <= mostStrays$2) return byKey.map(([, stray]) => stray);
	const largest = new Set(byKey.map(([, stray]) => stray).sort((a, b) => Number(a.spent) - Number(b.spent) || Number(b.amount - a.amount)).slice(0, mostStrays$2));
	return byKey.flatMap(([, stray]) => largest.has(stray) ? [stray] : []);
}
/**
* Whether somebody has the coin: by a leaf that is shown and final, or by a batch. What the operator merely calls spent, or accepted and never
* made final, nobody has; what was gone once stays so.
*/
function isGone(coin, earlier) {
	if (isGoneNow(coin)) return true;
	return coin.spent && earlier.some(({ spent, outpoint }) => spent && sameOutpoint(outpoint, coin.outpoint));
}
function isGoneNow(coin) {
	if (!coin.spent) return false;
	return coin.settledBy !== null || coin.spend === "hidden" || leafOf(coin) !== null && coin.pending !== true;
}
function sameStrays$1(a, b) {
	return a.length === b.length && a.every((stray, i) => {
		const other = b[i];
		return other !== void 0 && sameOutpoint(stray.outpoint, other.outpoint) && stray.spent === other.spent && stray.denied === other.denied;
	});
}
function hasUnspent(strays) {
	return strays.some((stray) => !stray.spent);
}
/** An address may be paid late: it is watched until nothing is owed and the client can help itself. */
function addressOpen(p) {
	switch (p.at) {
		case "claimed":
		case "lost":
		case "refunded": return hasUnspent(p.strays) && p.unwatched !== true;
		case "stopped":
		case "returned": return p.unwatched !== true;
		case "lapsed": return false;
		default: return true;
	}
}
// ../..engine/swap/both-locked.ts
/** What clients are told of such a swap; what became of one that was given back is told by `givenBackStatus`. */
const bothLockedStatuses = {
	pending: "pending",
	seen: "clientfundingseen",
	funded: "clientfunded",
	locked: "serverfunded",
	refunding: "serverfunded",
	claimed: "serverredeemed",
	lost: "clientredeemedandclientrefunded",
	returned: "clientfundedserverrefunded",
	lapsed: "expired"
};
function givenBackStatus(p) {
	if (p.at === "stopped") return stoppedStatuses[p.why];
	return p.returned === void 0 ? "clientrefunded" : "clientrefundedserverrefunded";
}
// ../..engine/domain/time.ts
function unix$1(value) {
	if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a unix time in whole seconds: ${value}`);
	return value;
}
function seconds$1(value) {
	if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a span in whole seconds: ${value}`);
	return value;
}
function after(moment, span) {
	return unix$1(moment + span);
}
/**
* Whether a span of the wall is over that is only waited for. A wall that was set back must not make days of it: one that stands as far before its
* beginning counts as past its end (facts/faults.md 109).
*/
function hasPassed(span, since, wall) {
	return Math.abs(wall - since) >= span;
}
const minute = seconds$1(60);
const hour = seconds$1(3600);
const day = seconds$1(86400);
function isRead(clocks) {
	return clocks.bitcoin.mtp !== null && clocks.bitcoin.height !== null;
}
/** How far the chain has come at least. */
function furthest({ mtp, height, ahead }) {
	return ahead ?? {
		mtp,
		height
	};
}
/** The one of wall and Bitcoin that is ahead. A leg that the client funds counts from it, so that neither clock can make it too short. */
function laterOf({ wall, bitcoin }) {
	return unix$1(Math.max(wall, furthest(bitcoin).mtp ?? 0));
}
// ../..engine/domain/errors.ts
function refuse(refusal, sentence, retryAfter) {
	return {
		refusal,
		sentence,
		...retryAfter === void 0 ? {} : { retryAfter }
	};
}
function isRefusal(value) {
	return typeof value === "object" && value !== null && "refusal" in value && "sentence" in value;
}
/** A failure outside the engine. Unknown is not failed: only `never` may end anything. */
var PortFailure = class PortFailure extends Error {
	name = "PortFailure";
	/** For the log; who asks for one code asks by the words of its network, made by `failedWith`. */
	code;
	retry;
	constructor(code, retry, message, cause) {
		super(message, cause === void 0 ? void 0 : { cause });
		this.code = code;
		this.retry = retry;
	}
	/** How a network makes its failures: of its own codes and no other. */
	static of() {
		return (code, retry, message, cause) => new PortFailure(code, retry, message, cause);
	}
	/** The same failure to somebody who asked for more than this one call. */
	retold(retry, message = this.message) {
		return new PortFailure(this.code, retry, message, this);
	}
};
PortFailure.of();
// ../..engine/legs/timelocks.ts
/** The latest that it can be by the chain's clock: what is left until a locktime is surely left from here on. */
function latestByChain({ mtp, ahead }, policy) {
	return after(unix$1(Math.max(mtp, ahead?.mtp ?? 0)), policy.mtpLag);
}
/** True once a time locktime lets a transaction into a block: BIP-113 wants median time past above it, not at it. */
function locktimePassed(locktime, { mtp }) {
	return mtp !== null && mtp >= refundOpens(locktime);
}
/** The first moment of the chain's clock at which a locktime is past (BIP-113). Later than that, a refund waits for nothing. */
function refundOpens(locktime) {
	return after(locktime, seconds$1(1));
}
/** Seconds that a claim must have before the other party's refund opens, from the moment its preimage leaves. */
function revealMargin(policy) {
	return Math.floor(Math.min(policy.margin, policy.leastClaimTime) / 2);
}
/**
* The last moment of the chain's clock, unix seconds, at which a preimage may leave for a claim of what the other party
* takes back at `refundLocktime`, the clock trailing as far as it may. Later, the claim may lose the race and both legs are the other party's.
*/
function revealUntil(refundLocktime, policy) {
	return unix$1(Math.max(0, refundLocktime - revealMargin(policy) - policy.mtpLag));
}
/**
* The last moment of the chain's clock, unix seconds, by which a Lightning payment against a leg that its client takes back at
* `refundLocktime` must be over, margin included. A payment that settles later is settled for nothing.
*/
function payoutOver(refundLocktime, policy) {
	return unix$1(Math.max(0, refundLocktime - policy.margin - policy.mtpLag));
}
/** Blocks that may come within a span when blocks come fast, rounded up. */
function blocksWithinUp(span, policy) {
	return Math.ceil(span / policy.fastBlock);
}
/** Blocks that surely come within a span even when blocks come slowly, rounded down; never negative. */
function blocksWithinDown(span, policy) {
	return Math.max(0, Math.floor(span / policy.slowBlock));
}
/**
* The highest timeout that a payment started now may have and still be over, margin included, before the client's
* refund opens, with every block coming slowly and no more time left than surely is by the chain's clock. Computed
* again at every start and never above the height pinned at creation: blocks may have come faster or slower.
*/
function payHeight(ask) {
	const { clocks, evm = clocks.bitcoin, refundLocktime, policy } = ask;
	const left = payoutOver(refundLocktime, policy) - Math.max(evm.mtp, evm.ahead?.mtp ?? 0);
	return clocks.bitcoin.height + blocksWithinDown(left, policy);
}
/**
* Blocks for which a payment must still be held now so that the VHTLC's refund is over before lnd lets it go: median
* time past has all the way to the locktime before it, may trail further by then, and blocks may come fast meanwhile.
*/
function holdBlocks(ask) {
	const { clocks, vhtlcRefundLocktime, policy } = ask;
	return blocksWithinUp(Math.max(0, vhtlcRefundLocktime - clocks.bitcoin.mtp) + policy.mtpLag + policy.margin, policy) + stopBlocks(policy);
}
/** Blocks before a held payment's timeout at which the service must be done with it. */
function stopBlocks(policy) {
	return policy.lndCancelBlocks + policy.reactionBlocks;
}
/** The height from which a held payment can no longer be counted on; a swap still open there needs a person. */
function stopLine(expiryHeight, policy) {
	return expiryHeight - stopBlocks(policy);
}
seconds$1(512);
/** An invoice must live this long past the moment at which its payment starts. */
const invoiceSpare = minute;
/** The last moment of the wall clock at which the payment of an invoice may start: later it may be refused for its age. */
function invoicePayableUntil(expiresAt) {
	return unix$1(expiresAt - invoiceSpare);
}
// ../..engine/swap/machine.ts
function move(progress, ...effects) {
	return {
		progress,
		effects
	};
}
// ../..engine/swap/vhtlc-source/terms.ts
/** The part of a state that stays the swap's from funding to claim. */
function fundedOf$1(p) {
	return {
		coin: p.coin,
		surplus: p.surplus,
		strays: p.strays
	};
}
/** The client's coin as one that is its own again, beside the others at the address. */
function ownCoins$1(t, p) {
	return [{
		outpoint: p.coin,
		amount: t.sourceAmount + p.surplus,
		spent: false
	}, ...p.strays];
}
/** Later coins at the address of a swap that has its coin: noted, whatever else the event means. */
function withStrays$1(p, event) {
	if (event.is !== "vhtlc.seen") return p;
	const strays = straysBeside$2(event.coins, p.coin, p.strays);
	return sameStrays$1(strays, p.strays) ? p : {
		...p,
		strays
	};
}
function stopped$3(why, reason, fenced, strays) {
	return {
		at: "stopped",
		why,
		reason,
		fenced,
		strays
	};
}
// ../..engine/swap/vhtlc-source/over.ts
/** Nothing is given for the coins at the address: they are watched, and their refund is signed. */
function whenStopped$6(t, p, event, now) {
	switch (event.is) {
		case "refund.cosign.requested": return move(p.fenced ? askedFor(p, now) : {
			...askedFor(p, now),
			fenced: true
		});
		case "vhtlc.seen": return stoppedCoins$1(p, event.coins);
		case "clock":
			if (p.strays.length > 0) return leftAlone$2(t, p, now);
			return locktimePassed(t.vhtlc.refundLocktime, now.bitcoin) ? move({
				at: "lapsed",
				fenced: p.fenced
			}) : "stay";
		default: return "stay";
	}
}
function stoppedCoins$1(p, coins) {
	if (coins.length === 0) return "stay";
	const strays = straysBeside$2(coins, null, p.strays);
	if (!hasUnspent(strays)) return move({
		at: "refunded",
		refundTxid: coins[0]?.spentIn ?? coins[0]?.settledBy ?? null,
		strays
	});
	if (sameStrays$1(strays, p.strays)) return "stay";
	return p.why === "expired" ? move(stopped$3("late", "the coin came after the funding window", p.fenced, strays)) : move({
		...p,
		strays
	});
}
/** Long over: a coin that comes all the same is seen, and its refund signed. */
function whenLapsed(p, event) {
	if (event.is === "refund.cosign.requested") return move(p.fenced ? p : {
		at: "lapsed",
		fenced: true
	});
	return event.is === "vhtlc.seen" && event.coins.length > 0 ? move(stopped$3("late", "the coin came after the funding window", p.fenced, straysBeside$2(event.coins, null, []))) : "stay";
}
/** The client has its coins back; further ones at the same address are listed. */
function whenRefunded$3(t, p, event, now) {
	if (event.is === "clock") return leftAlone$2(t, p, now);
	if (event.is !== "vhtlc.seen") return event.is === "refund.cosign.requested" ? move(askedFor(p, now)) : "stay";
	const strays = straysBeside$2(event.coins, null, p.strays);
	return sameStrays$1(strays, p.strays) ? "stay" : move({
		...p,
		strays
	});
}
/** Done with its coin; further ones at the same address are listed, and we sign their refund. */
function whenOver$5(t, p, event, now) {
	if (event.is === "clock") return leftAlone$2(t, p, now);
	if (event.is === "refund.cosign.requested") return event.coins.some((coin) => sameOutpoint(coin, p.coin)) || event.coins.length === 0 ? "stay" : move(askedFor(p, now));
	const next = withStrays$1(p, event);
	return next === p ? "stay" : move(next);
}
/**
* A coin that its owner never takes would be watched for ever, and dust costs a stranger next to nothing: a day after
* the client can help itself the watch ends. Our signature on its refund is still to be had.
*/
function leftAlone$2(t, p, now) {
	return hasUnspent(p.strays) && p.unwatched !== true && locktimePassed(leftAloneAt$2(t, p), now.bitcoin) ? move({
		...p,
		unwatched: true
	}) : "stay";
}
/** When the watch over coins that nobody takes ends. */
function leftAloneAt$2(t, { askedUntil = 0 }) {
	const alone = after(t.vhtlc.refundLocktime, day);
	return alone > askedUntil ? alone : askedUntil;
}
/** When time alone moves a state of whose coins only strays are left; null when none can. */
function leftDeadline$2(t, p) {
	if (p.unwatched === true) return null;
	if (p.at === "stopped" && p.strays.length === 0) return t.vhtlc.refundLocktime;
	return p.at === "stopped" || hasUnspent(p.strays) ? leftAloneAt$2(t, p) : null;
}
/** How long a client may take over a refund that it asked for. */
const refundPatience$1 = hour;
/**
* Whoever asks for a refund is about to take its coins, however late: they are watched until that is seen. Who asks again
* and again changes nothing.
*/
function askedFor(p, clocks) {
	const { unwatched, ...watched } = p;
	const now = laterOf(clocks);
	if (unwatched === void 0 && (p.askedUntil ?? 0) > now + refundPatience$1 / 2) return p;
	return {
		...watched,
		askedUntil: after(now, refundPatience$1)
	};
}
// ../..engine/domain/evm.ts
function asEvmAddress(bytes) {
	if (bytes.length !== 20) throw new RangeError(`an EVM address is 20 bytes, not ${bytes.length}`);
	return bytes;
}
/** The chains that the published interface knows, by their number (EIP-155), as records name them. */
const evmChainNames = {
	1: "Ethereum",
	137: "Polygon",
	42161: "Arbitrum",
	30: "Rootstock",
	31: "Rootstock"
};
// ../..engine/domain/hex.ts
const pairs = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));
/** Bytes that are written at a time: joining millions of pairs one by one takes a second, and a block's worth of text must not. */
const atOnce = 4096;
/** The codes of the two digits of each byte, the first in the low half. */
const codes = Uint16Array.from({ length: 512 }, (_, i) => (pairs[i >> 1] ?? "").charCodeAt(i & 1));
/** A list of numbers is what the language asks for, and what a typed array is in this place. */
function fromCodes(digits) {
	return Reflect.apply(String.fromCharCode, null, digits);
}
function toHex(bytes) {
	let text = "";
	if (bytes.length <= 64) {
		for (const byte of bytes) text += pairs[byte];
		return text;
	}
	const digits = new Uint16Array(2 * Math.min(atOnce, bytes.length));
	for (let from = 0; from < bytes.length; from += atOnce) {
		const length = Math.min(atOnce, bytes.length - from);
		for (let i = 0; i < length; i++) {
			const at = 2 * (bytes[from + i] ?? 0);
			digits[2 * i] = codes[at] ?? 0;
			digits[2 * i + 1] = codes[at + 1] ?? 0;
		}
		text += fromCodes(digits.subarray(0, 2 * length));
	}
	return text;
}
/** What each character is worth as a digit; 255 for what is none. */
const worth = Uint8Array.from({ length: 128 }, (_, i) => {
	const digit = Number.parseInt(String.fromCharCode(i), 16);
	return Number.isNaN(digit) ? 255 : digit;
});
/** Bytes of plain hex text without a prefix; throws on anything else. */
function fromHex(text) {
	const bytes = new Uint8Array(text.length >> 1);
	let wrong = text.length & 1;
	for (let i = 0; i < bytes.length; i++) {
		const high = worth[text.charCodeAt(2 * i)] ?? 255;
		const low = worth[text.charCodeAt(2 * i + 1)] ?? 255;
		wrong |= (high | low) & 240;
		bytes[i] = high << 4 | low;
	}
	if (wrong !== 0) throw new RangeError("not hexadecimal text");
	return bytes;
}
// ../..engine/domain/evm-address.ts
/** Chains whose wallets also write addresses with the chain's number in the checksum (EIP-1191). */
const chainsWithOwnCase = [30, 31];
/**
* An address as people write it: `0x`, 40 hex digits, and, where they are of both cases, the right ones (EIP-55, on chains 30 and 31 EIP-1191 too).
* Null for anything else. Loses money when wrong: what is sent to an address with a wrong letter is gone.
*/
function readEvmAddress(text, chain = "any") {
	return /^0x[0-9a-fA-F]{40}$/.test(text) && hasRightCase(text, chain) ? asEvmAddress(fromHex(text.slice(2))) : null;
}
/** Whether the case of the letters says that none of them is wrong; `any`: in the form of any chain. Letters of one case alone say nothing. */
function hasRightCase(text, chain) {
	const digits = text.slice(2);
	const lower = digits.toLowerCase();
	if (digits === lower || digits === digits.toUpperCase() || digits === spelled(lower, "")) return true;
	return chainsWithOwnCase.filter((one) => chain === "any" || chain === one).some((one) => digits === spelled(lower, `${one}0x`));
}
/** As people read it, with its checksum in the case of its letters (EIP-55). */
function checksummed(address) {
	return `0x${spelled(toHex(address), "")}`;
}
/** What lists and records name a token or account by, in its one form: an address with its checksum, whatever case it is kept in; any other text (`btc`, an account elsewhere) as it is. */
function withChecksum(text) {
	const address = readEvmAddress(text.toLowerCase());
	return address === null ? text : checksummed(address);
}
/** Whether two name the same: addresses say nothing by the case of their letters, and no name of another network is told from another by it. */
function sameName(one, other) {
	return withChecksum(one) === withChecksum(other);
}
function spelled(lower, before) {
	const hash = toHex(keccak_256(utf8ToBytes(`${before}${lower}`)));
	return lower.replace(/[a-f]/g, (letter, at) => hash.charAt(at) >= "8" ? letter.toUpperCase() : letter);
}
// ../..engine/domain/hash.ts
function exactly$1(bytes, length, what) {
	if (bytes.length !== length) throw new RangeError(`${what} is ${length} bytes, not ${bytes.length}`);
	return bytes;
}
function asPreimage(bytes) {
	return exactly$1(bytes, 32, "a preimage");
}
function asSha256(bytes) {
	return exactly$1(bytes, 32, "a SHA-256");
}
function asHash160(bytes) {
	return exactly$1(bytes, 20, "a HASH160");
}
function asPublicKey(bytes) {
	return exactly$1(bytes, 33, "a compressed public key");
}
function asXOnly(bytes) {
	return exactly$1(bytes, 32, "an x-only public key");
}
/** The x coordinate of a compressed key. */
function xOnlyOf(key) {
	return asXOnly(key.subarray(1));
}
function sameBytes(a, b) {
	if (a.length !== b.length) return false;
	let difference = 0;
	for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
	return difference === 0;
}
// ../..engine/legs/secret.ts
/** The form of the hash on Lightning and the EVM. */
function sha256Of(preimage) {
	return asSha256(sha256(preimage));
}
/** The form of the hash in Bitcoin and Arkade scripts, when only the other form is known (facts/clients.md 18). */
function hash160OfSha256(hash) {
	return asHash160(ripemd160(hash));
}
/** HASH160 of the preimage: RIPEMD-160 of its SHA-256. */
function hash160Of(preimage) {
	return hash160OfSha256(sha256Of(preimage));
}
/**
* The candidate as a preimage when it opens `hash`, of either form; null when it does not.
* Any length but 32 bytes is no preimage even where its hash fits: a longer secret would open a lenient leg and not a
* strict one, and whoever holds the strict one would lose it (facts/faults.md 18).
*/
function preimageMatches(hash, candidate) {
	if (candidate.length !== 32) return null;
	const preimage = asPreimage(candidate);
	return sameBytes(hash.length === 32 ? sha256Of(preimage) : hash160Of(preimage), hash) ? preimage : null;
}
// ../..engine/legs/evm/timelocks.ts
/** How far an EVM chain has come at least; null while it was never read, or is silent for too long. */
function evmTime(clocks, network) {
	const chain = clocks[network];
	return chain === void 0 ? null : furthest(chain).mtp;
}
/** True once our own lock can be taken back: the contract compares its timelock with the time of the block (`>=`). */
function timelockPassed(timelock, clocks, network) {
	const time = evmTime(clocks, network);
	return time !== null && time >= timelock;
}
// ../..engine/legs/safety/verdict.ts
/** Before the first reading nothing can be judged. */
const unread = {
	unsafe: "wait",
	sentence: "The Bitcoin clock has not been read yet."
};
/** A verdict that a later look may change; the sentence is for the journal and the owner. */
function wait(sentence) {
	return {
		unsafe: "wait",
		sentence
	};
}
/** A verdict that stands: the swap is given up, or its claim is. The sentence is for the journal and the owner. */
function never(sentence) {
	return {
		unsafe: "never",
		sentence
	};
}
/** Safe by a reading that is not sure is not safe yet; what the time forbids stays forbidden. */
function unlessDoubted({ bitcoin: { doubt } }) {
	return doubt === void 0 ? null : wait(doubt);
}
// ../..engine/legs/safety/backing.ts
/**
* A coin of the other party at its script: there, whole, and timelocked until `horizon`. Past its expiry a coin goes to
* its sender without any timelock (facts/arkade.md 26).
*/
function coinHolds(coin, least, horizon) {
	if (coin.spent) return never("The coin is already spent.");
	if (coin.recoverable) return never("The coin is past its expiry: its timelocks protect nobody.");
	if (coin.unrolled) return never("The coin has left the operator for the chain.");
	if (coin.amount < least) return never(`The coin holds ${coin.amount} sats; ${least} were agreed.`);
	if (coin.expiresAt < horizon) return never(`The coin expires at ${coin.expiresAt}, before ${horizon}, when it may still be needed.`);
	return null;
}
/**
* A lock of the other party on an EVM chain, in blocks of that chain. One that is not seen, or not deep enough, may still be: nothing but the time
* says that it never will. `doubt`: why the chain cannot be asked. Wrong: a reorganisation takes the lock away after we gave against it.
*/
function deepEnough({ depth, confirmations, doubt }) {
	if (depth === null) return wait("The lock is not seen on its chain now.");
	if (depth >= confirmations) return null;
	return wait(doubt ?? `The lock is buried under ${depth} blocks; ${confirmations} are needed.`);
}
/** What the client must have left, in seconds, to claim a leg of ours before we may take it back by median time past. Wrong: it pays for what it cannot claim. */
function timeToClaim(refundLocktime, clocks, policy) {
	const left = refundLocktime - latestByChain(clocks.bitcoin, policy);
	return left < policy.leastClaimTime ? never(`The client would have ${Math.max(0, left)} seconds to claim; ${policy.leastClaimTime} are needed.`) : null;
}
// ../..engine/legs/safety/lock.ts
/**
* Locking a VHTLC against a held payment. Wrong: the client claims after the payment went back, and the VHTLC is lost.
*/
function safeToLock(lock, clocks, policy) {
	if (lock.held === null) return wait("No held payment is known.");
	if (!isRead(clocks)) return unread;
	if (lock.held.amount < lock.sourceAmount) return never(`${lock.held.amount} sats are held; ${lock.sourceAmount} were asked for.`);
	const time = timeToClaim(lock.vhtlcRefundLocktime, clocks, policy);
	if (time !== null) return time;
	const held = lock.held.expiryHeight - (furthest(clocks.bitcoin).height ?? clocks.bitcoin.height);
	const needed = holdBlocks({
		clocks,
		vhtlcRefundLocktime: lock.vhtlcRefundLocktime,
		policy
	});
	if (held < needed) return never(`The payment is held for ${held} blocks; ${needed} are needed.`);
	return unlessDoubted(clocks);
}
/**
* Locking on an EVM chain against the client's VHTLC. Wrong: the client claims our lock when it can take its coin back,
* and the lock is lost. Each leg is judged by its own chain's clock.
*/
function safeToLockOnEvm(lock, clocks, policy) {
	const chain = clocks[lock.network];
	const time = evmTime(clocks, lock.network);
	if (!isRead(clocks)) return unread;
	if (time === null || chain === void 0 || chain.mtp === null) return wait("The clock of the EVM chain has not been read yet.");
	const coin = coinHolds(lock.coin, lock.sourceAmount, lock.refundLocktime + policy.margin);
	if (coin !== null) return coin;
	const left = lock.timelock - time;
	if (left < policy.leastClaimTime) return never(`The client would have ${Math.max(0, left)} seconds to claim; ${policy.leastClaimTime} are needed.`);
	const locked = lock.timelock - chain.mtp;
	const backed = lock.refundLocktime - latestByChain(clocks.bitcoin, policy);
	if (backed < locked + policy.margin) return wait(`The VHTLC is sure for ${Math.max(0, backed)} seconds; ${locked + policy.margin} are needed.`);
	return chain.doubt === void 0 ? unlessDoubted(clocks) : wait(chain.doubt);
}
/**
* Funding an HTLC on the Bitcoin chain against the client's lock on an EVM chain. Wrong: the client claims our coin at its end and takes
* its lock back too. Each leg is judged by its own chain's clock, and either chain may trail true time, now or later.
*/
function safeToFundForLock(fund, clocks, policy) {
	if (!isRead(clocks)) return unread;
	const evm = clocks[fund.network];
	const { mtp } = evm ?? { mtp: null };
	if (evm === void 0 || mtp === null) return wait("The clock of the chain with the lock has not been read yet.");
	const time = timeToClaim(fund.htlcRefundLocktime, clocks, policy);
	if (time !== null) return time;
	const locked = fund.htlcRefundLocktime - clocks.bitcoin.mtp + policy.mtpLag;
	const backed = fund.timelock - latestByChain({
		...evm,
		mtp
	}, policy);
	if (backed < locked + policy.margin) return wait(`The lock is sure for ${Math.max(0, backed)} seconds; ${locked + policy.margin} are needed.`);
	const deep = deepEnough(fund);
	if (deep !== null) return deep;
	return evm.doubt === void 0 ? unlessDoubted(clocks) : wait(evm.doubt);
}
/**
* Locking a VHTLC against the client's coin on the Bitcoin chain. Wrong: the client claims the VHTLC and takes its coin back too. Median time
* past judges both, so that the two locktimes are compared as they are.
*/
function safeToLockForCoin(lock, clocks, policy) {
	if (!isRead(clocks)) return unread;
	const time = timeToClaim(lock.lockRefundLocktime, clocks, policy);
	if (time !== null) return time;
	if (lock.refundLocktime < lock.lockRefundLocktime + policy.margin) return never("The client could take its coin back before ours is sure to be back.");
	if (lock.coin === null) return wait("The coin is not seen unspent in a block now.");
	if (lock.coin.amount < lock.sourceAmount) return never(`The coin holds ${lock.coin.amount} sats; ${lock.sourceAmount} were agreed.`);
	if (lock.coin.depth < lock.confirmations) return wait(`The coin has ${lock.coin.depth} confirmations; ${lock.confirmations} are needed.`);
	return unlessDoubted(clocks);
}
// ../..engine/domain/money.ts
function sats$2(amount) {
	const value = BigInt(amount);
	if (value < 0n) throw new RangeError(`an amount in satoshis cannot be negative: ${value}`);
	return value;
}
const noSats = sats$2(0);
function plus(a, b) {
	return sats$2(a + b);
}
/** Throws when `b` is larger than `a`: a debt is never an amount. */
function minus(a, b) {
	return sats$2(a - b);
}
function less(a, b) {
	return a > b ? sats$2(a - b) : noSats;
}
/** Basis points of an amount, rounded down. */
function bpsDown(amount, bps) {
	return sats$2(amount * BigInt(bps) / 10000n);
}
function tokenAmount(amount) {
	const value = BigInt(amount);
	if (value < 0n) throw new RangeError(`an amount of a token cannot be negative: ${value}`);
	return value;
}
function btcOn(network) {
	return {
		network,
		asset: "btc"
	};
}
function msat(network, amount) {
	return {
		...btcOn(network),
		amount
	};
}
/** Of whole satoshis. */
function btc$1(network, amount) {
	return msat(network, amount * 1000n);
}
// ../..engine/legs/arkade/acceptance.ts
/** A coin of less than one part in this many is no attempt to pay the amount: dust by which a stranger could end the swap (facts/faults.md 7). */
const decoyShare$2 = 2n;
/**
* Judges what a client funded (DECISIONS.md, "What counts as funding"; facts/arkade.md 25 and 26).
*
* `minExpiry` is the moment until which we may still need the coin: past its expiry the operator asks for no timelock,
* and the client alone could take it back after we paid. Coins beside a right one are ignored, and so are decoys that
* come before it: anybody who sees the address could send them.
*/
function accept(funding) {
	const { amount } = funding;
	const most = plus(amount, bpsDown(amount, funding.toleranceBps));
	const present = funding.coins.filter((coin) => !coin.spent).sort(stableOrder$2);
	const judged = present.filter((coin) => coin.amount * decoyShare$2 >= amount).map((coin) => ({
		coin,
		why: unfit(coin)
	}));
	function unfit(coin) {
		if (coin.amount < amount) return {
			kind: "short",
			reason: `the coin holds ${coin.amount} sats, ${less(amount, coin.amount)} less than the ${amount} agreed`
		};
		if (coin.amount > most) return {
			kind: "too-much",
			reason: `the coin holds ${coin.amount} sats, more than the ${most} that can be accepted`
		};
		if (coin.unrolled) return {
			kind: "unrolled",
			reason: "the coin left the operator for the chain and cannot be claimed in time"
		};
		if (coin.recoverable || coin.expiresAt <= funding.now.wall) return {
			kind: "recoverable",
			reason: `the coin expired at ${coin.expiresAt}: its sender alone can take it back`
		};
		if (coin.expiresAt < funding.minExpiry) return {
			kind: "expires-too-soon",
			reason: `the coin expires at ${coin.expiresAt}, before ${funding.minExpiry}; send one that lives longer`
		};
		return null;
	}
	const fit = judged.filter(({ why }) => why === null).map(({ coin }) => coin);
	const chosen = fit.find((coin) => coin.amount === amount) ?? fit[0];
	if (chosen) {
		const surplus = minus(chosen.amount, amount);
		return {
			is: "accepted",
			kind: surplus === 0n ? "exact" : "over",
			coin: chosen,
			surplus,
			strays: present.filter((coin) => coin !== chosen)
		};
	}
	const nearest = judged.find(({ why }) => why?.kind !== "short" && why?.kind !== "too-much") ?? judged.find(({ why }) => why?.kind === "too-much") ?? largest(judged);
	if (!nearest?.why) return { is: "none" };
	return {
		is: "invalid",
		...nearest.why,
		coin: nearest.coin,
		strays: present.filter((coin) => coin !== nearest.coin)
	};
}
/** Oldest first, then by outpoint: two nodes that see the same coins choose the same one. */
function stableOrder$2(a, b) {
	if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
	return outpointKey(a.outpoint) < outpointKey(b.outpoint) ? -1 : 1;
}
function largest(judged) {
	return judged.reduce((best, next) => best === void 0 || next.coin.amount > best.coin.amount ? next : best, void 0);
}
// ../..engine/swap/vhtlc-source/funding.ts
/** Waiting for the client's coin: the first that is right is the swap's, if nothing speaks against giving anything for it now. */
function fundingSeen(t, p, event, now) {
	const stop = (...why) => ({
		is: "stopped",
		progress: stopped$3(...why)
	});
	if (event.coins.length === 0) return (event.asked ?? now.wall) >= t.fundBefore ? stop("expired", "nothing was funded in time", p.fenced, []) : { is: "nothing" };
	const strays = straysBeside$2(event.coins, null, []);
	if (p.fenced) return stop("late", "the coin came after we had signed a refund", true, strays);
	if (now.wall >= t.fundBefore) return stop("late", "the coin came after the funding window", false, strays);
	const verdict = accept({
		amount: t.sourceAmount,
		toleranceBps: t.toleranceBps,
		minExpiry: t.minCoinExpiry,
		coins: event.coins,
		now
	});
	switch (verdict.is) {
		case "none": return { is: "nothing" };
		case "invalid": return stop("invalid", verdict.reason, false, strays);
		case "accepted": return {
			is: "coin",
			coin: verdict.coin,
			funded: {
				coin: verdict.coin.outpoint,
				surplus: verdict.surplus,
				strays: straysBeside$2(event.coins, verdict.coin.outpoint, [])
			}
		};
	}
}
// ../..engine/legs/evm/swap-key.ts
const words$1 = [
	{ type: "bytes32" },
	{ type: "uint256" },
	{ type: "address" },
	{ type: "address" },
	{ type: "address" },
	{ type: "uint256" }
];
/** Terms are agreed once, and their key is asked for at every event. */
const keys = /* @__PURE__ */ new WeakMap();
/**
* The key by which `HTLCErc20` and `HTLCNative` know a lock (facts/evm.md 1): 32 bytes. With one term wrong it is the key of a
* lock that does not exist: a claim reverts, and a watch waits for ever while the other side's timelock runs.
*/
function swapKey(terms) {
	const key = keys.get(terms) ?? keyOf$2(terms);
	keys.set(terms, key);
	return key;
}
function keyOf$2(terms) {
	const values = [
		bytesToHex(terms.preimageHash),
		terms.amount,
		bytesToHex(terms.token),
		bytesToHex(terms.refundAddress),
		bytesToHex(terms.claimAddress),
		terms.timelock
	];
	return hexToBytes(keccak256(encodeAbiParameters(words$1, values)));
}
/** Confirmations of what is mined at `height` at a tip of the height `tip`: 1 in the tip itself, and never less where the tip is behind. */
function confirmationsAt(height, tip) {
	return Math.max(1, tip - height + 1);
}
/** Whether a transaction mined at `height` is that deep at this tip; an unread tip buries nothing. */
function buried(height, tip) {
	return height !== null && tip !== null && tip - height + 1 >= 6;
}
// ../..engine/swap/exit.ts
/** Prepares the claim or refund on the chain, at first or again with a higher fee. */
function exitEffect(exiting, leastRate = 0) {
	return {
		do: "vhtlc.exit",
		...exiting,
		leastRate
	};
}
/** What the operator took for a batch, for the ledger. */
function operatorFee(fee) {
	return fee === void 0 || fee === noSats ? [] : [{
		kind: "operator-fee-paid",
		...btc$1("arkade", -fee)
	}];
}
/** Prepared and saved: from here on it is kept on the chain. `onlyIf`: judged once more before it is sent for the first time. */
function broadcastEffect(coin, { txid, amount, rate, capped, raiseFrom, deadline, yieldsTo, funding, height }, onlyIf) {
	return {
		do: "onchain.broadcast",
		txid,
		spends: coin,
		amount,
		rate,
		capped,
		...raiseFrom === void 0 ? {} : { raiseFrom },
		...deadline === void 0 ? {} : { deadline },
		...yieldsTo === void 0 ? {} : { yieldsTo },
		...funding === void 0 ? {} : { funding },
		since: height,
		...onlyIf === void 0 ? {} : { onlyIf }
	};
}
/**
* A spend that stands: the operator keeps one for good, the chain once it is buried. Of a coin that lies on the chain the
* operator's word is none: it may hold a transaction for accepted that it will never make final.
*/
function stands(coin, now) {
	return coin.unrolled || coin.onChain !== void 0 ? buried(coin.onChain?.height ?? null, now.bitcoin.height) : true;
}
/**
* Called spent when we came for it, it is to be had all the same: it shows unspent now, or spent by what we sent and gave
* up. One answer of an operator ends nothing that is ours.
*/
function stillOurs(coin, sent) {
	return !coin.spent || sent !== null && coin.spentIn === sent;
}
// ../..engine/swap/vhtlc-taking.ts
/** Asks for our transaction through the operator: prepared, and not sent. */
function takeEffect(taker, p) {
	return {
		do: `vhtlc.${taker.purpose}`,
		...taker.ours(p)
	};
}
/** What our own transaction meets. Null for what is no news of it. */
function whileTaking(taker, p, event) {
	const { purpose } = taker;
	switch (event.is) {
		case "vhtlc.prepared": return event.purpose === purpose ? move(taker.withSent(p, event.txid), submitEffect(taker, p, event.txid)) : "stay";
		case "vhtlc.accepted": return event.purpose === purpose ? move(p, {
			do: "vhtlc.finalize",
			purpose,
			txid: event.txid,
			coin: taker.ours(p).coin
		}) : "stay";
		case "vhtlc.final": return event.purpose === purpose ? taker.taken(p, event.txid, operatorFee(event.fee)) : "stay";
		case "vhtlc.refused": return event.purpose === purpose ? refused$4(taker, p, event) : "stay";
		case "onchain.prepared": return p.exit === true && event.purpose === purpose ? move(taker.withSent(p, event.txid), broadcastEffect(taker.ours(p).coin, event)) : "stay";
		case "onchain.stuck": return p.exit === true ? exit(taker, p, event.leastRate) : "stay";
		case "onchain.final": return p.exit === true ? taker.taken(p, event.txid, [{
			kind: "network-fee-paid",
			...btc$1("bitcoin", -event.fee)
		}]) : "stay";
		case "onchain.refused": return p.exit === true ? exitRefused(taker, p, event) : "stay";
		default: return null;
	}
}
function submitEffect({ purpose, ours, onlyIf }, p, txid) {
	const condition = onlyIf?.(p);
	return {
		do: "vhtlc.submit",
		purpose,
		txid,
		coin: ours(p).coin,
		...condition === void 0 ? {} : { onlyIf: condition }
	};
}
/** The coin lies on the chain: there the leaf of ours that needs no operator takes it, once its delay is over. */
function exit(taker, p, leastRate = 0) {
	return move({
		...p,
		exit: true
	}, exitEffect({
		purpose: taker.purpose,
		...taker.ours(p)
	}, leastRate));
}
function refused$4(taker, p, event) {
	if (event.why === "spent") return p.halted === true ? "stay" : move({
		...p,
		halted: true
	});
	const own = taker.refused?.(p, event) ?? null;
	if (own !== null) return own;
	switch (event.why) {
		case "recoverable": return move(p, {
			do: "vhtlc.settle",
			purpose: taker.purpose,
			...taker.ours(p)
		});
		case "unrolled": return exit(taker, taker.withSent(p, null));
		default: return {
			progress: taker.withSent(p, null),
			effects: [takeEffect(taker, p)],
			flag: `The operator refused our ${taker.purpose}: ${event.reason}.`
		};
	}
}
/** A transaction that the chain does not take is none: what stands in its place may be ours all the same, or the other side's. */
function exitRefused(taker, p, event) {
	const none = taker.withSent(p, null);
	if (event.why === "spent") return move({
		...none,
		halted: true
	});
	return {
		...exit(taker, none),
		flag: `The Bitcoin node refused our ${taker.purpose}: ${event.reason}.`
	};
}
/** How its coin shows now. Null where that ends nothing, begins nothing, and alarms nobody. */
function whenCoinSeen$2(taker, p, coin, now) {
	const alarm = isDenied(taker, p, coin) ? {
		flag: taker.denied,
		distrust: true
	} : null;
	const step = tookAgain(taker, p, coin, now);
	if (alarm === null) return step;
	return step === null ? {
		progress: p,
		effects: [],
		...alarm
	} : {
		...step,
		...alarm
	};
}
/** What its operator calls spent is ours on the chain, should the coin lie there: that no buried transaction spends it decides (facts/arkade.md 32). */
function tookAgain(taker, p, coin, now) {
	const sent = taker.sent(p);
	const isThere = coin.unrolled && !(coin.spent && stands(coin, now));
	if (isThere && p.exit !== true && coin.spent && coin.spentIn !== sent) return exit(taker, taker.withSent(unhalted(p), null));
	if (p.halted !== true) return null;
	if (p.exit === true) return isThere ? exit(taker, unhalted(p)) : null;
	if (stillOurs(coin, sent)) return move(unhalted(p), takeEffect(taker, p));
	return coin.spend === "hidden" ? move(unhalted(p), batchEffect(taker, p)) : null;
}
function batchEffect(taker, p) {
	const { purpose } = taker;
	return {
		do: "vhtlc.settle",
		purpose,
		...taker.ours(p),
		...purpose === "refund" ? { taken: true } : {}
	};
}
function unhalted({ halted: _, ...p }) {
	return p;
}
/**
* The operator says "spent", and no leaf of the script explains it: its word is not the script's verdict. It has our secret from our claim:
* one that nobody signed, and that is not what we sent, says nothing of a coin that we claim.
*/
function isDenied(taker, p, { spent, spend, spentIn }) {
	if (!spent || spend === null || spend === "hidden") return false;
	if (spend === "unknown") return true;
	return taker.purpose === "claim" && spend.leaf === "claim" && spend.unsigned === true && spentIn !== taker.sent(p);
}
// ../..engine/swap/vhtlc-source/claiming.ts
function ours$4(t, p) {
	return {
		terms: t.vhtlc,
		script: t.script,
		key: {
			branch: "swap",
			index: t.keyIndex
		},
		coin: p.coin
	};
}
/** Takes the client's coin with the preimage that was learned. */
function claimEffect$4(t, p) {
	return {
		do: "vhtlc.claim",
		...ours$4(t, p)
	};
}
function claimOf$4(t, ends) {
	return {
		purpose: "claim",
		ours: (p) => ours$4(t, p),
		sent: (p) => p.claimTxid,
		withSent: (p, claimTxid) => ({
			...p,
			claimTxid
		}),
		taken: (p, txid, costs) => claimed$6(t, p, txid, ends, costs),
		denied: "The operator reports the coin that we must claim as spent by a transaction that fits none of its leaves: use another operator, and find whoever can bring the coin to the chain, where it is still claimed."
	};
}
/** What was given for the coin is the client's: nothing but the coin's provable end stops the claim. */
function whenClaiming$7(t, p, event, now, ends) {
	return event.is === "vhtlc.seen" ? whenSeen$7(t, p, event, now, ends) : whileTaking(claimOf$4(t, ends), p, event) ?? "stay";
}
function claimed$6(t, p, claimTxid, ends, costs = []) {
	return {
		progress: ends.claimed(p, claimTxid),
		effects: [],
		...p.exit === true ? { supersedes: true } : {},
		ledger: [
			{
				kind: "protocol-fee",
				...btc$1("arkade", t.feeSats)
			},
			{
				kind: "network-fee-charged",
				...btc$1("arkade", t.networkFeeSats)
			},
			...p.surplus > noSats ? [{
				kind: "surplus",
				...btc$1("arkade", p.surplus)
			}] : [],
			...costs
		]
	};
}
function whenSeen$7(t, p, event, now, ends) {
	const coin = event.coins.find((seen) => sameOutpoint(seen.outpoint, p.coin));
	const next = withStrays$1(p, event);
	const step = coin === void 0 ? null : whenCoinSeen$2(claimOf$4(t, ends), next, coin, now);
	if (step !== null) return step;
	if (coin?.spent === true && coin.spend !== null) {
		if (coin.spend === "unknown" || coin.spend === "hidden") return "stay";
		if (coin.spend.leaf === "claim") return claimTaken(t, p, coin, now, ends);
		return stands(coin, now) ? ends.lost(p) : "stay";
	}
	return next === p ? "stay" : move(next);
}
/** Spent by the claim leaf: only the receiver, us, can sign that. Accepted is not final: our own finalize goes on. */
function claimTaken(t, p, coin, now, ends) {
	if (p.claimTxid !== null && (p.exit === true || coin.spentIn === p.claimTxid)) return "stay";
	const txid = coin.settledBy ?? coin.spentIn;
	return txid === null || !stands(coin, now) ? "stay" : claimed$6(t, p, txid, ends);
}
// ../..engine/swap/arkade-evm/seen.ts
/** Looked up by its key, before it is made and as long as it matters: nothing that a client makes stands in front of it (facts/faults.md 61). */
function ourLock$1({ lock }) {
	return {
		are: "one",
		key: swapKey(lock)
	};
}
/** The lock of exactly our terms, whoever made it: another of the same hash is a stranger's. */
function ownLock(t, event) {
	if (event.is !== "evm.seen" || event.network !== t.network) return null;
	const key = swapKey(t.lock);
	return event.locks.find((lock) => sameBytes(lock.key, key)) ?? null;
}
/** What was said to stand already does not, by a look that began later: it is tried again. */
function mistaken(p, event) {
	return event.is === "evm.seen" && p.halted !== void 0 && event.asked > p.halted;
}
/** It cannot be undone any more. */
function isBuried(t, { confirmations }) {
	return confirmations >= t.burial;
}
/**
* The client claimed our lock on chain, by whomever it was sent: its secret opens the VHTLC, and from here on our lock is
* never refunded. A secret that was only told opens nothing (DECISIONS.md, "The fence is the state").
*/
function redeemed$3(t, lock, p, relay) {
	if (lock.state.is !== "redeemed") return null;
	const preimage = preimageMatches(t.hash, lock.state.preimage);
	if (preimage === null) return null;
	const { coin, surplus, strays, sent } = p;
	return {
		progress: {
			at: "claiming",
			claimTxid: null,
			coin,
			surplus,
			strays,
			sent,
			fundTxid: lock.txid,
			redeemTxid: lock.state.txid,
			relay
		},
		effects: [claimEffect$4(t, p)],
		supersedes: true,
		learned: preimage
	};
}
// ../..engine/swap/arkade-evm/locking.ts
/** Waiting for the client's coin; takes the first that is right and safe to lock against. */
function whenPending$2(t, p, event, now) {
	if (event.is === "refund.cosign.requested") return move(p.fenced ? p : {
		at: "pending",
		fenced: true
	});
	if (event.is !== "vhtlc.seen") return "stay";
	const seen = fundingSeen(t, p, event, now);
	if (seen.is === "nothing") return "stay";
	if (seen.is === "stopped") return move(seen.progress);
	const { coin, funded } = seen;
	const { sourceAmount, network, vhtlc } = t;
	const timelock = lockEnd(t);
	const unsafe = safeToLockOnEvm({
		coin,
		sourceAmount,
		refundLocktime: vhtlc.refundLocktime,
		network,
		timelock
	}, now, t.policy);
	if (unsafe === null) return move({
		at: "funded",
		...funded
	}, lockEffect$1(t, funded));
	return unsafe.unsafe === "wait" ? "stay" : move(stopped$3("late", unsafe.sentence, false, ownCoins$1(t, funded)));
}
/** The coin is good, and nothing of ours is signed yet. */
function whenFunded$3(t, p, event, now) {
	const own = lockSeen(t, p, event);
	if (own !== null) return own;
	if (event.is === "evm.prepared" && event.purpose === "lock") return move({
		at: "locking",
		sent: event.txid,
		...fundedOf$1(p)
	});
	if (event.is === "evm.refused" && event.purpose === "lock") return withoutLock(t, p, event.reason, now);
	if (event.is === "evm.stands" && event.purpose === "lock") return move({
		...p,
		halted: now.wall
	});
	if (event.is === "evm.seen" && event.network === t.network && mistaken(p, event)) return move({
		at: "funded",
		...fundedOf$1(p)
	}, lockEffect$1(t, p));
	return straysSeen(p, event);
}
/** Our lock is signed, and on its way whatever comes: it stands once it is mined. */
function whenLocking$1(t, p, event, now) {
	const own = lockSeen(t, p, event);
	if (own !== null) return own;
	if (event.is !== "evm.sent" || event.txid !== p.sent) return straysSeen(p, event);
	if (event.state.is === "gone") return move({
		at: "funded",
		...fundedOf$1(p)
	}, lockEffect$1(t, p));
	return event.state.is === "mined" && !event.state.ok && isBuried(t, event.state) ? withoutLock(t, p, "the contract refused the lock", now) : "stay";
}
/**
* Nothing of ours stands as far as this database knows; one that was restored may have forgotten a lock, and then exactly
* that is why another one is refused. Until the chain was looked at, no refund is signed (facts/faults.md 5).
*/
function withoutLock(t, p, reason, { wall }) {
	const doubt = {
		since: wall,
		coin: p.coin,
		surplus: p.surplus
	};
	return move({
		...stopped$3("wont", reason, false, ownCoins$1(t, p)),
		doubt
	});
}
/** The block with our lock in it went away, and something else used its nonce for good: it never was. */
function lockGone(t, p, now) {
	return {
		...withoutLock(t, p, "our lock was lost to another transaction of the same account", now),
		supersedes: true,
		flag: "The transaction of our lock was replaced by another one of the same account: see whether another program uses its key."
	};
}
/** A lock of exactly our terms is our lock, whoever made it: there can be no second one (DECISIONS.md, "A lock that is there already is the swap's lock"). */
function lockSeen(t, p, event) {
	const lock = ownLock(t, event);
	if (lock === null) return null;
	const sent = p.sent ?? null;
	if (lock.state.is === "redeemed") return redeemed$3(t, lock, {
		...fundedOf$1(p),
		sent
	}, null);
	if (sent === null && lock.confirmations < 1) return null;
	return {
		progress: {
			at: "locked",
			reverts: 0,
			...fundedOf$1(p),
			sent,
			fundTxid: lock.txid
		},
		effects: [],
		...sent === null ? { supersedes: true } : {}
	};
}
function straysSeen(p, event) {
	const next = withStrays$1(p, event);
	return next === p ? "stay" : move(next);
}
function lockEnd({ lock }) {
	return Number(lock.timelock);
}
function lockEffect$1(t, p) {
	const { network, contracts, lock, sourceAmount, script, policy } = t;
	return {
		do: "evm.send",
		network,
		contracts,
		act: {
			is: "lock",
			lock
		},
		deadline: t.lockBefore,
		value: sourceAmount,
		onlyIf: {
			notAfter: t.lockBefore,
			backing: {
				script,
				outpoint: p.coin,
				sourceAmount,
				refundLocktime: t.vhtlc.refundLocktime,
				network,
				timelock: lockEnd(t),
				policy
			}
		}
	};
}
// ../..engine/swap/arkade-evm/terms.ts
/** What is new of a relay: the variant that a node took, or a block has; null where nothing is. */
function followed(relay, state) {
	if (state.is === "waiting" && state.taken !== null && relay.taken !== state.taken) return {
		...relay,
		taken: state.taken
	};
	return state.is === "mined" && relay.by !== state.by ? {
		txid: relay.txid,
		by: state.by
	} : null;
}
/** The part of a state that stays the swap's once our lock stands. */
function lockedOf(p) {
	return {
		coin: p.coin,
		surplus: p.surplus,
		strays: p.strays,
		sent: p.sent,
		fundTxid: p.fundTxid
	};
}
/** What stays of it while its claims come and go. */
function claimableOf(p) {
	return {
		...lockedOf(p),
		reverts: p.reverts,
		...p.refusal === void 0 ? {} : { refusal: p.refusal }
	};
}
// ../..engine/swap/arkade-evm/refunding.ts
/** Takes our lock back. It must be ours again before the client can take the VHTLC, or the client has both. */
function refundEffect$3(t) {
	const { network, contracts, lock, sourceAmount, vhtlc, policy } = t;
	return {
		do: "evm.send",
		network,
		contracts,
		act: {
			is: "refund",
			lock
		},
		deadline: unix$1(Math.max(0, vhtlc.refundLocktime - policy.mtpLag - policy.margin)),
		value: sourceAmount
	};
}
/** Our refund is on its way; a claim that came first wins. */
function whenRefunding$6(t, p, event, now) {
	const lock = ownLock(t, event);
	if (lock !== null) return whenLockSeen$3(t, p, lock, event, now);
	switch (event.is) {
		case "evm.prepared": return event.purpose === "refund" ? signed(p, event.txid) : "stay";
		case "evm.stands": return event.purpose === "refund" && p.refundTxid === null ? move({
			...p,
			halted: now.wall
		}) : "stay";
		case "evm.sent": return whenSent$2(t, p, event, now);
		default: return straysSeen(p, event);
	}
}
function signed({ halted: _, ...p }, refundTxid) {
	return move({
		...p,
		refundTxid
	});
}
function whenLockSeen$3(t, p, lock, event, now) {
	if (lock.state.is === "redeemed") return whenRedeemed$2(t, p, lock, now);
	const { redeemTxid, halted, ...rest } = p;
	if (lock.state.is === "refunded") return whenReturned$3(t, rest, lock) ?? "stay";
	if (mistaken(p, event)) return move(rest, refundEffect$3(t));
	return redeemTxid === void 0 ? "stay" : move(halted === void 0 ? rest : {
		...rest,
		halted
	});
}
/**
* A claim in a block that could still go away, with a refund of ours signed, which would take its place: then both legs
* were ours. It opens the VHTLC once it is buried, or once that can wait no longer (facts/faults.md 40).
*/
function whenRedeemed$2(t, p, lock, now) {
	const { state } = lock;
	if (state.is !== "redeemed") return "stay";
	if (p.refundTxid === null || isBuried(t, state) || cannotWait$1(t, now)) return redeemed$3(t, lock, p, p.relay) ?? "stay";
	const preimage = preimageMatches(t.hash, state.preimage);
	if (preimage === null || p.redeemTxid === state.txid) return "stay";
	return {
		...move({
			...p,
			redeemTxid: state.txid
		}),
		learned: preimage
	};
}
/** Half of the margin is left until the client may take the VHTLC back: a chain that stands still must not cost us both. */
function cannotWait$1({ vhtlc, policy }, now) {
	const { mtp } = furthest(now.bitcoin);
	if (mtp === null) return false;
	const spare = seconds$1(Math.floor(policy.margin / 2));
	return latestByChain({
		...now.bitcoin,
		mtp
	}, policy) + spare >= vhtlc.refundLocktime;
}
/** Ours again for good: only now may the client's refund be signed. */
function whenReturned$3(t, p, { txid, state }) {
	if (state.is !== "refunded" || !isBuried(t, state)) return null;
	return {
		progress: {
			at: "returned",
			reason: "the client did not claim in time",
			fenced: false,
			strays: ownCoins$1(t, p),
			fundTxid: txid,
			returnTxid: state.txid
		},
		effects: [],
		supersedes: true
	};
}
function whenSent$2(t, p, { purpose, txid, state }, now) {
	if (purpose === "lock" && txid === p.sent && state.is === "gone") return lockGone(t, p, now);
	if (purpose === "relay-claim" && txid === p.relay?.txid && state.is === "mined" && p.relay.by !== state.by) return move({
		...p,
		relay: {
			txid,
			by: state.by
		}
	});
	if (purpose !== "refund" || txid !== p.refundTxid) return "stay";
	return state.is === "gone" || state.is === "mined" && !state.ok && isBuried(t, state) ? move({
		...p,
		refundTxid: null
	}, refundEffect$3(t)) : "stay";
}
// ../..engine/swap/arkade-evm/locked.ts
/** Our lock stands: the client claims it, by itself or through us, or we take it back after its timelock. */
function whenLocked$3(t, p, event, now) {
	const relay = p.at === "locked" ? null : p.relay;
	const lock = ownLock(t, event);
	if (lock !== null) {
		const claim = redeemed$3(t, lock, p, relay);
		if (claim !== null) return claim;
		if (lock.state.is === "refunded") return whenReturned$3(t, {
			...lockedOf(p),
			refundTxid: null,
			relay
		}, lock) ?? "stay";
		if (p.at === "relaying" && mistaken(p, event)) return again$1(p, 0, "our lock was not there for a moment");
		return lock.txid === p.fundTxid ? "stay" : move({
			...p,
			fundTxid: lock.txid
		});
	}
	switch (event.is) {
		case "clock": return timelockPassed(Number(t.lock.timelock), now, t.network) ? takeBack$1(t, p, relay) : "stay";
		case "claim.requested": return p.at === "locked" ? relayClaim(t, p, event, now) : "stay";
		case "evm.prepared": return p.at === "relaying" && event.purpose === "relay-claim" ? move({
			at: "relaying",
			...claimableOf(p),
			relay: { txid: event.txid }
		}) : "stay";
		case "evm.stands": return p.at === "relaying" && event.purpose === "relay-claim" && p.relay.txid === null ? move({
			...p,
			halted: now.wall
		}) : "stay";
		case "evm.refused": return p.at === "relaying" && event.purpose === "relay-claim" && p.relay.txid === null ? again$1(p, 0, event.reason) : "stay";
		case "evm.sent": return whenSent$1(t, p, event, now);
		default: return straysSeen(p, event);
	}
}
/** The secret is saved for the relay and opens nothing else: only a claim on chain does. */
function relayClaim(t, p, event, now) {
	const preimage = preimageMatches(t.hash, event.secret);
	const late = timelockPassed(Number(t.lock.timelock), now, t.network);
	if (preimage === null || late || p.reverts >= 3) return "stay";
	return {
		...move({
			at: "relaying",
			...claimableOf(p),
			relay: { txid: null }
		}, relayEffect(t, event)),
		learned: preimage
	};
}
/** The client's claim, as it signed it. */
function relayEffect(t, event) {
	const { network, contracts, lock, sourceAmount } = t;
	const { calls, sweepToken, minAmountOut, destination, signature } = event;
	return {
		do: "evm.send",
		network,
		contracts,
		act: {
			is: "relay-claim",
			lock,
			calls,
			sweepToken,
			minAmountOut,
			destination,
			signature
		},
		deadline: Number(lock.timelock),
		value: sourceAmount
	};
}
function whenSent$1(t, p, { purpose, txid, state }, now) {
	if (purpose === "lock") return txid === p.sent && state.is === "gone" ? lockGone(t, p, now) : "stay";
	if (purpose !== "relay-claim" || p.at === "locked" || txid !== p.relay.txid) return "stay";
	if (state.is === "gone") return again$1(p, 0, "the transaction was dropped");
	if (state.is === "mined" && !state.ok) return again$1(p, 1, "the claim was reverted on the chain");
	const relay = followed(p.relay, state);
	return relay === null ? "stay" : move({
		at: "relayed",
		...claimableOf(p),
		relay
	});
}
/** Reverted or dropped: our lock is as it was, and a later request claims again. */
function again$1(p, reverts, refusal) {
	return move({
		at: "locked",
		...lockedOf(p),
		reverts: p.reverts + reverts,
		refusal
	});
}
/** A relay that is not signed yet stays undone: it would come behind our refund. */
function takeBack$1(t, p, relay) {
	return {
		...move({
			at: "refunding",
			refundTxid: null,
			relay,
			...lockedOf(p)
		}, refundEffect$3(t)),
		interrupts: true
	};
}
// ../..engine/swap/arkade-evm/claimed.ts
/** How long our lock stands again with nothing on its way before the owner is told. */
const patience$1 = hour;
/**
* The VHTLC is ours. Until the client's claim is buried a reorganisation may take it: our lock then stands again, is never
* taken back, and is claimed once more when the client asks (facts/faults.md 15).
*/
function whenClaimed$1(t, p, event, now) {
	const { shallow } = p;
	if (shallow === void 0) return whenOver$5(t, p, event, now);
	const open = {
		...p,
		shallow
	};
	const isAsked = p.relay?.txid === null;
	switch (event.is) {
		case "evm.seen": return event.network === t.network ? whenLooked$3(t, open, event, now) : "stay";
		case "claim.requested": return relayAgain(t, open, event);
		case "evm.prepared": return isAsked && event.purpose === "relay-claim" ? move({
			...p,
			relay: { txid: event.txid },
			shallow: lookedAt(shallow)
		}) : "stay";
		case "evm.stands": return isAsked && event.purpose === "relay-claim" ? move({
			...p,
			shallow: {
				...shallow,
				halted: now.wall
			}
		}) : "stay";
		case "evm.refused": return isAsked && event.purpose === "relay-claim" ? relayFailed(open, 0, event.reason, now) : "stay";
		case "evm.sent": return whenSent(open, event, now);
		default: return whenOver$5(t, p, event, now);
	}
}
function whenLooked$3(t, p, event, now) {
	const state = ownLock(t, event)?.state;
	const doubtful = p.relay?.txid === null && mistaken(p.shallow, event);
	if (state?.is === "redeemed") {
		if (isBuried(t, state)) return closed$4({
			...p,
			redeemTxid: state.txid
		});
		const { missing, ...shallow } = p.shallow;
		if (missing === void 0 && !doubtful && p.redeemTxid === state.txid) return "stay";
		const back = {
			...p,
			redeemTxid: state.txid,
			shallow
		};
		return move(doubtful ? {
			...back,
			relay: null,
			shallow: lookedAt(shallow)
		} : back);
	}
	if (state?.is === "refunded") return isBuried(t, state) ? {
		...closed$4(p),
		flag: takenBack$3(t)
	} : "stay";
	if (doubtful) return relayFailed(p, 0, "our lock was not there for a moment", now);
	const { missing, flagged } = p.shallow;
	if (missing === void 0) return move({
		...p,
		shallow: {
			...p.shallow,
			missing: now.wall
		}
	});
	if (flagged === true || p.relay !== null || !hasPassed(patience$1, missing, now.wall)) return "stay";
	return {
		progress: {
			...p,
			shallow: {
				...p.shallow,
				flagged: true
			}
		},
		effects: [],
		flag: `A reorganisation of ${t.network} took the client's claim, and nothing brings it back: ${due(t)}. We have the VHTLC and do not take our lock back. ${howClaimed(p.shallow)}`
	};
}
function howClaimed({ reverts }) {
	return reverts >= 3 ? "Too many relays of it failed, and no more are made: see that the client claims by a transaction of its own, or pay it by hand." : "The claim is relayed when the client asks again: see that it does.";
}
/** The secret is out: it is late for nothing, and the lock is claimed after its timelock too, for we never take it back. */
function relayAgain(t, p, event) {
	const { missing, reverts } = p.shallow;
	if (missing === void 0 || p.relay !== null || reverts >= 3) return "stay";
	if (preimageMatches(t.hash, event.secret) === null) return "stay";
	return move({
		...p,
		relay: { txid: null }
	}, relayEffect(t, event));
}
function whenSent(p, { purpose, txid, state }, now) {
	if (purpose !== "relay-claim" || p.relay === null || txid !== p.relay.txid) return "stay";
	if (state.is === "gone") return relayFailed(p, 0, "the transaction was dropped", now);
	if (state.is === "mined" && !state.ok) return relayFailed(p, 1, "the claim was reverted on the chain", now);
	const relay = followed(p.relay, state);
	return relay === null ? "stay" : move({
		...p,
		relay
	});
}
/** A later request claims again; the owner is told when none comes. */
function relayFailed(p, reverts, refusal, now) {
	const { missing, ...shallow } = lookedAt(p.shallow);
	return move({
		...p,
		relay: null,
		shallow: {
			...shallow,
			reverts: shallow.reverts + reverts,
			refusal,
			...missing === void 0 ? {} : { missing: now.wall }
		}
	});
}
function lookedAt({ halted: _, ...shallow }) {
	return shallow;
}
/** The end of our lock cannot be undone any more: a relay that is not signed yet stays undone. */
function closed$4({ shallow: _, ...p }) {
	return p.relay?.txid === null ? {
		...move({
			...p,
			relay: null
		}),
		supersedes: true
	} : move(p);
}
function due({ lock }) {
	return `${lock.amount} units of the token ${checksummed(lock.token)} in our lock are due to ${checksummed(lock.claimAddress)}`;
}
/** A refund of ours that was on its way before the client claimed was mined instead. */
function takenBack$3(t) {
	return `Our refund took the place of the client's claim on ${t.network}: the lock is due to ${checksummed(t.lock.claimAddress)}, pay it out by hand.`;
}
// ../..engine/swap/arkade-evm/over.ts
/** The client has our lock: the VHTLC is claimed, whatever becomes of anything else. */
function whenRedeemed$1(t, p, event, now) {
	const state = ownLock(t, event)?.state;
	if (state?.is === "redeemed") return state.txid === p.redeemTxid ? "stay" : move({
		...p,
		redeemTxid: state.txid
	});
	if (state?.is === "refunded") return {
		progress: p,
		effects: [],
		flag: takenBack$3(t)
	};
	if (event.is === "evm.sent" && event.purpose === "relay-claim" && event.state.is === "mined") return p.relay === null || event.txid !== p.relay.txid || p.relay.by === event.state.by ? "stay" : move({
		...p,
		relay: {
			txid: event.txid,
			by: event.state.by
		}
	});
	return whenClaiming$7(t, p, event, now, ends$6(t));
}
const ends$6 = (t) => ({
	claimed: (p, claimTxid) => ({
		at: "claimed",
		claimTxid,
		...lockedOf(p),
		redeemTxid: p.redeemTxid,
		relay: p.relay?.txid === null ? null : p.relay,
		shallow: { reverts: 0 }
	}),
	lost: (p) => ({
		progress: {
			at: "lost",
			...lockedOf(p),
			redeemTxid: p.redeemTxid,
			relay: p.relay
		},
		effects: [],
		supersedes: true,
		ledger: [{
			kind: "loss",
			network: t.network,
			asset: `0x${toHex(t.lock.token)}`,
			amount: -t.lock.amount
		}],
		flag: "The client took the VHTLC back although it had claimed our lock."
	})
});
/** Nothing will be locked: the coins at the address are the client's to take back. */
function whenStopped$5(t, p, event, now) {
	const { doubt } = p;
	if (doubt !== void 0) {
		if (ownLock(t, event) !== null) return forgottenLock(t, p, doubt, event) ?? "stay";
		if (event.is === "refund.cosign.requested") return "stay";
		if (event.is === "evm.seen" && event.network === t.network) return event.asked > doubt.since ? sure(p) : "stay";
	}
	const outcome = whenStopped$6(t, p, event, now);
	return outcome === "stay" || outcome.progress.at !== "stopped" || doubt === void 0 ? outcome : {
		...outcome,
		progress: {
			...outcome.progress,
			doubt
		}
	};
}
function sure({ doubt: _, ...p }) {
	return move(p);
}
/** It was refused because it stands already: the swap goes on with it. */
function forgottenLock(t, p, { coin, surplus }, event) {
	return lockSeen(t, {
		coin,
		surplus,
		strays: p.strays.filter(({ outpoint }) => !sameOutpoint(outpoint, coin))
	}, event);
}
/** Our lock is ours again for good: the client gets its coin back, by our signature or alone. */
function whenReturned$2(t, p, event, now) {
	const { at: _, fundTxid, returnTxid, ...left } = p;
	const outcome = whenStopped$6(t, {
		...left,
		at: "stopped",
		why: "wont"
	}, event, now);
	if (outcome === "stay") return "stay";
	const { progress, ...rest } = outcome;
	if (progress.at === "refunded") return {
		...rest,
		progress: {
			...progress,
			returned: {
				fundTxid,
				returnTxid
			}
		}
	};
	if (progress.at === "lapsed") return {
		...rest,
		progress
	};
	const { why: __, ...more } = progress;
	return {
		...rest,
		progress: {
			...more,
			at: "returned",
			fundTxid,
			returnTxid
		}
	};
}
// ../..engine/swap/rescue.ts
/** Nothing is public yet: what became of our side decides. */
function hidden(claim, refund) {
	return {
		claim,
		refund,
		shown: false
	};
}
/** The secret is public: the other side's is claimed, and ours never taken back. */
function shown$2(claim, refund) {
	return {
		claim,
		refund,
		shown: true
	};
}
/** What the client gave is with it again: ours is ours, as long as a claim of it is no fact. */
function unpaid(refund) {
	return {
		claim: null,
		refund,
		shown: false
	};
}
/** The client's VHTLC. `coin`: null where the client's coin is among those that went back to it. */
function vhtlcToClaim(t, coin) {
	return {
		on: "arkade",
		terms: t.vhtlc,
		key: {
			branch: "swap",
			index: t.keyIndex
		},
		coin,
		amount: t.sourceAmount
	};
}
/** Ours: nobody but this swap pays its script, so that the coin is found without its name. */
function vhtlcToRefund(t) {
	return {
		on: "arkade",
		terms: t.vhtlc,
		key: {
			branch: "swap",
			index: t.keyIndex
		},
		coin: null,
		amount: t.targetAmount
	};
}
/** The client's HTLC on the Bitcoin chain. */
function htlcToClaim(t, { coin }) {
	const { htlc: terms, keyIndex: index, sourceAmount: amount, since } = t;
	return {
		on: "bitcoin",
		terms,
		key: {
			branch: "swap",
			index
		},
		coin,
		amount,
		since
	};
}
/** Ours there. A spent coin is found by its name alone. */
function htlcToRefund(t, coin) {
	const { htlc: terms, keyIndex: index, targetAmount: amount, htlcSince: since } = t;
	return {
		on: "bitcoin",
		terms,
		key: {
			branch: "swap",
			index
		},
		coin,
		amount,
		since
	};
}
/** The client's lock on an EVM chain, with the amount that its event told. */
function lockToClaim({ network, contracts, since }, { lock }) {
	return {
		on: "evm",
		network,
		contracts,
		lock,
		since
	};
}
// ../..engine/swap/arkade-evm/rescue.ts
/** From before our lock is signed, for the account's queue sends it at once. */
function rescue$10(t, p) {
	const { network, contracts, lock, since } = t;
	const ours = {
		on: "evm",
		network,
		contracts,
		lock,
		since
	};
	switch (p.at) {
		case "funded":
		case "locking":
		case "locked":
		case "relaying":
		case "relayed":
		case "refunding": return hidden(vhtlcToClaim(t, p.coin), ours);
		case "claiming":
		case "claimed": return shown$2(vhtlcToClaim(t, p.coin), ours);
		case "stopped": return p.doubt === void 0 ? null : hidden(vhtlcToClaim(t, p.doubt.coin), ours);
		default: return null;
	}
}
// ../..engine/legs/shape.ts
/** `older`: what makes version n + 1 of version n, from the first on. */
function shapeOf(schema, ...older) {
	const now = older.length + 1;
	return {
		version: now,
		read(stored, version) {
			if (version < 1 || version > now) throw new Error(`it was saved in version ${version}, this build knows 1 to ${now}`);
			return schema.parse(older.slice(version - 1).reduce((value, upcast) => upcast(value), stored));
		}
	};
}
/** The schema of exactly this type: with a field or a state more or less on either side it does not compile. */
function exactly() {
	return (schema, ..._drift) => schema;
}
const bytes = z.custom((value) => value instanceof Uint8Array);
function sized(length) {
	return z.custom((value) => value instanceof Uint8Array && value.length === length);
}
const sha256$1 = sized(32);
const hash160 = sized(20);
const xOnly = sized(32);
const publicKey$1 = sized(33);
const sats$1 = z.custom((value) => typeof value === "bigint" && value >= 0n);
const unix = z.custom((value) => typeof value === "number");
const seconds = z.custom((value) => typeof value === "number");
const outpoint = exactly()(z.strictObject({
	txid: z.string(),
	vout: z.number()
}));
const keyRef = exactly()(z.union([z.strictObject({
	branch: z.enum([
		"swap",
		"taker",
		"bitcoin-deposit",
		"bitcoin-change"
	]),
	index: z.number()
}), z.strictObject({ branch: z.enum([
	"arkade-wallet",
	"delegate",
	"evm-account"
]) })]));
const timeoutPolicy = exactly()(z.strictObject({
	clientLeg: seconds,
	serverLeg: seconds,
	fundingWindow: seconds,
	margin: seconds,
	longestLeg: seconds,
	routeBlocks: z.number(),
	slowBlock: seconds,
	fastBlock: seconds,
	mtpLag: seconds,
	lndCancelBlocks: z.number(),
	reactionBlocks: z.number(),
	leastClaimTime: seconds
}));
// ../..engine/legs/evm/taker-key.ts
/**
* How published clients derived the EVM key of a swap, the newest first (facts/clients.md 13): the wallet's own account, the
* key of the swap itself, and one below it. New swaps have the first.
*/
const evmKeySchemes = [
	"wallet",
	"swap",
	"below-swap"
];
// ../..engine/legs/evm/shape.ts
const evmAddress$1 = sized(20);
const evmNetworkName = z.custom((value) => typeof value === "string" && value.startsWith("evm:"));
const swapContracts = exactly()(z.strictObject({
	kind: z.enum(["erc20", "native"]),
	htlc: evmAddress$1,
	coordinator: evmAddress$1,
	htlcVersion: z.string(),
	coordinatorVersion: z.string().nullable()
}));
const lockFields = {
	preimageHash: sha256$1,
	token: evmAddress$1,
	refundAddress: evmAddress$1,
	claimAddress: evmAddress$1,
	timelock: z.bigint()
};
const lockTerms = exactly()(z.strictObject({
	...lockFields,
	amount: z.bigint()
}));
const evmCall = exactly()(z.strictObject({
	target: evmAddress$1,
	value: z.bigint(),
	data: bytes
}));
const evmSignature = exactly()(z.strictObject({
	v: z.number(),
	r: bytes,
	s: bytes
}));
const takerEvmKey = exactly()(z.strictObject({
	scheme: z.enum(evmKeySchemes),
	index: z.number()
}));
z.array(evmCall), z.bigint();
z.strictObject(lockFields), z.bigint(), z.bigint(), z.bigint();
exactly()(z.strictObject({
	depositor: evmAddress$1,
	token: evmAddress$1,
	amount: z.bigint(),
	nonce: z.bigint(),
	deadline: z.bigint(),
	signature: bytes,
	tokenPermit: z.strictObject({
		value: z.bigint(),
		deadline: z.bigint(),
		signature: z.union([evmSignature, bytes])
	}).exactOptional()
}));
z.bigint(), z.bigint(), z.bigint(), z.number();
// ../..engine/legs/only-if-shape.ts
const held$1 = exactly()(z.strictObject({
	hash: sha256$1,
	sourceAmount: sats$1,
	vhtlcRefundLocktime: unix,
	policy: timeoutPolicy
}));
const coin$2 = exactly()(z.strictObject({
	script: bytes,
	outpoint,
	sourceAmount: sats$1,
	refundLocktime: unix,
	finalCltv: z.number(),
	invoiceExpiresAt: unix,
	policy: timeoutPolicy
}));
const backing = exactly()(z.strictObject({
	script: bytes,
	outpoint,
	sourceAmount: sats$1,
	refundLocktime: unix,
	network: evmNetworkName,
	timelock: unix,
	policy: timeoutPolicy
}));
const reveal = exactly()(z.strictObject({
	script: bytes,
	outpoint,
	targetAmount: sats$1,
	refundLocktime: unix,
	policy: timeoutPolicy
}));
const deposit$1 = exactly()(z.strictObject({
	network: evmNetworkName,
	htlc: evmAddress$1,
	lock: lockTerms,
	txid: z.string(),
	confirmations: z.number(),
	agreed: z.boolean(),
	finalCltv: z.number(),
	invoiceExpiresAt: unix,
	policy: timeoutPolicy
}));
const escrow = exactly()(z.strictObject({
	network: evmNetworkName,
	htlc: evmAddress$1,
	lock: lockTerms,
	txid: z.string(),
	confirmations: z.number(),
	agreed: z.boolean(),
	htlcRefundLocktime: unix,
	policy: timeoutPolicy
}));
const offer = exactly()(z.strictObject({
	network: evmNetworkName,
	htlc: evmAddress$1,
	lock: lockTerms,
	txid: z.string(),
	confirmations: z.number(),
	agreed: z.boolean(),
	policy: timeoutPolicy
}));
const funded$6 = exactly()(z.strictObject({
	script: bytes,
	outpoint,
	sourceAmount: sats$1,
	confirmations: z.number(),
	refundLocktime: unix,
	lockRefundLocktime: unix,
	policy: timeoutPolicy
}));
const paidOut$2 = exactly()(z.strictObject({
	script: bytes,
	outpoint,
	targetAmount: sats$1,
	refundLocktime: unix,
	policy: timeoutPolicy
}));
const onlyIf$3 = exactly()(z.strictObject({
	notAfter: unix,
	held: held$1.exactOptional(),
	coin: coin$2.exactOptional(),
	backing: backing.exactOptional(),
	reveal: reveal.exactOptional(),
	deposit: deposit$1.exactOptional(),
	escrow: escrow.exactOptional(),
	offer: offer.exactOptional(),
	funded: funded$6.exactOptional(),
	paidOut: paidOut$2.exactOptional()
}));
// ../..engine/legs/arkade/shape.ts
const vhtlcTerms = exactly()(z.strictObject({
	sender: xOnly,
	receiver: xOnly,
	operator: xOnly,
	hash: hash160,
	refundLocktime: unix,
	claimDelay: seconds,
	refundDelay: seconds,
	refundWithoutReceiverDelay: seconds
}));
const onChainCoin = exactly()(z.strictObject({
	outpoint,
	amount: sats$1,
	signer: xOnly,
	exitDelay: z.number()
}));
/** The members of a coin at a VHTLC, for whatever acts on one. */
const vhtlcCoin = {
	terms: vhtlcTerms,
	script: bytes,
	key: keyRef,
	coin: outpoint
};
const purpose$1 = exactly()(z.enum([
	"lock",
	"claim",
	"refund"
]));
const taking = z.enum(["claim", "refund"]);
const yes$5 = z.literal(true).exactOptional();
const onItsWay = {
	purpose: purpose$1,
	txid: z.string(),
	coin: outpoint.exactOptional(),
	onlyIf: onlyIf$3.exactOptional()
};
shapeOf(exactly()(z.strictObject({
	do: z.literal("vhtlc.lock"),
	script: bytes,
	amount: sats$1,
	minExpiry: unix,
	ownScript: yes$5
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("vhtlc.claim"),
	...vhtlcCoin
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("vhtlc.refund"),
	...vhtlcCoin
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("vhtlc.submit"),
	...onItsWay
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("vhtlc.finalize"),
	...onItsWay
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("vhtlc.settle"),
	purpose: taking,
	taken: yes$5,
	...vhtlcCoin
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("vhtlc.exit"),
	purpose: taking,
	leastRate: z.number(),
	...vhtlcCoin
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("arkade.unroll"),
	coin: outpoint,
	mostFee: sats$1,
	deadline: unix.exactOptional()
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("arkade.sweep"),
	coins: z.array(onChainCoin),
	leastRate: z.number()
})));
// ../..engine/swap/source-shape.ts
const stray = exactly()(z.strictObject({
	outpoint,
	amount: sats$1,
	spent: z.boolean(),
	denied: z.literal(true).exactOptional()
}));
// ../..engine/swap/vhtlc-source/shape.ts
const txid$13 = z.string();
const yes$4 = z.literal(true).exactOptional();
const strays$2 = z.array(stray);
const unwatched$2 = {
	unwatched: yes$4,
	askedUntil: unix.exactOptional()
};
const funded$5 = {
	coin: outpoint,
	surplus: sats$1,
	strays: strays$2
};
/** Fields of the states that every source of this kind has, without their name. */
const sourceFields$2 = {
	funded: funded$5,
	pending: { fenced: z.boolean() },
	claiming: {
		claimTxid: txid$13.nullable(),
		exit: yes$4,
		halted: yes$4,
		...funded$5
	},
	claimed: {
		claimTxid: txid$13.nullable(),
		...funded$5,
		...unwatched$2
	},
	lost: {
		...funded$5,
		...unwatched$2
	},
	stopped: {
		why: z.enum([
			"expired",
			"invalid",
			"late",
			"wont"
		]),
		reason: z.string(),
		fenced: z.boolean(),
		strays: strays$2,
		...unwatched$2
	},
	lapsed: { fenced: z.boolean() },
	refunded: {
		refundTxid: txid$13.nullable(),
		strays: strays$2,
		...unwatched$2
	}
};
// ../..engine/swap/arkade-evm/shape.ts
const token$1 = exactly()(z.strictObject({
	address: evmAddress$1,
	decimals: z.number(),
	symbol: z.string(),
	name: z.string()
}));
const terms$11 = exactly()(z.strictObject({
	hash: sha256$1,
	sourceAmount: sats$1,
	feeSats: sats$1,
	networkFeeSats: sats$1,
	vhtlc: vhtlcTerms,
	script: bytes,
	keyIndex: z.number(),
	toleranceBps: z.number(),
	fundBefore: unix,
	minCoinExpiry: unix,
	address: z.string(),
	serverKey: publicKey$1,
	clientKeyText: z.string(),
	targetSats: sats$1,
	network: evmNetworkName,
	contracts: swapContracts,
	lock: lockTerms,
	pegged: token$1,
	target: token$1,
	targetAmount: z.custom((value) => typeof value === "bigint" && value >= 0n),
	floor: z.bigint(),
	targetAddress: evmAddress$1,
	onward: z.strictObject({
		chain: z.string(),
		usdc: z.string(),
		domain: z.number(),
		recipient: bytes,
		fee: z.bigint()
	}).exactOptional(),
	gasless: z.boolean(),
	lockBefore: unix,
	since: z.number(),
	burial: z.number(),
	policy: timeoutPolicy
}));
const txid$12 = z.string();
const doubt$2 = z.strictObject({
	since: unix,
	coin: outpoint,
	surplus: sats$1
});
const halted = { halted: unix.exactOptional() };
const relay$1 = z.strictObject({
	txid: txid$12.nullable(),
	taken: txid$12.exactOptional(),
	by: txid$12.exactOptional()
});
const locked$3 = {
	...sourceFields$2.funded,
	sent: txid$12.nullable(),
	fundTxid: txid$12
};
const attempts = {
	reverts: z.number(),
	refusal: z.string().exactOptional()
};
const claimable = {
	...locked$3,
	...attempts
};
const redeemed$2 = {
	...locked$3,
	redeemTxid: txid$12,
	relay: relay$1.nullable()
};
const returned$2 = {
	fundTxid: txid$12,
	returnTxid: txid$12
};
const shallow = exactly()(z.strictObject({
	...attempts,
	...halted,
	missing: unix.exactOptional(),
	flagged: z.literal(true).exactOptional()
}));
const { why: _$1, ...left$1 } = sourceFields$2.stopped;
function at$6(name) {
	return { at: z.literal(name) };
}
const progress$11 = exactly()(z.discriminatedUnion("at", [
	z.strictObject({
		...at$6("pending"),
		...sourceFields$2.pending
	}),
	z.strictObject({
		...at$6("funded"),
		...sourceFields$2.funded,
		...halted
	}),
	z.strictObject({
		...at$6("locking"),
		...sourceFields$2.funded,
		sent: txid$12
	}),
	z.strictObject({
		...at$6("locked"),
		...claimable
	}),
	z.strictObject({
		...at$6("relaying"),
		...claimable,
		relay: relay$1,
		...halted
	}),
	z.strictObject({
		...at$6("relayed"),
		...claimable,
		relay: relay$1
	}),
	z.strictObject({
		...at$6("refunding"),
		...locked$3,
		...halted,
		refundTxid: txid$12.nullable(),
		relay: relay$1.nullable(),
		redeemTxid: txid$12.exactOptional()
	}),
	z.strictObject({
		...at$6("claiming"),
		...sourceFields$2.claiming,
		...redeemed$2
	}),
	z.strictObject({
		...at$6("claimed"),
		...sourceFields$2.claimed,
		...redeemed$2,
		shallow: shallow.exactOptional()
	}),
	z.strictObject({
		...at$6("lost"),
		...sourceFields$2.lost,
		...redeemed$2
	}),
	z.strictObject({
		...at$6("returned"),
		...left$1,
		...returned$2
	}),
	z.strictObject({
		...at$6("stopped"),
		...sourceFields$2.stopped,
		doubt: doubt$2.exactOptional()
	}),
	z.strictObject({
		...at$6("lapsed"),
		...sourceFields$2.lapsed
	}),
	z.strictObject({
		...at$6("refunded"),
		...sourceFields$2.refunded,
		returned: z.strictObject(returned$2).exactOptional()
	})
]));
const shape$11 = {
	terms: shapeOf(terms$11),
	progress: shapeOf(progress$11)
};
// ../..engine/swap/arkade-evm/machine.ts
const statuses$4 = {
	...bothLockedStatuses,
	locking: "clientfunded",
	relaying: "clientredeeming",
	relayed: "clientredeeming",
	claiming: "clientredeemed"
};
function status$10(p) {
	return p.at === "stopped" || p.at === "refunded" ? givenBackStatus(p) : statuses$4[p.at];
}
function step$11(t, p, event, now) {
	switch (p.at) {
		case "pending": return whenPending$2(t, p, event, now);
		case "funded": return whenFunded$3(t, p, event, now);
		case "locking": return whenLocking$1(t, p, event, now);
		case "locked":
		case "relaying":
		case "relayed": return whenLocked$3(t, p, event, now);
		case "refunding": return whenRefunding$6(t, p, event, now);
		case "claiming": return whenRedeemed$1(t, p, event, now);
		case "claimed": return whenClaimed$1(t, p, event, now);
		case "lost": return whenOver$5(t, p, event, now);
		case "returned": return whenReturned$2(t, p, event, now);
		case "stopped": return whenStopped$5(t, p, event, now);
		case "lapsed": return whenLapsed(p, event);
		case "refunded": return whenRefunded$3(t, p, event, now);
	}
}
function watches$11(t, p) {
	const { network, contracts } = t;
	const vhtlc = {
		on: "vhtlc",
		terms: t.vhtlc,
		script: t.script
	};
	const { htlc } = contracts;
	const lock = {
		on: "evm-lock",
		network,
		htlc,
		hash: t.hash,
		wanted: ourLock$1(t),
		since: t.since
	};
	const sent = (purpose, txid) => txid === null ? [] : [{
		on: "evm-sent",
		network,
		purpose,
		txid
	}];
	switch (p.at) {
		case "funded": return [vhtlc, lock];
		case "locking":
		case "locked": return [
			vhtlc,
			lock,
			...sent("lock", p.sent)
		];
		case "relaying":
		case "relayed": return [
			vhtlc,
			lock,
			...sent("lock", p.sent),
			...sent("relay-claim", p.relay.txid)
		];
		case "refunding": return [
			vhtlc,
			lock,
			...sent("lock", p.sent),
			...sent("relay-claim", p.relay?.txid ?? null),
			...sent("refund", p.refundTxid)
		];
		case "claiming": return [
			vhtlc,
			lock,
			...sent("relay-claim", p.relay?.by === void 0 ? p.relay?.txid ?? null : null)
		];
		case "claimed": return p.shallow === void 0 ? [vhtlc] : [
			vhtlc,
			lock,
			...sent("relay-claim", p.relay?.txid ?? null)
		];
		case "stopped": return p.doubt === void 0 ? [vhtlc] : [vhtlc, lock];
		default: return [vhtlc];
	}
}
function deadline$10(t, p) {
	switch (p.at) {
		case "pending": return t.fundBefore;
		case "locked":
		case "relaying":
		case "relayed":
		case "refunding": return Number(t.lock.timelock);
		case "stopped":
		case "claimed":
		case "lost":
		case "refunded":
		case "returned": return leftDeadline$2(t, p);
		default: return null;
	}
}
function open$5(_, p) {
	return addressOpen(p) || p.at === "claimed" && p.shallow !== void 0;
}
const nextActions$2 = {
	pending: "the client funds the VHTLC",
	funded: "we lock on the EVM chain",
	locking: "the EVM chain takes our lock",
	locked: "the client claims our lock",
	relaying: "we send the client's claim",
	relayed: "the EVM chain takes the client's claim",
	refunding: "we take our lock back",
	claiming: "we claim the VHTLC",
	claimed: "nothing: it is over",
	lost: "nothing: it is over",
	returned: "the client takes the refund",
	stopped: "the client takes the refund",
	lapsed: "nothing: it is over",
	refunded: "nothing: it is over"
};
function nextAction$4(t, p) {
	if (p.at === "claimed" && p.shallow !== void 0) return p.shallow.missing === void 0 ? "the EVM chain buries the client's claim" : "the client claims our lock once more: a reorganisation took its claim";
	if (p.at !== "stopped" && p.at !== "returned") return nextActions$2[p.at];
	return p.strays.length === 0 ? "nothing: it was never funded" : `${nextActions$2[p.at]}, alone from ${t.vhtlc.refundLocktime} on`;
}
const arkadeEvm = {
	name: "arkade-evm",
	shape: shape$11,
	notes: ["refund"],
	step: step$11,
	watches: watches$11,
	deadline: deadline$10,
	status: status$10,
	open: open$5,
	reserves: (p) => p.at === "pending" || p.at === "funded" || p.at === "locking",
	untold: () => false,
	hash160: (t) => t.vhtlc.hash,
	unfunded: {
		ends: ["lapsed"],
		locktime: ({ vhtlc }) => vhtlc.refundLocktime,
		script: ({ script }) => script
	},
	rescue: rescue$10,
	nextAction: nextAction$4
};
// ../..engine/swap/payment.ts
function lateOf({ late }) {
	return late === void 0 ? {} : { late };
}
/** Called off, and its payment may still come. */
function isLate(p) {
	return (p.at === "stopped" || p.at === "refunded") && p.late !== void 0;
}
/** What clients are told of a swap that pays over Lightning; why it was stopped is told by `stoppedStatuses`. */
const payoutStatuses = {
	pending: "pending",
	funded: "clientfunded",
	paying: "serverfunded",
	claiming: "clientredeemed",
	claimed: "serverredeemed",
	lost: "clientredeemedandclientrefunded",
	lapsed: "expired",
	refunded: "clientrefunded"
};
function paymentStep(t, p, event, now) {
	switch (event.is) {
		case "payment.started": return p.at === "funded" ? {
			is: "begun",
			late: doubt$1(event)
		} : "stay";
		case "payment.refused": return p.at === "funded" ? {
			is: "failed",
			reason: event.reason,
			late: doubt$1(event)
		} : "stay";
		case "payment.seen": return whenSeen$6(t, p, event, now);
		default: return "stay";
	}
}
function whenSeen$6(t, p, event, now) {
	const { state } = event;
	switch (state.is) {
		case "settled": return state;
		case "failed": return {
			is: "failed",
			reason: state.reason,
			late: p.at === "paying" ? lateOf(p) : doubt$1(event)
		};
		case "in-flight": return p.at === "funded" ? {
			is: "begun",
			late: doubt$1(event)
		} : "stay";
		case "absent": return p.at === "paying" && timedOut(t, now) ? {
			is: "failed",
			reason: "the Lightning node lost the payment and every HTLC of it has timed out",
			late: {}
		} : "stay";
	}
}
function doubt$1({ unsure }) {
	return unsure === true ? { late: "maybe" } : {};
}
/** No HTLC of the payment can be left, nor any block that resolves one be missing. */
function timedOut({ maxTimeoutHeight }, now) {
	return now.bitcoin.height !== null && now.bitcoin.height > maxTimeoutHeight + 144;
}
/**
* The swap was called off, and a call that got no answer may start its payment all the same: watched until no HTLC of it
* can be left (facts/faults.md 55). What it means that it settled after all, the direction says.
*/
function whenLate(t, p, { state, now }, settles) {
	if (state.is === "settled") return settles(state);
	const news = lateNews(t, p, state, now);
	if (news === null) return "stay";
	const { late: _, ...rest } = p;
	return move({
		...rest,
		...news
	});
}
/** Null where nothing changes. */
function lateNews(t, { late }, state, now) {
	if (late === void 0) return null;
	if (state.is === "in-flight") return late === "in-flight" ? null : { late: "in-flight" };
	if (timedOut(t, now)) return {};
	return state.is === "failed" && late === "in-flight" ? { late: "maybe" } : null;
}
/** What the route of a settled payment took. */
function routingCost({ feeMsat }) {
	return {
		kind: "lightning-fee-paid",
		...msat("lightning", -feeMsat)
	};
}
// ../..engine/swap/arkade-lightning/over.ts
/** The swap will not be paid: its coins are watched, and their refund is signed. */
function whenStopped$4(t, p, event, now) {
	if (event.is === "payment.seen") return whenLate(t, p, {
		state: event.state,
		now
	}, (settled) => lateSettlement$1(t, p, settled));
	if (event.is === "refund.cosign.requested" && p.late === "in-flight" && !p.fenced) return "stay";
	const outcome = whenStopped$6(t, p, event, now);
	return outcome === "stay" || outcome.progress === p || outcome.progress.at === "lapsed" ? outcome : {
		...outcome,
		progress: {
			...outcome.progress,
			...lateOf(p)
		}
	};
}
/** The client has its coins back; a payment that was called off may still come. */
function whenRefunded$2(t, p, event, now) {
	if (event.is === "payment.seen") return p.late === void 0 ? "stay" : whenLate(t, p, {
		state: event.state,
		now
	}, (settled) => lateSettlement$1(t, p, settled));
	return whenRefunded$3(t, p, event, now);
}
/** A payment that was called off was made all the same. */
function lateSettlement$1(t, p, settled) {
	const { preimage } = settled;
	const coin = p.strays.filter((stray) => !stray.spent).reduce((most, stray) => most === null || stray.amount > most.amount ? stray : most, null);
	if (coin === null || p.at === "refunded" || p.fenced) {
		const { late, ...rest } = p;
		return {
			progress: late === void 0 ? p : rest,
			effects: [],
			learned: preimage,
			flag: "A payment that had failed settled after all, and the VHTLC is refunded or may be.",
			...late === void 0 ? {} : { ledger: [routingCost(settled), {
				kind: "loss",
				...btc$1("arkade", -t.targetAmount)
			}] }
		};
	}
	const funded = {
		coin: coin.outpoint,
		surplus: noSats,
		strays: p.strays.filter((stray) => stray !== coin)
	};
	return {
		progress: {
			at: "claiming",
			claimTxid: null,
			...funded
		},
		effects: [claimEffect$4(t, funded)],
		learned: preimage,
		ledger: [routingCost(settled)],
		flag: "A payment that had failed settled after all."
	};
}
seconds$1(86400), seconds$1(43200), seconds$1(1800), seconds$1(7200), seconds$1(604800), seconds$1(750), seconds$1(450), seconds$1(10800), seconds$1(7200);
// ../..engine/legs/safety/pay.ts
/**
* Starting a Lightning payment against the client's VHTLC. Wrong: the payment settles when the client can refund, and
* the payout is lost.
*/
function safeToPay(pay, clocks, policy) {
	if (!isRead(clocks)) return unread;
	return coinHolds(pay.coin, pay.sourceAmount, pay.refundLocktime + policy.margin) ?? timeToPay(pay, clocks, clocks.bitcoin, policy);
}
/**
* The same against the client's lock on an EVM chain, whose own clock opens the refund (facts/faults.md 36).
*/
function safeToPayForLock(pay, clocks, policy) {
	if (!isRead(clocks)) return unread;
	const evm = clocks[pay.network];
	const { mtp } = evm ?? { mtp: null };
	if (evm === void 0 || mtp === null) return wait("The clock of the chain with the lock has not been read yet.");
	const time = timeToPay(pay, clocks, {
		...evm,
		mtp
	}, policy);
	if (time !== null) return time;
	const deep = deepEnough(pay);
	if (deep !== null) return deep;
	return evm.doubt === void 0 ? null : wait(evm.doubt);
}
function timeToPay(pay, clocks, lockedOn, policy) {
	if (clocks.wall > invoicePayableUntil(pay.invoiceExpiresAt)) return never(`The invoice expires at ${pay.invoiceExpiresAt}; it must live ${invoiceSpare} seconds longer than now.`);
	const { refundLocktime } = pay;
	const limit = Math.min(pay.maxTimeoutHeight, payHeight({
		clocks,
		evm: lockedOn,
		refundLocktime,
		policy
	}));
	const needed = (furthest(clocks.bitcoin).height ?? clocks.bitcoin.height) + pay.finalCltv + 3;
	if (limit < needed) return never(`The payment could time out at height ${needed} at the earliest; it must be over by height ${limit}.`);
	return unlessDoubted(clocks);
}
// ../..engine/swap/arkade-lightning/terms.ts
/** No payment will be made: what lies at the address is the client's to take back. */
function stop(why, reason, strays, late = {}) {
	return move({
		...stopped$3(why, reason, false, strays),
		...late
	});
}
// ../..engine/swap/arkade-lightning/paying.ts
/** Waiting for the client's coin; takes the first that is right and safe to pay against. */
function whenPending$1(t, p, event, now) {
	if (event.is === "refund.cosign.requested") return move(p.fenced ? p : {
		at: "pending",
		fenced: true
	});
	if (event.is !== "vhtlc.seen") return "stay";
	const seen = fundingSeen(t, p, event, now);
	if (seen.is === "nothing") return "stay";
	if (seen.is === "stopped") return move(seen.progress);
	const { coin, funded } = seen;
	const unsafe = safeToPay({
		coin,
		...paymentFacts(t)
	}, now, t.policy);
	if (unsafe === null) return move({
		at: "funded",
		...funded
	}, payEffect$1(t, funded));
	return unsafe.unsafe === "wait" ? "stay" : stop("late", unsafe.sentence, ownCoins$1(t, funded));
}
function paymentFacts(t) {
	return {
		sourceAmount: t.sourceAmount,
		refundLocktime: t.vhtlc.refundLocktime,
		maxTimeoutHeight: t.maxTimeoutHeight,
		finalCltv: t.finalCltv,
		invoiceExpiresAt: t.invoiceExpiresAt
	};
}
function payEffect$1(t, p) {
	return {
		do: "pay",
		payment: {
			bolt11: t.bolt11,
			hash: t.hash,
			amount: t.targetAmount,
			maxFeeMsat: t.maxFeeMsat,
			maxTimeoutHeight: t.maxTimeoutHeight
		},
		onlyIf: {
			notAfter: t.payBefore,
			coin: {
				script: t.script,
				outpoint: p.coin,
				sourceAmount: t.sourceAmount,
				refundLocktime: t.vhtlc.refundLocktime,
				finalCltv: t.finalCltv,
				invoiceExpiresAt: t.invoiceExpiresAt,
				policy: t.policy
			}
		}
	};
}
/** Paying or about to pay: the payment's fate alone decides, whatever becomes of the coin. */
function whilePaying$1(t, p, event, now) {
	if (event.is === "vhtlc.seen") {
		const next = withStrays$1(p, event);
		return next === p ? "stay" : move(next);
	}
	const step = paymentStep(t, p, event, now);
	if (step === "stay") return "stay";
	switch (step.is) {
		case "begun": return move({
			at: "paying",
			...fundedOf$1(p),
			...step.late
		});
		case "failed": return stop("wont", step.reason, ownCoins$1(t, p), step.late);
		case "settled": return {
			progress: {
				at: "claiming",
				claimTxid: null,
				...fundedOf$1(p)
			},
			effects: [claimEffect$4(t, p)],
			learned: step.preimage,
			ledger: [routingCost(step)]
		};
	}
}
/** The payment settled, and its preimage takes the coin. */
const ends$5 = (t) => ({
	claimed: (p, claimTxid) => ({
		at: "claimed",
		claimTxid,
		...fundedOf$1(p)
	}),
	lost: (p) => ({
		progress: {
			at: "lost",
			...fundedOf$1(p)
		},
		effects: [],
		supersedes: true,
		ledger: [{
			kind: "loss",
			...btc$1("arkade", -t.targetAmount)
		}],
		flag: "The client took the VHTLC back although the payment had settled."
	})
});
// ../..engine/swap/arkade-lightning/rescue.ts
/** From the moment at which the payment is asked for. */
function rescue$9(t, p) {
	const ours = {
		on: "lightning",
		hash: t.hash
	};
	switch (p.at) {
		case "funded":
		case "paying": return hidden(vhtlcToClaim(t, p.coin), ours);
		case "claiming":
		case "claimed": return shown$2(vhtlcToClaim(t, p.coin), ours);
		case "stopped": return p.late === void 0 || p.fenced ? null : hidden(vhtlcToClaim(t, null), ours);
		default: return null;
	}
}
// ../..engine/swap/arkade-lightning/shape.ts
const terms$10 = exactly()(z.strictObject({
	hash: sha256$1,
	sourceAmount: sats$1,
	targetAmount: sats$1,
	feeSats: sats$1,
	networkFeeSats: sats$1,
	vhtlc: vhtlcTerms,
	script: bytes,
	address: z.string(),
	keyIndex: z.number(),
	serverKey: publicKey$1,
	clientKeyText: z.string(),
	bolt11: z.string(),
	invoiceExpiresAt: unix,
	maxFeeMsat: z.bigint(),
	maxTimeoutHeight: z.number(),
	toleranceBps: z.number(),
	fundBefore: unix,
	payBefore: unix,
	minCoinExpiry: unix,
	finalCltv: z.number(),
	policy: timeoutPolicy
}));
const late$3 = { late: z.enum(["maybe", "in-flight"]).exactOptional() };
function at$5(name) {
	return { at: z.literal(name) };
}
const progress$10 = exactly()(z.discriminatedUnion("at", [
	z.strictObject({
		...at$5("pending"),
		...sourceFields$2.pending
	}),
	z.strictObject({
		...at$5("funded"),
		...sourceFields$2.funded
	}),
	z.strictObject({
		...at$5("paying"),
		...sourceFields$2.funded,
		...late$3
	}),
	z.strictObject({
		...at$5("claiming"),
		...sourceFields$2.claiming
	}),
	z.strictObject({
		...at$5("claimed"),
		...sourceFields$2.claimed
	}),
	z.strictObject({
		...at$5("lost"),
		...sourceFields$2.lost
	}),
	z.strictObject({
		...at$5("stopped"),
		...sourceFields$2.stopped,
		...late$3
	}),
	z.strictObject({
		...at$5("lapsed"),
		...sourceFields$2.lapsed
	}),
	z.strictObject({
		...at$5("refunded"),
		...sourceFields$2.refunded,
		...late$3
	})
]));
const shape$10 = {
	terms: shapeOf(terms$10),
	progress: shapeOf(progress$10)
};
// ../..engine/swap/arkade-lightning/machine.ts
function status$9(p) {
	return p.at === "stopped" ? stoppedStatuses[p.why] : payoutStatuses[p.at];
}
function step$10(t, p, event, now) {
	switch (p.at) {
		case "pending": return whenPending$1(t, p, event, now);
		case "funded":
		case "paying": return whilePaying$1(t, p, event, now);
		case "claiming": return whenClaiming$7(t, p, event, now, ends$5(t));
		case "stopped": return whenStopped$4(t, p, event, now);
		case "claimed":
		case "lost": return whenOver$5(t, p, event, now);
		case "lapsed": return whenLapsed(p, event);
		case "refunded": return whenRefunded$2(t, p, event, now);
	}
}
function watches$10(t, p) {
	const vhtlc = {
		on: "vhtlc",
		terms: t.vhtlc,
		script: t.script
	};
	const payment = {
		on: "payment",
		hash: t.hash
	};
	return p.at === "paying" || isLate(p) ? [payment, vhtlc] : [vhtlc];
}
function deadline$9(t, p) {
	switch (p.at) {
		case "pending": return t.fundBefore;
		case "stopped":
		case "claimed":
		case "lost":
		case "refunded": return leftDeadline$2(t, p);
		default: return null;
	}
}
function nextAction$3(t, p) {
	if (p.at === "refunded" && isLate(p)) return "nothing, unless a payment arrives that was called off";
	switch (p.at) {
		case "pending": return "the client funds the VHTLC";
		case "funded": return "we pay the invoice";
		case "paying": return "the Lightning network carries the payment";
		case "claiming": return "we claim the VHTLC";
		case "stopped": return p.strays.length === 0 ? "nothing: it was never funded" : `the client takes the refund, alone from ${t.vhtlc.refundLocktime} on`;
		default: return "nothing: it is over";
	}
}
const arkadeLightning = {
	name: "arkade-lightning",
	shape: shape$10,
	notes: ["payment", "refund"],
	step: step$10,
	watches: watches$10,
	deadline: deadline$9,
	status: status$9,
	open: (_, p) => addressOpen(p) || isLate(p),
	reserves: (p) => p.at === "pending" || p.at === "funded",
	untold: () => false,
	hash160: (t) => t.vhtlc.hash,
	unfunded: {
		ends: ["lapsed"],
		locktime: ({ vhtlc }) => vhtlc.refundLocktime,
		script: ({ script }) => script
	},
	rescue: rescue$9,
	nextAction: nextAction$3
};
// ../..engine/legs/onchain/timelocks.ts
/** A block takes longer than this once in 400 times, and two more than twice as long once in 12,000 (facts/timelocks.md 27). */
const longBlock = hour;
/**
* Seconds from the first confirmation of a coin to the last that is waited for: nothing where one is enough. Wrong: a coin that was mined in time
* finds too little left for its swap.
*/
function burialWait(confirmations) {
	return seconds$1((confirmations - 1) * longBlock);
}
/** The last moment of median time past at which a coin may be in no block yet: later its last confirmation would come after `lockBefore`. */
function mineBefore(lockBefore, confirmations) {
	return unix$1(Math.max(0, lockBefore - burialWait(confirmations)));
}
/**
* From this moment of median time past on a coin of the client's is not surely ours any more: a claim that is begun then may be
* mined after the client's refund has opened.
*/
function claimLine(refundLocktime, { mtpLag, margin }) {
	return unix$1(Math.max(0, refundLocktime - mtpLag - margin));
}
// ../..engine/swap/onchain-source/coins.ts
/**
* Coins that are listed beside the swap's own: anybody can send more, and their owner needs nobody to take them back. What lies there comes before
* what is spent, and what is in a block before what waits, which costs its maker nothing.
*/
const mostStrays$1 = 20;
/** A coin of less than one part in this many is no attempt to pay the amount: dust by which a stranger could end the swap (facts/faults.md 7). */
const decoyShare$1 = 2n;
/** Of a coin that can be accepted. */
function mostOf({ sourceAmount, toleranceBps }) {
	return plus(sourceAmount, bpsDown(sourceAmount, toleranceBps));
}
/**
* Judges what a client funded (DECISIONS.md, "What counts as funding"). Coins beside a right one are ignored, and so are decoys; what is
* wrong is so only in a block, for what waits in a mempool may still be replaced. `used` stays the swap's as long as it will do.
*/
function judgeFunding(t, coins, used) {
	const present = coins.filter(({ spend }) => spend === null);
	const right = present.filter(({ amount }) => amount >= t.sourceAmount && amount <= mostOf(t)).sort(stableOrder$1);
	const best = (of) => of.find(({ outpoint }) => used !== null && sameOutpoint(outpoint, used)) ?? of.find(({ amount }) => amount === t.sourceAmount) ?? of[0];
	const chosen = best(right.filter(({ height }) => height !== null)) ?? best(right);
	if (chosen !== void 0) return {
		is: "right",
		height: chosen.height,
		own: ownOf(t, chosen)
	};
	const wrong = present.filter(({ amount, height }) => height !== null && amount * decoyShare$1 >= t.sourceAmount).sort((a, b) => Number(b.amount - a.amount))[0];
	if (wrong === void 0) return { is: "none" };
	return {
		is: "wrong",
		reason: reasonOf$5(t, wrong.amount)
	};
}
function reasonOf$5(t, amount) {
	return amount < t.sourceAmount ? `the coin holds ${amount} sats, ${less(t.sourceAmount, amount)} less than the ${t.sourceAmount} agreed` : `the coin holds ${amount} sats, more than the ${mostOf(t)} that can be accepted`;
}
function ownOf({ sourceAmount }, { outpoint, amount }) {
	return {
		coin: outpoint,
		surplus: minus(amount, sourceAmount)
	};
}
/** Oldest first, then by outpoint: two looks at the same coins choose the same one. */
function stableOrder$1(a, b) {
	if (a.height !== b.height) return (a.height ?? Infinity) - (b.height ?? Infinity);
	return outpointKey(a.outpoint) < outpointKey(b.outpoint) ? -1 : 1;
}
function strayRank({ height, spend }) {
	return ((spend?.height ?? null) === null ? 0 : 2) + (height === null ? 1 : 0);
}
/** The coins at the script but `used`, the largest of those that matter, in a stable order. One that is listed no more is gone. */
function straysBeside$1(coins, used) {
	const largest = (a, b) => Number(b.amount - a.amount) || (outpointKey(a.outpoint) < outpointKey(b.outpoint) ? -1 : 1);
	return coins.filter(({ outpoint }) => used === null || !sameOutpoint(outpoint, used)).sort((a, b) => strayRank(a) - strayRank(b) || largest(a, b)).slice(0, mostStrays$1).sort(largest).map(({ outpoint, amount, spend }) => ({
		outpoint,
		amount,
		spent: spend !== null && spend.height !== null
	}));
}
/** The swap's own coin, where the event shows it. */
function ownCoin$1(p, coins) {
	return coins.find(({ outpoint }) => sameOutpoint(outpoint, p.coin)) ?? null;
}
// ../..engine/swap/onchain-source/terms.ts
/** The part of a state that stays the swap's from funding to claim. */
function fundedOf(p) {
	const { coin, surplus, strays } = p;
	return {
		coin,
		surplus,
		strays,
		...p.gone === void 0 ? {} : { gone: p.gone }
	};
}
/** The client's coin as one that is its own again, beside the others at the address. */
function ownCoins(t, p) {
	return [{
		outpoint: p.coin,
		amount: t.sourceAmount + p.surplus,
		spent: false
	}, ...p.strays];
}
function stopped$2(why, reason, strays) {
	return {
		at: "stopped",
		why,
		reason,
		strays
	};
}
// ../..engine/swap/onchain-source/funding.ts
/** What is said of a coin that came, or was mined, too late. */
const tooLate$1 = "the coin was not mined in time to give anything for it";
/**
* Waiting for the client's coin: the first that is right is the swap's once it is deep enough. Its first confirmation decides whether it came
* in time: what is in a block is waited for until nothing more can be given.
*/
function whenLooked$2(t, p, event, now) {
	const { coins } = event;
	const sight = judgeFunding(t, coins, p.at === "seen" ? p.coin : null);
	const all = straysBeside$1(coins, null);
	const late = isPast(mineBefore(t.lockBefore, t.confirmations), now);
	if (sight.is === "wrong") return {
		is: "moved",
		progress: stopped$2("invalid", sight.reason, all)
	};
	if (sight.is === "none") {
		const vanished = p.vanished || p.at === "seen";
		if (event.asked >= t.fundBefore && (late || !vanished)) return {
			is: "moved",
			progress: hasUnspent(all) ? stopped$2("invalid", "what was sent is not what was agreed", all) : stopped$2("expired", "nothing was sent in time", all)
		};
		if (p.at === "pending" && sameStrays$1(all, p.strays)) return { is: "nothing" };
		return {
			is: "moved",
			progress: {
				at: "pending",
				strays: all,
				vanished
			}
		};
	}
	const { own, height } = sight;
	const mined = height !== null;
	if (mined ? isPast(t.lockBefore, now) : late) return {
		is: "moved",
		progress: stopped$2("late", tooLate$1, all)
	};
	const strays = straysBeside$1(coins, own.coin);
	if (mined && confirmationsAt(height, event.height) >= t.confirmations) return {
		is: "deep",
		funded: {
			...own,
			strays
		}
	};
	return p.at === "seen" && sameStrays$1(strays, p.strays) && ownCoin$1(p, coins) !== null ? { is: "nothing" } : {
		is: "moved",
		progress: {
			at: "seen",
			...own,
			strays,
			vanished: p.vanished
		}
	};
}
/** By the chain's clock, so that a machine that slept through the funding window gives for what came in it. */
function isPast(moment, { bitcoin }) {
	const { mtp } = furthest(bitcoin);
	return mtp !== null && mtp > moment;
}
/**
* What becomes of the coin that something is given for: another right one takes its place, where a reorganisation left that
* one instead, and a person is told once of one that is gone (facts/faults.md 13).
*/
function whenFunded$2(t, p, { coins }, mayChange = true) {
	const own = ownCoin$1(p, coins);
	const { gone: _, ...rest } = p;
	const strays = straysBeside$1(coins, p.coin);
	const flag = own === null ? reorganised : tookBack(own) ? takenBack$2 : null;
	if (flag === null) return p.gone === void 0 && sameStrays$1(strays, p.strays) ? "stay" : move({
		...rest,
		strays
	});
	const other = own === null && mayChange ? otherCoin(t, coins) : null;
	if (other !== null) return move({
		...rest,
		...other,
		strays: straysBeside$1(coins, other.coin)
	});
	return p.gone === true ? "stay" : {
		progress: {
			...p,
			strays,
			gone: true
		},
		effects: [],
		flag
	};
}
const reorganised = "The client’s coin is not on the Bitcoin chain any more although it was mined: a reorganisation took it, and it may come again.";
const takenBack$2 = "The client took its bitcoin back after its locktime, while what was given for it is not ours again.";
/** By the client, in a block. */
function tookBack({ spend }) {
	return spend?.by === "refund" && spend.height !== null;
}
/** A right coin in place of one that is gone. */
function otherCoin(t, coins) {
	const sight = judgeFunding(t, coins, null);
	return sight.is === "right" ? sight.own : null;
}
// ../..engine/swap/onchain-source/over.ts
/** Nothing is given for the coins at the address: they are watched until their owner has them back. */
function whenStopped$3(t, p, event, now) {
	if (event.is === "htlc.seen") return stoppedCoins(p, event.coins);
	if (event.is !== "clock") return "stay";
	if (p.strays.length > 0) return leftAlone$1(t, p, now);
	if (p.unwatched === true || !locktimePassed(t.htlc.refundLocktime, now.bitcoin)) return "stay";
	return p.why === "expired" ? move({ at: "lapsed" }) : move({
		...p,
		unwatched: true
	});
}
function stoppedCoins(p, coins) {
	const strays = straysBeside$1(coins, null);
	if (strays.length > 0 && !hasUnspent(strays)) return move({
		at: "refunded",
		clientTxid: coins[0]?.spend?.txid ?? null,
		strays
	});
	if (sameStrays$1(strays, p.strays)) return "stay";
	return p.why === "expired" && strays.length > 0 ? move(stopped$2("late", "the coin came after the funding window", strays)) : move({
		...p,
		strays
	});
}
/** Done with its own coin, or refunded; others at the same address are listed. */
function whenOver$4(t, p, event, now) {
	if (event.is === "clock") return leftAlone$1(t, p, now);
	if (event.is !== "htlc.seen") return "stay";
	const strays = straysBeside$1(event.coins, p.coin ?? null);
	return sameStrays$1(strays, p.strays) ? "stay" : move({
		...p,
		strays
	});
}
/**
* A coin that its owner never takes would be watched for ever, and dust costs a stranger next to nothing: a day after
* the client can help itself the watch ends.
*/
function leftAlone$1(t, p, now) {
	return hasUnspent(p.strays) && p.unwatched !== true && locktimePassed(leftAloneAt$1(t), now.bitcoin) ? move({
		...p,
		unwatched: true
	}) : "stay";
}
function leftAloneAt$1({ htlc }) {
	return after(htlc.refundLocktime, day);
}
/** When time alone moves a state of whose coins only strays are left; null when none can. */
function leftDeadline$1(t, p) {
	if (p.unwatched === true) return null;
	if (p.at === "stopped" && p.strays.length === 0) return t.htlc.refundLocktime;
	return hasUnspent(p.strays) ? leftAloneAt$1(t) : null;
}
// ../..engine/swap/onchain-source/watches.ts
/** Of the coins beside the swap's own so many are asked after by name, the largest: each is a question in every look (facts/faults.md 89). */
const mostNamed = 3;
/** The coins at the HTLC, and what takes those that were seen: one that is spent is listed nowhere any more. */
function coinsWatch(t, p) {
	const own = p.coin === void 0 ? [] : [{
		outpoint: p.coin,
		amount: sats$2(t.sourceAmount + (p.surplus ?? 0n))
	}];
	const strays = (p.strays ?? []).slice(0, mostNamed).map(({ outpoint, amount }) => ({
		outpoint,
		amount
	}));
	return {
		on: "htlc",
		terms: t.htlc,
		script: t.htlcScript,
		since: t.since,
		agreed: {
			least: t.sourceAmount,
			most: mostOf(t)
		},
		coins: [...own, ...strays]
	};
}
// ../..engine/legs/safety/refund.ts
/**
* Refunding the leg that we funded, by its locktime leaf. Wrong: too early it is refused and may strand the coin. That
* the client has not claimed it is the state's to know: a swap that saw the claim never asks.
*/
function safeToRefund(refund, clocks) {
	const { mtp } = furthest(clocks.bitcoin);
	if (mtp === null) return unread;
	if (!locktimePassed(refund.refundLocktime, { mtp })) return wait(`The refund opens when median time past is above ${refund.refundLocktime}; it is ${mtp}.`);
	return null;
}
// ../..engine/swap/vhtlc-target/seen.ts
/** The coin of our lock, where the event shows it. */
function lockedCoin(p, event) {
	if (event.is !== "vhtlc.seen") return null;
	return event.coins.find((coin) => sameOutpoint(coin.outpoint, p.lock)) ?? null;
}
/** The client's batch is over our lock, whatever else it took. */
function relayed$1(p, event) {
	return event.is === "claim.relayed" && event.coins.some((coin) => sameOutpoint(coin, p.lock));
}
/**
* The client's claim, of exactly our lock, with a preimage that fits: from here on we only finish. The transaction of a
* claim is the one that made the client's coin, which clients compare with what lies at their address (facts/clients.md 24);
* a claim through a batch has none that we know, and its commitment is another one.
*/
function claimShown({ hash }, p, event, now) {
	if (event.is === "claim.relayed") {
		const preimage = relayed$1(p, event) ? preimageMatches(hash, event.preimage) : null;
		return preimage && {
			preimage,
			txid: null,
			is: "fact"
		};
	}
	const coin = lockedCoin(p, event);
	const spend = coin && leafOf(coin);
	if (coin === null || spend?.leaf !== "claim") return null;
	const preimage = preimageMatches(hash, spend.preimage);
	const is = !coin.spent ? "queued" : stands(coin, now) ? "fact" : "on-chain";
	return preimage && {
		preimage,
		txid: coin.spentIn ?? null,
		is
	};
}
const lockDenied = "The operator reports our VHTLC as spent by a transaction that fits none of its leaves: use another operator, and bring the coin to the chain if you can.";
/** The operator says "spent", and does not show by which leaf, or shows none of its leaves: its word is not the script's verdict. */
function unexplained(p, event, stays) {
	const coin = lockedCoin(p, event);
	if (coin === null || !coin.spent) return null;
	if (coin.spend === "hidden") return {
		progress: p,
		effects: [],
		flag: `Our VHTLC expired and a batch took it, which may be the client's: the operator does not show by which leaf. ${stays}`
	};
	return coin.spend === "unknown" ? {
		progress: p,
		effects: [],
		distrust: true,
		flag: lockDenied
	} : null;
}
/** Told once: from here on what the client gave may go back to it while it can still claim. */
function lateAlarm(t, p, now, fate) {
	const flag = fate.late(t, p, now);
	return flag === null || p.alarmed === true ? "stay" : {
		progress: {
			...p,
			alarmed: true
		},
		effects: [],
		flag
	};
}
// ../..engine/swap/vhtlc-target/refunding.ts
function ours$3(t, p) {
	return {
		terms: t.vhtlc,
		script: t.script,
		key: {
			branch: "swap",
			index: t.keyIndex
		},
		coin: p.lock
	};
}
function refundEffect$2(t, p) {
	return {
		do: "vhtlc.refund",
		...ours$3(t, p)
	};
}
/** A batch has the coin, and no trace of it says whose it was: that is found by what it pays. */
function whoseBatch(t, p) {
	return {
		do: "vhtlc.settle",
		purpose: "refund",
		...ours$3(t, p),
		taken: true
	};
}
function refundOf$6(t, fate) {
	return {
		purpose: "refund",
		ours: (p) => ours$3(t, p),
		sent: (p) => p.refundTxid,
		withSent: (p, refundTxid) => ({
			...p,
			refundTxid
		}),
		taken: (p, txid, costs) => refunded$3(t, p, txid, fate, costs),
		denied: lockDenied
	};
}
/** Our refund is on its way; a claim that came first wins. */
function whenRefunding$5(t, p, event, now, fate) {
	if (event.is === "claim.relayed" && !event.fact) return whenClaimRelayed(t, p, event);
	const claim = claimShown(t, p, event, now);
	const claimed = claim && fate.beaten(t, p, claim, now);
	if (claimed !== null) return claimed;
	const undecided = event.is === "clock" || lockedCoin(p, event)?.spend === "hidden";
	const trusted = p.told === true && p.exit !== true && undecided && fate.late(t, p, now) !== null ? fate.trusted(t, p, event) : null;
	if (trusted !== null) return trusted;
	if (event.is === "vhtlc.seen") return refundTaken(t, p, event, now, fate);
	return whileTaking(refundOf$6(t, fate), p, event) ?? lateAlarm(t, p, now, fate);
}
/**
* A batch took the coin before the client told us: its own, whose end we missed, or the one of our refund. The secret opens
* nothing until that is known, or both legs were ours (facts/faults.md 40).
*/
function whenClaimRelayed(t, p, event) {
	const preimage = preimageMatches(t.hash, event.preimage);
	if (preimage === null || !relayed$1(p, event) || p.told === true) return "stay";
	return {
		progress: {
			...p,
			told: true
		},
		effects: p.exit === true ? [] : [whoseBatch(t, p)],
		learned: preimage
	};
}
/** Only we can sign the refund leaf alone: a refund of ours whose end was forgotten, in a restored database for one. */
function refundTaken(t, p, event, now, fate) {
	const coin = lockedCoin(p, event);
	const step = coin === null ? null : whenCoinSeen$2(refundOf$6(t, fate), p, coin, now);
	if (step !== null) return step;
	if (coin === null || leafOf(coin)?.leaf !== "refund-without-receiver") return lateAlarm(t, p, now, fate);
	if (p.refundTxid !== null && (p.exit === true || coin.spentIn === p.refundTxid)) return "stay";
	const refundTxid = coin.settledBy ?? coin.spentIn;
	return refundTxid === null || !stands(coin, now) ? "stay" : refunded$3(t, p, refundTxid, fate);
}
function refunded$3(t, p, refundTxid, fate, costs = []) {
	return {
		...fate.refunded(t, p, refundTxid),
		...p.exit === true ? { supersedes: true } : {},
		...costs.length === 0 ? {} : { ledger: costs }
	};
}
// ../..engine/swap/vhtlc-target/locked.ts
/** The VHTLC is out: the client claims it, or we take it back after its locktime. */
function whenLocked$2(t, p, event, now, fate) {
	const claim = claimShown(t, p, event, now);
	if (claim !== null) return fate.claimed(t, p, claim);
	if (event.is === "clock" && safeToRefund({ refundLocktime: t.vhtlc.refundLocktime }, now) === null) return move({
		at: "refunding",
		refundTxid: null,
		...fate.kept(p)
	}, refundEffect$2(t, p));
	const alarm = unexplained(p, event, fate.stays) ?? lateAlarm(t, p, now, fate);
	return alarm === "stay" ? onChain(p, event) : alarm;
}
/** The client may still claim there, and so will we look there; but our change came along, which no swap can use. */
function onChain(p, event) {
	if (lockedCoin(p, event)?.unrolled !== true || p.alarmed === true) return "stay";
	return {
		progress: p,
		effects: [],
		flag: "Somebody brought our VHTLC to the chain, and with it the change of the same transaction: that leaves the balance, and moves on the chain alone."
	};
}
// ../..engine/swap/vhtlc-target/locking.ts
/** Asks for the lock: prepared, and not sent. */
function lockEffect(t) {
	return {
		do: "vhtlc.lock",
		script: t.script,
		amount: t.targetAmount,
		minExpiry: t.minCoinExpiry,
		ownScript: true
	};
}
/** Prepared but not sent: this commit is the write-ahead record of the lock, and the last look before it. */
function whenReady(t, p, event, now, of) {
	if (event.is === "vhtlc.refused" && event.purpose === "lock") return of.declined(t, p, event.reason);
	if (event.is === "clock" && (furthest(now.bitcoin).mtp ?? now.wall) > t.lockBefore) return of.declined(t, p, "too little time is left for the client to claim");
	if (event.is === "vhtlc.seen") return lockFound(t, p, event, of);
	if (event.is !== "vhtlc.prepared" || event.purpose !== "lock") return "stay";
	const unsafe = of.judge(t, p, now);
	if (unsafe !== null) return of.declined(t, p, unsafe.sentence);
	return move(of.locking(p, event.output), {
		do: "vhtlc.submit",
		purpose: "lock",
		txid: event.txid,
		onlyIf: of.onlyIf(t, p)
	});
}
/**
* A database that was restored from a backup knows nothing of a lock that exists: it is taken for what it is, and none
* is made beside it (facts/faults.md 5). Whoever sent the coin, it is the client's for its secret and ours after the locktime.
*/
function lockFound(t, p, { coins }, of) {
	const lock = coins.find(({ amount }) => amount === t.targetAmount);
	return lock === void 0 ? "stay" : {
		progress: of.locked(p, lock.outpoint),
		effects: [],
		supersedes: true
	};
}
/** The lock is on its way: final, or known never to have been. */
function whenLocking(t, p, event, now, of) {
	if (event.is === "vhtlc.accepted" && event.purpose === "lock") return move(p, {
		do: "vhtlc.finalize",
		purpose: "lock",
		txid: event.txid,
		onlyIf: of.onlyIf(t, p)
	});
	if (event.is === "vhtlc.final" && event.purpose === "lock") return move(of.locked(p, p.lock));
	if (event.is === "vhtlc.refused" && event.purpose === "lock" && (event.why === "spent" || event.why === "unrolled")) return move(of.ready(p), lockEffect(t));
	if (event.is === "vhtlc.refused" && event.purpose === "lock") return of.declined(t, p, event.reason);
	const claim = claimShown(t, p, event, now);
	return claim === null ? "stay" : of.claimed(t, p, claim);
}
// ../..engine/swap/vhtlc-target/watches.ts
/** The coins at our VHTLC. */
function lockWatch$1({ vhtlc, script }) {
	return {
		on: "vhtlc",
		terms: vhtlc,
		script
	};
}
/** The client may claim through a batch: of an expired coin that shows in the queue alone, and our refund would push it aside. */
function queueWatch({ script, keyIndex }, { at, lock }) {
	return {
		on: "queue",
		script,
		key: {
			branch: "swap",
			index: keyIndex
		},
		always: at === "refunding",
		coins: [lock]
	};
}
// ../..engine/swap/onchain-taking.ts
/** What our own transaction meets. Null for what is no news of it: its end is that of a transaction which this state knows. */
function whileTakingCoin(taker, p, event) {
	switch (event.is) {
		case "onchain.prepared": return event.purpose === taker.purpose ? prepared(taker, p, event) : null;
		case "onchain.stuck": return isOurs$2(p, event.txid) ? takeAgain(taker, p, event.leastRate) : null;
		case "onchain.final": return isOurs$2(p, event.txid) ? taker.taken(p, event.txid, [{
			kind: "network-fee-paid",
			...btc$1("bitcoin", -event.fee)
		}]) : null;
		case "onchain.refused": return refused$3(taker, p, event);
		default: return null;
	}
}
/** A transaction that we signed for this coin. */
function isOurs$2({ spends }, txid) {
	return spends.includes(txid);
}
function prepared(taker, p, event) {
	const { txid, funding: parent } = event;
	const spends = [...p.spends.filter((one) => one !== txid), txid];
	return move({
		...p,
		spends,
		...parent === void 0 ? {} : { parent }
	}, broadcastEffect(taker.coin(p), event, taker.onlyIf?.(p)));
}
function takeAgain({ effect }, p, leastRate = 0) {
	const { halted: _, ...rest } = p;
	const next = rest;
	return move(next, effect(next, leastRate));
}
function refused$3(taker, p, { txid, why, reason }) {
	if (why === "spent") return p.halted === true ? null : move({
		...p,
		halted: true
	});
	if (!isOurs$2(p, txid)) return null;
	if (why === "late" && taker.late !== void 0) return taker.late(p, reason) ?? takeAgain(taker, p);
	return {
		...takeAgain(taker, p),
		flag: `The Bitcoin node refused our ${taker.purpose}: ${reason}.`
	};
}
/**
* How its coin shows, at a tip of this height. Those who called it spent were wrong while no spend of it is buried: nothing else keeps our transaction
* in the mempool, and raises what it pays (facts/faults.md 102). Null where there is nothing to mend.
*/
function whenCalledSpent(taker, p, { spend }, height) {
	return p.halted === true && !buried(spend?.height ?? null, height) ? takeAgain(taker, p) : null;
}
// ../..engine/swap/onchain-source/claiming.ts
/** Takes the client's coin with the secret that was learned: its fee rises until the client could take it back. */
function claimEffect$3(t, { coin, parent }, leastRate = 0) {
	return {
		do: "htlc.spend",
		purpose: "claim",
		terms: t.htlc,
		script: t.htlcScript,
		key: {
			branch: "swap",
			index: t.keyIndex
		},
		coin,
		...parent === void 0 ? {} : { funding: parent },
		leastRate,
		deadline: t.htlc.refundLocktime
	};
}
function claimOf$3(t, ends) {
	return {
		purpose: "claim",
		coin: (p) => p.coin,
		effect: (p, leastRate) => claimEffect$3(t, p, leastRate),
		taken: (p, txid, costs) => claimed$5(t, p, txid, ends, costs)
	};
}
/**
* What was given for the coin is the client's: nothing but a spend of the coin that is buried stops the claim. Null: the event is no
* business of the claim's.
*/
function whenClaiming$6(t, p, event, ends) {
	return event.is === "htlc.seen" ? whenSeen$5(t, p, event, ends) : whileTakingCoin(claimOf$3(t, ends), p, event);
}
function claimed$5(t, p, txid, ends, costs = []) {
	return {
		...ends.claimed(p, txid),
		ledger: [
			{
				kind: "protocol-fee",
				...btc$1("bitcoin", t.feeSats)
			},
			{
				kind: "network-fee-charged",
				...btc$1("bitcoin", t.networkFeeSats)
			},
			...p.surplus > noSats ? [{
				kind: "surplus",
				...btc$1("bitcoin", p.surplus)
			}] : [],
			...costs
		]
	};
}
function whenSeen$5(t, p, event, ends) {
	const own = ownCoin$1(p, event.coins);
	if (own === null) return vanished$2(t, p, event);
	const again = whenCalledSpent(claimOf$3(t, ends), p, own, event.height);
	if (again !== null) return again;
	const { spend } = own;
	if (spend === null || spend.by === "unknown" || spend.height === null) return whenFunded$2(t, p, event);
	const isBuried = buried(spend.height, event.height);
	if (spend.by === "refund") return isBuried ? ends.lost(p) : whenFunded$2(t, p, event);
	if (isBuried && (!isOurs$2(p, spend.txid) || p.halted === true)) return claimed$5(t, p, spend.txid, ends);
	if (p.mined === spend.txid) return whenFunded$2(t, p, event);
	return move({
		...p,
		mined: spend.txid
	});
}
/**
* A reorganisation took the coin: whoever sent it may have sent another in its place, and that one is claimed. Not once a claim of the first
* is signed, which would take it too should it come again: the client gave one coin.
*/
function vanished$2(t, p, event) {
	const step = whenFunded$2(t, p, event, p.spends.length === 0);
	if (step === "stay" || sameOutpoint(step.progress.coin, p.coin)) return step;
	return {
		...step,
		effects: [claimEffect$3(t, step.progress)],
		supersedes: true
	};
}
// ../..engine/swap/bitcoin-arkade/terms.ts
/** The part of a state that stays the swap's once a VHTLC is locked. */
function lockOf$3(p) {
	return {
		...fundedOf(p),
		lock: p.lock
	};
}
// ../..engine/swap/bitcoin-arkade/fate.ts
/** What becomes of the client's bitcoin: claimed with its secret, left to it once our refund is final. */
const fate$1 = {
	kept: lockOf$3,
	claimed: (t, p, claim) => claimed$4(t, p, claim, {}),
	beaten,
	trusted: (t, p, event) => lockedCoin(p, event)?.spend !== "hidden" ? null : {
		progress: claiming$2(p, null, {
			racing: true,
			asked: true
		}),
		effects: [claimEffect$3(t, p), whoseBatch(t, p)],
		supersedes: true
	},
	refunded: (t, p, refundTxid) => move({
		at: "returned",
		reason: "the VHTLC was not claimed in time",
		fundTxid: p.lock.txid,
		refundTxid,
		strays: ownCoins(t, p)
	}),
	late: late$2,
	stays: "The bitcoin stays where it is until its secret or our refund shows."
};
function claiming$2(p, claimTxid, raced) {
	return {
		at: "claiming",
		spends: [],
		mined: null,
		claimTxid,
		...lockOf$3(p),
		...raced
	};
}
function claimed$4(t, p, { preimage, txid }, raced) {
	return {
		progress: claiming$2(p, txid, raced),
		effects: [claimEffect$3(t, p)],
		supersedes: true,
		learned: preimage
	};
}
/**
* Until its claim is a fact the client may lose the VHTLC to our refund, and then its bitcoin is its own: the secret is saved and opens nothing
* before that is decided. Of a claim on the chain that may be too late: it is believed while the bitcoin is still ours to claim.
*/
function beaten(t, p, claim, now) {
	if (claim.is === "fact") return claimed$4(t, p, claim, {});
	if (claim.is === "on-chain" && late$2(t, p, now) !== null) return claimed$4(t, p, claim, { racing: true });
	return p.told === true ? null : {
		progress: {
			...p,
			told: true
		},
		effects: [],
		learned: claim.preimage
	};
}
function late$2(t, _, now) {
	const { mtp } = furthest(now.bitcoin);
	const line = claimLine(t.htlc.refundLocktime, t.policy);
	return mtp === null || mtp <= line ? null : `The bitcoin of this swap is surely ours only until median time past is ${line}, and the VHTLC is neither claimed nor back: see why the Arkade operator does not refund it.`;
}
// ../..engine/swap/bitcoin-arkade/locking.ts
/** Waiting for the client's coin; deep enough, it is worth a VHTLC. */
function whenWaiting$3(t, p, event, now) {
	if (event.is !== "htlc.seen") return "stay";
	const look = whenLooked$2(t, p, event, now);
	if (look.is === "nothing") return "stay";
	if (look.is === "moved") return move(look.progress);
	const unsafe = judge$1(t, now);
	if (unsafe?.unsafe === "wait") return "stay";
	if (unsafe !== null) return move(stopped$2("late", unsafe.sentence, ownCoins(t, look.funded)));
	return move({
		at: "funded",
		...look.funded
	}, lockEffect(t));
}
/** As the last look said; what is true when the lock is sent, its conditions say. */
function judge$1(t, now) {
	return safeToLockForCoin({
		coin: {
			amount: t.sourceAmount,
			depth: t.confirmations
		},
		sourceAmount: t.sourceAmount,
		confirmations: t.confirmations,
		refundLocktime: t.htlc.refundLocktime,
		lockRefundLocktime: t.vhtlc.refundLocktime
	}, now, t.policy);
}
/** From the client's coin, deep enough, to the VHTLC that is locked against it. */
const locking$1 = {
	judge: (t, _, now) => judge$1(t, now),
	onlyIf: (t, p) => ({
		notAfter: t.lockBefore,
		funded: {
			script: t.htlcScript,
			outpoint: p.coin,
			sourceAmount: t.sourceAmount,
			confirmations: t.confirmations,
			refundLocktime: t.htlc.refundLocktime,
			lockRefundLocktime: t.vhtlc.refundLocktime,
			policy: t.policy
		}
	}),
	declined: declined$2,
	ready: (p) => ({
		at: "funded",
		...fundedOf(p)
	}),
	locking: (p, lock) => ({
		at: "locking",
		...fundedOf(p),
		lock
	}),
	locked: (p, lock) => ({
		at: "locked",
		...fundedOf(p),
		lock
	}),
	claimed: (t, p, claim) => fate$1.claimed(t, lockOf$3(p), claim)
};
/** No VHTLC is made: the client takes its bitcoin back, alone. */
function declined$2(t, p, reason) {
	return {
		progress: stopped$2("wont", reason, ownCoins(t, p)),
		effects: [],
		supersedes: true
	};
}
/** The lock is prepared, unless the time for it runs out. */
function whenFundedNow(t, p, event, now) {
	return event.is === "htlc.seen" ? whenFunded$2(t, p, event) : whenReady(t, p, event, now, locking$1);
}
// ../..engine/swap/vhtlc-target/race.ts
/**
* A refund of ours was on its way when the claim showed in the operator's queue. A round that fails frees the coin, and
* then the refund takes it after all: what the client gave was taken with its secret, so what came back is the client's.
*/
function raceOver(t, p, event, now, race) {
	const { racing, finishing, asked: batchAsked, ...others } = p;
	const rest = others;
	const final = event.is === "onchain.final" || event.is === "vhtlc.final" && event.purpose === "refund" ? event.txid : null;
	if (final !== null && (racing !== void 0 || p.bothLegs === void 0)) return bothLegs(t, rest, final, race);
	if (racing === void 0) return null;
	if (event.is === "vhtlc.accepted" && event.purpose === "refund") return move({
		...p,
		finishing: true
	}, {
		do: "vhtlc.finalize",
		purpose: "refund",
		txid: event.txid,
		coin: p.lock
	});
	if (event.is === "vhtlc.prepared" && event.purpose === "refund" && finishing === true) return move(p, {
		do: "vhtlc.submit",
		purpose: "refund",
		txid: event.txid,
		coin: p.lock
	});
	if (relayed$1(p, event)) return event.fact ? move(rest) : null;
	if (event.is === "vhtlc.refused" && event.purpose === "refund" && batchAsked === true) return move({
		...rest,
		racing,
		...finishing === void 0 ? {} : { finishing }
	});
	const coin = lockedCoin(p, event);
	if (coin?.spend === "hidden") return batchAsked === true ? null : move({
		...p,
		asked: true
	}, whoseBatch(t, p));
	if (coin === null || !coin.spent || coin.spend === null || coin.spend === "unknown" || !stands(coin, now)) return null;
	if (leafOf(coin)?.leaf !== "refund-without-receiver") return move(rest);
	const { spentIn: txid } = coin;
	if (txid === null || coin.settledBy !== null || coin.onChain !== void 0) return bothLegs(t, rest, coin.settledBy ?? txid, race);
	if (p.bothLegs === true || p.at === "lost" && finishing === true) return null;
	return {
		...p.at === "lost" ? move({
			...p,
			finishing: true
		}) : bothLegs(t, {
			...p,
			finishing: true
		}, txid, race),
		effects: finishing === true ? [] : [refundEffect$2(t, p)]
	};
}
/**
* The client has again what it gave, and its claim waited in a queue or a mempool and took nothing: then the VHTLC is ours, and is taken
* back wherever it lies. Left there, whoever has the secret takes it one day.
*/
function leftOver$1(t, p, event, now, race) {
	if (p.at !== "lost" || p.racing === void 0 || p.asked === true) return null;
	const refund = {
		purpose: "refund",
		ours: (of) => ours$3(t, of),
		sent: ({ refundTxid = null }) => refundTxid,
		withSent: ({ refundTxid: _, ...of }, txid) => ({
			...of,
			...txid === null ? {} : { refundTxid: txid }
		}),
		taken: (of, txid) => neitherLeg(of, txid, race, backAgain(t)),
		denied: lockDenied
	};
	if (event.is !== "vhtlc.seen") return p.finishing === true ? whileTaking(refund, p, event) : null;
	const coin = lockedCoin(p, event);
	if (coin === null) return null;
	if (p.finishing === true) return whenCoinSeen$2(refund, p, coin, now);
	return coin.spent ? null : move({
		...p,
		finishing: true
	}, refundEffect$2(t, p));
}
function bothLegs(t, p, refundTxid, race) {
	if (p.at === "lost") return neitherLeg(p, refundTxid, race, backAgain(t));
	const progress = {
		...p,
		bothLegs: true,
		...refundTxid === null ? {} : { refundTxid }
	};
	if (p.bothLegs === true) return move(progress);
	return {
		progress,
		effects: [],
		flag: `Both legs of this swap are ours: our refund took the VHTLC back while the client's claim waited at the operator, and ${race.taken}. ${t.targetAmount} sats are owed to the client: pay them to ${t.targetArkadeAddress}.`
	};
}
/** What was booked as lost. */
function backAgain(t) {
	return [{
		kind: "loss",
		...btc$1("arkade", t.targetAmount)
	}];
}
/** The claim took nothing, and what the client gave went back all the same: each has its own again. */
function neitherLeg(p, refundTxid, race, ledger) {
	return {
		progress: race.returned(p, refundTxid ?? p.lock.txid),
		effects: [],
		supersedes: true,
		flag: `The claim of the client did not take the VHTLC: our refund brought it back, and ${race.back}. Nothing is lost, and nothing is owed.`,
		...ledger.length === 0 ? {} : { ledger }
	};
}
// ../..engine/swap/bitcoin-arkade/over.ts
const race$1 = {
	returned: (p, refundTxid) => ({
		at: "refunded",
		clientTxid: null,
		strays: p.strays,
		returned: {
			fundTxid: p.lock.txid,
			refundTxid
		}
	}),
	taken: "its bitcoin is claimed",
	back: "the client has its bitcoin again"
};
/** The secret is ours: the bitcoin is claimed, whatever becomes of anything else. */
function whenRedeemed(t, p, event, now) {
	return whenClaiming$6(t, p, event, ends$4(t)) ?? raceOver(t, p, event, now, race$1) ?? "stay";
}
const ends$4 = (t) => ({
	claimed: ({ gone: _, halted: __, parent: ___, ...p }, txid) => ({
		progress: {
			...p,
			at: "claimed",
			mined: txid
		},
		effects: [],
		...p.racing === void 0 ? { supersedes: true } : {}
	}),
	lost: (p) => lost$1(t, p)
});
function lost$1(t, { gone: _, halted: __, parent: ___, ...p }) {
	if (p.bothLegs === true && p.racing === void 0) return neitherLeg(p, p.refundTxid ?? null, race$1, []);
	return {
		progress: {
			...p,
			at: "lost",
			racing: true
		},
		effects: [...p.finishing === true ? [refundEffect$2(t, p)] : [], ...p.asked === true ? [whoseBatch(t, p)] : []],
		supersedes: true,
		ledger: [{
			kind: "loss",
			...btc$1("arkade", -t.targetAmount)
		}],
		flag: "The client claimed the VHTLC and took its bitcoin back: our claim came too late."
	};
}
/** The bitcoin is gone, to us or to the client; whose the VHTLC is may still show. */
function whenOver$3(t, p, event, now) {
	if ("txid" in event && isOurs$1(p, event.txid)) return "stay";
	return raceOver(t, p, event, now, race$1) ?? leftOver$1(t, p, event, now, race$1) ?? whenOver$4(t, p, event, now);
}
function isOurs$1({ spends }, txid) {
	return txid !== null && spends.includes(txid);
}
/** Our VHTLC is ours again for good: the client takes its bitcoin back. */
function whenReturned$1(t, p, event, now) {
	const { at: _, fundTxid, refundTxid, ...left } = p;
	const returned = {
		fundTxid,
		refundTxid
	};
	const outcome = whenStopped$3(t, {
		...left,
		at: "stopped",
		why: "wont"
	}, event, now);
	if (outcome === "stay") return "stay";
	const { progress, ...rest } = outcome;
	if (progress.at === "refunded") return {
		...rest,
		progress: {
			...progress,
			returned
		}
	};
	if (progress.at === "lapsed") return {
		...rest,
		progress
	};
	const { why: __, at: ___, ...more } = progress;
	return {
		...rest,
		progress: {
			at: "returned",
			...returned,
			...more
		}
	};
}
// ../..engine/swap/bitcoin-arkade/rescue.ts
function rescue$8(t, p) {
	switch (p.at) {
		case "locking":
		case "locked":
		case "refunding": return hidden(htlcToClaim(t, p), vhtlcToRefund(t));
		case "claiming":
		case "claimed": return shown$2(htlcToClaim(t, p), vhtlcToRefund(t));
		case "lost": return p.racing === void 0 ? null : unpaid(vhtlcToRefund(t));
		default: return null;
	}
}
// ../..engine/legs/onchain/shape.ts
const walletCoin = exactly()(z.strictObject({
	outpoint,
	amount: sats$1,
	key: keyRef
}));
const change = z.strictObject({
	amount: sats$1,
	key: keyRef
}).nullable();
const savedSend = exactly()(z.strictObject({
	txid: z.string(),
	coins: z.array(walletCoin),
	change,
	fee: sats$1,
	rate: z.number(),
	capped: z.boolean()
}));
const htlcTerms = exactly()(z.strictObject({
	form: z.enum(["p2tr", "p2wsh"]),
	hash: hash160,
	claimer: publicKey$1,
	refunder: publicKey$1,
	refundLocktime: unix
}));
shapeOf(exactly()(z.strictObject({
	do: z.literal("onchain.broadcast"),
	txid: z.string(),
	spends: outpoint,
	amount: sats$1,
	rate: z.number(),
	capped: z.boolean(),
	raiseFrom: unix.exactOptional(),
	deadline: unix.exactOptional(),
	since: z.number(),
	yieldsTo: hash160.exactOptional(),
	funding: bytes.exactOptional(),
	push: z.strictObject({
		change: walletCoin,
		mostFee: sats$1
	}).exactOptional(),
	onlyIf: onlyIf$3.exactOptional()
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("onchain.send"),
	script: bytes,
	amount: sats$1,
	mostFee: sats$1.exactOptional(),
	doubted: z.boolean().exactOptional(),
	earlier: z.array(z.array(walletCoin)).exactOptional()
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("onchain.bump"),
	script: bytes,
	amount: sats$1,
	replaces: z.strictObject({
		coins: z.array(walletCoin),
		change,
		fee: sats$1
	}),
	leastRate: z.number(),
	mostFee: sats$1,
	doubted: z.boolean().exactOptional()
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("onchain.consolidate"),
	mostRate: z.number(),
	mostFee: sats$1
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("htlc.fund"),
	script: bytes,
	amount: sats$1,
	mostFee: sats$1,
	lockBefore: unix,
	scriptSince: z.number()
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("htlc.spend"),
	purpose: z.enum(["claim", "refund"]),
	terms: htlcTerms,
	script: bytes,
	key: keyRef,
	coin: outpoint,
	funding: bytes.exactOptional(),
	leastRate: z.number(),
	deadline: unix
}))), shapeOf(exactly()(z.strictObject({
	do: z.literal("htlc.resend"),
	coin: outpoint,
	bytes
})));
// ../..engine/swap/onchain-taking-shape.ts
/** What of a state the taking of a coin is, as it is kept. */
const coinTaking = {
	spends: z.array(z.string()),
	parent: bytes.exactOptional(),
	halted: z.literal(true).exactOptional()
};
// ../..engine/swap/onchain-source/shape.ts
const txid$11 = z.string();
const yes$3 = z.literal(true).exactOptional();
const strays$1 = z.array(stray);
const coin$1 = {
	coin: outpoint,
	surplus: sats$1
};
const fundable$1 = {
	strays: strays$1,
	vanished: z.boolean()
};
const funded$4 = {
	...coin$1,
	strays: strays$1,
	gone: yes$3
};
const unwatched$1 = { unwatched: yes$3 };
/** Fields of the states that every source of this kind has, without their name. */
const sourceFields$1 = {
	pending: fundable$1,
	seen: {
		...fundable$1,
		...coin$1
	},
	funded: funded$4,
	claiming: {
		...funded$4,
		...coinTaking,
		mined: txid$11.nullable()
	},
	stopped: {
		why: z.enum([
			"expired",
			"invalid",
			"late",
			"wont"
		]),
		reason: z.string(),
		strays: strays$1,
		...unwatched$1
	},
	refunded: {
		clientTxid: txid$11.nullable(),
		strays: strays$1,
		...unwatched$1
	},
	unwatched: unwatched$1
};
// ../..engine/swap/vhtlc-target/shape.ts
const txid$10 = z.string();
const yes$2 = z.literal(true).exactOptional();
/** Fields of the states that every target of this kind has, without their name. */
const targetFields$1 = {
	lock: { lock: outpoint },
	locked: {
		lock: outpoint,
		alarmed: yes$2
	},
	refunding: {
		lock: outpoint,
		alarmed: yes$2,
		refundTxid: txid$10.nullable(),
		exit: yes$2,
		halted: yes$2,
		told: yes$2
	},
	claim: {
		lock: outpoint,
		claimTxid: txid$10.nullable(),
		racing: yes$2,
		bothLegs: yes$2,
		refundTxid: txid$10.exactOptional(),
		finishing: yes$2,
		asked: yes$2,
		exit: yes$2,
		halted: yes$2
	}
};
// ../..engine/swap/bitcoin-arkade/shape.ts
const terms$9 = exactly()(z.strictObject({
	hash: hash160,
	sourceAmount: sats$1,
	targetAmount: sats$1,
	feeSats: sats$1,
	networkFeeSats: sats$1,
	htlc: htlcTerms,
	htlcScript: bytes,
	htlcAddress: z.string(),
	vhtlc: vhtlcTerms,
	script: bytes,
	address: z.string(),
	keyIndex: z.number(),
	serverKey: publicKey$1,
	claimKeyText: z.string(),
	refundKeyText: z.string(),
	targetArkadeAddress: z.string(),
	toleranceBps: z.number(),
	confirmations: z.number(),
	since: z.number(),
	fundBefore: unix,
	lockBefore: unix,
	minCoinExpiry: unix,
	policy: timeoutPolicy
}));
const txid$9 = z.string();
const { pending, seen, funded: funded$3, claiming: claiming$1, stopped: stopped$1, refunded: refunded$2, unwatched } = sourceFields$1;
const redeemed$1 = {
	...claiming$1,
	...targetFields$1.claim
};
const returned$1 = {
	fundTxid: txid$9,
	refundTxid: txid$9
};
function at$4(name) {
	return { at: z.literal(name) };
}
const progress$9 = exactly()(z.discriminatedUnion("at", [
	z.strictObject({
		...at$4("pending"),
		...pending
	}),
	z.strictObject({
		...at$4("seen"),
		...seen
	}),
	z.strictObject({
		...at$4("funded"),
		...funded$3
	}),
	z.strictObject({
		...at$4("locking"),
		...funded$3,
		...targetFields$1.lock
	}),
	z.strictObject({
		...at$4("locked"),
		...funded$3,
		...targetFields$1.locked
	}),
	z.strictObject({
		...at$4("refunding"),
		...funded$3,
		...targetFields$1.refunding
	}),
	z.strictObject({
		...at$4("claiming"),
		...redeemed$1
	}),
	z.strictObject({
		...at$4("claimed"),
		...redeemed$1,
		...unwatched
	}),
	z.strictObject({
		...at$4("lost"),
		...redeemed$1,
		...unwatched
	}),
	z.strictObject({
		...at$4("returned"),
		reason: stopped$1.reason,
		strays: stopped$1.strays,
		...unwatched,
		...returned$1
	}),
	z.strictObject({
		...at$4("stopped"),
		...stopped$1
	}),
	z.strictObject(at$4("lapsed")),
	z.strictObject({
		...at$4("refunded"),
		...refunded$2,
		returned: z.strictObject(returned$1).exactOptional()
	})
]));
const shape$9 = {
	terms: shapeOf(terms$9),
	progress: shapeOf(progress$9)
};
// ../..engine/swap/bitcoin-arkade/machine.ts
const statuses$3 = {
	...bothLockedStatuses,
	locking: "clientfunded"
};
function status$8(p) {
	switch (p.at) {
		case "stopped":
		case "refunded": return givenBackStatus(p);
		case "claiming": return p.mined === null ? "clientredeemed" : "serverredeemed";
		default: return statuses$3[p.at];
	}
}
function step$9(t, p, event, now) {
	switch (p.at) {
		case "pending":
		case "seen": return whenWaiting$3(t, p, event, now);
		case "funded": return whenFundedNow(t, p, event, now);
		case "locking": return event.is === "htlc.seen" ? whenFunded$2(t, p, event) : whenLocking(t, p, event, now, locking$1);
		case "locked": return event.is === "htlc.seen" ? whenFunded$2(t, p, event) : whenLocked$2(t, p, event, now, fate$1);
		case "refunding": return event.is === "htlc.seen" ? whenFunded$2(t, p, event) : whenRefunding$5(t, p, event, now, fate$1);
		case "claiming": return whenRedeemed(t, p, event, now);
		case "claimed":
		case "lost": return whenOver$3(t, p, event, now);
		case "returned": return whenReturned$1(t, p, event, now);
		case "stopped": return whenStopped$3(t, p, event, now);
		case "refunded": return whenOver$4(t, p, event, now);
		case "lapsed": return "stay";
	}
}
function watches$9(t, p) {
	if (p.at === "lapsed") return [];
	const coins = coinsWatch(t, p);
	switch (p.at) {
		case "locking": return [coins, lockWatch$1(t)];
		case "locked":
		case "refunding": return [
			coins,
			lockWatch$1(t),
			queueWatch(t, p)
		];
		case "claiming":
		case "claimed":
		case "lost": return p.racing === void 0 ? [coins] : [coins, lockWatch$1(t)];
		default: return [coins];
	}
}
function deadline$8(t, p) {
	switch (p.at) {
		case "pending": return t.fundBefore;
		case "seen":
		case "funded": return t.lockBefore;
		case "locked":
		case "refunding": return t.vhtlc.refundLocktime;
		case "claiming": return t.htlc.refundLocktime;
		case "claimed":
		case "lost":
		case "returned":
		case "stopped":
		case "refunded": return leftDeadline$1(t, p);
		default: return null;
	}
}
function open$4(_, p) {
	return addressOpen(p) || (p.at === "claimed" || p.at === "lost") && p.racing !== void 0;
}
const nextActions$1 = {
	pending: "the client sends its bitcoin",
	seen: "the miners: the client's transaction waits for its confirmations",
	funded: "we lock the VHTLC",
	locking: "the operator takes our VHTLC",
	locked: "the client claims the VHTLC",
	refunding: "we take our VHTLC back",
	claiming: "we claim the bitcoin",
	claimed: "nothing: it is done",
	lost: "nothing: the bitcoin is gone",
	returned: "the client takes the refund",
	stopped: "the client takes the refund",
	lapsed: "nothing: it is over",
	refunded: "nothing: it is over"
};
function nextAction$2(t, p) {
	if (p.at !== "stopped" && p.at !== "returned") return nextActions$1[p.at];
	return p.strays.length === 0 ? "nothing: it was never funded" : `${nextActions$1[p.at]}, alone, once median time past is above ${t.htlc.refundLocktime}`;
}
const bitcoinArkade = {
	name: "bitcoin-arkade",
	shape: shape$9,
	step: step$9,
	watches: watches$9,
	deadline: deadline$8,
	status: status$8,
	open: open$4,
	reserves: (p) => p.at === "pending" || p.at === "seen" || p.at === "funded",
	untold: () => false,
	hash160: (t) => t.hash,
	unfunded: {
		ends: ["lapsed"],
		locktime: ({ htlc }) => htlc.refundLocktime,
		script: ({ script }) => script
	},
	rescue: rescue$8,
	nextAction: nextAction$2
};
// ../..engine/legs/evm/wanted-locks.ts
/** A lock of less than one part in this many is no attempt to lock the amount (facts/faults.md 7). */
const decoyShare = 2n;
/** All but the amount is as agreed: another token, contract, account or timelock is something else (facts/faults.md 10). */
function isAsAgreed(lock, terms) {
	return sameBytes(terms.preimageHash, lock.preimageHash) && sameBytes(terms.token, lock.token) && sameBytes(terms.refundAddress, lock.refundAddress) && sameBytes(terms.claimAddress, lock.claimAddress) && terms.timelock === lock.timelock;
}
/** Whether whose lock it is has to be asked: of every one that may be wanted, and that a coordinator may have made for somebody. */
function needsDepositor(wanted, { terms }) {
	return wanted.are === "agreed" && isAsAgreed(wanted.lock, terms) && terms.amount * decoyShare >= wanted.least;
}
/** Loses money when wrong: one that is wanted and left out is never claimed, or never taken back. */
function isWanted(wanted, lock) {
	if (wanted.are === "one") return sameBytes(lock.key, wanted.key);
	if (!needsDepositor(wanted, lock)) return false;
	return lock.terms.amount >= wanted.least || isBy(lock, wanted.by);
}
/** Whether a lock is known to be refunded to this account. */
function isBy({ depositor }, account) {
	return depositor !== null && depositor !== "nobody" && sameBytes(depositor, account);
}
// ../..engine/swap/evm-source/terms.ts
const nothingAsked = {
	unwatched: false,
	askedUntil: null,
	refund: null,
	refunds: 0,
	refundsOfOthers: 0,
	refusal: null
};
function baseOf$2({ sent, given }) {
	return {
		sent,
		given
	};
}
/** The part of a state that stays the swap's from funding to claim. */
function depositedOf(p) {
	return {
		...baseOf$2(p),
		deposit: p.deposit,
		strays: p.strays
	};
}
function stopped(why, reason, p, strays) {
	return {
		at: "stopped",
		why,
		reason,
		fenced: false,
		strays,
		...baseOf$2(p),
		...nothingAsked
	};
}
/** The swap had a lock, and nothing is given for it. */
function givenBack$1(why, reason, p) {
	return {
		...stopped(why, reason, p, ownLocks(p)),
		counted: p.deposit
	};
}
function countedOf({ counted }) {
	return counted === void 0 ? {} : { counted };
}
/** The client's lock as one that is its own again, beside the others. */
function ownLocks({ deposit, strays }) {
	return [{
		...deposit,
		taken: false
	}, ...strays];
}
function isKey(key) {
	return (one) => sameBytes(one.key, key);
}
/** When the client can take its lock back alone, by the chain's clock. */
function timelockOf$2({ lock }) {
	return unix$1(Number(lock.timelock));
}
/** The chain's clock, as far as it has come; 0 while it is unread. */
function timeOf({ network }, now) {
	const chain = now[network];
	return chain === void 0 ? 0 : furthest(chain).mtp ?? 0;
}
// ../..engine/swap/evm-source/locks.ts
/** Locks that are listed beside the swap's own. Those of the client come first: whoever makes more of them than this displaces none but its own. */
const mostStrays = 20;
/** What is anything to the swap: locks as agreed, and short ones of the client's own. */
function wantedOf({ lock, least, clientAddress }) {
	return {
		are: "agreed",
		lock,
		least,
		by: clientAddress
	};
}
/** As it is kept. */
function depositOf({ terms, key, txid, depositor, paid }) {
	return {
		lock: terms,
		key,
		txid,
		depositor: depositor === "nobody" ? null : depositor,
		...paid === void 0 ? {} : { paid }
	};
}
function wantedIn(t, locks) {
	const wanted = wantedOf(t);
	return locks.filter((lock) => isWanted(wanted, lock)).sort(stableOrder);
}
/** Oldest first, then by key: two looks at the same locks choose the same one. */
function stableOrder(a, b) {
	return a.height - b.height || (toHex(a.key) < toHex(b.key) ? -1 : 1);
}
/**
* The lock that is the swap's, whatever else was made: one that is buried before one that is not, for then nothing has to be waited for; of
* those `used` as long as it stands, else the client's, else the exact amount, else the oldest.
*/
function rightLock(t, locks, used) {
	const right = wantedIn(t, locks).filter(({ state, terms }) => state.is === "active" && terms.amount >= t.least);
	const best = (of) => (used === null ? void 0 : of.find(isKey(used))) ?? of.find((lock) => isBy(lock, t.clientAddress)) ?? of.find(({ terms }) => terms.amount === t.least) ?? of[0];
	return best(right.filter(({ confirmations }) => confirmations >= t.confirmations)) ?? best(right) ?? null;
}
/** A lock that the client meant to be the swap's, holds too little, and is there for good. */
function shortLock(t, locks) {
	return wantedIn(t, locks).find(({ state, terms, confirmations }) => state.is === "active" && terms.amount < t.least && confirmations >= t.confirmations) ?? null;
}
/**
* The locks beside the swap's own: the one that it counted once, then the client's that stand, then others that do, and those that are over
* behind them. What a stranger makes as it was agreed, at its own cost, comes after all that.
*/
function straysBeside(t, locks, used, counted) {
	const rank = (lock) => {
		if (counted !== void 0 && sameBytes(lock.key, counted)) return 0;
		return 1 + (lock.state.is === "active" ? 0 : 2) + (isBy(lock, t.clientAddress) ? 0 : 1);
	};
	return wantedIn(t, locks).filter((lock) => used === null || !sameBytes(lock.key, used)).sort((a, b) => rank(a) - rank(b)).slice(0, mostStrays).map((lock) => ({
		...depositOf(lock),
		taken: lock.state.is !== "active"
	}));
}
function sameStrays(a, b) {
	return a.length === b.length && a.every((stray, i) => {
		const other = b[i];
		return other !== void 0 && sameBytes(stray.key, other.key) && stray.txid === other.txid && stray.taken === other.taken && stray.depositor === null === (other.depositor === null) && stray.paid === void 0 === (other.paid === void 0);
	});
}
function hasUntaken(strays) {
	return strays.some(({ taken }) => !taken);
}
/** Whether a lock is what the client is owed back: the one that was counted, or one that it made. */
function isClients({ clientAddress }, { counted }, { key, depositor }) {
	return counted !== void 0 && sameBytes(key, counted.key) || depositor !== null && sameBytes(depositor, clientAddress);
}
// ../..engine/swap/evm-source/sent.ts
/** A transaction of ours is on its way. */
function sending({ sent }, purpose, txid) {
	return sent.some((one) => one.txid === txid) ? sent : [...sent, {
		purpose,
		txid
	}];
}
/** A node took it: from now on its hash is told. Nothing else is new while its end is open. */
function noted(p, { txid, state }) {
	if (state.is !== "waiting" || state.taken === null) return "stay";
	const { taken } = state;
	return p.sent.some((one) => one.txid === txid && one.taken !== taken) ? move({
		...p,
		sent: p.sent.map((one) => one.txid === txid ? {
			...one,
			taken
		} : one)
	}) : "stay";
}
/** Null while its end is open, and for a transaction that this state does not wait for. */
function endOf(p, { txid, state }) {
	const own = p.sent.find((one) => one.txid === txid);
	if (own === void 0 || state.is === "waiting") return null;
	const sent = p.sent.filter((one) => one !== own);
	return {
		...own,
		sent,
		by: state.is === "mined" && state.ok ? state.by : null
	};
}
// ../..engine/swap/evm-source/over.ts
/** Refunds that we relay for one swap, to its client and to all others each: every one costs gas that nobody pays back (facts/faults.md 57). */
const mostRefunds = 3;
/** Nothing is given for what is locked: it is watched, and given back on request. */
function whenStopped$2(t, p, event, now) {
	switch (event.is) {
		case "evm-refund.requested": {
			const step = refundRequested(t, p, event, now);
			if (step === "stay" || p.counted !== void 0 && !sameBytes(p.counted.key, event.key)) return step;
			return {
				...step,
				progress: {
					...step.progress,
					fenced: true
				}
			};
		}
		case "evm.seen": return withStrays(t, p, straysBeside(t, event.locks, null, p.counted?.key));
		case "evm.unlocked": return withStrays(t, p, withoutLocks(p, event));
		case "clock":
			if (hasUntaken(p.strays)) return leftAlone(t, p, now);
			return timeOf(t, now) >= timelockOf$2(t) && p.sent.length === 0 ? lapse(p) : "stay";
		default: return whenRefunding$4(t, p, event);
	}
}
/** What was locked once, and vanished with its block, stays told of. */
function lapse(p) {
	if (p.why === "expired") return move({ at: "lapsed" });
	return p.unwatched ? "stay" : move({
		...p,
		unwatched: true
	});
}
function withStrays(t, p, strays) {
	if (sameStrays(strays, p.strays)) return "stay";
	if (isGivenBack(t, p, strays)) return move({
		at: "refunded",
		strays,
		...baseOf$2(p),
		...leftOf(p)
	});
	return p.why === "expired" && hasUntaken(strays) ? move(stopped("late", "the lock came after the funding window", p, strays)) : move({
		...p,
		strays
	});
}
/** Nobody can claim a lock of a swap that is over but us, who never do: what its contract does not hold any more went back to its owner. */
function withoutLocks({ strays }, { keys }) {
	return strays.map((stray) => keys.some((key) => sameBytes(key, stray.key)) ? {
		...stray,
		taken: true
	} : stray);
}
/** Whatever is the client's went back to it: what somebody else made keeps the swap from no end. */
function isGivenBack(t, p, strays) {
	const own = strays.filter((stray) => isClients(t, p, stray));
	return strays.length > 0 && !hasUntaken(own.length > 0 ? own : strays);
}
function leftOf(p) {
	const { unwatched, askedUntil, refund, refunds, refundsOfOthers, refusal } = p;
	return {
		unwatched,
		askedUntil,
		refund,
		refunds,
		refundsOfOthers,
		refusal,
		...countedOf(p)
	};
}
/** Done with its own lock, or refunded; others are listed, and given back on request. */
function whenOver$2(t, p, event, now) {
	switch (event.is) {
		case "evm-refund.requested": return refundRequested(t, p, event, now);
		case "evm.seen": {
			const strays = straysBeside(t, event.locks, p.deposit?.key ?? null, p.counted?.key);
			return sameStrays(strays, p.strays) ? "stay" : move({
				...p,
				strays
			});
		}
		case "evm.unlocked": {
			const strays = withoutLocks(p, event);
			return sameStrays(strays, p.strays) ? "stay" : move({
				...p,
				strays
			});
		}
		case "clock": return leftAlone(t, p, now);
		default: return whenRefunding$4(t, p, event);
	}
}
/** The depositor wants a lock back before its timelock: our consent is made with the transaction, after this commit, and never taken back. */
function refundRequested(t, p, { key, depositor, signature }, now) {
	const stray = p.strays.find(isKey(key));
	if (stray === void 0 || stray.taken || isRefunding(p, key)) return "stay";
	const counter = counterOf(t, p, stray);
	if (p[counter] >= mostRefunds) return "stay";
	if (!sameBytes(stray.lock.refundAddress, t.contracts.coordinator)) return "stay";
	const effect = {
		do: "evm.send",
		network: t.network,
		contracts: t.contracts,
		act: {
			is: "relay-refund",
			lock: stray.lock,
			depositor,
			signature
		},
		deadline: null,
		value: t.sourceAmount
	};
	const { refunds, refundsOfOthers } = p;
	const refunding = {
		...nothingAsked,
		askedUntil: after(now.wall, refundPatience),
		refund: {
			key,
			txid: null
		},
		refunds,
		refundsOfOthers,
		[counter]: p[counter] + 1
	};
	return move({
		...p,
		...refunding
	}, effect);
}
function counterOf(t, p, stray) {
	return isClients(t, p, stray) ? "refunds" : "refundsOfOthers";
}
/** What one RPC calls given back already cost nothing, and is asked for again where that is not so (facts/faults.md 84). */
function uncounted(t, p) {
	const stray = p.refund === null ? void 0 : p.strays.find(isKey(p.refund.key));
	if (stray === void 0) return {};
	const counter = counterOf(t, p, stray);
	return { [counter]: Math.max(0, p[counter] - 1) };
}
/** How long a refund that was asked for is looked after at least. */
const refundPatience = hour;
/** A refund of ours is being signed, or is on its way to this lock. One that is on its way to another lock is waited for by nobody. */
function isRefunding({ refund, strays }, key) {
	if (refund === null || refund.txid !== null && !sameBytes(refund.key, key)) return false;
	return strays.some((stray) => !stray.taken && sameBytes(stray.key, refund.key));
}
/** What becomes of the transactions that a swap had on their way when it ended, and of the refunds that it relays. */
function whenRefunding$4(t, p, event) {
	const waits = p.refund !== null && p.refund.txid === null;
	switch (event.is) {
		case "evm.prepared": return waits && event.purpose === "relay-refund" ? move({
			...p,
			refund: {
				...p.refund,
				txid: event.txid
			},
			sent: sending(p, event.purpose, event.txid)
		}) : "stay";
		case "evm.refused": return waits && event.purpose === "relay-refund" ? move({
			...p,
			refund: null,
			refusal: event.reason
		}) : "stay";
		case "evm.stands": return waits && event.purpose === "relay-refund" ? move({
			...p,
			...uncounted(t, p),
			refund: null,
			refusal: "the lock was given back already"
		}) : "stay";
		case "evm.sent": {
			const end = endOf(p, event);
			if (end === null) return noted(p, event);
			const { sent, by, txid } = end;
			if (p.refund === null || p.refund.txid !== txid) return move({
				...p,
				sent
			});
			return move(by === null ? {
				...p,
				sent,
				refund: null,
				refusal: "the refund failed on the chain"
			} : {
				...p,
				sent,
				refund: {
					...p.refund,
					txid: by
				}
			});
		}
		default: return "stay";
	}
}
/**
* A lock that its owner never takes would be watched for ever: a day after the client can help itself the watch ends. Our
* consent to its refund is still to be had.
*/
function leftAlone(t, p, now) {
	return hasUntaken(p.strays) && !p.unwatched && timeOf(t, now) > leftAloneAt(t, p) ? move({
		...p,
		unwatched: true
	}) : "stay";
}
function leftAloneAt(t, { askedUntil }) {
	const alone = after(timelockOf$2(t), day);
	return askedUntil !== null && askedUntil > alone ? askedUntil : alone;
}
/** When time alone moves a state of whose locks only strays are left; null when none can. */
function leftDeadline(t, p) {
	if (p.at === "stopped" && !hasUntaken(p.strays)) return timelockOf$2(t);
	return hasUntaken(p.strays) && !p.unwatched ? leftAloneAt(t, p) : null;
}
/** Whether a lock that its owner may still take is looked after, or a transaction of ours. */
function leftOpen(p) {
	return p.sent.length > 0 || hasUntaken(p.strays) && !p.unwatched;
}
// ../..engine/swap/evm-source/standing.ts
/** The locks of its hash, and each of our transactions that is on its way. */
function lockWatches(t, { sent, strays = [] }) {
	const { network, hash, since, contracts, agreed } = t;
	const locks = strays.filter((stray) => !stray.taken).map(({ lock }) => lock);
	return [{
		on: "evm-lock",
		network,
		htlc: contracts.htlc,
		hash,
		wanted: wantedOf(t),
		since,
		agreed,
		locks
	}, ...sent.map(({ purpose, txid }) => ({
		on: "evm-sent",
		network,
		purpose,
		txid
	}))];
}
/** When time alone moves a state, as far as the client's lock goes; null when none can. */
function lockDeadline(t, p) {
	switch (p.at) {
		case "pending": return t.fundBefore;
		case "seen": return t.payBefore;
		case "stopped":
		case "claimed":
		case "lost":
		case "refunded": return leftDeadline(t, p);
		case "returned": return p.unwatched ? null : leftDeadline(t, {
			...p,
			at: "stopped"
		});
		default: return null;
	}
}
/** A lock may be made late: it is watched until nothing is owed and the client can help itself. */
function lockOpen$2(p) {
	switch (p.at) {
		case "claimed":
		case "lost":
		case "refunded": return leftOpen(p);
		case "stopped":
		case "returned": return !p.unwatched || p.sent.length > 0;
		case "lapsed": return false;
		default: return true;
	}
}
/** What is waited for, in words for the owner, where the client's lock is all that moves. */
function lockAction(t, p) {
	switch (p.at) {
		case "pending": return p.relay === null ? "the client locks its token" : "the chain takes the funding that we relay";
		case "seen": return "the chain buries the lock";
		case "claiming": return "we claim the lock";
		case "stopped":
		case "returned": return hasUntaken(p.strays) ? `the client takes the refund, alone from ${timelockOf$2(t)} on` : "nothing: it was never funded";
		default: return "nothing: it is over";
	}
}
// ../..engine/swap/onchain-target/seen.ts
/** What is looked at: the coin by its name as well, for a spent one is listed nowhere. */
function htlcWatch(t, placed) {
	const coins = placed === null ? [] : [{
		outpoint: placed.output,
		amount: t.targetAmount
	}];
	const { targetAmount: amount } = t;
	const agreed = {
		least: amount,
		most: amount
	};
	return {
		on: "htlc",
		terms: t.htlc,
		script: t.script,
		since: t.htlcSince,
		agreed,
		coins
	};
}
/** Our coin as the chain shows it. What anybody else pays to the script is not ours, and opens nothing (facts/faults.md 46). */
function ownCoin({ output }, { coins }) {
	return coins.find(({ outpoint }) => sameOutpoint(outpoint, output)) ?? null;
}
/** A coin of exactly the amount, whoever paid it: nobody funds the script a second time while one is there (facts/faults.md 5). */
function sameCoin$1({ targetAmount }, { coins }) {
	const same = coins.filter(({ amount }) => amount === targetAmount);
	return same.find(({ height }) => height !== null) ?? same[0] ?? null;
}
/** The client's claim of it, in a block or in a mempool; its secret is checked once more. */
function claimOf$2({ htlc }, { spend }) {
	if (spend?.by !== "claim") return null;
	const preimage = preimageMatches(htlc.hash, spend.preimage);
	const { txid, bytes, height } = spend;
	return preimage === null ? null : {
		preimage,
		redeem: {
			txid,
			bytes
		},
		height
	};
}
/** Which spend of it is there for good. */
function endOfCoin({ spend }, { height }) {
	if (spend === null || spend.by === "unknown" || !buried(spend.height, height)) return null;
	return spend.by === "claim" ? "claimed" : "refunded";
}
/** Null for what is not about the funding. */
function fundingEnd({ funding, buried: isBuried }, event) {
	if (event.is !== "onchain.final" && event.is !== "onchain.refused") return null;
	if (funding === null || isBuried || event.txid !== funding.payment.txid) return null;
	if (event.is === "onchain.refused") return {
		is: event.why,
		reason: event.reason
	};
	return {
		is: "buried",
		ledger: [{
			kind: "network-fee-paid",
			...btc$1("bitcoin", -event.fee)
		}]
	};
}
// ../..engine/swap/onchain-target/terms.ts
function placedOf({ output, funding, buried }) {
	return {
		output,
		funding,
		buried
	};
}
function revealedOf({ redeem, spends, end, ...placed }) {
	return {
		...placedOf(placed),
		redeem,
		spends,
		end
	};
}
/** Nothing of it can change any more, nor is anything owed to the ledger. */
function isSettled({ end, funding, buried }) {
	return end === "void" || end !== null && (funding === null || buried);
}
// ../..engine/swap/evm-source/claiming.ts
/** Takes the client's lock with the preimage that was learned: its fee rises until the client could take it back. */
function claimEffect$2(t, { deposit }) {
	return {
		do: "evm.send",
		network: t.network,
		contracts: t.contracts,
		act: {
			is: "claim",
			lock: deposit.lock
		},
		deadline: timelockOf$2(t),
		value: t.sourceAmount
	};
}
/** What was given for the lock is the client's: nothing but the lock's end, buried, stops the claim. */
function whenClaiming$5(t, p, event, ends) {
	switch (event.is) {
		case "evm.prepared": return event.purpose === "claim" && p.claimTxid === null ? move({
			...p,
			claimTxid: event.txid,
			sent: sending(p, event.purpose, event.txid)
		}) : "stay";
		case "evm.sent": return claimEnded(t, p, event);
		case "evm.seen": return whenSeen$4(t, p, event, ends);
		default: return "stay";
	}
}
/**
* Mined is for the logs to judge; one that failed, or never happens, is made again. It counts as on its way until it is buried: its
* block may go, and then it is mined once more.
*/
function claimEnded(t, p, event) {
	const end = endOf(p, event);
	if (end === null) return noted(p, event);
	const { by, txid, purpose } = end;
	const shallow = purpose === "claim" && event.state.is === "mined" && event.state.confirmations < t.confirmations;
	const sent = shallow ? p.sent : end.sent;
	if (p.sent.findLast((one) => one.purpose === "claim")?.txid === txid && by !== p.claimTxid) {
		if (by !== null) return move({
			...p,
			sent,
			claimTxid: by
		});
		return {
			progress: {
				...p,
				sent,
				claimTxid: null
			},
			effects: [claimEffect$2(t, p)],
			...event.state.is === "mined" ? { flag: "Our claim of the client’s lock was mined and failed: it is made again." } : {}
		};
	}
	if (!shallow) return move({
		...p,
		sent
	});
	return noted(p, {
		...event,
		state: {
			is: "waiting",
			taken: by
		}
	});
}
function whenSeen$4(t, p, event, ends) {
	const own = event.locks.find(isKey(p.deposit.key));
	if (own === void 0) return vanished$1(t, p, event, ends);
	const { state } = own;
	if (state.is !== "active" && state.confirmations >= t.confirmations) return state.is === "redeemed" ? claimed$3(t, p, state.txid, ends) : claimOther(t, p, event, ends) ?? ends.lost(p);
	return present(t, p, event);
}
/** Another lock that was made as it was agreed: the preimage takes it as well, and nothing else pays for what was given. */
function claimOther(t, p, event, { isPaidBack = () => false }) {
	const other = isPaidBack(p) ? null : rightLock(t, event.locks, null);
	if (other === null) return null;
	const next = {
		...p,
		deposit: depositOf(other),
		strays: straysBeside(t, event.locks, other.key),
		claimTxid: null
	};
	return {
		progress: next,
		effects: [claimEffect$2(t, next)],
		supersedes: true
	};
}
/**
* A reorganisation took the lock: whoever funded it may have locked another amount in its place, and that one is claimed. Not while a
* claim of the first is on its way: it would take that one too, should it come again (facts/faults.md 13).
*/
function vanished$1(t, p, event, ends) {
	if (p.sent.some(({ purpose }) => purpose === "claim")) return missing$1(t, p, event);
	return claimOther(t, p, event, ends) ?? missing$1(t, p, event);
}
/** While something is given for the lock: whatever becomes of it is told, and changes nothing else. */
function whenBacking(t, p, event) {
	if (event.is === "evm.seen") return event.locks.some(isKey(p.deposit.key)) ? present(t, p, event) : missing$1(t, p, event);
	if (event.is !== "evm.sent") return "stay";
	const end = endOf(p, event);
	return end === null ? noted(p, event) : move({
		...p,
		sent: end.sent
	});
}
/** Other locks are listed, whatever else the event means. */
function present(t, p, event) {
	const strays = straysBeside(t, event.locks, p.deposit.key);
	const { gone: _, ...rest } = p;
	const paid = p.deposit.paid ?? event.locks.find(isKey(p.deposit.key))?.paid;
	if (p.gone === void 0 && sameStrays(strays, p.strays) && paid === p.deposit.paid) return "stay";
	const deposit = paid === void 0 ? p.deposit : {
		...p.deposit,
		paid
	};
	return move({
		...rest,
		deposit,
		strays
	});
}
/** The lock that something was given for is not on the chain any more: it may come again, and a person is told once (facts/faults.md 13). */
function missing$1(t, p, event) {
	if (p.gone === true) return "stay";
	return {
		progress: {
			...p,
			strays: straysBeside(t, event.locks, p.deposit.key),
			gone: true
		},
		effects: [],
		flag: `The client’s lock is not on ${t.network} any more although it was buried: a reorganisation took it.`
	};
}
function claimed$3(t, p, claimTxid, ends) {
	const surplus = p.deposit.lock.amount - t.least;
	return {
		progress: ends.claimed(p, claimTxid),
		effects: [],
		supersedes: true,
		ledger: [
			line(t, "protocol-fee", inUnits(t, t.feeSats)),
			line(t, "network-fee-charged", inUnits(t, t.networkFeeSats)),
			...surplus > 0n ? [line(t, "surplus", surplus)] : []
		]
	};
}
function line({ network, pegged }, kind, amount) {
	return {
		kind,
		network,
		asset: `0x${toHex(pegged.address)}`,
		amount
	};
}
/** Of the token that is locked: no chain is served whose token holds less than a sat in its smallest unit. */
function inUnits({ pegged }, amount) {
	return amount * 10n ** BigInt(pegged.decimals - 8);
}
/** Waiting for the client's lock, by itself or by our relay; what is given for it begins as soon as it is buried and safe. */
function whileWaiting(t, p, event, now, backed) {
	switch (event.is) {
		case "evm.seen": return whenSeen$3(t, p, event, now, backed);
		case "fund.requested": return p.at === "pending" ? fundRequested(t, p, event, now) : "stay";
		case "clock": return p.at === "seen" && timeOf(t, now) > t.payBefore ? move(givenBack$1("late", tooLate, p)) : "stay";
		default: return whenRelayed(p, event, now);
	}
}
function whenSeen$3(t, p, event, now, { judge, begin }) {
	const look = whenLooked$1(t, p, event, now);
	if (look.is === "nothing") return "stay";
	if (look.is === "moved") return move(look.progress);
	const { lock, progress: seen } = look;
	const unsafe = judge(lock);
	if (unsafe === null) return begin(seen);
	if (unsafe.unsafe === "never") return move(givenBack$1("late", unsafe.sentence, seen));
	return p.at === "seen" ? "stay" : move(seen);
}
/** Waiting for the client's lock: the right one is the swap's once it is buried, and none while it can still vanish. */
function whenLooked$1(t, p, event, now) {
	const lock = rightLock(t, event.locks, p.at === "seen" ? p.deposit.key : null);
	const strays = straysBeside(t, event.locks, lock?.key ?? null);
	const stop = (...[why, reason]) => ({
		is: "moved",
		progress: {
			...stopped(why, reason, p, straysBeside(t, event.locks, null, lock?.key)),
			...lock === null ? {} : { counted: depositOf(lock) }
		}
	});
	const { relay, relays, refusal } = p;
	const vanished = p.vanished || p.at === "seen" && lock === null;
	const common = {
		...baseOf$2(p),
		strays,
		relay,
		relays,
		refusal,
		vanished
	};
	if (lock === null) {
		const short = shortLock(t, event.locks);
		if (short !== null) return stop("invalid", `the lock holds ${short.terms.amount}, ${t.least - short.terms.amount} less than the ${t.least} agreed`);
		if (event.asked >= t.fundBefore && !relaying(p, event.asked) && !(vanished && event.time <= t.payBefore)) return hasUntaken(strays) ? stop("invalid", "what was locked is not what was agreed") : stop("expired", "nothing was locked in time");
		if (p.at === "pending" && sameStrays(strays, p.strays)) return { is: "nothing" };
		return {
			is: "moved",
			progress: {
				at: "pending",
				...common
			}
		};
	}
	if (p.at === "pending" && relay === null && !vanished && now.wall >= t.fundBefore) return stop("late", "the lock came after the funding window");
	if (timeOf(t, now) > t.payBefore) return stop("late", tooLate);
	const seen = {
		at: "seen",
		...common,
		deposit: depositOf(lock)
	};
	if (lock.confirmations >= t.confirmations) return {
		is: "buried",
		lock,
		progress: seen
	};
	return p.at === "seen" && p.deposit.txid === lock.txid && p.deposit.paid === void 0 === (lock.paid === void 0) && sameStrays(strays, p.strays) ? { is: "nothing" } : {
		is: "moved",
		progress: seen
	};
}
/** What is said of a lock that was too slow. */
const tooLate = "the lock was not buried in time to pay for it";
/** A relay of ours may still make the lock, or made it in a block that the look did not reach. */
function relaying({ relay }, lookedAt) {
	return relay !== null && (relay.mined === null || lookedAt <= relay.mined.heard);
}
/** The client wants its lock made by us: once, and again only where that came to nothing. */
function fundRequested(t, p, { permit, calls }, now) {
	if (p.relay !== null || p.vanished || p.relays >= 3 || now.wall >= t.fundBefore) return "stay";
	const before = BigInt(t.payBefore);
	const deadline = unix$1(Number(permit.deadline < before ? permit.deadline : before));
	return move({
		...p,
		relay: {
			txid: null,
			mined: null
		},
		relays: p.relays + 1,
		refusal: null,
		given: permit.amount
	}, {
		do: "evm.send",
		network: t.network,
		contracts: t.contracts,
		act: {
			is: "relay-fund",
			lock: t.lock,
			permit,
			calls
		},
		deadline,
		value: t.sourceAmount,
		onlyIf: { notAfter: t.fundBefore }
	});
}
/** What becomes of the relay of a client's funding. */
function whenRelayed(p, event, now) {
	switch (event.is) {
		case "evm.prepared": return event.purpose === "relay-fund" && p.relay?.txid === null ? move({
			...p,
			relay: {
				...p.relay,
				txid: event.txid
			},
			sent: sending(p, event.purpose, event.txid)
		}) : "stay";
		case "evm.refused": return event.purpose === "relay-fund" && p.relay?.txid === null ? move(came(p, event.reason)) : "stay";
		case "evm.stands": return event.purpose === "relay-fund" && p.relay?.txid === null ? move(came(p, "the lock stands already")) : "stay";
		case "evm.sent": return relayEnded(p, event, now);
		default: return "stay";
	}
}
function relayEnded(p, event, now) {
	const end = endOf(p, event);
	if (end === null) return noted(p, event);
	const { sent, by } = end;
	const next = {
		...p,
		sent
	};
	const relay = p.relay === null || by === null ? null : {
		...p.relay,
		mined: {
			by,
			heard: now.wall
		}
	};
	return move(relay === null ? came(next, "the transaction that was to fund the swap failed on the chain") : {
		...next,
		relay
	});
}
/** It came to nothing. */
function came(p, refusal) {
	return {
		...p,
		relay: null,
		refusal,
		given: null
	};
}
// ../..engine/swap/onchain-target/effects.ts
/** Chooses coins and signs the funding; sends nothing. */
function fundEffect({ script, targetAmount, mostFee, lockBefore, htlcSince }) {
	return {
		do: "htlc.fund",
		script,
		amount: targetAmount,
		mostFee,
		lockBefore,
		scriptSince: htlcSince
	};
}
/**
* Keeps the funding on the chain until it is buried; what waits too long is pushed by a child of its change. It should be mined while the
* client has its time to claim: a client that waits for its block would have too little of it later, and our refund none to spare.
*/
function sendEffect({ mostFee, lockBefore }, { payment: { txid, coins, change, rate }, height }, onlyIf) {
	const [first] = coins;
	if (first === void 0) throw new RangeError("a funding spends at least one coin");
	return {
		do: "onchain.broadcast",
		txid,
		spends: first.outpoint,
		amount: coins.reduce((sum, { amount }) => plus(sum, amount), noSats),
		rate,
		capped: true,
		deadline: lockBefore,
		since: height,
		...change === null ? {} : { push: {
			change: {
				outpoint: {
					txid,
					vout: 1
				},
				...change
			},
			mostFee
		} },
		...onlyIf === void 0 ? {} : { onlyIf }
	};
}
/** Takes our coin back: it must be ours again before the client can take what it gave, or the client has both. */
function refundEffect$1({ htlc, script, keyIndex }, { output }, deadline, leastRate = 0) {
	return {
		do: "htlc.spend",
		purpose: "refund",
		terms: htlc,
		script,
		key: {
			branch: "swap",
			index: keyIndex
		},
		coin: output,
		leastRate,
		deadline
	};
}
/** Our refund is buried, as the chain shows: what it cost is still to be told, and its bytes to be put away. */
function costEffects({ htlc, targetAmount, htlcSince }, { output, spends }) {
	const refundTxid = spends.at(-1);
	return refundTxid === void 0 ? [] : [{
		do: "onchain.broadcast",
		txid: refundTxid,
		spends: output,
		amount: targetAmount,
		rate: 0,
		capped: true,
		since: htlcSince,
		yieldsTo: htlc.hash
	}];
}
/**
* What goes on whatever else is asked for or dropped, and stands behind it, for it lasts until the coin's end is buried: the client's claim with our
* funding under it, and the funding, which is pushed on: a claim can be mined no sooner, and pays for itself alone.
*/
function keptEffects(t, { output, funding, buried }, redeem) {
	return [...redeem === null ? [] : [{
		do: "htlc.resend",
		coin: output,
		bytes: redeem.bytes
	}], ...funding === null || buried ? [] : [sendEffect(t, funding)]];
}
// ../..engine/swap/evm-bitcoin/coin.ts
/** The coin is there, and what has it already counts. */
function standing(t, p, event) {
	return coinSeen(t, p, event) ?? move({
		at: "locked",
		...depositedOf(p),
		...placedOf(p)
	});
}
/** The client's claim, or a refund of ours that stands: null for what decides nothing. */
function coinSeen(t, p, event) {
	const coin = ownCoin(p, event);
	if (coin === null) return null;
	const claim = claimOf$2(t, coin);
	const end = endOfCoin(coin, event);
	if (claim !== null) return claiming(t, p, {
		...claim,
		spends: [],
		end
	});
	return end === "refunded" && coin.spend !== null ? returned(p, coin.spend.txid) : null;
}
/** Seen in a mempool is enough: the secret is saved, and from here on our coin is the client's (facts/faults.md 15, 16). */
function claiming(t, p, claim) {
	const { redeem, preimage, spends, end } = claim;
	return {
		progress: {
			at: "claiming",
			claimTxid: null,
			...depositedOf(p),
			...placedOf(p),
			redeem,
			spends,
			end
		},
		effects: [claimEffect$2(t, p), ...keptEffects(t, p, end === null ? redeem : null)],
		interrupts: true,
		...preimage === void 0 ? {} : { learned: preimage }
	};
}
/** Our coin is ours again for good: only now may the client's refund be signed. */
function returned(p, refundTxid) {
	return move({
		at: "returned",
		...baseOf$2(p),
		...placedOf(p),
		...nothingAsked,
		refundTxid,
		fenced: false,
		strays: ownLocks(p),
		counted: p.deposit
	});
}
// ../..engine/swap/evm-bitcoin/sending.ts
/** Our funding is signed, and on its way unless it comes too late: it is told of once somebody shows it. */
function whenSending(t, p, event) {
	if (event.is === "htlc.seen") return ownCoin(p, event) === null ? "stay" : shown$1(t, standing(t, p, event));
	const ended = whenFundingEnds(t, p, event);
	if (ended === null) return whenBacking(t, p, event);
	const { progress } = ended;
	return progress.at === "stopped" ? {
		...ended,
		progress
	} : {
		...ended,
		progress: {
			at: "locked",
			...depositedOf(progress),
			...placedOf(progress)
		}
	};
}
/** From here on somebody may have built on it: it is kept on the chain whatever becomes of the lock, and of the time. */
function shown$1(t, step) {
	const { progress: p } = step;
	return p.at === "locked" ? {
		...step,
		interrupts: true,
		effects: keptEffects(t, p, null)
	} : step;
}
/** What becomes of the transaction that funds our coin; null for what is not about it. */
function whenFundingEnds(t, p, event) {
	const end = fundingEnd(p, event);
	switch (end?.is) {
		case void 0: return null;
		case "buried": return {
			progress: {
				...p,
				buried: true
			},
			effects: [],
			ledger: end.ledger
		};
		case "late": return {
			progress: givenBack$1(p.at === "funding" ? "late" : "wont", end.reason, p),
			effects: [],
			supersedes: true
		};
		case "spent": return {
			progress: givenBack$1("wont", "what was to fund our part was spent elsewhere", p),
			effects: [],
			supersedes: true,
			flag: "A coin that was to fund this swap was spent by a transaction that this node did not make: see whether another program uses its wallet."
		};
		case "refused": return doubted(t, p, placedOf(p), end.reason);
	}
}
/** It may stand all the same, or come: the client refunds alone in the end, and what shows until then is looked after. */
function doubted(t, p, placed, reason) {
	return {
		progress: {
			...givenBack$1("wont", reason, p),
			doubt: {
				deposit: p.deposit,
				placed
			}
		},
		effects: [],
		flag: `Whether our part of this swap is funded is not known, and its client’s refund is not signed: ${reason}. See by a block explorer whether ${t.address} was ever paid. A coin that lies there is found by itself. Where none ever came the client takes its lock back alone, from ${timelockOf$2(t)} (unix time) on. One that is spent shows the secret, which opens the client's lock until then: claim that by hand.`
	};
}
/** What was in doubt stands: the swap goes on with it. */
function whenDoubted(t, { doubt, ...p }, event) {
	const { deposit, placed } = doubt;
	const coin = placed === null ? sameCoin$1(t, event) : ownCoin(placed, event);
	if (coin === null || placed === null && coin.height === null) return "stay";
	const strays = p.strays.filter(({ key }) => !sameBytes(key, deposit.key));
	const there = placed ?? {
		output: coin.outpoint,
		funding: null,
		buried: true
	};
	return standing(t, {
		...depositedOf({
			...p,
			deposit,
			strays
		}),
		...there
	}, event);
}
// ../..engine/swap/evm-bitcoin/funding.ts
/** Waiting for the client's lock; funds against the right one as soon as it is buried and safe to fund against. */
function whileFunding$1(t, p, event, now) {
	const { network, confirmations, htlc, policy } = t;
	const timelock = timelockOf$2(t);
	return whileWaiting(t, p, event, now, {
		judge: ({ confirmations: depth }) => safeToFundForLock({
			network,
			depth,
			confirmations,
			timelock,
			htlcRefundLocktime: htlc.refundLocktime
		}, now, policy),
		begin: (seen) => move({
			at: "funded",
			...depositedOf(seen)
		}, fundEffect(t))
	});
}
/** The lock is buried, and nothing of ours is signed yet. */
function whenFunded$1(t, p, event) {
	switch (event.is) {
		case "htlc.prepared": {
			if (p.other === true) return "stay";
			const { payment, output, height } = event;
			const funding = {
				payment,
				height
			};
			const placed = {
				output,
				funding,
				buried: false
			};
			return move({
				at: "funding",
				...depositedOf(p),
				...placed
			}, sendEffect(t, funding, onlyIf$2(t, p)));
		}
		case "htlc.refused":
			if (event.unsure === true) return event.output === void 0 ? doubted(t, p, null, event.reason) : move({
				at: "locked",
				...depositedOf(p),
				output: event.output,
				funding: null,
				buried: true
			});
			return move(givenBack$1("wont", event.reason, p));
		case "htlc.seen": return whenOtherSeen(t, p, event);
		default: return whenBacking(t, p, event);
	}
}
/**
* A coin of the amount at our own script: a funding of ours that a restored database forgot, or a gift. Mined it is the swap's coin; while
* it is not, nothing is funded beside it, and nobody is told of it, for it may still be replaced (facts/faults.md 5, 12). Until no time is left
* to fund anything: whoever lets it wait gets no liquidity kept for it, and no refund signed, for it may be ours.
*/
function whenOtherSeen(t, p, event) {
	const coin = sameCoin$1(t, event);
	if (coin === null) return p.other === true ? move({
		at: "funded",
		...depositedOf(p)
	}, fundEffect(t)) : "stay";
	if (coin.height === null && event.mtp > t.lockBefore) return {
		progress: {
			...givenBack$1("wont", "another coin waits at our script, and too little time is left to fund it", p),
			doubt: {
				deposit: p.deposit,
				placed: {
					output: coin.outpoint,
					funding: null,
					buried: true
				}
			}
		},
		effects: [],
		supersedes: true
	};
	if (coin.height === null) return p.other === true ? "stay" : {
		...move({
			...p,
			other: true
		}),
		interrupts: true
	};
	const placed = {
		output: coin.outpoint,
		funding: null,
		buried: true
	};
	return {
		...standing(t, {
			...depositedOf(p),
			...placed
		}, event),
		interrupts: true
	};
}
function onlyIf$2(t, { deposit: { lock, txid } }) {
	return {
		notAfter: t.lockBefore,
		escrow: {
			network: t.network,
			htlc: t.contracts.htlc,
			lock,
			txid,
			confirmations: t.confirmations,
			agreed: t.agreed,
			htlcRefundLocktime: t.htlc.refundLocktime,
			policy: t.policy
		}
	};
}
// ../..engine/swap/evm-bitcoin/refunding.ts
/** By median time past our coin is to be back before the client can take its lock. */
function refundDeadline(t) {
	return unix$1(Math.max(0, timelockOf$2(t) - t.policy.mtpLag - t.policy.margin));
}
/** From here on of its own clock, should that trail no further, a chain leaves half of the margin to claim the client's lock. */
function lastClaimTime(t) {
	return unix$1(Math.max(0, timelockOf$2(t) - t.policy.mtpLag - Math.floor(t.policy.margin / 2)));
}
function cannotWait(t, now) {
	const evm = now[t.network];
	const mtp = evm === void 0 ? null : furthest(evm).mtp;
	return mtp !== null && latestByChain({ mtp }, t.policy) >= lastClaimTime(t) + t.policy.mtpLag;
}
/** Our refund is on its way; the client's claim may still win. */
function whenRefunding$3(t, p, event, now) {
	switch (event.is) {
		case "htlc.seen": return whenCoinSeen$1(t, p, event, now);
		case "clock": return p.redeem !== void 0 && cannotWait(t, now) ? claiming(t, p, {
			redeem: p.redeem,
			spends: p.spends,
			end: null
		}) : "stay";
		default: return whenFundingEnds(t, p, event) ?? whileTakingBack(t, p, event) ?? whenBacking(t, p, event);
	}
}
/** Asks for our refund of the coin, at `leastRate` sats per virtual byte at least. */
function takeBack(t, p, leastRate = 0) {
	return refundEffect$1(t, p, refundDeadline(t), leastRate);
}
/** How our refund of the coin goes; `taken` is the step once it is buried. */
function refundOf$5(t, taken) {
	return {
		purpose: "refund",
		coin: (p) => p.output,
		effect: (p, leastRate) => takeBack(t, p, leastRate),
		taken
	};
}
function refundOfCoin(t) {
	return refundOf$5(t, (p, txid, ledger) => ({
		...returned(p, txid),
		ledger
	}));
}
/** Beside a claim of the client's our refund is sent and raised no more, and may be mined all the same. */
function whileTakingBack(t, p, event) {
	return p.redeem === void 0 || event.is === "onchain.final" ? whileTakingCoin(refundOfCoin(t), p, event) : null;
}
/**
* The client's claim beside a refund of ours that is signed: either may be mined, and claiming the lock now could leave both legs with
* us. The refund is sent and raised no more, the claim is sent on, and whichever is buried decides, unless that can wait no longer
* (facts/faults.md 17, 40).
*/
function whenCoinSeen$1(t, p, event, now) {
	const coin = ownCoin(p, event);
	if (coin === null) return "stay";
	const end = endOfCoin(coin, event);
	if (end === "refunded" && coin.spend !== null) return {
		...returned(p, coin.spend.txid),
		interrupts: true,
		effects: [...costEffects(t, p), ...keptEffects(t, p, null)]
	};
	const claim = claimOf$2(t, coin);
	if (claim === null) return whenCalledSpent(refundOfCoin(t), p, coin, event.height) ?? "stay";
	if (end !== null || p.spends.length === 0 || cannotWait(t, now)) return claiming(t, p, {
		...claim,
		spends: end === null ? p.spends : [],
		end
	});
	const { redeem, preimage } = claim;
	if (p.redeem?.txid === redeem.txid) return "stay";
	return {
		progress: {
			...p,
			redeem
		},
		effects: keptEffects(t, p, redeem),
		interrupts: true,
		learned: preimage
	};
}
// ../..engine/swap/evm-bitcoin/locked.ts
/** Our coin is out: the client claims it, or we take it back once median time past is above its locktime. */
function whenLocked$1(t, p, event, now) {
	switch (event.is) {
		case "htlc.seen": return coinSeen(t, p, event) ?? "stay";
		case "clock": return safeToRefund({ refundLocktime: t.htlc.refundLocktime }, now) === null ? move({
			at: "refunding",
			spends: [],
			...depositedOf(p),
			...placedOf(p)
		}, takeBack(t, p)) : "stay";
		default: return whenFundingEnds(t, p, event) ?? whenBacking(t, p, event);
	}
}
// ../..engine/swap/evm-bitcoin/over.ts
/** The client's claim was seen: its lock is claimed, whatever becomes of anything else. */
function whenRevealed(t, p, event) {
	return whenCoinEnds(t, p, event) ?? keeping(t, whenClaiming$5(t, p, event, ends$3(t)));
}
/** The lock is ours, or the client's again; our coin is watched until what took it is buried. */
function whenOver$1(t, p, event, now) {
	return (p.at === "lost" ? keepingOn(t, whenTakingBack(t, p, event)) : null) ?? whenCoinEnds(t, p, event) ?? keeping(t, whenOver$2(t, p, event, now));
}
/**
* The client has its lock again for good, and its claim of our coin may never be mined: the coin is taken back, where no claim of it shows.
* Our refund yields to one that does, so that a chain that lied about the lock costs the client nothing.
*/
function whenTakingBack(t, p, event) {
	if (p.end !== null || event.is === "onchain.final") return null;
	const refund = refundOf$5(t, (of, _, ledger) => ended$1(t, of, "refunded", ledger));
	if (event.is === "htlc.seen") {
		const coin = ownCoin(p, event);
		return coin && whenCalledSpent(refund, p, coin, event.height);
	}
	return "txid" in event && event.txid === p.funding?.payment.txid ? null : whileTakingCoin(refund, p, event);
}
const ends$3 = (t) => ({
	claimed: (p, claimTxid) => ({
		at: "claimed",
		claimTxid,
		...depositedOf(p),
		...nothingAsked,
		...revealedOf(p)
	}),
	lost: (p) => ({
		progress: {
			at: "lost",
			...depositedOf(p),
			...nothingAsked,
			...revealedOf(p)
		},
		effects: p.end === null ? [takeBack(t, p)] : [],
		supersedes: true,
		...p.end === null || p.end === "claimed" ? {
			ledger: [{
				kind: "loss",
				...btc$1("bitcoin", -t.targetAmount)
			}],
			flag: "The client took its lock back although it had claimed our coin."
		} : { flag: neither }
	}),
	isPaidBack: ({ end }) => end === "refunded" || end === "void"
});
const neither = "The claim of the client did not take our coin, and its lock went back to it all the same: nothing is lost, and nothing is owed.";
/** What lasts until our coin's end is buried makes way for what the lock asks for now, and goes on behind it. */
function keeping(t, outcome) {
	if (outcome === "stay" || outcome.supersedes !== true && outcome.effects.length === 0) return outcome;
	const { supersedes: _, ...step } = outcome;
	const { progress: p } = step;
	if (!("end" in p) || isSettled(p)) return outcome;
	const redeem = p.at === "lost" || p.end !== null ? null : p.redeem;
	return {
		...step,
		interrupts: true,
		effects: [...step.effects, ...keptEffects(t, p, redeem)]
	};
}
function keepingOn(t, step) {
	return step === null ? null : keeping(t, step);
}
/** What becomes of our coin; null for what is not about it. */
function whenCoinEnds(t, p, event) {
	if (event.is === "htlc.seen") {
		const coin = ownCoin(p, event);
		if (coin === null || p.end !== null) return "stay";
		const end = endOfCoin(coin, event);
		const redeem = claimOf$2(t, coin)?.redeem ?? p.redeem;
		if (end !== null) return ended$1(t, {
			...p,
			redeem
		}, end);
		return redeem.txid === p.redeem.txid ? "stay" : move({
			...p,
			redeem
		});
	}
	const funding = fundingEnd(p, event);
	if (funding?.is === "buried") return settled$1({
		...p,
		buried: true
	}, { ledger: funding.ledger });
	if (funding?.is === "spent" || funding?.is === "late") return p.end === null ? ended$1(t, p, "void") : "stay";
	if (event.is === "onchain.final" && isOurs$2(p, event.txid)) {
		const ledger = [{
			kind: "network-fee-paid",
			...btc$1("bitcoin", -event.fee)
		}];
		if (p.end === null) return ended$1(t, p, "refunded", ledger);
		if (p.end === "refunded") return {
			progress: p,
			effects: [],
			ledger
		};
	}
	return event.is === "onchain.final" || event.is === "onchain.refused" ? "stay" : null;
}
/** For good: whoever has the coin now keeps it. */
function ended$1(t, p, end, ledger = []) {
	const next = {
		...p,
		end
	};
	if (end === "claimed") return settled$1(next, {});
	const cost = ledger.length > 0 || end === "void" ? [] : costEffects(t, next);
	const effects = cost.length === 0 ? [] : [...cost, ...keptEffects(t, next, null)];
	if (p.at === "lost") return settled$1(next, {
		effects,
		ledger: [...ledger, {
			kind: "loss",
			...btc$1("bitcoin", t.targetAmount)
		}],
		flag: neither
	});
	return settled$1(next, {
		effects,
		...ledger.length === 0 ? {} : { ledger },
		flag: `Both legs of this swap are ours: the client's claim took nothing, for ${end === "void" ? "what funded it was spent elsewhere" : "our refund took the coin back"}, and its lock is claimed. ${t.targetAmount} sats are owed to the client: pay them to ${t.targetAddress ?? `where its claim ${p.redeem.txid} pays`}.`
	});
}
function settled$1(progress, step) {
	const over = progress.at !== "claiming" && isSettled(progress);
	const { effects = [], ...rest } = step;
	return {
		progress,
		effects,
		...rest,
		...over ? { supersedes: true } : effects.length > 0 ? { interrupts: true } : {}
	};
}
/** Nothing of ours was funded: the locks are watched, and given back on request. */
function whenStopped$1(t, p, event, now) {
	const { doubt } = p;
	if (doubt === void 0) return whenStopped$2(t, p, event, now);
	if (event.is === "htlc.seen") return whenDoubted(t, {
		...p,
		doubt
	}, event);
	if (event.is === "evm-refund.requested") return "stay";
	return whenStopped$2(t, p, event, now);
}
/** Our coin is ours again for good: the client gets its lock back, by our signature or alone. */
function whenReturned(t, p, event, now) {
	if (event.is === "onchain.final") return costs$1(p, event);
	const { at: _, output, funding, buried, refundTxid, ...left } = p;
	const placed = {
		output,
		funding,
		buried
	};
	const outcome = whenStopped$2(t, {
		...left,
		at: "stopped",
		why: "wont",
		reason: ""
	}, event, now);
	if (outcome === "stay") return "stay";
	const { progress, ...step } = outcome;
	if (progress.at === "refunded") return {
		...step,
		progress: {
			...progress,
			returned: {
				...placed,
				refundTxid
			}
		}
	};
	if (progress.at === "lapsed") return "stay";
	const { why: __, reason: ___, ...more } = progress;
	return {
		...step,
		progress: {
			...more,
			at: "returned",
			...placed,
			refundTxid
		}
	};
}
/** What the funding cost, or the refund that was seen before it was told of. */
function costs$1(p, event) {
	return {
		progress: p.at === "returned" && fundingEnd(p, event) !== null ? {
			...p,
			buried: true
		} : p,
		effects: [],
		ledger: [{
			kind: "network-fee-paid",
			...btc$1("bitcoin", -event.fee)
		}]
	};
}
function whenRefunded$1(t, p, event, now) {
	if (event.is === "onchain.final") return p.returned === void 0 ? "stay" : costs$1(p, event);
	return whenOver$2(t, p, event, now);
}
// ../..engine/swap/evm-bitcoin/rescue.ts
function rescue$7(t, p) {
	switch (p.at) {
		case "funding":
		case "locked":
		case "refunding": return hidden(lockToClaim(t, p.deposit), htlcToRefund(t, p.output));
		case "claiming":
		case "claimed": return {
			...shown$2(lockToClaim(t, p.deposit), htlcToRefund(t, p.output)),
			resend: p.redeem.bytes
		};
		case "lost":
		case "returned": return unpaid(htlcToRefund(t, p.output));
		case "stopped": return p.doubt === void 0 ? null : hidden(lockToClaim(t, p.doubt.deposit), htlcToRefund(t, p.doubt.placed?.output ?? null));
		default: return null;
	}
}
// ../..engine/swap/evm-source/shape.ts
const recordToken$1 = exactly()(z.strictObject({
	address: evmAddress$1,
	decimals: z.number(),
	symbol: z.string(),
	name: z.string()
}));
/** The terms that every source of this kind has. */
const sourceTerms = {
	hash: sha256$1,
	network: evmNetworkName,
	contracts: swapContracts,
	lock: z.strictObject(lockFields),
	least: z.bigint(),
	pegged: recordToken$1,
	clientAddress: evmAddress$1,
	source: recordToken$1,
	sourceUnits: z.bigint(),
	sourcePinned: z.boolean(),
	gasless: z.boolean(),
	sourceAmount: sats$1,
	feeSats: sats$1,
	networkFeeSats: sats$1,
	confirmations: z.number(),
	since: z.number(),
	fundBefore: unix,
	payBefore: unix
};
const txid$8 = z.string();
const paid$1 = exactly()(z.strictObject({
	token: evmAddress$1,
	taken: z.bigint(),
	returned: z.bigint()
}));
const locked$2 = {
	lock: lockTerms,
	key: bytes,
	txid: txid$8,
	depositor: evmAddress$1.nullable(),
	paid: paid$1.exactOptional()
};
const deposit = exactly()(z.strictObject(locked$2));
const strays = z.array(z.strictObject({
	...locked$2,
	taken: z.boolean()
}));
const purpose = z.enum([
	"lock",
	"claim",
	"refund",
	"relay-claim",
	"relay-fund",
	"relay-refund",
	"taker-claim",
	"taker-fund",
	"taker-refund",
	"pay",
	"approve",
	"permit",
	"taker-approve",
	"taker-pay",
	"cancel"
]);
const sent = exactly()(z.strictObject({
	purpose,
	txid: txid$8,
	taken: txid$8.exactOptional()
}));
const base$2 = {
	sent: z.array(sent),
	given: z.bigint().nullable()
};
const relay = exactly()(z.strictObject({
	txid: txid$8.nullable(),
	mined: z.strictObject({
		by: txid$8,
		heard: unix
	}).nullable()
}));
const fundable = {
	...base$2,
	strays,
	relay: relay.nullable(),
	relays: z.number(),
	refusal: z.string().nullable(),
	vanished: z.boolean()
};
const deposited = {
	...base$2,
	deposit,
	strays,
	gone: z.literal(true).exactOptional()
};
const refund$1 = exactly()(z.strictObject({
	key: bytes,
	txid: txid$8.nullable()
}));
const left = {
	unwatched: z.boolean(),
	askedUntil: unix.nullable(),
	refund: refund$1.nullable(),
	refunds: z.number(),
	refundsOfOthers: z.number(),
	refusal: z.string().nullable()
};
const counted = { counted: deposit.exactOptional() };
/** Fields of the states that every source of this kind has, without their name. */
const sourceFields = {
	pending: fundable,
	seen: {
		...fundable,
		deposit
	},
	deposited,
	claiming: {
		...deposited,
		claimTxid: txid$8.nullable()
	},
	claimed: {
		...deposited,
		...left,
		claimTxid: txid$8
	},
	lost: {
		...deposited,
		...left
	},
	stopped: {
		...base$2,
		...left,
		why: z.enum([
			"expired",
			"invalid",
			"late",
			"wont"
		]),
		reason: z.string(),
		fenced: z.boolean(),
		strays,
		...counted
	},
	refunded: {
		...base$2,
		...left,
		strays,
		...counted
	}
};
// ../..engine/swap/onchain-target/shape.ts
/** The terms that every target of this kind has. */
const targetTerms = {
	targetAmount: sats$1,
	htlc: htlcTerms,
	script: bytes,
	address: z.string(),
	keyIndex: z.number(),
	mostFee: sats$1,
	htlcSince: z.number(),
	lockBefore: unix,
	policy: timeoutPolicy
};
const txid$7 = z.string();
const funding = exactly()(z.strictObject({
	payment: savedSend,
	height: z.number()
}));
const redeem = exactly()(z.strictObject({
	txid: txid$7,
	bytes
}));
const placed$1 = {
	output: outpoint,
	funding: funding.nullable(),
	buried: z.boolean()
};
/** Fields of the states that every target of this kind has, without their name. */
const targetFields = {
	placed: placed$1,
	refunding: {
		...placed$1,
		...coinTaking,
		redeem: redeem.exactOptional()
	},
	revealed: {
		...placed$1,
		redeem,
		spends: z.array(txid$7),
		end: z.enum([
			"claimed",
			"refunded",
			"void"
		]).nullable()
	}
};
// ../..engine/swap/evm-bitcoin/shape.ts
const terms$8 = exactly()(z.strictObject({
	...sourceTerms,
	...targetTerms,
	agreed: z.boolean(),
	targetAddress: z.string().nullable()
}));
const placed = z.strictObject(targetFields.placed);
const doubt = exactly()(z.strictObject({
	deposit,
	placed: placed.nullable()
}));
const refundTxid = z.string();
function at$3(name) {
	return { at: z.literal(name) };
}
const { why: _, reason: __, ...givenBack } = sourceFields.stopped;
const progress$8 = exactly()(z.discriminatedUnion("at", [
	z.strictObject({
		...at$3("pending"),
		...sourceFields.pending
	}),
	z.strictObject({
		...at$3("seen"),
		...sourceFields.seen
	}),
	z.strictObject({
		...at$3("funded"),
		...sourceFields.deposited,
		other: z.literal(true).exactOptional()
	}),
	z.strictObject({
		...at$3("funding"),
		...sourceFields.deposited,
		...targetFields.placed
	}),
	z.strictObject({
		...at$3("locked"),
		...sourceFields.deposited,
		...targetFields.placed
	}),
	z.strictObject({
		...at$3("refunding"),
		...sourceFields.deposited,
		...targetFields.refunding
	}),
	z.strictObject({
		...at$3("claiming"),
		...sourceFields.claiming,
		...targetFields.revealed
	}),
	z.strictObject({
		...at$3("claimed"),
		...sourceFields.claimed,
		...targetFields.revealed
	}),
	z.strictObject({
		...at$3("lost"),
		...sourceFields.lost,
		...targetFields.revealed,
		...coinTaking
	}),
	z.strictObject({
		...at$3("returned"),
		...givenBack,
		...targetFields.placed,
		refundTxid
	}),
	z.strictObject({
		...at$3("stopped"),
		...sourceFields.stopped,
		doubt: doubt.exactOptional()
	}),
	z.strictObject({ ...at$3("lapsed") }),
	z.strictObject({
		...at$3("refunded"),
		...sourceFields.refunded,
		returned: z.strictObject({
			...targetFields.placed,
			refundTxid
		}).exactOptional()
	})
]));
const shape$8 = {
	terms: shapeOf(terms$8),
	progress: shapeOf(progress$8)
};
// ../..engine/swap/evm-bitcoin/machine.ts
const statuses$2 = {
	...bothLockedStatuses,
	funding: "clientfunded",
	claiming: "clientredeemed"
};
function status$7(p) {
	return p.at === "stopped" || p.at === "refunded" ? givenBackStatus(p) : statuses$2[p.at];
}
function step$8(t, p, event, now) {
	switch (p.at) {
		case "pending":
		case "seen": return whileFunding$1(t, p, event, now);
		case "funded": return whenFunded$1(t, p, event);
		case "funding": return whenSending(t, p, event);
		case "locked": return whenLocked$1(t, p, event, now);
		case "refunding": return whenRefunding$3(t, p, event, now);
		case "claiming": return whenRevealed(t, p, event);
		case "claimed":
		case "lost": return whenOver$1(t, p, event, now);
		case "returned": return whenReturned(t, p, event, now);
		case "stopped": return whenStopped$1(t, p, event, now);
		case "refunded": return whenRefunded$1(t, p, event, now);
		case "lapsed": return "stay";
	}
}
function coinWatch$1(t, p) {
	switch (p.at) {
		case "funded": return [htlcWatch(t, null)];
		case "funding":
		case "locked":
		case "refunding": return [htlcWatch(t, p)];
		case "claiming":
		case "claimed":
		case "lost": return p.end === null ? [htlcWatch(t, p)] : [];
		case "stopped": return p.doubt === void 0 ? [] : [htlcWatch(t, p.doubt.placed)];
		default: return [];
	}
}
function watches$8(t, p) {
	return p.at === "lapsed" ? [] : [...coinWatch$1(t, p), ...lockWatches(t, p)];
}
function deadline$7(t, p) {
	switch (p.at) {
		case "locked": return t.htlc.refundLocktime;
		case "refunding": return p.redeem === void 0 ? null : lastClaimTime(t);
		default: return lockDeadline(t, p);
	}
}
function open$3(_, p) {
	return lockOpen$2(p) || (p.at === "claimed" || p.at === "lost") && !isSettled(p);
}
function nextAction$1(t, p) {
	switch (p.at) {
		case "funded": return "we fund our part on the Bitcoin chain";
		case "funding": return "the Bitcoin chain takes our funding";
		case "locked": return "the client claims our coin";
		case "refunding": return p.redeem === void 0 ? "we take our coin back" : "the miners: our refund and the client’s claim race";
		case "claimed": return isSettled(p) ? "nothing: it is over" : "the miners bury what took our coin";
		case "lost": return isSettled(p) ? "nothing: it is over" : "we take our coin back, unless the client’s claim is mined";
		default: return lockAction(t, p);
	}
}
const evmBitcoin = {
	name: "evm-bitcoin",
	shape: shape$8,
	notes: ["payment", "refund"],
	step: step$8,
	watches: watches$8,
	deadline: deadline$7,
	status: status$7,
	open: open$3,
	reserves: (p) => p.at === "pending" || p.at === "seen" || p.at === "funded",
	untold: () => false,
	hash160: (t) => hash160OfSha256(t.hash),
	unfunded: {
		ends: ["lapsed"],
		locktime: timelockOf$2,
		script: () => null
	},
	rescue: rescue$7,
	nextAction: nextAction$1
};
// ../..engine/swap/evm-lightning/over.ts
/** The swap will not be paid: its locks are watched, and given back on request. */
function whenStopped(t, p, event, now) {
	if (event.is === "payment.seen") return whenLate(t, p, {
		state: event.state,
		now
	}, (settled) => lateSettlement(t, p, settled));
	if (event.is === "evm-refund.requested" && p.late === "in-flight" && !p.fenced) return "stay";
	const outcome = whenStopped$2(t, p, event, now);
	if (outcome === "stay") return outcome;
	if (outcome.progress.at === "lapsed") return p.late === void 0 ? {
		...outcome,
		progress: outcome.progress
	} : "stay";
	return {
		...outcome,
		progress: {
			...outcome.progress,
			...lateOf(p)
		}
	};
}
/** The client has its locks back; a payment that was called off may still come. */
function whenRefunded(t, p, event, now) {
	if (event.is === "payment.seen") return p.late === void 0 ? "stay" : whenLate(t, p, {
		state: event.state,
		now
	}, (settled) => lateSettlement(t, p, settled));
	return whenOver$2(t, p, event, now);
}
/** A payment that was called off was made all the same. */
function lateSettlement(t, p, settled) {
	const { preimage } = settled;
	const own = lateLock(t, p);
	if (own === null) {
		const { late, ...rest } = p;
		return {
			progress: late === void 0 ? p : rest,
			effects: [],
			learned: preimage,
			flag: "A payment that had failed settled after all, and the client’s lock is refunded or may be.",
			...late === void 0 ? {} : { ledger: [routingCost(settled), {
				kind: "loss",
				...btc$1("lightning", -t.targetAmount)
			}] }
		};
	}
	const { lock, key, txid, depositor } = own;
	const deposit = {
		lock,
		key,
		txid,
		depositor
	};
	const deposited = {
		...baseOf$2(p),
		deposit,
		strays: p.strays.filter((stray) => !isKey(key)(stray))
	};
	return {
		progress: {
			at: "claiming",
			claimTxid: null,
			...deposited
		},
		effects: [claimEffect$2(t, deposited)],
		learned: preimage,
		ledger: [routingCost(settled)],
		flag: "A payment that had failed settled after all."
	};
}
/**
* What a payment that settles late is taken for: the lock that was counted, else any that was made as agreed (facts/faults.md 65). None once
* we signed a refund of what was counted: the client holds our consent, which closed the claim for good, and a person has to look.
*/
function lateLock(t, p) {
	if (p.at === "refunded" || p.fenced) return null;
	const { counted, strays } = p;
	if (counted !== void 0 && strays.find(isKey(counted.key))?.taken !== true) return counted;
	return strays.find(({ taken, lock }) => !taken && lock.amount >= t.least) ?? null;
}
// ../..engine/swap/evm-lightning/paying.ts
/** Waiting for the client's lock; pays against the right one as soon as it is buried and safe to pay against. */
function whileFunding(t, p, event, now) {
	return whileWaiting(t, p, event, now, {
		judge: ({ confirmations: depth }) => safeToPayForLock({
			network: t.network,
			depth,
			confirmations: t.confirmations,
			refundLocktime: timelockOf$2(t),
			maxTimeoutHeight: t.maxTimeoutHeight,
			finalCltv: t.finalCltv,
			invoiceExpiresAt: t.invoiceExpiresAt
		}, now, t.policy),
		begin: (seen) => move({
			at: "funded",
			...depositedOf(seen)
		}, payEffect(t, seen.deposit))
	});
}
function payEffect(t, { lock, txid }) {
	return {
		do: "pay",
		payment: {
			bolt11: t.bolt11,
			hash: t.hash,
			amount: t.targetAmount,
			maxFeeMsat: t.maxFeeMsat,
			maxTimeoutHeight: t.maxTimeoutHeight
		},
		onlyIf: {
			notAfter: t.payBefore,
			deposit: {
				network: t.network,
				htlc: t.contracts.htlc,
				lock,
				txid,
				confirmations: t.confirmations,
				agreed: t.agreed,
				finalCltv: t.finalCltv,
				invoiceExpiresAt: t.invoiceExpiresAt,
				policy: t.policy
			}
		}
	};
}
/** Paying or about to pay: the payment's fate alone decides, whatever becomes of the lock. */
function whilePaying(t, p, event, now) {
	if (event.is === "evm.seen" || event.is === "evm.sent") return whenBacking(t, p, event);
	const step = paymentStep(t, p, event, now);
	if (step === "stay") return "stay";
	switch (step.is) {
		case "begun": return move({
			at: "paying",
			...depositedOf(p),
			...step.late
		});
		case "failed": return move({
			...givenBack$1("wont", step.reason, p),
			...step.late
		});
		case "settled": return {
			progress: {
				at: "claiming",
				claimTxid: null,
				...depositedOf(p)
			},
			effects: [claimEffect$2(t, p)],
			learned: step.preimage,
			ledger: [routingCost(step)]
		};
	}
}
/** The payment settled, and its preimage takes the lock. */
const ends$2 = (t) => ({
	claimed: (p, claimTxid) => ({
		at: "claimed",
		claimTxid,
		...depositedOf(p),
		...nothingAsked
	}),
	lost: (p) => ({
		progress: {
			at: "lost",
			...depositedOf(p),
			...nothingAsked
		},
		effects: [],
		supersedes: true,
		ledger: [{
			kind: "loss",
			...btc$1("lightning", -t.targetAmount)
		}],
		flag: "The client took its lock back although the payment had settled."
	})
});
// ../..engine/swap/evm-lightning/rescue.ts
/** From the moment at which the payment is asked for. */
function rescue$6(t, p) {
	const ours = {
		on: "lightning",
		hash: t.hash
	};
	switch (p.at) {
		case "funded":
		case "paying": return hidden(lockToClaim(t, p.deposit), ours);
		case "claiming":
		case "claimed": return shown$2(lockToClaim(t, p.deposit), ours);
		case "stopped": {
			const own = p.late === void 0 ? null : lateLock(t, p);
			return own === null ? null : hidden(lockToClaim(t, own), ours);
		}
		default: return null;
	}
}
// ../..engine/swap/evm-lightning/shape.ts
const terms$7 = exactly()(z.strictObject({
	...sourceTerms,
	targetAmount: sats$1,
	bolt11: z.string(),
	invoiceExpiresAt: unix,
	maxFeeMsat: z.bigint(),
	maxTimeoutHeight: z.number(),
	finalCltv: z.number(),
	agreed: z.boolean(),
	policy: timeoutPolicy
}));
const late$1 = { late: z.enum(["maybe", "in-flight"]).exactOptional() };
function at$2(name) {
	return { at: z.literal(name) };
}
const progress$7 = exactly()(z.discriminatedUnion("at", [
	z.strictObject({
		...at$2("pending"),
		...sourceFields.pending
	}),
	z.strictObject({
		...at$2("seen"),
		...sourceFields.seen
	}),
	z.strictObject({
		...at$2("funded"),
		...sourceFields.deposited
	}),
	z.strictObject({
		...at$2("paying"),
		...sourceFields.deposited,
		...late$1
	}),
	z.strictObject({
		...at$2("claiming"),
		...sourceFields.claiming
	}),
	z.strictObject({
		...at$2("claimed"),
		...sourceFields.claimed
	}),
	z.strictObject({
		...at$2("lost"),
		...sourceFields.lost
	}),
	z.strictObject({
		...at$2("stopped"),
		...sourceFields.stopped,
		...late$1
	}),
	z.strictObject({ ...at$2("lapsed") }),
	z.strictObject({
		...at$2("refunded"),
		...sourceFields.refunded,
		...late$1
	})
]));
const shape$7 = {
	terms: shapeOf(terms$7),
	progress: shapeOf(progress$7)
};
// ../..engine/swap/evm-lightning/machine.ts
const statuses$1 = {
	...payoutStatuses,
	seen: "clientfundingseen"
};
function status$6(p) {
	return p.at === "stopped" ? stoppedStatuses[p.why] : statuses$1[p.at];
}
function step$7(t, p, event, now) {
	switch (p.at) {
		case "pending":
		case "seen": return whileFunding(t, p, event, now);
		case "funded":
		case "paying": return whilePaying(t, p, event, now);
		case "claiming": return whenClaiming$5(t, p, event, ends$2(t));
		case "stopped": return whenStopped(t, p, event, now);
		case "claimed":
		case "lost": return whenOver$2(t, p, event, now);
		case "refunded": return whenRefunded(t, p, event, now);
		case "lapsed": return "stay";
	}
}
function watches$7(t, p) {
	if (p.at === "lapsed") return [];
	return [...p.at === "paying" || isLate(p) ? [{
		on: "payment",
		hash: t.hash
	}] : [], ...lockWatches(t, p)];
}
function nextAction(t, p) {
	if (p.at === "refunded" && isLate(p)) return "nothing, unless a payment arrives that was called off";
	switch (p.at) {
		case "funded": return "we pay the invoice";
		case "paying": return "the Lightning network carries the payment";
		default: return lockAction(t, p);
	}
}
const evmLightning = {
	name: "evm-lightning",
	shape: shape$7,
	notes: ["payment", "refund"],
	step: step$7,
	watches: watches$7,
	deadline: lockDeadline,
	status: status$6,
	open: (_, p) => lockOpen$2(p) || isLate(p),
	reserves: (p) => p.at === "pending" || p.at === "seen" || p.at === "funded",
	untold: () => false,
	hash160: (t) => hash160OfSha256(t.hash),
	unfunded: {
		ends: ["lapsed"],
		locktime: timelockOf$2,
		script: () => null
	},
	rescue: rescue$6,
	nextAction
};
// ../..engine/swap/vhtlc-target/terms.ts
function raceOf({ racing, bothLegs, refundTxid, finishing, asked: batchAsked }) {
	return {
		...racing === void 0 ? {} : { racing },
		...bothLegs === void 0 ? {} : { bothLegs },
		...refundTxid === void 0 ? {} : { refundTxid },
		...finishing === void 0 ? {} : { finishing },
		...batchAsked === void 0 ? {} : { asked: batchAsked }
	};
}
// ../..engine/swap/lightning-arkade/terms.ts
/** The part of a state that stays the swap's once its invoice exists. */
function invoiceOf(p) {
	return {
		bolt11: p.bolt11,
		invoiceExpiresAt: p.invoiceExpiresAt
	};
}
/** The part of a state that stays the swap's once a VHTLC is locked. */
function lockOf$2(p) {
	return {
		...invoiceOf(p),
		lock: p.lock,
		...p.expiryHeight === void 0 ? {} : { expiryHeight: p.expiryHeight }
	};
}
// ../..engine/swap/lightning-arkade/claimed.ts
const race = {
	returned: (p, refundTxid) => ({
		at: "returned",
		refundTxid,
		...lockOf$2(p)
	}),
	taken: "its payment is settled",
	back: "the payment went back to its payer"
};
/** Whose the VHTLC is shows when the payment is over already. */
function whenOver(t, p, event, now) {
	return raceOver(t, p, event, now, race) ?? leftOver$1(t, p, event, now, race) ?? "stay";
}
/** The preimage is ours: the held payment is settled, however long that takes. */
function whenClaimed(t, p, event, now) {
	const over = raceOver(t, p, event, now, race);
	if (over !== null) return over;
	if (event.is === "hold.settled") return settled(t, p);
	if (event.is !== "hold.seen") return "stay";
	switch (event.state.is) {
		case "settled": return settled(t, p);
		case "cancelled": return lost(t, p);
		case "absent": return p.expiryHeight !== void 0 && now.bitcoin.height !== null && now.bitcoin.height > p.expiryHeight + 144 ? lost(t, p) : {
			progress: p,
			effects: [],
			flag: "The client claimed the VHTLC and this Lightning node does not know the payment: connect the node that holds it, before it times out."
		};
		default: return "stay";
	}
}
function settled(t, p) {
	return {
		progress: {
			at: "settled",
			claimTxid: p.claimTxid,
			...lockOf$2(p),
			...raceOf(p)
		},
		effects: [],
		ledger: [{
			kind: "protocol-fee",
			...btc$1("arkade", t.feeSats)
		}, {
			kind: "network-fee-charged",
			...btc$1("arkade", t.networkFeeSats)
		}]
	};
}
function lost(t, p) {
	if (p.bothLegs === true && p.racing === void 0) return neitherLeg(p, p.refundTxid ?? null, race, []);
	return {
		progress: {
			at: "lost",
			claimTxid: p.claimTxid,
			...lockOf$2(p),
			...p.racing === void 0 ? {} : { ...raceOf(p) }
		},
		effects: [...p.finishing === true ? [refundEffect$2(t, p)] : [], ...p.asked === true ? [whoseBatch(t, p)] : []],
		supersedes: true,
		ledger: [{
			kind: "loss",
			...btc$1("arkade", -t.targetAmount)
		}],
		flag: "The client claimed the VHTLC and its payment went back: the settlement came too late."
	};
}
// ../..engine/swap/lightning-arkade/fate.ts
/** What becomes of the held payment: settled with the client's secret, cancelled once our refund is final. */
const fate = {
	kept: lockOf$2,
	claimed: (t, p, claim) => claimed$2(t, p, claim, {}),
	beaten: (t, p, claim) => claimed$2(t, p, claim, claim.is === "fact" ? {} : { racing: true }),
	trusted: (t, p) => ({
		progress: {
			at: "claimed",
			claimTxid: null,
			...lockOf$2(p),
			racing: true,
			asked: true
		},
		effects: [{
			do: "hold.settle",
			hash: t.hash
		}, whoseBatch(t, p)],
		supersedes: true
	}),
	refunded: (t, p, refundTxid) => move({
		at: "refunded",
		refundTxid,
		...lockOf$2(p)
	}, {
		do: "hold.cancel",
		hash: t.hash
	}),
	late,
	stays: "The held payment stays until its preimage or our refund shows."
};
function claimed$2(t, p, { preimage, txid }, raced) {
	return {
		progress: {
			at: "claimed",
			claimTxid: txid,
			...lockOf$2(p),
			...raced
		},
		effects: [{
			do: "hold.settle",
			hash: t.hash
		}],
		supersedes: true,
		learned: preimage
	};
}
/** From the stop line on the Lightning node may give the payment back while the client can still claim. */
function late(t, { expiryHeight }, now) {
	const { height } = furthest(now.bitcoin);
	if (expiryHeight === void 0 || height === null) return null;
	const line = stopLine(expiryHeight, t.policy);
	return height < line ? null : `The payment of this swap is surely ours only until block ${line}, and the VHTLC is neither claimed nor back: see why the Arkade operator does not refund it.`;
}
// ../..engine/swap/lightning-arkade/locking.ts
function judgeLock(t, held, now) {
	return safeToLock({
		held,
		sourceAmount: t.sourceAmount,
		vhtlcRefundLocktime: t.vhtlc.refundLocktime
	}, now, t.policy);
}
/** Waiting for the payment; held for long enough, it is worth a VHTLC. */
function whenPending(t, p, event, now) {
	if (event.is === "clock" && now.wall >= t.fundBefore) return move({
		at: "expiring",
		...invoiceOf(p)
	}, {
		do: "hold.cancel",
		hash: t.hash
	});
	if (event.is !== "hold.seen") return "stay";
	if (event.state.is === "cancelled") return move({
		at: "expired",
		...invoiceOf(p)
	});
	if (event.state.is !== "held") return "stay";
	const unsafe = judgeLock(t, event.state, now);
	if (unsafe !== null) return unsafe.unsafe === "wait" ? "stay" : declined$1(t, p, unsafe.sentence);
	return move({
		at: "held",
		expiryHeight: event.state.expiryHeight,
		...invoiceOf(p)
	}, lockEffect(t));
}
function declined$1(t, p, reason) {
	return {
		progress: {
			at: "declining",
			reason,
			...invoiceOf(p)
		},
		effects: [{
			do: "hold.cancel",
			hash: t.hash
		}],
		supersedes: true
	};
}
/** From the held payment to the VHTLC that is locked against it. */
const locking = {
	judge: (t, { expiryHeight }, now) => judgeLock(t, {
		amount: t.sourceAmount,
		expiryHeight
	}, now),
	onlyIf: (t) => ({
		notAfter: t.lockBefore,
		held: {
			hash: t.hash,
			sourceAmount: t.sourceAmount,
			vhtlcRefundLocktime: t.vhtlc.refundLocktime,
			policy: t.policy
		}
	}),
	declined: declined$1,
	ready: (p) => ({
		at: "held",
		expiryHeight: p.expiryHeight,
		...invoiceOf(p)
	}),
	locking: (p, lock) => ({
		at: "locking",
		expiryHeight: p.expiryHeight,
		lock,
		...invoiceOf(p)
	}),
	locked: (p, lock) => ({
		at: "locked",
		lock,
		expiryHeight: p.expiryHeight,
		...invoiceOf(p)
	}),
	claimed: fate.claimed
};
/** Held: the lock is prepared, unless the payment goes back before it is sent. */
function whenHeld(t, p, event, now) {
	if (event.is === "hold.seen" && event.state.is === "cancelled") return {
		progress: {
			at: "declined",
			reason: "the held payment went back",
			...invoiceOf(p)
		},
		effects: [],
		supersedes: true
	};
	return whenReady(t, p, event, now, locking);
}
// ../..engine/swap/lightning-arkade/opening.ts
/** Waiting for the invoice, with whoever asked for the swap. */
function whenOpening(t, event, now) {
	if (event.is === "hold.created") return move({
		at: "pending",
		bolt11: event.bolt11,
		invoiceExpiresAt: event.expiresAt
	});
	if (event.is === "abandoned") return abandon(event.reason);
	if (event.is === "clock" && now.wall >= t.fundBefore) return abandon("the Lightning node took the invoice too late or not at all");
	return event.is === "hold.refused" ? refused$2(event) : "stay";
}
/**
* Nobody was told of the invoice, so nobody can pay it. It is not cancelled: the hash of a cancelled one is lost for good,
* and the client may ask again with the same secret (facts/faults.md 46).
*/
function abandon(reason) {
	return {
		progress: {
			at: "unopened",
			reason
		},
		effects: [],
		supersedes: true
	};
}
function refused$2({ reason, taken }) {
	return {
		progress: {
			at: "unopened",
			reason,
			...taken === true ? { taken } : {}
		},
		effects: [],
		supersedes: true
	};
}
// ../..engine/swap/lightning-arkade/rescue.ts
function rescue$5(t, p) {
	const theirs = {
		on: "lightning",
		hash: t.hash
	};
	switch (p.at) {
		case "locking":
		case "locked":
		case "refunding":
		case "refunded": return hidden(theirs, vhtlcToRefund(t));
		case "claimed": return shown$2(theirs, vhtlcToRefund(t));
		case "lost": return p.racing === void 0 ? null : unpaid(vhtlcToRefund(t));
		default: return null;
	}
}
// ../..engine/swap/lightning-arkade/shape.ts
const terms$6 = exactly()(z.strictObject({
	hash: sha256$1,
	sourceAmount: sats$1,
	targetAmount: sats$1,
	feeSats: sats$1,
	networkFeeSats: sats$1,
	vhtlc: vhtlcTerms,
	script: bytes,
	address: z.string(),
	keyIndex: z.number(),
	serverKey: publicKey$1,
	clientKeyText: z.string(),
	targetArkadeAddress: z.string(),
	description: z.string(),
	fundBefore: unix,
	cltvDelta: z.number(),
	lockBefore: unix,
	policy: timeoutPolicy,
	minCoinExpiry: unix
}));
const txid$6 = z.string();
const yes$1 = z.literal(true).exactOptional();
const invoice$1 = {
	bolt11: z.string(),
	invoiceExpiresAt: unix
};
const held = {
	...invoice$1,
	expiryHeight: z.number().exactOptional()
};
const claim$1 = {
	...held,
	...targetFields$1.claim
};
function at$1(name) {
	return { at: z.literal(name) };
}
const progress$6 = exactly()(z.discriminatedUnion("at", [
	z.strictObject(at$1("opening")),
	z.strictObject({
		...at$1("unopened"),
		reason: z.string(),
		taken: yes$1
	}),
	z.strictObject({
		...at$1("pending"),
		...invoice$1
	}),
	z.strictObject({
		...at$1("expiring"),
		...invoice$1
	}),
	z.strictObject({
		...at$1("expired"),
		...invoice$1
	}),
	z.strictObject({
		...at$1("held"),
		expiryHeight: z.number(),
		...invoice$1
	}),
	z.strictObject({
		...at$1("locking"),
		...invoice$1,
		expiryHeight: z.number(),
		...targetFields$1.lock
	}),
	z.strictObject({
		...at$1("locked"),
		...held,
		...targetFields$1.locked
	}),
	z.strictObject({
		...at$1("refunding"),
		...held,
		...targetFields$1.refunding
	}),
	z.strictObject({
		...at$1("refunded"),
		refundTxid: txid$6,
		...held,
		...targetFields$1.lock
	}),
	z.strictObject({
		...at$1("returned"),
		refundTxid: txid$6,
		...held,
		...targetFields$1.lock
	}),
	z.strictObject({
		...at$1("claimed"),
		...claim$1
	}),
	z.strictObject({
		...at$1("settled"),
		...claim$1
	}),
	z.strictObject({
		...at$1("lost"),
		...claim$1
	}),
	z.strictObject({
		...at$1("declining"),
		reason: z.string(),
		...invoice$1
	}),
	z.strictObject({
		...at$1("declined"),
		reason: z.string(),
		...invoice$1
	})
]));
const shape$6 = {
	terms: shapeOf(terms$6),
	progress: shapeOf(progress$6)
};
// ../..engine/swap/lightning-arkade/machine.ts
const statuses = {
	opening: "pending",
	unopened: "expired",
	pending: "pending",
	expiring: "pending",
	expired: "expired",
	held: "clientfunded",
	locking: "clientfunded",
	locked: "serverfunded",
	refunding: "serverfunded",
	refunded: "clientfundedserverrefunded",
	returned: "clientrefundedserverrefunded",
	claimed: "clientredeemed",
	settled: "serverredeemed",
	lost: "clientredeemedandclientrefunded",
	declining: "serverwontfund",
	declined: "serverwontfund"
};
const ended = /* @__PURE__ */ new Set([
	"unopened",
	"expired",
	"returned",
	"settled",
	"lost",
	"declined"
]);
/** The held payment is with the client again, or there never was one and never will be. */
function wentBack(event) {
	return event.is === "hold.cancelled" || event.is === "hold.seen" && event.state.is === "cancelled";
}
function step$6(t, p, event, now) {
	switch (p.at) {
		case "opening": return whenOpening(t, event, now);
		case "pending": return whenPending(t, p, event, now);
		case "expiring": return wentBack(event) ? move({
			at: "expired",
			...invoiceOf(p)
		}) : "stay";
		case "held": return whenHeld(t, p, event, now);
		case "locking": return whenLocking(t, p, event, now, locking);
		case "locked": return whenLocked$2(t, p, event, now, fate);
		case "refunding": return whenRefunding$5(t, p, event, now, fate);
		case "refunded": return wentBack(event) ? move({
			...p,
			at: "returned"
		}) : "stay";
		case "claimed": return whenClaimed(t, p, event, now);
		case "settled":
		case "lost": return whenOver(t, p, event, now);
		case "declining": return wentBack(event) ? move({
			at: "declined",
			reason: p.reason,
			...invoiceOf(p)
		}) : "stay";
		default: return "stay";
	}
}
function watches$6(t, p) {
	const hold = {
		on: "hold",
		hash: t.hash
	};
	const vhtlc = lockWatch$1(t);
	switch (p.at) {
		case "pending":
		case "expiring":
		case "held":
		case "declining":
		case "refunded": return [hold];
		case "claimed": return p.racing === void 0 ? [hold] : [hold, vhtlc];
		case "settled":
		case "lost": return p.racing === void 0 ? [] : [vhtlc];
		case "locking": return [vhtlc];
		case "locked":
		case "refunding": return [vhtlc, queueWatch(t, p)];
		default: return [];
	}
}
function deadline$6(t, p) {
	switch (p.at) {
		case "opening":
		case "pending": return t.fundBefore;
		case "held": return t.lockBefore;
		case "locked":
		case "refunding": return t.vhtlc.refundLocktime;
		default: return null;
	}
}
const nextActions = {
	opening: "we create the invoice",
	unopened: "nothing: it was never opened",
	pending: "the client pays the invoice",
	expiring: "we cancel the invoice",
	expired: "nothing: it expired",
	held: "we lock the VHTLC",
	locking: "the operator takes our VHTLC",
	locked: "the client claims the VHTLC",
	refunding: "we take our VHTLC back",
	refunded: "we give the held payment back",
	returned: "nothing: both sides have their money back",
	claimed: "we settle the held payment",
	settled: "nothing: it is done",
	lost: "nothing: the payment is gone",
	declining: "we give the held payment back",
	declined: "nothing: the payment went back"
};
const lightningArkade = {
	name: "lightning-arkade",
	shape: shape$6,
	notes: ["invoice"],
	step: step$6,
	watches: watches$6,
	deadline: deadline$6,
	status: (p) => statuses[p.at],
	open: (_, p) => !ended.has(p.at) || (p.at === "settled" || p.at === "lost") && p.racing !== void 0,
	reserves: (p) => p.at === "opening" || p.at === "pending" || p.at === "held",
	untold: (p) => p.at === "unopened",
	hash160: (t) => t.vhtlc.hash,
	unfunded: {
		ends: ["expired", "unopened"],
		locktime: ({ vhtlc }) => vhtlc.refundLocktime,
		script: ({ script }) => script
	},
	rescue: rescue$5,
	nextAction: (_, p) => nextActions[p.at]
};
// ../..engine/legs/evm/deployments.ts
const address$1 = (hex) => asEvmAddress(fromHex(hex));
/** The same address on every chain. */
const permit2 = address$1("000000000022d473030f116ddee9f6b43ac78ba3");
address$1("5317dccd55dde04d5f7ba2e34fe8b1b214f1e022"), address$1("57ef7025f9f6f135e8338e18eb3027acb9d4785c"), address$1("5cede56704374c6aa37592af9d8818f7abb5147f"), address$1("e2e043b72161ed562b6235d7654e2449871fc58f"), address$1("f12a26a6cefc1f5a0772faf09f94c5e5662a3948"), address$1("db76f29f1d04d1202f56a34549869b070dfcbff0"), address$1("18123a31261a76c74c82ed2f8346002caa78ab39"), address$1("447a4cd711ce66d25c7008d26d5f09ca7d621f48");
address$1("76bcd01e9d3db4f1ee5a2e10a481814de1fd6b88"), address$1("3dc522740ee585547bbadbcf9ed3676c3303c0c6"), address$1("7d48e7cbf1f83f9c2bb783de32ce6b09dd5ef688"), address$1("d3c67672eebbb8939a9d82672bc91ecad1158112");
// ../..engine/legs/evm/dead-address.ts
/**
* Whether nobody could ever use what comes to this address: the zero address, the contracts of the swap, Permit2, and the contracts of tokens.
* `contracts` null where the chain has none of a swap's; `tokens` as 20-byte addresses, the zero address for the native coin. Loses money when wrong: tokens that are sent there stay there.
*/
function isDeadAddress(address, contracts, tokens) {
	const own = contracts === null ? [] : [contracts.htlc, contracts.coordinator];
	return address.every((byte) => byte === 0) || [
		...own,
		permit2,
		...tokens
	].some((one) => sameBytes(one, address));
}
// ../..engine/domain/slippage.ts
const allBps = 10000n;
/** The least that has to come out of an exchange, rounded down. */
function leastOut(amount, slippageBps) {
	return amount * (allBps - BigInt(slippageBps)) / allBps;
}
// ../..engine/taker/evm/exchange.ts
/** How far a price may move between an offer and the create that follows it. */
const driftBps = 50;
/** How much less than expected may arrive: what an owner is shown, and what every claim is held to. */
function lessBps(slippageBps) {
	return slippageBps + driftBps;
}
/**
* What is agreed with an exchange on the way, or why not: a promise that our own exchange does not bear out would end in the token of the lock, whoever
* made it. `agreed`: the least that the owner was shown, where it was.
*/
async function agreedExchange(exchange, of) {
	const { token, slippageBps } = exchange;
	const { target, fees } = of.quoted;
	const least = of.agreed ?? leastOut(target, lessBps(slippageBps));
	const reach = leastOut(target, slippageBps);
	if (reach < least) return refuse("forbidden", `least_target_amount is ${least}, and ${reach} may arrive where the exchange comes out ${slippageBps / 100} % worse: agree to that or less. Nothing was begun.`);
	const left = of.source - fees;
	if (left <= 0n) return refuse("forbidden", "The fees take all of it: ask for more.");
	const brings = await exchange.brings(left * 10n ** BigInt(of.chain.pegged.decimals) / 100000000n);
	if (isRefusal(brings)) return brings;
	if (brings < least) return refuse("forbidden", `The provider promises ${target}, and the exchange of this node would bring ${brings} now: try again, or use another provider.`);
	return {
		token,
		least,
		slippageBps,
		mostFees: fees
	};
}
// ../..engine/taker/evm/order.ts
/** The part of an order that is on an EVM chain. `exchanges`: whether another token than that of the lock may be wanted. */
async function orderOnEvm({ evm }, from, value, exchanges = false) {
	if (evm === void 0) return refuse("invalid", "evm_chain_id is required for a swap with an EVM chain: send the number of the chain.");
	const read = await from.evm(evm.chainId, value);
	if (isRefusal(read)) return read;
	const { chain, pairs, pegged } = read;
	const termsFor = (index) => ({
		...read,
		evmKey: {
			scheme: "wallet",
			index
		},
		gasless: evm.gasless
	});
	if (evm.token === null || sameBytes(evm.token, pegged.address)) return {
		chain,
		pairs,
		pegged,
		wanted: pegged,
		exchange: null,
		termsFor
	};
	if (!exchanges) return refuse("invalid", `token_address is ${checksummed(evm.token)}: on chain ${evm.chainId} swaps of your own in this direction are made with ${pegged.symbol} at ${checksummed(pegged.address)} alone, leave it out.`);
	const exchange = await from.exchange(evm.chainId, evm.token);
	return isRefusal(exchange) ? exchange : {
		chain,
		pairs,
		pegged,
		wanted: exchange.token,
		exchange,
		termsFor
	};
}
/** The chain values of the wire: networks of a token. */
const chainValues = [
	"Arkade",
	"Lightning",
	"Bitcoin",
	...[
		"137",
		"1",
		"42161",
		"30",
		"31"
	]
];
/** Its number (EIP-155). */
function chainIdOf(network) {
	return Number(network.slice(4));
}
/** The Bitcoin network a data folder is bound to, for ever. */
const bitcoinNetworks = [
	"mainnet",
	"signet",
	"regtest"
];
/** The directions that the published interface lists (facts/clients.md 2), and how a swap that is read spells them. */
const wireDirections = {
	"arkade-evm": "arkade_to_evm",
	"evm-lightning": "evm_to_lightning",
	"evm-bitcoin": "evm_to_bitcoin",
	"arkade-lightning": "arkade_to_lightning",
	"lightning-arkade": "lightning_to_arkade",
	"bitcoin-arkade": "btc_to_arkade"
};
const directionNames = Object.keys(wireDirections);
/** What the owner's own wallets do, beside the directions in the list of what is open. */
const walletJobs = {
	"withdraw-arkade": "withdraw_arkade",
	"withdraw-lightning": "withdraw_lightning",
	"withdraw-bitcoin": "withdraw_bitcoin",
	"withdraw-evm": "withdraw_evm",
	"forward-evm": "forward_evm",
	"consolidate-bitcoin": "consolidate_bitcoin",
	"exit-arkade": "exit_arkade",
	"unroll-arkade": "unroll_arkade"
};
/** The directions in which the node can be the client, and who makes the invoice of the swap, where it has one. A new one is a line here. */
const takerInvoices = {
	"lightning-arkade": "provider",
	"arkade-lightning": "owner",
	"arkade-evm": "nobody",
	"bitcoin-arkade": "nobody",
	"evm-lightning": "owner",
	"evm-bitcoin": "nobody"
};
const takerDirections = Object.keys(takerInvoices);
/** Everything that the owner's list may hold, by the name of its machine. */
const ownerDirections = {
	...wireDirections,
	...walletJobs
};
// ../..engine/swap/evm-record.ts
function tokenInfo$1(network, { address, decimals, symbol, name }) {
	return {
		chain: String(chainIdOf(network)),
		decimals,
		name,
		symbol,
		token_id: checksummed(address)
	};
}
BIP32Factory(library);
/** Whether 32 bytes are the x of a point (BIP-340 `lift_x`). A key off the curve can never sign: what it guards is its opponent's. */
function isXOnly(key) {
	return library.isPoint(Uint8Array.of(2, ...key));
}
/** Points of internal keys, which are few constants: lifting one takes a square root. */
const lifted = /* @__PURE__ */ new WeakMap();
/**
* BIP-341: an internal key plus its tweak, and whether the sum has an odd y, which a control block must say. By the generator's
* own table and one addition: the library's call for it multiplies both points, and takes half as long again.
*/
function tweaked$1(internalKey, tweak) {
	let internal = lifted.get(internalKey);
	if (internal === void 0) {
		internal = library.pointCompress(Uint8Array.of(2, ...internalKey), false);
		lifted.set(internalKey, internal);
	}
	const added = library.pointFromScalar(tweak, false);
	const sum = added === null ? null : library.pointAdd(internal, added, true);
	if (sum === null) throw new RangeError("the tweaked key is the point at infinity");
	return {
		key: asXOnly(sum.subarray(1)),
		odd: sum[0] === 3
	};
}
const tags = /* @__PURE__ */ new Map();
/** BIP-340: SHA-256 in a domain of its own. Tags are the few constants of the code: what each begins with is hashed once. */
function taggedHash(tag, ...parts) {
	let begun = tags.get(tag);
	if (begun === void 0) {
		const tagHash = sha256(utf8.decode(tag));
		begun = sha256.create().update(tagHash).update(tagHash);
		tags.set(tag, begun);
	}
	const hash = begun.clone();
	for (const part of parts) hash.update(part);
	return hash.digest();
}
// ../..engine/legs/arkade/address.ts
/** An address is 116 characters or so, longer than BIP 173 allows. */
const longest$1 = 1023;
function arkadePrefix(network) {
	return network === "mainnet" ? "ark" : "tark";
}
/** Bech32m of version byte 0, operator key and output key (facts/arkade.md 10). */
function encodeArkadeAddress(address) {
	const payload = /* @__PURE__ */ new Uint8Array(65);
	payload.set(address.operator, 1);
	payload.set(address.outputKey, 33);
	return bech32m.encode(address.prefix, bech32m.toWords(payload), longest$1);
}
// ../..engine/legs/tapscript.ts
/** BIP-68: bit 22 says that the value counts units of 512 seconds. */
const sequenceInSeconds = 4194304;
const largestDelay = 33553920;
/**
* The BIP-68 sequence of a relative delay; throws unless it is a multiple of 512 between 512 and 33,553,920 seconds,
* for two parties that round differently derive different addresses.
*/
function delaySequence(delay) {
	if (delay < 512 || delay % 512 !== 0 || delay > largestDelay) throw new RangeError(`a relative delay is a multiple of 512 seconds from 512 to ${largestDelay}, not ${delay}`);
	return sequenceInSeconds | delay / 512;
}
/** BIP-341: the two hashes of a branch in lexicographic order. */
function join(a, b) {
	const [low, high] = compare(a.hash, b.hash) <= 0 ? [a.hash, b.hash] : [b.hash, a.hash];
	const below = (branch, sibling) => branch.leaves.map(({ at, path }) => ({
		at,
		path: [...path, sibling.hash]
	}));
	return {
		hash: taggedHash("TapBranch", low, high),
		leaves: [...below(a, b), ...below(b, a)]
	};
}
function compare(a, b) {
	const at = a.findIndex((byte, i) => byte !== b[i]);
	return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
/**
* Pairs the leaves from the left, then joins the pairs first in, first out: the shape that btcd's
* AssembleTaprootScriptTree gives and the operator expects. A Huffman tree of the same leaves has another root.
*/
function assemble(hashes) {
	const leaves = hashes.map((hash, at) => ({
		hash,
		leaves: [{
			at,
			path: []
		}]
	}));
	const branches = [];
	for (let i = 0; i < leaves.length; i += 2) {
		const left = leaves[i];
		const right = leaves[i + 1];
		if (right) branches.push(join(left, right));
		else {
			const last = branches.pop();
			branches.push(last ? join(last, left) : left);
		}
	}
	while (branches.length > 1) {
		const left = branches.shift();
		branches.push(join(left, branches.shift()));
	}
	const root = branches[0];
	if (!root) throw new RangeError("a script tree needs at least one leaf");
	return root;
}
/** BIP-341: version, length and script in the domain of leaves. */
function leafHash(script) {
	const length = script.length < 253 ? Uint8Array.of(script.length) : CompactSize.encode(BigInt(script.length));
	return taggedHash("TapLeaf", Uint8Array.of(TAP_LEAF_VERSION), length, script);
}
/**
* The Taproot output of a list of leaf scripts, in the operator's tree shape (BIP-341). Built here and not by
* btc-signer's `p2tr`, which judges every key in the leaves as well: a create waits for this, and its keys were judged
* when they came. A test holds it to the SDK's bytes for any leaves.
*/
function tapScript(scripts) {
	const hashes = scripts.map(leafHash);
	const root = assemble(hashes);
	const tweak = taggedHash("TapTweak", TAPROOT_UNSPENDABLE_KEY, root.hash);
	const { key: outputKey, odd } = tweaked$1(TAPROOT_UNSPENDABLE_KEY, tweak);
	const version = TAP_LEAF_VERSION + (odd ? 1 : 0);
	const paths = new Map(root.leaves.map(({ at, path }) => [at, path]));
	return {
		leaves: scripts.map((script, at) => {
			const merklePath = [...paths.get(at) ?? []];
			const control = {
				version,
				internalKey: TAPROOT_UNSPENDABLE_KEY,
				merklePath
			};
			return {
				script,
				hash: hashes[at],
				tapLeaf: [control, concatBytes(script, Uint8Array.of(TAP_LEAF_VERSION))]
			};
		}),
		outputKey,
		pkScript: concatBytes(Uint8Array.of(81, 32), outputKey),
		tapTree: encodeTapTree(scripts)
	};
}
/** BIP-371 form: depth, leaf version, compact size and script of each leaf; scripts here are shorter than 253 bytes. */
function encodeTapTree(scripts) {
	return concatBytes(...scripts.flatMap((script) => [Uint8Array.of(1, TAP_LEAF_VERSION, script.length), script]));
}
// ../..engine/legs/arkade/script.ts
/** The six leaves in tree order (facts/arkade.md 7). The order is part of the address. */
const vhtlcLeaves = [
	"claim",
	"refund",
	"refund-without-receiver",
	"unilateral-claim",
	"unilateral-refund",
	"unilateral-refund-without-receiver"
];
/** `SIZE 32 EQUALVERIFY HASH160 <h> EQUAL`: without the size guard a secret of another length could claim here and nowhere else. */
function condition(hash) {
	return Script.encode([
		"SIZE",
		Uint8Array.of(32),
		"EQUALVERIFY",
		"HASH160",
		hash,
		"EQUAL"
	]);
}
/** CHECKSIGVERIFY for every key but the last, which gets CHECKSIG. */
function signatures(...keys) {
	return Script.encode(keys.flatMap((key, i) => [key, i === keys.length - 1 ? "CHECKSIG" : "CHECKSIGVERIFY"]));
}
/** The six leaf scripts in tree order (facts/arkade.md 7). */
function vhtlcLeafScripts(parts) {
	const { sender, receiver, operator } = parts;
	const paid = concatBytes(condition(parts.hash), Script.encode(["VERIFY"]));
	const waited = (sequence) => Script.encode([
		sequence,
		"CHECKSEQUENCEVERIFY",
		"DROP"
	]);
	return [
		concatBytes(paid, signatures(receiver, operator)),
		signatures(sender, receiver, operator),
		concatBytes(Script.encode([
			parts.locktime,
			"CHECKLOCKTIMEVERIFY",
			"DROP"
		]), signatures(sender, operator)),
		concatBytes(paid, waited(parts.claimSequence), signatures(receiver)),
		concatBytes(waited(parts.refundSequence), signatures(sender, receiver)),
		concatBytes(waited(parts.refundWithoutReceiverSequence), signatures(sender))
	];
}
function vhtlcScriptOf(parts) {
	const tap = tapScript(vhtlcLeafScripts(parts));
	const leaf = Object.fromEntries(vhtlcLeaves.map((name, i) => [name, tap.leaves[i]]));
	return {
		...tap,
		leaf
	};
}
const scripts = /* @__PURE__ */ new WeakMap();
/**
* The script of a swap's VHTLC. Throws on a locktime that would be a block height and on delays outside BIP 68: such a
* script would lock the client's money under rules that nobody agreed to.
*/
function vhtlcScript(terms) {
	const before = scripts.get(terms);
	if (before) return before;
	if (terms.refundLocktime < 5e8) throw new RangeError(`the refund locktime of a VHTLC is unix seconds, at least 500000000, not ${terms.refundLocktime}`);
	const script = vhtlcScriptOf({
		sender: terms.sender,
		receiver: terms.receiver,
		operator: terms.operator,
		hash: terms.hash,
		locktime: terms.refundLocktime,
		claimSequence: delaySequence(terms.claimDelay),
		refundSequence: delaySequence(terms.refundDelay),
		refundWithoutReceiverSequence: delaySequence(terms.refundWithoutReceiverDelay)
	});
	scripts.set(terms, script);
	return script;
}
// ../..engine/contract/field.ts
/** A given value as an error sentence may show it: short, printable, without markup. */
function shown(given) {
	if (typeof given === "number" || typeof given === "boolean" || typeof given === "bigint") return String(given);
	if (Array.isArray(given)) return `a list of ${given.length}`;
	if (given === void 0 || given === null) return "nothing";
	if (typeof given === "object") return "an object";
	const text = String(given).replace(/[^\x20-\x7e]|[<>&"'`\\]/g, "?");
	return text === "" ? "an empty text" : `"${text.length > 72 ? `${text.slice(0, 72)}...` : text}"`;
}
function missing(info) {
	return refuse("invalid", `${info.name} is required: send ${info.hint}.`);
}
/** `fact` says what is wrong with the value; without one the value is simply not what was asked for. */
function wrong(info, given, fact) {
	const value = info.secret === true ? "the given value" : shown(given);
	return refuse("invalid", `${info.name} cannot be ${value}${fact === void 0 ? "" : `, ${fact}`}: send ${info.hint}.`);
}
/** A required field: absent and null are refused, anything else is read by `read`. */
function field(info, schema, read) {
	return z.custom().meta({ ...schema }).transform((given, ctx) => {
		const value = given === void 0 || given === null ? missing(info) : read(given);
		if (!isRefusal(value)) return value;
		ctx.addIssue({
			code: "custom",
			message: value.sentence,
			input: void 0
		});
		return z.NEVER;
	});
}
/** The same field where it may be absent; null on the wire is absence too. */
function optional(inner) {
	return inner.nullish().transform((value) => value ?? void 0);
}
/** A field that may be absent, where null is refused: it would mean something that nobody asked for. */
function leftOutOr(info, schema, read) {
	return z.custom((given) => given !== null, { error: `${info.name} cannot be null: send ${info.hint}.` }).meta({ ...schema }).pipe(field(info, schema, read)).optional();
}
/** An object inside a request. */
function object(name, what, shape) {
	return z.object(shape, { error: `${name} must be a JSON object: send ${what}.` }).meta({ description: what });
}
/** A list inside a request, of `min` to `max` items. */
function list(name, what, item, min, max) {
	const error = `${name} must be a list of ${min} to ${max} items: send ${what}.`;
	return z.array(item, { error }).min(min, { error }).max(max, { error }).meta({ description: what });
}
/** A request made of fields, then judged as a whole; unknown fields are ignored. */
function request(shape, judge) {
	return z.object(shape, { error: "The request needs a JSON object." }).transform((wire, ctx) => {
		const value = judge(wire);
		if (!isRefusal(value)) return value;
		ctx.addIssue({
			code: "custom",
			message: value.sentence,
			input: void 0
		});
		return z.NEVER;
	});
}
/** A request that refuses fields it does not know, for controls where a misspelt field would do the wrong thing. */
function exact(shape, judge = (wire) => wire) {
	const names = Object.keys(shape);
	const allowed = names.length === 0 ? "an empty object" : `only ${names.join(", ")}`;
	const error = (issue) => issue.code === "unrecognized_keys" ? `${shown(issue.keys?.[0] ?? "")} is not a field of this request: send ${allowed}.` : "The request needs a JSON object.";
	return z.strictObject(shape, { error }).transform((wire, ctx) => {
		const value = judge(wire);
		if (!isRefusal(value)) return value;
		ctx.addIssue({
			code: "custom",
			message: value.sentence,
			input: void 0
		});
		return z.NEVER;
	});
}
// ../..engine/domain/status.ts
/** The sixteen wire statuses of a swap, in the order of the published interface (facts/clients.md 28). */
const swapStatuses = [
	"pending",
	"clientfundingseen",
	"clientfunded",
	"clientrefunded",
	"serverfunded",
	"clientredeeming",
	"clientredeemed",
	"serverredeemed",
	"clientfundedserverrefunded",
	"clientrefundedserverfunded",
	"clientrefundedserverrefunded",
	"expired",
	"clientinvalidfunded",
	"clientfundedtoolate",
	"serverwontfund",
	"clientredeemedandclientrefunded"
];
// ../..engine/contract/wire.ts
/** The scalars of replies: plain JSON, described for the published contract. */
/** A whole number that JSON carries exactly. */
const integer = (description) => z.int().meta({ description });
const count = (description) => z.int().min(0).meta({ description });
const words = (description) => z.string().meta({ description });
/** A whole number of smallest units as decimal digits. */
const amount = (description) => z.string().regex(/^\d+$/).meta({ description });
/** A whole number of smallest units that may be negative. */
const signedAmount = (description) => z.string().regex(/^-?\d+$/).meta({ description });
const fraction = (description) => z.number().meta({ description });
const flag = (description) => z.boolean().meta({ description });
const unixTime = (description) => z.int().min(0).meta({ description: `${description}, unix seconds` });
const sats = (description) => z.int().min(0).meta({ description: `${description}, in satoshis` });
/** Bare hex of a fixed number of bytes. */
const hex = (bytes, description) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`)).meta({ description: `${description}, ${bytes}-byte hex` });
/** `0x` and hex of a fixed number of bytes. */
const hex0x = (bytes, description) => z.string().regex(new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`)).meta({ description: `${description}, 0x-prefixed ${bytes}-byte hex` });
const evmAddress = (description) => z.string().regex(/^0x[0-9a-fA-F]{40}$/).meta({ description });
/** A public key as records show it: as the client sent it, or 33 bytes compressed. */
const publicKey = (description) => z.string().regex(/^(0[23])?[0-9a-f]{64}$/).meta({ description });
const swapStatus = z.enum(swapStatuses).meta({
	id: "SwapStatus",
	description: "Status of a swap"
});
const chain = z.enum(chainValues).meta({
	id: "Chain",
	description: "Network of a token; EVM chains by their number"
});
const bitcoinNetwork = z.enum(["bitcoin", ...bitcoinNetworks]).meta({ description: "Bitcoin network" });
const tokenInfo = z.object({
	chain,
	decimals: count("Decimal places"),
	name: words("Name of the token"),
	symbol: words("Symbol of the token"),
	token_id: words("btc for bitcoin; on an EVM chain the address of the contract, the zero address for the native coin")
}).meta({
	id: "TokenInfo",
	description: "A token on a network"
});
/** Any JSON value, for what the contract shows but does not promise the shape of. */
const jsonValue = z.custom().meta({
	type: [
		"string",
		"number",
		"boolean",
		"null",
		"array",
		"object"
	],
	items: { description: "Any JSON value" },
	description: "Any JSON value"
});
const jsonObject = (description) => z.record(z.string(), jsonValue).meta({ description });
const empty = z.object({}).meta({
	id: "Empty",
	description: "Nothing to say"
});
// ../..engine/contract/records/parts.ts
/** The fields that several records share (facts/clients.md 1). */
const commonRecord = {
	id: words("Swap id, a UUID"),
	created_at: words("Moment of creation, ISO 8601"),
	network: bitcoinNetwork,
	status: swapStatus,
	fee_sats: sats("Protocol fee"),
	source_amount: amount("What the user must provide, in smallest units"),
	source_token: tokenInfo,
	target_amount: amount("What the user receives, in smallest units"),
	target_token: tokenInfo,
	/** Left out when nothing is over (DECISIONS.md, "What counts as funding"). */
	surplus_amount: amount("What the user sent above source_amount, in smallest units").optional()
};
const vhtlcRecord = {
	arkade_htlc_script_version: integer("Version of the VHTLC script"),
	arkade_server_pk: publicKey("Key of the Arkade operator"),
	unilateral_claim_delay: count("Delay of a claim without the operator, in seconds"),
	unilateral_refund_delay: count("Delay of a refund without the operator, in seconds"),
	unilateral_refund_without_receiver_delay: count("Delay of a refund without operator and receiver, in seconds"),
	vhtlc_refund_locktime: unixTime("When the sender can refund"),
	receiver_pk: publicKey("Key of the party that claims with the secret"),
	sender_pk: publicKey("Key of the party that can refund"),
	arkade_claim_txid: words("Transaction that claimed the VHTLC").optional(),
	arkade_fund_txid: words("Transaction that funded the VHTLC").optional()
};
const evmRecord = {
	chain: words("Name of the EVM chain"),
	evm_chain_id: count("Number of the EVM chain"),
	evm_coordinator_address: evmAddress("Coordinator that the swap is pinned to"),
	evm_expected_sats: amount("BTC-pegged amount of the HTLC, in smallest units of its token"),
	evm_htlc_address: evmAddress("HTLC contract"),
	evm_htlc_kind: z.enum(["erc20", "native"]).meta({ description: "erc20: permit-based funding; native: payable lock" }),
	evm_htlc_version: integer("Version of the HTLC contract, its EIP-712 domain version"),
	evm_refund_locktime: unixTime("When the HTLC expires"),
	server_evm_address: evmAddress("The service's account"),
	client_evm_address: evmAddress("The client's account"),
	wbtc_address: evmAddress("BTC-pegged token of the HTLC"),
	evm_claim_txid: hex0x(32, "Transaction that claimed the HTLC").optional(),
	evm_fund_txid: hex0x(32, "Transaction that funded the HTLC").optional()
};
/** Records whose EVM HTLC the service funds. */
const evmTargetRecord = {
	...evmRecord,
	bridge_target_chain: words("Chain the USDC goes on to").optional(),
	bridge_target_token_address: words("USDC on that chain").optional()
};
/** Records whose EVM HTLC the user funds. */
const evmSourceRecord = {
	...evmRecord,
	/** Left out when nothing came back. */
	returned_amount: amount("What of the funding came back to the depositor in its transaction, in smallest units").optional(),
	evm_funding_confirmations: count("Blocks that bury the deposit before the service acts"),
	gasless: flag("Whether the service submits the funding transaction"),
	bridge_source_chain: words("Chain the USDC came from").optional(),
	bridge_source_token_address: words("USDC on that chain").optional()
};
// ../..engine/contract/records/refunds.ts
/** What a client needs to have its own back (facts/clients.md 3 and 10). */
const collabRefundEvmParams = z.object({
	amount: amount("Token amount in the HTLC"),
	calls_hash: hex0x(32, "Hash of the calls that the depositor signs over"),
	chain_id: count("EVM chain"),
	claim_address: evmAddress("The service's account"),
	coordinator_address: evmAddress("Coordinator, the verifyingContract"),
	coordinator_version: count("EIP-712 domain version of the coordinator"),
	min_amount_out: amount("Always 0"),
	preimage_hash: hex0x(32, "Hash lock"),
	server_signer_address: evmAddress("The account that sends the refund, the caller field"),
	sweep_token: evmAddress("The BTC-pegged token"),
	timelock: unixTime("When the HTLC expires"),
	token: evmAddress("The BTC-pegged token")
});
const refundCalldata = z.object({
	coordinator_address: evmAddress("Coordinator"),
	calldata: words("Calldata of the refund")
});
const collabRefundReply = z.object({
	ark_tx: words("PSBT, base64"),
	checkpoint_txs: z.array(words("PSBT, base64"))
});
const delegateRefundReply = z.object({
	forfeit_psbts: z.array(words("PSBT, base64")),
	intent_proof: words("PSBT, base64")
});
const cosignerKey = z.object({ cosigner_pk: words("33-byte compressed key, hex") });
const settlement = z.object({ commitment_txid: words("Commitment transaction of the batch") });
// ../..engine/contract/invoice.ts
const networks = "bc|tb|tbs|bcrt|sb";
const multipliers = {
	m: 100000000n,
	u: 100000n,
	n: 100n
};
/** Millisatoshis of the amount in an invoice's human-readable part; null without amount, undefined when malformed. */
function amountMsat(digits, multiplier) {
	if (digits === "") return multiplier === "" ? null : void 0;
	const value = BigInt(digits);
	if (multiplier === "") return value * 100000000000n;
	if (multiplier === "p") return value % 10n === 0n ? value / 10n : void 0;
	return value * multipliers[multiplier];
}
/**
* The amount of a BOLT11 invoice, read from its human-readable part alone (BOLT 11, "Human-Readable Part"). Signature,
* checksum, network, hash and expiry belong to whoever decodes the whole invoice before it is paid. An invoice without
* an amount, or with a fraction of a satoshi, is refused: the service would be free to choose what it pays.
*/
function invoiceAmount(name, bolt11) {
	const parts = new RegExp(`^ln(${networks})(\\d{0,18})([munp]?)1[02-9ac-hj-np-z]{100,}$`).exec(bolt11);
	if (parts === null) return refuse("invalid", `${name} is not a Lightning invoice: send the BOLT11 text as the wallet shows it.`);
	const msat = amountMsat(parts[2] ?? "", parts[3] ?? "");
	if (msat === void 0) return refuse("invalid", `${name} carries an amount that cannot be read: send the BOLT11 text as the wallet shows it.`);
	if (msat === null || msat === 0n) return refuse("invalid", `${name} carries no amount: make an invoice that says how much it asks for.`);
	if (msat % 1000n !== 0n) return refuse("invalid", `${name} asks for ${msat} millisatoshis, which is no whole number of satoshis: make an invoice over whole satoshis.`);
	return sats$2(msat / 1000n);
}
// ../..engine/contract/scalars.ts
/** The EVM chains that the published interface names. Which of them a node serves is its owner's choice. */
const evmChainIds = [
	1,
	137,
	42161,
	30,
	31
];
const hexDigits = /^[0-9a-fA-F]*$/;
const maxUint256 = 2n ** 256n - 1n;
function isZero$1(bytes) {
	return bytes.every((byte) => byte === 0);
}
/** Text of 1 to `max` characters. */
function text(name, what, max = 300) {
	const info = {
		name,
		hint: `${what}, 1 to ${max} characters of text`
	};
	return field(info, {
		type: "string",
		description: what,
		minLength: 1,
		maxLength: max
	}, (given) => {
		if (typeof given !== "string") return wrong(info, given);
		if (given.length === 0) return wrong(info, given);
		if (given.length > max) return wrong(info, given, `it has ${given.length} characters and the limit is ${max}`);
		return given;
	});
}
/** Text that must match a pattern; `refine` may change it, for example to lower case. */
function patterned(info, description, pattern, refine = (given) => given) {
	return field(info, {
		type: "string",
		description,
		pattern: pattern.source
	}, (given) => {
		if (typeof given !== "string" || !pattern.test(given)) return wrong(info, given);
		return refine(given);
	});
}
function hexOf(info, given, bytes, prefix) {
	if (typeof given !== "string") return wrong(info, given);
	const prefixed = given.startsWith("0x");
	if (prefix === "must" && !prefixed) return wrong(info, given, "it does not start with 0x");
	if (prefix === "never" && prefixed) return wrong(info, given, "it starts with 0x");
	const digits = prefixed ? given.slice(2) : given;
	if (!hexDigits.test(digits)) return wrong(info, given, "it is not hexadecimal");
	if (digits.length !== 2 * bytes) return wrong(info, given, `it has ${digits.length} hex digits and needs ${2 * bytes}`);
	return fromHex(digits);
}
/** `0x` and 32 bytes: the SHA-256 of the secret, where the request does not ask for 20 bytes (facts/clients.md 18). */
function sha256Field(name, what) {
	const info = {
		name,
		hint: `0x and 64 hex digits, ${what}`
	};
	return field(info, {
		type: "string",
		description: what,
		pattern: "^0x[0-9a-fA-F]{64}$"
	}, (given) => {
		const bytes = hexOf(info, given, 32, "must");
		return isRefusal(bytes) ? bytes : isZero$1(bytes) ? wrong(info, given, "it is all zeros, which is the hash of nothing") : asSha256(bytes);
	});
}
/** 20 bytes of bare hex: HASH160 of the secret, where the client funds on chain. */
function hash160Field(name, what) {
	const info = {
		name,
		hint: `40 hex digits without 0x, ${what}`
	};
	return field(info, {
		type: "string",
		description: what,
		pattern: "^[0-9a-fA-F]{40}$"
	}, (given) => {
		const bytes = hexOf(info, given, 20, "never");
		return isRefusal(bytes) ? bytes : isZero$1(bytes) ? wrong(info, given, "it is all zeros, which is the hash of nothing") : asHash160(bytes);
	});
}
/** 32 bytes of hex, 0x optional. `secret` keeps the value out of the sentence. */
function hex32Field(name, what, secret = false) {
	const info = {
		name,
		hint: `64 hex digits, 0x optional, ${what}`,
		secret
	};
	return field(info, {
		type: "string",
		description: what,
		pattern: "^(0x)?[0-9a-fA-F]{64}$"
	}, (given) => hexOf(info, given, 32, "may"));
}
/** Hex of any whole number of bytes after 0x, at most `max` bytes. */
function bytesField(name, what, max) {
	const info = {
		name,
		hint: `0x and an even number of hex digits, ${what}, at most ${max} bytes`
	};
	return field(info, {
		type: "string",
		description: what,
		pattern: "^0x([0-9a-fA-F]{2})*$"
	}, (given) => {
		if (typeof given !== "string" || !/^0x([0-9a-fA-F]{2})*$/.test(given) || given.length > 2 + 2 * max) return wrong(info, given);
		return fromHex(given.slice(2));
	});
}
/**
* A secp256k1 public key: 33 bytes compressed, or 32 bytes x-only, which stands for the key with the even y
* (facts/clients.md 16). That the point lies on the curve is checked where the request is handled.
*/
function keyField(name, what) {
	const info = {
		name,
		hint: `${what} as 66 hex digits (compressed) or 64 hex digits (x-only), without 0x`
	};
	return field(info, {
		type: "string",
		description: what,
		pattern: "^((02|03)[0-9a-fA-F]{64}|[0-9a-fA-F]{64})$"
	}, (given) => {
		if (typeof given !== "string") return wrong(info, given);
		if (given.startsWith("0x")) return wrong(info, given, "it starts with 0x");
		if (!hexDigits.test(given)) return wrong(info, given, "it is not hexadecimal");
		if (given.length === 64) return {
			key: asPublicKey(fromHex(`02${given}`)),
			text: given.toLowerCase()
		};
		if (given.length !== 66) return wrong(info, given, `it has ${given.length} hex digits and needs 66 or 64`);
		if (!/^0[23]/.test(given)) return wrong(info, given, "a compressed key starts with 02 or 03");
		return {
			key: asPublicKey(fromHex(given)),
			text: given.toLowerCase()
		};
	});
}
/** `0x` and 20 bytes; letters of both cases have to be the checksum of some chain (EIP-55, EIP-1191). */
function evmAddressField(name, what) {
	const info = {
		name,
		hint: `an EVM address (0x and 40 hex digits), ${what}`
	};
	return field(info, evmAddressSchema(what), (given) => evmAddressOf(info, given, "any"));
}
/** `0x` and 20 bytes; letters of both cases have to be the checksum on the chain that the request names. */
function chainAddressField(name, what) {
	const info = {
		name,
		hint: `an EVM address (0x and 40 hex digits), ${what}`
	};
	return field(info, evmAddressSchema(what), (given) => {
		const some = evmAddressOf(info, given, "any");
		return isRefusal(some) ? some : (chain) => evmAddressOf(info, given, chain);
	});
}
function evmAddressSchema(what) {
	return {
		type: "string",
		description: what,
		pattern: "^0x[0-9a-fA-F]{40}$"
	};
}
function evmAddressOf(info, given, chain) {
	const bytes = hexOf(info, given, 20, "must");
	if (isRefusal(bytes)) return bytes;
	return typeof given === "string" && hasRightCase(given, chain) ? asEvmAddress(bytes) : wrong(info, given, wrongCase(chain));
}
/** The fact in the refusal of a mistyped address. */
function wrongCase(chain) {
	return `whose capital letters do not fit its checksum${chain === "any" ? "" : ` on chain ${chain}`}, so a letter is wrong`;
}
/** A whole number from JSON, or its decimal digits; null for anything else, and for what JSON cannot carry exactly. */
function whole(given) {
	if (typeof given === "number") return Number.isSafeInteger(given) && given >= 0 ? BigInt(given) : null;
	if (typeof given === "string" && given.length <= 78 && /^\d+$/.test(given)) return BigInt(given);
	return null;
}
/** Whole satoshis above zero, an integer on the wire; its digits as text are read too. */
function satsField(name, what) {
	const info = {
		name,
		hint: `${what} as a whole number of satoshis, at least 1`
	};
	return field(info, {
		type: "integer",
		description: `${what}, in satoshis`,
		minimum: 0
	}, (given) => {
		const amount = whole(given);
		if (amount === null || amount === 0n || amount > 2100000000000000n) return wrong(info, given);
		return sats$2(amount);
	});
}
/** The smallest units of an EVM token above zero, decimal digits as text; an integer is read too. */
function unitsField(name, what) {
	const info = {
		name,
		hint: `${what} as the decimal digits of a whole number of the token's smallest units, at least 1`
	};
	return field(info, {
		type: "string",
		description: `${what}, in the token's smallest units`,
		pattern: "^\\d+$"
	}, (given) => {
		const amount = whole(given);
		if (amount === null || amount === 0n || amount > maxUint256) return wrong(info, given);
		return tokenAmount(amount);
	});
}
/** An amount in a token's smallest units, or `all` that there is to send. */
function amountOrAllField(name, what) {
	const info = {
		name,
		hint: `${what} as the decimal digits of a whole number of the token's smallest units, at least 1, or all`
	};
	return field(info, {
		type: "string",
		description: `${what}, in the token's smallest units, or all of it`,
		pattern: "^(\\d+|all)$"
	}, (given) => {
		if (given === "all") return given;
		const amount = whole(given);
		return amount === null || amount === 0n || amount > maxUint256 ? wrong(info, given) : tokenAmount(amount);
	});
}
/** An unsigned 256-bit number as decimal digits, zero included: nonces, call values, permit values. */
function uint256Field(name, what) {
	const info = {
		name,
		hint: `${what} as decimal digits, below 2^256`
	};
	return field(info, {
		type: "string",
		description: what,
		pattern: "^\\d+$"
	}, (given) => {
		const amount = whole(given);
		return amount === null || amount > maxUint256 ? wrong(info, given) : amount;
	});
}
/** A whole number within limits; digits as text are read too, for query strings. */
function integerField(name, what, min, max) {
	const info = {
		name,
		hint: `${what} as a whole number from ${min} to ${max}`
	};
	return field(info, {
		type: "integer",
		description: what,
		minimum: min,
		maximum: max
	}, (given) => {
		const value = whole(given);
		return value === null || value < BigInt(min) || value > BigInt(max) ? wrong(info, given) : Number(value);
	});
}
function flagField(name, what) {
	const info = {
		name,
		hint: `true or false, ${what}`
	};
	return field(info, {
		type: "boolean",
		description: what
	}, (given) => typeof given === "boolean" ? given : wrong(info, given));
}
/** One of a fixed list of words. */
function oneOf(name, what, words) {
	const info = {
		name,
		hint: words.length === 1 ? words.join() : `one of ${words.join(", ")}`
	};
	return field(info, {
		type: "string",
		description: what,
		enum: words
	}, (given) => words.find((word) => word === given) ?? wrong(info, given));
}
/** The version of an HTLC's script. New swaps use 1 (facts/clients.md 6); another one would be another address. */
function scriptVersionField(name) {
	const info = {
		name,
		hint: "the integer 1, the version of new swaps"
	};
	return field(info, {
		type: "integer",
		description: "Script version; new swaps use 1",
		minimum: 0
	}, (given) => whole(given) === 1n ? 1 : wrong(info, given));
}
function evmChainIdField(name) {
	const info = {
		name,
		hint: `the number of a chain this protocol knows: ${evmChainIds.join(", ")}`
	};
	return field(info, {
		type: "integer",
		description: "EVM chain id, for example 1, 137, 42161",
		minimum: 0
	}, (given) => {
		const value = whole(given);
		return evmChainIds.find((id) => BigInt(id) === value) ?? wrong(info, given);
	});
}
function chainField(name, what) {
	return oneOf(name, what, chainValues);
}
/** A per-swap surcharge in basis points; the ceiling belongs to the developer key (DECISIONS.md, "A surcharge belongs to a developer key"). */
function extraFeesField(name) {
	return integerField(name, "a surcharge in basis points", 0, 1e4);
}
const mostDescriptionBytes = 639;
/** The length of a text in UTF-8 bytes. */
function utf8Length(given) {
	let bytes = 0;
	for (const character of given) {
		const point = character.codePointAt(0) ?? 0;
		bytes += point < 128 ? 1 : point < 2048 ? 2 : point < 65536 ? 3 : 4;
	}
	return bytes;
}
/** The text of a hold invoice: at most 639 UTF-8 bytes, what BOLT11 can carry. */
function descriptionField(name) {
	const what = `text of at most ${mostDescriptionBytes} bytes for the payer to read`;
	const info = {
		name,
		hint: what
	};
	return field(info, {
		type: "string",
		description: what
	}, (given) => {
		if (typeof given !== "string") return wrong(info, given);
		if (/\p{Surrogate}/u.test(given)) return wrong(info, given, "it is not valid Unicode");
		const bytes = utf8Length(given);
		if (bytes <= mostDescriptionBytes) return given;
		return refuse("invalid", `${name} has ${bytes} bytes of UTF-8 and the limit is ${mostDescriptionBytes}: shorten it.`);
	});
}
// ../..engine/contract/requests/common.ts
const commonFields = {
	user_id: text("user_id", "an identifier derived by the wallet, used for recovery", 200),
	extra_fees: optional(extraFeesField("extra_fees")),
	referral_code: optional(text("referral_code", "a referral code", 100))
};
function common(wire) {
	return {
		userId: wire.user_id,
		extraFeesBps: wire.extra_fees ?? 0,
		referralCode: wire.referral_code ?? null
	};
}
/** Exactly one of two exclusive amounts; both or neither is a 400 (facts/clients.md 6). */
function pin(names, source, target) {
	if (source !== void 0 && target !== void 0) return refuse("invalid", `${names[0]} and ${names[1]} exclude each other: send only one of them.`);
	if (source !== void 0) return {
		pinned: "source",
		amount: source
	};
	if (target !== void 0) return {
		pinned: "target",
		amount: target
	};
	return refuse("invalid", `The amount is missing: send exactly one of ${names[0]} and ${names[1]}.`);
}
const bridgeChain = (name, what) => patterned({
	name,
	hint: `${what}, by its name, for example Base`
}, what, /^[A-Za-z0-9 ._-]{1,40}$/);
/** An address on a foreign chain: `0x` and 40 hex digits, or base58. */
const foreign = /^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/;
/** Of an EVM chain, or of one with keys in base58. */
function foreignAddress(name, what) {
	const info = {
		name,
		hint: `${what}: 0x and 40 hex digits, or a base58 key of 32 to 44 characters`
	};
	return field(info, {
		type: "string",
		description: what,
		pattern: foreign.source
	}, (given) => {
		if (typeof given !== "string" || !foreign.test(given)) return wrong(info, given);
		return given.startsWith("0x") && !hasRightCase(given, "any") ? wrong(info, given, wrongCase("any")) : given;
	});
}
const bridgeSourceFields = {
	bridge_source_chain: optional(bridgeChain("bridge_source_chain", "the chain the USDC comes from")),
	bridge_source_token_address: optional(foreignAddress("bridge_source_token_address", "the USDC on that chain"))
};
const bridgeTargetFields = {
	bridge_target_chain: optional(bridgeChain("bridge_target_chain", "the chain the USDC goes on to")),
	bridge_target_token_address: optional(foreignAddress("bridge_target_token_address", "the USDC on that chain"))
};
/** A token of a bridge means nothing without its chain. */
function bridge(side, chain, token) {
	if (chain !== void 0) return {
		chain,
		token: token ?? null
	};
	if (token === void 0) return null;
	return refuse("invalid", `bridge_${side}_token_address needs bridge_${side}_chain: send both or neither.`);
}
const payeeFields = {
	lightning_invoice: optional(patterned({
		name: "lightning_invoice",
		hint: "the BOLT11 text as the wallet shows it"
	}, "BOLT11 invoice; must carry an amount", /^(lightning:)?ln[a-z0-9]{20,8000}$/i, (given) => given.toLowerCase().replace(/^lightning:/, ""))),
	lightning_address: optional(patterned({
		name: "lightning_address",
		hint: "it as user@domain"
	}, "user@domain, resolved to an invoice over the payout", /^[a-z0-9._+-]{1,64}@[a-z0-9.-]{1,253}(:\d{1,5})?$/i, (given) => given.toLowerCase())),
	lnurl: optional(patterned({
		name: "lnurl",
		hint: "an LNURL-pay text that starts with lnurl1"
	}, "LNURL-pay text, resolved to an invoice over the payout", /^(lightning:)?lnurl1[02-9ac-hj-np-z]{10,2000}$/i, (given) => given.toLowerCase().replace(/^lightning:/, "")))
};
/** One destination, with the amounts that it allows: POST /swap/evm/lightning and /swap/arkade/lightning (facts/clients.md 6). */
function payee(sourceName, wire) {
	const { lightning_invoice: invoice, lightning_address: address, lnurl, source, target_amount_sats: target } = wire;
	if ([
		invoice,
		address,
		lnurl
	].filter((one) => one !== void 0).length > 1) return refuse("invalid", "lightning_address, lightning_invoice and lnurl exclude each other: send only one of them.");
	if (invoice !== void 0) return invoicePayee(sourceName, invoice, source, target);
	const destination = address ?? lnurl;
	if (destination === void 0) return refuse("invalid", "The destination is missing: send one of lightning_invoice, lightning_address and lnurl.");
	const amount = pin([sourceName, "target_amount_sats"], source, target);
	if (isRefusal(amount)) return amount;
	return {
		is: address !== void 0 ? "address" : "lnurl",
		text: destination,
		amount
	};
}
function invoicePayee(sourceName, bolt11, source, target) {
	if (source !== void 0) return refuse("invalid", `${sourceName} cannot be combined with lightning_invoice, which fixes the payout: leave ${sourceName} out.`);
	const amount = invoiceAmount("lightning_invoice", bolt11);
	if (isRefusal(amount)) return amount;
	if (target !== void 0 && target !== amount) return refuse("invalid", `target_amount_sats is ${target} but the invoice asks for ${amount} sats: send ${amount} or leave target_amount_sats out.`);
	return {
		is: "invoice",
		bolt11,
		amount
	};
}
const arkadeAddress = (name) => patterned({
	name,
	hint: "an Arkade address, which starts with ark1 or tark1"
}, "Arkade address of the recipient", /^(t?ark1[02-9ac-hj-np-z]{20,200}|T?ARK1[02-9AC-HJ-NP-Z]{20,200})$/, (given) => given.toLowerCase());
const bitcoinAddress = (name) => patterned({
	name,
	hint: "a Bitcoin address"
}, "Bitcoin address of the recipient", /^[A-Za-z0-9]{14,100}$/);
const letters = Uint8Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", (letter) => letter.charCodeAt(0));
/** By the code of a letter. Padding counts as zero bits, which are cut off. */
const values = /* @__PURE__ */ new Uint8Array(128);
for (const [value, letter] of letters.entries()) values[letter] = value;
/** Bytes of padded standard base64 (RFC 4648, section 4); null for anything else. */
function fromBase64(text) {
	if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
	const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
	const bytes = new Uint8Array(text.length / 4 * 3);
	const value = (at) => values[text.charCodeAt(at)] ?? 0;
	for (let i = 0, at = 0; i < text.length; i += 4) {
		const group = value(i) << 18 | value(i + 1) << 12 | value(i + 2) << 6 | value(i + 3);
		bytes[at++] = group >> 16;
		bytes[at++] = group >> 8;
		bytes[at++] = group;
	}
	return bytes.subarray(0, bytes.length - padding);
}
// ../..engine/contract/requests/refunds.ts
/** The longest text of a PSBT of many coins, which is one of about fifty, and of one. A refund is then judged by the coins of its swap. */
const maxPsbt = 64e3;
const maxPsbtOfOne = 6e3;
const psbtMagic = [
	112,
	115,
	98,
	116,
	255
];
/** A PSBT (BIP 174) as base64. */
function psbtField(name, what, longest = maxPsbt) {
	const info = {
		name,
		hint: `${what} as the base64 text of a PSBT`
	};
	return field(info, {
		type: "string",
		description: `${what}, PSBT in base64`,
		contentEncoding: "base64",
		maxLength: longest
	}, (given) => {
		if (typeof given !== "string") return wrong(info, given);
		if (given.length > longest) return wrong(info, given, `it has ${given.length} characters and the limit is ${longest}`);
		const bytes = fromBase64(given);
		if (bytes === null) return wrong(info, given, "it is not base64");
		return psbtMagic.every((byte, at) => bytes[at] === byte) ? bytes : wrong(info, given, "it is not a PSBT");
	});
}
const collabRefundBody = request({
	ark_tx: psbtField("ark_tx", "the transaction that spends the VHTLC through its refund leaf"),
	checkpoint_txs: list("checkpoint_txs", "one checkpoint for each input", psbtField("checkpoint_txs", "a checkpoint", maxPsbtOfOne), 1, 100)
}, (wire) => ({
	arkTx: wire.ark_tx,
	checkpoints: wire.checkpoint_txs
}));
const delegateFields = {
	intent_proof: psbtField("intent_proof", "the proof of the intent"),
	forfeit_psbts: list("forfeit_psbts", "one forfeit for each coin that has not expired", psbtField("forfeit_psbts", "a forfeit", maxPsbtOfOne), 0, 100)
};
const delegateRefundBody = request(delegateFields, (wire) => ({
	intentProof: wire.intent_proof,
	forfeits: wire.forfeit_psbts
}));
const delegateSettleBody = request({
	...delegateFields,
	intent_message: text("intent_message", "the JSON text that the proof commits to", 1e5),
	cosigner_pk: keyField("cosigner_pk", "the key that cosigner-pk gave"),
	swap_id: optional(text("swap_id", "the id of the swap", 100)),
	preimage: optional(hex32Field("preimage", "the secret of the swap", true))
}, (wire) => {
	if (wire.preimage !== void 0 && wire.swap_id === void 0) return refuse("invalid", "preimage needs swap_id: send both, or neither.");
	return {
		intentProof: wire.intent_proof,
		forfeits: wire.forfeit_psbts,
		message: wire.intent_message,
		cosigner: wire.cosigner_pk,
		swapId: wire.swap_id ?? null,
		preimage: wire.preimage === void 0 ? null : asPreimage(wire.preimage)
	};
});
const bulkStatusBody = request({ ids: list("ids", "the ids of swaps", text("ids", "the id of a swap", 100), 0, 100) }, (wire) => ({ ids: wire.ids }));
const recoverBody = request({
	xpub: text("xpub", "an extended public key (BIP 32)", 120),
	start_index: optional(integerField("start_index", "the first index to look at", 0, 2 ** 31 - 1))
}, (wire) => ({
	xpub: wire.xpub,
	startIndex: wire.start_index ?? 0
}));
// ../..engine/contract/routes/route.ts
/**
* What requests cost of their client's allowance, in units (DECISIONS.md, "Limits count cost"): one is about a millisecond of this node,
* or a promise of liquidity. `flood` in the configuration says how many a client has.
*/
const costs = {
	read: .2,
	id: .1,
	create: 1,
	gasless: 2,
	asksOutside: 5,
	psbts: 10,
	recover: 20
};
/** What a payee's server or a DEX is asked for takes a socket and a wait, whoever asked. */
function moreOutside(outside, paid) {
	return outside ? costs.asksOutside - paid : 0;
}
function route(method, path, parts) {
	const access = path.startsWith("/owner") ? "owner" : path.startsWith("/sandbox") ? "sandbox" : "public";
	return {
		method,
		path,
		access,
		summary: parts.summary,
		params: parts.params ?? null,
		query: parts.query ?? null,
		body: parts.body ?? null,
		reply: parts.reply,
		refusals: parts.refusals,
		unknownSwap: path.startsWith("/swap") ? 400 : 404,
		large: parts.large ?? false,
		also: parts.also ?? {},
		judged: parts.judged ?? null,
		spends: parts.spends ?? (access === "owner" && method !== "GET"),
		cost: parts.cost ?? (method === "GET" ? costs.read : costs.create),
		more: parts.more ?? null
	};
}
/** A swap's id. Any text is taken: a malformed id is an unknown id (DECISIONS.md, "Limits count cost"). */
const swapId = z.object({ id: words("Swap id") });
/** What every route has under which a client's refund of a VHTLC is countersigned. */
const refundOfSwap = {
	params: swapId,
	refusals: [
		400,
		403,
		404,
		500,
		503
	],
	large: true,
	judged: "refund-arkade",
	cost: costs.psbts
};
// ../..engine/contract/directions/direction.ts
function directionContract(of) {
	return of;
}
// ../..engine/contract/directions/arkade-evm.ts
const createArkadeEvm = request({
	arkade_htlc_script_version: scriptVersionField("arkade_htlc_script_version"),
	claiming_address: chainAddressField("claiming_address", "the account that signs the HTLC claim, on EVM also for other bridge targets"),
	evm_chain_id: evmChainIdField("evm_chain_id"),
	hash_lock: sha256Field("hash_lock", "SHA-256 of the client's secret"),
	refund_pk: keyField("refund_pk", "the user's refund key of the Arkade VHTLC"),
	target_address: foreignAddress("target_address", "the final recipient"),
	token_address: chainAddressField("token_address", "the ERC-20 contract of the desired token; the zero address for the native coin"),
	amount_in: optional(satsField("amount_in", "the amount to send")),
	amount_out: optional(unitsField("amount_out", "the amount to receive")),
	...bridgeTargetFields,
	bridge_recipient_setup: optional(flagField("bridge_recipient_setup", "whether the recipient's token account exists")),
	gasless: optional(flagField("gasless", "whether the service submits the claim; true by default")),
	...commonFields
}, (wire) => {
	const amount = pin(["amount_in", "amount_out"], wire.amount_in, wire.amount_out);
	if (isRefusal(amount)) return amount;
	const onward = bridge("target", wire.bridge_target_chain, wire.bridge_target_token_address);
	if (isRefusal(onward)) return onward;
	const evm = wire.target_address.startsWith("0x");
	const chain = wire.evm_chain_id;
	const claimingAddress = wire.claiming_address(chain);
	if (isRefusal(claimingAddress)) return claimingAddress;
	const token = wire.token_address(chain);
	if (isRefusal(token)) return token;
	if (!evm && onward === null) return refuse("invalid", "target_address is no EVM address, which only a bridge to another chain allows: send 0x and 40 hex digits, or name bridge_target_chain.");
	if (evm && onward === null && !hasRightCase(wire.target_address, chain)) return refuse("invalid", `target_address cannot be ${wire.target_address}, ${wrongCase(chain)}: send it as its wallet shows it.`);
	return {
		...common(wire),
		refundKey: wire.refund_pk,
		hash: wire.hash_lock,
		evmChainId: chain,
		claimingAddress,
		token,
		target: evm ? {
			is: "evm",
			address: asEvmAddress(fromHex(wire.target_address.slice(2)))
		} : {
			is: "base58",
			text: wire.target_address
		},
		amount,
		gasless: wire.gasless ?? true,
		bridge: onward === null ? null : {
			...onward,
			recipientSetup: wire.bridge_recipient_setup ?? false
		}
	};
});
/** Record of Arkade to EVM. `btc_fund_txid` and `btc_claim_txid` equal their `arkade_` twins (facts/clients.md 22). */
const arkadeEvmRecord = z.object({
	...commonRecord,
	...vhtlcRecord,
	...evmTargetRecord,
	btc_vhtlc_address: words("VHTLC that the user funds"),
	btc_claim_txid: words("Transaction that claimed the VHTLC").optional(),
	btc_fund_txid: words("Transaction that funded the VHTLC").optional(),
	target_evm_address: words("Where the tokens go after the claim").optional(),
	hash_lock: hex0x(32, "SHA-256 of the client's secret")
}).meta({
	id: "ArkadeEvmRecord",
	description: "A swap from Arkade to an EVM token"
});
const arkadeEvm$1 = directionContract({
	operation: "createArkadeEvm",
	route: route("POST", "/swap/arkade/evm", {
		summary: "Create a swap from Arkade to an EVM token",
		body: createArkadeEvm,
		reply: arkadeEvmRecord,
		refusals: [
			400,
			401,
			409,
			500,
			503
		]
	}),
	keys: (request) => ({ refund_pk: request.refundKey }),
	hashOf: "preimage"
});
/** Every VHTLC that a client funded is refunded under these two, whatever its direction: they are the published paths. */
const arkadeEvmRefund = route("POST", "/api/swap/arkade-evm/{id}/collab-refund", {
	summary: "Countersign a client's refund of a VHTLC it funded",
	body: collabRefundBody,
	reply: collabRefundReply,
	...refundOfSwap
});
const arkadeEvmDelegateRefund = route("POST", "/api/swap/arkade-evm/{id}/collab-refund-delegate", {
	summary: "Countersign a client's refund of a recoverable VHTLC through a batch",
	body: delegateRefundBody,
	reply: delegateRefundReply,
	...refundOfSwap
});
// ../..engine/contract/directions/arkade-lightning.ts
const createArkadeLightning = request({
	arkade_htlc_script_version: scriptVersionField("arkade_htlc_script_version"),
	refund_pk: keyField("refund_pk", "the user's refund key"),
	...payeeFields,
	source_amount_sats: optional(satsField("source_amount_sats", "the total to lock on Arkade")),
	target_amount_sats: optional(satsField("target_amount_sats", "the amount the recipient receives")),
	...commonFields
}, (wire) => {
	const to = payee("source_amount_sats", {
		...wire,
		source: wire.source_amount_sats
	});
	if (isRefusal(to)) return to;
	return {
		...common(wire),
		refundKey: wire.refund_pk,
		payee: to
	};
});
/** What a client of arkade-lightning checks before it funds, and refunds from (facts/clients.md 19). */
const arkadeLightningRecord = z.object({
	...commonRecord,
	...vhtlcRecord,
	arkade_vhtlc_address: words("VHTLC that the user funds"),
	client_lightning_invoice: words("Invoice that the service pays"),
	hash_lock: hex0x(32, "Payment hash of the invoice"),
	invoice_expires_at: unixTime("When the invoice can no longer be paid"),
	network_fee_sats: sats("Flat network fee")
}).meta({
	id: "ArkadeLightningRecord",
	description: "A swap from Arkade to Lightning"
});
const arkadeLightning$1 = directionContract({
	operation: "createArkadeLightning",
	route: route("POST", "/swap/arkade/lightning", {
		summary: "Create a swap from Arkade to Lightning",
		body: createArkadeLightning,
		reply: arkadeLightningRecord,
		refusals: [
			400,
			401,
			409,
			500,
			503
		],
		more: ({ body }) => moreOutside(body.payee.is !== "invoice", costs.create)
	}),
	keys: (request) => ({ refund_pk: request.refundKey }),
	hashOf: "invoice"
});
const arkadeLightningRefund = route("POST", "/api/swap/arkade-lightning/{id}/collab-refund", {
	summary: "The same under the name that older clients use",
	body: collabRefundBody,
	reply: collabRefundReply,
	...refundOfSwap
});
// ../..engine/contract/directions/bitcoin-arkade.ts
const createBitcoinArkade = request({
	arkade_htlc_script_version: scriptVersionField("arkade_htlc_script_version"),
	btc_htlc_script_version: scriptVersionField("btc_htlc_script_version"),
	claim_pk: keyField("claim_pk", "the user's claim key for the Arkade VHTLC"),
	hash_lock: hash160Field("hash_lock", "RIPEMD-160 of SHA-256 of the client's secret (20 bytes)"),
	refund_pk: keyField("refund_pk", "the user's refund key for the on-chain HTLC"),
	sats_receive: satsField("sats_receive", "the amount the user wants on Arkade"),
	target_arkade_address: arkadeAddress("target_arkade_address"),
	...commonFields
}, (wire) => {
	return {
		...common(wire),
		claimKey: wire.claim_pk,
		refundKey: wire.refund_pk,
		hash: wire.hash_lock,
		receive: wire.sats_receive,
		targetAddress: wire.target_arkade_address
	};
});
/**
* Record of on-chain Bitcoin to Arkade (facts/clients.md 20). `hash_lock` echoes the 20 bytes of the request, and
* `btc_htlc_witness_script` lets the user refund without this node.
*/
const bitcoinArkadeRecord = z.object({
	...commonRecord,
	...vhtlcRecord,
	arkade_vhtlc_address: words("VHTLC that the service funds"),
	btc_htlc_address: words("On-chain HTLC that the user funds"),
	btc_htlc_script_version: count("Version of the on-chain HTLC script"),
	btc_funding_confirmations: count("Confirmations of the user's coin before the service acts; 1 where a service does not say it").optional(),
	btc_htlc_witness_script: words("Script behind btc_htlc_address, hex").optional(),
	btc_refund_locktime: unixTime("When the user can refund on chain"),
	hash_lock: hex(20, "HASH160 of the secret, as it was sent"),
	sats_receive: sats("What the user receives on Arkade"),
	asset_amount: sats("Deprecated, use source_amount"),
	server_vhtlc_pk: publicKey("The service's key"),
	target_arkade_address: words("The user's Arkade address"),
	btc_claim_txid: words("Transaction that claimed the bitcoin").optional(),
	btc_fund_txid: words("Transaction that funded the on-chain HTLC").optional()
}).meta({
	id: "BitcoinArkadeRecord",
	description: "A swap from Bitcoin to Arkade"
});
const bitcoinArkade$1 = directionContract({
	operation: "createBitcoinArkade",
	route: route("POST", "/swap/bitcoin/arkade", {
		summary: "Create a swap from Bitcoin to Arkade",
		body: createBitcoinArkade,
		reply: bitcoinArkadeRecord,
		refusals: [
			400,
			401,
			409,
			500,
			503
		]
	}),
	keys: (request) => ({
		claim_pk: request.claimKey,
		refund_pk: request.refundKey
	}),
	hashOf: "preimage"
});
// ../..engine/contract/requests/from-evm.ts
const fromEvmFields = {
	evm_chain_id: evmChainIdField("evm_chain_id"),
	token_address: chainAddressField("token_address", "the ERC-20 source token"),
	user_address: chainAddressField("user_address", "the account that sends the token"),
	gasless: optional(flagField("gasless", "whether the service submits the funding transaction; false by default")),
	...bridgeSourceFields,
	...commonFields
};
/** The part of a create that every EVM source has, judged as a whole. */
function createFromEvm(wire) {
	const evmChainId = wire.evm_chain_id;
	const token = wire.token_address(evmChainId);
	if (isRefusal(token)) return token;
	const userAddress = wire.user_address(evmChainId);
	if (isRefusal(userAddress)) return userAddress;
	const from = bridge("source", wire.bridge_source_chain, wire.bridge_source_token_address);
	if (isRefusal(from)) return from;
	return {
		...common(wire),
		evmChainId,
		token,
		userAddress,
		gasless: wire.gasless ?? false,
		bridge: from
	};
}
// ../..engine/contract/directions/evm-bitcoin.ts
const createEvmBitcoin = request({
	btc_htlc_script_version: scriptVersionField("btc_htlc_script_version"),
	claim_pk: keyField("claim_pk", "the user's Bitcoin key that claims the Taproot HTLC"),
	hash_lock: sha256Field("hash_lock", "SHA-256 of the client's secret"),
	amount_in: optional(unitsField("amount_in", "the source amount")),
	amount_out: optional(satsField("amount_out", "the bitcoin to receive")),
	target_address: optional(bitcoinAddress("target_address")),
	...fromEvmFields
}, (wire) => {
	const source = createFromEvm(wire);
	if (isRefusal(source)) return source;
	const amount = pin(["amount_in", "amount_out"], wire.amount_in, wire.amount_out);
	if (isRefusal(amount)) return amount;
	return {
		...source,
		claimKey: wire.claim_pk,
		hash: wire.hash_lock,
		amount,
		targetAddress: wire.target_address ?? null
	};
});
/** Record of EVM to Bitcoin. `btc_hash_lock` is bare hex: a prefix breaks published clients. */
const evmBitcoinRecord = z.object({
	...commonRecord,
	...evmSourceRecord,
	btc_hash_lock: hex(20, "RIPEMD-160 of the EVM hash lock"),
	evm_hash_lock: hex0x(32, "SHA-256 of the client's secret"),
	btc_htlc_address: words("Taproot HTLC that the service funds"),
	btc_htlc_script_version: count("Version of the Taproot HTLC script"),
	btc_refund_locktime: unixTime("When the service can refund"),
	btc_server_refund_pk: hex(32, "The service's x-only refund key"),
	btc_user_claim_pk: hex(32, "The user's x-only claim key"),
	btc_claim_txid: words("Transaction that claimed the bitcoin").optional(),
	btc_fund_txid: words("Transaction that funded the HTLC").optional(),
	btc_fund_vout: count("Output of that transaction").optional(),
	target_btc_address: words("The user's Bitcoin address").optional()
}).meta({
	id: "EvmBitcoinRecord",
	description: "A swap from an EVM token to Bitcoin"
});
const evmBitcoin$1 = directionContract({
	operation: "createEvmBitcoin",
	route: route("POST", "/swap/evm/bitcoin", {
		summary: "Create a swap from an EVM token to Bitcoin",
		body: createEvmBitcoin,
		reply: evmBitcoinRecord,
		refusals: [
			400,
			401,
			409,
			500,
			503
		]
	}),
	keys: (request) => ({ claim_pk: request.claimKey }),
	hashOf: "preimage"
});
// ../..engine/contract/directions/evm-lightning.ts
const createEvmLightning = request({
	...fromEvmFields,
	...payeeFields,
	amount_in: optional(unitsField("amount_in", "the source amount")),
	target_amount_sats: optional(satsField("target_amount_sats", "the amount the recipient receives"))
}, (wire) => {
	const source = createFromEvm(wire);
	if (isRefusal(source)) return source;
	const to = payee("amount_in", {
		...wire,
		source: wire.amount_in
	});
	if (isRefusal(to)) return to;
	return {
		...source,
		payee: to
	};
});
/** Record of EVM to Lightning. `lightning_payment_settled` alone says that the recipient was paid. */
const evmLightningRecord = z.object({
	...commonRecord,
	...evmSourceRecord,
	client_lightning_invoice: words("Invoice that the service pays"),
	hash_lock: hex0x(32, "Payment hash of the invoice"),
	invoice_expires_at: unixTime("When the invoice can no longer be paid"),
	lightning_payment_settled: flag("Whether the invoice was paid"),
	network_fee_sats: sats("Quoted Lightning fee and gas of the claim")
}).meta({
	id: "EvmLightningRecord",
	description: "A swap from an EVM token to Lightning"
});
const evmLightning$1 = directionContract({
	operation: "createEvmLightning",
	route: route("POST", "/swap/evm/lightning", {
		summary: "Create a swap from an EVM token to Lightning",
		body: createEvmLightning,
		reply: evmLightningRecord,
		refusals: [
			400,
			401,
			409,
			500,
			503
		],
		more: ({ body }) => moreOutside(body.payee.is !== "invoice", costs.create)
	}),
	keys: () => ({}),
	hashOf: "invoice"
});
// ../..engine/contract/directions/lightning-arkade.ts
const createLightningArkade = request({
	arkade_htlc_script_version: scriptVersionField("arkade_htlc_script_version"),
	claim_pk: keyField("claim_pk", "the user's claim key"),
	hash_lock: sha256Field("hash_lock", "SHA-256 of the client's secret"),
	target_arkade_address: arkadeAddress("target_arkade_address"),
	source_amount_sats: optional(satsField("source_amount_sats", "the amount sent over Lightning")),
	target_amount_sats: optional(satsField("target_amount_sats", "the amount received on Arkade")),
	invoice_description: optional(descriptionField("invoice_description")),
	...commonFields
}, (wire) => {
	const amount = pin(["source_amount_sats", "target_amount_sats"], wire.source_amount_sats, wire.target_amount_sats);
	if (isRefusal(amount)) return amount;
	return {
		...common(wire),
		claimKey: wire.claim_pk,
		hash: wire.hash_lock,
		targetAddress: wire.target_arkade_address,
		amount,
		description: wire.invoice_description ?? null
	};
});
/** What a client of lightning-arkade checks before it pays, and claims from (facts/clients.md 19). */
const lightningArkadeRecord = z.object({
	...commonRecord,
	...vhtlcRecord,
	arkade_vhtlc_address: words("VHTLC that the service funds"),
	bolt11_invoice: words("Hold invoice that the user pays"),
	hash_lock: hex0x(32, "SHA-256 of the client's secret"),
	invoice_expires_at: unixTime("When the invoice can no longer be paid"),
	network_fee_sats: sats("Flat network fee"),
	target_arkade_address: words("The user's Arkade address")
}).meta({
	id: "LightningArkadeRecord",
	description: "A swap from Lightning to Arkade"
});
const lightningArkade$1 = directionContract({
	operation: "createLightningArkade",
	route: route("POST", "/swap/lightning/arkade", {
		summary: "Create a swap from Lightning to Arkade",
		body: createLightningArkade,
		reply: lightningArkadeRecord,
		refusals: [
			400,
			401,
			409,
			500,
			503
		]
	}),
	keys: (request) => ({ claim_pk: request.claimKey }),
	hashOf: "preimage"
});
// ../..engine/contract/examples/values.ts
/** What the examples of requests and replies are made of. */
const id = "70f50371-aef0-4388-a6f6-4ff82abf0b0c";
const key = "033a42c939a96e86a213a229684d493ef3fbfba4823a7a6a76a8550a58ebca9749";
const serviceKey = "03e3539c3a9b2773c3f8353ca5c7c632d7f8b7a8c00dbcaf5e941104a877bea7b7";
const operatorKey = "27a33ba3e7d834dd2729eb40ee93ac770662a36d89101048ffb0ac3d4268fcaa";
const digits$1 = "8502c476226c3ff15dcb18e3aab93b6e895d0cfb669c36ba21e917eb19f9f650";
const wbtc = "0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6";
const account = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
const service = "0xb97fd42d3B09f05ACf07DeC02D4E14Be02a82aB2";
const contract = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
`${"q".repeat(120)}`;
`${"11".repeat(32)}`, `${"22".repeat(32)}`;
const began = {
	id,
	created_at: "2026-11-22T01:43:00.000Z",
	network: "bitcoin",
	status: "pending"
};
const vhtlc$1 = {
	arkade_htlc_script_version: 1,
	arkade_server_pk: operatorKey,
	unilateral_claim_delay: 86528,
	unilateral_refund_delay: 172544,
	unilateral_refund_without_receiver_delay: 259072,
	vhtlc_refund_locktime: 1795398180
};
const evm = {
	chain: "polygon",
	evm_chain_id: 137,
	evm_coordinator_address: contract,
	evm_htlc_address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
	evm_htlc_kind: "erc20",
	evm_htlc_version: 4,
	evm_refund_locktime: 1795354980,
	server_evm_address: service,
	client_evm_address: account,
	wbtc_address: wbtc
};
const fromEvm = {
	...evm,
	evm_refund_locktime: 1795398180,
	evm_funding_confirmations: 16,
	gasless: true
};
({
	...began,
	...vhtlc$1,
	...evm
});
({
	...began,
	...vhtlc$1
});
digits$1.slice(0, 40), {
	...began,
	...vhtlc$1
}, digits$1.slice(0, 40);
key.slice(2), {
	...began,
	...fromEvm
}, digits$1.slice(0, 40), serviceKey.slice(2), key.slice(2);
({
	...began,
	...fromEvm
});
({
	...began,
	...vhtlc$1
});
// ../..engine/contract/directions/directions.ts
/** What the wire knows of each direction. A new one is a line here. */
const directionContracts = {
	"arkade-evm": arkadeEvm$1,
	"evm-lightning": evmLightning$1,
	"evm-bitcoin": evmBitcoin$1,
	"arkade-lightning": arkadeLightning$1,
	"lightning-arkade": lightningArkade$1,
	"bitcoin-arkade": bitcoinArkade$1
};
/** The operations that create a swap, by name. */
const createRoutes = Object.fromEntries(directionNames.map((name) => [directionContracts[name].operation, directionContracts[name].route]));
/** A client's refund is countersigned under each of these names. */
const collabRefundRoutes = {
	collabRefund: arkadeEvmRefund,
	collabRefundArkadeLightning: arkadeLightningRefund
};
/** The same through a batch. */
const delegateRefundRoutes = { collabRefundDelegate: arkadeEvmDelegateRefund };
// ../..engine/contract/records/swap.ts
const readAs = (name) => z.intersection(directionContracts[name].route.reply, z.object({ direction: z.literal(wireDirections[name]).meta({ description: "Direction of the swap" }) }));
const swapRecord = z.union(directionNames.map(readAs)).meta({
	id: "SwapRecord",
	description: "A swap with its direction"
});
/** A swap found by recovery, with the index of the client's key. */
const recoveredSwap = z.intersection(swapRecord, z.object({ index: count("Index of the client's key") })).meta({
	id: "RecoveredSwap",
	description: "A swap that belongs to a key of the client"
});
const recovery = z.object({
	swaps: z.array(recoveredSwap),
	highest_index: count("Highest index that has a swap"),
	next_index: count("First index that is free"),
	scanned_until: count("Last index that was looked at"),
	complete: flag("False when more indices must be asked for, from scanned_until + 1")
});
// ../..engine/contract/owner/fields.ts
/** What the owner's swaps are listed by: the directions, and the jobs of the wallets. */
const rowNames = Object.keys(ownerDirections);
const direction = z.enum(rowNames.map((name) => ownerDirections[name])).meta({ description: "Direction of a swap, or job of a wallet" });
const at = words("Internal state of the swap");
const cursor = optional(text("cursor", "the next_cursor of the page before", 200));
// ../..engine/contract/owner/ledger.ts
const ledgerRow = z.object({
	time: unixTime("When it was booked"),
	swap_id: words("Swap id").nullable(),
	pair: words("Direction of the swap").nullable(),
	kind: words("Kind of income or cost"),
	network: words("Network it was paid on"),
	asset: words("btc or the address of a token"),
	amount: signedAmount("Smallest units, positive in the node's favour")
}).meta({
	id: "LedgerRow",
	description: "What the node earned or paid"
});
const ledger = z.object({
	rows: z.array(ledgerRow),
	next_cursor: words("Where the next page starts").nullable()
});
const ledgerCsv = z.string().meta({ description: `With format=csv: RFC 4180, a first line of column names (${[
	"time",
	"swap_id",
	"pair",
	"kind",
	"network",
	"asset",
	"amount"
].join(", ")}), then a line for each row. Text that a spreadsheet would run as a formula begins with an apostrophe. The header X-Next-Cursor says where the next page starts, and is left out on the last one` });
const moment$1 = (name, what) => optional(integerField(name, `${what}, unix seconds`, 0, 253402300799));
const ledgerQuery = request({
	from: moment$1("from", "only rows from this moment on"),
	to: moment$1("to", "only rows before this moment"),
	pair: optional(oneOf("pair", "only this direction", [...directionNames.map((name) => wireDirections[name]), ...directionNames])),
	format: optional(oneOf("format", "json by default", ["json", "csv"])),
	cursor
}, (wire) => ({
	from: wire.from === void 0 ? null : unix$1(wire.from),
	to: wire.to === void 0 ? null : unix$1(wire.to),
	pair: directionNames.find((name) => name === wire.pair || wireDirections[name] === wire.pair) ?? null,
	format: wire.format ?? "json",
	cursor: wire.cursor ?? null
}));
// ../..engine/contract/owner/swaps.ts
const ownerSwaps = z.object({
	swaps: z.array(z.object({
		id: words("Swap id"),
		direction: direction.nullable().meta({ description: "Direction of a swap, or job of a wallet; null for one that this build does not know" }),
		status: swapStatus,
		at,
		value_sats: sats("Value of the swap"),
		next_action: words("Who does what next"),
		deadline: unixTime("Until when").nullable(),
		slack_seconds: integer("Seconds left before it is late, negative when it is").nullable(),
		flagged: flag("Whether a person must look at it")
	})),
	next_cursor: words("Where the next page starts").nullable()
});
const ownerSwap = z.object({
	record: swapRecord.nullable().meta({ description: "The record as its client sees it; null while it is being opened" }),
	direction,
	at,
	terms: jsonObject("What was agreed"),
	progress: jsonObject("Where it stands"),
	journal: z.array(z.object({
		time: unixTime("When"),
		from: words("State before"),
		to: words("State after"),
		event: words("What happened"),
		effects: z.array(words("What was ordered"))
	})),
	transactions: z.array(z.object({
		txid: words("Transaction"),
		network: words("Network"),
		purpose: words("What it does"),
		state: words("Where it stands"),
		created: unixTime("When it was made"),
		replaces: words("Transaction that it replaces").nullable()
	})),
	ledger: z.array(ledgerRow),
	strays: z.array(z.object({
		network: words("Network"),
		coin: words("Coin"),
		amount: amount("Smallest units"),
		seen: unixTime("When it was seen")
	})),
	other_locks: integer("Locks of its hash on its EVM chain that are none of its, while it is open: anybody can make them, and they change nothing")
});
const acted = z.object({ at });
const ownerSwapsQuery = request({
	direction: optional(oneOf("direction", "only this direction", [...rowNames.map((name) => ownerDirections[name]), ...rowNames])),
	status: optional(oneOf("status", "only this status", swapStatuses)),
	open: optional(oneOf("open", "true: only swaps that are not over; false: only those that are", ["true", "false"])),
	q: optional(text("q", "part of an id, hash, address or transaction", 200)),
	cursor,
	limit: optional(integerField("limit", "how many", 1, 500))
}, (wire) => ({
	direction: rowNames.find((name) => name === wire.direction || ownerDirections[name] === wire.direction) ?? null,
	status: wire.status ?? null,
	open: wire.open === void 0 ? null : wire.open === "true",
	text: wire.q ?? null,
	cursor: wire.cursor ?? null,
	limit: wire.limit ?? 50
}));
// ../..engine/contract/owner/wallets.ts
const balances = z.object({ balances: z.array(z.object({
	network: words("Network"),
	asset: words("btc or the address of a token"),
	available: amount("Free"),
	reserved: amount("Promised to swaps"),
	locked: amount("In HTLCs"),
	pending: amount("On its way"),
	fee_reserve: amount("Of what is free, kept for fees of what is open on the Bitcoin chain and at the operator").optional(),
	as_of: unixTime("Set while the network does not answer: everything here is what it held then, and nothing of it can be used now").optional()
})) });
const walletAddress = z.object({ address: words("Where to send; an invoice on Lightning") });
const withdrawal = z.object({
	id: words("Wallet job"),
	sent: flag("Whether its network has it. False after ten seconds without: it is signed or waits for the network, and goes on by itself. Do not send it again"),
	transaction: words("Transaction or payment that its network took; empty while none did")
});
/** POST /owner/wallets/{network}/exit: a job for each coin that goes to the chain. */
const walletExit = z.object({ jobs: z.array(z.object({
	id: words("Wallet job"),
	coin: words("Outpoint at the operator, as txid:vout"),
	amount: sats("What it holds")
})) });
const walletParams = request({ network: patterned({
	name: "network",
	hint: "arkade, lightning, bitcoin or evm: and a chain number"
}, "arkade, lightning, bitcoin or evm:137", /^(arkade|lightning|bitcoin|evm:[1-9]\d{0,9})$/) }, (wire) => ({ network: wire.network }));
const asset = optional(text("asset", "btc or the address of a token", 100));
const walletAddressBody = request({
	asset,
	amount: optional(unitsField("amount", "the amount of the invoice, on Lightning"))
}, (wire) => ({
	asset: wire.asset ?? null,
	amount: wire.amount ?? null
}));
const withdrawBody = request({
	address: text("address", "where to send", 5e3),
	amount: amountOrAllField("amount", "how much to send"),
	asset,
	max_fee: optional(unitsField("max_fee", "the most that it may cost, instead of what the ceilings in the settings allow"))
}, (wire) => ({
	address: wire.address,
	amount: wire.amount,
	asset: wire.asset ?? null,
	maxFee: wire.max_fee ?? null
}));
// ../..engine/contract/owner/developer-keys.ts
const developerKeys = z.object({ keys: z.array(z.object({
	id: words("Id"),
	name: words("Whose it is"),
	max_extra_fee_bps: count("Highest extra_fees it allows"),
	key_hash: words("SHA-256 of the key, hex")
})) });
const newDeveloperKey = z.object({
	id: words("Id"),
	key: words("The key, shown this once")
});
const developerKeyBody = request({
	name: text("name", "whose key it is", 100),
	max_extra_fee_bps: integerField("max_extra_fee_bps", "the highest extra_fees the key allows, in basis points", 0, 1e4)
}, (wire) => ({
	name: wire.name,
	maxExtraFeeBps: wire.max_extra_fee_bps
}));
// ../..engine/contract/owner/doctor.ts
const doctor = z.object({ rows: z.array(z.object({
	network: words("Network or part of the node"),
	check: words("What was checked"),
	result: z.enum([
		"pass",
		"warn",
		"fail"
	]),
	sentence: words("What was found and what to do")
})) });
// ../..engine/contract/owner/logs.ts
const logLevels = [
	"info",
	"warn",
	"error"
];
const logLine = z.object({
	number: count("Counts the lines since the node started"),
	time: unixTime("When it was written"),
	level: z.enum(logLevels).meta({ description: "How grave it is" }),
	text: words("What happened"),
	swap: words("Swap or wallet job that it is about").nullable(),
	facts: jsonObject("What else the line says: texts, numbers and flags")
}).meta({
	id: "LogLine",
	description: "A line of the log"
});
const logs = z.object({
	lines: z.array(logLine),
	next_cursor: words("Where the next page starts").nullable(),
	dropped: count("Older lines since the start that are not remembered any more")
});
const logsQuery = request({
	swap: optional(text("swap", "the id of a swap or wallet job", 100)),
	level: optional(oneOf("level", "lines of this level and graver ones", logLevels)),
	q: optional(text("q", "part of a line", 200)),
	redacted: optional(oneOf("redacted", "true: addresses, keys, transactions, hosts and files as marks, to hand on", ["true", "false"])),
	cursor,
	limit: optional(integerField("limit", "how many", 1, 1e3))
}, (wire) => ({
	swap: wire.swap ?? null,
	level: wire.level ?? "info",
	text: wire.q ?? null,
	redacted: wire.redacted === "true",
	before: wire.cursor === void 0 ? null : Number(wire.cursor),
	limit: wire.limit ?? 200
}));
// ../..engine/contract/owner/status.ts
const ownerStatus = z.object({
	version: words("Version of the node"),
	network: z.enum(bitcoinNetworks).meta({ description: "Bitcoin network of the data folder" }),
	started: unixTime("When the node started"),
	paused: z.object({
		by: z.enum(["owner", "guard"]),
		reason: words("Why"),
		since: unixTime("Since when")
	}).nullable(),
	unguarded: words("Why a data folder that is rolled back as a whole (a disk image, a snapshot) may go unnoticed; left out where a mark outside of it would show that").optional(),
	networks: z.array(z.object({
		name: words("arkade, lightning, bitcoin or evm:137"),
		state: z.enum([
			"connected",
			"away",
			"absent"
		]),
		detail: words("What is known about it"),
		waits: words("What waits although it answers, and for whom").optional(),
		height: count("Height of its tip").optional(),
		lag_seconds: integer("How far its clock is behind this machine's, negative when it is ahead: median time past on Bitcoin, the latest block on EVM chains; elsewhere the age of its last answer").optional(),
		unsaved_sats: sats("At an Arkade operator: what lies there for ten minutes or longer and could not leave it alone, for its way to the chain is not saved (arkade.maxUnsavedSats)").optional()
	})),
	open_swaps: count("Swaps that are not over"),
	at_risk_sats: sats("What the node has locked and not got back")
});
const pauseBody = request({ reason: text("reason", "why swaps are paused", 500) }, (wire) => wire);
// ../..engine/contract/owner/settings.ts
const settings = z.object({ settings: jsonObject("The configuration in force; a secret that is set shows as true") });
// ../..engine/domain/taker.ts
/** The screen that a swap is on. */
const takerPhases = [
	"creating",
	"pay",
	"wait",
	"claim",
	"refund",
	"over"
];
/** How it ended. `lost`: the other side took what was ours, and owes it. */
const takerOutcomes = [
	"finished",
	"returned",
	"unpaid",
	"refused",
	"lost"
];
const takerAttentions = [
	"none",
	"waiting",
	"needs-you",
	"danger"
];
/** Whose turn it is. `payer`: whoever pays the invoice. */
const takerActors = [
	"you",
	"provider",
	"node",
	"payer",
	"nobody"
];
/** What is done next, or was done: an actor's act. */
const stepCodes = [
	"create",
	"pay",
	"confirm",
	"lock",
	"confirm-lock",
	"pay-out",
	"exchange",
	"claim",
	"look",
	"sign-refund",
	"await-refund",
	"refund",
	"payment-returns",
	"finished",
	"returned",
	"closed"
];
/**
* What was seen of the payment of a swap, and where it is: the one ground on which a person is told that it is safe, on its way, or not to be
* paid again. A phase is none.
*/
const paidStates = [
	"none",
	"leaving",
	"told",
	"stands",
	"unclear",
	"taken",
	"back"
];
/** Why a refund stands as it does. */
const whyCodes = [
	"nothing-paid",
	"in-progress",
	"provider-locked",
	"provider-out",
	"provider-declined",
	"locktime-passed",
	"locktime",
	"returns-by-itself",
	"surplus",
	"spent"
];
/** Why it was refused, or why a person must look at it. */
const reasonCodes = [
	"provider-refused",
	"provider-silent",
	"record-wrong",
	"provider-ended",
	"never-locked",
	"lock-unsafe",
	"price-away",
	"not-exchanged",
	"taken-back",
	"refund-declined",
	"not-locked",
	"flagged"
];
const refundStates = [
	"none",
	"possible",
	"later",
	"running",
	"done"
];
const costParts = [
	"service",
	"network",
	"gasless",
	"exchange"
];
/** Why a provider has no offer for what was asked. */
const noOfferCodes = [
	"away",
	"paused",
	"pair-missing",
	"below-minimum",
	"above-maximum",
	"declined",
	"unreadable"
];
/** What can become of a swap, before it is made: `operator` is that of Arkade, `node` this one being off. */
const takerCases = [
	"usual",
	"slow",
	"provider",
	"operator",
	"node"
];
/** Why an address is no provider that can be swapped with. */
const providerFaults = [
	"away",
	"unreadable",
	"nothing-offered"
];
/** What the owner's list is narrowed to. */
const takerShows = [
	"all",
	"open",
	"needs-you",
	"finished",
	"returned"
];
const takerTransactions = [
	"fund",
	"lock",
	"claim",
	"refund",
	"exit"
];
/** What became of a record that a provider answered to a restore. */
const restoreOutcomes = [
	"reopened",
	"held",
	"over",
	"refused",
	"later"
];
/** Why a record was not reopened. */
const restoreReasons = [
	"unreadable",
	"unknown-direction",
	"not-ours",
	"record-wrong",
	"network-away"
];
/** How far a provider was asked. `cut`: it answered more than is looked at. */
const restoreProviderStates = [
	"waiting",
	"asking",
	"done",
	"silent",
	"cut"
];
const restoreStates = [
	"never",
	"running",
	"done"
];
// ../..engine/contract/taker.ts
const loopback = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?(\/|$)/;
const provider = {
	name: "provider_url",
	hint: "the https address of a provider, or leave it out to swap with this node"
};
const providerAddress = /^https?:\/\/[^\s/?#@]{1,253}(\/[^\s?#]{0,200})?$/;
const providerSchema = {
	type: "string",
	description: "Base URL of the provider",
	pattern: providerAddress.source
};
function readProviderUrl(given) {
	if (typeof given !== "string" || !providerAddress.test(given)) return wrong(provider, given);
	const url = providerUrlOf(given);
	if (url.startsWith("https:") || loopback.test(url)) return url;
	return refuse("invalid", "provider_url is not encrypted: send an https address, or an http one of this machine.");
}
/** The address of another node: encrypted, unless it is on this machine. */
const providerUrlField = field(provider, providerSchema, readProviderUrl);
/** The same where this node is meant without one, and never by null. */
const providerOrThisNode = leftOutOr(provider, providerSchema, readProviderUrl);
/** One provider has one name: without slashes at the end. */
function providerUrlOf(given) {
	return given.replace(/\/+$/, "");
}
const takerSwapBody = request({
	direction: oneOf("direction", "which way", takerDirections),
	amount_sats: satsField("amount_sats", "what is sent over Lightning, what the invoice asks for, or what arrives on Arkade"),
	invoice: payeeFields.lightning_invoice,
	lightning_address: payeeFields.lightning_address,
	lnurl: payeeFields.lnurl,
	evm_chain_id: optional(evmChainIdField("evm_chain_id")),
	token_address: optional(chainAddressField("token_address", "the token on the EVM chain; what swaps lock there when left out")),
	target_address: optional(chainAddressField("target_address", "where the tokens shall go, for a swap to an EVM chain")),
	gasless: optional(flagField("gasless", "whether the provider sends the transactions on the EVM chain; true by default")),
	provider_url: providerOrThisNode,
	most_source_amount: optional(unitsField("most_source_amount", "what may be given at most, as a quote said it: a swap that costs more is not begun")),
	least_target_amount: optional(unitsField("least_target_amount", "what has to arrive at least, as a quote said it: a swap that brings less is not begun"))
}, (wire) => {
	const payee = placeOf(wire);
	const destinations = [
		wire.invoice,
		wire.lightning_address,
		wire.lnurl
	].filter((one) => one !== void 0).length;
	if (destinations > 1) return refuse("invalid", "invoice, lightning_address and lnurl exclude each other: send only one of them.");
	if (takerInvoices[wire.direction] === "owner" && destinations === 0) return refuse("invalid", "invoice is required for a swap to Lightning: send the invoice that is to be paid, or a lightning_address or lnurl.");
	if (takerInvoices[wire.direction] !== "owner" && destinations > 0) return refuse("invalid", "invoice, lightning_address and lnurl are only for a swap to Lightning: leave them out.");
	const evm = evmPart(wire);
	if (isRefusal(evm)) return evm;
	return {
		direction: wire.direction,
		amount: wire.amount_sats,
		invoice: wire.invoice ?? null,
		...payee === null ? {} : { payee },
		...evm === null ? {} : { evm },
		provider: wire.provider_url ?? "",
		...wire.most_source_amount === void 0 ? {} : { mostSource: wire.most_source_amount },
		...wire.least_target_amount === void 0 ? {} : { leastTarget: wire.least_target_amount }
	};
});
function evmPart(wire) {
	if (wire.evm_chain_id === void 0) return null;
	const token = wire.token_address?.(wire.evm_chain_id) ?? null;
	if (isRefusal(token)) return token;
	const destination = wire.target_address?.(wire.evm_chain_id) ?? null;
	if (isRefusal(destination)) return destination;
	return {
		chainId: Number(wire.evm_chain_id),
		token,
		destination,
		gasless: wire.gasless ?? true
	};
}
function placeOf(wire) {
	if (wire.lightning_address !== void 0) return {
		is: "address",
		text: wire.lightning_address
	};
	return wire.lnurl === void 0 ? null : {
		is: "lnurl",
		text: wire.lnurl
	};
}
/** POST /owner/taker/payees. */
const takerPayeeBody = request({
	lightning_address: payeeFields.lightning_address,
	lnurl: payeeFields.lnurl
}, (wire) => {
	const place = placeOf(wire);
	if (place === null || wire.lightning_address !== void 0 && wire.lnurl !== void 0) return refuse("invalid", "The place is missing: send one of lightning_address and lnurl.");
	return place;
});
const takerPayee = z.object({
	min_sats: sats("Least that it takes at once"),
	max_sats: sats("Most that it takes at once")
});
const takerSwapCreated = z.object({ id: words("Id of the swap at this node") });
const takerRestoreBody = request({ provider_url: providerOrThisNode }, (wire) => ({ provider: wire.provider_url ?? null }));
const takerSwapsQuery = request({
	q: optional(text("q", "an address, amount, transaction or swap id, or how it begins", 200)),
	show: optional(oneOf("show", "only these", takerShows)),
	network: optional(patterned({
		name: "network",
		hint: "arkade, lightning, bitcoin, or evm: and the number of a chain"
	}, "Only swaps from or to this network", /^(arkade|lightning|bitcoin|evm:\d{1,10})$/)),
	cursor,
	limit: optional(integerField("limit", "how many", 1, 200))
}, (wire) => ({
	text: wire.q ?? null,
	show: wire.show ?? "all",
	network: wire.network ?? null,
	cursor: wire.cursor ?? null,
	limit: wire.limit ?? 50
}));
// ../..engine/contract/taker-restore.ts
/** Finding swaps of the owner's own again from the seed: how far it is, and what became of each record. */
const takerRestore = z.object({
	state: z.enum(restoreStates).meta({ description: "Whether providers are being asked" }),
	started: unixTime("When it began").nullable(),
	ended: unixTime("When it was over").nullable(),
	providers: z.array(z.object({
		provider_url: words("Base URL of the provider; empty for this node"),
		state: z.enum(restoreProviderStates).meta({ description: "How far it was asked" })
	})).meta({ description: "Each that is asked" }),
	counts: z.object({
		reopened: count("That go on here now"),
		held: count("That were here already"),
		over: count("In which nothing of ours is any more"),
		refused: count("With which nothing is done"),
		later: count("That could not be judged yet")
	}).meta({
		id: "TakerRestoreCounts",
		description: "How many records became what"
	}),
	swaps: z.array(z.object({
		provider_url: words("Base URL of the provider; empty for this node"),
		provider_swap_id: words("Id of the swap at its provider").nullable(),
		direction: z.enum(takerDirections).nullable().meta({ description: "Which way" }),
		id: words("Id of the swap at this node; null where it has none").nullable(),
		outcome: z.enum(restoreOutcomes).meta({ description: "What became of the record" }),
		reason: z.enum(restoreReasons).nullable().meta({ description: "Why it was not reopened" }),
		detail: words("That reason in the words of whoever gave it").nullable()
	}).meta({
		id: "TakerRestored",
		description: "A record of a provider"
	})).meta({ description: "Each record, the first of them" }),
	left_out: count("Records that are counted and not listed")
});
// ../..engine/contract/taker-quotes.ts
const takerQuotesBody = request({
	direction: oneOf("direction", "which way", takerDirections),
	side: oneOf("side", "whether the amount is what is given or what arrives", ["source", "target"]),
	amount: unitsField("amount", "how much of that side"),
	evm_chain_id: optional(evmChainIdField("evm_chain_id")),
	token_address: optional(evmAddressField("token_address", "the token on the EVM chain; what swaps lock there when left out"))
}, ({ evm_chain_id, token_address, ...wire }) => ({
	...wire,
	chainId: evm_chain_id === void 0 ? null : Number(evm_chain_id),
	...token_address === void 0 ? {} : { token: token_address }
}));
const takerQuote = z.object({
	provider_url: words("Base URL of the provider; empty for this node"),
	why: z.enum(noOfferCodes).nullable().meta({ description: "Why it has no offer; null when it has one" }),
	detail: words("That in the words of the provider").nullable(),
	source_amount: amount("What has to be given, fees included, in smallest units").nullable(),
	target_amount: amount("What arrives, in smallest units").nullable(),
	costs: z.array(z.object({
		part: z.enum(costParts).meta({ description: "For what" }),
		sats: sats("How much")
	})).meta({ description: "The difference by its parts; empty where they do not add up to it" }),
	min_sats: sats("Least that may arrive").nullable(),
	max_sats: sats("Most that may arrive now").nullable(),
	usual_seconds: count("From payment to arrival, as own swaps of this way with this provider took; null with fewer than three").nullable(),
	worst_seconds: count("Until what was paid is back with the help of nobody: a record that asks for longer is refused; null where the wallet that pays decides on it").nullable(),
	pay_seconds: count("How long it can surely be paid once it is made; null where an invoice says so").nullable(),
	cases: z.array(z.object({
		case: z.enum(takerCases).meta({ description: "What happens" }),
		seconds: count("How long it takes at most, in the usual case how long it takes; null where nobody here decides on it").nullable(),
		most_sats: sats("What it costs at most; null where nobody can say that in sats").nullable()
	}).meta({
		id: "TakerCase",
		description: "One thing that can become of it"
	})).meta({ description: "What can become of it, the worst last; empty without an offer" })
}).meta({
	id: "TakerQuote",
	description: "What one provider would do"
});
const takerQuotes = z.object({ quotes: z.array(takerQuote).meta({ description: "The best first; those without an offer last" }) });
const providerCheckBody = request({ provider_url: providerUrlField }, ({ provider_url }) => provider_url);
/** POST /owner/taker/providers/check. */
const providerCheck = z.object({ fault: z.enum(providerFaults).nullable().meta({ description: "Why it is no provider to swap with; null when it answers as one" }) });
// ../..engine/contract/taker-ways.ts
const end$1 = z.object({
	chain,
	token: words("btc, or the contract of a token on an EVM chain"),
	symbol: words("Short name"),
	decimals: count("Decimals of the smallest unit"),
	less_bps: count("How much less than expected may arrive, in hundredths of a percent, where an exchange makes the token; the least is agreed by it").optional()
}).meta({
	id: "TakerWayEnd",
	description: "What is given or got"
});
/** GET /owner/taker/ways. */
const takerWays = z.object({ ways: z.array(z.object({
	direction: z.enum(takerDirections).meta({ description: "Which way" }),
	source: end$1,
	target: end$1
})).meta({ description: "Ways that this node can take and that some provider lists" }) });
// ../..engine/contract/taker-accounts.ts
/** GET /owner/taker/accounts. */
const takerAccounts = z.object({ accounts: z.array(z.object({
	network: words("evm:137"),
	address: words("The account, the same on every chain"),
	holdings: z.array(z.object({
		asset: words("Address of the token; zero for the coin"),
		symbol: words("Short name; empty for the coin"),
		decimals: count("Decimals of the smallest unit"),
		available: amount("What can be sent on"),
		kept: amount("What lies there for open swaps that wait for it, their gas included"),
		most_gas: amount("Most wei that gas of sending it on may cost now, raises included")
	})).nullable().meta({ description: "What it holds; null while the chain does not answer" })
}).meta({
	id: "TakerAccount",
	description: "The account of the own swaps on one chain"
})).meta({ description: "One for each chain that is set" }) });
// ../..engine/contract/taker-swap.ts
const network = z.string().regex(/^(arkade|lightning|bitcoin|evm:\d+)$/).meta({ description: "arkade, lightning, bitcoin, or evm: and the number of the chain" });
const side = z.object({
	network,
	token: words("Contract of the token; null for bitcoin and for the own coin of a chain").nullable(),
	symbol: words("Short name of what is moved"),
	decimals: count("Decimals of the smallest unit"),
	amount: amount("How much, in smallest units"),
	sats: sats("Its worth as the swap agreed on it").nullable(),
	least: amount("What it is at least, where the amount is what an exchange is expected to bring").optional()
}).meta({
	id: "TakerSide",
	description: "What is given or what comes out"
});
const moment = (description) => unixTime(description).nullable();
const pay = z.object({
	kind: z.enum([
		"invoice",
		"arkade",
		"bitcoin",
		"evm"
	]).meta({ description: "What is paid" }),
	text: words("Invoice or address"),
	uri: words("The same as a payment link"),
	amount: amount("Exactly this much, in smallest units"),
	until: moment("Until when"),
	own_wallet: flag("Whether a wallet of this node can pay it: POST /owner/taker/swaps/{id}/pay")
}).meta({
	id: "TakerPay",
	description: "Where to pay; only once every part of the record was derived again"
});
const times$1 = z.object({
	now: moment("The time of the chain by which the others are judged"),
	pay_until: moment("Until when it can be paid, by the wall clock"),
	normal_until: moment("Last moment at which finishing is safe"),
	refund_signed_from: moment("From when on the provider signs a refund"),
	refund_alone_from: moment("From when on a refund needs nobody"),
	danger_from: moment("From when on something can be lost"),
	last: moment("Last moment at which this node can still move it")
}).meta({
	id: "TakerTimes",
	description: "Boundaries in the time of the chain; null is one that does not exist"
});
const reason = z.enum(reasonCodes).nullable();
const takerSwap = z.object({
	id: words("Id of the swap at this node"),
	provider_url: words("Base URL of the provider; empty for this node"),
	provider_swap_id: words("Id of the swap at its provider").nullable(),
	direction: z.enum(takerDirections).meta({ description: "Which way" }),
	created: unixTime("When it was opened"),
	updated: unixTime("When it last changed"),
	at: words("Internal state of the swap"),
	phase: z.enum(takerPhases).meta({ description: "The screen that it is on" }),
	outcome: z.enum(takerOutcomes).nullable().meta({ description: "How it ended; null while it goes on" }),
	open: flag("Whether it goes on"),
	attention: z.enum(takerAttentions).meta({ description: "How much it wants its owner" }),
	turn: z.object({
		who: z.enum(takerActors).meta({ description: "Who is waited for" }),
		step: z.enum(stepCodes).meta({ description: "For what" }),
		until: moment("Until when")
	}).meta({
		id: "TakerTurn",
		description: "Whose turn it is"
	}),
	give: side,
	get: side,
	to: z.object({
		own: flag("Whether it is a wallet of this node"),
		text: words("Invoice or address; null where it is chosen when it is claimed").nullable()
	}).meta({
		id: "TakerDestination",
		description: "Where it arrives"
	}),
	paid: z.object({
		state: z.enum(paidStates).meta({ description: "What was seen of the payment, and where it is" }),
		amount: amount("How much was seen, in the smallest units of what is given").nullable()
	}).meta({
		id: "TakerPaid",
		description: "The payment as it was seen: what is promised hangs on it alone"
	}),
	costs: z.array(z.object({
		part: z.enum(costParts).meta({ description: "For what" }),
		sats: sats("How much")
	})).meta({ description: "What it costs, as its record proves; empty while nobody knows" }),
	pay: pay.nullable(),
	times: times$1,
	refund: z.object({
		state: z.enum(refundStates).meta({ description: "Whether something can be taken back" }),
		from: moment("From when on with the help of nobody"),
		why: z.enum(whyCodes).nullable().meta({ description: "Why it stands so" })
	}).meta({
		id: "TakerRefund",
		description: "What can be taken back"
	}),
	steps: z.array(z.object({
		step: z.enum(stepCodes).meta({ description: "What is done" }),
		state: z.enum([
			"done",
			"current",
			"later"
		]).meta({ description: "How far it is" }),
		time: moment("When it was done")
	})).meta({ description: "The way through the swap, in order" }),
	transactions: z.array(z.object({
		what: z.enum(takerTransactions).meta({ description: "What it does" }),
		network,
		txid: words("Its id"),
		whose: z.enum(["you", "provider"]).meta({ description: "Who sent it" })
	})).meta({ description: "What was seen on the networks" }),
	said: swapStatus.nullable(),
	reason: reason.meta({ description: "Why it was refused, ended, or wants a look" }),
	detail: words("That reason in the words of whoever gave it").nullable()
}).meta({
	id: "TakerSwap",
	description: "A swap in which this node is the client"
});
const takerSwaps = z.object({
	swaps: z.array(takerSwap),
	next_cursor: words("Give it as cursor to go on; null at the end").nullable(),
	counts: z.object({
		all: count("All"),
		open: count("That go on"),
		needs_you: count("That want their owner"),
		finished: count("That arrived"),
		returned: count("That came back")
	}).meta({
		id: "TakerCounts",
		description: "How many there are of each, whatever is shown"
	})
});
// ../..engine/contract/routes/owner.ts
const nothing = request({}, () => ({}));
/** Taken as it came: a record would leave out `__proto__` without a word, and whoever judges settings names it. */
const patch = z.custom((given) => typeof given === "object" && given !== null && !Array.isArray(given), { error: "The request needs a JSON object: send the settings to change." }).meta({
	type: "object",
	additionalProperties: true,
	description: "Partial configuration"
});
const act = {
	params: swapId,
	body: nothing,
	reply: acted,
	refusals: [
		401,
		403,
		404
	],
	judged: "owner"
};
/** What only the owner of the node may do. Over HTTP with the bearer token, in the desktop by IPC. */
const ownerRoutes = {
	ownerStatus: route("GET", "/owner/status", {
		summary: "The node at a glance",
		reply: ownerStatus,
		refusals: [401]
	}),
	ownerSwaps: route("GET", "/owner/swaps", {
		summary: "List swaps, least slack first when open",
		query: ownerSwapsQuery,
		reply: ownerSwaps,
		refusals: [400, 401]
	}),
	ownerSwap: route("GET", "/owner/swaps/{id}", {
		summary: "All that is known of a swap, secrets left out",
		params: swapId,
		reply: ownerSwap,
		refusals: [
			401,
			404,
			503
		]
	}),
	ownerRetry: route("POST", "/owner/swaps/{id}/retry", {
		summary: "Try what was given up again",
		...act
	}),
	ownerBump: route("POST", "/owner/swaps/{id}/bump", {
		summary: "Raise the fee of what is on its way",
		...act
	}),
	ownerRefund: route("POST", "/owner/swaps/{id}/refund", {
		summary: "Take back what the node locked",
		...act
	}),
	ownerPause: route("POST", "/owner/pause", {
		summary: "Refuse new swaps; claims and refunds go on",
		body: pauseBody,
		reply: ownerStatus,
		spends: false,
		refusals: [400, 401]
	}),
	ownerResume: route("POST", "/owner/resume", {
		summary: "Accept new swaps",
		body: nothing,
		reply: ownerStatus,
		refusals: [401, 403]
	}),
	ownerSettings: route("GET", "/owner/settings", {
		summary: "The configuration in force",
		reply: settings,
		refusals: [401]
	}),
	changeSettings: route("PATCH", "/owner/settings", {
		summary: "Change the configuration",
		body: patch,
		reply: settings,
		refusals: [400, 401]
	}),
	ownerDoctor: route("GET", "/owner/doctor", {
		summary: "Check every connection",
		reply: doctor,
		refusals: [401]
	}),
	ownerLogs: route("GET", "/owner/logs", {
		summary: "The last lines of the log, newest first",
		query: logsQuery,
		reply: logs,
		refusals: [400, 401]
	}),
	ownerBalances: route("GET", "/owner/balances", {
		summary: "Balances by network and asset",
		reply: balances,
		refusals: [401]
	}),
	walletAddress: route("POST", "/owner/wallets/{network}/address", {
		summary: "Where to deposit",
		params: walletParams,
		body: walletAddressBody,
		reply: walletAddress,
		spends: false,
		refusals: [
			400,
			401,
			503
		]
	}),
	withdraw: route("POST", "/owner/wallets/{network}/withdraw", {
		summary: "Send from the node's wallet",
		params: walletParams,
		body: withdrawBody,
		reply: withdrawal,
		refusals: [
			400,
			401,
			403,
			503
		]
	}),
	walletExit: route("POST", "/owner/wallets/{network}/exit", {
		summary: "Bring the coins of the Arkade wallet to the Bitcoin chain, without the operator",
		params: walletParams,
		reply: walletExit,
		refusals: [
			400,
			401,
			403,
			503
		]
	}),
	ownerLedger: route("GET", "/owner/ledger", {
		summary: "Income and costs, as JSON or CSV",
		query: ledgerQuery,
		reply: ledger,
		also: { "text/csv": ledgerCsv },
		refusals: [400, 401]
	}),
	developerKeys: route("GET", "/owner/developer-keys", {
		summary: "List developer keys",
		reply: developerKeys,
		refusals: [401]
	}),
	newDeveloperKey: route("POST", "/owner/developer-keys", {
		summary: "Make a developer key",
		body: developerKeyBody,
		reply: newDeveloperKey,
		refusals: [400, 401]
	}),
	deleteDeveloperKey: route("DELETE", "/owner/developer-keys/{id}", {
		summary: "Revoke a developer key",
		params: z.object({ id: words("Id of the key") }),
		reply: empty,
		spends: false,
		refusals: [401, 404]
	}),
	takerSwaps: route("GET", "/owner/taker/swaps", {
		summary: "Swaps in which this node is the client, newest first",
		query: takerSwapsQuery,
		reply: takerSwaps,
		refusals: [
			400,
			401,
			404
		]
	}),
	takerSwap: route("GET", "/owner/taker/swaps/{id}", {
		summary: "A swap in which this node is the client",
		params: swapId,
		reply: takerSwap,
		refusals: [401, 404]
	}),
	takerQuotes: route("POST", "/owner/taker/quotes", {
		summary: "What every provider would do for an amount, the best first; nothing is begun",
		body: takerQuotesBody,
		reply: takerQuotes,
		spends: false,
		refusals: [
			400,
			401,
			404,
			503
		]
	}),
	takerWays: route("GET", "/owner/taker/ways", {
		summary: "What can be swapped into what now, with this node or another provider",
		reply: takerWays,
		refusals: [401, 404]
	}),
	takerPayee: route("POST", "/owner/taker/payees", {
		summary: "What a Lightning address or LNURL takes; no invoice is asked for",
		body: takerPayeeBody,
		reply: takerPayee,
		spends: false,
		refusals: [
			400,
			401,
			404,
			503
		]
	}),
	checkProvider: route("POST", "/owner/taker/providers/check", {
		summary: "Whether an address answers as a provider of swaps does",
		body: providerCheckBody,
		reply: providerCheck,
		spends: false,
		refusals: [
			400,
			401,
			404
		]
	}),
	createTakerSwap: route("POST", "/owner/taker/swaps", {
		summary: "Swap with a provider: this node checks its record, claims, and refunds",
		body: takerSwapBody,
		reply: takerSwapCreated,
		refusals: [
			400,
			401,
			403,
			404,
			503
		]
	}),
	payTakerSwap: route("POST", "/owner/taker/swaps/{id}/pay", {
		summary: "Pay a swap of our own from the Arkade or the Bitcoin wallet of this node, once at most",
		...act,
		refusals: [
			400,
			401,
			403,
			404,
			503
		]
	}),
	cancelTakerSwap: route("POST", "/owner/taker/swaps/{id}/cancel", {
		summary: "Give up a swap of our own that nothing was paid for; it is watched on, and a late payment is not lost",
		...act
	}),
	refundTakerSwap: route("POST", "/owner/taker/swaps/{id}/refund", {
		summary: "Take back what was sent to a swap of our own",
		...act
	}),
	takerAccounts: route("GET", "/owner/taker/accounts", {
		summary: "What the account of our own swaps holds on each EVM chain",
		reply: takerAccounts,
		refusals: [401, 404]
	}),
	sendOnFromTaker: route("POST", "/owner/taker/accounts/{network}/send", {
		summary: "Send on what lies at the account of our own swaps, by one transaction of that account",
		params: walletParams,
		body: withdrawBody,
		reply: withdrawal,
		refusals: [
			400,
			401,
			403,
			404,
			503
		]
	}),
	takerRestore: route("GET", "/owner/taker/restore", {
		summary: "How far finding swaps of our own again is",
		reply: takerRestore,
		refusals: [401, 404]
	}),
	restoreTakerSwaps: route("POST", "/owner/taker/restore", {
		summary: "Find swaps of our own again from the seed: asks every provider, and reopens what is right; goes on in the background",
		body: takerRestoreBody,
		reply: takerRestore,
		refusals: [
			400,
			401,
			404
		]
	})
};
// ../..engine/contract/records/evm.ts
/** What is signed and sent on EVM chains for a claim or a funding (facts/clients.md 3 and 10). */
const gaslessClaim = z.object({
	id: words("Swap id"),
	message: words("What happened"),
	status: swapStatus,
	tx_hash: words("Hash of the claim that the service relayed; empty while it is being broadcast or when someone else claimed")
});
const dexCalldata = z.object({
	data: words("Calldata"),
	to: words("Contract"),
	value: words("Coins to send along")
});
const redeemData = z.object({
	calls_hash: hex0x(32, "Hash of the calls; part of the signature"),
	gasless_fee_sats: count("Always 0; for older clients"),
	min_amount_out: amount("Least amount that reaches the destination; the value to sign"),
	dex_calldata: dexCalldata.optional()
});
/** A transaction that the service sent for the client. */
const relayed = z.object({
	id: words("Swap id"),
	tx_hash: words("Hash of the transaction"),
	message: words("What happened"),
	status: swapStatus
});
const call = z.object({
	target: evmAddress("Contract"),
	value: words("Coins to send along"),
	call_data: words("Calldata")
}).meta({
	id: "Call",
	description: "A call of the coordinator"
});
const permit2Funding = z.object({
	coordinator_address: evmAddress("Coordinator"),
	permit2_address: evmAddress("Permit2"),
	source_token_address: evmAddress("Token that the user permits"),
	source_amount: amount("Amount that the user permits"),
	lock_token_address: evmAddress("BTC-pegged token of the HTLC"),
	preimage_hash: hex0x(32, "Hash lock"),
	claim_address: evmAddress("The service's account"),
	timelock: unixTime("When the HTLC expires"),
	calls: z.array(call),
	calls_hash: hex0x(32, "Hash of the calls"),
	eip2612: z.object({
		supported: flag("Whether the token takes signed permits"),
		already_approved: flag("Whether Permit2 is approved already"),
		nonce: count("Nonce of the permit"),
		domain_separator: hex0x(32, "The token's domain")
	}).optional(),
	relay_fee: amount("Fee of a gasless funding").optional()
});
// ../..engine/contract/records/market.ts
/** What can be swapped, and what it costs (facts/clients.md 32, 40 to 43). */
const tokenList = z.object({
	btc_tokens: z.array(tokenInfo),
	evm_tokens: z.array(tokenInfo)
}).meta({
	id: "TokenList",
	description: "Tokens that can be swapped now"
});
const quote = z.object({
	exchange_rate: words("Bare market rate, fees not in it: whole EVM tokens for one bitcoin, 1 between two networks of bitcoin"),
	network_fee: sats("Network fees"),
	gasless_network_fee: sats("Network fee of a gasless claim"),
	protocol_fee: sats("Protocol fee"),
	protocol_fee_rate: fraction("Protocol fee as a fraction"),
	min_amount: sats("Smallest amount"),
	max_amount: sats("Largest amount now"),
	source_amount: amount("The source amount that was asked for, or the value of the target amount without fees, in smallest units"),
	target_amount: amount("The target amount that was asked for, or the value of the source amount without fees, in smallest units"),
	net_source_amount: amount("What the user really sends, fees included"),
	net_target_amount: amount("What the user really receives, after fees"),
	bridge_fee: count("What the bridge takes, in the smallest units of USDC").optional()
});
const lightningSendQuote = z.object({
	source_amount: amount("What the user locks, fees included, in smallest units"),
	source_amount_sats: sats("The same in satoshis"),
	target_amount_sats: sats("What the recipient receives"),
	protocol_fee_sats: sats("Protocol fee"),
	network_fee_sats: sats("Network fee"),
	protocol_fee_rate: fraction("Protocol fee as a fraction"),
	min_amount_sats: sats("Smallest payout"),
	max_amount_sats: sats("Largest payout now"),
	exchange_rate: words("Source tokens for one bitcoin that is locked, 1 for bitcoin")
});
const swapPairs = z.object({ pairs: z.array(z.object({
	source: chain,
	target: chain,
	min_sats: sats("Smallest amount"),
	max_sats: sats("Largest amount now"),
	fee_percentage: fraction("Protocol fee as a fraction, 0.0025 is a quarter of one percent"),
	network_fee_sats: sats("Network fee"),
	btc_funding_confirmations: z.object({
		up_to_sats: sats("The most that the coin may hold for confirmations"),
		confirmations: count("Of a coin of at most up_to_sats"),
		confirmations_above: count("Of a larger one")
	}).optional().meta({ description: "From Bitcoin: confirmations of the user's coin before the service acts" })
})) });
const networkFees = z.object({ pairs: z.array(z.object({
	source: chain,
	target: chain,
	fees: z.object({
		source_sats: sats("On the source"),
		target_sats: sats("On the target")
	})
})) });
const chainConfig = z.object({ chains: z.array(z.object({
	chain,
	btc_pegged_token: z.object({
		address: evmAddress("Contract"),
		decimals: count("Decimal places"),
		symbol: words("Symbol")
	}),
	btc_peg_rate: words("Pegged tokens for one bitcoin")
})) });
const evmTokens = z.object({ chains: z.record(z.string(), z.array(z.object({
	address: evmAddress("Contract"),
	symbol: words("Symbol"),
	name: words("Name"),
	decimals: count("Decimal places"),
	logo_uri: words("Picture").optional()
}))).meta({ description: "Tokens by the number of their chain" }) });
const evmTokenChains = z.object({ chains: z.array(z.object({
	chain_id: count("Number of the chain"),
	name: words("Name")
})) });
/** A token as requests name it. */
const dexTokenRef = z.object({
	kind: z.enum(["evm", "solana"]),
	chain_id: count("Number of the chain").optional(),
	address: words("Address")
}).meta({
	id: "DexToken",
	description: "A token of a chain"
});
const dexToken = z.object({
	raw: amount("In smallest units"),
	decimals: count("Decimal places"),
	symbol: words("Symbol").optional()
}).meta({
	id: "TokenAmount",
	description: "An amount of a token"
});
const dexQuote = z.object({
	expected_amount_in: dexToken,
	estimated_amount_out: dexToken,
	estimated_settlement_seconds: count("How long it takes"),
	router: words("Where it is exchanged"),
	cache_ttl_seconds: count("How long the price may be shown"),
	bridge_fee: amount("What the bridge takes, in smallest units").optional(),
	bridge_rate: z.object({
		router: z.enum(["cctp", "layerzero"]),
		fee_token: dexTokenRef.optional(),
		proportional_fee_millionths: amount("Share that the bridge takes").optional(),
		flat: amount("What it takes beside").optional(),
		flat_with_setup: amount("The same with an account to be made").optional()
	}).optional()
});
const dexCalls = z.object({
	chain: words("Number of the chain"),
	payload: z.object({
		kind: z.literal("evm"),
		calls: z.array(z.object({
			target: evmAddress("Contract"),
			data: words("Calldata"),
			value: words("Coins to send along")
		}))
	}),
	expected_amount_in: amount("What goes in; with the amount out fixed the most that may"),
	estimated_amount_out: amount("The least that comes out"),
	estimated_settlement_seconds: count("How long it takes"),
	router: words("Where it is exchanged")
});
/** What a surcharge or a referral code changes of the fee; clients add it to `fee_percentage`. */
const referralFee = z.object({
	extra_fee_rate: z.number().min(-1).max(1).meta({ description: "To be added to the protocol fee, as a fraction; below 0 for a code that is exempt from the fee" }),
	referral_label: words("The referral code, where it is known here").optional()
});
z.object({ error: words("What is wrong and what to do") }).meta({
	id: "Error",
	description: "Every error"
});
const bulkStatus = z.object({
	statuses: z.array(z.object({
		id: words("Swap id"),
		status: swapStatus
	})),
	not_found: z.array(words("Swap id"))
});
const medianTimePast = z.object({
	mtp: unixTime("Median time past of the Bitcoin tip"),
	tip_height: count("Height of the Bitcoin tip")
});
const version = z.object({
	tag: words("Version"),
	commit_hash: words("Commit that it was built from, or unknown")
});
const supportAgents = z.object({ agents: z.array(z.object({ npub: words("Nostr key of somebody who helps users") })) });
const serviceHealth = z.object({
	healthy: flag("Whether it answers"),
	block_height: count("Height").optional(),
	block_time: unixTime("Time of the last block").optional(),
	error: words("What is wrong").optional()
}).meta({
	id: "ServiceHealth",
	description: "One network"
});
/** Answered with 200 when healthy and 503 when not, in one shape. */
const nodeStatus = z.object({
	healthy: flag("Whether every connected network answers"),
	swaps_paused: flag("Whether new swaps are refused").optional(),
	services: z.object({
		arkade: serviceHealth.optional(),
		bitcoin: serviceHealth.optional(),
		lightning: serviceHealth.optional(),
		polygon: serviceHealth.optional(),
		ethereum: serviceHealth.optional(),
		arbitrum: serviceHealth.optional(),
		rootstock: serviceHealth.optional()
	})
});
// ../..engine/contract/requests/evm.ts
const maxCalldata = 6e4;
const bridgeRecipientFields = {
	bridge_recipient: optional(foreignAddress("bridge_recipient", "the mint recipient of a bridge to a chain that is no EVM chain")),
	bridge_recipient_wallet: optional(foreignAddress("bridge_recipient_wallet", "the wallet whose token account is to be created"))
};
function recipient(wire) {
	if (wire.bridge_recipient_wallet !== void 0 && wire.bridge_recipient === void 0) return refuse("invalid", "bridge_recipient_wallet needs bridge_recipient: send both, or neither.");
	return {
		destination: wire.destination,
		bridgeRecipient: wire.bridge_recipient ?? null,
		bridgeRecipientWallet: wire.bridge_recipient_wallet ?? null
	};
}
const redeemDataQuery = request({
	destination: evmAddressField("destination", "the account that receives the tokens"),
	...bridgeRecipientFields
}, recipient);
const signatureFields = {
	v: integerField("v", "the v of the signature", 0, 255),
	r: hex32Field("r", "the r of the signature", true),
	s: hex32Field("s", "the s of the signature", true)
};
const claimGaslessBody = request({
	secret: hex32Field("secret", "the secret of the swap", true),
	destination: evmAddressField("destination", "the account that receives the tokens"),
	...signatureFields,
	dex_calldata: optional(object("dex_calldata", "the calldata as redeem-and-swap-calldata gave it", {
		data: bytesField("dex_calldata.data", "the calldata", maxCalldata),
		to: evmAddressField("dex_calldata.to", "the contract to call"),
		value: optional(uint256Field("dex_calldata.value", "the coins to send along"))
	})),
	...bridgeRecipientFields
}, (wire) => {
	const to = recipient(wire);
	if (isRefusal(to)) return to;
	const dex = wire.dex_calldata;
	return {
		...to,
		secret: asPreimage(wire.secret),
		signature: {
			v: wire.v,
			r: wire.r,
			s: wire.s
		},
		dexCall: dex === void 0 ? null : {
			target: dex.to,
			value: dex.value ?? 0n,
			data: dex.data
		}
	};
});
const callFields = {
	target: evmAddressField("calls.target", "the contract to call"),
	value: uint256Field("calls.value", "the coins to send along"),
	call_data: bytesField("calls.call_data", "the calldata", maxCalldata)
};
const farFuture = Number.MAX_SAFE_INTEGER;
/** A wallet that is a contract packs several signatures into one. */
const longestSignature = 2e3;
/** In its parts, or as the bytes that a contract signs (facts/clients.md 36). */
function permitSignature({ v, r, s, signature }) {
	if (v !== void 0 && r !== void 0 && s !== void 0) return {
		v,
		r,
		s
	};
	return signature ?? refuse("invalid", "eip2612_permit has no signature: send v, r and s, or signature where the account is a contract.");
}
const fundGaslessBody = request({
	permit2_nonce: uint256Field("permit2_nonce", "the nonce of the Permit2 signature"),
	permit2_deadline: integerField("permit2_deadline", "the deadline of the Permit2 signature in unix seconds", 0, farFuture),
	permit2_signature: bytesField("permit2_signature", "the Permit2 signature: r, s and v, or what a contract signs", longestSignature),
	calls: list("calls", "the calls as swap-and-lock-calldata-permit2 gave them", object("calls", "a call", callFields), 0, 20),
	eip2612_permit: optional(object("eip2612_permit", "a permit of the token for Permit2", {
		value: uint256Field("eip2612_permit.value", "the permitted value"),
		deadline: uint256Field("eip2612_permit.deadline", "the deadline of the permit in unix seconds"),
		v: optional(signatureFields.v),
		r: optional(signatureFields.r),
		s: optional(signatureFields.s),
		signature: optional(bytesField("eip2612_permit.signature", "instead of v, r and s, what a contract signs", longestSignature))
	}))
}, (wire) => {
	if (wire.permit2_signature.length < 65) return refuse("invalid", `permit2_signature has ${wire.permit2_signature.length} bytes and needs 65: send 0x, r, s and v.`);
	const permit = wire.eip2612_permit;
	const signature = permit === void 0 ? null : permitSignature(permit);
	if (signature !== null && isRefusal(signature)) return signature;
	return {
		permit2: {
			nonce: wire.permit2_nonce,
			deadline: wire.permit2_deadline,
			signature: wire.permit2_signature
		},
		calls: wire.calls.map((call) => ({
			target: call.target,
			value: call.value,
			data: call.call_data
		})),
		permit: permit === void 0 || signature === null ? null : {
			value: permit.value,
			deadline: permit.deadline,
			signature
		}
	};
});
const collabRefundEvmBody = request({
	...signatureFields,
	depositor_address: evmAddressField("depositor_address", "the account that funded the HTLC")
}, (wire) => ({
	depositor: wire.depositor_address,
	signature: {
		v: wire.v,
		r: wire.r,
		s: wire.s
	}
}));
// ../..engine/contract/requests/dex.ts
const farthestChain = Number.MAX_SAFE_INTEGER;
const mostSlippage = 5e3;
const token = (name) => object(name, "a token: kind, chain_id and address", {
	kind: oneOf(`${name}.kind`, "what chain the token is of", ["evm", "solana"]),
	chain_id: optional(integerField(`${name}.chain_id`, "the number of the chain", 1, farthestChain)),
	address: foreignAddress(`${name}.address`, "the address of the token")
});
const quoteFields = {
	from: token("from"),
	to: token("to"),
	amount: object("amount", "the fixed amount: kind and value", {
		kind: oneOf("amount.kind", "which amount is fixed", ["exact_in", "exact_out"]),
		value: unitsField("amount.value", "the amount")
	}),
	slippage_bps: integerField("slippage_bps", "how much worse it may come out, in basis points", 0, mostSlippage),
	cctp_recipient_setup: optional(flagField("cctp_recipient_setup", "whether an account has to be made on the other side"))
};
function tokenOf(name, { kind, chain_id: chainId, address }) {
	const hex = address.startsWith("0x");
	if (kind === "solana") return hex ? refuse("invalid", `${name}.address is no address of Solana: send it in base58.`) : {
		kind,
		chainId: null,
		address
	};
	if (chainId === void 0) return refuse("invalid", `${name}.chain_id is required for a token of an EVM chain: send its number.`);
	return hex ? {
		kind,
		chainId,
		address: address.toLowerCase()
	} : refuse("invalid", `${name}.address is no address of an EVM chain: send 0x and 40 hex digits.`);
}
function quoteOf(wire) {
	const from = tokenOf("from", wire.from);
	if (isRefusal(from)) return from;
	const to = tokenOf("to", wire.to);
	if (isRefusal(to)) return to;
	return {
		from,
		to,
		pinned: wire.amount.kind === "exact_in" ? "in" : "out",
		amount: wire.amount.value,
		slippageBps: wire.slippage_bps,
		recipientSetup: wire.cctp_recipient_setup ?? false
	};
}
const dexQuoteBody = request(quoteFields, quoteOf);
const dexCallsBody = request({
	...quoteFields,
	sender: evmAddressField("sender", "the account that makes the calls"),
	bridge_recipient: optional(object("bridge_recipient", "whom the bridge pays", {
		kind: oneOf("bridge_recipient.kind", "what chain it is of", ["evm", "solana"]),
		address: foreignAddress("bridge_recipient.address", "the recipient"),
		wallet: optional(foreignAddress("bridge_recipient.wallet", "the wallet whose token account is to be made"))
	}))
}, (wire) => {
	const quote = quoteOf(wire);
	if (isRefusal(quote)) return quote;
	const recipient = recipientOf(wire.bridge_recipient);
	return isRefusal(recipient) ? recipient : {
		...quote,
		sender: wire.sender,
		bridgeRecipient: recipient
	};
});
function recipientOf(wire) {
	if (wire === void 0) return null;
	const { kind, address, wallet } = wire;
	if (kind === "solana") return address.startsWith("0x") ? refuse("invalid", "bridge_recipient.address is no address of Solana: send it in base58.") : {
		kind,
		address,
		wallet: wallet ?? null
	};
	return address.startsWith("0x") ? {
		kind,
		address: address.toLowerCase()
	} : refuse("invalid", "bridge_recipient.address is no address of an EVM chain: send 0x and 40 hex digits.");
}
/** GET /evm-tokens. */
const evmTokensQuery = request({ chain_id: optional(evmChainIdField("chain_id")) }, (wire) => ({ chainId: wire.chain_id ?? null }));
// ../..engine/contract/requests/quotes.ts
const tokenId = (name) => patterned({
	name,
	hint: "btc, or the address of a token (0x and 40 hex digits)"
}, "btc, or the address of a token", /^(btc|0x[0-9a-f]{40})$/i, (given) => given.toLowerCase());
const tokensQuery = request({
	source_chain: optional(chainField("source_chain", "with source_token: only tokens it can be swapped to")),
	source_token: optional(tokenId("source_token")),
	target_chain: optional(chainField("target_chain", "with target_token: only tokens that can be swapped to it")),
	target_token: optional(tokenId("target_token"))
}, (wire) => ({
	source: pair(wire.source_chain, wire.source_token),
	target: pair(wire.target_chain, wire.target_token)
}));
function pair(chain, token) {
	return chain === void 0 || token === void 0 ? null : {
		chain,
		token
	};
}
const quoteQuery = request({
	source_chain: chainField("source_chain", "network of the source token"),
	source_token: tokenId("source_token"),
	target_chain: chainField("target_chain", "network of the target token"),
	target_token: tokenId("target_token"),
	source_amount: optional(unitsField("source_amount", "what the user sends")),
	target_amount: optional(unitsField("target_amount", "what the user receives")),
	bridge_source_chain: bridgeSourceFields.bridge_source_chain,
	bridge_source_token_address: bridgeSourceFields.bridge_source_token_address,
	bridge_target_chain: bridgeTargetFields.bridge_target_chain,
	bridge_recipient_setup: optional(oneOf("bridge_recipient_setup", "whether the recipient's token account exists", ["true", "false"])),
	ref: optional(text("ref", "a referral code", 100)),
	extra_fees: optional(extraFeesField("extra_fees"))
}, (wire) => {
	const amount = pin(["source_amount", "target_amount"], wire.source_amount, wire.target_amount);
	if (isRefusal(amount)) return amount;
	const from = bridge("source", wire.bridge_source_chain, wire.bridge_source_token_address);
	if (isRefusal(from)) return from;
	return {
		source: {
			chain: wire.source_chain,
			token: wire.source_token
		},
		target: {
			chain: wire.target_chain,
			token: wire.target_token
		},
		amount,
		bridgeSource: from,
		bridgeTarget: wire.bridge_target_chain === void 0 ? null : {
			chain: wire.bridge_target_chain,
			token: null,
			recipientSetup: wire.bridge_recipient_setup === "true"
		},
		referralCode: wire.ref ?? null,
		extraFeesBps: wire.extra_fees ?? 0
	};
});
const referralFeeQuery = request({
	ref: optional(text("ref", "a referral code", 100)),
	extra_fees: optional(extraFeesField("extra_fees"))
}, (wire) => ({
	referralCode: wire.ref ?? null,
	extraFeesBps: wire.extra_fees ?? 0
}));
const lightningSendQuery = request({
	source_chain: optional(chainField("source_chain", "network of the source token, Arkade by default")),
	source_token: optional(tokenId("source_token")),
	source_amount: optional(unitsField("source_amount", "what the user sends")),
	source_amount_sats: optional(satsField("source_amount_sats", "what the user sends (deprecated: use source_amount)")),
	target_amount_sats: optional(satsField("target_amount_sats", "what the recipient receives")),
	...payeeFields,
	ref: optional(text("ref", "a referral code", 100)),
	extra_fees: optional(extraFeesField("extra_fees"))
}, (wire) => {
	const { source_amount: units, source_amount_sats: inSats } = wire;
	if (units !== void 0 && inSats !== void 0) return refuse("invalid", "source_amount and source_amount_sats exclude each other: send only source_amount.");
	const source = units ?? (inSats === void 0 ? void 0 : tokenAmount(inSats));
	const to = payee("source_amount", {
		...wire,
		source
	});
	if (isRefusal(to)) return to;
	return {
		payee: to,
		sourceInSats: inSats !== void 0,
		sourceChain: wire.source_chain ?? "Arkade",
		sourceToken: wire.source_token ?? null,
		referralCode: wire.ref ?? null,
		extraFeesBps: wire.extra_fees ?? 0
	};
});
// ../..engine/contract/routes/public.ts
/** The operations of the published interface, and those without which clients cannot finish a swap (facts/clients.md 1 and 3). */
const publicRoutes = {
	...createRoutes,
	tokens: route("GET", "/tokens", {
		summary: "List the tokens that can be swapped now",
		query: tokensQuery,
		reply: tokenList,
		refusals: [400]
	}),
	swap: route("GET", "/swap/{id}", {
		summary: "Read a swap",
		params: swapId,
		reply: swapRecord,
		refusals: [400, 500]
	}),
	bulkStatus: route("POST", "/swap/bulk-status", {
		summary: "Read the status of up to 100 swaps",
		body: bulkStatusBody,
		reply: bulkStatus,
		refusals: [400, 500],
		cost: costs.read,
		more: ({ body }) => body.ids.length * costs.id - costs.read
	}),
	recover: route("POST", "/swap/recover", {
		summary: "Find the swaps of an extended public key",
		body: recoverBody,
		reply: recovery,
		refusals: [
			400,
			429,
			500
		],
		cost: costs.recover
	}),
	quote: route("GET", "/quote", {
		summary: "What a swap costs",
		query: quoteQuery,
		reply: quote,
		refusals: [
			400,
			401,
			503
		],
		more: ({ query }) => moreOutside(query.source.token !== "btc" || query.target.token !== "btc", costs.read)
	}),
	lightningSendQuote: route("GET", "/quote/lightning-send", {
		summary: "What a payout over Lightning costs",
		query: lightningSendQuery,
		reply: lightningSendQuote,
		refusals: [
			400,
			401,
			503
		],
		more: ({ query }) => moreOutside(query.sourceChain !== "Arkade" || query.payee.is !== "invoice", costs.read)
	}),
	referralFee: route("GET", "/referral-fee", {
		summary: "What a surcharge or a referral code adds to the fee",
		query: referralFeeQuery,
		reply: referralFee,
		refusals: [400, 401]
	}),
	swapPairs: route("GET", "/swap-pairs", {
		summary: "The pairs that can be swapped now, with fees and limits",
		reply: swapPairs,
		refusals: []
	}),
	networkFees: route("GET", "/network-fees", {
		summary: "Network fees of each pair",
		reply: networkFees,
		refusals: []
	}),
	chainConfig: route("GET", "/chain-config", {
		summary: "The BTC-pegged token of each EVM chain",
		reply: chainConfig,
		refusals: []
	}),
	evmTokens: route("GET", "/evm-tokens", {
		summary: "The tokens of EVM chains that can be swapped now",
		query: evmTokensQuery,
		reply: evmTokens,
		refusals: [400]
	}),
	evmTokenChains: route("GET", "/evm-tokens/chains", {
		summary: "The EVM chains that can be swapped on now",
		reply: evmTokenChains,
		refusals: []
	}),
	dexQuote: route("POST", "/dex-quote", {
		summary: "What an exchange of the BTC-pegged token gives",
		body: dexQuoteBody,
		reply: dexQuote,
		refusals: [
			400,
			500,
			503
		],
		cost: costs.asksOutside
	}),
	dexFundCalls: route("POST", "/dex-calldata/fund", {
		summary: "The calls of an exchange that pays the coordinator",
		body: dexCallsBody,
		reply: dexCalls,
		refusals: [
			400,
			500,
			503
		],
		cost: costs.asksOutside
	}),
	dexClaimCalls: route("POST", "/dex-calldata/claim", {
		summary: "The calls of an exchange that pays who makes them",
		body: dexCallsBody,
		reply: dexCalls,
		refusals: [
			400,
			500,
			503
		],
		cost: costs.asksOutside
	}),
	redeemData: route("GET", "/swap/{id}/redeem-and-swap-calldata", {
		summary: "What a client signs to claim an EVM HTLC without gas",
		params: swapId,
		query: redeemDataQuery,
		reply: redeemData,
		refusals: [
			400,
			500,
			503
		],
		judged: "claim-evm",
		cost: costs.gasless
	}),
	claimGasless: route("POST", "/swap/{id}/claim-gasless", {
		summary: "Claim an EVM HTLC without gas",
		params: swapId,
		body: claimGaslessBody,
		reply: gaslessClaim,
		refusals: [
			400,
			500,
			503
		],
		judged: "claim-evm",
		cost: costs.gasless
	}),
	permit2Funding: route("GET", "/swap/{id}/swap-and-lock-calldata-permit2", {
		summary: "What a client signs to fund an EVM HTLC through Permit2",
		params: swapId,
		reply: permit2Funding,
		refusals: [
			400,
			500,
			503
		],
		judged: "fund-evm",
		cost: costs.gasless
	}),
	fundGasless: route("POST", "/swap/{id}/fund-gasless", {
		summary: "Fund an EVM HTLC without gas",
		params: swapId,
		body: fundGaslessBody,
		reply: relayed,
		refusals: [
			400,
			500,
			503
		],
		judged: "fund-evm",
		cost: costs.gasless
	}),
	refundCalldata: route("GET", "/swap/{id}/refund-and-swap-calldata", {
		summary: "The call that refunds an EVM HTLC after its timeout",
		params: swapId,
		reply: refundCalldata,
		refusals: [400, 500],
		judged: "refund-evm-alone",
		cost: costs.gasless
	}),
	collabRefundEvmParams: route("GET", "/api/swap/{id}/collab-refund-evm/params", {
		summary: "What a depositor signs to refund an EVM HTLC before its timeout",
		params: swapId,
		reply: collabRefundEvmParams,
		refusals: [
			403,
			404,
			500
		],
		judged: "refund-evm",
		cost: costs.gasless
	}),
	collabRefundEvm: route("POST", "/api/swap/{id}/collab-refund-evm", {
		summary: "Refund an EVM HTLC before its timeout",
		params: swapId,
		body: collabRefundEvmBody,
		reply: relayed,
		refusals: [
			400,
			403,
			404,
			500,
			503
		],
		judged: "refund-evm",
		cost: costs.gasless
	}),
	...collabRefundRoutes,
	...delegateRefundRoutes,
	delegateKey: route("GET", "/api/delegate/cosigner-pk", {
		summary: "The key with which the service joins a batch for a client",
		reply: cosignerKey,
		refusals: [500, 503]
	}),
	delegateSettle: route("POST", "/api/delegate/settle", {
		summary: "Take coins of a client through a batch",
		body: delegateSettleBody,
		reply: settlement,
		refusals: [
			400,
			500,
			503
		],
		large: true,
		cost: costs.psbts
	}),
	mtp: route("GET", "/mtp", {
		summary: "Median time past of the Bitcoin tip",
		reply: medianTimePast,
		refusals: [503]
	}),
	health: route("GET", "/health", {
		summary: "Whether the node answers",
		reply: z.literal("ok").meta({ description: "The JSON text \"ok\"" }),
		refusals: []
	}),
	version: route("GET", "/version", {
		summary: "Version of the node",
		reply: version,
		refusals: []
	}),
	status: route("GET", "/status", {
		summary: "Health of each network; 503 has the same shape",
		reply: nodeStatus,
		refusals: [503]
	}),
	supportAgents: route("GET", "/support-agents", {
		summary: "Who helps users of this node",
		reply: supportAgents,
		refusals: []
	}),
	openapi: route("GET", "/openapi.json", {
		summary: "This contract",
		reply: jsonObject("OpenAPI 3.1"),
		refusals: [],
		cost: costs.create
	})
};
// ../..engine/contract/sandbox.ts
/** Requests and replies of the sandbox's controls. A field or value that is not listed is refused. */
const txidPattern = /^[0-9a-f]{64}$/;
const evmWorld = z.object({
	rpcUrl: words("JSON-RPC of the chain"),
	secondRpcUrl: words("Another JSON-RPC of the same chain, which no fault befalls").optional(),
	htlc: evmAddress("HTLC contract"),
	coordinator: evmAddress("Coordinator contract"),
	permit2: evmAddress("Permit2").optional(),
	tokens: z.array(z.object({
		symbol: words("Symbol"),
		address: evmAddress("Contract, zero for the native coin"),
		decimals: count("Decimal places")
	})),
	dex: z.object({
		quoter: evmAddress("QuoterV2 of Uniswap v3"),
		router: evmAddress("SwapRouter02 of Uniswap v3"),
		wrappedNative: evmAddress("The native coin as a token")
	}).optional()
});
const sandboxWorld = z.object({
	clock: unixTime("The clock of all networks"),
	skew: integer("Seconds by which the node's own wall clock is wrong, left out while it is right").optional(),
	arkade: z.object({ url: words("Operator") }).optional(),
	bitcoin: z.object({
		esploraUrl: words("Esplora"),
		height: count("Height of the tip"),
		mtp: unixTime("Median time past"),
		feeRate: fraction("Fee rate in sats per virtual byte").optional()
	}).optional(),
	lightning: z.object({
		nodePubkey: words("The node's Lightning node"),
		peerPubkey: words("The outside Lightning node"),
		lnurl: words("LNURL-pay of the outside wallet"),
		lightningAddress: words("Lightning address of the outside wallet")
	}).optional(),
	evm: z.record(z.string(), evmWorld).optional(),
	faults: z.object({
		arkade: z.enum(["away", "back"]).meta({ description: "Whether the operator answers" }),
		lightning: z.enum(["away", "back"]).meta({ description: "Whether the node's Lightning node answers" }),
		bitcoin: z.enum(["away", "back"]).optional().meta({ description: "Whether those answer whom the node asks about the Bitcoin chain" }),
		nextPayment: z.enum(["fails", "hangs"]).nullable().meta({ description: "What befalls the node's next payment" }),
		hanging: z.array(words("Payment hash, hex")).meta({ description: "The node's payments that hang" }),
		evm: z.record(z.string(), z.enum([
			"away",
			"lags",
			"lies",
			"back"
		])).meta({ description: "How each RPC behaves" })
	}).optional().meta({ description: "What is wrong now" })
});
const sandboxClock = z.object({ clock: unixTime("The clock of all networks") });
const sandboxCoin = z.object({
	txid: words("Transaction"),
	vout: count("Output")
});
const sandboxInvoice = z.object({
	bolt11: words("Invoice"),
	payment_hash: words("Payment hash, hex")
});
const sandboxPayment = z.object({ payment_hash: words("Payment hash, hex") });
const sandboxPaymentState = z.object({
	state: z.enum([
		"in_flight",
		"settled",
		"failed"
	]),
	preimage: words("Preimage, hex").optional()
});
const sandboxTip = z.object({
	height: count("Height of the tip"),
	mtp: unixTime("Median time past")
});
const sandboxHeight = z.object({ height: count("Height of the tip") });
const sandboxEvmTx = z.object({ tx_hash: words("Transaction") });
const address = text("address", "where the coins go", 200);
const bolt11 = text("bolt11", "a BOLT11 invoice", 8e3);
const paymentHash = patterned({
	name: "payment_hash",
	hint: "64 hex digits"
}, "payment hash", /^[0-9a-f]{64}$/);
/** A body that names exactly one of its faults. */
function fault(shape) {
	return exact(shape, (wire) => {
		const given = Object.values(wire).filter((value) => value !== void 0);
		if (given.length !== 1) return refuse("invalid", `The request names ${given.length} faults: send exactly one of ${Object.keys(shape).join(", ")}.`);
		return wire;
	});
}
const advanceBody = exact({ seconds: integerField("seconds", "how far to move the clocks", 1, 31536e3) });
const aYear = 31536e3;
const wrongBy = `seconds must be a whole number from -31536000 to ${aYear}, negative when the clock is behind.`;
const skewBody = exact({ seconds: z.int({ error: wrongBy }).min(-31536e3, { error: wrongBy }).max(aYear, { error: wrongBy }).meta({ description: "How wrong the node's own wall clock is, in seconds, negative when it is behind" }) });
const coinFaucetBody = exact({
	address,
	amount: satsField("amount", "how much")
});
const arkadeFaultBody = fault({
	expire: optional(patterned({
		name: "expire",
		hint: "a coin as txid:vout"
	}, "a coin that becomes recoverable", /^[0-9a-f]{64}:\d{1,9}$/)),
	unroll: optional(patterned({
		name: "unroll",
		hint: "a coin as txid:vout"
	}, "a coin that is taken to the chain", /^[0-9a-f]{64}:\d{1,9}$/)),
	next_submit: optional(oneOf("next_submit", "what befalls the next submission", ["unanswered"])),
	next_event: optional(oneOf("next_event", "what befalls the next event", ["dropped"])),
	operator: optional(oneOf("operator", "whether the operator answers", ["away", "back"])),
	intent_fee_sats: optional(integerField("intent_fee_sats", "what the operator asks for each coin in a batch", 0, 0x775f05a074000))
});
const invoiceBody = exact({
	amount_sats: satsField("amount_sats", "what the invoice asks for"),
	description: optional(text("description", "text of the invoice", 639)),
	expiry_seconds: optional(integerField("expiry_seconds", "how long it can be paid", 1, 31536e3)),
	hold: optional(flagField("hold", "whether the payment is held"))
});
const payBody = exact({ bolt11 });
const lightningFaultBody = fault({
	next_payment: optional(oneOf("next_payment", "what befalls the node's next payment", ["fails", "hangs"])),
	node: optional(oneOf("node", "whether the node's Lightning node answers", ["away", "back"]))
});
const releaseBody = exact({
	payment_hash: paymentHash,
	outcome: oneOf("outcome", "how the hanging payment ends", ["settles", "fails"])
});
const paymentParams = z.object({ hash: words("Payment hash, hex") });
const autoSeconds = z.int({ error: "auto_seconds must be a whole number from 1 to 86400, or null for no blocks on their own." }).min(1, { error: "auto_seconds must be at least 1, or null for no blocks on their own." }).max(86400, { error: "auto_seconds must be at most 86400, or null for no blocks on their own." }).nullable().optional().meta({ description: "Seconds between blocks, null to stop" });
const mineBitcoinBody = exact({
	blocks: optional(integerField("blocks", "how many blocks", 1, 1e3)),
	auto_seconds: autoSeconds,
	auto: optional(oneOf("auto", "when blocks come on their own: five seconds after a transaction waits for one and until it is six deep, else every ten minutes", ["on_demand"]))
}, (wire) => {
	if ([
		wire.blocks,
		wire.auto_seconds,
		wire.auto
	].filter((value) => value !== void 0).length !== 1) return refuse("invalid", "Send exactly one of blocks, auto_seconds and auto.");
	return wire;
});
const reorgBody = exact({
	depth: integerField("depth", "how many blocks are replaced", 1, 100),
	drop: z.array(z.string().regex(txidPattern, { error: "drop must list transaction ids of 64 hex digits." }), { error: "drop must be a list of transaction ids." }).max(1e3, { error: "drop must list at most 1000 transaction ids." }).optional().meta({ description: "Transactions that do not return to the mempool" })
});
const evictBody = exact({ txid: patterned({
	name: "txid",
	hint: "64 hex digits"
}, "the transaction that leaves the mempool", txidPattern) });
const bitcoinFaultBody = exact({ source: oneOf("source", "whether those answer whom the node asks about the chain", ["away", "back"]) });
const feesBody = exact({ sat_per_vb: integerField("sat_per_vb", "the fee rate", 1, 1e4) });
const evmParams = z.object({ chain: words("Number of the EVM chain") });
const evmFaucetBody = exact({
	address: evmAddressField("address", "the account to fund"),
	token: evmAddressField("token", "the token; the zero address for the native coin"),
	amount: unitsField("amount", "how much")
});
const evmMineBody = exact({ blocks: integerField("blocks", "how many blocks", 1, 1e4) });
const evmFaultBody = fault({
	next_transaction: optional(oneOf("next_transaction", "what befalls the node's next transaction", ["reverts", "drops"])),
	rpc: optional(oneOf("rpc", "how the RPC behaves", [
		"away",
		"lags",
		"lies",
		"back"
	]))
});
const evmReorgBody = exact({
	depth: integerField("depth", "how many blocks are replaced", 1, 64),
	drop: z.array(z.string().regex(/^(0x)?[0-9a-f]{64}$/i, { error: "drop must list transaction hashes of 64 hex digits." }), { error: "drop must be a list of transaction hashes." }).max(1e3, { error: "drop must list at most 1000 transaction hashes." }).optional().meta({ description: "Transactions that do not wait again" })
});
const baseFeeRange = "base_fee_gwei must be a number from 0 to 1000000.";
const evmFeesBody = exact({ base_fee_gwei: z.number({ error: baseFeeRange }).min(0, { error: baseFeeRange }).max(1e6, { error: baseFeeRange }).meta({ description: "What each unit of gas costs at least, in billionths of a coin" }) });
const resetBody = exact({});
// ../..engine/contract/routes/sandbox.ts
const refusals = [
	400,
	401,
	404
];
/** Controls of the sandbox's networks. On a node with real networks these routes do not exist. */
const sandboxRoutes = {
	sandbox: route("GET", "/sandbox", {
		summary: "Where the networks are",
		reply: sandboxWorld,
		refusals
	}),
	advanceClock: route("POST", "/sandbox/clock/advance", {
		summary: "Move every clock forward",
		body: advanceBody,
		reply: sandboxClock,
		refusals
	}),
	skewClock: route("POST", "/sandbox/clock/skew", {
		summary: "Make the node's own wall clock wrong",
		body: skewBody,
		reply: empty,
		refusals
	}),
	arkadeFaucet: route("POST", "/sandbox/arkade/faucet", {
		summary: "Coins on Arkade",
		body: coinFaucetBody,
		reply: sandboxCoin,
		refusals
	}),
	arkadeFault: route("POST", "/sandbox/arkade/fault", {
		summary: "A fault of Arkade",
		body: arkadeFaultBody,
		reply: empty,
		refusals
	}),
	lightningInvoice: route("POST", "/sandbox/lightning/invoice", {
		summary: "An invoice of the outside wallet",
		body: invoiceBody,
		reply: sandboxInvoice,
		refusals
	}),
	lightningPay: route("POST", "/sandbox/lightning/pay", {
		summary: "Pay from the outside wallet",
		body: payBody,
		reply: sandboxPayment,
		refusals
	}),
	lightningPayment: route("GET", "/sandbox/lightning/payments/{hash}", {
		summary: "A payment of the outside wallet",
		params: paymentParams,
		reply: sandboxPaymentState,
		refusals
	}),
	lightningFault: route("POST", "/sandbox/lightning/fault", {
		summary: "A fault of Lightning",
		body: lightningFaultBody,
		reply: empty,
		refusals
	}),
	lightningRelease: route("POST", "/sandbox/lightning/release", {
		summary: "End a hanging payment",
		body: releaseBody,
		reply: empty,
		refusals
	}),
	bitcoinFaucet: route("POST", "/sandbox/bitcoin/faucet", {
		summary: "Coins on Bitcoin",
		body: coinFaucetBody,
		reply: sandboxCoin,
		refusals
	}),
	bitcoinMine: route("POST", "/sandbox/bitcoin/mine", {
		summary: "Mine blocks, once, every so often or on demand",
		body: mineBitcoinBody,
		reply: sandboxTip,
		refusals
	}),
	bitcoinReorg: route("POST", "/sandbox/bitcoin/reorg", {
		summary: "Replace blocks",
		body: reorgBody,
		reply: sandboxHeight,
		refusals
	}),
	bitcoinFees: route("POST", "/sandbox/bitcoin/fees", {
		summary: "Set the fee rate",
		body: feesBody,
		reply: empty,
		refusals
	}),
	bitcoinFault: route("POST", "/sandbox/bitcoin/fault", {
		summary: "A fault of the sources of the Bitcoin chain",
		body: bitcoinFaultBody,
		reply: empty,
		refusals
	}),
	bitcoinEvict: route("POST", "/sandbox/bitcoin/evict", {
		summary: "Drop a transaction from the mempool",
		body: evictBody,
		reply: empty,
		refusals
	}),
	evmFaucet: route("POST", "/sandbox/evm/{chain}/faucet", {
		summary: "Tokens on an EVM chain",
		params: evmParams,
		body: evmFaucetBody,
		reply: sandboxEvmTx,
		refusals
	}),
	evmMine: route("POST", "/sandbox/evm/{chain}/mine", {
		summary: "Mine EVM blocks",
		params: evmParams,
		body: evmMineBody,
		reply: sandboxHeight,
		refusals
	}),
	evmFault: route("POST", "/sandbox/evm/{chain}/fault", {
		summary: "A fault of an EVM chain",
		params: evmParams,
		body: evmFaultBody,
		reply: empty,
		refusals
	}),
	evmReorg: route("POST", "/sandbox/evm/{chain}/reorg", {
		summary: "Replace EVM blocks",
		params: evmParams,
		body: evmReorgBody,
		reply: sandboxHeight,
		refusals
	}),
	evmFees: route("POST", "/sandbox/evm/{chain}/fees", {
		summary: "Set the base fee of an EVM chain",
		params: evmParams,
		body: evmFeesBody,
		reply: empty,
		refusals
	}),
	sandboxReset: route("POST", "/sandbox/reset", {
		summary: "Start over with fresh networks and a fresh node",
		body: resetBody,
		reply: empty,
		refusals
	})
};
// ../..engine/contract/routes.ts
/** Every operation of the wire by name. The server, the client and the published contract are all made from it. */
const routes = {
	...publicRoutes,
	...ownerRoutes,
	...sandboxRoutes
};
Object.keys(routes);
PortFailure.of();
// ../..engine/taker/answers.ts
const longestSentence = 300;
const digits = z.string().regex(new RegExp(`^\\d{1,40}$`));
z.object({
	net_source_amount: digits,
	net_target_amount: digits
});
/** A stranger's text, fit to be shown: one line, printable, short. */
function tame(text) {
	const line = text.replace(/[^\x20-\x7e]+/g, " ").trim();
	return line.length > longestSentence ? `${line.slice(0, longestSentence)}...` : line;
}
// ../..engine/taker/verify.ts
/** The whole of a quarter: above that share of the source the difference is no fee any more. */
const mostCostBps$2 = 2500n;
/** BIP-68 counts seconds in units of 512, sixteen bits of them. */
const delayUnit = 512;
const longestDelay = 65535 * delayUnit;
/** An invoice must be payable for at least this long once it is shown. */
const leastTimeToPay = seconds$1(60);
function objection(holds, sentence) {
	return holds ? null : sentence;
}
function read(schema, given) {
	const parsed = schema.safeParse(given);
	if (parsed.success) return parsed.data;
	const where = parsed.error.issues[0]?.path.join(".") ?? "";
	return distrust(`its ${where === "" ? "form" : where} is missing or malformed`);
}
function distrust(what) {
	return refuse("forbidden", `The provider's record cannot be trusted: ${tame(what)}. Nothing was paid; use another provider.`);
}
function sameToken(given, expected) {
	return given.chain === expected.chain && given.decimals === expected.decimals && sameName(given.token_id, expected.token_id);
}
/** A 32-byte or compressed key as scripts take it. */
function keyIn(text) {
	const bytes = fromHex(text);
	return asXOnly(bytes.length === 33 ? bytes.subarray(1) : bytes);
}
function amountIn(text) {
	return text.length <= 16 ? sats$2(BigInt(text)) : null;
}
function wrongFrame(record, terms, tokens) {
	const network = terms.network === "mainnet" ? ["mainnet", "bitcoin"] : [terms.network];
	return objection(record.id.length > 0 && record.id.length <= 100, "its id cannot be used") ?? objection(network.includes(record.network), `it is on the network ${record.network}, we are on ${terms.network}`) ?? objection(record.status === "pending", `its status is ${record.status}, a new swap is pending`) ?? objection(sameToken(record.source_token, tokens.source), "its source token is not the one that was asked for") ?? objection(sameToken(record.target_token, tokens.target), "its target token is not the one that was asked for") ?? objection(record.surplus_amount === void 0, "it names a surplus although nothing was paid") ?? objection(record.arkade_fund_txid === void 0 && record.arkade_claim_txid === void 0, "it names transactions although nothing was paid");
}
function wrongAmounts$1(record, terms) {
	const source = amountIn(record.source_amount);
	const target = amountIn(record.target_amount);
	if (source === null || target === null) return "its amounts are more than there is";
	const cost = source - target;
	return objection(source <= terms.sourceAmount, `it asks for ${source} sats, at most ${terms.sourceAmount} were agreed`) ?? objection(target >= terms.targetAmount, `it pays out ${target} sats, at least ${terms.targetAmount} were agreed`) ?? objection(cost === BigInt(record.fee_sats) + BigInt(record.network_fee_sats), `its fees of ${record.fee_sats} and ${record.network_fee_sats} sats are not the ${cost} between its two amounts`) ?? objection(cost * 10000n <= source * mostCostBps$2, `its fees take ${cost} of ${source} sats, more than a quarter`);
}
function wrongDelays(record, terms) {
	const claim = record.unilateral_claim_delay;
	const refund = record.unilateral_refund_delay;
	const alone = record.unilateral_refund_without_receiver_delay;
	for (const delay of [
		claim,
		refund,
		alone
	]) {
		if (delay % delayUnit !== 0 || delay < delayUnit || delay > longestDelay) return `its delay of ${delay} seconds is not a multiple of ${delayUnit} that a script can say`;
		if (delay < terms.operator.exitDelay) return `its delay of ${delay} seconds is shorter than the operator's exit delay of ${terms.operator.exitDelay}`;
	}
	return objection(claim <= refund && refund <= alone, `its delays of ${claim}, ${refund} and ${alone} seconds are not in their order`);
}
/** The VHTLC of the record with our half of it taken from ourselves; its address must be the record's. */
function deriveVhtlc(record, terms, keys) {
	if (record.arkade_htlc_script_version !== 1) return distrust(`its script has version ${record.arkade_htlc_script_version}, we asked for 1`);
	if (!sameBytes(keyIn(record.arkade_server_pk), terms.operator.signer)) return distrust("it names another Arkade operator than ours");
	if (!isXOnly(keys.sender) || !isXOnly(keys.receiver)) return distrust("its key is not a point of the curve");
	const delays = wrongDelays(record, terms);
	if (delays !== null) return distrust(delays);
	if (record.vhtlc_refund_locktime < 5e8) return distrust("its refund locktime is a height, not a time");
	const vhtlc = {
		...keys,
		operator: terms.operator.signer,
		hash: hash160OfSha256(terms.hash),
		refundLocktime: unix$1(record.vhtlc_refund_locktime),
		claimDelay: seconds$1(record.unilateral_claim_delay),
		refundDelay: seconds$1(record.unilateral_refund_delay),
		refundWithoutReceiverDelay: seconds$1(record.unilateral_refund_without_receiver_delay)
	};
	const { pkScript, outputKey } = vhtlcScript(vhtlc);
	const address = encodeArkadeAddress({
		prefix: arkadePrefix(terms.network),
		operator: terms.operator.signer,
		outputKey
	});
	if (address !== record.arkade_vhtlc_address) return distrust(`its VHTLC address is ${record.arkade_vhtlc_address}, its terms make ${address}`);
	return {
		vhtlc,
		script: pkScript,
		address
	};
}
function wrongHash(record, terms) {
	return objection(record.hash_lock.toLowerCase() === `0x${toHex(terms.hash)}`, "its hash is not ours");
}
/** What a deal takes from its record beside its two legs: fees that were compared with its amounts. */
function frameOf(record) {
	return {
		swapId: record.id,
		costs: [{
			part: "service",
			sats: BigInt(record.fee_sats)
		}, {
			part: "network",
			sats: BigInt(record.network_fee_sats)
		}]
	};
}
// ../..engine/taker/evm/verify.ts
/** Whether a record names this very account or contract; what is no address names none. */
function isAddress(text, expected) {
	const address = readEvmAddress(text);
	return address !== null && sameBytes(address, expected);
}
/** The account that is the provider's own; null where it is no account, or nobody's who could lock or claim. */
function serviceIn(record, { account, pegged, pairs }) {
	const service = readEvmAddress(record.server_evm_address);
	if (service === null || isZero(service)) return null;
	return [
		account,
		pegged.address,
		...pairs.flatMap(({ htlc, coordinator }) => [htlc, coordinator])
	].some((one) => sameBytes(one, service)) ? null : service;
}
function isZero(address) {
	return address.every((byte) => byte === 0);
}
/** Of the pairs that we know, the one that the record names, to every word of it; null for any other. */
function pairIn(record, { pairs }) {
	return pairs.find(({ kind, htlc, coordinator, htlcVersion }) => kind === record.evm_htlc_kind && htlcVersion === String(record.evm_htlc_version) && isAddress(record.evm_htlc_address, htlc) && isAddress(record.evm_coordinator_address, coordinator)) ?? null;
}
function wrongLock(record, terms) {
	const chainId = chainIdOf(terms.chain);
	return objection(record.evm_chain_id === chainId && record.chain === evmChainNames[chainId], `it is on chain ${record.evm_chain_id}, we asked for ${chainId}`) ?? objection(pairIn(record, terms) !== null, "its contracts are none that this node knows") ?? objection(isAddress(record.wbtc_address, terms.pegged.address), `its lock would hold the token ${record.wbtc_address}, which is not the one that we know to be bitcoin`) ?? objection(isAddress(record.client_evm_address, terms.account), "its account is not ours") ?? objection(serviceIn(record, terms) !== null, "the provider's account in it is nobody's") ?? objection(record.evm_claim_txid === void 0 && record.evm_fund_txid === void 0, "it names transactions although nothing was locked");
}
/** The token of the lock as records say it. */
function peggedInfo({ chain, pegged }) {
	return tokenInfo$1(chain, pegged);
}
/** Whole sats in so many units of the token of the lock, rounded down. */
function satsDown(units, { pegged: { decimals } }) {
	return decimals >= 8 ? units / 10n ** BigInt(decimals - 8) : units * 10n ** BigInt(8 - decimals);
}
/** Above a quarter of the source the difference is no fee any more. */
const mostCostBps$1 = 2500n;
/** What we would lock, what comes out, and who sends it. */
function wrongPrice(record, terms) {
	if (record.source_amount.length > 40) return "its amounts are more than there is";
	const units = BigInt(record.source_amount);
	const source = satsDown(units, terms);
	const cost = source - terms.targetAmount;
	const fees = BigInt(record.fee_sats) + BigInt(record.network_fee_sats);
	return objection(units <= terms.sourceAmount, `it asks for ${units} units, at most ${terms.sourceAmount} were agreed`) ?? objection(record.evm_expected_sats === record.source_amount, `it wants ${record.evm_expected_sats} units locked, it asks for ${record.source_amount}`) ?? objection(record.target_amount === terms.targetAmount.toString(), `it would pay ${record.target_amount} sats, ${terms.targetAmount} were asked for`) ?? objection(cost === fees, `its fees of ${fees} sats are not the ${cost} between its two amounts`) ?? objection(cost * 10000n <= source * mostCostBps$1, `its fees take ${cost} of ${source} sats, more than a quarter`) ?? objection(record.returned_amount === void 0, "it says that something came back although nothing was locked") ?? objection(record.gasless === terms.gasless, "it is not for whom we asked to send the transactions") ?? objection(record.bridge_source_chain === void 0 && record.bridge_source_token_address === void 0, "it comes over a bridge that nobody asked for");
}
/** The lock that we would make: to the provider with the secret, back to the coordinator and so to us from the timelock on. */
function lockOf$1(record, terms) {
	const contracts = pairIn(record, terms);
	const service = serviceIn(record, terms);
	if (contracts === null || service === null) return distrust("its lock is none that this node knows");
	const amount = BigInt(record.source_amount);
	return {
		on: "evm",
		amount,
		network: terms.chain,
		contracts,
		lock: {
			preimageHash: terms.hash,
			amount,
			token: terms.pegged.address,
			refundAddress: contracts.coordinator,
			claimAddress: service,
			timelock: BigInt(record.evm_refund_locktime)
		}
	};
}
// ../..engine/taker/evm/facts.ts
/** So many units of the token that is worth bitcoin. */
function evmSide(terms, amount) {
	return {
		...tokenSide(terms.chain, terms.pegged, amount),
		sats: sats$2(satsDown(amount, terms))
	};
}
/** So many units of a token whose worth in bitcoin is what an exchange says. */
function tokenSide(network, token, amount) {
	const { address, symbol, decimals } = token;
	return {
		network,
		token: isZero(address) ? null : checksummed(address),
		symbol,
		decimals,
		amount,
		sats: null
	};
}
// ../..engine/taker/facts.ts
/** Before there is a deal nothing has a time. */
const noTimes = {
	now: null,
	payUntil: null,
	normalUntil: null,
	refundSignedFrom: null,
	refundAloneFrom: null,
	dangerFrom: null,
	last: null
};
/** One of ours that the swap itself saw nowhere yet. */
function signedAs(what, network, txid) {
	return txid === null ? [] : [{
		what,
		network,
		txid,
		whose: "you",
		signed: true
	}];
}
const notPaid = {
	state: "none",
	amount: null
};
/** Bitcoin on a network that counts it in satoshis. */
function bitcoinSide(network, amount) {
	return {
		network,
		token: null,
		symbol: "BTC",
		decimals: 8,
		amount,
		sats: amount
	};
}
/** Exactly this many sats in whole bitcoin, as payment links say it (BIP-21). */
function bitcoinText(amount) {
	const whole = amount / 100000000n;
	const rest = (amount % 100000000n).toString().padStart(8, "0").replace(/0+$/, "");
	return rest === "" ? whole.toString() : `${whole}.${rest}`;
}
/** The steps of one way through a swap: what comes before the current one is done. All of them are when `current` is the last and over. */
function track(way, current, isOver = false) {
	const at = way.findIndex(({ step }) => step === current);
	return way.map((one, i) => ({
		...one,
		state: i < at || isOver && i === at ? "done" : i === at ? "current" : "later"
	}));
}
/** A swap under way: `step` is the one of its way that is current, where that is not the turn's own. */
function going(phase, turn, way, step = turn.step) {
	return {
		phase,
		outcome: null,
		turn,
		steps: track(way, step)
	};
}
/** A swap that is over, by the last step of its way. */
function over$3(outcome, way) {
	const last = way.at(-1)?.step ?? "closed";
	return {
		phase: "over",
		outcome,
		turn: {
			who: "nobody",
			step: last,
			until: null
		},
		steps: track(way, last, true)
	};
}
/** Who is waited for, for the owner's list of everything that is open. */
function turnText({ who, step }) {
	return `${who}: ${step}`;
}
// ../..engine/taker/opening.ts
/** What the provider is asked for, in the form of the wire. */
function createAt(t, direction, body) {
	return [{
		do: "provider.create",
		provider: t.provider,
		order: {
			direction,
			body,
			hash: t.hash,
			keyIndex: t.keyIndex
		}
	}];
}
/** `verify` says what is wrong with the record, or what was agreed; `begin`, the state in which the owner is shown where to pay. */
function whenCreating(t, event, now, { verify, begin }) {
	switch (event.is) {
		case "provider.created": {
			const deal = verify(event.record);
			return move(isRefusal(deal) ? refused$1("record-wrong", deal.sentence) : begin(deal));
		}
		case "provider.refused": return move(refused$1("provider-refused", event.reason));
		case "clock": return now.wall < t.createBefore ? "stay" : {
			progress: refused$1("provider-silent", null),
			effects: [],
			supersedes: true
		};
		default: return "stay";
	}
}
function refused$1(reason, detail) {
	return {
		at: "refused",
		reason,
		detail
	};
}
/** The facts while nothing is agreed; `now` is the time of the chain that will judge the swap. */
function openingFacts(p, sides, now) {
	return {
		...sides,
		paid: notPaid,
		pay: null,
		times: {
			...noTimes,
			now
		},
		refund: {
			state: "none",
			from: null,
			why: "nothing-paid"
		},
		transactions: [],
		reason: p.at === "refused" ? p.reason : null,
		detail: p.at === "refused" ? p.detail : null
	};
}
/** How it is shown while nothing of ours is seen anywhere, or never will be. */
function unpaidStatus(p) {
	switch (p.at) {
		case "creating": return "pending";
		case "waiting": return p.said === "expired" ? "expired" : "pending";
		case "refused":
		case "lapsed": return "expired";
	}
}
SigHash.DEFAULT, SigHash.ALL;
12 * hour, 3 * day;
/** Seconds of a block on a slow day, and what is left over for fees that must rise. */
const slowBlock = 750;
const margin = 6 * hour;
/** How long leaving takes: a block for each transaction, the delay of the leaf, a margin. */
function leavingTakes({ transactions, delay }) {
	return transactions * slowBlock + delay + margin;
}
/**
* The moment, unix seconds by the operator's wall clock, from which a coin may not reach the chain before it expires. Later, what
* its operator does not give back may be lost. One transaction is counted: a longer way begins that much sooner.
*/
function leavingStarts(expiresAt, delay) {
	return unix$1(Math.max(0, expiresAt - leavingTakes({
		transactions: 1,
		delay
	})));
}
// ../..engine/taker/terms.ts
/** Kept by every state that comes after: the owner said it once. */
function cancelOf({ cancelled }) {
	return cancelled === void 0 ? {} : { cancelled };
}
// ../..engine/taker/vhtlc-source/terms.ts
/** In these the provider gives nothing any more, or has done so, and owes us its signature on whatever is left. */
const payerIsOut = /* @__PURE__ */ new Set([
	"expired",
	"clientinvalidfunded",
	"clientfundedtoolate",
	"serverwontfund",
	"clientrefunded",
	"clientfundedserverrefunded",
	"serverredeemed"
]);
function dealtOf$3(p) {
	return {
		deal: p.deal,
		said: p.said,
		coins: p.coins,
		expiresAt: p.expiresAt,
		proof: p.proof,
		...cancelOf(p)
	};
}
/** Nothing of ours is there yet: what comes all the same is asked back at once. */
function cancelled$2(p) {
	return p.coins.length > 0 || p.cancelled === true ? "stay" : move({
		...p,
		cancelled: true
	});
}
// ../..engine/taker/vhtlc-source/taking.ts
/** How long a provider that declined, or an operator that refused, is left alone. */
const pause$3 = minute;
function keyOf$1(t) {
	return {
		branch: "taker",
		index: t.keyIndex
	};
}
function ours$1(t, p, coin) {
	return {
		terms: p.deal.source.vhtlc,
		script: p.deal.source.script,
		key: keyOf$1(t),
		coin
	};
}
const coinDenied = "The operator reports a coin of ours as spent by a transaction that fits none of its leaves: stop using this operator.";
/** `now`: of the event that is judged. */
function refundOf$4(t, now) {
	return {
		purpose: "refund",
		ours: (p) => ours$1(t, p, p.coin),
		sent: (p) => p.refundTxid,
		withSent: (p, refundTxid) => ({
			...p,
			refundTxid
		}),
		taken: refunded$1,
		refused: (p, event) => event.why === "refused" || event.why === "late" ? declined(p, event, now) : null,
		denied: coinDenied
	};
}
function declined(p, { reason }, now) {
	return {
		progress: {
			at: "funded",
			notBefore: after(now.wall, pause$3),
			declined: reason,
			...dealtOf$3(p)
		},
		effects: [],
		flag: `The operator refused our refund: ${reason}.`
	};
}
function refunded$1(p, txid) {
	const coins = p.coins.map((coin) => sameOutpoint(coin.outpoint, p.coin) ? {
		...coin,
		spent: true
	} : coin);
	return move(nothingOwedOr({
		...dealtOf$3(p),
		coins
	}, txid));
}
function nothingOwedOr(p, refundTxid) {
	return hasUnspent(p.coins) ? {
		at: "funded",
		notBefore: null,
		declined: null,
		...dealtOf$3(p)
	} : {
		at: "done",
		refundTxid,
		over: false,
		...dealtOf$3(p)
	};
}
// ../..engine/taker/vhtlc-source/refunding.ts
/** A wall clock that was set back must not make a pause of a minute one of days: coins that wait expire. */
function hasRested$1(notBefore, { wall }) {
	return notBefore === null || wall >= notBefore || wall + pause$3 < notBefore;
}
function lockOpen$1(p, now) {
	return safeToRefund({ refundLocktime: p.deal.source.vhtlc.refundLocktime }, now) === null;
}
/**
* The largest first: dust that a stranger sends, and that nobody gives back, keeps what is ours from nothing (facts/faults.md 87). What its
* operator denies comes last: it can be had on the chain alone, and nobody's signature helps.
*/
function nextOwed(coins, isAlone) {
	const unspent = coins.filter(({ spent }) => !spent).sort((a, b) => Number(b.amount - a.amount));
	return (unspent.find(({ denied }) => denied !== true) ?? (isAlone ? unspent[0] : void 0))?.outpoint ?? null;
}
function whenFunded(t, p, event, now) {
	const isOpen = lockOpen$1(p, now);
	const coin = nextOwed(p.coins, isOpen);
	const rested = hasRested$1(p.notBefore, now);
	switch (event.is) {
		case "provider.seen": {
			const status = event.status;
			if (coin !== null && rested && (payerIsOut.has(status) || isUnwanted(p)) && !isOpen) return ask$1(t, {
				...p,
				said: status
			}, coin);
			return status === p.said ? "stay" : move({
				...p,
				said: status
			});
		}
		case "refund.requested":
			if (coin === null) return "stay";
			return isOpen ? alone$2(t, p, coin) : ask$1(t, p, coin);
		case "clock": return coin !== null && rested && isOpen ? alone$2(t, p, coin) : "stay";
		default: return "stay";
	}
}
function isUnwanted(p) {
	return p.cancelled === true && p.declined === null;
}
function ask$1(t, p, coin) {
	const { swapId } = p.deal;
	return move({
		at: "asking",
		coin,
		...dealtOf$3(p)
	}, {
		do: "provider.cosign",
		provider: t.provider,
		swapId,
		...ours$1(t, p, coin)
	});
}
/** By the refund without receiver: nobody is asked, and what was asked of the provider before is dropped. */
function alone$2(t, p, coin) {
	return {
		progress: {
			at: "refunding",
			coin,
			refundTxid: null,
			...dealtOf$3(p)
		},
		effects: [{
			do: "vhtlc.refund",
			...ours$1(t, p, coin)
		}],
		supersedes: true
	};
}
function whenAsking$1(t, p, event, now) {
	switch (event.is) {
		case "vhtlc.prepared": return whileTaking(refundOf$4(t, now), asRefunding(p), event) ?? "stay";
		case "provider.declined": return move({
			at: "funded",
			notBefore: after(now.wall, pause$3),
			declined: event.reason,
			...dealtOf$3(p)
		});
		case "vhtlc.refused": return event.purpose === "refund" && event.why === "spent" ? move({
			at: "funded",
			notBefore: after(now.wall, pause$3),
			declined: event.reason,
			...dealtOf$3(p)
		}) : whileTaking(refundOf$4(t, now), asRefunding(p), event) ?? "stay";
		case "clock": return lockOpen$1(p, now) ? alone$2(t, p, p.coin) : "stay";
		default: return "stay";
	}
}
function asRefunding(p) {
	return {
		at: "refunding",
		coin: p.coin,
		refundTxid: null,
		...dealtOf$3(p)
	};
}
function whenRefunding$2(t, p, event, now) {
	if (event.is === "vhtlc.prepared" && p.refundTxid !== null && p.refundTxid !== event.txid) return "stay";
	return whileTaking(refundOf$4(t, now), p, event) ?? "stay";
}
// ../..engine/taker/vhtlc-source/facts.ts
/** Where to pay while it is wanted; `until` is the end of that, where there is one. */
function payVhtlc(p, until) {
	if (p.said === "expired" || p.cancelled === true) return null;
	const { address, amount } = p.deal.source;
	return {
		kind: "arkade",
		text: address,
		uri: `bitcoin:?ark=${address}&amount=${bitcoinText(amount)}`,
		amount,
		until
	};
}
/** What stands is what nobody took yet, whoever paid it: the rest beside the provider's claim is ours as well. */
function vhtlcPaid({ at, coins, proof }) {
	const sum = (some) => some.reduce((total, { amount }) => total + amount, 0n);
	const unspent = coins.filter(({ spent }) => !spent);
	if (unspent.length > 0) return {
		state: "stands",
		amount: sum(unspent)
	};
	if (proof !== null) return {
		state: "taken",
		amount: sum(coins)
	};
	if (coins.length === 0) return notPaid;
	return {
		state: at === "done" ? "back" : "unclear",
		amount: sum(coins)
	};
}
/** Our refund opens by median time past; past its own expiry the operator may take a coin. */
function vhtlcTimes(p, now, own) {
	const { vhtlc } = p.deal.source;
	const expires = hasUnspent(p.coins) ? p.expiresAt : null;
	return {
		now: furthest(now.bitcoin).mtp,
		...own,
		refundSignedFrom: null,
		refundAloneFrom: refundOpens(vhtlc.refundLocktime),
		dangerFrom: expires === null ? null : leavingStarts(expires, vhtlc.refundWithoutReceiverDelay),
		last: expires
	};
}
/** `isBought`: what the coins were for is ours, so that they are the provider's. */
function vhtlcRefund(p, now, isBought) {
	const from = refundOpens(p.deal.source.vhtlc.refundLocktime);
	switch (p.at) {
		case "waiting":
		case "lapsed": return {
			state: "none",
			from,
			why: "nothing-paid"
		};
		case "asking":
		case "refunding": return {
			state: "running",
			from,
			why: null
		};
		case "done": return isBought ? {
			state: "none",
			from: null,
			why: "spent"
		} : {
			state: "done",
			from,
			why: null
		};
		case "funded":
			if (!hasUnspent(p.coins)) return {
				state: "none",
				from,
				why: "nothing-paid"
			};
			if (lockOpen$1(p, now)) return {
				state: "possible",
				from,
				why: "locktime-passed"
			};
			if (p.proof !== null) return {
				state: "possible",
				from,
				why: "surplus"
			};
			if (p.declined !== null) return {
				state: "possible",
				from,
				why: "provider-declined"
			};
			return {
				state: "possible",
				from,
				why: payerIsOut.has(p.said) ? "provider-out" : "in-progress"
			};
	}
}
/** `others`: what moved elsewhere, in its place between our payments and what became of them. */
function vhtlcMoves(p, others = []) {
	const claim = p.proof?.claimTxid ?? null;
	const { refundTxid = null, exit = false } = p;
	const back = refundTxid !== claim ? refundTxid : null;
	const isExit = p.at === "refunding" && exit;
	return [
		...p.coins.map(({ outpoint }) => ({
			what: "fund",
			network: "arkade",
			txid: outpoint.txid,
			whose: "you"
		})),
		...others,
		...claim === null ? [] : [{
			what: "claim",
			network: "arkade",
			txid: claim,
			whose: "provider"
		}],
		...p.at === "refunding" ? signedAs(isExit ? "exit" : "refund", isExit ? "bitcoin" : "arkade", back) : back === null ? [] : [{
			what: "refund",
			network: "arkade",
			txid: back,
			whose: "you"
		}]
	];
}
// ../..engine/taker/arkade-evm/terms.ts
/** Until then the provider surely takes the payment: its window counts from its own create, for which its answer came in time. */
function payableUntil$1({ createBefore, policy }) {
	return unix$1(createBefore + policy.fundingWindow - leastTimeToPay);
}
function targetOf({ lockTxid, unsafe, claimTxid, takenBack, price, arrived }) {
	return {
		lockTxid,
		unsafe,
		claimTxid,
		takenBack,
		...price === void 0 ? {} : { price },
		...arrived === void 0 ? {} : { arrived }
	};
}
const nothingLocked = {
	lockTxid: null,
	unsafe: null,
	claimTxid: null,
	takenBack: false
};
// ../..engine/taker/arkade-evm/facts.ts
function refundOf$3(p, now) {
	return p.at === "claiming" || p.at === "claimed" ? {
		state: "none",
		from: null,
		why: "spent"
	} : vhtlcRefund(p, now, p.claimTxid !== null || p.proof !== null);
}
function movedBy$3({ chain: network }, p) {
	const signed = p.at === "claiming" ? p.sent : null;
	return vhtlcMoves(p, [...p.lockTxid === null ? [] : [{
		what: "lock",
		network,
		txid: p.lockTxid,
		whose: "provider"
	}], ...p.claimTxid === null ? signedAs("claim", network, signed) : [{
		what: "claim",
		network,
		txid: p.claimTxid,
		whose: "you"
	}]]);
}
/** What comes out: expected, and once the chain has told, what did. */
function gets(t, p) {
	const { exchange } = t;
	const amount = "deal" in p ? p.deal.target.amount : t.targetAmount;
	if (exchange === void 0) return evmSide(t, amount);
	const arrived = "arrived" in p ? p.arrived : void 0;
	if (arrived === void 0) return {
		...tokenSide(t.chain, exchange.token, t.targetAmount),
		least: exchange.least
	};
	return arrived.wanted === 0n ? evmSide(t, arrived.locked) : tokenSide(t.chain, exchange.token, arrived.wanted);
}
/**
* Our claim ends with the provider's lock, by the clock of its chain. While we claim, that lock is what can be lost: our coins are
* the provider's by then.
*/
function timesOf$3(t, p, now) {
	const { source, target } = p.deal;
	const timelock = unix$1(Number(target.lock.timelock));
	const own = {
		payUntil: payableUntil$1(t),
		normalUntil: unix$1(timelock - revealMargin(t.policy))
	};
	if (p.at !== "claiming") return vhtlcTimes(p, now, own);
	return {
		...noTimes,
		...own,
		now: evmTime(now, t.chain),
		refundAloneFrom: refundOpens(source.vhtlc.refundLocktime),
		dangerFrom: own.normalUntil,
		last: timelock
	};
}
/** Why it waits or ended as it did; the lock's own trouble before that of the price. */
function reasonOf$4(p) {
	const declined = p.at === "funded" ? p.declined : null;
	const unsafe = p.at === "funded" ? p.unsafe : null;
	const isWaiting = p.price !== void 0 && p.claimTxid === null && (p.at === "funded" || p.at === "claiming");
	const { arrived } = p;
	if (p.takenBack) return {
		reason: "taken-back",
		detail: declined
	};
	if (declined !== null) return {
		reason: "refund-declined",
		detail: declined
	};
	if (unsafe !== null) return {
		reason: "lock-unsafe",
		detail: unsafe
	};
	if (isWaiting) return {
		reason: "price-away",
		detail: p.price?.reason ?? null
	};
	return arrived?.wanted === 0n ? {
		reason: "not-exchanged",
		detail: null
	} : {
		reason: null,
		detail: null
	};
}
function arkadeEvmFacts(t, p, now) {
	const sides = {
		give: bitcoinSide("arkade", t.sourceAmount),
		get: gets(t, p),
		to: {
			own: false,
			text: checksummed(t.destination)
		}
	};
	if (p.at === "creating" || p.at === "refused") return openingFacts(p, sides, furthest(now.bitcoin).mtp);
	return {
		...sides,
		paid: vhtlcPaid(p),
		pay: p.at === "waiting" ? payVhtlc(p, payableUntil$1(t)) : null,
		times: timesOf$3(t, p, now),
		refund: refundOf$3(p, now),
		transactions: movedBy$3(t, p),
		...reasonOf$4(p)
	};
}
// ../..engine/taker/client.ts
function clientMachine(own, steps) {
	return {
		...own,
		reserves: () => false,
		untold: () => false,
		hash160: (t) => hash160OfSha256(t.hash),
		nextAction: (t, p) => turnText(steps(p, t).turn)
	};
}
/** What a provider may say while what we paid lies there; anything else is not repeated to people. */
const whilePaid = /* @__PURE__ */ new Set([
	"clientfundingseen",
	"clientfunded",
	"serverfunded",
	"clientinvalidfunded",
	"clientfundedtoolate",
	"serverwontfund"
]);
/** The same where the provider locks something of its own, which it may take back. */
const whileLocked = /* @__PURE__ */ new Set([...whilePaid, "clientfundedserverrefunded"]);
/** The provider's word where it may be repeated to people; for any other, what we see ourselves. */
function repeated(word, believable, otherwise = "clientfunded") {
	return believable.has(word) ? word : otherwise;
}
// ../..engine/taker/vhtlc-source/seen.ts
/** The coins at our script decide, whatever anybody says. */
function whenCoinsSeen$1(t, p, event, now) {
	if (event.coins.length === 0) return "stay";
	const claim = p.proof === null ? claimIn(t, event.coins) : null;
	const ours = event.coins.map((coin) => ({
		...coin,
		spent: isOver$1(t, p, coin)
	}));
	const next = {
		deal: p.deal,
		said: p.said,
		coins: straysBeside$2(ours, null, p.coins).map((coin) => withDenied(t, p, coin, event.coins)),
		expiresAt: firstExpiry(ours),
		proof: claim === null ? p.proof : { claimTxid: claim.txid },
		...cancelOf(p)
	};
	const learned = claim === null ? {} : { learned: claim.preimage };
	const changed = claim !== null || !sameStrays$1(next.coins, p.coins) || next.expiresAt !== p.expiresAt;
	const flag = alarmOf(t, p, event.coins, changed);
	const stays = () => {
		if (changed) return {
			progress: {
				...p,
				...next
			},
			effects: [],
			...learned,
			...flag
		};
		return "flag" in flag ? {
			progress: p,
			effects: [],
			...flag
		} : "stay";
	};
	if (p.at === "asking" || p.at === "refunding") {
		const taker = takenFromUs(t, p, event.coins, now);
		if (taker !== null) return {
			progress: nothingOwedOr(next, taker.spentIn),
			effects: [],
			supersedes: true,
			...learned
		};
		const step = p.at === "refunding" ? refundSeen(t, changed ? {
			...p,
			...next
		} : p, event.coins, now) : null;
		return step === null ? stays() : {
			...flag,
			...step,
			...learned
		};
	}
	if (hasUnspent(next.coins)) return p.at === "funded" ? stays() : {
		progress: {
			at: "funded",
			notBefore: null,
			declined: null,
			...next
		},
		effects: [],
		...learned,
		...flag
	};
	if (p.at === "done" || !event.coins.every((coin) => explained(t, coin))) return stays();
	return {
		progress: nothingOwedOr(next, event.coins[0]?.spentIn ?? null),
		effects: [],
		...learned
	};
}
/** The coin that we take back. What the provider claims with the preimage is its own, wherever it lies. */
function refundSeen(t, p, coins, now) {
	const coin = coins.find((one) => sameOutpoint(one.outpoint, p.coin));
	if (p.halted === true && p.exit !== true && coin?.spent === true && !coin.unrolled && p.coins.some(({ spent, denied, outpoint }) => !spent && denied !== true && !sameOutpoint(outpoint, p.coin))) return move({
		at: "funded",
		notBefore: null,
		declined: null,
		...dealtOf$3(p)
	});
	if (p.refundTxid === null && p.exit !== true && coin?.spent !== true && isSmall(p)) return {
		...move({
			at: "funded",
			notBefore: null,
			declined: null,
			...dealtOf$3(p)
		}),
		supersedes: true
	};
	return coin === void 0 || claimIn(t, [coin]) !== null ? null : whenCoinSeen$2(refundOf$4(t, now), p, coin, now);
}
/** Another coin is larger, and nothing speaks against that one. */
function isSmall({ coins, coin }) {
	const amount = coins.find(({ outpoint }) => sameOutpoint(outpoint, coin))?.amount ?? 0n;
	return coins.some((one) => !one.spent && one.denied !== true && one.amount > amount);
}
function withDenied(t, p, coin, seen) {
	const isIt = ({ outpoint }) => sameOutpoint(outpoint, coin.outpoint);
	const now = seen.find(isIt);
	return (now === void 0 ? p.coins.find(isIt)?.denied === true : isDoubtful(t, now)) && !coin.spent ? {
		...coin,
		denied: true
	} : coin;
}
/** As for a provider, and a claim only with the preimage that proves what it gave. */
function isOver$1(t, p, coin) {
	return isGone(leafOf(coin)?.leaf === "claim" && !explained(t, coin) ? {
		...coin,
		spend: "unknown",
		settledBy: null
	} : coin, p.coins);
}
/** A coin on the chain expires never. */
function firstExpiry(coins) {
	const dates = coins.filter((coin) => !coin.spent && !coin.unrolled).map(({ expiresAt }) => expiresAt);
	return dates.length === 0 ? null : unix$1(Math.min(...dates));
}
/** Gone by a leaf, and where that was the claim, with the preimage that proves the payment. */
function explained(t, coin) {
	const spend = leafOf(coin);
	return coin.spent && spend !== null && (spend.leaf !== "claim" || preimageMatches(t.hash, spend.preimage) !== null);
}
function isDoubtful(t, coin) {
	return coin.spent && coin.spend !== null && !explained(t, coin);
}
/** A denied coin is told of at each look: what brings it to the chain for that begins anew after a restart. */
function alarmOf(t, p, coins, changed) {
	if (coins.some((coin) => isDoubtful(t, coin) && !isOver$1(t, p, coin))) return {
		flag: coinDenied,
		distrust: true
	};
	return changed && coins.some(({ spent, spend }) => spent && spend === "hidden") ? { flag: "A coin of ours expired and a batch took it: the operator does not show whether it was the provider or this node." } : {};
}
/** The provider's claim, believed for its preimage alone. */
function claimIn(t, coins) {
	for (const coin of coins) {
		const spend = leafOf(coin);
		const preimage = spend?.leaf === "claim" ? preimageMatches(t.hash, spend.preimage) : null;
		if (preimage !== null) return {
			preimage,
			txid: coin.spentIn ?? coin.settledBy
		};
	}
	return null;
}
/** The coin that we want back, when something else than our own refund has taken it. */
function takenFromUs(t, p, seen, now) {
	const coin = seen.find((one) => sameOutpoint(one.outpoint, p.coin));
	if (coin === void 0 || !explained(t, coin) || coin.pending === true || !stands(coin, now)) return null;
	return p.at === "refunding" && p.refundTxid !== null && (coin.spentIn === p.refundTxid || p.exit === true && leafOf(coin)?.leaf !== "claim") ? null : coin;
}
// ../..engine/taker/vhtlc-source/watches.ts
/** Coins whose queue is read: the provider takes what was paid, and dust is nobody's business. */
const mostQueued = 3;
function queuedCoins(coins) {
	return coins.filter(({ spent }) => !spent).sort((a, b) => Number(b.amount - a.amount)).slice(0, mostQueued).map(({ outpoint }) => outpoint);
}
/** What is looked at around coins of ours at a VHTLC: the script, the queue in which they may leave the operator, and the provider's word. */
function sourceWatches(t, { at, deal, coins }) {
	const { source, swapId } = deal;
	return {
		vhtlc: {
			on: "vhtlc",
			terms: source.vhtlc,
			script: source.script
		},
		queue: {
			on: "queue",
			script: source.script,
			key: keyOf$1(t),
			always: at === "refunding",
			coins: queuedCoins(coins)
		},
		provider: {
			on: "provider",
			provider: t.provider,
			swapId
		}
	};
}
// ../..engine/legs/safety/reveal.ts
/**
* Publishing a preimage to claim a VHTLC that the other party can refund at its locktime. Wrong: the secret is out, the
* claim loses the race, and both legs are the other party's.
*/
function safeToReveal(claim, clocks, policy) {
	const { wall, bitcoin } = clocks;
	const { mtp } = bitcoin;
	if (mtp === null) return unread;
	const now = latestByChain({
		...bitcoin,
		mtp
	}, policy);
	const needed = revealMargin(policy);
	const coin = coinHolds(claim.coin, claim.targetAmount, Math.max(wall, now) + needed);
	if (coin !== null) return coin;
	const left = claim.refundLocktime - now;
	if (Math.max(mtp, bitcoin.ahead?.mtp ?? 0) > revealUntil(claim.refundLocktime, policy)) return never(`The refund may open in ${Math.max(0, left)} seconds; a claim needs ${needed}.`);
	return null;
}
/**
* Publishing a preimage to claim a lock on an EVM chain that the provider can take back from its timelock on. Wrong: the secret is out,
* the claim comes too late or finds nothing, and both legs are the provider's.
*/
function safeToRevealForLock(claim, clocks, policy) {
	const time = evmTime(clocks, claim.network);
	if (time === null) return wait("The clock of the chain with the lock has not been read yet.");
	const left = claim.timelock - time;
	const needed = revealMargin(policy);
	if (left < needed) return never(`The provider may take its lock back in ${Math.max(0, left)} seconds; a claim needs ${needed}.`);
	const deep = deepEnough(claim);
	if (deep !== null) return deep;
	const doubt = clocks[claim.network]?.doubt;
	return doubt === void 0 ? null : wait(doubt);
}
/**
* Publishing a preimage to claim a coin on the Bitcoin chain that the provider can take back once median time past is above its locktime.
* Wrong: the secret is out, the claim is mined too late or its coin is gone, and both legs are the provider's.
*/
function safeToRevealForCoin(claim, clocks, policy) {
	const { mtp } = furthest(clocks.bitcoin);
	if (mtp === null) return unread;
	const { coin, refundLocktime, targetAmount } = claim;
	const line = claimLine(refundLocktime, policy);
	if (mtp > line) return never(`A claim must begin before median time past is ${line} to be mined in time; it is ${mtp}.`);
	if (coin === null) return wait("The coin is not seen unspent on the chain now.");
	if (coin.amount < targetAmount) return never(`The coin holds ${coin.amount} sats; ${targetAmount} were agreed.`);
	const depth = coin.height === null ? 0 : Math.max(0, claim.height - coin.height + 1);
	if (depth < 2) return wait(`The coin has ${depth} confirmations; 2 are needed.`);
	return unlessDoubted(clocks);
}
// ../..engine/taker/arkade-evm/price.ts
/** Between two questions for the price of one swap. */
const pause$2 = seconds$1(minute);
/** So many claims of ours that the chain refused are enough: each has cost its gas. */
const mostReverts = 3;
/**
* From when on the token of the lock itself is claimed, by the clock of its chain (unix seconds): while the secret may still leave us for as long again
* as a claim needs. Later, and the lock could be lost for want of a price.
*/
function lockedTokenFrom({ deal }, { policy }) {
	return unix$1(Math.max(0, Number(deal.target.lock.timelock) - 2 * revealMargin(policy)));
}
/** Whether the claim brings another token than that of the lock now. */
function isExchanged(t, p, now) {
	if (t.exchange === void 0 || (p.price?.reverts ?? 0) >= mostReverts) return false;
	const time = evmTime(now, t.chain);
	return time === null || time < lockedTokenFrom(p, t);
}
/** Whether it was tried a moment ago. */
function isPaused({ price }, now) {
	return price !== void 0 && !hasPassed(pause$2, price.since, now.wall);
}
/** Who is to try now: one after the other, for what keeps the one need not keep the other. */
function nextBy(t, { price }) {
	return t.gasless && price?.by !== "provider" ? "provider" : "node";
}
/** It did not work now. Nothing of it is said where nothing is exchanged. */
function waiting$1(t, p, now, tried) {
	const { price, ...rest } = p;
	if (t.exchange === void 0) return p;
	return {
		...rest,
		price: {
			...tried,
			since: now.wall,
			reverts: price?.reverts ?? 0
		}
	};
}
/** A claim of ours with an exchange was mined and refused. */
function reverted(t, p, now) {
	const waits = waiting$1(t, p, now, {
		by: "node",
		reason: "The chain refused the claim with its exchange."
	});
	return waits.price === void 0 ? waits : {
		...waits,
		price: {
			...waits.price,
			reverts: waits.price.reverts + 1
		}
	};
}
// ../..engine/taker/arkade-evm/claiming.ts
/** How long whoever was asked to claim for us has until the next one is asked too. */
const patience = seconds$1(10 * minute);
function baseOf$1(p) {
	return {
		...dealtOf$3(p),
		...targetOf(p)
	};
}
/** The lock of the record, to the last byte of its terms; the one that stands before any that is over. */
function lockIn$1(p, locks) {
	const key = swapKey(p.deal.target.lock);
	const ours = locks.filter((lock) => sameBytes(lock.key, key));
	return ours.find(({ state }) => state.is === "active") ?? ours.at(-1) ?? null;
}
/** What is signed is what we verified: nothing of it comes from the provider. */
function claimOf$1(t, p, now) {
	const { lock } = p.deal.target;
	const exchange = isExchanged(t, p, now) ? t.exchange : void 0;
	return {
		lock,
		calls: [],
		sweepToken: exchange?.token.address ?? lock.token,
		minAmountOut: exchange?.least ?? lock.amount,
		destination: t.destination,
		key: t.evmKey
	};
}
function timelockOf$1({ deal }) {
	return unix$1(Number(deal.target.lock.timelock));
}
/** Judged once more at the moment at which the secret leaves us, however long the node slept. */
function onlyIf$1(t, p, txid) {
	const { network, contracts, lock } = p.deal.target;
	const { burial: confirmations, agreed, policy } = t;
	return {
		notAfter: unix$1(timelockOf$1(p) - revealMargin(policy)),
		offer: {
			network,
			htlc: contracts.htlc,
			lock,
			txid,
			confirmations,
			agreed,
			policy
		}
	};
}
function byProvider$1(t, p, txid, now) {
	const { swapId, target } = p.deal;
	const { network, contracts } = target;
	return {
		do: "provider.claim-evm",
		provider: t.provider,
		swapId,
		network,
		contracts,
		claim: claimOf$1(t, p, now),
		onlyIf: onlyIf$1(t, p, txid)
	};
}
/** `first`: the secret has not left us yet, and leaves with it. */
function byNode$1(t, p, first, now) {
	const { network, contracts } = p.deal.target;
	return {
		do: "evm.send",
		network,
		contracts,
		act: {
			is: "taker-claim",
			...claimOf$1(t, p, now)
		},
		deadline: timelockOf$1(p),
		value: p.deal.source.amount,
		...first === null ? {} : { onlyIf: onlyIf$1(t, p, first) }
	};
}
/** Our coins lie there, or are not seen yet: the provider's lock decides. */
function whenLockSeen$2(t, p, { locks }, now) {
	if (p.claimTxid !== null || p.takenBack) return "stay";
	const lock = lockIn$1(p, locks);
	if (lock?.state.is === "redeemed") return whenClaimSeen(t, {
		...p,
		lockTxid: lock.txid
	}, lock, lock.state, now);
	if (lock?.state.is !== "active") return p.lockTxid === null && p.unsafe === null ? "stay" : move({
		...p,
		lockTxid: null,
		unsafe: null
	});
	const { network } = p.deal.target;
	const { confirmations: depth, doubt } = lock;
	const unsafe = safeToRevealForLock({
		network,
		depth,
		doubt,
		confirmations: t.burial,
		timelock: timelockOf$1(p)
	}, now, t.policy)?.sentence ?? null;
	if (unsafe !== null) return unsafe === p.unsafe && lock.txid === p.lockTxid ? "stay" : move({
		...p,
		lockTxid: lock.txid,
		unsafe
	});
	const base = {
		...baseOf$1(p),
		lockTxid: lock.txid,
		unsafe: null
	};
	if (isPaused(base, now)) return p.lockTxid === lock.txid && p.unsafe === null ? "stay" : move({
		...p,
		...base
	});
	const by = nextBy(t, base);
	return move({
		at: "claiming",
		by,
		since: now.wall,
		sent: null,
		declined: null,
		alone: by === "node",
		...base
	}, by === "provider" ? byProvider$1(t, base, lock.txid, now) : byNode$1(t, base, lock.txid, now));
}
function whenClaiming$4(t, p, event, now) {
	switch (event.is) {
		case "evm.seen": return whenClaimedLockSeen(t, p, event, now);
		case "provider.claim-withheld": return p.by === "provider" && p.sent === null ? unclaimed$1(t, p, event, now) : "stay";
		case "provider.declined": return p.claimTxid === null && p.declined === null ? move({
			...p,
			by: "node",
			since: now.wall,
			declined: event.reason
		}, byNode$1(t, p, null, now)) : "stay";
		case "evm.prepared": return event.purpose === "taker-claim" ? move({
			...p,
			sent: event.txid,
			alone: false
		}) : "stay";
		case "evm.refused":
			if (event.purpose !== "taker-claim") return "stay";
			if (isUnshown(p)) return unclaimed$1(t, p, event, now);
			return event.unpriced === true && p.claimTxid === null ? move({
				...p,
				...waiting$1(t, baseOf$1(p), now, {
					by: "node",
					reason: event.reason
				})
			}) : "stay";
		case "evm.sent": {
			const over = event.state.is === "gone" || event.state.is === "mined" && !event.state.ok;
			if (event.purpose !== "taker-claim" || event.txid !== p.sent || !over || p.claimTxid !== null) return "stay";
			return event.state.is === "mined" && isExchanged(t, p, now) ? move({
				...p,
				sent: null,
				since: now.wall,
				...reverted(t, baseOf$1(p), now)
			}) : move({
				...p,
				sent: null,
				since: now.wall
			}, byNode$1(t, p, null, now));
		}
		case "clock": return isOverdue(p, now) ? askBoth(t, p, now) : "stay";
		case "provider.seen": return event.status === p.said ? "stay" : move({
			...p,
			said: event.status
		});
		default: return "stay";
	}
}
/** Our own transaction alone was asked for, and nothing was signed yet. */
function isUnshown(p) {
	return p.alone === true && p.sent === null && p.claimTxid === null;
}
/** It was not safe any more, or has no price now, and the secret is still ours alone. */
function unclaimed$1(t, p, { reason, unpriced }, now) {
	return move({
		at: "funded",
		notBefore: null,
		declined: null,
		...waiting$1(t, baseOf$1(p), now, {
			by: p.by,
			reason
		}),
		unsafe: unpriced === true ? null : reason
	});
}
function isOverdue({ claimTxid, since }, { wall }) {
	return claimTxid === null && hasPassed(patience, since, wall);
}
/** Nobody has claimed: our own transaction, and the provider once more where it was to send it. */
function askBoth(t, p, now) {
	if (isUnshown(p) && p.lockTxid !== null) return {
		progress: {
			...p,
			since: now.wall
		},
		effects: [byNode$1(t, p, p.lockTxid, now)],
		supersedes: true
	};
	const again = t.gasless && p.lockTxid !== null ? [byProvider$1(t, p, p.lockTxid, now)] : [];
	return {
		progress: {
			...p,
			by: "node",
			since: now.wall,
			declined: null
		},
		effects: p.sent === null ? [byNode$1(t, p, null, now), ...again] : again,
		supersedes: true
	};
}
function whenClaimedLockSeen(t, p, { locks }, now) {
	const lock = lockIn$1(p, locks);
	if (lock === null) return "stay";
	switch (lock.state.is) {
		case "redeemed": return whenClaimSeen(t, p, lock, lock.state, now);
		case "refunded":
			if (lock.state.confirmations < t.burial) return "stay";
			return {
				progress: {
					at: "funded",
					notBefore: null,
					declined: null,
					...baseOf$1(p),
					takenBack: true
				},
				effects: [],
				supersedes: true,
				flag: "The provider took its lock back while this node claimed it: your coins on Arkade are taken back as soon as that can be done."
			};
		case "active":
			if (p.claimTxid === null) return isOverdue(p, now) ? askBoth(t, p, now) : "stay";
			return move({
				...p,
				claimTxid: null,
				since: now.wall
			}, byNode$1(t, p, null, now));
	}
}
/** A claim of ours by whomever: it is over once it is buried, and stays ours to make until then. */
function whenClaimSeen(t, p, lock, { txid, confirmations }, now) {
	const base = {
		...baseOf$1(p),
		lockTxid: lock.txid,
		unsafe: null,
		claimTxid: txid
	};
	if (confirmations >= t.burial) return {
		progress: {
			at: "claimed",
			...base
		},
		effects: arrivalOf(t, base, txid),
		supersedes: true
	};
	if (p.at === "claiming") return p.claimTxid === txid ? "stay" : move({
		...p,
		...base
	});
	return move({
		at: "claiming",
		by: "node",
		since: now.wall,
		sent: null,
		declined: null,
		alone: false,
		...base
	});
}
/** What came of an exchange, the chain alone can tell: both claims that we may have signed are valid to the end. */
function arrivalOf(t, { deal }, txid) {
	if (t.exchange === void 0) return [];
	const tokens = [t.exchange.token.address, deal.target.lock.token];
	return [{
		do: "evm.read-arrival",
		network: t.chain,
		txid,
		to: t.destination,
		tokens
	}];
}
function whenArrived(p, { amounts }) {
	const [wanted, locked] = amounts;
	if (wanted === void 0 || locked === void 0 || p.arrived !== void 0) return "stay";
	return move({
		...p,
		arrived: {
			wanted: wanted.amount,
			locked: locked.amount
		}
	});
}
/** When a claim that nobody made is asked for again. */
function claimDeadline(p) {
	return p.claimTxid === null ? after(p.since, patience) : null;
}
// ../..engine/taker/rescue.ts
/** Whichever of the two sides we are. `coin`: null where only its amount is known. */
function ourVhtlc({ keyIndex: index }, leg, coin) {
	return {
		on: "arkade",
		terms: leg.vhtlc,
		key: {
			branch: "taker",
			index
		},
		coin,
		amount: leg.amount
	};
}
/** `destination`: where a claim of it pays; a refund pays the account that it came from. */
function ourLock(t, { network, contracts, lock }, destination = t.account) {
	return {
		on: "evm",
		network,
		contracts,
		lock,
		since: t.since,
		taker: {
			key: t.evmKey,
			destination
		}
	};
}
// ../..engine/taker/vhtlc-source/rescue.ts
/** What lies at our address: it comes back alone from the locktime on, whatever became of the provider. */
function vhtlcToTakeBack(t, { deal, coins }) {
	return ourVhtlc(t, deal.source, coins.find(({ spent }) => !spent)?.outpoint ?? null);
}
/** For a swap of which nothing but its source is ever ours to take. */
function rescueOfSource(t, p) {
	switch (p.at) {
		case "waiting":
		case "funded":
		case "asking":
		case "refunding": return {
			claim: null,
			refund: vhtlcToTakeBack(t, p),
			shown: false
		};
		default: return null;
	}
}
// ../..engine/taker/arkade-evm/rescue.ts
/** The lock is claimed once the secret may have left us, and not before: until then our coins come back from their locktime on. */
function rescue$4(t, p) {
	switch (p.at) {
		case "waiting":
		case "funded":
		case "asking":
		case "refunding": return p.takenBack || p.proof !== null ? alone$1(t, p) : {
			...both(t, p),
			shown: p.claimTxid !== null
		};
		case "claiming": return {
			...both(t, p),
			shown: true
		};
		default: return null;
	}
}
function alone$1(t, p) {
	return {
		claim: null,
		refund: vhtlcToTakeBack(t, p),
		shown: false
	};
}
function both(t, p) {
	return {
		claim: ourLock(t, p.deal.target, t.destination),
		refund: vhtlcToTakeBack(t, p)
	};
}
// ../..engine/taker/evm/shape.ts
const recordToken = exactly()(z.strictObject({
	address: evmAddress$1,
	decimals: z.number(),
	symbol: z.string(),
	name: z.string()
}));
const evmOrderFields = {
	chain: evmNetworkName,
	pairs: z.array(swapContracts),
	pegged: recordToken,
	evmKey: takerEvmKey,
	account: evmAddress$1,
	gasless: z.boolean(),
	burial: z.number(),
	agreed: z.boolean(),
	since: z.number()
};
const exchangeTerms = exactly()(z.strictObject({
	token: recordToken,
	least: z.bigint(),
	slippageBps: z.number(),
	mostFees: sats$1
}));
const evmLeg = exactly()(z.strictObject({
	on: z.literal("evm"),
	amount: z.bigint(),
	network: evmNetworkName,
	contracts: swapContracts,
	lock: lockTerms
}));
// ../..engine/taker/shape.ts
/** The parts of what was asked that every direction has. */
const orderFields = {
	provider: z.string(),
	network: z.enum(bitcoinNetworks),
	keyIndex: z.number(),
	key: publicKey$1,
	userId: z.string(),
	hash: sha256$1,
	createBefore: unix,
	policy: timeoutPolicy,
	restored: unix.exactOptional()
};
/** With those of an order that has a leg on Arkade. */
const arkadeOrderFields = {
	...orderFields,
	operator: z.strictObject({
		signer: xOnly,
		exitDelay: seconds
	}),
	sourceAmount: sats$1,
	targetAmount: sats$1
};
const arkadeLeg = exactly()(z.strictObject({
	on: z.literal("arkade"),
	amount: sats$1,
	vhtlc: vhtlcTerms,
	script: bytes,
	address: z.string()
}));
const lightningLeg = exactly()(z.strictObject({
	on: z.literal("lightning"),
	amount: sats$1,
	bolt11: z.string(),
	expiresAt: unix
}));
const bitcoinLeg = exactly()(z.strictObject({
	on: z.literal("bitcoin"),
	amount: sats$1,
	htlc: htlcTerms,
	script: bytes,
	address: z.string(),
	since: z.number()
}));
const cost = exactly()(z.strictObject({
	part: z.enum(costParts),
	sats: z.bigint()
}));
/** What a deal says beside its two legs, and the provider's last word on it. */
const dealFields = {
	swapId: z.string(),
	costs: z.array(cost)
};
const lastWord = z.enum(swapStatuses);
const creating = z.strictObject({ at: z.literal("creating") });
const refused = z.strictObject({
	at: z.literal("refused"),
	reason: z.enum([
		"provider-refused",
		"provider-silent",
		"record-wrong"
	]),
	detail: z.string().nullable()
});
/** Set once the owner does not want the swap any more. */
const cancelled$1 = z.literal(true).exactOptional();
// ../..engine/taker/vhtlc-source/shape.ts
const txid$5 = z.string();
/** What is watched at our script, beside the deal. */
const watched = {
	said: lastWord,
	coins: z.array(stray),
	expiresAt: unix.nullable(),
	proof: z.strictObject({ claimTxid: txid$5.nullable() }).nullable(),
	cancelled: cancelled$1
};
/** The part of every state once there is a deal, by the leg that the provider gives. */
function dealtShape$1(target) {
	return {
		deal: z.strictObject({
			...dealFields,
			source: arkadeLeg,
			target
		}),
		...watched
	};
}
/** The states of a swap that begins with a VHTLC of ours, each with what is common to them. */
function vhtlcSourceStates(dealt) {
	return [
		z.strictObject({
			at: z.literal("waiting"),
			...dealt
		}),
		z.strictObject({
			at: z.literal("funded"),
			notBefore: unix.nullable(),
			declined: z.string().nullable(),
			...dealt
		}),
		z.strictObject({
			at: z.literal("asking"),
			coin: outpoint,
			...dealt
		}),
		z.strictObject({
			at: z.literal("refunding"),
			coin: outpoint,
			refundTxid: txid$5.nullable(),
			exit: z.literal(true).exactOptional(),
			halted: z.literal(true).exactOptional(),
			...dealt
		}),
		z.strictObject({
			at: z.literal("done"),
			refundTxid: txid$5.nullable(),
			over: z.boolean(),
			...dealt
		}),
		z.strictObject({
			at: z.literal("lapsed"),
			...dealt
		})
	];
}
// ../..engine/taker/arkade-evm/shape.ts
const terms$5 = exactly()(z.strictObject({
	...arkadeOrderFields,
	...evmOrderFields,
	targetAmount: z.bigint(),
	destination: evmAddress$1,
	exchange: exchangeTerms.exactOptional()
}));
const txid$4 = z.string();
const base$1 = {
	...dealtShape$1(evmLeg),
	lockTxid: txid$4.nullable(),
	unsafe: z.string().nullable(),
	claimTxid: txid$4.nullable(),
	takenBack: z.boolean(),
	price: z.strictObject({
		since: unix,
		by: z.enum(["provider", "node"]),
		reason: z.string(),
		reverts: z.number()
	}).exactOptional(),
	arrived: z.strictObject({
		wanted: z.bigint(),
		locked: z.bigint()
	}).exactOptional()
};
const progress$5 = exactly()(z.discriminatedUnion("at", [
	creating,
	refused,
	...vhtlcSourceStates(base$1),
	z.strictObject({
		at: z.literal("claiming"),
		by: z.enum(["provider", "node"]),
		since: unix,
		sent: txid$4.nullable(),
		declined: z.string().nullable(),
		alone: z.boolean().exactOptional(),
		...base$1
	}),
	z.strictObject({
		at: z.literal("claimed"),
		...base$1
	})
]));
const shape$5 = {
	terms: shapeOf(terms$5),
	progress: shapeOf(progress$5)
};
// ../..engine/taker/steps.ts
const create = {
	step: "create",
	reachedBy: ["waiting", "refused"]
};
/** The way of a swap that was never paid; `ends` are the states in which it is over. */
function closedBy(...ends) {
	return [create, {
		step: "closed",
		reachedBy: ends
	}];
}
const closed$3 = closedBy("lapsed", "refused");
/** What was paid comes back with the provider's signature, or alone; `back` is the state in which it has. */
function takenBack$1(begin, back) {
	return [
		...begin,
		{
			step: "sign-refund",
			reachedBy: ["refunding", back]
		},
		{
			step: "refund",
			reachedBy: [back]
		},
		{
			step: "returned",
			reachedBy: [back]
		}
	];
}
/** Nothing is agreed yet, or never paid. */
function unpaidSteps({ at }, t, way, shut = closed$3) {
	switch (at) {
		case "creating": return going("creating", {
			who: "provider",
			step: "create",
			until: t.createBefore
		}, way);
		case "refused": return over$3("refused", shut);
		case "lapsed": return over$3("unpaid", shut);
	}
}
/** The provider wants it no more; what is sent to it all the same comes back at the locktime. */
function shutUntil(until, shut = closed$3) {
	return going("wait", {
		who: "nobody",
		step: "closed",
		until
	}, shut);
}
/** The provider is asked for its signature. */
function signing(until, back) {
	return going("refund", {
		who: "provider",
		step: "sign-refund",
		until
	}, back);
}
/** It has declined, or cannot be asked: the locktime gives it back. */
function unsigned(until, back) {
	return going("refund", {
		who: "nobody",
		step: "await-refund",
		until
	}, back, "sign-refund");
}
function refunding(back) {
	return going("refund", {
		who: "node",
		step: "refund",
		until: null
	}, back);
}
// ../..engine/taker/arkade-evm/steps.ts
const begin$4 = [create, {
	step: "pay",
	reachedBy: [
		"funded",
		"claiming",
		"done"
	]
}];
const claimed$1 = [
	...begin$4,
	{
		step: "lock",
		reachedBy: ["claiming", "claimed"]
	},
	{
		step: "claim",
		reachedBy: ["claimed", "done"]
	},
	{
		step: "finished",
		reachedBy: ["claimed", "done"]
	}
];
const back$3 = takenBack$1(begin$4, "done");
const exchanged = [
	...claimed$1.slice(0, 3),
	{
		step: "exchange",
		reachedBy: ["claimed", "done"]
	},
	...claimed$1.slice(3)
];
/** Whose turn it is and what comes after. What we bought is ours once its claim is buried, whatever the provider does then. */
function arkadeEvmSteps(p, t) {
	switch (p.at) {
		case "creating":
		case "refused":
		case "lapsed": return unpaidSteps(p, t, claimed$1);
		case "claimed": return over$3("finished", claimed$1);
		case "done":
			if (p.claimTxid !== null) return over$3("finished", claimed$1);
			return p.takenBack && p.proof !== null ? over$3("lost", back$3) : over$3("returned", back$3);
		case "waiting": return p.said === "expired" || p.cancelled === true ? shutUntil(p.deal.source.vhtlc.refundLocktime) : going("pay", {
			who: "you",
			step: "pay",
			until: payableUntil$1(t)
		}, claimed$1);
		case "funded": return funded$2(p, t);
		case "claiming": {
			const until = unix$1(Number(p.deal.target.lock.timelock));
			return going("claim", {
				who: p.by === "provider" ? "provider" : "node",
				step: "claim",
				until
			}, claimed$1);
		}
		case "asking": return signing(p.deal.source.vhtlc.refundLocktime, back$3);
		case "refunding": return refunding(back$3);
	}
}
function funded$2(p, t) {
	const until = p.deal.source.vhtlc.refundLocktime;
	if (p.declined !== null || p.takenBack) return unsigned(until, back$3);
	if (p.proof !== null || payerIsOut.has(p.said)) return signing(until, back$3);
	if (p.price !== void 0 && p.lockTxid !== null && p.unsafe === null) return going("wait", {
		who: "node",
		step: "exchange",
		until: lockedTokenFrom(p, t)
	}, exchanged);
	return going("wait", {
		who: "provider",
		step: "lock",
		until
	}, claimed$1);
}
// ../..engine/domain/token.ts
function bitcoinOn(chain) {
	return {
		chain,
		decimals: 8,
		name: "Bitcoin",
		symbol: "BTC",
		token_id: "btc"
	};
}
// ../..engine/taker/arkade-evm/verify.ts
/** Above a quarter of the source the difference is no fee any more. */
const mostCostBps = 2500n;
/** What comes out: the token of the lock, all of it, or as much of another one as was agreed. */
function wrongTarget(record, { targetAmount, exchange }) {
	const target = BigInt(record.target_amount);
	if (exchange === void 0) return objection(target >= targetAmount, `it pays out ${target} units, at least ${targetAmount} were agreed`) ?? objection(record.evm_expected_sats === record.target_amount, `its lock would hold ${record.evm_expected_sats} units, it pays out ${record.target_amount}`);
	const least = leastOut(target, exchange.slippageBps);
	const fees = record.fee_sats;
	return objection(least >= exchange.least, `${least} units would arrive at least, ${exchange.least} were agreed`) ?? objection(BigInt(fees) <= exchange.mostFees, `its fees are ${fees} sats, ${exchange.mostFees} were quoted`);
}
function wrongAmounts(record, terms) {
	if ([record.target_amount, record.evm_expected_sats].some((text) => !/^\d{1,40}$/.test(text))) return "its amounts are more than there is";
	const cost = terms.sourceAmount - satsDown(BigInt(record.evm_expected_sats), terms);
	const rounded = terms.pegged.decimals > 8 ? 1n : 0n;
	const fees = BigInt(record.fee_sats);
	return objection(record.source_amount === terms.sourceAmount.toString(), `it asks for ${record.source_amount} sats, ${terms.sourceAmount} were agreed`) ?? wrongTarget(record, terms) ?? objection(cost === fees || cost === fees + rounded, `its fees of ${fees} sats are not the ${cost} that its lock is short of what it asks for`) ?? objection(cost * 10000n <= terms.sourceAmount * mostCostBps, `its fees take ${cost} of ${terms.sourceAmount} sats, more than a quarter`);
}
/** Our own coins must not be locked for absurdly long, and the lock must leave us time to claim however late we pay. */
function wrongTimes$3(record, terms, now) {
	const { policy, chain, exchange } = terms;
	const locktime = record.vhtlc_refund_locktime;
	const timelock = record.evm_refund_locktime;
	const time = evmTime(now, chain);
	const needed = policy.leastClaimTime + (exchange === void 0 ? 0 : policy.margin);
	if (time === null) return "the clock of the EVM chain, by which its lock is judged, cannot be read now";
	return objection(!locktimePassed(unix$1(locktime), now.bitcoin), `its refund locktime ${locktime} has passed`) ?? objection(locktime <= laterOf(now) + policy.longestLeg, `its refund opens at ${locktime} only, more than ${policy.longestLeg} seconds from now`) ?? objection(timelock >= time + needed, `its lock can be taken back at ${timelock}, less than ${needed} seconds from now`) ?? objection(timelock < locktime, `its lock can be taken back at ${timelock} only, after our own refund at ${locktime}: no provider locks that`);
}
function wantedInfo(terms) {
	return terms.exchange === void 0 ? peggedInfo(terms) : tokenInfo$1(terms.chain, terms.exchange.token);
}
/** Where we would send coins, or the sentence for which nobody is shown the address. */
function verifyArkadeEvm(given, terms, now) {
	const record = read(arkadeEvmRecord, given);
	if (isRefusal(record)) return record;
	const wrong = wrongFrame(record, terms, {
		source: bitcoinOn("Arkade"),
		target: wantedInfo(terms)
	}) ?? wrongLock(record, terms) ?? wrongAmounts(record, terms) ?? wrongHash(record, terms) ?? objection(record.sender_pk === toHex(terms.key), "its refund key is not ours") ?? objection(record.target_evm_address !== void 0 && isAddress(record.target_evm_address, terms.destination), "its destination is not ours") ?? objection(record.bridge_target_chain === void 0 && record.bridge_target_token_address === void 0, "it goes on over a bridge that nobody asked for") ?? objection(record.btc_claim_txid === void 0 && record.btc_fund_txid === void 0, "it names transactions although nothing was paid") ?? wrongTimes$3(record, terms, now);
	if (wrong !== null) return distrust(wrong);
	const contracts = pairIn(record, terms);
	const service = serviceIn(record, terms);
	if (contracts === null || service === null) return distrust("its lock is none that this node knows");
	const vhtlc = deriveVhtlc({
		...record,
		arkade_vhtlc_address: record.btc_vhtlc_address
	}, terms, {
		sender: keyIn(toHex(terms.key)),
		receiver: keyIn(record.receiver_pk)
	});
	if (isRefusal(vhtlc)) return vhtlc;
	const amount = BigInt(record.evm_expected_sats);
	return {
		swapId: record.id,
		costs: [{
			part: "service",
			sats: BigInt(record.fee_sats)
		}],
		source: {
			on: "arkade",
			amount: terms.sourceAmount,
			...vhtlc
		},
		target: {
			on: "evm",
			amount,
			network: terms.chain,
			contracts,
			lock: {
				preimageHash: terms.hash,
				amount,
				token: terms.pegged.address,
				refundAddress: service,
				claimAddress: terms.account,
				timelock: BigInt(record.evm_refund_locktime)
			}
		}
	};
}
// ../..engine/taker/arkade-evm/machine.ts
function takeArkadeEvmEffects(t) {
	return createAt(t, "arkade-evm", {
		arkade_htlc_script_version: 1,
		claiming_address: checksummed(t.account),
		evm_chain_id: chainIdOf(t.chain),
		hash_lock: `0x${toHex(t.hash)}`,
		refund_pk: toHex(t.key),
		target_address: checksummed(t.destination),
		token_address: checksummed((t.exchange?.token ?? t.pegged).address),
		user_id: t.userId,
		amount_in: Number(t.sourceAmount),
		gasless: t.gasless
	});
}
/** What is known of the provider's lock stays, whatever becomes of our coins. */
function beside$1(outcome, target) {
	return outcome === "stay" ? "stay" : {
		...outcome,
		progress: {
			...outcome.progress,
			...targetOf(target)
		}
	};
}
/** A refund is never begun while the secret is out, and a coin that the provider takes for it is the provider's. */
function whenCoinsOfClaim(t, p, event, now) {
	const outcome = whenCoinsSeen$1(t, {
		...baseOf$1(p),
		at: "funded",
		notBefore: null,
		declined: null
	}, event, now);
	if (outcome === "stay") return "stay";
	const { coins, expiresAt, proof } = outcome.progress;
	if (p.at === "claimed" && proof !== null) return {
		...outcome,
		progress: {
			...outcome.progress,
			...targetOf(p)
		}
	};
	return {
		...outcome,
		progress: {
			...p,
			coins,
			expiresAt,
			proof
		}
	};
}
function step$5(t, p, event, now) {
	if (p.at === "creating") return whenCreating(t, event, now, {
		verify: (record) => verifyArkadeEvm(record, t, now),
		begin: (deal) => ({
			at: "waiting",
			deal,
			said: "pending",
			coins: [],
			expiresAt: null,
			proof: null,
			...nothingLocked
		})
	});
	if (p.at === "refused") return "stay";
	if (event.is === "vhtlc.seen") return p.at === "claiming" || p.at === "claimed" ? whenCoinsOfClaim(t, p, event, now) : beside$1(whenCoinsSeen$1(t, p, event, now), p);
	if (event.is === "evm.arrived") return whenArrived(p, event);
	switch (p.at) {
		case "waiting":
			if (event.is === "evm.seen") return whenLockSeen$2(t, p, event, now);
			if (event.is === "cancel.requested") return cancelled$2(p);
			if (event.is === "provider.seen") return event.status === p.said ? "stay" : move({
				...p,
				said: event.status
			});
			return event.is === "clock" && lockOpen$1(p, now) ? move({
				at: "lapsed",
				...baseOf$1(p)
			}) : "stay";
		case "funded": return event.is === "evm.seen" ? whenLockSeen$2(t, p, event, now) : beside$1(whenFunded(t, p, event, now), p);
		case "claiming": return whenClaiming$4(t, p, event, now);
		case "claimed": return event.is === "clock" && lockOpen$1(p, now) ? move({
			at: "done",
			refundTxid: null,
			over: true,
			...baseOf$1(p)
		}) : "stay";
		case "asking": return beside$1(whenAsking$1(t, p, event, now), p);
		case "refunding": return beside$1(whenRefunding$2(t, p, event, now), p);
		case "done": return event.is === "clock" && !p.over && lockOpen$1(p, now) ? move({
			...p,
			over: true
		}) : "stay";
		case "lapsed": return "stay";
	}
}
function watches$5(t, p) {
	if (p.at === "creating" || p.at === "refused") return [];
	const { target } = p.deal;
	const { vhtlc, queue, provider } = sourceWatches(t, p);
	const lock = {
		on: "evm-lock",
		network: t.chain,
		htlc: target.contracts.htlc,
		hash: t.hash,
		wanted: {
			are: "one",
			key: swapKey(target.lock)
		},
		since: t.since,
		agreed: t.agreed
	};
	switch (p.at) {
		case "waiting": return [
			vhtlc,
			lock,
			provider
		];
		case "funded": return p.claimTxid === null && !p.takenBack ? [
			vhtlc,
			queue,
			lock,
			provider
		] : [
			vhtlc,
			queue,
			provider
		];
		case "claiming": return [
			vhtlc,
			lock,
			provider,
			...p.sent === null ? [] : [{
				on: "evm-sent",
				network: t.chain,
				purpose: "taker-claim",
				txid: p.sent
			}]
		];
		case "asking":
		case "refunding": return [vhtlc, queue];
		default: return [vhtlc];
	}
}
function deadline$5(t, p) {
	switch (p.at) {
		case "creating": return t.createBefore;
		case "claiming": return claimDeadline(p);
		case "waiting":
		case "funded":
		case "asking":
		case "claimed": return p.deal.source.vhtlc.refundLocktime;
		case "done": return p.over ? null : p.deal.source.vhtlc.refundLocktime;
		default: return null;
	}
}
function status$5(p) {
	switch (p.at) {
		case "creating":
		case "waiting":
		case "refused":
		case "lapsed": return unpaidStatus(p);
		case "claiming": return p.claimTxid === null ? "clientredeeming" : "clientredeemed";
		case "claimed": return "clientredeemed";
		case "funded":
		case "asking":
		case "refunding":
			if (p.claimTxid !== null) return p.proof === null ? "clientredeemed" : "serverredeemed";
			return repeated(p.said, whileLocked);
		case "done":
			if (p.claimTxid === null) return "clientrefunded";
			return p.proof === null ? "clientredeemed" : "serverredeemed";
	}
}
function open$2(_, p) {
	if (p.at === "done") return !p.over || hasUnspent(p.coins) && p.claimTxid === null;
	return p.at !== "refused" && p.at !== "lapsed";
}
const takeArkadeEvm = clientMachine({
	name: "take-arkade-evm",
	shape: shape$5,
	step: step$5,
	watches: watches$5,
	deadline: deadline$5,
	status: status$5,
	open: open$2,
	rescue: rescue$4
}, arkadeEvmSteps);
// ../..engine/taker/restore/operator.ts
/** Seconds: off regtest no operator that we work with was ever content with less (facts/arkade.md 2). */
const shortestReal = 86016;
const shortestOnRegtest = 512;
/**
* The operator as a record may honestly know it: one of its signers of before, an exit delay that it raised since. The address of the VHTLC
* still has to follow from it, and only what was paid under that address is ever looked for.
*
* At our own source the delays bind nothing but the provider's way out. At our target the shortest of them is ours, and the provider's
* must be longer: a record that says otherwise would have the secret for a coin that the provider may take at the same moment.
*/
function operatorThen(record, now, { side, network }) {
	const signer = now.former.find((one) => sameBytes(one, keyIn(record.arkade_server_pk))) ?? now.signer;
	const ours = record.unilateral_claim_delay;
	const theirs = record.unilateral_refund_without_receiver_delay;
	const shortest = Math.min(ours, record.unilateral_refund_delay, theirs);
	return {
		signer,
		exitDelay: side === "source" || shortest >= (network === "regtest" ? shortestOnRegtest : shortestReal) && ours < theirs ? seconds$1(Math.min(now.exitDelay, shortest)) : now.exitDelay
	};
}
// ../..engine/taker/restore/restoring.ts
/** What came to a record after the create. */
const later = /* @__PURE__ */ new Set([
	"index",
	"direction",
	"surplus_amount",
	"returned_amount",
	"arkade_fund_txid",
	"arkade_claim_txid",
	"btc_fund_txid",
	"btc_fund_vout",
	"btc_claim_txid",
	"evm_fund_txid",
	"evm_claim_txid"
]);
/** The answer to the create, as far as it can be had from what a swap is now. `instead`: what nothing of ours goes by any more. */
function asCreated(given, instead = {}) {
	const fields = typeof given === "object" && given !== null ? Object.entries(given) : [];
	return {
		...Object.fromEntries(fields.filter(([name]) => !later.has(name))),
		status: "pending",
		...instead
	};
}
/** Read as its direction says it, as it was when it was made. */
function readCreated(schema, given) {
	return read(schema, asCreated(given));
}
/** A decimal text that a record says, in sats. */
function satsIn(text) {
	return /^\d{1,16}$/.test(text) ? sats$2(BigInt(text)) : distrust("its amounts are more than there is");
}
/** Both amounts of a record that says them in sats. */
function amountsIn(record) {
	const sourceAmount = satsIn(record.source_amount);
	if (isRefusal(sourceAmount)) return sourceAmount;
	const targetAmount = satsIn(record.target_amount);
	return isRefusal(targetAmount) ? targetAmount : {
		sourceAmount,
		targetAmount
	};
}
// ../..engine/taker/arkade-evm/recovered.ts
const restorable$5 = {
	ours: "sender_pk",
	async recovered(given, from) {
		const record = readCreated(arkadeEvmRecord, given);
		if (isRefusal(record)) return record;
		const sourceAmount = satsIn(record.source_amount);
		if (isRefusal(sourceAmount)) return sourceAmount;
		if (![record.target_amount, record.evm_expected_sats].every((text) => /^\d{1,40}$/.test(text))) return distrust("its amounts are more than there is");
		const chain = await from.evm(record.evm_chain_id, record.client_evm_address, sourceAmount);
		if (isRefusal(chain)) return chain;
		const target = await targetIn(record, chain, from);
		if (isRefusal(target)) return target;
		return {
			record: asCreated(given, {
				target_evm_address: checksummed(chain.account),
				target_amount: target.amount.toString(),
				...target.instead ? { target_token: peggedInfo(chain) } : {}
			}),
			value: sourceAmount,
			terms: {
				...from.agreed,
				...chain,
				gasless: true,
				operator: operatorThen(record, from.operator(), {
					side: "source",
					network: from.agreed.network
				}),
				hash: sha256Of(from.secret),
				sourceAmount,
				targetAmount: target.amount,
				destination: chain.account,
				...target.exchange === void 0 ? {} : { exchange: target.exchange }
			}
		};
	}
};
/**
* What is claimed: another token than that of the lock only where the owner named it and it has a price. The word of the record alone would have us exchange
* for what its provider made, or for nothing (facts/faults.md 112): at least what our own exchange brings now, with the tolerance of an order, has to arrive.
*/
async function targetIn(record, { pegged }, from) {
	const address = readEvmAddress(record.target_token.token_id);
	const inRecord = BigInt(record.target_amount);
	if (address === null) return distrust("its target token is none");
	if (sameBytes(address, pegged.address)) return {
		amount: inRecord,
		instead: false
	};
	const locked = {
		amount: BigInt(record.evm_expected_sats),
		instead: true
	};
	const exchange = await from.exchange(record.evm_chain_id, address);
	if (isRefusal(exchange)) return exchange.refusal === "unavailable" ? exchange : locked;
	const { token, slippageBps } = exchange;
	const brings = await exchange.brings(locked.amount);
	if (isRefusal(brings)) return locked;
	const borne = leastOut(brings, lessBps(0));
	const amount = inRecord > borne ? inRecord : borne;
	return {
		amount,
		exchange: {
			token,
			slippageBps,
			least: leastOut(amount, slippageBps),
			mostFees: sats$2(BigInt(record.fee_sats))
		},
		instead: false
	};
}
// ../..engine/taker/arkade-evm/order.ts
async function order$5({ request, ...from }) {
	const operator = from.operator();
	const chain = await orderOnEvm(request, from, request.amount, true);
	if (isRefusal(chain)) return chain;
	const destination = request.evm?.destination ?? null;
	if (destination === null) return refuse("invalid", "target_address is required for a swap to an EVM chain: send where the tokens shall go.");
	if (chain.pairs.some((pair) => isDeadAddress(destination, pair, [chain.pegged.address, chain.wanted.address]))) return refuse("invalid", `target_address is ${checksummed(destination)}, which is nobody's who could use the tokens: send an account of your own.`);
	const quoted = await from.provider.quoteOnEvm("arkade-evm", chain, {
		side: "source",
		amount: request.amount
	});
	if (isRefusal(quoted)) return quoted;
	const exchange = chain.exchange === null ? null : await agreedExchange(chain.exchange, {
		chain,
		source: request.amount,
		quoted,
		agreed: request.leastTarget
	});
	if (isRefusal(exchange)) return exchange;
	return {
		value: request.amount,
		terms: (agreed, secret) => ({
			...agreed,
			...chain.termsFor(agreed.keyIndex),
			operator,
			hash: sha256Of(secret),
			sourceAmount: request.amount,
			targetAmount: quoted.target,
			destination,
			...exchange === null ? {} : { exchange }
		})
	};
}
/** We fund a VHTLC, the provider locks tokens on an EVM chain, and we claim them with a secret of ours. */
const takenArkadeEvm = {
	source: "Arkade",
	target: "evm",
	needs: ["arkade", "bitcoin"],
	exchanges: true,
	secret: "ours",
	machine: () => takeArkadeEvm,
	order: order$5,
	effects: takeArkadeEvmEffects,
	facts: arkadeEvmFacts,
	steps: arkadeEvmSteps,
	lateScript: (progress) => "deal" in progress ? progress.deal.source.script : null,
	restorable: restorable$5,
	neverRefunded: null
};
// ../..engine/legs/lightning/invoice.ts
/** One satoshi, in the unit of Lightning. */
const msatPerSat = 1000n;
/** The amount in whole satoshis; refuses what no other leg could match exactly (facts/faults.md 28). */
function invoiceSats(invoice) {
	if (invoice.amountMsat === null) return refuse("invalid", "lightning_invoice carries no amount. Ask the payee for an invoice with the amount in it.");
	if (invoice.amountMsat === 0n) return refuse("invalid", "lightning_invoice asks for 0 sats. Ask the payee for an invoice with an amount above zero.");
	if (invoice.amountMsat % 1000n !== 0n) return refuse("invalid", `lightning_invoice asks for ${invoice.amountMsat} millisatoshis, which is not a whole number of satoshis. Ask for an invoice over whole satoshis.`);
	return sats$2(invoice.amountMsat / msatPerSat);
}
/** The first thing to hear of an invoice: that it asks for the bitcoin of another network. Null where it is of this one. */
function foreignInvoice(of, network) {
	if (of === network) return null;
	return refuse("invalid", `lightning_invoice is for another network (${of}); this node is on ${network}. Ask for an invoice on ${network}.`);
}
/**
* The rules of facts/clients.md 6 and of facts/faults.md 28, in the order in which a person would want to hear of them.
* Answers the amount to pay out. Wrong: the client funds a leg whose payment cannot be made, or is made to itself.
*/
function checkInvoice(invoice, rules) {
	const foreign = foreignInvoice(invoice.network, rules.network);
	if (foreign !== null) return foreign;
	const amount = invoiceSats(invoice);
	if (typeof amount !== "bigint") return amount;
	if (rules.targetAmount !== null && rules.targetAmount !== amount) return refuse("invalid", `target_amount_sats is ${rules.targetAmount}, but lightning_invoice asks for ${amount}. Leave target_amount_sats out or give the invoice's amount.`);
	if (invoice.expiresAt <= rules.now) return refuse("invalid", `lightning_invoice expired at ${invoice.expiresAt}; it is ${rules.now} now. Ask for a new invoice.`);
	const needed = after(after(rules.now, rules.fundingWindow), invoiceSpare);
	if (invoice.expiresAt < needed) return refuse("invalid", `lightning_invoice expires at ${invoice.expiresAt}, before the swap could be funded and paid (${needed}). Ask for an invoice that is valid for longer.`);
	if (rules.ownNode !== null && sameBytes(invoice.payee, rules.ownNode)) return refuse("invalid", "lightning_invoice was made by the Lightning node of this service, which cannot pay itself. Give an invoice of another node.");
	return amount;
}
// ../..engine/taker/arkade-lightning/facts.ts
function arkadeLightningFacts(t, p, now) {
	const to = {
		own: false,
		text: t.bolt11
	};
	if (p.at === "creating" || p.at === "refused") return openingFacts(p, {
		give: bitcoinSide("arkade", t.sourceAmount),
		get: bitcoinSide("lightning", t.targetAmount),
		to
	}, furthest(now.bitcoin).mtp);
	const { source, target } = p.deal;
	const payUntil = invoicePayableUntil(target.expiresAt);
	const declined = p.at === "funded" ? p.declined : null;
	return {
		give: bitcoinSide("arkade", source.amount),
		get: bitcoinSide("lightning", target.amount),
		to,
		paid: vhtlcPaid(p),
		pay: p.at === "waiting" ? payVhtlc(p, payUntil) : null,
		times: vhtlcTimes(p, now, {
			payUntil,
			normalUntil: payoutOver(source.vhtlc.refundLocktime, t.policy)
		}),
		refund: vhtlcRefund(p, now, p.proof !== null),
		transactions: vhtlcMoves(p),
		reason: declined === null ? null : "refund-declined",
		detail: declined
	};
}
// ../..engine/taker/arkade-lightning/shape.ts
const terms$4 = exactly()(z.strictObject({
	...arkadeOrderFields,
	bolt11: z.string(),
	invoiceExpiresAt: unix
}));
const progress$4 = exactly()(z.discriminatedUnion("at", [
	creating,
	refused,
	...vhtlcSourceStates(dealtShape$1(lightningLeg))
]));
const shape$4 = {
	terms: shapeOf(terms$4),
	progress: shapeOf(progress$4)
};
// ../..engine/taker/arkade-lightning/steps.ts
const begin$3 = [create, {
	step: "pay",
	reachedBy: ["funded", "done"]
}];
const paidOut$1 = [
	...begin$3,
	{
		step: "pay-out",
		reachedBy: ["done"]
	},
	{
		step: "finished",
		reachedBy: ["done"]
	}
];
const back$2 = takenBack$1(begin$3, "done");
/** Whose turn it is and what comes after. */
function arkadeLightningSteps(p, t) {
	switch (p.at) {
		case "creating":
		case "refused":
		case "lapsed": return unpaidSteps(p, t, paidOut$1);
		case "done": return p.proof === null ? over$3("returned", back$2) : over$3("finished", paidOut$1);
		case "waiting": return p.said === "expired" || p.cancelled === true ? shutUntil(p.deal.source.vhtlc.refundLocktime) : going("pay", {
			who: "you",
			step: "pay",
			until: invoicePayableUntil(p.deal.target.expiresAt)
		}, paidOut$1);
		case "funded": return funded$1(p);
		case "asking": return signing(p.deal.source.vhtlc.refundLocktime, back$2);
		case "refunding": return refunding(back$2);
	}
}
function funded$1(p) {
	const until = p.deal.source.vhtlc.refundLocktime;
	if (p.declined !== null) return unsigned(until, back$2);
	return p.proof !== null || payerIsOut.has(p.said) ? signing(until, back$2) : going("wait", {
		who: "provider",
		step: "pay-out",
		until
	}, paidOut$1);
}
// ../..engine/taker/arkade-lightning/verify.ts
/** Where we would send coins, or the sentence for which nobody is shown the address. */
function verifyArkadeLightning(given, terms, now) {
	const record = read(arkadeLightningRecord, given);
	if (isRefusal(record)) return record;
	const { policy } = terms;
	const locktime = record.vhtlc_refund_locktime;
	const wrong = wrongFrame(record, terms, {
		source: bitcoinOn("Arkade"),
		target: bitcoinOn("Lightning")
	}) ?? wrongAmounts$1(record, terms) ?? wrongHash(record, terms) ?? objection(record.sender_pk === toHex(terms.key), "its refund key is not ours") ?? objection(record.client_lightning_invoice.toLowerCase() === terms.bolt11, "the invoice that it would pay is not ours") ?? objection(record.target_amount === terms.targetAmount.toString(), `it would pay ${record.target_amount} sats, the invoice asks for ${terms.targetAmount}`) ?? objection(record.invoice_expires_at === terms.invoiceExpiresAt, `it says that the invoice expires at ${record.invoice_expires_at}, it expires at ${terms.invoiceExpiresAt}`) ?? objection(terms.invoiceExpiresAt >= now.wall + leastTimeToPay, `the invoice expires at ${terms.invoiceExpiresAt}, too soon to be paid`) ?? objection(!locktimePassed(unix$1(locktime), now.bitcoin), `its refund locktime ${locktime} has passed`) ?? objection(locktime <= laterOf(now) + policy.longestLeg, `its refund opens at ${locktime} only, more than ${policy.longestLeg} seconds from now`);
	if (wrong !== null) return distrust(wrong);
	const leg = deriveVhtlc(record, terms, {
		sender: keyIn(toHex(terms.key)),
		receiver: keyIn(record.receiver_pk)
	});
	if (isRefusal(leg)) return leg;
	return {
		...frameOf(record),
		source: {
			on: "arkade",
			amount: sats$2(BigInt(record.source_amount)),
			...leg
		},
		target: {
			on: "lightning",
			amount: terms.targetAmount,
			bolt11: terms.bolt11,
			expiresAt: terms.invoiceExpiresAt
		}
	};
}
// ../..engine/taker/arkade-lightning/machine.ts
function takeArkadeLightningEffects(t) {
	return createAt(t, "arkade-lightning", {
		arkade_htlc_script_version: 1,
		refund_pk: toHex(t.key),
		user_id: t.userId,
		lightning_invoice: t.bolt11
	});
}
function whenWaiting$2(p, event, now) {
	if (event.is === "cancel.requested") return cancelled$2(p);
	if (event.is === "provider.seen") return event.status === p.said ? "stay" : move({
		...p,
		said: event.status
	});
	return event.is === "clock" && lockOpen$1(p, now) ? move({
		at: "lapsed",
		...dealtOf$3(p)
	}) : "stay";
}
function step$4(t, p, event, now) {
	if (p.at === "creating") return whenCreating(t, event, now, {
		verify: (record) => verifyArkadeLightning(record, t, now),
		begin: (deal) => ({
			at: "waiting",
			deal,
			said: "pending",
			coins: [],
			expiresAt: null,
			proof: null
		})
	});
	if (p.at === "refused") return "stay";
	if (event.is === "vhtlc.seen") return whenCoinsSeen$1(t, p, event, now);
	switch (p.at) {
		case "waiting": return whenWaiting$2(p, event, now);
		case "funded": return whenFunded(t, p, event, now);
		case "asking": return whenAsking$1(t, p, event, now);
		case "refunding": return whenRefunding$2(t, p, event, now);
		case "done": return event.is === "clock" && !p.over && lockOpen$1(p, now) ? move({
			...p,
			over: true
		}) : "stay";
		case "lapsed": return "stay";
	}
}
function watches$4(t, p) {
	if (p.at === "creating" || p.at === "refused") return [];
	const { vhtlc, queue, provider } = sourceWatches(t, p);
	switch (p.at) {
		case "waiting": return [vhtlc, provider];
		case "funded": return [
			vhtlc,
			queue,
			provider
		];
		case "asking":
		case "refunding": return [vhtlc, queue];
		default: return [vhtlc];
	}
}
function deadline$4(t, p) {
	switch (p.at) {
		case "creating": return t.createBefore;
		case "waiting":
		case "funded":
		case "asking": return p.deal.source.vhtlc.refundLocktime;
		case "done": return p.over ? null : p.deal.source.vhtlc.refundLocktime;
		default: return null;
	}
}
const believable$2 = /* @__PURE__ */ new Set([...whilePaid, "clientredeemed"]);
function status$4(p) {
	if ("proof" in p && p.proof !== null) return "serverredeemed";
	switch (p.at) {
		case "creating":
		case "waiting":
		case "refused":
		case "lapsed": return unpaidStatus(p);
		case "funded":
		case "asking":
		case "refunding": return repeated(p.said, believable$2);
		case "done": return "clientrefunded";
	}
}
function open$1(_, p) {
	if (p.at === "done") return !p.over;
	return p.at !== "refused" && p.at !== "lapsed";
}
const takeArkadeLightning = clientMachine({
	name: "take-arkade-lightning",
	shape: shape$4,
	step: step$4,
	watches: watches$4,
	deadline: deadline$4,
	status: status$4,
	open: open$1,
	rescue: rescueOfSource
}, arkadeLightningSteps);
// ../..engine/taker/arkade-lightning/recovered.ts
const restorable$4 = {
	ours: "sender_pk",
	async recovered(given, from) {
		const record = readCreated(arkadeLightningRecord, given);
		if (isRefusal(record)) return record;
		const amounts = amountsIn(record);
		if (isRefusal(amounts)) return amounts;
		const invoice = from.decodeInvoice(record.client_lightning_invoice);
		if (isRefusal(invoice) || invoice.network !== from.agreed.network) return distrust("its invoice cannot be read, or is of another network");
		if (invoiceSats(invoice) !== amounts.targetAmount) return distrust("its invoice asks for another amount");
		return {
			record: asCreated(given),
			value: amounts.sourceAmount,
			terms: {
				...from.agreed,
				...amounts,
				operator: operatorThen(record, from.operator(), {
					side: "source",
					network: from.agreed.network
				}),
				hash: invoice.hash,
				bolt11: invoice.text,
				invoiceExpiresAt: invoice.expiresAt
			}
		};
	}
};
// ../..engine/taker/arkade-lightning/order.ts
async function order$4({ request, ...from }) {
	const invoice = from.decodeInvoice(request.invoice ?? "");
	if (isRefusal(invoice)) return invoice;
	const amount = checkInvoice(invoice, {
		network: from.network,
		now: from.wall,
		fundingWindow: seconds$1(0),
		ownNode: null,
		targetAmount: request.amount
	});
	if (isRefusal(amount)) return amount;
	const quoted = await from.provider.quote("arkade-lightning", {
		side: "target",
		amount
	});
	if (isRefusal(quoted)) return quoted;
	const operator = from.operator();
	return {
		value: quoted.source,
		terms: (agreed) => ({
			...agreed,
			operator,
			hash: invoice.hash,
			sourceAmount: quoted.source,
			targetAmount: amount,
			bolt11: invoice.text,
			invoiceExpiresAt: invoice.expiresAt
		})
	};
}
/** We fund a VHTLC, the provider pays an invoice, and takes our coins with the secret that proves it. */
const takenArkadeLightning = {
	source: "Arkade",
	target: "Lightning",
	needs: ["arkade", "bitcoin"],
	secret: "payee",
	machine: () => takeArkadeLightning,
	order: order$4,
	effects: takeArkadeLightningEffects,
	facts: arkadeLightningFacts,
	steps: arkadeLightningSteps,
	lateScript: (progress) => "deal" in progress ? progress.deal.source.script : null,
	restorable: restorable$4,
	neverRefunded: null
};
// ../..engine/taker/bitcoin-arkade/coins.ts
/** Coins that are kept in mind: anybody can send more. */
const mostCoins = 20;
/** Below it a coin does not pay for its own refund at one sat per virtual byte and leave an output that nodes relay. */
const leastRefund = sats$2(600);
/** A claim shows the provider's secret; then what is ours to take, and of that what costs its maker nothing, for it waits, behind what is mined. */
function rankOf({ height, spend }) {
	if (spend?.by === "claim") return 0;
	return 1 + ((spend?.height ?? null) === null ? 0 : 2) + (height === null ? 1 : 0);
}
/**
* What the chain shows at our HTLC, the largest first: of too many those that matter (facts/faults.md 96). A coin that is listed no more is
* gone: evicted, or reorganised away.
*/
function paidCoins({ confirmations }, { coins, height: tip }) {
	const largest = (a, b) => Number(b.amount - a.amount) || (outpointKey(a.outpoint) < outpointKey(b.outpoint) ? -1 : 1);
	return [...coins].sort((a, b) => rankOf(a) - rankOf(b) || largest(a, b)).slice(0, mostCoins).sort(largest).map(({ outpoint, amount, height, spend }) => ({
		outpoint,
		amount,
		mined: height !== null,
		deep: height !== null && confirmationsAt(height, tip) >= confirmations,
		spend: spend === null || spend.by === "unknown" ? null : {
			txid: spend.txid,
			by: spend.by,
			mined: spend.height !== null
		}
	}));
}
function sameCoins(a, b) {
	return a.length === b.length && a.every((one, i) => {
		const other = b[i];
		return other !== void 0 && sameOutpoint(one.outpoint, other.outpoint) && one.mined === other.mined && one.deep === other.deep && one.spend?.txid === other.spend?.txid && one.spend?.mined === other.spend?.mined;
	});
}
/** The provider has our secret, for it takes a coin with it. */
function isShown$1({ coins }) {
	return coins.some(({ spend }) => spend?.by === "claim");
}
/** By median time past, as every node of the chain judges it. */
function lockOpen({ deal }, now) {
	return safeToRefund({ refundLocktime: deal.source.htlc.refundLocktime }, now) === null;
}
/**
* The coin that is the provider's once the VHTLC is ours, while it has taken none: nobody may have both legs. It takes the one of exactly
* the amount before a larger one, and the older before the newer; what lies beside it is ours.
*/
function owedToProvider({ deal, coins, payout }) {
	if (payout === null || payout === "lost" || coins.some(({ spend }) => spend?.by === "claim")) return null;
	const enough = coins.filter(({ amount }) => amount >= deal.source.amount);
	return enough.find(({ amount }) => amount === deal.source.amount) ?? enough.at(-1) ?? null;
}
/** Mined, worth its fee, and not the provider's: what the locktime gives back to us. The largest first. */
function refundable(p) {
	const theirs = owedToProvider(p);
	return p.coins.find((coin) => coin.mined && isOurs(coin, theirs)) ?? null;
}
/** Something at the address is ours to take back, now or once it is mined. */
function hasOurs(p) {
	return ourCoins(p).length > 0;
}
function ourCoins(p) {
	const theirs = owedToProvider(p);
	return p.coins.filter((coin) => isOurs(coin, theirs));
}
/** A refund that waits in a mempool may be one that this database has forgotten: nobody else would raise its fee. */
function isOurs(coin, theirs) {
	const { spend } = coin;
	return (spend === null || spend.by === "refund" && !spend.mined) && coin.amount >= leastRefund && coin !== theirs;
}
// ../..engine/taker/bitcoin-arkade/terms.ts
/** In these the provider locks nothing any more, or has taken it back: our coin comes back at its locktime. */
const providerIsOut = /* @__PURE__ */ new Set([
	"expired",
	"clientinvalidfunded",
	"clientfundedtoolate",
	"serverwontfund",
	"clientrefunded",
	"clientfundedserverrefunded",
	"clientrefundedserverrefunded"
]);
function dealtOf$2(p) {
	return {
		deal: p.deal,
		said: p.said,
		coins: p.coins,
		payout: p.payout,
		lookUntil: p.lookUntil,
		...cancelOf(p)
	};
}
// ../..engine/taker/bitcoin-arkade/facts.ts
function payOf$1(p) {
	if (p.at !== "waiting" || providerIsOut.has(p.said) || p.lookUntil !== null || p.cancelled === true) return null;
	const { address, amount } = p.deal.source;
	return {
		kind: "bitcoin",
		text: address,
		uri: `bitcoin:${address}?amount=${bitcoinText(amount)}`,
		amount,
		until: p.deal.payBefore
	};
}
/** One clock judges both legs. Our coin on the chain never expires: what can be lost is the VHTLC, from the moment our secret is out. */
function timesOf$2(t, p, now) {
	const { source, target, payBefore } = p.deal;
	const normalUntil = revealUntil(target.vhtlc.refundLocktime, t.policy);
	const exposed = p.at === "claiming";
	return {
		...noTimes,
		now: furthest(now.bitcoin).mtp,
		payUntil: payBefore,
		normalUntil,
		refundAloneFrom: refundOpens(source.htlc.refundLocktime),
		dangerFrom: exposed ? normalUntil : null,
		last: exposed ? refundOpens(target.vhtlc.refundLocktime) : null
	};
}
const hadCoins = /* @__PURE__ */ new Set([
	"funded",
	"claimed",
	"refunding",
	"done",
	"lost"
]);
function paidOf$1(p) {
	const sum = (some) => some.reduce((total, { amount }) => total + amount, 0n);
	const ours = ourCoins(p);
	if (p.coins.length === 0) return hadCoins.has(p.at) ? {
		state: "unclear",
		amount: null
	} : notPaid;
	if (ours.length > 0) return {
		state: "stands",
		amount: sum(ours)
	};
	if (p.coins.some(({ spend }) => spend?.by === "claim") || p.payout !== null) return {
		state: "taken",
		amount: p.deal.source.amount
	};
	const back = p.coins.filter(({ spend }) => spend?.by === "refund");
	if (back.length > 0) return {
		state: "back",
		amount: sum(back)
	};
	return hadCoins.has(p.at) ? {
		state: "unclear",
		amount: null
	} : notPaid;
}
function refundOf$2(p, now) {
	const from = refundOpens(p.deal.source.htlc.refundLocktime);
	switch (p.at) {
		case "waiting":
		case "lapsed": return {
			state: "none",
			from,
			why: "nothing-paid"
		};
		case "refunding": return {
			state: "running",
			from,
			why: null
		};
		case "done": return {
			state: "done",
			from,
			why: null
		};
		case "claiming": return {
			state: "none",
			from: null,
			why: "spent"
		};
	}
	if (!hasOurs(p)) return {
		state: "none",
		from: null,
		why: "spent"
	};
	if (lockOpen(p, now)) return {
		state: "possible",
		from,
		why: "locktime-passed"
	};
	return {
		state: "later",
		from,
		why: p.at === "claimed" ? "surplus" : "locktime"
	};
}
function movedBy$2(p) {
	const { payout } = p;
	const isOurs = payout !== null && payout !== "lost";
	const lock = isOurs ? payout.coin : p.at === "claiming" ? p.coin : null;
	const signed = !isOurs && p.at === "claiming" ? p.claimTxid : null;
	const onChain = p.at === "claiming" && p.exit === true;
	const last = p.at === "refunding" ? p.spends.at(-1) : void 0;
	const sent = last === void 0 || p.coins.some(({ spend }) => spend?.txid === last) ? null : last;
	return [
		...p.coins.map(({ outpoint }) => ({
			what: "fund",
			network: "bitcoin",
			txid: outpoint.txid,
			whose: "you"
		})),
		...lock === null ? [] : [{
			what: "lock",
			network: "arkade",
			txid: lock.txid,
			whose: "provider"
		}],
		...isOurs ? [{
			what: "claim",
			network: onChain ? "bitcoin" : "arkade",
			txid: payout.claimTxid,
			whose: "you"
		}] : signedAs("claim", onChain ? "bitcoin" : "arkade", signed),
		...p.coins.flatMap(({ spend }) => spend === null ? [] : [{
			what: spend.by,
			network: "bitcoin",
			txid: spend.txid,
			whose: spend.by === "claim" ? "provider" : "you"
		}]),
		...signedAs("refund", "bitcoin", sent)
	];
}
function reasonOf$3(p) {
	switch (p.at) {
		case "refused": return {
			reason: p.reason,
			detail: p.detail
		};
		case "funded":
			if (isShown$1(p)) return {
				reason: "flagged",
				detail: null
			};
			return {
				reason: p.why === null ? null : "lock-unsafe",
				detail: p.why
			};
		case "lost": return {
			reason: "taken-back",
			detail: null
		};
		default: return {
			reason: null,
			detail: null
		};
	}
}
function bitcoinArkadeFacts(t, p, now) {
	const none = p.at === "creating" || p.at === "refused";
	return {
		give: bitcoinSide("bitcoin", none ? t.sourceAmount : p.deal.source.amount),
		get: bitcoinSide("arkade", none ? t.targetAmount : p.deal.target.amount),
		to: {
			own: true,
			text: t.targetAddress
		},
		paid: none ? notPaid : paidOf$1(p),
		pay: payOf$1(p),
		times: none ? {
			...noTimes,
			now: furthest(now.bitcoin).mtp
		} : timesOf$2(t, p, now),
		refund: none ? {
			state: "none",
			from: null,
			why: "nothing-paid"
		} : refundOf$2(p, now),
		transactions: none ? [] : movedBy$2(p),
		...reasonOf$3(p)
	};
}
// ../..engine/taker/vhtlc-target/claiming.ts
function ours(t, { deal: { target } }, coin) {
	return {
		terms: target.vhtlc,
		script: target.script,
		key: {
			branch: "taker",
			index: t.keyIndex
		},
		coin
	};
}
function claimEffect$1(t, p, coin) {
	return {
		do: "vhtlc.claim",
		...ours(t, p, coin)
	};
}
function takingOf(t, ends) {
	return {
		purpose: "claim",
		ours: (p) => ours(t, p, p.coin),
		sent: (p) => p.claimTxid,
		withSent: (p, claimTxid) => ({
			...p,
			claimTxid
		}),
		onlyIf: (p) => isShown(p, ends) ? void 0 : stillSafe(t, p),
		taken: (p, txid) => ends.claimed(p, txid),
		refused: (p, { txid, why, reason }) => (txid === null || why === "late") && !isShown(p, ends) ? ends.unsent(p, reason) : null,
		denied: "The operator reports the coin that we claim as spent by a transaction that fits none of its leaves."
	};
}
function isShown(p, ends) {
	return p.told === true || ends.shown(p);
}
/** What came back from the operator was with it, and our secret in it: from then on no claim is held back, and none given up. */
function withTold(p, event) {
	return event.is === "vhtlc.refused" && event.purpose === "claim" && event.txid !== null && event.why !== "late" && p.told !== true ? {
		...p,
		told: true
	} : p;
}
/** Signed and not sent: saved first, and judged once more at the moment of sending, however long the node slept. */
function stillSafe(t, { deal, coin }) {
	const { vhtlc, script, amount: targetAmount } = deal.target;
	const { refundLocktime } = vhtlc;
	return {
		notAfter: unix$1(refundLocktime - revealMargin(t.policy)),
		reveal: {
			script,
			outpoint: coin,
			targetAmount,
			refundLocktime,
			policy: t.policy
		}
	};
}
function whenClaiming$3(t, p, event, now, ends) {
	return event.is === "vhtlc.seen" ? whenSeen$2(t, p, event.coins, now, ends) : whileTaking(takingOf(t, ends), withTold(p, event), event) ?? "stay";
}
function whenSeen$2(t, p, coins, now, ends) {
	const coin = coins.find((seen) => sameOutpoint(seen.outpoint, p.coin));
	if (coin === void 0) return "stay";
	const step = whenCoinSeen$2(takingOf(t, ends), p, coin, now);
	if (step !== null) return isOwnYet(p, ends) && showsSecret(step) ? givenUp(p, coin, step, ends) : step;
	const spend = leafOf(coin);
	if (!coin.spent || spend === null || !stands(coin, now)) return "stay";
	if (spend.leaf !== "claim") return {
		...ends.lost(p),
		supersedes: true
	};
	if (p.claimTxid !== null && (p.exit === true || coin.spentIn === p.claimTxid)) return "stay";
	const txid = claimOf(t, coin);
	return txid === null ? "stay" : {
		...ends.claimed(p, txid),
		supersedes: true
	};
}
/** Nothing was signed, so that nobody but us has the secret. */
function isOwnYet(p, ends) {
	return p.claimTxid === null && p.exit !== true && !isShown(p, ends);
}
/** Through a batch and on the chain it leaves us whatever the time is: only what is sent to the operator is judged at that moment. */
function showsSecret({ effects }) {
	return effects.some((effect) => effect.do === "vhtlc.exit" || effect.do === "vhtlc.settle");
}
/** Called spent, or brought to the chain, before the secret was out: no such VHTLC is claimed, and what was given for it comes back (facts/faults.md 103). */
function givenUp(p, coin, step, ends) {
	const { flag, distrust } = step;
	const reason = coin.unrolled ? "the VHTLC was brought to the chain" : "the operator calls the VHTLC spent";
	return {
		...ends.unsent(p, reason),
		supersedes: true,
		...flag === void 0 ? {} : { flag },
		...distrust === void 0 ? {} : { distrust }
	};
}
/** The transaction by which this coin was claimed with our secret and signature; null when it was not. */
function claimOf(t, coin) {
	const spend = leafOf(coin);
	if (!coin.spent || spend?.leaf !== "claim" || spend.unsigned === true || preimageMatches(t.hash, spend.preimage) === null) return null;
	return coin.settledBy ?? coin.spentIn;
}
// ../..engine/taker/bitcoin-arkade/rest.ts
/** The state in which a swap waits, by what lies at its address and what became of the VHTLC. */
function rest(p) {
	const dealt = dealtOf$2(p);
	if (p.payout === "lost") return {
		at: "lost",
		over: false,
		...dealt
	};
	if (p.payout !== null) return {
		at: "claimed",
		over: false,
		...dealt
	};
	if (hasOurs(p) || isShown$1(p)) return {
		at: "funded",
		why: null,
		...dealt
	};
	return p.coins.some(({ spend }) => spend?.by === "refund") ? {
		at: "done",
		over: false,
		...dealt
	} : {
		at: "waiting",
		...dealt
	};
}
// ../..engine/taker/bitcoin-arkade/awaiting.ts
/**
* The provider's VHTLC decides, whatever anybody says: it is claimed when it is whole and there is time. A provider that has our secret
* already leaves no time to lose.
*/
function whenLockSeen$1(t, p, coins, now) {
	const { vhtlc, amount: targetAmount } = p.deal.target;
	const shown = isShown$1(p);
	let why = null;
	for (const coin of coins) {
		const claimTxid = claimOf(t, coin);
		if (claimTxid !== null) return move(rest({
			...dealtOf$2(p),
			payout: {
				claimTxid,
				coin: coin.outpoint
			}
		}));
		if (lockOpen(p, now) && !shown) continue;
		const unsafe = safeToReveal({
			coin,
			targetAmount,
			refundLocktime: vhtlc.refundLocktime
		}, now, t.policy);
		if (unsafe === null || shown && !coin.spent) return move({
			at: "claiming",
			coin: coin.outpoint,
			claimTxid: null,
			...dealtOf$2(p)
		}, claimEffect$1(t, p, coin.outpoint));
		why ??= unsafe.sentence;
	}
	return p.at === "waiting" || why === p.why ? "stay" : move({
		...p,
		why
	});
}
const ends$1 = {
	claimed: (p, claimTxid) => move(rest({
		...dealtOf$2(p),
		payout: {
			claimTxid,
			coin: p.coin
		}
	})),
	unsent(p, reason) {
		const back = rest(dealtOf$2(p));
		return move(back.at === "funded" ? {
			...back,
			why: reason
		} : back);
	},
	lost: (p) => ({
		progress: rest({
			...dealtOf$2(p),
			payout: "lost"
		}),
		effects: [],
		flag: "The provider took its VHTLC back while we claimed it: if it takes the bitcoin too, it owes you the swap."
	}),
	shown: isShown$1
};
function whenClaiming$2(t, p, event, now) {
	return whenClaiming$3(t, p, event, now, ends$1);
}
// ../..engine/taker/bitcoin-arkade/refunding.ts
/** The next coin that the locktime gives back; null while there is none, or it is not open. */
function nextRefund(t, p, now) {
	const coin = lockOpen(p, now) ? refundable(p) : null;
	return coin === null ? null : refund(t, p, coin, now);
}
function refund(t, p, { outpoint: coin }, now) {
	const next = {
		coin,
		spends: [],
		...dealtOf$2(p)
	};
	return move({
		at: "refunding",
		...next
	}, refundEffect(t, next, now));
}
function refundEffect(t, p, now, leastRate = 0) {
	return {
		do: "htlc.spend",
		purpose: "refund",
		terms: p.deal.source.htlc,
		script: p.deal.source.script,
		key: {
			branch: "taker",
			index: t.keyIndex
		},
		coin: p.coin,
		leastRate,
		deadline: refundBy(p, now)
	};
}
/**
* Nobody else can take the coin, so that it may wait for a day of cheap blocks, counted anew at each raise. Where our secret is out the
* provider can: then it is late from the first moment on.
*/
function refundBy({ deal, payout }, now) {
	const { refundLocktime } = deal.source.htlc;
	return payout === "lost" ? refundLocktime : after(furthest(now.bitcoin).mtp ?? refundLocktime, day);
}
function refundOf$1(t, now) {
	return {
		purpose: "refund",
		coin: (p) => p.coin,
		effect: (p, leastRate) => refundEffect(t, p, now, leastRate),
		taken: (p, txid) => refunded(t, p, txid, now)
	};
}
function whenRefunding$1(t, p, event, now) {
	return event.is === "htlc.seen" ? whenSeen$1(t, p, event, now) : whileTakingCoin(refundOf$1(t, now), p, event) ?? "stay";
}
function refunded(t, p, txid, now) {
	const spend = {
		txid,
		by: "refund",
		mined: true
	};
	const coins = p.coins.map((coin) => sameOutpoint(coin.outpoint, p.coin) ? {
		...coin,
		spend
	} : coin);
	return onward(t, {
		...dealtOf$2(p),
		coins
	}, now);
}
function onward(t, p, now) {
	return nextRefund(t, p, now) ?? move(rest(p));
}
function whenSeen$1(t, p, event, now) {
	const next = {
		...p,
		coins: paidCoins(p.deal, event)
	};
	const own = event.coins.find(({ outpoint }) => sameOutpoint(outpoint, p.coin));
	if (buried(own?.spend?.height ?? null, event.height) && isTaken(p, own?.spend ?? null)) return {
		...onward(t, dealtOf$2(next), now),
		supersedes: true
	};
	const again = own === void 0 ? null : whenCalledSpent(refundOf$1(t, now), next, own, event.height);
	if (again !== null) return again;
	return sameCoins(next.coins, p.coins) ? "stay" : move(next);
}
/** By the provider, or by a refund of ours that nothing else tells the end of. One that is on its way ends by itself. */
function isTaken({ spends, halted }, spend) {
	if (spend === null || spend.by === "unknown") return false;
	return spend.by === "claim" || halted === true || !spends.includes(spend.txid);
}
// ../..engine/taker/bitcoin-arkade/rescue.ts
/** The seed finds neither leg without the provider's keys and locktimes, and the provider may be gone. */
function rescue$3(t, p) {
	switch (p.at) {
		case "waiting":
		case "funded":
		case "refunding":
		case "claiming": return p.payout === null ? {
			claim: vhtlc(t, p),
			refund: bitcoin$1(t, p, p.coins[0]?.outpoint ?? null),
			shown: p.at === "claiming" || isShown$1(p)
		} : leftOver(t, p);
		case "claimed":
		case "lost": return leftOver(t, p);
		default: return null;
	}
}
/** One leg is settled: what came beside it is ours alone. */
function leftOver(t, p) {
	const coin = p.at === "refunding" ? p.coin : refundable(p)?.outpoint ?? null;
	return coin === null ? null : {
		claim: null,
		refund: bitcoin$1(t, p, coin),
		shown: false
	};
}
function keyOf({ keyIndex: index }) {
	return {
		branch: "taker",
		index
	};
}
function vhtlc(t, { deal: { target } }) {
	return {
		on: "arkade",
		terms: target.vhtlc,
		key: keyOf(t),
		coin: null,
		amount: target.amount
	};
}
function bitcoin$1(t, { deal: { source }, coins }, coin) {
	const { htlc: terms, since } = source;
	const paid = coins.find(({ outpoint }) => coin !== null && sameOutpoint(outpoint, coin));
	return {
		on: "bitcoin",
		terms,
		key: keyOf(t),
		coin,
		amount: paid?.amount ?? source.amount,
		since
	};
}
// ../..engine/taker/bitcoin-arkade/shape.ts
const terms$3 = exactly()(z.strictObject({
	...arkadeOrderFields,
	targetAddress: z.string()
}));
const txid$3 = z.string();
const yes = z.literal(true).exactOptional();
const paidCoin = z.strictObject({
	outpoint,
	amount: sats$1,
	mined: z.boolean(),
	deep: z.boolean().default(false),
	spend: z.strictObject({
		txid: txid$3,
		by: z.enum(["claim", "refund"]),
		mined: z.boolean()
	}).nullable()
});
const dealt$2 = {
	deal: z.strictObject({
		...dealFields,
		source: bitcoinLeg,
		target: arkadeLeg,
		payBefore: unix,
		confirmations: z.number().default(1)
	}),
	said: lastWord,
	coins: z.array(paidCoin),
	payout: z.union([
		z.strictObject({
			claimTxid: txid$3,
			coin: outpoint
		}),
		z.literal("lost"),
		z.null()
	]),
	lookUntil: unix.nullable(),
	cancelled: cancelled$1
};
const progress$3 = exactly()(z.discriminatedUnion("at", [
	creating,
	refused,
	z.strictObject({
		at: z.literal("waiting"),
		...dealt$2
	}),
	z.strictObject({
		at: z.literal("funded"),
		why: z.string().nullable(),
		...dealt$2
	}),
	z.strictObject({
		at: z.literal("claiming"),
		coin: outpoint,
		claimTxid: txid$3.nullable(),
		halted: yes,
		told: yes,
		exit: yes,
		...dealt$2
	}),
	z.strictObject({
		at: z.literal("claimed"),
		over: z.boolean(),
		...dealt$2
	}),
	z.strictObject({
		at: z.literal("refunding"),
		coin: outpoint,
		...coinTaking,
		...dealt$2
	}),
	z.strictObject({
		at: z.literal("done"),
		over: z.boolean(),
		...dealt$2
	}),
	z.strictObject({
		at: z.literal("lost"),
		over: z.boolean(),
		...dealt$2
	}),
	z.strictObject({
		at: z.literal("lapsed"),
		...dealt$2
	})
]));
const shape$3 = {
	terms: shapeOf(terms$3),
	progress: shapeOf(progress$3)
};
// ../..engine/taker/bitcoin-arkade/steps.ts
const begin$2 = [create, {
	step: "pay",
	reachedBy: [
		"funded",
		"claiming",
		"claimed",
		"refunding",
		"done"
	]
}];
const arrives$2 = [
	...begin$2,
	{
		step: "confirm",
		reachedBy: ["claiming", "claimed"]
	},
	{
		step: "lock",
		reachedBy: ["claiming", "claimed"]
	},
	{
		step: "claim",
		reachedBy: ["claimed"]
	},
	{
		step: "finished",
		reachedBy: ["claimed"]
	}
];
const comesBack = [
	...begin$2,
	{
		step: "await-refund",
		reachedBy: ["refunding", "done"]
	},
	{
		step: "refund",
		reachedBy: ["done"]
	},
	{
		step: "returned",
		reachedBy: ["done"]
	}
];
const closed$2 = closedBy("lapsed", "refused", "lost");
/** Whose turn it is and what comes after. */
function bitcoinArkadeSteps(p, t) {
	switch (p.at) {
		case "creating":
		case "refused":
		case "lapsed": return unpaidSteps(p, t, arrives$2, closed$2);
		case "waiting": return providerIsOut.has(p.said) || p.lookUntil !== null || p.cancelled === true ? shutUntil(p.deal.source.htlc.refundLocktime, closed$2) : going("pay", {
			who: "you",
			step: "pay",
			until: p.deal.payBefore
		}, arrives$2);
		case "funded": return funded(p, t);
		case "claiming": return going("claim", {
			who: "node",
			step: "claim",
			until: claimBefore(p, t)
		}, arrives$2);
		case "claimed": return over$3("finished", arrives$2);
		case "refunding": return refunding(comesBack);
		case "done": return over$3("returned", comesBack);
		case "lost": return over$3("lost", closed$2);
	}
}
function claimBefore({ deal }, t) {
	return revealUntil(deal.target.vhtlc.refundLocktime, t.policy);
}
function funded(p, t) {
	const until = p.deal.source.htlc.refundLocktime;
	if (!isShown$1(p) && (p.why !== null || providerIsOut.has(p.said))) return going("refund", {
		who: "nobody",
		step: "await-refund",
		until
	}, comesBack);
	return p.coins.some(({ deep }) => deep) ? going("wait", {
		who: "provider",
		step: "lock",
		until: claimBefore(p, t)
	}, arrives$2) : going("wait", {
		who: "nobody",
		step: "confirm",
		until: claimBefore(p, t)
	}, arrives$2);
}
// ../..engine/legs/onchain/curve.ts
initEccLib({
	isXOnlyPoint,
	xOnlyPointAddTweak
});
// ../..engine/legs/onchain/address.ts
/** Prefixes and versions of addresses (BIP-173, chainparams.cpp): signet has testnet's, regtest its own bech32 prefix. */
const forms = {
	mainnet: bitcoin,
	signet: testnet,
	regtest
};
/** The address of an output script; throws where it has none, or one of a witness version that means nothing yet. */
function addressOfScript(script, network) {
	const [version = 0] = script;
	if (version >= 82 && version <= 96) throw new RangeError("an output of a witness version that means nothing yet");
	return fromOutputScript(script, forms[network]);
}
// ../..engine/legs/onchain/taproot.ts
/** The NUMS point of BIP-341: nobody has a key of it, so every spend goes through a leaf. */
const unspendableKey = fromHex("50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0");
/** The output of two leaf scripts and no key. Wrong: coins at an address that neither side can spend from. */
function leafPairOutput(first, second) {
	const tree = toHashTree([{ output: first }, { output: second }]);
	const key = tweaked(unspendableKey, tree.hash);
	const leafOf = (script) => {
		const hash = tapleafHash({ output: script });
		const path = findScriptPath(tree, hash);
		if (path === void 0) throw new Error("a tree lacks the leaf that it was made of");
		const version = LEAF_VERSION_TAPSCRIPT | key.parity;
		return {
			script,
			hash,
			controlBlock: concatBytes(Uint8Array.of(version), unspendableKey, ...path)
		};
	};
	return {
		pkScript: outputOf(key),
		leaves: [leafOf(first), leafOf(second)]
	};
}
function tweaked(internal, root) {
	const key = tweakKey(internal, root);
	if (key === null) throw new RangeError("the internal key of a Taproot output is no point, or its tweak makes none of it");
	return key;
}
function outputOf({ x }) {
	return compile([OPS["OP_1"], x]);
}
// ../..engine/legs/onchain/htlc.ts
/** Locktimes that are a time and fit into a transaction: below them they are a block height (BIP-65). */
const times = {
	first: 5e8,
	last: 4294967295
};
/**
* The scripts of an HTLC (facts/onchain.md 1, 2). Both ask for a secret of exactly 32 bytes: one of another length would open this coin and
* not the lock on the other side. Throws on a locktime that would be a height, over long ago or never; and on one that no transaction can have.
*/
function htlcScript({ form, hash, claimer, refunder, refundLocktime }) {
	if (refundLocktime < times.first || refundLocktime > times.last) throw new RangeError(`the refund locktime of an HTLC is unix seconds, ${times.first} to ${times.last}, not ${refundLocktime}`);
	const secret = [
		OPS["OP_SIZE"],
		Uint8Array.of(32),
		OPS["OP_EQUALVERIFY"],
		OPS["OP_HASH160"],
		hash
	];
	const waits = [
		number.encode(refundLocktime),
		OPS["OP_CHECKLOCKTIMEVERIFY"],
		OPS["OP_DROP"]
	];
	if (form === "p2tr") {
		const { pkScript, leaves } = leafPairOutput(compile([
			xOnlyOf(claimer),
			OPS["OP_CHECKSIGVERIFY"],
			...secret,
			OPS["OP_EQUAL"]
		]), compile([
			...waits,
			xOnlyOf(refunder),
			OPS["OP_CHECKSIG"]
		]));
		const [claim, refund] = leaves;
		return {
			form,
			pkScript,
			claim,
			refund
		};
	}
	const witnessScript = compile([
		OPS["OP_IF"],
		...secret,
		OPS["OP_EQUALVERIFY"],
		claimer,
		OPS["OP_ELSE"],
		...waits,
		refunder,
		OPS["OP_ENDIF"],
		OPS["OP_CHECKSIG"]
	]);
	return {
		form,
		pkScript: compile([OPS["OP_0"], sha256(witnessScript)]),
		witnessScript
	};
}
/** Where the HTLC is paid. */
function htlcAddress(terms, network) {
	return addressOfScript(htlcScript(terms).pkScript, network);
}
// ../..engine/taker/bitcoin-arkade/verify.ts
/** What is asked of our coin before the service locks; one that does not say it acts at the first, as the interface says. */
function confirmationsIn({ btc_funding_confirmations: depth = 1 }) {
	return Math.max(1, depth);
}
function wrongParts$1(record, terms) {
	return objection(record.btc_fund_txid === void 0 && record.btc_claim_txid === void 0, "it names transactions although nothing was paid") ?? objection(record.target_amount === terms.targetAmount.toString(), `it pays out ${record.target_amount} sats, ${terms.targetAmount} were asked for`) ?? objection(record.sats_receive.toString() === record.target_amount && record.asset_amount.toString() === record.source_amount, "its amounts contradict each other") ?? objection(record.hash_lock === toHex(hash160OfSha256(terms.hash)), "its hash is not ours") ?? objection(record.receiver_pk === toHex(terms.key), "its claim key is not ours") ?? objection(record.target_arkade_address === terms.targetAddress, "its Arkade address is not ours") ?? objection(confirmationsIn(record) <= 6, `it asks for ${record.btc_funding_confirmations} confirmations, more than the 6 that count as final`) ?? objection(record.btc_htlc_script_version === 1, `its Bitcoin script has version ${record.btc_htlc_script_version}, we asked for 1`);
}
/**
* The service's leg must leave us time to claim however late in the window we pay, and however long our coin takes to be deep enough; ours must be back in bounded time, and never before the
* service's is over: nobody who means it offers both legs to one side.
*/
function wrongTimes$2(record, { policy }, now) {
	const lock = record.vhtlc_refund_locktime;
	const refund = record.btc_refund_locktime;
	return objection(lock >= latestByChain(now.bitcoin, policy) + policy.fundingWindow + burialWait(confirmationsIn(record)) + policy.leastClaimTime, `its VHTLC can be taken back at ${lock}, less than ${policy.leastClaimTime} seconds after the bitcoin may be paid and confirmed`) ?? objection(refund > lock, `its bitcoin could be taken back at ${refund}, before its VHTLC at ${lock}`) ?? objection(refund <= laterOf(now) + policy.longestLeg, `our refund opens at ${refund} only, more than ${policy.longestLeg} seconds from now`) ?? objection(record.unilateral_claim_delay < record.unilateral_refund_without_receiver_delay, "its sender could leave the VHTLC as soon as we can");
}
/** A key without its sign is the even one, as x-only keys are everywhere (BIP-340). */
function wholeKey(text) {
	const bytes = fromHex(text);
	return asPublicKey(bytes.length === 33 ? bytes : Uint8Array.of(2, ...bytes));
}
/** The HTLC in the form that the record says; script and address must be those that our own half makes. */
function deriveHtlc$1(record, terms) {
	const claimer = wholeKey(record.server_vhtlc_pk);
	if (!sameBytes(xOnlyOf(claimer), keyIn(record.sender_pk))) return distrust("its two keys are not the same");
	const witness = record.btc_htlc_witness_script;
	const htlc = {
		form: witness === void 0 ? "p2tr" : "p2wsh",
		hash: hash160OfSha256(terms.hash),
		claimer,
		refunder: terms.key,
		refundLocktime: unix$1(record.btc_refund_locktime)
	};
	const script = htlcScript(htlc);
	if (script.form === "p2wsh" && witness !== toHex(script.witnessScript)) return distrust("its Bitcoin script is not the one that its terms make");
	const address = htlcAddress(htlc, terms.network);
	if (address !== record.btc_htlc_address) return distrust(`its Bitcoin address is ${record.btc_htlc_address}, its terms make ${address}`);
	return {
		htlc,
		script: script.pkScript,
		address
	};
}
/** Where we would send bitcoin, or the sentence for which nobody is shown the address. */
function verifyBitcoinArkade(given, terms, now) {
	const record = read(bitcoinArkadeRecord, given);
	if (isRefusal(record)) return record;
	if (!isRead(now)) return distrust("the Bitcoin clock, by which its locktimes are judged, cannot be read now");
	const wrong = wrongFrame(record, terms, {
		source: bitcoinOn("Bitcoin"),
		target: bitcoinOn("Arkade")
	}) ?? wrongAmounts$1({
		...record,
		network_fee_sats: 0
	}, terms) ?? wrongParts$1(record, terms) ?? wrongTimes$2(record, terms, now);
	if (wrong !== null) return distrust(wrong);
	const vhtlc = deriveVhtlc(record, terms, {
		sender: keyIn(record.sender_pk),
		receiver: keyIn(toHex(terms.key))
	});
	if (isRefusal(vhtlc)) return vhtlc;
	const htlc = deriveHtlc$1(record, terms);
	if (isRefusal(htlc)) return htlc;
	return {
		swapId: record.id,
		costs: [{
			part: "service",
			sats: BigInt(record.fee_sats)
		}],
		source: {
			on: "bitcoin",
			amount: sats$2(BigInt(record.source_amount)),
			...htlc,
			since: now.bitcoin.height
		},
		target: {
			on: "arkade",
			amount: sats$2(BigInt(record.target_amount)),
			...vhtlc
		},
		payBefore: after(now.wall, terms.policy.fundingWindow),
		confirmations: confirmationsIn(record)
	};
}
// ../..engine/taker/bitcoin-arkade/machine.ts
function takeBitcoinArkadeEffects(t) {
	const key = toHex(t.key);
	return createAt(t, "bitcoin-arkade", {
		arkade_htlc_script_version: 1,
		btc_htlc_script_version: 1,
		claim_pk: key,
		refund_pk: key,
		hash_lock: toHex(hash160OfSha256(t.hash)),
		sats_receive: Number(t.targetAmount),
		target_arkade_address: t.targetAddress,
		user_id: t.userId
	});
}
const unasked = "The provider takes the bitcoin with a secret that this node has not given away yet: the VHTLC is claimed as soon as it is there.";
/** The coins at our HTLC, whoever paid them. */
function whenPaid(p, event) {
	const coins = paidCoins(p.deal, event);
	if (sameCoins(coins, p.coins)) return "stay";
	const next = {
		...dealtOf$2(p),
		coins
	};
	if (p.at === "claiming" || p.at === "claimed" || p.at === "lost") return move({
		...p,
		coins
	});
	const flag = isShown$1(next) && !isShown$1(p) ? { flag: unasked } : {};
	const progress = rest(next);
	return {
		...move(p.at === "funded" && progress.at === "funded" ? {
			...progress,
			why: p.why
		} : progress),
		...flag
	};
}
/** Only a look after the locktime says that nothing is left, no clock: a node that slept over it may have been paid meanwhile. */
function whenLooked(p, mtp, now) {
	if (!locktimePassed(p.deal.source.htlc.refundLocktime, { mtp }) || hasOurs(p) || isLooking(p, now)) return "stay";
	switch (p.at) {
		case "waiting": return move({
			at: "lapsed",
			...dealtOf$2(p)
		});
		case "funded": return {
			progress: rest({
				...dealtOf$2(p),
				payout: "lost"
			}),
			effects: [],
			flag: "The provider took the bitcoin with our secret, and there is no VHTLC of it to claim: it owes you the swap."
		};
		default: return p.over ? "stay" : move({
			...p,
			over: true
		});
	}
}
/** How long an address is looked at again whose swap was over. */
const lookFor = seconds$1(10 * minute);
/** A wall clock that was set back must not make a look of minutes one of days. */
function isLooking({ lookUntil }, { wall }) {
	return lookUntil !== null && wall < lookUntil && lookUntil <= wall + lookFor;
}
/** What lies there is taken back at once where it can be; an address that is not watched any more is watched for a while. */
function whenAsked(t, p, now) {
	const refund = nextRefund(t, p, now);
	if (refund !== null || open(t, p)) return refund ?? "stay";
	return move(rest({
		...dealtOf$2(p),
		lookUntil: after(now.wall, lookFor)
	}));
}
function step$3(t, p, event, now) {
	if (p.at === "creating") return whenCreating(t, event, now, {
		verify: (record) => verifyBitcoinArkade(record, t, now),
		begin: (deal) => ({
			at: "waiting",
			deal,
			said: "pending",
			coins: [],
			payout: null,
			lookUntil: null
		})
	});
	if (p.at === "refused") return "stay";
	if (p.at === "lapsed") return event.is === "refund.requested" ? whenAsked(t, p, now) : "stay";
	if (event.is === "provider.seen") return event.status === p.said ? "stay" : move({
		...p,
		said: event.status
	});
	if (p.at === "refunding") return whenRefunding$1(t, p, event, now);
	const paid = event.is === "htlc.seen" ? whenPaid(p, event) : "stay";
	if (paid !== "stay") return paid;
	if (p.at === "claiming") return whenClaiming$2(t, p, event, now);
	if (event.is === "htlc.seen") return whenLooked(p, event.mtp, now);
	if (event.is === "clock") return nextRefund(t, p, now) ?? "stay";
	if (event.is === "refund.requested") return whenAsked(t, p, now);
	if (event.is === "cancel.requested") return p.at === "waiting" && p.coins.length === 0 && p.cancelled !== true ? move({
		...p,
		cancelled: true
	}) : "stay";
	return (p.at === "waiting" || p.at === "funded") && event.is === "vhtlc.seen" ? whenLockSeen$1(t, p, event.coins, now) : "stay";
}
function watches$3(t, p) {
	if (p.at === "creating" || p.at === "refused" || p.at === "lapsed") return [];
	const { source, target, swapId } = p.deal;
	const htlc = {
		on: "htlc",
		terms: source.htlc,
		script: source.script,
		since: source.since,
		agreed: {
			least: source.amount,
			most: source.amount
		},
		coins: p.coins.map(({ outpoint, amount }) => ({
			outpoint,
			amount
		}))
	};
	const vhtlc = {
		on: "vhtlc",
		terms: target.vhtlc,
		script: target.script
	};
	const provider = {
		on: "provider",
		provider: t.provider,
		swapId
	};
	return p.at === "waiting" || p.at === "funded" || p.at === "claiming" ? [
		htlc,
		vhtlc,
		provider
	] : [htlc];
}
/** What lies there waits for the locktime; an address that is looked at again, for the end of the look. */
function unlockedAt(p) {
	const { refundLocktime } = p.deal.source.htlc;
	return hasOurs(p) ? refundLocktime : p.lookUntil ?? refundLocktime;
}
function deadline$3(t, p) {
	switch (p.at) {
		case "creating": return t.createBefore;
		case "waiting":
		case "funded": return unlockedAt(p);
		case "claimed":
		case "done":
		case "lost": return p.over ? null : unlockedAt(p);
		default: return null;
	}
}
/** What a provider may say while our coin lies there; anything else is not repeated to people. */
const believable$1 = /* @__PURE__ */ new Set([
	"serverfunded",
	"clientinvalidfunded",
	"clientfundedtoolate",
	"serverwontfund",
	"clientfundedserverrefunded"
]);
function status$3(p) {
	switch (p.at) {
		case "creating":
		case "waiting":
		case "refused":
		case "lapsed": return unpaidStatus(p);
		case "funded": return repeated(p.said, believable$1, p.coins.some(({ mined }) => mined) ? "clientfunded" : "clientfundingseen");
		case "claiming": return "clientredeeming";
		case "claimed": return isShown$1(p) ? "serverredeemed" : "clientredeemed";
		case "refunding":
			if (p.payout === null) return "clientfunded";
			return p.payout === "lost" ? "clientfundedserverrefunded" : "clientredeemed";
		case "done": return "clientrefunded";
		case "lost": return "clientfundedserverrefunded";
	}
}
function open(_, p) {
	if (p.at === "claimed" || p.at === "done" || p.at === "lost") return !p.over;
	return p.at !== "refused" && p.at !== "lapsed";
}
const takeBitcoinArkade = clientMachine({
	name: "take-bitcoin-arkade",
	shape: shape$3,
	step: step$3,
	watches: watches$3,
	deadline: deadline$3,
	status: status$3,
	open,
	rescue: rescue$3
}, bitcoinArkadeSteps);
// ../..engine/taker/bitcoin-arkade/recovered.ts
const restorable$3 = {
	ours: "receiver_pk",
	async recovered(given, from) {
		const record = readCreated(bitcoinArkadeRecord, given);
		if (isRefusal(record)) return record;
		const amounts = amountsIn(record);
		if (isRefusal(amounts)) return amounts;
		return {
			record: asCreated(given, { target_arkade_address: from.arkadeAddress }),
			value: amounts.sourceAmount,
			terms: {
				...from.agreed,
				...amounts,
				operator: operatorThen(record, from.operator(), {
					side: "target",
					network: from.agreed.network
				}),
				hash: sha256Of(from.secret),
				targetAddress: from.arkadeAddress
			}
		};
	}
};
// ../..engine/taker/bitcoin-arkade/order.ts
/** What arrives is pinned, as the create of this direction has it; the price is what the provider quotes for that. */
async function order$3({ request, ...from }) {
	if (!from.bitcoinWallet()) return refuse("unavailable", "No Bitcoin wallet is connected, to which the bitcoin could come back: connect one.");
	const operator = from.operator();
	const quoted = await from.provider.quote("bitcoin-arkade", {
		side: "target",
		amount: request.amount
	});
	if (isRefusal(quoted)) return quoted;
	const targetAddress = await from.arkadeAddress();
	if (targetAddress === null) return refuse("unavailable", "No Arkade operator is connected: try again later.");
	return {
		value: quoted.source,
		terms: (agreed, secret) => ({
			...agreed,
			operator,
			hash: sha256Of(secret),
			sourceAmount: quoted.source,
			targetAmount: request.amount,
			targetAddress
		})
	};
}
/** We pay an HTLC on the Bitcoin chain, the provider locks on Arkade, and our claim there shows it the secret. */
const takenBitcoinArkade = {
	source: "Bitcoin",
	target: "Arkade",
	needs: ["arkade", "bitcoin"],
	secret: "ours",
	machine: () => takeBitcoinArkade,
	order: order$3,
	effects: takeBitcoinArkadeEffects,
	facts: bitcoinArkadeFacts,
	steps: bitcoinArkadeSteps,
	lateScript: () => null,
	restorable: restorable$3,
	neverRefunded: null
};
// ../..engine/taker/evm-source/terms.ts
function dealtOf$1(p) {
	return {
		deal: p.deal,
		said: p.said,
		made: p.made,
		signedUntil: p.signedUntil,
		...cancelOf(p)
	};
}
/** From then on, by the chain's clock, the lock is ours again without anybody. */
function timelockOf({ deal }) {
	return unix$1(Number(deal.source.lock.timelock));
}
/** The first state once there is a deal. */
function awaiting(deal) {
	return {
		at: "waiting",
		deal,
		said: "pending",
		made: null,
		signedUntil: null,
		notBefore: null,
		declined: null
	};
}
// ../..engine/taker/evm-source/facts.ts
/** To our own account: from there the tokens are locked by a signature, as a payment link says it (EIP-681). */
function payToAccount(t, p, until) {
	if (p.said !== "pending" || p.cancelled === true) return null;
	const { amount, lock } = p.deal.source;
	const account = checksummed(t.account);
	return {
		kind: "evm",
		text: account,
		uri: `ethereum:${checksummed(lock.token)}@${chainIdOf(t.chain)}/transfer?address=${account}&uint256=${amount}`,
		amount,
		until
	};
}
/** Once it was signed for, the account has had all of it: while it waits, what came lies there, and nothing is to be paid again. */
function notLocked(p) {
	return p.signedUntil === null && p.declined === null || p.cancelled === true ? {
		reason: null,
		detail: null
	} : {
		reason: "not-locked",
		detail: p.declined
	};
}
/** `isTaken`: the provider has the lock. A signature of ours that may still be used is no lock yet. */
function lockPaid(t, p, now, isTaken) {
	if (p.made !== null) {
		const { amount } = p.made;
		return {
			state: isTaken ? "taken" : p.at === "refunded" ? "back" : "stands",
			amount
		};
	}
	if (isTaken) return {
		state: "taken",
		amount: p.deal.source.amount
	};
	const time = evmTime(now, t.chain);
	return p.at !== "lapsed" && p.signedUntil !== null && (time === null || time <= p.signedUntil) ? {
		state: "leaving",
		amount: p.deal.source.amount
	} : notPaid;
}
function lockRefund(t, p, now) {
	const from = timelockOf(p);
	switch (p.at) {
		case "waiting":
		case "funding":
		case "lapsed": return {
			state: "none",
			from,
			why: "nothing-paid"
		};
		case "asking":
		case "refunding": return {
			state: "running",
			from,
			why: null
		};
		case "refunded": return {
			state: "done",
			from,
			why: null
		};
		case "locked":
			if (timelockPassed(from, now, t.chain)) return {
				state: "possible",
				from,
				why: "locktime-passed"
			};
			if (p.declined !== null) return {
				state: "possible",
				from,
				why: "provider-declined"
			};
			return {
				state: "possible",
				from,
				why: payerIsOut.has(p.said) ? "provider-out" : "in-progress"
			};
	}
}
/** `others`: what the provider and we moved for it, in its place between our lock and our refund. */
function lockMoves({ chain: network }, p, others) {
	const back = p.at === "refunded" ? p.refundTxid : null;
	return [
		...p.made === null ? signedAs("fund", network, p.at === "funding" ? p.sent : null) : [{
			what: "fund",
			network,
			txid: p.made.txid,
			whose: "you"
		}],
		...others,
		...signedAs("refund", network, p.at === "refunding" ? p.sent : null),
		...back === null ? [] : [{
			what: "refund",
			network,
			txid: back,
			whose: "you"
		}]
	];
}
// ../..engine/taker/evm-bitcoin/terms.ts
const nothingPaidOut = {
	coin: null,
	unsafe: null,
	relayed: false,
	takenBy: null,
	takenBack: false,
	claimTxid: null
};
function payoutOf({ coin, unsafe, relayed, takenBy, takenBack, claimTxid }) {
	return {
		coin,
		unsafe,
		relayed,
		takenBy,
		takenBack,
		claimTxid
	};
}
/** The coin is never claimed any more: the provider has it back, or sends our refund, unless it took our lock with the secret after all. */
function isLeft({ relayed, takenBack, takenBy }) {
	return takenBack || relayed && takenBy === null;
}
/** Within the window that the provider counts from its own create, for which its answer came in time. */
function windowOf$1({ createBefore, policy }) {
	const pay = unix$1(createBefore + policy.fundingWindow - leastTimeToPay);
	return {
		pay,
		over: after(pay, seconds$1(leastTimeToPay))
	};
}
// ../..engine/taker/evm-bitcoin/facts.ts
/** Our claim ends with the provider's refund, by median time past; our own refund opens by the clock of the EVM chain. */
function timesOf$1(t, p, now) {
	const { refundLocktime } = p.deal.target.htlc;
	const normalUntil = claimLine(refundLocktime, t.policy);
	const exposed = p.at === "claiming" || p.at === "locked" && p.takenBy !== null;
	return {
		...noTimes,
		now: evmTime(now, t.chain),
		payUntil: windowOf$1(t).pay,
		normalUntil,
		refundAloneFrom: timelockOf(p),
		dangerFrom: exposed ? normalUntil : null,
		last: exposed ? refundOpens(refundLocktime) : null
	};
}
function refundOf(t, p, now) {
	const spent = {
		state: "none",
		from: null,
		why: "spent"
	};
	if (p.at === "claiming" || p.at === "claimed" || p.at === "lost") return spent;
	if (p.takenBy !== null) return spent;
	const stands = lockRefund(t, p, now);
	return p.at === "locked" && p.coin !== null && !p.takenBack && stands.why === "in-progress" ? {
		...stands,
		state: "later",
		why: "provider-locked"
	} : stands;
}
function movedBy$1(t, p) {
	const signed = p.at === "claiming" ? p.spends.at(-1) ?? null : null;
	return lockMoves(t, p, [
		...p.coin === null ? [] : [{
			what: "lock",
			network: "bitcoin",
			txid: p.coin.outpoint.txid,
			whose: "provider"
		}],
		...p.claimTxid === null ? signedAs("claim", "bitcoin", signed) : [{
			what: "claim",
			network: "bitcoin",
			txid: p.claimTxid,
			whose: "you"
		}],
		...p.takenBy === null ? [] : [{
			what: "claim",
			network: t.chain,
			txid: p.takenBy,
			whose: "provider"
		}]
	]);
}
function reasonOf$2(p) {
	const lies = p.at === "waiting" ? notLocked(p) : null;
	if (lies !== null && lies.reason !== null) return lies;
	if (p.takenBack) return {
		reason: "taken-back",
		detail: null
	};
	if (p.at !== "locked") return {
		reason: null,
		detail: null
	};
	if (p.declined !== null) return {
		reason: "refund-declined",
		detail: p.declined
	};
	return {
		reason: p.unsafe === null ? null : "lock-unsafe",
		detail: p.unsafe
	};
}
function evmBitcoinFacts(t, p, now) {
	const get = bitcoinSide("bitcoin", t.targetAmount);
	const to = {
		own: true,
		text: null
	};
	if (p.at === "creating" || p.at === "refused") return openingFacts(p, {
		give: evmSide(t, t.sourceAmount),
		get,
		to
	}, evmTime(now, t.chain));
	return {
		give: evmSide(t, p.deal.source.amount),
		get,
		to,
		paid: lockPaid(t, p, now, p.takenBy !== null || p.at === "lost"),
		pay: p.at === "waiting" ? payToAccount(t, p, windowOf$1(t).pay) : null,
		times: timesOf$1(t, p, now),
		refund: refundOf(t, p, now),
		transactions: movedBy$1(t, p),
		...reasonOf$2(p)
	};
}
// ../..engine/taker/evm-source/locked.ts
/** How long a provider that declined is left alone. */
const pause$1 = minute;
/** A lock whose block is gone may come again by the same transaction. */
const mayComeAgain = seconds$1(10 * minute);
/** A wall clock that was set back must not make a pause of minutes one of days. */
function hasRested(notBefore, { wall }) {
	return notBefore === null || wall >= notBefore || wall + mayComeAgain < notBefore;
}
/**
* The locks that our signature may have made: it says all of their terms but the amount, of which the coordinator locks whatever it
* holds. Whoever locks as much in our place gives it to us or to the payee.
*/
function likeOurs({ deal: { source } }, locks) {
	const { amount, ...agreed } = source.lock;
	return locks.filter(({ key, terms }) => terms.amount >= amount && sameBytes(key, swapKey({
		...agreed,
		amount: terms.amount
	})));
}
/**
* The one that is refunded to our account, one that stands before one that is over; the preimage of any proves that the payee was paid. `refund`:
* what we take back, which may be so late that no RPC knows any more whose it was.
*/
function lockIn(t, locks, refund = null) {
	const isRefunded = ({ txid, terms, depositor }) => refund?.txid === txid && refund.amount === terms.amount && (depositor === null || depositor === "nobody");
	const ours = locks.filter((lock) => isBy(lock, t.account) || isRefunded(lock));
	return locks.find(({ state }) => state.is === "redeemed") ?? ours.find(({ state }) => state.is === "active") ?? ours[0] ?? null;
}
/** The lock that our signature made; null while there is none, or another than that of the deal. */
function lockNow(t, p, locks) {
	return lockIn(t, likeOurs(p, locks));
}
/** A lock that stands, and of which the chain's RPCs do not say yet whose it is; one that is nobody's is not ours. */
function isUnclear({ depositor, state }) {
	return depositor === null && state.is === "active";
}
/**
* RPCs that differ over whose it is must not keep it: from the timelock on whoever it is refunded to is paid by anybody's transaction, so that
* ours brings it home or does nothing to us (facts/faults.md 88).
*/
function whenUnclear(t, p, lock, now) {
	if (!(p.signedUntil !== null && p.at !== "refunding" && lock.confirmations >= t.burial) || !timelockPassed(timelockOf(p), now, t.chain)) return "stay";
	return alone({
		...dealtOf$1(p),
		made: {
			txid: lock.txid,
			amount: lock.terms.amount
		}
	});
}
/** Too late to be locked: nobody can any more by a signature of ours, nor did so in a block that may still change. */
function isOver({ signedUntil }, time, { wall }, window) {
	return wall >= window.over && signedUntil !== null && time >= after(signedUntil, mayComeAgain);
}
/** Chains forget a block, RPCs a log: a lock that stood once is looked for until we could take it back alone. */
function stillThere(p) {
	const timelock = timelockOf(p);
	return p.signedUntil !== null && p.signedUntil > timelock ? p.signedUntil : timelock;
}
/** The chain decides, whatever anybody says. `redeemed`: what it means that the provider took the lock. */
function whenLockSeen(t, p, { locks, time }, now, { window, redeemed }) {
	const alike = likeOurs(p, locks);
	const lock = lockIn(t, alike, p.at === "refunding" ? p.made : null);
	if (lock === null) {
		const unclear = alike.find(isUnclear);
		if (unclear !== void 0) return whenUnclear(t, p, unclear, now);
		if (p.at === "waiting" && isOver(p, time, now, window)) return move({
			at: "lapsed",
			...dealtOf$1(p)
		});
		if (p.at !== "locked" && p.at !== "asking") return "stay";
		return {
			progress: {
				at: "waiting",
				notBefore: after(now.wall, mayComeAgain),
				declined: null,
				...dealtOf$1(p),
				made: null,
				signedUntil: stillThere(p)
			},
			effects: [],
			supersedes: true
		};
	}
	const dealt = {
		...dealtOf$1(p),
		made: {
			txid: lock.txid,
			amount: lock.terms.amount
		}
	};
	const { state } = lock;
	if (state.is === "redeemed") return redeemed(dealt, state);
	if (state.is === "refunded") return state.confirmations < t.burial ? "stay" : {
		progress: {
			at: "refunded",
			refundTxid: state.txid,
			...dealt
		},
		effects: [],
		supersedes: true
	};
	return p.made?.txid !== lock.txid || p.made.amount !== lock.terms.amount ? {
		progress: {
			at: "locked",
			notBefore: null,
			declined: null,
			...dealt
		},
		effects: [],
		supersedes: true
	} : "stay";
}
function whenLocked(t, p, event, now) {
	const isOpen = timelockPassed(timelockOf(p), now, t.chain);
	const rested = hasRested(p.notBefore, now);
	switch (event.is) {
		case "provider.seen":
			if (payerIsOut.has(event.status) && rested && !isOpen) return ask(t, {
				...p,
				said: event.status
			});
			return event.status === p.said ? "stay" : move({
				...p,
				said: event.status
			});
		case "refund.requested": return isOpen ? alone(p) : ask(t, p);
		case "clock": return isOpen ? alone(p) : "stay";
		default: return "stay";
	}
}
/** Every term of it: a refund of any other amount is one of a lock that does not exist. */
function lockOf({ deal, made }) {
	const { lock } = deal.source;
	return {
		...lock,
		amount: made?.amount ?? lock.amount
	};
}
/** With its consent the provider gives the lock up for good: it would sign after it paid at its own cost alone. */
function ask(t, p) {
	const { swapId, source } = p.deal;
	const { network, contracts } = source;
	const lock = lockOf(p);
	return move({
		at: "asking",
		...dealtOf$1(p)
	}, {
		do: "provider.refund-evm",
		provider: t.provider,
		swapId,
		network,
		contracts,
		lock,
		key: t.evmKey
	});
}
/** Pays our account, whoever sends it: ours does. */
function alone(p) {
	const { network, contracts } = p.deal.source;
	const lock = lockOf(p);
	return {
		progress: {
			at: "refunding",
			sent: null,
			...dealtOf$1(p)
		},
		effects: [{
			do: "evm.send",
			network,
			contracts,
			act: {
				is: "taker-refund",
				lock
			},
			deadline: null,
			value: p.deal.target.amount
		}],
		supersedes: true
	};
}
function whenAsking(t, p, event, now) {
	switch (event.is) {
		case "provider.relayed": return move({
			at: "locked",
			notBefore: after(now.wall, mayComeAgain),
			declined: null,
			...dealtOf$1(p)
		});
		case "provider.declined": return move({
			at: "locked",
			notBefore: after(now.wall, pause$1),
			declined: event.reason,
			...dealtOf$1(p)
		});
		case "clock": return timelockPassed(timelockOf(p), now, t.chain) ? alone(p) : "stay";
		default: return "stay";
	}
}
function whenRefunding(p, event) {
	if (event.is === "evm.prepared") return event.purpose === "taker-refund" ? move({
		...p,
		sent: event.txid
	}) : "stay";
	if (event.is !== "evm.sent" || event.purpose !== "taker-refund" || event.txid !== p.sent) return "stay";
	const { state } = event;
	return state.is === "gone" || state.is === "mined" && !state.ok ? alone(p) : "stay";
}
// ../..engine/taker/evm-source/funding.ts
/** How long a signature lets the tokens be locked, and a failed try is left alone. */
const signedFor = seconds$1(20 * minute);
const pause = minute;
function whenWaiting$1(t, p, event, now, window) {
	switch (event.is) {
		case "evm.balance": return event.amount >= p.deal.source.amount ? fund(t, p, now, window) : "stay";
		case "provider.seen": return event.status === p.said ? "stay" : move({
			...p,
			said: event.status
		});
		case "cancel.requested": return cancelled(p);
		case "clock": return now.wall >= window.pay && p.signedUntil === null ? move({
			at: "lapsed",
			...dealtOf$1(p)
		}) : "stay";
		default: return "stay";
	}
}
/** Without a signature of ours nobody can lock anything: it is over. With one it is watched until that cannot be used any more. */
function cancelled(p) {
	if (p.cancelled === true) return "stay";
	const unwanted = {
		...dealtOf$1(p),
		cancelled: true
	};
	return p.signedUntil === null ? move({
		at: "lapsed",
		...unwanted
	}) : move({
		...p,
		...unwanted
	});
}
/** The nonce is that of the swap: Permit2 takes the tokens for it once, whoever sends the signature, and however often. */
function fundingOf(t, p, until) {
	const { amount, ...lock } = p.deal.source.lock;
	return {
		lock,
		amount,
		nonce: t.hash.reduce((value, byte) => value * 256n + BigInt(byte), 0n),
		deadline: BigInt(until),
		key: t.evmKey
	};
}
function fund(t, p, now, window) {
	const time = evmTime(now, t.chain);
	const isLate = now.wall >= window.pay || p.said !== "pending" || p.cancelled === true;
	if (time === null || isLate || !hasRested(p.notBefore, now)) return "stay";
	const until = after(time, signedFor);
	const by = t.gasless ? "provider" : "node";
	return move({
		at: "funding",
		by,
		sent: null,
		...dealtOf$1(p),
		signedUntil: until
	}, by === "node" ? byNode(t, p, until) : byProvider(t, p, until));
}
function byProvider(t, p, until) {
	const { swapId, source } = p.deal;
	const { network, contracts } = source;
	return {
		do: "provider.fund-evm",
		provider: t.provider,
		swapId,
		network,
		contracts,
		funding: fundingOf(t, p, until),
		value: p.deal.target.amount
	};
}
function byNode(t, p, until) {
	const { network, contracts } = p.deal.source;
	return {
		do: "evm.send",
		network,
		contracts,
		act: {
			is: "taker-fund",
			...fundingOf(t, p, until)
		},
		deadline: until,
		value: p.deal.target.amount
	};
}
/** What our account may send for the funding: the approval where the token needs one, and the lock. */
const fundingPurposes = /* @__PURE__ */ new Set(["taker-approve", "relay-fund"]);
function whenFunding(t, p, event, now) {
	switch (event.is) {
		case "provider.declined": return p.by === "provider" ? move({
			...p,
			by: "node"
		}, byNode(t, p, p.signedUntil)) : "stay";
		case "evm.prepared": return event.purpose === "relay-fund" ? move({
			...p,
			sent: event.txid
		}) : "stay";
		case "evm.refused": return fundingPurposes.has(event.purpose) && p.sent === null ? again(p, whyNot(event), now) : "stay";
		case "evm.sent": {
			const over = event.state.is === "gone" || event.state.is === "mined" && !event.state.ok;
			return event.txid === p.sent && over ? again(p, "the transaction failed on the chain", now) : "stay";
		}
		case "provider.seen": return event.status === p.said ? "stay" : move({
			...p,
			said: event.status
		});
		case "clock": {
			const time = evmTime(now, t.chain);
			return time !== null && time > p.signedUntil ? again(p, "nobody locked the tokens in time", now) : "stay";
		}
		default: return "stay";
	}
}
/** What a contract says when it refuses is nobody's word for its owner; what the account lacks for an approval is ours. */
function whyNot({ purpose, reason }) {
	return purpose === "taker-approve" ? reason : "the chain does not take the lock now";
}
function again(p, declined, now) {
	return {
		progress: {
			at: "waiting",
			notBefore: after(now.wall, pause),
			declined,
			...dealtOf$1(p)
		},
		effects: [],
		supersedes: true
	};
}
// ../..engine/taker/evm-source/watches.ts
/** Our lock, whoever makes it and whatever becomes of it. */
function lockWatch(t, { deal: { source } }) {
	const { amount: least, ...lock } = source.lock;
	return {
		on: "evm-lock",
		network: t.chain,
		htlc: source.contracts.htlc,
		hash: t.hash,
		wanted: {
			are: "agreed",
			lock,
			least,
			by: t.account
		},
		since: t.since
	};
}
function providerWatch(t, { deal: { swapId } }) {
	return {
		on: "provider",
		provider: t.provider,
		swapId
	};
}
/** Our account, for as long as tokens there may be locked for it: what it cannot take any more is for others that wait. */
function balanceWatch(t, p) {
	if (p.at === "waiting" && (p.said !== "pending" || p.cancelled === true || t.restored !== void 0)) return [];
	const { token, amount } = p.deal.source.lock;
	const [ordered, signed] = [t.keyIndex, p.at === "funding"];
	return [{
		on: "evm-balance",
		network: t.chain,
		token,
		account: t.account,
		amount,
		ordered,
		signed
	}];
}
/** What is looked at while tokens of ours are to be locked, are locked, or come back; nothing once they are back, or never were. */
function evmSourceWatches(t, p) {
	const lock = lockWatch(t, p);
	const provider = providerWatch(t, p);
	const sent = (purpose, txid) => txid === null ? [] : [{
		on: "evm-sent",
		network: t.chain,
		purpose,
		txid
	}];
	switch (p.at) {
		case "waiting": return [
			lock,
			provider,
			...balanceWatch(t, p)
		];
		case "funding": return [
			lock,
			provider,
			...balanceWatch(t, p),
			...sent("relay-fund", p.sent)
		];
		case "locked":
		case "asking": return [lock, provider];
		case "refunding": return [lock, ...sent("taker-refund", p.sent)];
		case "refunded":
		case "lapsed": return [];
	}
}
/** When time alone moves it: no more is paid from `pay` on, a signature runs out, the lock opens. */
function evmSourceDeadline(p, pay) {
	switch (p.at) {
		case "waiting": return pay;
		case "funding": return after(p.signedUntil, seconds$1(1));
		case "locked":
		case "asking": return timelockOf(p);
		default: return null;
	}
}
// ../..engine/taker/evm-bitcoin/coins.ts
/** The coin as it is kept in mind. */
function coinOf({ outpoint, amount }) {
	return {
		outpoint,
		amount
	};
}
function sameCoin(a, b) {
	return a === null || b === null ? a === b : sameOutpoint(a.outpoint, b.outpoint);
}
/** The deepest that is whole and not spent; where none is whole the largest, which says why nothing is claimed. */
function offered({ deal }, { coins }) {
	const unspent = coins.filter(({ spend }) => spend === null);
	const whole = unspent.filter(({ amount }) => amount >= deal.target.amount);
	const deepest = (a, b) => (a.height ?? Infinity) - (b.height ?? Infinity) || 0;
	return whole.sort(deepest)[0] ?? unspent.sort((a, b) => Number(b.amount - a.amount))[0] ?? null;
}
/** One whose claim is seen: nobody but us has the secret before we show it, so that it was shown for this one. */
function claimedCoin({ coins }) {
	return coins.find(({ spend }) => spend?.by === "claim") ?? null;
}
function judge(t, { deal }, coin, seen, now) {
	const { htlc, amount } = deal.target;
	return safeToRevealForCoin({
		coin,
		height: seen.height,
		targetAmount: amount,
		refundLocktime: htlc.refundLocktime
	}, now, t.policy);
}
// ../..engine/taker/evm-bitcoin/claiming.ts
function baseOf(p) {
	return {
		...dealtOf$1(p),
		...payoutOf(p)
	};
}
/** To our own wallet; dearer the nearer the provider's refund comes, and never more than the coin holds. */
function claimEffect(t, { deal, coin, parent }, leastRate = 0) {
	const { htlc: terms, script } = deal.target;
	return {
		do: "htlc.spend",
		purpose: "claim",
		terms,
		script,
		key: {
			branch: "taker",
			index: t.keyIndex
		},
		coin: coin.outpoint,
		...parent === void 0 ? {} : { funding: parent },
		leastRate,
		deadline: terms.refundLocktime
	};
}
/** Judged once more at the moment at which the secret leaves us, however long the node slept. */
function onlyIf(t, { deal, coin }) {
	const { script, amount: targetAmount, htlc } = deal.target;
	const { refundLocktime } = htlc;
	return {
		notAfter: claimLine(refundLocktime, t.policy),
		paidOut: {
			script,
			outpoint: coin.outpoint,
			targetAmount,
			refundLocktime,
			policy: t.policy
		}
	};
}
function claim(t, p, coin, shown) {
	return {
		progress: {
			at: "claiming",
			...baseOf(p),
			coin,
			unsafe: null,
			spends: [],
			shown
		},
		effects: [claimEffect(t, {
			deal: p.deal,
			coin
		})],
		supersedes: true
	};
}
/** Our lock stands: the provider's coin decides, whatever anybody says. It is not looked at any more once a refund is on its way. */
function whenCoinSeen(t, p, seen, now) {
	if (isLeft(p)) return "stay";
	const claimed = claimedCoin(seen);
	if (claimed !== null) return claim(t, p, coinOf(claimed), true);
	if (p.takenBy !== null) return whenSecretIsOut(t, p, seen);
	const coin = offered(p, seen);
	if (coin === null) return p.coin === null && p.unsafe === null ? "stay" : move({
		...p,
		coin: null,
		unsafe: null
	});
	const unsafe = judge(t, p, coin, seen, now);
	if (unsafe === null) return claim(t, p, coinOf(coin), false);
	const next = {
		coin: coinOf(coin),
		unsafe: unsafe.unsafe === "never" ? unsafe.sentence : null
	};
	return sameCoin(next.coin, p.coin) && next.unsafe === p.unsafe ? "stay" : move({
		...p,
		...next
	});
}
/** The provider has our lock: whatever is at the HTLC is ours, and its refund wins only when it is buried. */
function whenSecretIsOut(t, p, seen) {
	const { coins, height, mtp } = seen;
	const coin = offered(p, seen) ?? coins.find(({ spend }) => spend?.by !== "refund" || !buried(spend.height, height));
	if (coin !== void 0) return claim(t, p, coinOf(coin), true);
	return locktimePassed(p.deal.target.htlc.refundLocktime, { mtp }) ? lose(p) : "stay";
}
function lose(p) {
	return {
		progress: {
			at: "lost",
			...baseOf(p)
		},
		effects: [],
		supersedes: true,
		flag: "The provider took your tokens with our secret, and its bitcoin back: it owes you the swap."
	};
}
function takerOf(t) {
	return {
		purpose: "claim",
		coin: (p) => p.coin.outpoint,
		effect: (p, leastRate) => claimEffect(t, p, leastRate),
		onlyIf: (p) => p.shown ? void 0 : onlyIf(t, p),
		taken: claimed,
		late: (p, reason) => p.shown ? null : unclaimed(p, reason)
	};
}
/** What is in a mempool, or was with a node, shows our secret. */
function withShown(p, event) {
	return (event.is === "onchain.stuck" || event.is === "onchain.refused" && event.why === "refused") && isOurs$2(p, event.txid) ? {
		...p,
		shown: true
	} : p;
}
function whenClaiming$1(t, p, event, now) {
	switch (event.is) {
		case "htlc.seen": return whenSeen(t, p, event, now);
		case "evm.seen": {
			const lock = lockNow(t, p, event.locks);
			return lock?.state.is === "redeemed" && p.takenBy !== lock.state.txid ? move({
				...p,
				takenBy: lock.state.txid,
				shown: true
			}) : "stay";
		}
		case "provider.seen": return event.status === p.said ? "stay" : move({
			...p,
			said: event.status
		});
		default: return whileTakingCoin(takerOf(t), withShown(p, event), event) ?? "stay";
	}
}
function claimed(p, claimTxid) {
	return {
		progress: {
			at: "claimed",
			...baseOf(p),
			claimTxid
		},
		effects: [],
		supersedes: true
	};
}
function unclaimed(p, unsafe) {
	return {
		progress: {
			at: "locked",
			notBefore: null,
			declined: null,
			...baseOf(p),
			unsafe
		},
		effects: [],
		supersedes: true
	};
}
function whenSeen(t, p, seen, now) {
	const own = seen.coins.find(({ outpoint }) => sameOutpoint(outpoint, p.coin.outpoint));
	if (own === void 0) return vanished(t, p, seen, now);
	const { spend } = own;
	const isBuried = buried(spend?.height ?? null, seen.height);
	const again = whenCalledSpent(takerOf(t), {
		...p,
		shown: p.shown || spend?.by === "claim"
	}, own, seen.height);
	if (again !== null) return again;
	if (spend === null || spend.by === "unknown") return "stay";
	if (spend.by === "refund") return isBuried ? takenBack(p) : "stay";
	if (isBuried && (!isOurs$2(p, spend.txid) || p.halted === true)) return claimed(p, spend.txid);
	return p.shown ? "stay" : move({
		...p,
		shown: true
	});
}
/**
* A reorganisation took the coin. Our claim is sent again with it; whoever paid it may pay another one in its place, and with the secret out that
* one is claimed. While it is not known whether the secret is out nothing is begun anew: the claim's own end says it.
*
* Where no mempool has the provider's funding any more, it goes out with our claim as one package: its bytes are on our disk before the secret
* leaves. Only one that the provider replaced by another transaction of the same coins is refused.
*/
function vanished(t, p, seen, now) {
	if (!p.shown && p.spends.length > 0) return "stay";
	const other = offered(p, seen);
	if (!p.shown) return other !== null && judge(t, p, other, seen, now) === null ? claim(t, p, coinOf(other), false) : unclaimed({
		...p,
		coin: null
	}, null);
	return other === null ? "stay" : claim(t, p, coinOf(other), true);
}
/** Too late: what we gave is ours again from its timelock on, unless the provider took that as well. */
function takenBack(p) {
	if (p.takenBy !== null) return lose({
		...p,
		takenBack: true
	});
	return {
		...unclaimed({
			...p,
			takenBack: true
		}, null),
		...p.shown ? { flag: "The provider took its bitcoin back while this node claimed it: your tokens are taken back as soon as that can be done." } : {}
	};
}
// ../..engine/taker/evm-source/rescue.ts
/** Our lock comes back from its timelock on. Before a signature was given there is none, and the tokens are in our account. */
function lockToRefund(t, p) {
	switch (p.at) {
		case "waiting":
			if (p.signedUntil === null) return null;
			break;
		case "refunded":
		case "lapsed": return null;
	}
	return lockGiven(t, p);
}
/** With the amount that the chain has of it. */
function lockGiven(t, { deal: { source }, made }) {
	return ourLock(t, {
		...source,
		lock: {
			...source.lock,
			amount: made?.amount ?? source.lock.amount
		}
	});
}
// ../..engine/taker/evm-bitcoin/rescue.ts
/**
* Both legs, for what became of one decides about the other. Once a claim is signed its secret may have left us: the provider's coin is
* claimed as long as there is one, and only when the provider has that back for good our lock is ours again, from its timelock on. A lock
* that is left out then is lost although nobody else has a right to it.
*/
function rescue$2(t, p) {
	switch (p.at) {
		case "creating":
		case "refused":
		case "claimed":
		case "lost": return null;
		case "claiming": return {
			claim: coinToClaim(t, p),
			refund: lockGiven(t, p),
			shown: p.shown || p.spends.length > 0
		};
		default: {
			const refund = lockToRefund(t, p);
			if (refund === null) return null;
			return {
				claim: isLeft(p) ? null : coinToClaim(t, p),
				refund,
				shown: p.takenBy !== null
			};
		}
	}
}
function coinToClaim(t, { deal: { target }, coin }) {
	const { htlc: terms, since } = target;
	return {
		on: "bitcoin",
		terms,
		key: {
			branch: "taker",
			index: t.keyIndex
		},
		coin: coin?.outpoint ?? null,
		amount: coin?.amount ?? target.amount,
		since
	};
}
// ../..engine/taker/evm-source/shape.ts
const txid$2 = z.string();
const pausing = {
	notBefore: unix.nullable(),
	declined: z.string().nullable()
};
/** The part of every state once there is a deal, by the leg that the provider gives. */
function dealtShape(target) {
	return {
		deal: z.strictObject({
			...dealFields,
			source: evmLeg,
			target
		}),
		said: lastWord,
		made: z.strictObject({
			txid: txid$2,
			amount: z.bigint()
		}).nullable(),
		signedUntil: unix.nullable(),
		cancelled: cancelled$1
	};
}
/** The states of a swap that begins with a lock of ours on an EVM chain, each with what is common to them. */
function evmSourceStates(dealt) {
	return [
		z.strictObject({
			at: z.literal("waiting"),
			...pausing,
			...dealt
		}),
		z.strictObject({
			at: z.literal("funding"),
			by: z.enum(["provider", "node"]),
			sent: txid$2.nullable(),
			...dealt
		}).extend({ signedUntil: unix }),
		z.strictObject({
			at: z.literal("locked"),
			...pausing,
			...dealt
		}),
		z.strictObject({
			at: z.literal("asking"),
			...dealt
		}),
		z.strictObject({
			at: z.literal("refunding"),
			sent: txid$2.nullable(),
			...dealt
		}),
		z.strictObject({
			at: z.literal("refunded"),
			refundTxid: txid$2,
			...dealt
		}),
		z.strictObject({
			at: z.literal("lapsed"),
			...dealt
		})
	];
}
// ../..engine/taker/evm-bitcoin/shape.ts
const terms$2 = exactly()(z.strictObject({
	...orderFields,
	...evmOrderFields,
	sourceAmount: z.bigint(),
	targetAmount: sats$1
}));
const txid$1 = z.string();
const coin = z.strictObject({
	outpoint,
	amount: sats$1
});
const base = {
	...dealtShape(bitcoinLeg),
	coin: coin.nullable(),
	unsafe: z.string().nullable(),
	relayed: z.boolean(),
	takenBy: txid$1.nullable(),
	takenBack: z.boolean(),
	claimTxid: txid$1.nullable()
};
const progress$2 = exactly()(z.discriminatedUnion("at", [
	creating,
	refused,
	...evmSourceStates(base),
	z.strictObject({
		at: z.literal("claiming"),
		...base,
		coin,
		...coinTaking,
		shown: z.boolean()
	}),
	z.strictObject({
		at: z.literal("claimed"),
		...base
	}),
	z.strictObject({
		at: z.literal("lost"),
		...base
	})
]));
const shape$2 = {
	terms: shapeOf(terms$2),
	progress: shapeOf(progress$2)
};
// ../..engine/taker/evm-bitcoin/steps.ts
const begin$1 = [
	create,
	{
		step: "pay",
		reachedBy: ["funding", "locked"]
	},
	{
		step: "confirm",
		reachedBy: ["locked", "claiming"]
	}
];
const arrives$1 = [
	...begin$1,
	{
		step: "lock",
		reachedBy: ["claiming", "claimed"]
	},
	{
		step: "confirm-lock",
		reachedBy: ["claiming", "claimed"]
	},
	{
		step: "claim",
		reachedBy: ["claimed"]
	},
	{
		step: "finished",
		reachedBy: ["claimed"]
	}
];
const back$1 = takenBack$1(begin$1, "refunded");
const closed$1 = closedBy("lapsed", "refused", "lost");
/** Whose turn it is and what comes after. What we bought is ours once its claim is buried, whatever the provider does then. */
function evmBitcoinSteps(p, t) {
	switch (p.at) {
		case "creating":
		case "refused":
		case "lapsed": return unpaidSteps(p, t, arrives$1, closed$1);
		case "claimed": return over$3("finished", arrives$1);
		case "refunded": return over$3("returned", back$1);
		case "lost": return over$3("lost", closed$1);
		case "waiting":
			if (p.cancelled === true) return shutUntil(p.signedUntil ?? timelockOf(p), closed$1);
			return going("pay", {
				who: "you",
				step: "pay",
				until: windowOf$1(t).pay
			}, arrives$1);
		case "funding": return going("wait", {
			who: p.by === "provider" ? "provider" : "node",
			step: "confirm",
			until: p.signedUntil
		}, arrives$1);
		case "locked": return locked$1(p, t);
		case "claiming": return going("claim", {
			who: "node",
			step: "claim",
			until: p.deal.target.htlc.refundLocktime
		}, arrives$1);
		case "asking": return signing(timelockOf(p), back$1);
		case "refunding": return refunding(back$1);
	}
}
function locked$1(p, t) {
	const until = timelockOf(p);
	const claimBefore = claimLine(p.deal.target.htlc.refundLocktime, t.policy);
	if (p.takenBy !== null) return going("claim", {
		who: "node",
		step: "claim",
		until: claimBefore
	}, arrives$1);
	if (p.declined !== null || p.relayed || p.takenBack || p.unsafe !== null) return unsigned(until, back$1);
	if (payerIsOut.has(p.said)) return signing(until, back$1);
	return p.coin === null ? going("wait", {
		who: "provider",
		step: "lock",
		until: claimBefore
	}, arrives$1) : going("wait", {
		who: "nobody",
		step: "confirm-lock",
		until: claimBefore
	}, arrives$1);
}
// ../..engine/taker/evm-bitcoin/verify.ts
function wrongParts(record, terms) {
	return objection(record.evm_hash_lock.toLowerCase() === `0x${toHex(terms.hash)}`, "its hash is not ours") ?? objection(record.btc_hash_lock.toLowerCase() === toHex(hash160OfSha256(terms.hash)), "its hash on the Bitcoin chain is not ours") ?? objection(record.btc_user_claim_pk === toHex(xOnlyOf(terms.key)), "its claim key is not ours") ?? objection(isXOnly(keyIn(record.btc_server_refund_pk)), "its refund key is not a point of the curve") ?? objection(record.btc_htlc_script_version === 1, `its Bitcoin script has version ${record.btc_htlc_script_version}, we asked for 1`) ?? objection(record.target_btc_address === void 0, "it names a Bitcoin address that nobody gave it") ?? objection(record.btc_claim_txid === void 0 && record.btc_fund_txid === void 0 && record.btc_fund_vout === void 0, "it names transactions although nothing was paid");
}
/**
* The provider's coin must leave us time to claim, by the line that the claim itself is held to, however late in the window we lock: past
* that line nothing is claimed, and our tokens wait for their refund. Our lock must be ours again in bounded time, and never before the
* provider's coin is its own again: nobody who means it offers both legs to one side.
*/
function wrongTimes$1(record, { chain, policy }, now) {
	const timelock = record.evm_refund_locktime;
	const lock = record.btc_refund_locktime;
	const time = evmTime(now, chain);
	if (time === null) return "the clock of the EVM chain, by which its lock is judged, cannot be read now";
	const paidBy = unix$1(Math.max(now.bitcoin.mtp, furthest(now.bitcoin).mtp ?? 0)) + policy.fundingWindow;
	const claimBefore = claimLine(unix$1(lock), policy);
	return objection(claimBefore >= paidBy + policy.leastClaimTime, `its bitcoin can be taken back at ${lock}, so that it must be claimed before ${claimBefore}, less than ${policy.leastClaimTime} seconds after the tokens may be locked`) ?? objection(timelock > lock, `our refund opens at ${timelock}, before its bitcoin could be taken back at ${lock}`) ?? objection(timelock > time, `its refund opens at ${timelock}, which has passed`) ?? objection(timelock <= Math.max(now.wall, time) + policy.longestLeg, `its refund opens at ${timelock} only, more than ${policy.longestLeg} seconds from now`);
}
/** The HTLC with our half of it taken from ourselves; its address must be the record's. A key without its sign is the even one (BIP-340). */
function deriveHtlc(record, terms) {
	const htlc = {
		form: "p2tr",
		hash: hash160OfSha256(terms.hash),
		claimer: terms.key,
		refunder: asPublicKey(Uint8Array.of(2, ...fromHex(record.btc_server_refund_pk))),
		refundLocktime: unix$1(record.btc_refund_locktime)
	};
	const address = htlcAddress(htlc, terms.network);
	if (address !== record.btc_htlc_address) return distrust(`its Bitcoin address is ${record.btc_htlc_address}, its terms make ${address}`);
	return {
		on: "bitcoin",
		amount: terms.targetAmount,
		htlc,
		script: htlcScript(htlc).pkScript,
		address
	};
}
/** What we would lock, or the sentence for which nothing is signed. */
function verifyEvmBitcoin(given, terms, now) {
	const record = read(evmBitcoinRecord, given);
	if (isRefusal(record)) return record;
	if (!isRead(now)) return distrust("the Bitcoin clock, by which its coin is judged, cannot be read now");
	const wrong = wrongFrame(record, terms, {
		source: peggedInfo(terms),
		target: bitcoinOn("Bitcoin")
	}) ?? wrongLock(record, terms) ?? wrongPrice({
		...record,
		network_fee_sats: 0
	}, terms) ?? wrongParts(record, terms) ?? wrongTimes$1(record, terms, now);
	if (wrong !== null) return distrust(wrong);
	const source = lockOf$1(record, terms);
	if (isRefusal(source)) return source;
	const target = deriveHtlc(record, terms);
	if (isRefusal(target)) return target;
	return {
		swapId: record.id,
		costs: [{
			part: "service",
			sats: BigInt(record.fee_sats)
		}],
		source,
		target: {
			...target,
			since: now.bitcoin.height
		}
	};
}
// ../..engine/taker/evm-bitcoin/machine.ts
function takeEvmBitcoinEffects(t) {
	return createAt(t, "evm-bitcoin", {
		btc_htlc_script_version: 1,
		claim_pk: toHex(t.key),
		evm_chain_id: chainIdOf(t.chain),
		hash_lock: `0x${toHex(t.hash)}`,
		token_address: checksummed(t.pegged.address),
		user_address: checksummed(t.account),
		user_id: t.userId,
		amount_out: Number(t.targetAmount),
		gasless: t.gasless
	});
}
/** What is known of the provider's side stays, whatever becomes of our lock. */
function beside(outcome, payout) {
	return outcome === "stay" ? "stay" : {
		...outcome,
		progress: {
			...outcome.progress,
			...payoutOf(payout)
		}
	};
}
/** The secret is ours alone until we show it: the provider has it from a life of this node that this database forgot. */
function redeemed(p, dealt, { txid }) {
	const base = {
		...dealt,
		...payoutOf(p),
		takenBy: txid
	};
	if (p.takenBack) return lose(base);
	return p.at === "locked" && p.takenBy === txid ? "stay" : {
		progress: {
			at: "locked",
			notBefore: null,
			declined: null,
			...base
		},
		effects: [],
		supersedes: true
	};
}
function whenLockIsSeen(t, p, event, now) {
	if (p.at === "locked" && p.takenBy !== null && lockNow(t, p, event.locks)?.state.is === "active") return {
		progress: {
			...p,
			takenBy: null
		},
		effects: []
	};
	const taken = { by: null };
	const outcome = whenLockSeen(t, p, event, now, {
		window: windowOf$1(t),
		redeemed(dealt, state) {
			taken.by = redeemed(p, dealt, state);
			return "stay";
		}
	});
	return taken.by ?? beside(outcome, p);
}
function step$2(t, p, event, now) {
	switch (p.at) {
		case "creating": return whenCreating(t, event, now, {
			verify: (record) => verifyEvmBitcoin(record, t, now),
			begin: (deal) => ({
				...awaiting(deal),
				...nothingPaidOut
			})
		});
		case "claiming": return whenClaiming$1(t, p, event, now);
		case "refused":
		case "refunded":
		case "lapsed":
		case "claimed":
		case "lost": return "stay";
		default: if (event.is === "evm.seen") return whenLockIsSeen(t, p, event, now);
	}
	switch (p.at) {
		case "waiting": return beside(whenWaiting$1(t, p, event, now, windowOf$1(t)), p);
		case "funding": return beside(whenFunding(t, p, event, now), p);
		case "locked":
			if (event.is === "htlc.seen") return whenCoinSeen(t, p, event, now);
			return p.takenBy === null ? beside(whenLocked(t, p, event, now), p) : "stay";
		case "asking": return beside(whenAsking(t, p, event, now), event.is === "provider.relayed" ? {
			...payoutOf(p),
			relayed: true
		} : p);
		case "refunding": return beside(whenRefunding(p, event), p);
	}
}
function coinWatch({ deal: { target }, coin }) {
	const { htlc: terms, script, since, amount } = target;
	return {
		on: "htlc",
		terms,
		script,
		since,
		agreed: {
			least: amount,
			most: amount
		},
		coins: coin === null ? [] : [coin]
	};
}
function watches$2(t, p) {
	switch (p.at) {
		case "creating":
		case "refused":
		case "claimed":
		case "lost": return [];
		case "claiming": return [
			coinWatch(p),
			lockWatch(t, p),
			providerWatch(t, p)
		];
		case "locked": return isLeft(p) ? evmSourceWatches(t, p) : [coinWatch(p), ...evmSourceWatches(t, p)];
		default: return evmSourceWatches(t, p);
	}
}
function deadline$2(t, p) {
	switch (p.at) {
		case "creating": return t.createBefore;
		case "refused":
		case "claiming":
		case "claimed":
		case "lost": return null;
		default: return evmSourceDeadline(p, windowOf$1(t).pay);
	}
}
function status$2(p) {
	switch (p.at) {
		case "creating":
		case "waiting":
		case "refused":
		case "lapsed": return unpaidStatus(p);
		case "funding": return "clientfundingseen";
		case "locked":
		case "asking":
		case "refunding": return p.takenBack ? "clientfundedserverrefunded" : repeated(p.said, whileLocked);
		case "claiming": return "clientredeeming";
		case "claimed": return p.takenBy === null ? "clientredeemed" : "serverredeemed";
		case "refunded": return p.takenBack ? "clientrefundedserverrefunded" : "clientrefunded";
		case "lost": return "clientfundedserverrefunded";
	}
}
const over$2 = /* @__PURE__ */ new Set([
	"refused",
	"claimed",
	"refunded",
	"lapsed",
	"lost"
]);
const takeEvmBitcoin = clientMachine({
	name: "take-evm-bitcoin",
	shape: shape$2,
	step: step$2,
	watches: watches$2,
	deadline: deadline$2,
	status: status$2,
	open: (_, p) => !over$2.has(p.at),
	rescue: rescue$2
}, evmBitcoinSteps);
// ../..engine/taker/evm-bitcoin/recovered.ts
const restorable$2 = {
	ours: "btc_user_claim_pk",
	async recovered(given, from) {
		const record = readCreated(evmBitcoinRecord, given);
		if (isRefusal(record)) return record;
		const targetAmount = satsIn(record.target_amount);
		if (isRefusal(targetAmount)) return targetAmount;
		if (!/^\d{1,40}$/.test(record.source_amount)) return distrust("its amounts are more than there is");
		const chain = await from.evm(record.evm_chain_id, record.client_evm_address, targetAmount);
		if (isRefusal(chain)) return chain;
		return {
			record: asCreated(given, { target_btc_address: void 0 }),
			value: targetAmount,
			terms: {
				...from.agreed,
				...chain,
				gasless: record.gasless,
				hash: sha256Of(from.secret),
				sourceAmount: BigInt(record.source_amount),
				targetAmount
			}
		};
	},
	/** A signature of ours may still be about: one that was given lets our tokens be locked, though not for as long as this. */
	reopened: (p) => p.at === "waiting" ? {
		...p,
		signedUntil: p.deal.target.htlc.refundLocktime
	} : p
};
// ../..engine/taker/evm-bitcoin/order.ts
/** What is paid to the HTLC is pinned; the price is what the provider quotes for that. */
async function order$2({ request, ...from }) {
	if (!from.bitcoinWallet()) return refuse("unavailable", "No Bitcoin wallet is connected, which could claim the bitcoin: connect one.");
	const { amount } = request;
	const chain = await orderOnEvm(request, from, amount);
	if (isRefusal(chain)) return chain;
	if (isZero(chain.pegged.address)) return refuse("invalid", `The coin of ${chain.chain} cannot be signed away: swap from a chain with a token.`);
	const quoted = await from.provider.quoteOnEvm("evm-bitcoin", chain, {
		side: "target",
		amount
	});
	if (isRefusal(quoted)) return quoted;
	return {
		value: amount,
		terms: (agreed, secret) => ({
			...agreed,
			...chain.termsFor(agreed.keyIndex),
			hash: sha256Of(secret),
			sourceAmount: quoted.source,
			targetAmount: amount
		})
	};
}
/** Tokens of ours are locked by our signature, the provider pays on the Bitcoin chain, and our claim there shows it the secret. */
const takenEvmBitcoin = {
	source: "evm",
	target: "Bitcoin",
	needs: ["bitcoin"],
	secret: "ours",
	machine: () => takeEvmBitcoin,
	order: order$2,
	effects: takeEvmBitcoinEffects,
	facts: evmBitcoinFacts,
	steps: evmBitcoinSteps,
	lateScript: () => null,
	restorable: restorable$2,
	neverRefunded: null
};
// ../..engine/taker/evm-lightning/payable.ts
/** The moment until which tokens are still locked for the invoice. */
function payableUntil({ deal }) {
	return unix$1(deal.target.expiresAt - leastTimeToPay);
}
// ../..engine/taker/evm-lightning/facts.ts
function reasonOf$1(p) {
	if (p.at === "waiting") return notLocked(p);
	const declined = p.at === "locked" ? p.declined : null;
	return {
		reason: declined === null ? null : "refund-declined",
		detail: declined
	};
}
function evmLightningFacts(t, p, now) {
	const get = bitcoinSide("lightning", t.targetAmount);
	const to = {
		own: false,
		text: t.bolt11
	};
	const time = evmTime(now, t.chain);
	if (p.at === "creating" || p.at === "refused") return openingFacts(p, {
		give: evmSide(t, t.sourceAmount),
		get,
		to
	}, time);
	const payUntil = payableUntil(p);
	const claim = p.at === "paid" ? [{
		what: "claim",
		network: t.chain,
		txid: p.claimTxid,
		whose: "provider"
	}] : [];
	return {
		give: evmSide(t, p.deal.source.amount),
		get,
		to,
		paid: lockPaid(t, p, now, p.at === "paid"),
		pay: p.at === "waiting" ? payToAccount(t, p, payUntil) : null,
		times: {
			...noTimes,
			now: time,
			payUntil,
			refundAloneFrom: timelockOf(p)
		},
		refund: p.at === "paid" ? {
			state: "none",
			from: null,
			why: "spent"
		} : lockRefund(t, p, now),
		transactions: lockMoves(t, p, claim),
		...reasonOf$1(p)
	};
}
// ../..engine/taker/evm-lightning/rescue.ts
function rescue$1(t, p) {
	if (p.at === "creating" || p.at === "refused" || p.at === "paid") return null;
	const refund = lockToRefund(t, p);
	return refund === null ? null : {
		claim: null,
		refund,
		shown: false
	};
}
// ../..engine/taker/evm-lightning/shape.ts
const terms$1 = exactly()(z.strictObject({
	...orderFields,
	...evmOrderFields,
	sourceAmount: z.bigint(),
	targetAmount: sats$1,
	bolt11: z.string(),
	invoiceExpiresAt: unix
}));
const dealt$1 = dealtShape(lightningLeg);
const progress$1 = exactly()(z.discriminatedUnion("at", [
	creating,
	refused,
	...evmSourceStates(dealt$1),
	z.strictObject({
		at: z.literal("paid"),
		claimTxid: z.string(),
		...dealt$1
	})
]));
const shape$1 = {
	terms: shapeOf(terms$1),
	progress: shapeOf(progress$1)
};
// ../..engine/taker/evm-lightning/steps.ts
const begin = [
	create,
	{
		step: "pay",
		reachedBy: ["funding", "locked"]
	},
	{
		step: "confirm",
		reachedBy: ["locked", "paid"]
	}
];
const paidOut = [
	...begin,
	{
		step: "pay-out",
		reachedBy: ["paid"]
	},
	{
		step: "finished",
		reachedBy: ["paid"]
	}
];
const back = takenBack$1(begin, "refunded");
/** Whose turn it is and what comes after. */
function evmLightningSteps(p, t) {
	switch (p.at) {
		case "creating":
		case "refused":
		case "lapsed": return unpaidSteps(p, t, paidOut);
		case "paid": return over$3("finished", paidOut);
		case "refunded": return over$3("returned", back);
		case "waiting":
			if (p.cancelled === true) return shutUntil(p.signedUntil ?? timelockOf(p));
			return going("pay", {
				who: "you",
				step: "pay",
				until: payableUntil(p)
			}, paidOut);
		case "funding": return going("wait", {
			who: p.by === "provider" ? "provider" : "node",
			step: "confirm",
			until: p.signedUntil
		}, paidOut);
		case "locked": return locked(p);
		case "asking": return signing(timelockOf(p), back);
		case "refunding": return refunding(back);
	}
}
function locked(p) {
	const until = timelockOf(p);
	if (p.declined !== null) return unsigned(until, back);
	return payerIsOut.has(p.said) ? signing(until, back) : going("wait", {
		who: "provider",
		step: "pay-out",
		until
	}, paidOut);
}
// ../..engine/taker/evm-lightning/verify.ts
function wrongTimes(record, terms, now) {
	const timelock = record.evm_refund_locktime;
	const time = evmTime(now, terms.chain);
	if (time === null) return "the clock of the EVM chain, by which its lock is judged, cannot be read now";
	return objection(record.invoice_expires_at === terms.invoiceExpiresAt, `it says that the invoice expires at ${record.invoice_expires_at}, it expires at ${terms.invoiceExpiresAt}`) ?? objection(terms.invoiceExpiresAt >= now.wall + leastTimeToPay, `the invoice expires at ${terms.invoiceExpiresAt}, too soon to be paid`) ?? objection(timelock > time, `its refund opens at ${timelock}, which has passed`) ?? objection(timelock <= Math.max(now.wall, time) + terms.policy.longestLeg, `its refund opens at ${timelock} only, more than ${terms.policy.longestLeg} seconds from now`);
}
/** What we would lock, or the sentence for which nothing is signed. */
function verifyEvmLightning(given, terms, now) {
	const record = read(evmLightningRecord, given);
	if (isRefusal(record)) return record;
	const wrong = wrongFrame(record, terms, {
		source: peggedInfo(terms),
		target: bitcoinOn("Lightning")
	}) ?? wrongLock(record, terms) ?? wrongPrice(record, terms) ?? wrongHash(record, terms) ?? objection(record.client_lightning_invoice.toLowerCase() === terms.bolt11, "the invoice that it would pay is not ours") ?? objection(!record.lightning_payment_settled, "it says that the invoice is paid although nothing was locked") ?? wrongTimes(record, terms, now);
	if (wrong !== null) return distrust(wrong);
	const source = lockOf$1(record, terms);
	if (isRefusal(source)) return source;
	return {
		...frameOf(record),
		source,
		target: {
			on: "lightning",
			amount: terms.targetAmount,
			bolt11: terms.bolt11,
			expiresAt: terms.invoiceExpiresAt
		}
	};
}
// ../..engine/taker/evm-lightning/machine.ts
function takeEvmLightningEffects(t) {
	return createAt(t, "evm-lightning", {
		evm_chain_id: chainIdOf(t.chain),
		token_address: checksummed(t.pegged.address),
		user_address: checksummed(t.account),
		user_id: t.userId,
		lightning_invoice: t.bolt11,
		gasless: t.gasless
	});
}
function windowOf(p) {
	return {
		pay: payableUntil(p),
		over: p.deal.target.expiresAt
	};
}
/** The payee alone gave it, and gave it for the payment. */
function paid(p, { txid, preimage }) {
	return {
		progress: {
			at: "paid",
			claimTxid: txid,
			...p
		},
		effects: [],
		supersedes: true,
		learned: preimage
	};
}
function step$1(t, p, event, now) {
	switch (p.at) {
		case "creating": return whenCreating(t, event, now, {
			verify: (record) => verifyEvmLightning(record, t, now),
			begin: (deal) => awaiting(deal)
		});
		case "refused":
		case "paid":
		case "refunded":
		case "lapsed": return "stay";
		default: if (event.is === "evm.seen") return whenLockSeen(t, p, event, now, {
			window: windowOf(p),
			redeemed: paid
		});
	}
	switch (p.at) {
		case "waiting": return whenWaiting$1(t, p, event, now, windowOf(p));
		case "funding": return whenFunding(t, p, event, now);
		case "locked": return whenLocked(t, p, event, now);
		case "asking": return whenAsking(t, p, event, now);
		case "refunding": return whenRefunding(p, event);
	}
}
function watches$1(t, p) {
	return p.at === "creating" || p.at === "refused" || p.at === "paid" ? [] : evmSourceWatches(t, p);
}
function deadline$1(t, p) {
	switch (p.at) {
		case "creating": return t.createBefore;
		case "refused":
		case "paid": return null;
		default: return evmSourceDeadline(p, payableUntil(p));
	}
}
function status$1(p) {
	switch (p.at) {
		case "creating":
		case "waiting":
		case "refused":
		case "lapsed": return unpaidStatus(p);
		case "funding": return "clientfundingseen";
		case "locked":
		case "asking":
		case "refunding": return repeated(p.said, whilePaid);
		case "paid": return "serverredeemed";
		case "refunded": return "clientrefunded";
	}
}
const over$1 = /* @__PURE__ */ new Set([
	"refused",
	"paid",
	"refunded",
	"lapsed"
]);
const takeEvmLightning = clientMachine({
	name: "take-evm-lightning",
	shape: shape$1,
	step: step$1,
	watches: watches$1,
	deadline: deadline$1,
	status: status$1,
	open: (_, p) => !over$1.has(p.at),
	rescue: rescue$1
}, evmLightningSteps);
// ../..engine/taker/evm-lightning/recovered.ts
const restorable$1 = {
	ours: "client_evm_address",
	async recovered(given, from) {
		const unsettled = { lightning_payment_settled: false };
		const record = readCreated(evmLightningRecord, asCreated(given, unsettled));
		if (isRefusal(record)) return record;
		const targetAmount = satsIn(record.target_amount);
		if (isRefusal(targetAmount)) return targetAmount;
		if (!/^\d{1,40}$/.test(record.source_amount)) return distrust("its amounts are more than there is");
		const invoice = from.decodeInvoice(record.client_lightning_invoice);
		if (isRefusal(invoice) || invoice.network !== from.agreed.network) return distrust("its invoice cannot be read, or is of another network");
		if (invoiceSats(invoice) !== targetAmount) return distrust("its invoice asks for another amount");
		const chain = await from.evm(record.evm_chain_id, record.client_evm_address, targetAmount);
		if (isRefusal(chain)) return chain;
		return {
			record: asCreated(given, unsettled),
			value: targetAmount,
			terms: {
				...from.agreed,
				...chain,
				gasless: record.gasless,
				hash: invoice.hash,
				sourceAmount: BigInt(record.source_amount),
				targetAmount,
				bolt11: invoice.text,
				invoiceExpiresAt: invoice.expiresAt
			}
		};
	},
	/** A signature of ours may still be about: one that was given lets our tokens be locked for a while after the invoice. */
	reopened: (p) => p.at === "waiting" ? {
		...p,
		signedUntil: after(p.deal.target.expiresAt, hour)
	} : p
};
// ../..engine/taker/evm-lightning/order.ts
async function order$1({ request, ...from }) {
	const invoice = from.decodeInvoice(request.invoice ?? "");
	if (isRefusal(invoice)) return invoice;
	const amount = checkInvoice(invoice, {
		network: from.network,
		now: from.wall,
		fundingWindow: seconds$1(0),
		ownNode: null,
		targetAmount: request.amount
	});
	if (isRefusal(amount)) return amount;
	const chain = await orderOnEvm(request, from, amount);
	if (isRefusal(chain)) return chain;
	if (isZero(chain.pegged.address)) return refuse("invalid", `The coin of ${chain.chain} cannot be signed away: swap from a chain with a token.`);
	const quoted = await from.provider.quoteOnEvm("evm-lightning", chain, {
		side: "target",
		amount
	});
	if (isRefusal(quoted)) return quoted;
	return {
		value: amount,
		terms: (agreed) => ({
			...agreed,
			...chain.termsFor(agreed.keyIndex),
			hash: invoice.hash,
			sourceAmount: quoted.source,
			targetAmount: amount,
			bolt11: invoice.text,
			invoiceExpiresAt: invoice.expiresAt
		})
	};
}
/** Tokens of ours are locked by our signature, and the provider pays an invoice. */
const takenEvmLightning = {
	source: "evm",
	target: "Lightning",
	needs: ["bitcoin"],
	secret: "payee",
	machine: () => takeEvmLightning,
	order: order$1,
	effects: takeEvmLightningEffects,
	facts: evmLightningFacts,
	steps: evmLightningSteps,
	lateScript: () => null,
	restorable: restorable$1,
	neverRefunded: null
};
// ../..engine/taker/lightning-arkade/terms.ts
/** In these the provider will not lock any more. */
const lockerIsOut = /* @__PURE__ */ new Set([
	"expired",
	"serverwontfund",
	"clientrefunded",
	"clientfundedserverrefunded",
	"clientrefundedserverrefunded"
]);
/** In these nobody was seen to pay: nothing goes back. */
const saysUnpaid = /* @__PURE__ */ new Set(["pending", "expired"]);
function dealtOf(p) {
	return {
		deal: p.deal,
		said: p.said,
		...cancelOf(p)
	};
}
// ../..engine/taker/lightning-arkade/facts.ts
function payOf(p) {
	if (p.at !== "waiting" || p.said !== "pending" || p.cancelled === true) return null;
	const { amount, bolt11, expiresAt } = p.deal.source;
	return {
		kind: "invoice",
		text: bolt11,
		uri: `lightning:${bolt11}`,
		amount,
		until: expiresAt
	};
}
/**
* The provider's lock must be claimed before its refund opens. What is held over Lightning has no locktime of ours: it goes back by itself.
* Only what has left us can be lost: there is a last date from the claim on.
*/
function timesOf(t, p, now) {
	const { source, target } = p.deal;
	const normalUntil = revealUntil(target.vhtlc.refundLocktime, t.policy);
	const exposed = p.at === "claiming";
	return {
		...noTimes,
		now: furthest(now.bitcoin).mtp,
		payUntil: source.expiresAt,
		normalUntil,
		dangerFrom: exposed ? normalUntil : null,
		last: exposed ? refundOpens(target.vhtlc.refundLocktime) : null
	};
}
/** The wallet that pays is not ours to see: that a payment is held is what the provider says, and what its lock shows. */
function paidOf(p) {
	const byWord = {
		state: "told",
		amount: null
	};
	switch (p.at) {
		case "creating":
		case "refused": return notPaid;
		case "waiting": return p.why === null && saysUnpaid.has(p.said) ? notPaid : byWord;
		case "ended": return p.detail === null && saysUnpaid.has(p.said) ? notPaid : byWord;
		case "claiming": return byWord;
		case "claimed":
		case "lost": return {
			state: "taken",
			amount: p.deal.source.amount
		};
	}
}
function movedBy(p) {
	if (p.at !== "claiming" && p.at !== "claimed") return [];
	const exit = p.at === "claiming" && p.exit === true;
	return [...p.coin === null ? [] : [{
		what: "lock",
		network: "arkade",
		txid: p.coin.txid,
		whose: "provider"
	}], ...p.at === "claimed" && p.claimTxid !== null ? [{
		what: "claim",
		network: "arkade",
		txid: p.claimTxid,
		whose: "you"
	}] : signedAs("claim", exit ? "bitcoin" : "arkade", p.claimTxid)];
}
function reasonOf(p) {
	switch (p.at) {
		case "refused":
		case "ended": return {
			reason: p.reason,
			detail: p.detail
		};
		case "waiting": return {
			reason: p.why === null ? null : "lock-unsafe",
			detail: p.why
		};
		case "lost": return {
			reason: "taken-back",
			detail: null
		};
		default: return {
			reason: null,
			detail: null
		};
	}
}
function lightningArkadeFacts(t, p, now) {
	const dealt = p.at === "creating" || p.at === "refused" ? null : p;
	return {
		give: bitcoinSide("lightning", dealt?.deal.source.amount ?? t.sourceAmount),
		get: bitcoinSide("arkade", dealt?.deal.target.amount ?? t.targetAmount),
		to: {
			own: true,
			text: t.targetAddress
		},
		paid: paidOf(p),
		pay: payOf(p),
		times: dealt === null ? {
			...noTimes,
			now: furthest(now.bitcoin).mtp
		} : timesOf(t, dealt, now),
		refund: {
			state: "none",
			from: null,
			why: p.at === "claimed" ? "spent" : "returns-by-itself"
		},
		transactions: movedBy(p),
		...reasonOf(p)
	};
}
// ../..engine/taker/lightning-arkade/claiming.ts
const ends = {
	claimed: (p, claimTxid) => move({
		at: "claimed",
		claimTxid,
		coin: p.coin,
		...dealtOf(p)
	}),
	unsent: (p, reason) => move({
		at: "waiting",
		why: reason,
		...dealtOf(p)
	}),
	lost: (p) => ({
		progress: {
			at: "lost",
			...dealtOf(p)
		},
		effects: [],
		flag: "The provider took its VHTLC back while we claimed it: if the invoice was settled, the provider owes you the payment."
	}),
	shown: () => false
};
function whenClaiming(t, p, event, now) {
	if (event.is === "provider.seen") return event.status === p.said ? "stay" : move({
		...p,
		said: event.status
	});
	return whenClaiming$3(t, p, event, now, ends);
}
// ../..engine/taker/lightning-arkade/rescue.ts
/** Once our secret may have left us the VHTLC is all that is ours. Before that the payment goes back by itself, whoever is gone. */
function rescue(t, p) {
	return p.at === "claiming" ? {
		claim: ourVhtlc(t, p.deal.target, p.coin),
		refund: null,
		shown: true
	} : null;
}
// ../..engine/taker/lightning-arkade/shape.ts
const terms = exactly()(z.strictObject({
	...arkadeOrderFields,
	targetAddress: z.string(),
	description: z.string()
}));
const txid = z.string();
const dealt = {
	deal: z.strictObject({
		...dealFields,
		source: lightningLeg,
		target: arkadeLeg
	}),
	said: lastWord,
	cancelled: cancelled$1
};
const progress = exactly()(z.discriminatedUnion("at", [
	creating,
	refused,
	z.strictObject({
		at: z.literal("waiting"),
		why: z.string().nullable(),
		...dealt
	}),
	z.strictObject({
		at: z.literal("claiming"),
		halted: z.literal(true).exactOptional(),
		told: z.literal(true).exactOptional(),
		coin: outpoint,
		claimTxid: txid.nullable(),
		exit: z.literal(true).exactOptional(),
		...dealt
	}),
	z.strictObject({
		at: z.literal("claimed"),
		claimTxid: txid,
		coin: outpoint.nullable(),
		...dealt
	}),
	z.strictObject({
		at: z.literal("ended"),
		reason: z.enum([
			"provider-ended",
			"never-locked",
			"lock-unsafe"
		]),
		detail: z.string().nullable(),
		...dealt
	}),
	z.strictObject({
		at: z.literal("lost"),
		...dealt
	})
]));
const shape = {
	terms: shapeOf(terms),
	progress: shapeOf(progress)
};
// ../..engine/taker/lightning-arkade/steps.ts
const arrives = [
	create,
	{
		step: "pay",
		reachedBy: ["claiming", "claimed"]
	},
	{
		step: "lock",
		reachedBy: ["claiming", "claimed"]
	},
	{
		step: "claim",
		reachedBy: ["claimed"]
	},
	{
		step: "finished",
		reachedBy: ["claimed"]
	}
];
const goesBack = [
	create,
	{
		step: "pay",
		reachedBy: ["ended"]
	},
	{
		step: "payment-returns",
		reachedBy: ["ended"]
	}
];
const closed = closedBy("ended", "refused", "lost");
/** Whose turn it is and what comes after. */
function lightningArkadeSteps(p, t) {
	switch (p.at) {
		case "creating":
		case "refused": return unpaidSteps(p, t, arrives, closed);
		case "waiting": return waiting(p, t);
		case "claiming": return going("claim", {
			who: "node",
			step: "claim",
			until: untilOf(p, t)
		}, arrives);
		case "claimed": return over$3("finished", arrives);
		case "ended": return p.detail === null && saysUnpaid.has(p.said) ? over$3("unpaid", closed) : over$3("returned", goesBack);
		case "lost": return over$3("lost", closed);
	}
}
function untilOf(p, t) {
	return revealUntil(p.deal.target.vhtlc.refundLocktime, t.policy);
}
function waiting(p, t) {
	const { source, target } = p.deal;
	const unwanted = p.cancelled === true && p.said === "pending";
	if (p.why === null && (unwanted || p.said === "expired")) return shutUntil(source.expiresAt, closed);
	if (p.why !== null || lockerIsOut.has(p.said)) {
		const until = target.vhtlc.refundLocktime;
		return going("wait", {
			who: "nobody",
			step: "payment-returns",
			until
		}, goesBack);
	}
	return p.said === "pending" ? going("pay", {
		who: "payer",
		step: "pay",
		until: source.expiresAt
	}, arrives) : going("wait", {
		who: "provider",
		step: "lock",
		until: untilOf(p, t)
	}, arrives);
}
// ../..engine/taker/lightning-arkade/verify.ts
/** What is wrong with the hold invoice that we would pay. */
function wrongHoldInvoice(invoice, record, terms, now) {
	const amount = invoiceSats(invoice);
	if (isRefusal(amount)) return "its invoice does not ask for a whole number of sats";
	const mostBlocks = Math.floor(terms.policy.longestLeg / terms.policy.fastBlock);
	return objection(invoice.network === terms.network, `its invoice is for the network ${invoice.network}, we are on ${terms.network}`) ?? objection(sameBytes(invoice.hash, terms.hash), "its invoice has another payment hash than ours") ?? objection(amount.toString() === record.source_amount, `its invoice asks for ${amount} sats, its source amount is ${record.source_amount}`) ?? objection(invoice.description === terms.description && invoice.descriptionHash === null, "its invoice carries another text than ours") ?? objection(invoice.expiresAt === record.invoice_expires_at, `its invoice expires at ${invoice.expiresAt}, it says ${record.invoice_expires_at}`) ?? objection(invoice.expiresAt >= now.wall + leastTimeToPay, `its invoice expires at ${invoice.expiresAt}, too soon to be paid`) ?? objection(invoice.finalCltv <= mostBlocks, `its invoice could hold a payment for ${invoice.finalCltv} blocks, at most ${mostBlocks} are accepted`);
}
/**
* The service's leg must leave us time to claim however late the invoice is paid, and must not lie absurdly far away.
* How long the invoice lives is told by the wall, when the VHTLC can be taken back by the chain.
*/
function wrongClaimTime(record, terms, now) {
	const { policy } = terms;
	if (!isRead(now)) return "the Bitcoin clock, by which its locktime is judged, cannot be read now";
	const locktime = record.vhtlc_refund_locktime;
	return objection(locktime >= latestByChain(now.bitcoin, policy) + Math.max(0, record.invoice_expires_at - now.wall) + policy.leastClaimTime, `its VHTLC can be taken back at ${locktime}, less than ${policy.leastClaimTime} seconds after its invoice may be paid`) ?? objection(locktime <= laterOf(now) + policy.longestLeg, `its VHTLC can be taken back at ${locktime} only, the payment could be held for too long`) ?? objection(record.unilateral_claim_delay < record.unilateral_refund_without_receiver_delay, "its sender could leave the VHTLC as soon as we can");
}
/** What we would pay for, or the sentence for which nobody is shown the invoice. */
function verifyLightningArkade(given, terms, now, decode) {
	const record = read(lightningArkadeRecord, given);
	if (isRefusal(record)) return record;
	const wrong = wrongFrame(record, terms, {
		source: bitcoinOn("Lightning"),
		target: bitcoinOn("Arkade")
	}) ?? wrongAmounts$1(record, terms) ?? wrongHash(record, terms) ?? objection(record.receiver_pk === toHex(terms.key), "its claim key is not ours") ?? objection(record.target_arkade_address === terms.targetAddress, "its target address is not ours") ?? wrongClaimTime(record, terms, now);
	if (wrong !== null) return distrust(wrong);
	const leg = deriveVhtlc(record, terms, {
		sender: keyIn(record.sender_pk),
		receiver: keyIn(toHex(terms.key))
	});
	if (isRefusal(leg)) return leg;
	const invoice = decode(record.bolt11_invoice);
	if (isRefusal(invoice)) return distrust("its invoice cannot be read");
	const unpayable = wrongHoldInvoice(invoice, record, terms, now);
	if (unpayable !== null) return distrust(unpayable);
	return {
		...frameOf(record),
		source: {
			on: "lightning",
			amount: sats$2(BigInt(record.source_amount)),
			bolt11: invoice.text,
			expiresAt: invoice.expiresAt
		},
		target: {
			on: "arkade",
			amount: sats$2(BigInt(record.target_amount)),
			...leg
		}
	};
}
// ../..engine/taker/lightning-arkade/machine.ts
function takeLightningArkadeEffects(t) {
	return createAt(t, "lightning-arkade", {
		arkade_htlc_script_version: 1,
		claim_pk: toHex(t.key),
		hash_lock: `0x${toHex(t.hash)}`,
		target_arkade_address: t.targetAddress,
		user_id: t.userId,
		source_amount_sats: Number(t.sourceAmount),
		invoice_description: t.description
	});
}
/** What a provider may say while nothing of it is on Arkade; anything else is not repeated to people. */
const believable = /* @__PURE__ */ new Set([
	"pending",
	"clientfundingseen",
	"clientfunded",
	"serverfunded"
]);
function whenWaiting(t, p, event, now) {
	switch (event.is) {
		case "vhtlc.seen": return whenCoinsSeen(t, p, event.coins, now);
		case "provider.seen":
			if (lockerIsOut.has(event.status) && now.wall >= p.deal.source.expiresAt) return end(p, event.status, "provider-ended");
			return event.status === p.said ? "stay" : move({
				...p,
				said: event.status
			});
		case "cancel.requested": return p.said === "pending" && p.why === null && p.cancelled !== true ? move({
			...p,
			cancelled: true
		}) : "stay";
		case "clock": return locktimePassed(p.deal.target.vhtlc.refundLocktime, now.bitcoin) ? end(p, p.said, p.why === null ? "never-locked" : "lock-unsafe") : "stay";
		default: return "stay";
	}
}
function end(p, lastStatus, reason) {
	return move({
		at: "ended",
		reason,
		detail: p.why,
		...dealtOf(p),
		said: lastStatus
	});
}
function whenCoinsSeen(t, p, coins, now) {
	const { vhtlc, amount: targetAmount } = p.deal.target;
	let why = null;
	for (const coin of coins) {
		const txid = claimOf(t, coin);
		if (txid !== null) return move({
			at: "claimed",
			claimTxid: txid,
			coin: coin.outpoint,
			...dealtOf(p)
		});
		const unsafe = safeToReveal({
			coin,
			targetAmount,
			refundLocktime: vhtlc.refundLocktime
		}, now, t.policy);
		if (unsafe === null) return move({
			at: "claiming",
			coin: coin.outpoint,
			claimTxid: null,
			...dealtOf(p)
		}, claimEffect$1(t, p, coin.outpoint));
		why ??= unsafe.sentence;
	}
	return why === p.why ? "stay" : move({
		...p,
		why
	});
}
function step(t, p, event, now, decode) {
	switch (p.at) {
		case "creating": return whenCreating(t, event, now, {
			verify: (record) => verifyLightningArkade(record, t, now, decode),
			begin: (deal) => ({
				at: "waiting",
				why: null,
				deal,
				said: "pending"
			})
		});
		case "waiting": return whenWaiting(t, p, event, now);
		case "claiming": return whenClaiming(t, p, event, now);
		case "refused":
		case "claimed":
		case "ended":
		case "lost": return "stay";
	}
}
function watches(t, p) {
	if (p.at !== "waiting" && p.at !== "claiming") return [];
	return [{
		on: "vhtlc",
		terms: p.deal.target.vhtlc,
		script: p.deal.target.script
	}, {
		on: "provider",
		provider: t.provider,
		swapId: p.deal.swapId
	}];
}
function deadline(t, p) {
	if (p.at === "creating") return t.createBefore;
	return p.at === "waiting" ? p.deal.target.vhtlc.refundLocktime : null;
}
/** Shown to people as they know it from the other side; our own eyes come before the provider's word. */
function status(p) {
	switch (p.at) {
		case "creating":
		case "refused": return unpaidStatus(p);
		case "waiting": return believable.has(p.said) || lockerIsOut.has(p.said) ? p.said : "pending";
		case "claiming": return "clientredeeming";
		case "claimed": return "serverredeemed";
		case "ended": return lockerIsOut.has(p.said) ? p.said : "expired";
		case "lost": return "clientfundedserverrefunded";
	}
}
const over = /* @__PURE__ */ new Set([
	"refused",
	"claimed",
	"ended",
	"lost"
]);
function takeLightningArkade(decode) {
	return clientMachine({
		name: "take-lightning-arkade",
		shape,
		step: (t, p, event, now) => step(t, p, event, now, decode),
		watches,
		deadline,
		status,
		open: (_, p) => !over.has(p.at),
		rescue
	}, lightningArkadeSteps);
}
// ../..engine/taker/lightning-arkade/recovered.ts
const restorable = {
	ours: "receiver_pk",
	async recovered(given, from) {
		const record = readCreated(lightningArkadeRecord, given);
		if (isRefusal(record)) return record;
		const amounts = amountsIn(record);
		if (isRefusal(amounts)) return amounts;
		const invoice = from.decodeInvoice(record.bolt11_invoice);
		if (isRefusal(invoice)) return distrust("its invoice cannot be read");
		return {
			record: asCreated(given, { target_arkade_address: from.arkadeAddress }),
			value: amounts.sourceAmount,
			terms: {
				...from.agreed,
				...amounts,
				operator: operatorThen(record, from.operator(), {
					side: "target",
					network: from.agreed.network
				}),
				hash: sha256Of(from.secret),
				targetAddress: from.arkadeAddress,
				description: invoice.description ?? ""
			}
		};
	}
};
// ../..engine/taker/lightning-arkade/order.ts
const description = "Swap to Arkade";
async function order({ request, ...from }) {
	const quoted = await from.provider.quote("lightning-arkade", {
		side: "source",
		amount: request.amount
	});
	if (isRefusal(quoted)) return quoted;
	const targetAddress = await from.arkadeAddress();
	if (targetAddress === null) return refuse("unavailable", "No Arkade operator is connected: try again later.");
	const operator = from.operator();
	return {
		value: request.amount,
		terms: (agreed, secret) => ({
			...agreed,
			operator,
			hash: sha256Of(secret),
			sourceAmount: request.amount,
			targetAmount: quoted.target,
			targetAddress,
			description
		})
	};
}
// ../..engine/taker/directions.ts
/** The directions in which this build can be the client. A new one is a line here. */
const takenDirections = {
	"lightning-arkade": {
		source: "Lightning",
		target: "Arkade",
		needs: ["arkade", "bitcoin"],
		secret: "ours",
		machine: takeLightningArkade,
		order,
		effects: takeLightningArkadeEffects,
		facts: lightningArkadeFacts,
		steps: lightningArkadeSteps,
		lateScript: () => null,
		restorable,
		neverRefunded: "There is nothing to take back: a payment over Lightning goes back by itself unless the coins were claimed."
	},
	"arkade-lightning": takenArkadeLightning,
	"arkade-evm": takenArkadeEvm,
	"bitcoin-arkade": takenBitcoinArkade,
	"evm-lightning": takenEvmLightning,
	"evm-bitcoin": takenEvmBitcoin
};
export { arkadeEvm, arkadeLightning, bitcoinArkade, evmBitcoin, evmLightning, lightningArkade, takenDirections };
