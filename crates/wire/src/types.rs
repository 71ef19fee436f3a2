//! TLV-TYPE numbers of NDN packet format v0.3, of NDNLPv2, and of Weir's own link header fields.

/// An Interest.
pub const INTEREST: u32 = 5;
/// A Data.
pub const DATA: u32 = 6;
/// A Name.
pub const NAME: u32 = 7;

/// Interest: the nonce, 4 bytes.
pub const NONCE: u32 = 10;
/// Interest: lifetime in milliseconds.
pub const INTEREST_LIFETIME: u32 = 12;
/// Interest: only fresh Data may answer; empty.
pub const MUST_BE_FRESH: u32 = 18;
/// Interest: delegation names.
pub const FORWARDING_HINT: u32 = 30;
/// Interest: Data with longer names may answer; empty.
pub const CAN_BE_PREFIX: u32 = 33;
/// Interest: hops left, 1 byte.
pub const HOP_LIMIT: u32 = 34;
/// Interest: parameters of the application.
pub const APPLICATION_PARAMETERS: u32 = 36;
/// Interest: description of its signature.
pub const INTEREST_SIGNATURE_INFO: u32 = 44;
/// Interest: its signature.
pub const INTEREST_SIGNATURE_VALUE: u32 = 46;

/// Data: ContentType, FreshnessPeriod and FinalBlockId.
pub const META_INFO: u32 = 20;
/// Data: the payload.
pub const CONTENT: u32 = 21;
/// Data: description of its signature.
pub const SIGNATURE_INFO: u32 = 22;
/// Data: its signature.
pub const SIGNATURE_VALUE: u32 = 23;
/// MetaInfo: kind of content.
pub const CONTENT_TYPE: u32 = 24;
/// MetaInfo: freshness in milliseconds.
pub const FRESHNESS_PERIOD: u32 = 25;
/// MetaInfo: the last component of the last segment's name.
pub const FINAL_BLOCK_ID: u32 = 26;
/// SignatureInfo: how it was signed.
pub const SIGNATURE_TYPE: u32 = 27;
/// SignatureInfo: which key made it.
pub const KEY_LOCATOR: u32 = 28;
/// KeyLocator: SHA-256 of the key.
pub const KEY_DIGEST: u32 = 29;
/// InterestSignatureInfo: random bytes.
pub const SIGNATURE_NONCE: u32 = 38;
/// InterestSignatureInfo: milliseconds since the Unix epoch.
pub const SIGNATURE_TIME: u32 = 40;
/// InterestSignatureInfo: a number that grows.
pub const SIGNATURE_SEQ_NUM: u32 = 42;
/// SignatureInfo of a certificate: when it is valid.
pub const VALIDITY_PERIOD: u32 = 253;

/// The link packet.
pub const LP_PACKET: u32 = 100;
/// Link: the network packet or a part of it.
pub const LP_FRAGMENT: u32 = 80;
/// Link: sequence number of the frame, 8 bytes.
pub const LP_SEQUENCE: u32 = 81;
/// Link: place of the fragment, from 0.
pub const LP_FRAG_INDEX: u32 = 82;
/// Link: number of fragments.
pub const LP_FRAG_COUNT: u32 = 83;
/// Link: token that the peer wants back, 1 to 32 bytes.
pub const LP_PIT_TOKEN: u32 = 98;
/// Link: the fragment is an Interest that is refused.
pub const LP_NACK: u32 = 800;
/// Nack: the reason.
pub const LP_NACK_REASON: u32 = 801;
/// Link: the face that the packet came in by (forwarder to application).
pub const LP_INCOMING_FACE_ID: u32 = 812;
/// Link: the face to send by (application to forwarder).
pub const LP_NEXT_HOP_FACE_ID: u32 = 816;
/// Link: whether to cache.
pub const LP_CACHE_POLICY: u32 = 820;
/// CachePolicy: which policy; 1 is "do not cache".
pub const LP_CACHE_POLICY_TYPE: u32 = 821;
/// Link: congestion mark.
pub const LP_CONGESTION_MARK: u32 = 832;
/// Link: TxSequence that has arrived, 8 bytes; may be repeated.
pub const LP_ACK: u32 = 836;
/// Link: number to acknowledge, 8 bytes.
pub const LP_TX_SEQUENCE: u32 = 840;
/// Link: the Interest must not start self-learning; empty.
pub const LP_NON_DISCOVERY: u32 = 844;
/// Link: a Data that announces a prefix.
pub const LP_PREFIX_ANNOUNCEMENT: u32 = 848;

/// Weir: [`HopFields::queue_delay`](crate::HopFields::queue_delay). Weir's own numbers lie at the upper end of the
/// range that other forwarders ignore (800 to 959, two low bits 0), away from the assigned ones.
pub const WEIR_QUEUE_DELAY: u32 = 940;
/// Weir: [`HopFields::mark_distance`](crate::HopFields::mark_distance).
pub const WEIR_MARK_DISTANCE: u32 = 944;
/// Weir: [`HopFields::feedback`](crate::HopFields::feedback); 1 is "add", 2 is "reduce".
pub const WEIR_FEEDBACK: u32 = 948;
/// Weir: [`HopFields::loss_notice`](crate::HopFields::loss_notice); empty.
pub const WEIR_LOSS_NOTICE: u32 = 952;
