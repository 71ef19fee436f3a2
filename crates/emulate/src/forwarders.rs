//! The forwarders of the nodes: they start, are started again, and tell what they have counted.

use crate::layout::NodeLayout;
use crate::network::{LOOK, Network, PATIENCE};
use crate::others::{Call, Programs};
use crate::program::Program;
use crate::run::{EmulateError, system};
use std::collections::BTreeMap;
use std::io;
use std::thread::sleep;
use weir_live::forward::Status;
use weir_live::{fetch_dataset, forwarder_uri};
use weir_scenario::plan::Software;

/// What forwarders of ours say of themselves.
const STATUS: &str = "/localhost/weir/status";

impl Network<'_> {
    /// Starts forwarders, and waits until they listen and know their routes.
    pub fn forward(&mut self) -> Result<(), EmulateError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let find = |node: &NodeLayout| match node.software {
            Software::Weir => Ok(None),
            other => Programs::find(other, &node.name, &path).map(Some).map_err(EmulateError::Program),
        };
        self.others = self.layout.nodes.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        for node in 0..self.layout.nodes.len() {
            let program = self.launch(node)?;
            self.programs.push(program);
        }
        (0..self.layout.nodes.len()).try_for_each(|node| self.introduce(node))
    }

    /// Starts the forwarder of a node.
    fn launch(&self, node: usize) -> Result<Program, EmulateError> {
        let (socket, file) = (self.socket(node), self.configuration(node));
        let (text, call) = match &self.others[node] {
            None => {
                let words = vec!["forward".into(), file.clone().into_os_string()];
                (self.configured(node), Call { program: self.setting.own.to_owned(), words })
            }
            Some(programs) => programs.forwarder(&self.layout.nodes[node], self.scenario.tables, &socket, &file),
        };
        std::fs::write(&file, text).map_err(system("the configuration of a forwarder"))?;
        self.call(node, &format!("{node}.log"), &call)
    }

    /// Waits until the forwarder of a node listens, and tells it its routes if its configuration cannot.
    fn introduce(&mut self, node: usize) -> Result<(), EmulateError> {
        self.await_that(node, |network| network.socket(node).exists())?;
        let calls = self.others[node].as_ref().map(|programs| programs.routes(&self.layout.nodes[node]));
        calls.unwrap_or_default().iter().try_for_each(|call| self.carry_out(node, call))
    }

    /// Kills the forwarder of a node and starts it again: its tables and queues are empty, and its applications find it
    /// again by themselves.
    pub fn restart(&mut self, node: usize) -> Result<(), EmulateError> {
        self.past[node] = self.status(node)?;
        self.programs[node].end();
        // The new one is there when there is a socket again.
        match std::fs::remove_file(self.socket(node)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(system("a socket")(error)),
            _ => {}
        }
        self.programs[node] = self.launch(node)?;
        self.introduce(node)
    }

    /// Lets a program do one thing.
    fn carry_out(&mut self, node: usize, call: &Call) -> Result<(), EmulateError> {
        let mut program = self.call(node, &format!("{node}-order.log"), call)?;
        let end = self.clock.now() + PATIENCE;
        loop {
            match program.ended_well() {
                Some(true) => return Ok(()),
                None if self.clock.now() < end && !self.is_stopped() => sleep(LOOK),
                _ if self.is_stopped() => return Err(EmulateError::Stopped),
                _ => {
                    let name = &self.layout.nodes[node].name;
                    let words: Vec<_> = call.words.iter().map(|word| word.to_string_lossy()).collect();
                    let what = format!("`{} {}` at node `{name}`", call.program.display(), words.join(" "));
                    return Err(EmulateError::Program(format!("{what}: {}", program.said())));
                }
            }
        }
    }

    /// What the forwarder of a node says of itself, if it is one of ours; what it had counted before a restart counts, too.
    pub fn status(&self, node: usize) -> Result<Option<Status>, EmulateError> {
        let about = &self.layout.nodes[node];
        if about.software != Software::Weir {
            return Ok(None);
        }
        let silent = |why: String| {
            EmulateError::Program(format!("the forwarder of node `{}` does not answer: {why}", about.name))
        };
        let uri = format!("unix://{}", self.socket(node).display());
        let uri = forwarder_uri(Some(&uri)).map_err(|error| silent(error.to_string()))?;
        let dataset = STATUS.parse().map_err(|error| silent(format!("{error}")))?;
        let now = Status::from_json(&fetch_dataset(&uri, &dataset).map_err(silent)?).map_err(silent)?;
        Ok(Some(match &self.past[node] {
            Some(past) => together(past, now),
            None => now,
        }))
    }
}

/// What a forwarder counts, and what it had counted before it was restarted: sums, and peaks of both.
fn together(past: &Status, mut now: Status) -> Status {
    fn add(counts: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>) {
        more.iter().for_each(|(reason, count)| *counts.entry(reason.clone()).or_default() += count);
    }
    now.pit.peak = now.pit.peak.max(past.pit.peak);
    now.pit.area += past.pit.area;
    now.nacked += past.nacked;
    now.data_lost += past.data_lost;
    add(&mut now.drops, &past.drops);
    now.cs.hits += past.cs.hits;
    now.cs.misses += past.cs.misses;
    now.loss_notices += past.loss_notices;
    now.recovered += past.recovered;
    for face in &mut now.faces {
        if let Some(before) = past.faces.iter().find(|before| before.remote == face.remote) {
            add(&mut face.drops, &before.drops);
            for (count, before) in [
                (&mut face.dropped, before.dropped),
                (&mut face.marked, before.marked),
                (&mut face.data_lost, before.data_lost),
                (&mut face.dropped_sojourn_ns, before.dropped_sojourn_ns),
                (&mut face.nacked, before.nacked),
                (&mut face.loss_notices, before.loss_notices),
                (&mut face.recovered, before.recovered),
                (&mut face.stored_ns, before.stored_ns),
                (&mut face.sojourn_ns, before.sojourn_ns),
                (&mut face.queued_data, before.queued_data),
                (&mut face.data_sojourn_ns, before.data_sojourn_ns),
            ] {
                *count += before;
            }
            face.queue_peak = face.queue_peak.max(before.queue_peak);
        }
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_live::forward::FaceStatus;

    #[test]
    fn a_restart_forgets_no_count() {
        let status = |n: u64| {
            let face = |remote: &str| FaceStatus {
                remote: remote.into(),
                dropped: n,
                marked: 2 * n,
                queue_peak: n,
                sojourn_ns: 3 * n,
                drops: [("queue-full".to_owned(), n)].into(),
                ..FaceStatus::default()
            };
            let mut status = Status { loss_notices: n, recovered: n, ..Status::default() };
            (status.pit.peak, status.cs.hits, status.cs.misses) = (n, n, 2 * n);
            status.faces = vec![face("udp4://10.0.0.1:6363"), face(&format!("unix:{n}"))];
            status
        };
        let both = together(&status(7), status(5));
        assert_eq!((both.pit.peak, both.cs.hits, both.cs.misses), (7, 12, 24));
        assert_eq!((both.loss_notices, both.recovered), (12, 12));
        let faces: Vec<_> = both.faces.iter().map(|face| (face.dropped, face.marked, face.queue_peak)).collect();
        assert_eq!(faces, [(12, 24, 7), (5, 10, 5)], "another application's face is another face");
        assert_eq!((both.faces[0].sojourn_ns, both.faces[0].drops["queue-full"]), (36, 12));
    }
}
