//! What several schemes share.
