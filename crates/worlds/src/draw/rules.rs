//! Tables of the routers, rules of the consumers, and the run.

use super::{Dice, int, table, text};
use crate::Document;
use toml::Value;

/// Draws `[tables]`, `[consumer]` and `[run]`.
pub(super) fn draw(dice: &mut Dice, document: &mut Document) {
    let mut tables = Document::new();
    if dice.happens(0.5) {
        tables.insert("cs".into(), int(dice.scale(1.0, 400.0) as u64));
    }
    if dice.happens(0.4) {
        tables.insert("pit".into(), int(dice.scale(1.0, 400.0) as u64));
    }
    document.insert("tables".into(), Value::Table(tables));
    // Interests live for longer than any queue can hold a Data. Where they do not, a fetch may never end.
    let lifetime = text(format!("{}ms", dice.whole(40_000, 100_000)));
    let notice_timer = text(dice.one(&["keep", "restart", "stop"]));
    let mut consumer = table([("lifetime", lifetime), ("notice_timer", notice_timer)]);
    if dice.happens(0.3) {
        consumer.insert("guard".into(), Value::Float(dice.one(&[&0.0, &1.0, &2.5]).to_owned()));
    }
    if dice.happens(0.3) {
        consumer.insert("jitter".into(), Value::Float(dice.one(&[&0.1, &1.0]).to_owned()));
    }
    document.insert("consumer".into(), Value::Table(consumer));
    if dice.happens(0.2) {
        document.insert("run".into(), Value::Table(table([("sample", text(format!("{}ms", dice.whole(500, 9000))))])));
    }
}
