//! Max-min fairness where users divide their rate between paths: linear programs, level after level.

use microlp::{ComparisonOp, OptimizationDirection, Problem, Solution, Variable};

use super::{Allocation, Sharing, User};

/// Gains below this share of the least rate are rounding.
const DUST: f64 = 1e-6;

/// The common level is raised as far as it goes; who cannot rise above it keeps it, the others go on to the next.
pub(super) fn fill(sharing: &Sharing) -> Option<Allocation> {
    let mut program = Program::new(sharing);
    let mut open: Vec<usize> = (0..sharing.users.len()).filter(|u| !sharing.users[*u].paths.is_empty()).collect();
    let unlimited = |user: &User| user.paths.iter().any(|path| path.iter().all(|(_, needs)| *needs == 0.0));
    open.retain(|user| !unlimited(&sharing.users[*user]));
    while !open.is_empty() {
        let level = program.level(&open)?;
        let blocked = program.blocked(&open, level)?;
        blocked.iter().for_each(|user| program.settled[*user] = Some(level));
        open.retain(|user| !blocked.contains(user));
    }
    let mut allocation = program.allocation()?;
    for (user, rate) in sharing.users.iter().zip(&mut allocation.rates) {
        if unlimited(user) {
            *rate = f64::INFINITY;
        }
    }
    Some(allocation)
}

struct Program<'a> {
    sharing: &'a Sharing,
    /// Rates are counted in this unit, which is of the order of the least of them: the solver's tolerances are absolute.
    unit: f64,
    /// What the users have got that cannot get more, in units.
    settled: Vec<Option<f64>>,
}

/// A linear program under construction: the rate of each path of each user is a variable.
struct Model {
    problem: Problem,
    rates: Vec<Vec<Variable>>,
}

impl<'a> Program<'a> {
    fn new(sharing: &'a Sharing) -> Self {
        let mut demand = vec![0.0; sharing.capacities.len()];
        // As if everybody sent as much over each of their paths as on one.
        for (resource, needs) in sharing.users.iter().flat_map(|u| &u.paths).flatten() {
            demand[*resource] += needs;
        }
        let shares = sharing.capacities.iter().zip(&demand).map(|(capacity, demand)| capacity / demand);
        let least = shares.filter(|share| share.is_finite() && *share > 0.0).fold(f64::INFINITY, f64::min);
        Self { sharing, unit: if least.is_finite() { least } else { 1.0 }, settled: vec![None; sharing.users.len()] }
    }

    /// Paths and capacities, with nothing to maximise yet, and what is settled kept.
    fn model(&self) -> Model {
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let mut loads: Vec<Vec<(Variable, f64)>> = vec![Vec::new(); self.sharing.capacities.len()];
        let mut rates = Vec::with_capacity(self.sharing.users.len());
        for user in &self.sharing.users {
            let mut own = Vec::with_capacity(user.paths.len());
            for path in &user.paths {
                // A path that needs nothing would make the program unbounded; its user is not asked about.
                let most = if path.iter().any(|(_, needs)| *needs > 0.0) { f64::INFINITY } else { 0.0 };
                let rate = problem.add_var(0.0, (0.0, most));
                path.iter().for_each(|(resource, needs)| loads[*resource].push((rate, *needs)));
                own.push(rate);
            }
            rates.push(own);
        }
        for (load, capacity) in loads.into_iter().zip(&self.sharing.capacities) {
            if !load.is_empty() {
                problem.add_constraint(merged(load), ComparisonOp::Le, capacity / self.unit);
            }
        }
        let mut model = Model { problem, rates };
        for (user, rate) in self.settled.iter().enumerate() {
            if let Some(rate) = rate {
                model.at_least(user, None, *rate);
            }
        }
        model
    }

    /// The highest rate that all `open` users can have.
    fn level(&self, open: &[usize]) -> Option<f64> {
        let mut model = self.model();
        let level = model.problem.add_var(1.0, (0.0, f64::INFINITY));
        open.iter().for_each(|user| model.at_least(*user, Some(level), 0.0));
        Some(solve(model.problem)?.var_value(level))
    }

    /// Those of the `open` users who cannot get more than `level` while all others get it. There is one at least.
    fn blocked(&self, open: &[usize], level: f64) -> Option<Vec<usize>> {
        let mut blocked = open.to_vec();
        loop {
            let mut model = self.model();
            let gain = |model: &mut Model, user: &usize| {
                let gain = blocked.contains(user).then(|| model.problem.add_var(1.0, (0.0, 1.0)));
                model.at_least(*user, gain, level * (1.0 - 1e-9));
                gain.map(|gain| (*user, gain))
            };
            let gains: Vec<_> = open.iter().filter_map(|user| gain(&mut model, user)).collect();
            let solution = solve(model.problem)?;
            let free = |(user, gain): &(usize, Variable)| (solution.var_value(*gain) > DUST).then_some(*user);
            let free: Vec<usize> = gains.iter().filter_map(free).collect();
            // Were nobody blocked, the level could be higher: then what is left is rounding.
            if free.is_empty() || free.len() == blocked.len() {
                return Some(blocked);
            }
            blocked.retain(|user| !free.contains(user));
        }
    }

    fn allocation(&self) -> Option<Allocation> {
        let model = self.model();
        let solution = solve(model.problem)?;
        let of = |own: &Vec<Variable>| own.iter().map(|rate| solution.var_value(*rate) * self.unit).collect();
        let rates = self.settled.iter().map(|rate| rate.unwrap_or(0.0) * self.unit).collect();
        Some(Allocation { by_path: model.rates.iter().map(of).collect(), rates })
    }
}

impl Model {
    /// The paths of `user` together carry at least `rate`, and a variable on top of it.
    fn at_least(&mut self, user: usize, above: Option<Variable>, rate: f64) {
        let own = self.rates[user].iter().map(|path| (*path, 1.0));
        let terms: Vec<(Variable, f64)> = own.chain(above.map(|above| (above, -1.0))).collect();
        self.problem.add_constraint(terms, ComparisonOp::Ge, rate);
    }
}

/// A path may cross a resource twice, with Interests and with Data.
fn merged(load: Vec<(Variable, f64)>) -> Vec<(Variable, f64)> {
    let mut merged: Vec<(Variable, f64)> = Vec::with_capacity(load.len());
    for (rate, needs) in load {
        match merged.last_mut() {
            Some((last, sum)) if *last == rate => *sum += needs,
            _ => merged.push((rate, needs)),
        }
    }
    merged
}

fn solve(problem: Problem) -> Option<Solution> {
    problem.solve().ok()?.into_solution().ok()
}
