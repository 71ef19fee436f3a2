//! The Prometheus endpoint.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;
use tiny_http::{Header, Response, Server};
use weir_live::forward::{FaceStatus, Status};

/// How long the forwarder may take to tell its status.
const PATIENCE: Duration = Duration::from_secs(5);

/// Serves the status as text, on a thread of its own. Says where.
pub(super) fn serve(address: &str, ask: Sender<Sender<Status>>, waker: Arc<mio::Waker>) -> Result<String, String> {
    let server = Server::http(address).map_err(|e| format!("cannot serve metrics on {address}: {e}"))?;
    let at = server.server_addr().to_string();
    std::thread::spawn(move || {
        for request in server.incoming_requests() {
            let answer = match request.url() {
                "/metrics" => status(&ask, &waker).map(|status| text(&status)),
                _ => None,
            };
            let plain = Header::from_bytes("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
            let code = if answer.is_some() { 200 } else { 404 };
            let mut response = Response::from_string(answer.unwrap_or_default()).with_status_code(code);
            if let Ok(plain) = plain {
                response.add_header(plain);
            }
            // A client that has gone is no harm.
            let _ = request.respond(response);
        }
    });
    Ok(at)
}

fn status(ask: &Sender<Sender<Status>>, waker: &mio::Waker) -> Option<Status> {
    let (send, receive) = channel();
    ask.send(send).ok()?;
    waker.wake().ok()?;
    receive.recv_timeout(PATIENCE).ok()
}

/// A metric of each face: name, what it means, type, value.
type OfFace = (&'static str, &'static str, &'static str, fn(&FaceStatus) -> u64);

const OF_FACES: [OfFace; 19] = [
    ("in_interests_total", "Interests that came", "counter", |f| f.in_interests),
    ("in_data_total", "Data that came", "counter", |f| f.in_data),
    ("in_nacks_total", "Nacks that came", "counter", |f| f.in_nacks),
    ("in_bytes_total", "Bytes that came", "counter", |f| f.in_bytes),
    ("out_interests_total", "Interests that left", "counter", |f| f.out_interests),
    ("out_data_total", "Data that left", "counter", |f| f.out_data),
    ("out_nacks_total", "Nacks that left", "counter", |f| f.out_nacks),
    ("out_bytes_total", "Bytes that left", "counter", |f| f.out_bytes),
    ("out_marked_total", "Data that left with a congestion mark", "counter", |f| f.out_marked),
    ("marked_total", "Packets that the queue has marked", "counter", |f| f.marked),
    ("dropped_total", "Packets dropped at the face", "counter", |f| f.dropped),
    ("malformed_total", "Frames that are not NDN", "counter", |f| f.malformed),
    ("incomplete_total", "Packets of which not all fragments came", "counter", |f| f.incomplete),
    ("unsent_total", "Packets that the system did not take", "counter", |f| f.unsent),
    ("pending", "Interests of the face that are pending", "gauge", |f| f.pending),
    ("queue_packets", "Packets that wait", "gauge", |f| f.queue),
    ("queue_bytes", "Bytes that wait", "gauge", |f| f.queue_bytes),
    ("backlog_bytes", "Bytes of what it sends that the kernel may hold unsent", "gauge", |f| f.backlog),
    ("held_packets", "Packets in the recovery store", "gauge", |f| f.held),
];

/// Prometheus' text format.
fn text(status: &Status) -> String {
    let mut out = String::new();
    let single = [
        ("pit_entries", "Pending Interests", "gauge", status.pit.entries),
        ("pit_capacity", "Room for pending Interests", "gauge", status.pit.capacity),
        ("pit_expired_total", "Pending Interests that expired", "counter", status.expired),
        ("pit_aggregated_total", "Interests that joined a pending one", "counter", status.aggregated),
        ("cs_entries", "Data in the Content Store", "gauge", status.cs.entries),
        ("cs_hits_total", "Interests that the Content Store answered", "counter", status.cs.hits),
        ("cs_misses_total", "Interests that it did not", "counter", status.cs.misses),
        ("fib_entries", "Prefixes with a next hop", "gauge", status.fib_entries),
        ("nacked_total", "Interests refused here", "counter", status.nacked),
        ("loss_notices_total", "Loss notices sent", "counter", status.loss_notices),
        ("recovered_total", "Packets sent again by a recovery", "counter", status.recovered),
    ];
    for (name, help, kind, value) in single {
        head(&mut out, name, help, kind);
        let _ = writeln!(out, "weir_{name} {value}");
    }
    head(&mut out, "drops_total", "Dropped packets by reason", "counter");
    for (reason, count) in &status.drops {
        let _ = writeln!(out, "weir_drops_total{{reason=\"{reason}\"}} {count}");
    }
    for (name, help, kind, value) in OF_FACES {
        head(&mut out, &format!("face_{name}"), help, kind);
        for face in &status.faces {
            let remote = face.remote.replace(['\\', '"', '\n'], "_");
            let _ = writeln!(out, "weir_face_{name}{{face=\"{}\",remote=\"{remote}\"}} {}", face.face, value(face));
        }
    }
    out
}

fn head(out: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(out, "# HELP weir_{name} {help}.\n# TYPE weir_{name} {kind}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_prometheus() {
        let face = FaceStatus {
            face: 256,
            remote: "udp4://10.0.0.1:6363".into(),
            in_data: 7,
            backlog: 65536,
            ..FaceStatus::default()
        };
        let drops = [("queue-full".to_owned(), 3)].into();
        let text = text(&Status { faces: vec![face], drops, ..Status::default() });
        assert!(text.contains("weir_face_in_data_total{face=\"256\",remote=\"udp4://10.0.0.1:6363\"} 7\n"), "{text}");
        assert!(
            text.contains("weir_face_backlog_bytes{face=\"256\",remote=\"udp4://10.0.0.1:6363\"} 65536\n"),
            "{text}"
        );
        assert!(text.contains("weir_drops_total{reason=\"queue-full\"} 3\n"));
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with("weir_") && value.parse::<u64>().is_ok(), "{line}");
        }
    }
}
