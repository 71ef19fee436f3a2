//! Max-min fair shares: what each user of a network of shared resources would get if nobody could get more but at the
//! cost of somebody who has no more than they.
//!
//! With one path for each user by progressive filling (Bertsekas and Gallager, Data Networks, section 6.5.2), which is
//! exact; with several by linear programs, level after level.

mod several;

/// Resources, such as directions of links, and those who use them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sharing {
    /// What each resource can carry, in any unit of rate.
    pub capacities: Vec<f64>,
    /// Who shares them.
    pub users: Vec<User>,
}

/// One who shares: the paths between which the user may divide its rate. Without a path the user gets nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct User {
    /// Each path as the resources on it, and how much of a resource a unit of the user's rate takes there: 1.1 where a
    /// tenth is added by headers.
    pub paths: Vec<Vec<(usize, f64)>>,
}

/// Who gets what.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Allocation {
    /// The rate of each user, in the unit of the capacities; infinite where nothing limits it.
    pub rates: Vec<f64>,
    /// The same for each of its paths. There may be several ways to divide a rate; this is one.
    pub by_path: Vec<Vec<f64>>,
}

/// The max-min fair allocation. `None` where a number is not finite, a capacity is negative, a resource does not exist,
/// or the solver of linear programs fails.
pub fn max_min(sharing: &Sharing) -> Option<Allocation> {
    let known =
        |(resource, needs): &(usize, f64)| *resource < sharing.capacities.len() && needs.is_finite() && *needs >= 0.0;
    let sound = sharing.users.iter().flat_map(|u| &u.paths).flatten().all(known)
        && sharing.capacities.iter().all(|c| c.is_finite() && *c >= 0.0);
    if !sound {
        return None;
    }
    if sharing.users.iter().any(|user| user.paths.len() > 1) { several::fill(sharing) } else { Some(fill(sharing)) }
}

/// Progressive filling: all rates grow alike; where a resource is used up, those who use it stop.
fn fill(sharing: &Sharing) -> Allocation {
    let path = |user: usize| sharing.users[user].paths.first().map_or(&[][..], Vec::as_slice);
    let mut rates = vec![0.0; sharing.users.len()];
    let mut left = sharing.capacities.clone();
    let mut growing: Vec<usize> = (0..rates.len()).filter(|u| !sharing.users[*u].paths.is_empty()).collect();
    let mut level = 0.0;
    while !growing.is_empty() {
        let mut demand = vec![0.0; left.len()];
        growing.iter().flat_map(|u| path(*u)).for_each(|(resource, needs)| demand[*resource] += needs);
        let wanted = |resource: &usize| demand[*resource] > 0.0;
        let more = (0..left.len()).filter(wanted).map(|r| left[r] / demand[r]).fold(f64::INFINITY, f64::min);
        level += more;
        if more == f64::INFINITY {
            growing.iter().for_each(|user| rates[*user] = level);
            break;
        }
        // The resource that is nearest to its end is at its end, whatever rounding says; others may be as well.
        let full =
            |resource: usize| demand[resource] > 0.0 && left[resource] / demand[resource] <= more * (1.0 + 1e-12);
        let full: Vec<bool> = (0..left.len()).map(full).collect();
        left.iter_mut().zip(&demand).for_each(|(left, demand)| *left = (*left - more * demand).max(0.0));
        let stops = |user: &usize| path(*user).iter().any(|(resource, needs)| full[*resource] && *needs > 0.0);
        let (stopped, others): (Vec<usize>, Vec<usize>) = growing.into_iter().partition(stops);
        stopped.into_iter().for_each(|user| rates[user] = level);
        growing = others;
    }
    let by_path = sharing.users.iter().zip(&rates).map(|(user, rate)| user.paths.iter().map(|_| *rate).collect());
    Allocation { by_path: by_path.collect(), rates }
}

#[cfg(test)]
mod tests;
