use super::*;
use microlp::{ComparisonOp, OptimizationDirection, Problem};
use proptest::prelude::*;

fn user(paths: &[&[usize]]) -> User {
    User { paths: paths.iter().map(|path| path.iter().map(|r| (*r, 1.0)).collect()).collect() }
}

fn rates(capacities: &[f64], users: Vec<User>) -> Vec<f64> {
    max_min(&Sharing { capacities: capacities.to_vec(), users }).expect("sound").rates
}

#[track_caller]
fn close(found: &[f64], expected: &[f64]) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-5 * b.abs().max(1e-9);
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(near), "{found:?} is not {expected:?}");
}

/// Bertsekas and Gallager, Data Networks, example 6.6 (Fig. 6.20): five sessions, links of capacity 1.
#[test]
fn the_textbook_network() {
    // Session 1 crosses all three links; 2 and 3 the second; 4 the first; 5 the third.
    let users = vec![user(&[&[0, 1, 2]]), user(&[&[1]]), user(&[&[1]]), user(&[&[0]]), user(&[&[2]])];
    let third = 1.0 / 3.0;
    close(&rates(&[1.0, 1.0, 1.0], users), &[third, third, third, 2.0 * third, 2.0 * third]);
}

/// A parking lot: one long flow over n links, one short flow on each.
#[test]
fn a_parking_lot_halves_each_link() {
    let long: Vec<usize> = (0..5).collect();
    let users = std::iter::once(user(&[&long])).chain((0..5).map(|link| user(&[&[link]]))).collect();
    close(&rates(&[10.0, 10.0, 4.0, 10.0, 10.0], users), &[2.0, 8.0, 8.0, 2.0, 8.0, 8.0]);
}

#[test]
fn headers_take_their_part() {
    let with = |needs: f64| User { paths: vec![vec![(0, needs)]] };
    // 11 = x · 1.1 + x · 1.1, and unequal needs still mean equal rates.
    close(&rates(&[11.0], vec![with(1.1), with(1.1)]), &[5.0, 5.0]);
    close(&rates(&[9.0], vec![with(1.0), with(2.0)]), &[3.0, 3.0]);
}

#[test]
fn without_a_path_nothing_and_without_a_limit_everything() {
    assert_eq!(rates(&[1.0], vec![User::default(), User { paths: vec![vec![]] }]), [0.0, f64::INFINITY]);
    let free = User { paths: vec![vec![], vec![(0, 1.0)]] };
    assert_eq!(rates(&[1.0], vec![free, User::default()]), [f64::INFINITY, 0.0]);
    assert_eq!(rates(&[0.0], vec![user(&[&[0]])]), [0.0]);
    assert_eq!(rates(&[0.0, 3.0], vec![user(&[&[0], &[0]]), user(&[&[1], &[1]])]), [0.0, 3.0]);
    assert_eq!(rates(&[], vec![]), Vec::<f64>::new());
}

#[test]
fn what_makes_no_sense_has_no_shares() {
    for (capacities, needs) in [(vec![f64::NAN], 1.0), (vec![-1.0], 1.0), (vec![1.0], f64::INFINITY), (vec![], 1.0)] {
        let users = vec![User { paths: vec![vec![(0, needs)]] }];
        assert_eq!(max_min(&Sharing { capacities, users }), None);
    }
}

/// Two users, one of which may also take a second link: both get what half of everything is.
#[test]
fn a_second_path_relieves_the_first() {
    close(&rates(&[10.0, 6.0], vec![user(&[&[0], &[1]]), user(&[&[0]])]), &[8.0, 8.0]);
    // Nobody can use more than their own second link gives: 10 is left to the one without.
    close(&rates(&[10.0, 30.0], vec![user(&[&[0], &[1]]), user(&[&[0]])]), &[30.0, 10.0]);
    // Three levels: 1, then 4, then 12.
    let users = vec![user(&[&[0]]), user(&[&[1], &[2]]), user(&[&[3], &[1]]), user(&[&[1]])];
    close(&rates(&[1.0, 5.0, 3.0, 12.0], users), &[1.0, 4.0, 12.0, 4.0]);
}

#[test]
fn rates_of_very_different_sizes_are_told_apart() {
    let users = vec![user(&[&[0], &[1]]), user(&[&[2], &[3]]), user(&[&[0]]), user(&[&[2], &[0]])];
    close(&rates(&[1e4, 1e4, 1e9, 1e9], users), &[1e4, 1e9, 1e4, 1e9]);
}

fn sharing(most_paths: usize) -> impl Strategy<Value = Sharing> {
    (2..7usize).prop_flat_map(move |resources| {
        let path = prop::collection::btree_set(0..resources, 1..=resources.min(3));
        let needs = prop::sample::select(vec![1.0, 1.0, 1.1, 0.5]);
        let path = path.prop_flat_map(move |set| {
            let needs = prop::collection::vec(needs.clone(), set.len());
            needs.prop_map(move |needs| set.iter().copied().zip(needs).collect::<Vec<_>>())
        });
        let user = prop::collection::vec(path, 1..=most_paths).prop_map(|paths| User { paths });
        let capacities = prop::collection::vec((1..20u32).prop_map(f64::from), resources);
        (capacities, prop::collection::vec(user, 1..7)).prop_map(|(capacities, users)| Sharing { capacities, users })
    })
}

/// The most that `wanted` can get while those who have no more than it keep what they have.
fn most(sharing: &Sharing, rates: &[f64], wanted: usize) -> f64 {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let mut loads = vec![Vec::new(); sharing.capacities.len()];
    for (user, User { paths }) in sharing.users.iter().enumerate() {
        let mut own = Vec::new();
        for path in paths {
            let rate = problem.add_var(f64::from(u8::from(user == wanted)), (0.0, f64::INFINITY));
            path.iter().for_each(|(resource, needs)| loads[*resource].push((rate, *needs)));
            own.push((rate, 1.0));
        }
        if user != wanted && rates[user] <= rates[wanted] * (1.0 + 1e-5) {
            problem.add_constraint(own, ComparisonOp::Ge, rates[user] * (1.0 - 1e-6));
        }
    }
    for (load, capacity) in loads.into_iter().zip(&sharing.capacities) {
        problem.add_constraint(load, ComparisonOp::Le, *capacity);
    }
    problem.solve().expect("feasible").into_solution().expect("solved").objective()
}

/// The definition itself: it fits, and nobody can get more but from somebody who has no more.
fn check(sharing: &Sharing) -> Result<(), TestCaseError> {
    let Allocation { rates, by_path } = max_min(sharing).expect("sound");
    let mut loads = vec![0.0; sharing.capacities.len()];
    for (user, (paths, total)) in sharing.users.iter().zip(by_path.iter().zip(&rates)) {
        prop_assert!(paths.iter().sum::<f64>() >= total * (1.0 - 1e-5), "{paths:?} do not carry {total}");
        for (path, rate) in user.paths.iter().zip(paths) {
            path.iter().for_each(|(resource, needs)| loads[*resource] += needs * rate);
        }
    }
    for (load, capacity) in loads.iter().zip(&sharing.capacities) {
        prop_assert!(*load <= capacity * (1.0 + 1e-6), "{load} on {capacity}");
    }
    for user in 0..rates.len() {
        let most = most(sharing, &rates, user);
        prop_assert!(most <= rates[user] * (1.0 + 1e-3), "user {user} has {} and could have {most}", rates[user]);
    }
    Ok(())
}

proptest! {
    #[test]
    fn nobody_can_get_more_at_no_cost_to_the_poorer_with_one_path(sharing in sharing(1)) {
        check(&sharing)?;
    }

    #[test]
    fn nobody_can_get_more_at_no_cost_to_the_poorer_with_several_paths(sharing in sharing(3)) {
        check(&sharing)?;
    }

    /// Both methods on one problem.
    #[test]
    fn filling_and_linear_programs_agree(sharing in sharing(1)) {
        let (filled, solved) = (fill(&sharing).rates, several::fill(&sharing).expect("solved").rates);
        for (a, b) in filled.iter().zip(&solved) {
            prop_assert!((a - b).abs() <= 1e-5 * a.max(*b), "{filled:?} and {solved:?}");
        }
    }
}
