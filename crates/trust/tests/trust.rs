//! Keys in files, signatures of python-ndn, and what is refused.

use proptest::prelude::*;
use serde_json::Value;
use std::path::PathBuf;
use weir_trust::{KeyFile, KeyRing, Signer, Untrusted, Verifier};
use weir_wire::{Data, Interest, KeyLocator, MetaInfo, Name, SignatureType};

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../wire/tests/vectors.json")).unwrap()
}

fn hex(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap();
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// A folder with this file.
struct File(tempfile::TempDir);

impl File {
    fn new(text: impl AsRef<[u8]>) -> File {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("key"), text).unwrap();
        File(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("key")
    }

    fn key(&self, hmac: bool) -> KeyFile {
        KeyFile { path: self.path(), hmac }
    }

    fn verifier(&self) -> Result<Verifier, String> {
        self.key(false).verifier().map_err(|e| e.to_string())
    }

    fn signer(&self) -> Result<Signer, String> {
        self.key(false).signer().map_err(|e| e.to_string())
    }
}

fn pem(name: &str, half: &str) -> File {
    File::new(vectors()["keys"][name][half].as_str().unwrap())
}

fn name(uri: &str) -> Name {
    uri.parse().unwrap()
}

/// Each packet of python-ndn is accepted by the key that signed it and by no other, and no longer once it is changed.
#[test]
fn signatures_of_another_implementation() {
    let hmac = File::new("c2Vj\ncmV0\n").key(true).verifier().unwrap();
    let public = |name| pem(name, "public").verifier().unwrap();
    let keys = [hmac, public("ecdsa"), public("ed25519"), public("rsa")];
    let all: KeyRing = keys.iter().cloned().collect();
    let vectors = vectors();
    let mut seen = [0; 4];
    for v in vectors["data"].as_array().unwrap() {
        let wire = hex(&v["wire"]);
        let data = Data::decode(&wire.clone().into()).unwrap();
        let typ = SignatureType::from_code(data.signature_type());
        let Some(place) = keys.iter().position(|key| key.signature_type() == typ) else {
            assert!(all.verify_data(&data).is_err(), "a digest or nothing is not enough once there are keys");
            continue;
        };
        seen[place] += 1;
        assert_eq!(all.verify_data(&data), Ok(()));
        assert_eq!(KeyRing::new().verify_data(&data), Err(Untrusted::NoKey(typ)));
        let others: KeyRing = keys.iter().filter(|key| key.signature_type() != typ).cloned().collect();
        assert_eq!(others.verify_data(&data), Err(Untrusted::NoKeyOfType(typ)));
        for at in 0..wire.len() {
            let mut wire = wire.clone();
            wire[at] ^= 1;
            let changed = Data::decode(&wire.into());
            assert!(changed.map_or(true, |d| all.verify_data(&d).is_err()), "{} changed at {at}", data.name);
        }
    }
    assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
}

#[test]
fn interests_are_checked_too() {
    let hmac: KeyRing = [Verifier::hmac(b"secret")].into_iter().collect();
    let vectors = vectors();
    let signed = |v: &&Value| v["signature"]["type"] == 4;
    let wire = hex(&vectors["interests"].as_array().unwrap().iter().find(signed).unwrap()["wire"]);
    let interest = Interest::decode(&wire.into()).unwrap();
    assert_eq!(hmac.verify_interest(&interest), Ok(()));
    let other: KeyRing = [Verifier::hmac(b"secrets")].into_iter().collect();
    assert_eq!(other.verify_interest(&interest), Err(Untrusted::Wrong(SignatureType::Hmac)));
    for v in vectors["commands"].as_array().unwrap() {
        let command = Interest::decode(&hex(&v["wire"]).into()).unwrap();
        assert_eq!(KeyRing::new().verify_interest(&command), Ok(()), "signed in its name");
        assert_eq!(hmac.verify_interest(&command), Err(Untrusted::NoKeyOfType(SignatureType::DigestSha256)));
    }
    assert_eq!(KeyRing::new().verify_interest(&Interest::new(name("/a"), 1)), Err(Untrusted::Unsigned));
}

#[test]
fn what_one_signs_the_other_verifies() {
    for key in ["ecdsa", "ed25519", "rsa"] {
        let signer = pem(key, "private").signer().unwrap();
        let Some(KeyLocator::Digest(digest)) = &signer.info().key_locator else { panic!("no name yet") };
        assert_eq!(digest.len(), 32);
        let signer = signer.named(name("/me/KEY/1"));
        let (public, private) = (pem(key, "public").verifier().unwrap(), pem(key, "private").verifier().unwrap());
        for verifier in [public, private, signer.verifier().unwrap()] {
            let ring: KeyRing = [verifier].into_iter().collect();
            let data = signer.data(name("/a/seg=1"), b"payload", &MetaInfo::default()).unwrap();
            assert!(data.signature().unwrap().value.len() <= signer.signature_len());
            assert_eq!(ring.verify_data(&Data::decode(&data.encode()).unwrap()), Ok(()));
            assert_eq!(data.signature().unwrap().info.key_locator, Some(KeyLocator::Name(name("/me/KEY/1"))));
            let interest = signer.interest(Interest::new(name("/a"), 1), &b"p"[..], 2, 3).unwrap();
            assert_eq!(ring.verify_interest(&Interest::decode(&interest.encode()).unwrap()), Ok(()));
        }
    }
}

#[test]
fn certificates_bring_their_name() {
    let public = vectors()["keys"]["ed25519"]["public"].as_str().unwrap().to_owned();
    let der = public.lines().filter(|l| !l.starts_with('-')).collect::<String>();
    let der = base64(&der);
    let meta = MetaInfo { content_type: 2, ..MetaInfo::default() };
    let certificate = Data::build(name("/me/KEY/1/self/v=1"), &der, &meta);
    let text = encode(&certificate.encode());
    for file in [File::new(&text), File::new(format!("-----BEGIN NDN CERT-----\n{text}\n-----END NDN CERT-----\n"))] {
        let verifier = file.verifier().unwrap();
        assert_eq!(verifier.name(), Some(&name("/me/KEY/1/self/v=1")));
        assert_eq!(verifier.signature_type(), SignatureType::Ed25519);
        assert!(file.signer().unwrap_err().contains("public key, which cannot sign"));
    }
    let other = encode(&Data::build(name("/me"), &der, &MetaInfo::default()).encode());
    assert!(File::new(other).verifier().unwrap_err().contains("ContentType is 0"));
}

fn base64(text: &str) -> Vec<u8> {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}

fn encode(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// A public key of 1024 bits (`openssl genpkey -algorithm rsa -pkeyopt rsa_keygen_bits:1024`).
const SHORT_RSA: &str = "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDISly95CtQF51v7dypBp0Kwzfv6AaV77MFEKBP05ROUYn7R947+kGgQS19RI/h\
    0fONTBmO/PhpZuM85/vda0OLv76wyoMzG6K1THstDDzXTLhCsuq9M/OGWD0m6H2F6fK3tnkXcpjIHBmO480hu28d8uxgA7J/xFcBKPETFCSKJQIDAQAB";

#[test]
fn wrong_files_say_what_they_hold() {
    let told = |text: &str| File::new(text).verifier().unwrap_err();
    let block = |tag: &str| format!("-----BEGIN {tag}-----\nAAAA\n-----END {tag}-----\n");
    assert!(told(&block("EC PRIVATE KEY")).contains("openssl pkcs8 -topk8"), "{}", told(&block("EC PRIVATE KEY")));
    assert!(told(&block("ENCRYPTED PRIVATE KEY")).contains("takes the encryption off"));
    assert!(told(&block("CERTIFICATE")).contains("found CERTIFICATE"));
    assert!(told("c2VjcmV0").contains("hmac:FILE"));
    assert!(told("?").contains("nor base64"));
    let rsa = vectors()["keys"]["rsa"]["public"].as_str().unwrap().to_owned();
    let der = base64(&rsa.lines().filter(|l| !l.starts_with('-')).collect::<String>());
    let block_of = |der: &[u8]| format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", encode(der));
    assert!(File::new(block_of(&der)).verifier().is_ok());
    for at in [20, 40, der.len() - 1] {
        assert!(told(&block_of(&der[..at])).contains("RSA key is damaged"), "cut at {at}");
    }
    assert!(told(&block_of(&base64(SHORT_RSA))).contains("2048"));
    assert!(File::new(block("PRIVATE KEY")).signer().unwrap_err().contains("openssl genpkey"));
    assert!(File::new(" \n").key(true).verifier().unwrap_err().to_string().contains("empty"));
    assert!(File::new([0xff, 0xfe]).verifier().unwrap_err().contains("not text"));
    let missing = "/nowhere/key".parse::<KeyFile>().unwrap().verifier().unwrap_err();
    assert!(missing.to_string().starts_with("key file /nowhere/key: "));
    assert_eq!("hmac:k".parse::<KeyFile>().unwrap(), KeyFile { path: "k".into(), hmac: true });
}

#[test]
fn secrets_stay_out_of_logs() {
    let shown = format!("{:?} {:?}", Signer::hmac(b"secret"), Verifier::hmac(b"secret"));
    assert!(!shown.contains("secret") && !shown.contains("115, 101"), "{shown}");
}

proptest! {
    #[test]
    fn keys_of_any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Verifier::public(&bytes);
        let _ = Signer::private(&bytes);
    }

    #[test]
    fn key_files_of_any_text_are_read_or_refused(text in "(-----BEGIN [A-Z ]{0,12}-----\n)?[A-Za-z0-9+/=\n ]{0,80}(-----END [A-Z ]{0,12}-----)?") {
        let file = File::new(text);
        for hmac in [false, true] {
            let _ = file.key(hmac).verifier();
            let _ = file.key(hmac).signer();
        }
    }
}
