//! What a timeline does to the network.

use crate::layout::FaceLayout;
use crate::links::Carrier;
use crate::network::Network;
use crate::run::{EmulateError, system};
use std::io;
use weir_scenario::plan::{Action, Outage, Software, Way};

impl Network<'_> {
    /// Lets something happen to links or schemes. (Flows start and stop elsewhere.)
    pub fn change(&mut self, action: &Action) -> Result<(), EmulateError> {
        match action {
            Action::Down { ways, outage } => {
                ways.iter().try_for_each(|way| self.set_down(*way, Some(*outage)))?;
            }
            Action::Up { ways } => ways.iter().try_for_each(|way| self.set_down(*way, None))?,
            Action::Link { ways, rate, delay, loss, limit } => {
                for way in ways {
                    let limit = limit.map(|limit| self.scenario.topology.links[way.link].limit(limit));
                    if let Some(face) = self.face_mut(*way) {
                        face.rate = rate.unwrap_or(face.rate);
                        face.delay = delay.unwrap_or(face.delay);
                        face.limit = limit.unwrap_or(face.limit);
                    }
                    let rate = rate.map(|rate| self.rate_of(*way, rate));
                    self.carrier(*way, |carrier| carrier.change(rate, *delay, *loss))?;
                }
            }
            Action::Scheme(change) => {
                change.queues.iter().for_each(|(node, part)| self.schemes[*node].queue.clone_from(part));
                change.host_queues.iter().for_each(|(node, part)| self.schemes[*node].host_queue.clone_from(part));
                change.strategies.iter().for_each(|(node, part)| self.schemes[*node].strategy.clone_from(part));
                change.recoveries.iter().for_each(|(node, part)| self.schemes[*node].recovery.clone_from(part));
            }
            Action::Restart { nodes } => {
                for node in nodes {
                    self.restart(*node)?;
                }
            }
            Action::Start { .. } | Action::Stop { .. } => {}
        }
        self.renew()
    }

    fn set_down(&mut self, way: Way, down: Option<Outage>) -> Result<(), EmulateError> {
        self.carrier(way, |carrier| carrier.set_down(down.is_some()))?;
        if let Some(face) = self.face_mut(way) {
            face.down = down;
        }
        Ok(())
    }

    fn carrier(&mut self, way: Way, work: impl Fn(&mut Carrier) -> io::Result<()>) -> Result<(), EmulateError> {
        let mut carriers = self.links.iter_mut().filter(|(of, _)| *of == way);
        carriers.try_for_each(|(_, carrier)| work(carrier)).map_err(system("a change of a link"))
    }

    fn face_mut(&mut self, way: Way) -> Option<&mut FaceLayout> {
        let sender = self.sender(way);
        self.layout.nodes[sender].faces.iter_mut().find(|face| face.way == way)
    }

    /// Tells forwarders of ours what has changed for them.
    fn renew(&self) -> Result<(), EmulateError> {
        for (number, node) in self.layout.nodes.iter().enumerate() {
            let (file, text) = (self.configuration(number), self.configured(number));
            if node.software != Software::Weir || std::fs::read_to_string(&file).is_ok_and(|old| old == text) {
                continue;
            }
            std::fs::write(&file, text).map_err(system("the configuration of a forwarder"))?;
            self.programs[number].renew();
        }
        Ok(())
    }
}
