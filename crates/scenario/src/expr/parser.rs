//! Tokens to a tree: a Pratt parser.

use super::lexer::{Token, tokens};
use super::{Expr, ExprError, ExprKind, FOLDS, FUNCTIONS, Fold, Function, Operator, Selector, Word};
use crate::metrics::Scope;
use std::ops::Range;

/// Deeper nesting is refused, so that no text can exhaust the stack.
const DEEPEST: usize = 100;

/// Longer texts are refused for the same reason: a long sum is a deep tree.
const LONGEST: usize = 1000;

/// Operators between two operands, with the strength of their hold on the left and on the right.
const OPERATORS: [(&str, Operator, u8, u8); 11] = [
    ("<", Operator::Less, COMPARISON, COMPARISON + 1),
    ("<=", Operator::LessOrEqual, COMPARISON, COMPARISON + 1),
    (">", Operator::Greater, COMPARISON, COMPARISON + 1),
    (">=", Operator::GreaterOrEqual, COMPARISON, COMPARISON + 1),
    ("==", Operator::Equal, COMPARISON, COMPARISON + 1),
    ("!=", Operator::NotEqual, COMPARISON, COMPARISON + 1),
    ("+", Operator::Add, 8, 9),
    ("-", Operator::Subtract, 8, 9),
    ("*", Operator::Multiply, 10, 11),
    ("/", Operator::Divide, 10, 11),
    ("^", Operator::Power, 15, 14),
];

/// The same for operators that are words.
const WORD_OPERATORS: [(&str, Operator, u8, u8); 2] = [("or", Operator::Or, 1, 2), ("and", Operator::And, 3, 4)];

const COMPARISON: u8 = 6;
const NOT: u8 = 5;
const NEGATE: u8 = 12;

/// Words that cannot be metrics.
const RESERVED: [&str; 4] = ["and", "or", "not", "in"];

pub(super) fn parse(text: &str) -> Result<Expr, ExprError> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    if parser.tokens.len() > LONGEST {
        return Err(ExprError::new(0..text.len(), format!("this measure has more than {LONGEST} words and signs")));
    }
    let root = parser.expression(0)?;
    match parser.next() {
        (Token::End, _) => Ok(root),
        (Token::Sign(")"), span) => Err(ExprError::new(span, "this parenthesis was never opened")),
        (token, span) => Err(ExprError::new(span, format!("expected an operator, found {}", show(&token)))),
    }
}

struct Parser {
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at].1.clone()
    }

    /// The current token; the end stays.
    fn next(&mut self) -> (Token, Range<usize>) {
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn eat(&mut self, sign: &'static str) -> bool {
        let found = *self.peek() == Token::Sign(sign);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, sign: &'static str, why: &str) -> Result<Range<usize>, ExprError> {
        let (token, span) = self.next();
        match token {
            Token::Sign(found) if found == sign => Ok(span),
            other => Err(ExprError::new(span, format!("expected `{sign}` {why}, found {}", show(&other)))),
        }
    }

    /// An expression whose operators all hold at least as strongly as `least`.
    fn expression(&mut self, least: u8) -> Result<Expr, ExprError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ExprError::new(self.span(), format!("this measure is nested more than {DEEPEST} levels deep")));
        }
        let mut left = self.prefix()?;
        while let Some((operator, strength, right)) = self.operator().filter(|(_, left, _)| *left >= least) {
            let (_, place) = self.next();
            let right = self.expression(right)?;
            let span = left.span.start..right.span.end;
            left = Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span };
            if strength == COMPARISON && self.operator().is_some_and(|(_, next, _)| next == COMPARISON) {
                let error = ExprError::new(place.start..self.span().end, "comparisons cannot be chained");
                return Err(error.help("write `a < b and b < c`"));
            }
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operator(&self) -> Option<(Operator, u8, u8)> {
        let found = match self.peek() {
            Token::Sign(sign) => OPERATORS.iter().find(|(s, ..)| s == sign),
            Token::Word(word) => WORD_OPERATORS.iter().find(|(w, ..)| w == word),
            _ => None,
        };
        found.map(|(_, operator, left, right)| (*operator, *left, *right))
    }

    fn prefix(&mut self) -> Result<Expr, ExprError> {
        let (token, span) = self.next();
        match token {
            Token::Number(n) => Ok(Expr { kind: ExprKind::Number(n), span }),
            Token::Sign("-") => self.unary(span, NEGATE, ExprKind::Negate),
            Token::Sign("(") => self.parenthesis(span),
            Token::Word(word) if word == "not" => self.unary(span, NOT, ExprKind::Not),
            Token::Word(word) if word == "true" || word == "false" => {
                Ok(Expr { kind: ExprKind::Truth(word == "true"), span })
            }
            Token::Word(word) if !RESERVED.contains(&&*word) => self.named(Word { text: word, span }),
            Token::End => Err(ExprError::new(span, "the measure ends where a value is expected")),
            other => Err(ExprError::new(span, format!("expected a value, found {}", show(&other)))),
        }
    }

    fn unary(&mut self, start: Range<usize>, strength: u8, make: fn(Box<Expr>) -> ExprKind) -> Result<Expr, ExprError> {
        let inner = self.expression(strength)?;
        let span = start.start..inner.span.end;
        Ok(Expr { kind: make(Box::new(inner)), span })
    }

    fn parenthesis(&mut self, open: Range<usize>) -> Result<Expr, ExprError> {
        let inner = self.expression(0)?;
        let close = self.close(&open)?;
        Ok(Expr { span: open.start..close.end, ..inner })
    }

    fn close(&mut self, open: &Range<usize>) -> Result<Range<usize>, ExprError> {
        if *self.peek() == Token::End {
            return Err(ExprError::new(open.clone(), "this parenthesis is never closed"));
        }
        self.expect(")", "or an operator")
    }

    /// What begins with a name: a metric, a function or an aggregation.
    fn named(&mut self, name: Word) -> Result<Expr, ExprError> {
        let open = self.span();
        if self.eat("(") {
            return if self.is_aggregation() { self.aggregation(name, open) } else { self.call(name, open) };
        }
        let (mut end, mut selectors) = (name.span.end, Vec::new());
        if self.eat("[") {
            (selectors, end) = self.selectors()?;
        }
        Ok(Expr {
            span: name.span.start..end,
            kind: ExprKind::Metric { name: name.text, selectors, scope: Scope::Run },
        })
    }

    /// True before `axis:`, `axis in` and `axis from`.
    fn is_aggregation(&self) -> bool {
        let after = self.tokens.get(self.at + 1).map(|(token, _)| token);
        let begins = match after {
            Some(Token::Sign(":")) => true,
            Some(Token::Word(word)) => word == "in" || word == "from",
            _ => false,
        };
        matches!(self.peek(), Token::Word(_)) && begins
    }

    fn aggregation(&mut self, name: Word, open: Range<usize>) -> Result<Expr, ExprError> {
        let fold = FOLDS.iter().find(|(word, _)| *word == name.text).map(|(_, fold)| *fold);
        let fold = fold.ok_or_else(|| unknown_function(&name))?;
        let (token, span) = self.next();
        let Token::Word(axis) = token else {
            return Err(ExprError::new(span, "expected the name of an axis"));
        };
        let axis = Word { text: axis, span };
        if matches!(self.peek(), Token::Word(word) if word == "from") {
            return self.stretch(fold, axis, name.span.start, &open);
        }
        let labels = if matches!(self.peek(), Token::Word(_)) { Some(self.label_list()?) } else { None };
        self.expect(":", "before the values")?;
        let body = Box::new(self.expression(0)?);
        let close = self.close(&open)?;
        Ok(Expr { kind: ExprKind::Over { fold, axis, labels, body }, span: name.span.start..close.end })
    }

    /// `from a to b: body)`.
    fn stretch(&mut self, fold: Fold, axis: Word, start: usize, open: &Range<usize>) -> Result<Expr, ExprError> {
        self.next();
        let from = Box::new(self.expression(0)?);
        let (token, span) = self.next();
        if !matches!(&token, Token::Word(word) if word == "to") {
            return Err(ExprError::new(span, format!("expected `to` or an operator, found {}", show(&token))));
        }
        let to = Box::new(self.expression(0)?);
        self.expect(":", "before the values")?;
        let body = Box::new(self.expression(0)?);
        let close = self.close(open)?;
        Ok(Expr { kind: ExprKind::During { fold, axis, from, to, body }, span: start..close.end })
    }

    /// `in [a, b]`.
    fn label_list(&mut self) -> Result<Vec<Word>, ExprError> {
        self.next();
        self.expect("[", "before the labels")?;
        let mut labels = Vec::new();
        loop {
            labels.push(self.label()?);
            if !self.eat(",") {
                self.expect("]", "or `,`")?;
                return Ok(labels);
            }
        }
    }

    fn call(&mut self, name: Word, open: Range<usize>) -> Result<Expr, ExprError> {
        let function = FUNCTIONS.iter().find(|(word, _)| *word == name.text).map(|(_, function)| *function);
        let function = function.ok_or_else(|| match FOLDS.iter().any(|(word, _)| *word == name.text) {
            true => ExprError::new(name.span.clone(), format!("`{}` goes along an axis", name.text))
                .help(format!("write `{}(axis: ...)`", name.text)),
            false => unknown_function(&name),
        })?;
        let mut arguments = vec![self.expression(0)?];
        while self.eat(",") {
            arguments.push(self.expression(0)?);
        }
        let close = self.close(&open)?;
        let span = name.span.start..close.end;
        if function == Function::Abs && arguments.len() != 1 {
            return Err(ExprError::new(span, format!("`abs` takes one value, not {}", arguments.len())));
        }
        Ok(Expr { kind: ExprKind::Call(function, arguments), span })
    }

    /// What follows `[`, and where it ends.
    fn selectors(&mut self) -> Result<(Vec<Selector>, usize), ExprError> {
        let mut selectors = Vec::new();
        loop {
            let first = self.label()?;
            selectors.push(match self.eat("=") {
                true => Selector { axis: Some(first), label: self.label()? },
                false => Selector { axis: None, label: first },
            });
            if !self.eat(",") {
                return Ok((selectors, self.expect("]", "or `,`")?.end));
            }
        }
    }

    fn label(&mut self) -> Result<Word, ExprError> {
        match self.next() {
            (Token::Word(text) | Token::Quoted(text), span) => Ok(Word { text, span }),
            (other, span) => Err(ExprError::new(span, format!("expected a label, found {}", show(&other)))),
        }
    }
}

fn unknown_function(name: &Word) -> ExprError {
    let known = FUNCTIONS.iter().map(|(word, _)| *word).chain(FOLDS[4..].iter().map(|(word, _)| *word));
    ExprError::new(name.span.clone(), format!("there is no function `{}`", name.text)).suggest(&name.text, known)
}

fn show(token: &Token) -> String {
    match token {
        Token::Number(n) => format!("`{n}`"),
        Token::Word(word) | Token::Quoted(word) => format!("`{word}`"),
        Token::Sign(sign) => format!("`{sign}`"),
        Token::End => "the end".into(),
    }
}
