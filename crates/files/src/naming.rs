//! How a file becomes names: versions, segments and the metadata that tells of the newest version.
//!
//! `<name>/32=metadata` is answered by `<name>/32=metadata/v=<time>/seg=0`, whose content is the name
//! `<name>/v=<version>`; the segments are `<name>/v=<version>/seg=<n>` ("Realtime Data Retrieval", as ndn-cxx, ndnd and
//! NDNts do it).

use weir_wire::tlv::Reader;
use weir_wire::{Component, Name, component_type, types};

/// The keyword of metadata.
const METADATA: &[u8] = b"metadata";

/// The name of what tells of the newest version of `name`.
pub fn metadata(name: &Name) -> Name {
    name.child(Component { typ: component_type::KEYWORD, value: METADATA.into() })
}

/// The name whose newest version is asked for, if this is the name of its metadata.
pub(crate) fn described(name: &Name) -> Option<Name> {
    let at = name.len().checked_sub(1)?;
    let last = name.components().last()?;
    (last.typ == component_type::KEYWORD && *last.value == *METADATA).then(|| name.prefix(at))
}

/// This version of `name`.
pub fn versioned(name: &Name, version: u64) -> Name {
    name.child(Component::number(component_type::VERSION, version))
}

/// The version that a name ends in.
pub fn version_of(name: &Name) -> Option<u64> {
    let last = name.components().last()?;
    (last.typ == component_type::VERSION).then(|| last.as_number())?
}

/// A segment number as a FinalBlockId.
pub(crate) fn final_block(segment: u64) -> Name {
    Name::root().with_segment(segment)
}

/// The versioned name that metadata holds.
pub(crate) fn read_metadata(content: &[u8]) -> Option<Name> {
    let element = Reader::new(content).expect(types::NAME).ok()?;
    Name::from_element(&element).ok()
}

/// The content of metadata.
pub(crate) fn write_metadata(versioned: &Name) -> Vec<u8> {
    let mut content = Vec::with_capacity(versioned.wire_len());
    versioned.encode_into(&mut content);
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_versions_and_metadata() {
        let name: Name = "/a/b".parse().unwrap();
        assert_eq!(metadata(&name).to_string(), "/a/b/32=metadata");
        assert_eq!(described(&metadata(&name)), Some(name.clone()));
        assert_eq!(described(&"/a/metadata".parse().unwrap()), None);
        assert_eq!(described(&Name::root()), None);
        let third = versioned(&name, 300);
        assert_eq!(
            (third.to_string().as_str(), version_of(&third), version_of(&name)),
            ("/a/b/v=300", Some(300), None)
        );
        assert_eq!(read_metadata(&write_metadata(&third)), Some(third));
        assert_eq!(read_metadata(b""), None);
        assert_eq!(final_block(9).to_string(), "/seg=9");
    }
}
