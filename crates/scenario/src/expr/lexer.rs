//! Text to tokens.

use super::ExprError;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    /// A name, or between brackets anything without spaces that is no punctuation.
    Word(String),
    /// Between brackets: a label in quotes.
    Quoted(String),
    /// Punctuation or an operator.
    Sign(&'static str),
    End,
}

/// Longer signs first.
const SIGNS: [&str; 18] =
    ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "^", "(", ")", "[", "]", ",", ":", "="];

/// Signs that have a meaning between brackets; everything else belongs to a label.
const BRACKET_SIGNS: [&str; 3] = ["]", ",", "="];

/// All tokens with their places, the last one [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, ExprError> {
    let mut tokens = Vec::new();
    let (mut at, mut bracket) = (0, None);
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        if at == text.len() {
            break;
        }
        let (token, len) = if bracket.is_some() { label(text, at)? } else { ordinary(text, at)? };
        match token {
            Token::Sign("[") => bracket = Some(at),
            Token::Sign("]") => bracket = None,
            _ => {}
        }
        tokens.push((token, at..at + len));
        at += len;
    }
    if let Some(open) = bracket {
        return Err(ExprError::new(open..open + 1, "this bracket is never closed"));
    }
    tokens.push((Token::End, at..at));
    Ok(tokens)
}

/// A token outside brackets.
fn ordinary(text: &str, at: usize) -> Result<(Token, usize), ExprError> {
    let rest = &text[at..];
    let first = rest.chars().next().unwrap_or_default();
    if first.is_ascii_digit() || first == '.' {
        return number(rest, at);
    }
    if first.is_alphabetic() || first == '_' {
        let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        return Ok((Token::Word(rest[..len].into()), len));
    }
    if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
        return Ok((Token::Sign(sign), sign.len()));
    }
    let error = ExprError::new(at..at + first.len_utf8(), format!("`{first}` means nothing in a measure"));
    Err(match first {
        '"' | '\'' => error.help("labels in quotes stand between brackets, as in `goodput[flow=\"my flow\"]`"),
        '&' => error.help("write `and`"),
        '|' => error.help("write `or`"),
        '!' => error.help("write `not`"),
        '%' => error.help("a share times 100 is a percentage: `100 * a / b`"),
        _ => error,
    })
}

fn number(rest: &str, at: usize) -> Result<(Token, usize), ExprError> {
    let digits = |s: &str| s.find(|c: char| !(c.is_ascii_digit() || c == '_')).unwrap_or(s.len());
    let mut len = digits(rest);
    if rest[len..].starts_with('.') {
        len += 1 + digits(&rest[len + 1..]);
    }
    let exponent = rest[len..].strip_prefix(['e', 'E']).map(|e| (e, e.strip_prefix(['+', '-']).unwrap_or(e)));
    if let Some((signed, plain)) = exponent.filter(|(_, plain)| plain.starts_with(|c: char| c.is_ascii_digit())) {
        len += 1 + signed.len() - plain.len() + digits(plain);
    }
    let tail = rest[len..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len() - len);
    if tail > 0 {
        let word = &rest[..len + tail];
        let error = ExprError::new(at..at + len + tail, format!("`{word}` is not a number"));
        return Err(error.note("numbers in a measure have no units; each metric has a fixed one"));
    }
    let value = rest[..len].replace('_', "").parse().ok().filter(|v: &f64| v.is_finite());
    let wrong = || ExprError::new(at..at + len, format!("`{}` is not a number", &rest[..len]));
    Ok((Token::Number(value.ok_or_else(wrong)?), len))
}

/// A token between brackets.
fn label(text: &str, at: usize) -> Result<(Token, usize), ExprError> {
    let rest = &text[at..];
    if let Some(sign) = BRACKET_SIGNS.iter().find(|s| rest.starts_with(**s)) {
        return Ok((Token::Sign(sign), sign.len()));
    }
    if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let Some(len) = rest[1..].find(quote) else {
            return Err(ExprError::new(at..at + 1, "this quote is never closed"));
        };
        return Ok((Token::Quoted(rest[1..=len].into()), len + 2));
    }
    if rest.starts_with('[') {
        return Err(ExprError::new(at..at + 1, "brackets cannot stand inside brackets"));
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, ']' | '[' | ',' | '=' | '"' | '\'');
    let len = rest.find(ends).unwrap_or(rest.len());
    Ok((Token::Word(rest[..len].into()), len))
}
