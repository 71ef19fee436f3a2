//! Links that the kernel makes: a veth pair between two namespaces, and on each end a token bucket (tbf) for the rate and
//! network emulation (netem) for what else the scenario says. The programs `ip` and `tc` put them up.

use crate::layout::{FaceLayout, Unsupported};
use crate::namespace::Namespace;
use crate::outcome::Seen;
use crate::tunnel::MTU;
use std::io;
use std::process::Command;
use std::sync::Arc;
use weir_core::{Limit, Rate, Span};
use weir_scenario::plan::{Direction, Impairment, Jitter};

/// Headers of Ethernet, IPv4 and UDP, which scenarios know nothing of, are taken off what a packet counts for (tc-stab). The table
/// has an entry for each length.
const WITHOUT_HEADERS: &str = "stab overhead -42 mtu 16384 tsize 16384";
/// Bytes that the bucket holds: one datagram of any length.
const BURST: u64 = MTU as u64 + 14;
/// Datagrams that may be in the air.
const AIR: u64 = 1_000_000;

/// One direction of such a link, which leaves by a device of a node.
pub(crate) struct KernelWay {
    node: Arc<Namespace>,
    device: String,
    /// As messages call it.
    name: String,
    direction: Direction,
    /// The queue in front of it.
    limit: Limit,
    impairment: Impairment,
    down: bool,
    /// What has been counted by queues that are gone.
    past: Seen,
}

/// What the kernel is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Needs {
    /// The direction.
    pub name: String,
    /// What of it takes netem; `None`: nothing does.
    pub netem: Option<&'static str>,
}

/// What of a direction takes netem.
pub(crate) fn needs(name: &str, direction: &Direction, impairment: Option<&Impairment>) -> Needs {
    let of = impairment.copied().unwrap_or_default();
    let all = [
        (direction.delay > Span::ZERO, "delay"),
        (direction.loss > 0.0, "loss"),
        (of.bursts.is_some(), "bursts of loss"),
        (of.jitter.is_some(), "jitter"),
        (of.duplicate > 0.0, "copies"),
    ];
    Needs { name: name.to_owned(), netem: all.iter().find(|(needed, _)| *needed).map(|(_, what)| *what) }
}

/// Refuses what netem does otherwise than scenarios mean it.
pub(crate) fn supported(name: &str, direction: &Direction, impairment: Option<&Impairment>) -> Result<(), Unsupported> {
    let of = impairment.copied().unwrap_or_default();
    let no = |what: &str| Err(Unsupported(format!("link `{name}`: {what}; without `--links kernel` it can be had")));
    match of {
        Impairment { reorder: Some(_), .. } => no("`reorder` holds some packets back, and netem sends some ahead"),
        Impairment { jitter: Some(Jitter::Exponential(_)), .. } => no("netem has no exponential jitter"),
        Impairment { jitter: Some(_), overtaking: false, .. } => {
            no("with jitter, packets overtake each other in netem")
        }
        Impairment { bursts: Some(_), .. } if direction.loss > 0.0 => {
            no("netem loses packets at random or in bursts, not both")
        }
        _ => Ok(()),
    }
}

/// Finds out whether the kernel can make links that need this.
///
/// # Errors
/// For the user: which link needs what is missing.
pub(crate) fn probe(all: &[Needs]) -> Result<(), String> {
    let Some(first) = all.first() else { return Ok(()) };
    let namespace = Namespace::new("probe").map_err(|error| format!("a network namespace: {error}"))?;
    let fail = |name: &str, what: &str, why: String| {
        format!(
            "link `{name}` needs {what}, and this host has none: {why}; without `--links kernel` threads of ours do it"
        )
    };
    let pair = ["link", "add", "weir0", "type", "veth", "peer", "name", "weir1"];
    run(&namespace, "ip", &pair)
        .map_err(|why| fail(&first.name, "a veth pair (`ip`, the kernel's module `veth`)", why))?;
    let tbf = words("qdisc add dev weir0 root tbf rate 1mbit burst 9300 limit 100000");
    run(&namespace, "tc", &tbf).map_err(|why| {
        fail(&first.name, "a rate (`tc`, the queueing discipline tbf, the kernel's module `sch_tbf`)", why)
    })?;
    let Some(Needs { name, netem: Some(what) }) = all.iter().find(|needs| needs.netem.is_some()) else { return Ok(()) };
    let netem = words("qdisc add dev weir1 root netem delay 1ms");
    let needed = format!("{what} (the queueing discipline netem, the kernel's module `sch_netem`)");
    run(&namespace, "tc", &netem).map(drop).map_err(|why| fail(name, &needed, why))
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// Runs a program in a namespace; what it has written, or why it failed.
fn run<W: AsRef<str>>(namespace: &Namespace, program: &str, words: &[W]) -> Result<String, String> {
    let mut command = Command::new(program);
    command.args(words.iter().map(AsRef::as_ref));
    let output = namespace.inside(move || command.output()).and_then(|output| output);
    let output = output.map_err(|error| format!("the program `{program}` cannot be run: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(format!("`{program}` says: {}", text(&output.stderr).lines().next().unwrap_or_default())),
    }
}

/// Puts a veth pair between two nodes, an end at each.
///
/// # Errors
/// If the system refuses.
pub(crate) fn pair(number: usize, a: (&Namespace, &FaceLayout), b: (&Namespace, &FaceLayout)) -> io::Result<()> {
    let device = format!("link{number}");
    let [_, x, y, z] = (number as u32).to_be_bytes();
    let address = |end: u8| format!("02:57:{x:02x}:{y:02x}:{z:02x}:{end:02x}");
    let there = b.0.inside(|| nix::unistd::gettid().to_string())?;
    let made = format!(
        "link add {device} mtu {MTU} address {} type veth peer name {device} mtu {MTU} address {} netns {there}",
        address(1),
        address(2)
    );
    run(a.0, "ip", &words(&made)).map_err(io::Error::other)?;
    for ((namespace, face), other) in [(a, 2), (b, 1)] {
        let (local, remote) = (face.local, face.remote);
        // Nothing but what forwarders send is to cross: no IPv6, no question who has which address.
        for text in [
            format!("link set {device} addrgenmode none"),
            format!("link set {device} up"),
            format!("addr add {local}/30 dev {device}"),
            format!("neigh add {remote} lladdr {} dev {device} nud permanent", address(other)),
        ] {
            run(namespace, "ip", &words(&text)).map_err(io::Error::other)?;
        }
    }
    Ok(())
}

impl KernelWay {
    /// The direction that leaves a node by the device of this link.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn start(
        node: Arc<Namespace>,
        number: usize,
        name: String,
        direction: Direction,
        limit: Limit,
        impairment: Option<Impairment>,
    ) -> io::Result<KernelWay> {
        let impairment = impairment.unwrap_or_default();
        let device = format!("link{number}");
        let way = KernelWay { node, device, name, direction, limit, impairment, down: false, past: Seen::default() };
        way.put("add")?;
        Ok(way)
    }

    fn tc(&self, text: &str) -> io::Result<String> {
        run(&self.node, "tc", &words(text)).map_err(|why| io::Error::other(format!("link `{}`: {why}", self.name)))
    }

    /// Puts the queues before the device.
    fn put(&self, verb: &str) -> io::Result<()> {
        self.commands(verb).iter().try_for_each(|command| self.tc(command).map(drop))
    }

    fn commands(&self, verb: &str) -> Vec<String> {
        let device = &self.device;
        if self.down {
            return vec![format!("qdisc {verb} dev {device} root handle 30: pfifo limit 0")];
        }
        let (mut all, mut place) = (Vec::new(), "root".to_owned());
        if needs(&self.name, &self.direction, Some(&self.impairment)).netem.is_some() {
            all.push(format!(
                "qdisc {verb} dev {device} root handle 1: {WITHOUT_HEADERS} netem limit {AIR}{}",
                self.netem()
            ));
            place = "parent 1:1".to_owned();
        }
        all.push(format!(
            "qdisc {verb} dev {device} {place} handle 10: {WITHOUT_HEADERS} tbf rate {}bit burst {BURST} limit 100000000",
            self.direction.rate.0
        ));
        let queue = match self.limit {
            Limit::Packets(most) | Limit::Frames { most, .. } => format!("pfifo limit {most}"),
            Limit::Bytes(most) => format!("bfifo limit {}", most.0),
        };
        all.push(format!("qdisc {verb} dev {device} parent 10:1 handle 20: {queue}"));
        all
    }

    /// What netem is told.
    fn netem(&self) -> String {
        let (delay, of) = (self.direction.delay, self.impairment);
        let us = |nanoseconds: u64| format!("{}us", nanoseconds as f64 / 1e3);
        let percent = |share: f64| format!("{:.7}%", share * 100.0);
        let mut text = match of.jitter {
            // From nothing to the whole: half of it, more or less than half.
            Some(Jitter::Uniform(most)) => format!(" delay {} {}", us(delay.0 + most.0 / 2), us(most.0 / 2)),
            Some(Jitter::Normal(deviation)) => {
                format!(" delay {} {} distribution normal", us(delay.0), us(deviation.0))
            }
            Some(Jitter::Exponential(_)) | None => format!(" delay {}", us(delay.0)),
        };
        if let Some(bursts) = of.bursts {
            let [p, r, bad, good] = [bursts.p, bursts.r, 1.0 - bursts.h, 1.0 - bursts.k].map(percent);
            text += &format!(" loss gemodel {p} {r} {bad} {good}");
        } else if self.direction.loss > 0.0 {
            text += &format!(" loss {}", percent(self.direction.loss));
        }
        if of.duplicate > 0.0 {
            text += &format!(" duplicate {}", percent(of.duplicate));
        }
        text
    }

    /// Has other properties from now on; `None`: as before.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn change(&mut self, rate: Option<Rate>, delay: Option<Span>, loss: Option<f64>) -> io::Result<()> {
        let Direction { rate: old_rate, delay: old_delay, loss: old_loss, limit } = self.direction;
        let (rate, delay, loss) = (rate.unwrap_or(old_rate), delay.unwrap_or(old_delay), loss.unwrap_or(old_loss));
        let of = |direction: &Direction| needs("", direction, Some(&self.impairment)).netem.is_some();
        let next = Direction { rate, delay, loss, limit };
        let alike = of(&self.direction) == of(&next) && !self.down;
        if alike {
            self.direction = next;
            return self.put("replace");
        }
        self.again(|way| way.direction = next)
    }

    /// Cuts the link, or mends it: what waits is lost.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_down(&mut self, down: bool) -> io::Result<()> {
        if down == self.down { Ok(()) } else { self.again(|way| way.down = down) }
    }

    /// Takes the queues away and puts others there.
    fn again(&mut self, change: impl FnOnce(&mut KernelWay)) -> io::Result<()> {
        self.past = self.seen()?;
        change(self);
        self.tc(&format!("qdisc del dev {} root", self.device))?;
        self.put("add")
    }

    /// What has happened so far.
    ///
    /// # Errors
    /// If `tc` fails.
    pub fn seen(&self) -> io::Result<Seen> {
        let text = self.tc(&format!("-s -j qdisc show dev {}", self.device))?;
        let odd = |error: serde_json::Error| io::Error::other(format!("link `{}`: `tc` writes {error}", self.name));
        Ok(self.past + counted(&serde_json::from_str(&text).map_err(odd)?, self.down))
    }
}

/// What queues have counted, as `tc -s -j qdisc show` tells it.
fn counted(queues: &serde_json::Value, down: bool) -> Seen {
    let of = |kind: &str| queues.as_array()?.iter().find(|queue| queue["kind"] == kind);
    let number = |kind: &str, key: &str| of(kind).and_then(|queue| queue[key].as_u64()).unwrap_or_default();
    if down {
        let lost = number("pfifo", "drops");
        return Seen { sent: lost, lost, ..Seen::default() };
    }
    let root = if of("netem").is_some() { "netem" } else { "tbf" };
    let (arrived, overflowed) = (number(root, "packets"), number("tbf", "drops"));
    // The outer queue counts what is dropped inside it, too.
    let lost = number(root, "drops").saturating_sub(overflowed);
    Seen { sent: arrived + overflowed + lost, bytes: number(root, "bytes"), overflowed, lost, arrived }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::Bytes;
    use weir_scenario::plan::GilbertElliott;

    fn direction(delay_ms: u64, loss: f64) -> Direction {
        Direction { rate: Rate(2_000_000), delay: Span::from_millis(delay_ms), loss, limit: Limit::Packets(7) }
    }

    /// A way whose commands are looked at; nobody carries them out.
    fn commands(direction: Direction, limit: Limit, impairment: Impairment, down: bool) -> Option<Vec<String>> {
        let node = Namespace::new("words").ok().map(Arc::new)?;
        let (device, name) = ("link3".to_owned(), "a>b".to_owned());
        let way = KernelWay { node, device, name, direction, limit, impairment, down, past: Seen::default() };
        Some(way.commands("add"))
    }

    #[test]
    fn only_a_rate_takes_no_netem() {
        let Some(all) = commands(direction(0, 0.0), Limit::Packets(7), Impairment::default(), false) else {
            return eprintln!("skipped: there are no network namespaces here");
        };
        let expected = [
            "qdisc add dev link3 root handle 10: stab overhead -42 mtu 16384 tsize 16384 tbf rate 2000000bit burst 9230 limit 100000000",
            "qdisc add dev link3 parent 10:1 handle 20: pfifo limit 7",
        ];
        assert_eq!(all, expected);
        let bytes = Limit::Bytes(Bytes(5000));
        assert!(
            commands(direction(0, 0.0), bytes, Impairment::default(), false).unwrap()[1].ends_with("bfifo limit 5000")
        );
        let cut = commands(direction(0, 0.0), bytes, Impairment::default(), true).unwrap();
        assert_eq!(cut, ["qdisc add dev link3 root handle 30: pfifo limit 0"]);
    }

    #[test]
    fn netem_is_told_what_the_scenario_says() {
        let of = |delay, loss, impairment| {
            let all = commands(direction(delay, loss), Limit::Packets(7), impairment, false)?;
            assert!(all[1].contains("parent 1:1 handle 10: stab"), "the rate stands inside: {all:?}");
            all[0].split_once("netem limit 1000000").map(|(_, told)| told.trim().to_owned())
        };
        let Some(plain) = of(20, 0.01, Impairment::default()) else {
            return eprintln!("skipped: there are no network namespaces here");
        };
        assert_eq!(plain, "delay 20000us loss 1.0000000%");
        let jitter = Some(Jitter::Uniform(Span::from_millis(6)));
        let jittered = Impairment { jitter, overtaking: true, duplicate: 0.25, ..Impairment::default() };
        assert_eq!(of(20, 0.0, jittered).unwrap(), "delay 23000us 3000us duplicate 25.0000000%");
        let bursts = Some(GilbertElliott { p: 0.01, r: 0.5, h: 0.25, k: 1.0 });
        let bursty = Impairment { bursts, ..Impairment::default() };
        let expected = "delay 0us loss gemodel 1.0000000% 50.0000000% 75.0000000% 0.0000000%";
        assert_eq!(of(0, 0.0, bursty).unwrap(), expected);
    }

    #[test]
    fn what_netem_means_otherwise_is_refused() {
        let none = Impairment::default();
        let reorder = Impairment { reorder: Some((0.1, Span::from_millis(5))), ..none };
        let in_order = Impairment { jitter: Some(Jitter::Uniform(Span::from_millis(6))), ..none };
        let exponential =
            Impairment { jitter: Some(Jitter::Exponential(Span::from_millis(6))), overtaking: true, ..none };
        for (impairment, word) in [(reorder, "reorder"), (in_order, "overtake"), (exponential, "exponential")] {
            let told = supported("a>b", &direction(1, 0.0), Some(&impairment)).unwrap_err().0;
            assert!(told.contains("a>b") && told.contains(word), "{told}");
        }
        assert!(supported("a>b", &direction(1, 0.2), None).is_ok());
    }

    #[test]
    fn what_tc_counts_is_told_apart() {
        let tbf = |drops: u64| format!("{{\"kind\":\"tbf\",\"bytes\":5420,\"packets\":10,\"drops\":{drops}}}");
        let seen = |text: String, down| counted(&serde_json::from_str(&text).unwrap(), down);
        let alone = Seen { sent: 13, bytes: 5420, overflowed: 3, lost: 0, arrived: 10 };
        assert_eq!(seen(format!("[{}]", tbf(3)), false), alone);
        let netem = "{\"kind\":\"netem\",\"bytes\":5420,\"packets\":10,\"drops\":5}";
        let both = Seen { sent: 15, bytes: 5420, overflowed: 3, lost: 2, arrived: 10 };
        assert_eq!(seen(format!("[{netem},{}]", tbf(3)), false), both);
        let cut = Seen { sent: 4, lost: 4, ..Seen::default() };
        assert_eq!(seen("[{\"kind\":\"pfifo\",\"drops\":4}]".to_owned(), true), cut);
    }
}
