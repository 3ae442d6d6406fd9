//! A release by plan, for narrow bounds that clusters chosen one after the other don't hit: first how many rows hide what,
//! then which.
//!
//! All that constraints see of a row is its *cell*, the values that they name and it has, and the groups above them; and
//! of a class its *face*, which of these it shows. Rows of a cell can be hidden behind any face that shows less. How many
//! are is an integer program: the constraints bound how many rows count for them, and every face has no rows or enough for
//! a class. The rows with few of their kind are hidden first, as they would cost most anyway; then k-member divides the
//! rows of each face. Where only k is asked, a thorough plan is there if a release is, but for its budget.
//! Guarantee: what is given holds and keeps all constraints; that nothing is given proves nothing. Complexity: that of the
//! program, which is bounded, and of k-member.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::complete::join;
use super::ground::{Ground, rows};
use crate::algorithms::k_member;
use crate::algorithms::local::clusters::{Clusters, Part};
use crate::constraints::program::{Bounds, Budget, Program, Solved};
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::progress::Progress;
use crate::random::Random;
use crate::sorting::Sorting;

/// Ways to hide rows of a cell, all together, at most; where they show whole targets or nothing, more.
const WAYS: usize = 1500;
const WAYS_OF_TARGETS: usize = 6000;

/// How much is computed for a program at most: some tenths of a second; of a thorough plan some seconds.
const WORK: [u64; 2] = [150_000_000, 2_000_000_000];

/// Behind which faces rows may be hidden.
#[derive(Clone, Copy, PartialEq)]
enum Faces {
    /// All, also those that show a group instead of a value.
    Any,
    /// Those that hide at most so many axes, or all.
    Hiding(usize),
    /// Those that show what some constraints name and nothing else.
    OfTargets,
}

/// How a plan is sought.
#[derive(Clone, Copy)]
struct Try {
    faces: Faces,
    /// One in how many of the rows that are not rare may be hidden.
    hidden_of: u64,
    /// Whether faces that have rows enough for a class of their own keep so many of them, so that the program need not ask
    /// how many they have.
    large_stay: bool,
    /// Whether rows may be suppressed, as far as the policy allows.
    suppress: bool,
}

/// The face of suppressed rows, which have no class and count for nothing.
const SUPPRESSED: usize = 0;

/// As little hidden as will do, and the smallest program first.
const SPARING: [Try; 4] = [
    Try { faces: Faces::Hiding(1), hidden_of: 1, large_stay: true, suppress: false },
    Try { faces: Faces::Hiding(usize::MAX), hidden_of: 1, large_stay: true, suppress: false },
    Try { faces: Faces::Hiding(usize::MAX), hidden_of: 4, large_stay: true, suppress: false },
    Try { faces: Faces::Hiding(usize::MAX), hidden_of: u64::MAX, large_stay: true, suppress: false },
];

/// All that is possible. What is hidden without need is shown again later, as far as that goes.
const THOROUGH: [Try; 3] = [
    Try { faces: Faces::Any, hidden_of: u64::MAX, large_stay: false, suppress: false },
    Try { faces: Faces::Any, hidden_of: u64::MAX, large_stay: false, suppress: true },
    Try { faces: Faces::OfTargets, hidden_of: u64::MAX, large_stay: false, suppress: true },
];

/// Makes classes of all rows that can be kept; `None` if it does not succeed. Unless it is `thorough`, no more is hidden
/// than a release that is worth something needs.
pub async fn plan<'s>(
    ground: &'s Ground<'_>,
    kept: &[Vec<Part>],
    thorough: bool,
    progress: &Progress<'_>,
) -> Result<Option<Clusters<'s>>, Failure> {
    let Some(mut layout) = Layout::new(ground, kept, thorough) else { return Ok(None) };
    let mut ways = 0;
    let tries: &[Try] = if thorough { &THOROUGH } else { &SPARING };
    for (number, &how) in tries.iter().enumerate() {
        if how.faces == Faces::OfTargets {
            let Some(fewer) = layout.of_targets() else { return Ok(None) };
            layout = fewer;
        }
        // Nothing more than before may be hidden or suppressed.
        let same = |layout: &Layout<'_, '_>| number == 1 && layout.ways.len() == ways;
        if !layout.allow(how) || same(&layout) {
            continue;
        }
        ways = layout.ways.len();
        let Some(program) = layout.program(how) else { return Ok(None) };
        if let Solved::Solution(rows) = program.solve(&Budget::of(WORK[usize::from(thorough)]), progress).await?
            && let Some(clusters) = layout.classes(&rows, progress).await?
        {
            return Ok(Some(clusters));
        }
    }
    Ok(None)
}

/// What is shown on each axis that constraints name, if it is something they name.
type Face = Vec<Option<NodeId>>;

/// The same, of rows of a region.
type Shown = (u32, Face);

/// The rows of each region that have the same choices, and whose own cells show the same.
type Cells = BTreeMap<(u32, Vec<Face>, Vec<bool>), Vec<Part>>;

struct Layout<'s, 'a> {
    ground: &'s Ground<'a>,
    axes: Vec<usize>,
    /// The nodes that constraints name on each of them.
    named: Vec<Vec<NodeId>>,
    faces: Vec<Shown>,
    face_numbers: BTreeMap<Shown, usize>,
    /// Those with most rare rows first.
    cells: Vec<Cell>,
    /// The cell and the face of each way to hide rows, and of those to show them that the program asks for.
    ways: Vec<(usize, usize)>,
    /// How many of the rows may still be suppressed.
    suppressible: u64,
}

/// Rows that have the same of what constraints name.
struct Cell {
    /// What they show if nothing is hidden.
    face: usize,
    /// What they can show on each axis: if nothing is hidden, then the groups that constraints name, and at last something
    /// that they don't, if that is possible whatever else is in their class. Where rows show whole targets or nothing, the
    /// targets that they can show.
    choices: Vec<Face>,
    /// Whether their own cells show what each constraint asks of other columns.
    own: Vec<bool>,
    /// Those with fewest of their kind first.
    rows: Vec<Part>,
    count: u64,
    /// How many have fewer than a class of their kind.
    rare: u64,
}

impl<'s, 'a> Layout<'s, 'a> {
    fn new(ground: &'s Ground<'a>, kept: &[Vec<Part>], thorough: bool) -> Option<Self> {
        let axes = ground.targets.axes();
        let constraints = ground.targets.len();
        let mut named: Vec<Vec<NodeId>> = vec![Vec::new(); axes.len()];
        for (axis, nodes) in (0..constraints).flat_map(|constraint| ground.targets.axes_of(constraint)) {
            let place = axes.iter().position(|other| other == axis)?;
            named[place].extend(nodes);
        }
        // Where what rows are hidden behind at last is named, each node counts as named: classes of different ones would
        // show it.
        for (named, &axis) in named.iter_mut().zip(&axes).filter(|_| thorough) {
            if ground.regions.iter().any(|region| named.contains(&region.limits[axis])) {
                *named = (0..ground.problem.quasi[axis].tree.len() as NodeId).collect();
            }
        }
        let faces = vec![(u32::MAX, vec![None; axes.len()])];
        let suppressible = ground.suppressible_of(kept);
        let (face_numbers, cells, ways) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut layout = Layout { ground, axes, named, faces, face_numbers, cells, ways, suppressible };
        let mut cells = Cells::new();
        for &part in kept.iter().flatten() {
            let own = (0..constraints).map(|one| ground.targets.own_cells_show(one, part.0)).collect();
            let key = (ground.region_of_item[part.0 as usize], layout.choices(part), own);
            cells.entry(key).or_default().push(part);
        }
        layout.set_cells(cells, &|choices| choices.iter().map(|choices| choices[0]).collect());
        Some(layout)
    }

    /// The same with fewer cells: rows are of one if they can show the same targets, and show whole ones or nothing. `None`
    /// if some can't show nothing.
    fn of_targets(mut self) -> Option<Self> {
        let mut cells = Cells::new();
        for Cell { face, choices, own, rows, .. } in std::mem::take(&mut self.cells) {
            if !choices.iter().all(|choices| choices.contains(&None)) {
                return None;
            }
            let target = |constraint: usize| -> Option<Face> {
                let mut shown = vec![None; self.axes.len()];
                for (axis, nodes) in self.ground.targets.axes_of(constraint) {
                    let place = self.axes.iter().position(|other| other == axis)?;
                    shown[place] = Some(choices[place].iter().flatten().copied().find(|node| nodes.contains(node))?);
                }
                Some(shown)
            };
            let targets: Vec<Option<Face>> = (0..own.len()).map(target).collect();
            let own = own.iter().zip(&targets).map(|(own, target)| *own && target.is_some()).collect();
            let mut targets: Vec<Face> = targets.into_iter().flatten().collect();
            targets.order();
            targets.dedup();
            cells.entry((self.faces[face].0, targets, own)).or_default().extend(rows);
        }
        self.faces.truncate(SUPPRESSED + 1);
        self.face_numbers.clear();
        let nothing: Face = vec![None; self.axes.len()];
        self.set_cells(cells, &|_| nothing.clone());
        Some(self)
    }

    /// Makes cells of rows by what they can show; `most` is what they show if nothing is hidden.
    fn set_cells(&mut self, cells: Cells, most: &dyn Fn(&[Face]) -> Face) {
        for ((region, choices, own), parts) in cells {
            let face = self.face((region, most(&choices)));
            let cell = self.cell(face, choices, own, parts);
            self.cells.push(cell);
        }
        // The program tries first what comes first, and gets by with few ways if there are many rows behind each.
        self.cells.order_by_key(|cell| Reverse(cell.rare));
    }

    /// Lets rows be hidden behind such faces, those that hide least first; on fewer axes if there are too many ways, and not
    /// at all (`false`) if there are still.
    fn allow(&mut self, how: Try) -> bool {
        let fewer = match how.faces {
            Faces::Hiding(most) => [most, 2, 1].map(|fewer| Faces::Hiding(fewer.min(most))).to_vec(),
            Faces::Any => [Faces::Any].into_iter().chain([usize::MAX, 2, 1].map(Faces::Hiding)).collect(),
            Faces::OfTargets => vec![how.faces],
        };
        let most = if how.faces == Faces::OfTargets { WAYS_OF_TARGETS } else { WAYS };
        let Some(faces) = fewer.into_iter().find(|&faces| self.count_ways(faces) <= most) else { return false };
        let mut ways: Vec<(usize, usize, usize)> = Vec::new();
        for cell in 0..self.cells.len() {
            let most = self.faces[self.cells[cell].face].1.clone();
            for shown in self.hidden(cell, faces) {
                let hidden = shown.1.iter().zip(&most).filter(|(one, other)| one != other).count();
                ways.push((hidden, cell, self.face(shown)));
            }
            if how.suppress && self.suppressible > 0 {
                ways.push((usize::MAX - 1, cell, SUPPRESSED));
            }
            // What shows too little for a class is hidden first, as that asks least of the others; and of targets as few as
            // possible are shown, so that few faces need rows.
            if self.asked_for(self.cells[cell].face, how) {
                let last = if faces == Faces::OfTargets { 0 } else { usize::MAX };
                ways.push((last, cell, self.cells[cell].face));
            }
        }
        ways.order_by_key(|&(hidden, ..)| hidden);
        self.ways = ways.into_iter().map(|(_, cell, face)| (cell, face)).collect();
        true
    }

    /// Rows that show a face if nothing is hidden.
    fn by_itself(&self, face: usize) -> u64 {
        self.cells.iter().filter(|cell| cell.face == face).map(|cell| cell.count).sum()
    }

    /// Whether the program asks how many rows of its own a face has.
    fn asked_for(&self, face: usize, how: Try) -> bool {
        !how.large_stay || self.by_itself(face) < u64::from(self.ground.demands.least_size)
    }

    fn face(&mut self, shown: Shown) -> usize {
        *self.face_numbers.entry(shown.clone()).or_insert_with(|| {
            self.faces.push(shown);
            self.faces.len() - 1
        })
    }

    fn cell(&self, face: usize, choices: Vec<Face>, own: Vec<bool>, mut parts: Vec<Part>) -> Cell {
        let places = |part: &Part| self.ground.space.places(part.0);
        parts.sort_unstable_by_key(|part| self.ground.space.rank(part.0));
        let mut kinds: Vec<Vec<Part>> =
            parts.chunk_by(|one, other| places(one) == places(other)).map(<[_]>::to_vec).collect();
        kinds.order_by_key(|kind| rows(kind));
        let least = u64::from(self.ground.demands.least_size);
        let rare = kinds.iter().map(|kind| rows(kind)).filter(|&size| size < least).sum();
        Cell { face, choices, own, count: rows(&parts), rare, rows: kinds.concat() }
    }

    fn choices(&self, (item, _): Part) -> Vec<Face> {
        let places = self.ground.space.places(item);
        let region = self.ground.region_of(item);
        let of_axis = |(&axis, named): (&usize, &Vec<NodeId>)| {
            let leaf = self.ground.space.node(axis, places[axis], places[axis]);
            let upwards: Vec<NodeId> = self.ground.upwards(region, axis, leaf).collect();
            let is_named = |node: &&NodeId| named.contains(node);
            let mut choices = vec![Some(leaf).filter(|leaf| named.contains(leaf))];
            choices.extend(upwards.iter().skip(1).filter(is_named).copied().map(Some));
            if choices[0].is_some() && !upwards.last().as_ref().is_some_and(is_named) {
                choices.push(None);
            }
            choices
        };
        self.axes.iter().zip(&self.named).map(of_axis).collect()
    }

    /// The faces that hide some of what a cell's rows can show.
    fn hidden(&self, cell: usize, faces: Faces) -> Vec<Shown> {
        let (region, shown) = &self.faces[self.cells[cell].face];
        let choices = &self.cells[cell].choices;
        if faces == Faces::Any {
            let mut all: Vec<Face> = vec![Face::new()];
            for choices in choices {
                let with =
                    |shown: &Vec<_>| choices.iter().map(|&node| [&shown[..], &[node]].concat()).collect::<Vec<_>>();
                all = all.iter().flat_map(with).collect();
            }
            return all.into_iter().skip(1).map(|shown| (*region, shown)).collect();
        }
        if faces == Faces::OfTargets {
            let mut unions: Vec<Face> = vec![shown.clone()];
            for target in choices {
                if unions.len() > WAYS_OF_TARGETS {
                    break;
                }
                let with = |shown: &Face| {
                    let both = |(&one, &other): (&Option<NodeId>, &Option<NodeId>)| match (one, other) {
                        (Some(one), Some(other)) if one != other => None,
                        (one, other) => Some(one.or(other)),
                    };
                    shown.iter().zip(target).map(both).collect::<Option<Vec<_>>>()
                };
                let more: Vec<Face> = unions.iter().filter_map(with).collect();
                unions.extend(more);
                unions.order();
                unions.dedup();
            }
            return unions.into_iter().filter(|union| union != shown).map(|union| (*region, union)).collect();
        }
        let can_hide = |&place: &usize| shown[place].is_some() && choices[place].last() == Some(&None);
        let axes: Vec<usize> = (0..shown.len()).filter(can_hide).collect();
        let Some(all) = 1u32.checked_shl(axes.len() as u32).filter(|&all| all as usize <= WAYS) else {
            return Vec::new();
        };
        let mut subsets: Vec<u32> = match faces {
            Faces::Hiding(most) => {
                (1..all).filter(|hidden| hidden.count_ones() as usize <= most || *hidden == all - 1).collect()
            }
            Faces::Any | Faces::OfTargets => Vec::new(),
        };
        subsets.order_by_key(|subset| (subset.count_ones(), *subset));
        subsets.dedup();
        let without = |subset: u32| {
            let mut left = shown.clone();
            let hidden = axes.iter().enumerate().filter(|&(bit, _)| subset >> bit & 1 == 1);
            hidden.for_each(|(_, &place)| left[place] = None);
            (*region, left)
        };
        subsets.into_iter().map(without).collect()
    }

    fn count_ways(&self, faces: Faces) -> usize {
        let of_cell = |cell: usize| match faces {
            Faces::Any => {
                let all = self.cells[cell].choices.iter().map(Vec::len);
                all.fold(1, usize::saturating_mul) - 1
            }
            _ => self.hidden(cell, faces).len(),
        };
        (0..self.cells.len()).fold(0, |ways, cell| ways.saturating_add(of_cell(cell)))
    }

    /// Whether rows of a cell count for a constraint behind a face.
    fn counts(&self, cell: usize, face: usize, constraint: usize) -> bool {
        let shown = &self.faces[face].1;
        let shows = |(axis, nodes): &(usize, Vec<NodeId>)| {
            let place = self.axes.iter().position(|other| other == axis);
            place.and_then(|place| shown[place]).is_some_and(|node| nodes.contains(&node))
        };
        face != SUPPRESSED
            && self.cells[cell].own[constraint]
            && self.ground.targets.axes_of(constraint).iter().all(shows)
    }

    /// How many rows go each way, with at most the rare rows of a cell and one in `hidden_of` of the others hidden, where
    /// enough of them are shown; `None` if it is plain that there is no solution.
    fn program(&self, how: Try) -> Option<Program> {
        let least = u64::from(self.ground.demands.least_size);
        let mut program = Program::default();
        let limit = |cell: &Cell| match how.hidden_of {
            _ if self.asked_for(cell.face, how) => cell.count,
            u64::MAX => cell.count,
            1 => cell.rare,
            share => cell.rare + (cell.count - cell.rare) / share,
        };
        for &(cell, _) in &self.ways {
            program.variables.push(Bounds { least: 0, most: Some(limit(&self.cells[cell])) });
        }
        let ways = |wanted: &dyn Fn(usize, usize) -> bool| -> Vec<usize> {
            (0..self.ways.len()).filter(|&way| wanted(self.ways[way].0, self.ways[way].1)).collect()
        };
        let kept = self.cells.iter().map(|cell| cell.count).sum();
        for (constraint, bounds) in self.ground.targets.bounds.iter().enumerate() {
            // Where every way is there, those that count; otherwise those by which rows that count get lost.
            if !how.large_stay {
                let bounds = Bounds { least: bounds.least, most: Some(bounds.most.min(kept)) };
                program.sums.push((ways(&|cell, face| self.counts(cell, face, constraint)), bounds));
                continue;
            }
            let counting = (0..self.cells.len()).filter(|&cell| self.counts(cell, self.cells[cell].face, constraint));
            let all: u64 = counting.map(|cell| self.cells[cell].count).sum();
            let most = all.checked_sub(bounds.least)?;
            let bounds = Bounds { least: all.saturating_sub(bounds.most), most: Some(most) };
            let loses = |cell: usize, face| {
                self.counts(cell, self.cells[cell].face, constraint) && !self.counts(cell, face, constraint)
            };
            program.sums.push((ways(&loses), bounds));
        }
        for (number, cell) in self.cells.iter().enumerate() {
            // Each row goes one way, where all ways are there.
            let least = if self.asked_for(cell.face, how) { cell.count } else { 0 };
            program.sums.push((ways(&|cell, _| cell == number), Bounds { least, most: Some(limit(cell)) }));
        }
        program.sums.push((ways(&|_, face| face == SUPPRESSED), Bounds { least: 0, most: Some(self.suppressible) }));
        for face in SUPPRESSED + 1..self.faces.len() {
            if self.asked_for(face, how) {
                program.gaps.push((self.ways.len() + program.sums.len(), least));
                program.sums.push((ways(&|_, other| other == face), Bounds::ANY));
                continue;
            }
            // Nothing to say where what may be hidden leaves enough.
            let (by_itself, hidden) = (self.by_itself(face), self.cells.iter().filter(|cell| cell.face == face));
            if by_itself - least < hidden.map(limit).sum() {
                let leaving = ways(&|cell, _| self.cells[cell].face == face);
                program.sums.push((leaving, Bounds { least: 0, most: Some(by_itself - least) }));
            }
        }
        Some(program)
    }

    /// Classes of the rows, so many of them going each way.
    async fn classes(&self, rows: &[u64], progress: &Progress<'_>) -> Result<Option<Clusters<'s>>, Failure> {
        let ground = self.ground;
        let mut behind: Vec<Vec<Part>> = vec![Vec::new(); self.faces.len()];
        for (number, cell) in self.cells.iter().enumerate() {
            let own = self.ways.iter().zip(rows).filter(|&(&(cell, _), _)| cell == number);
            let mut wanted: Vec<(usize, u64)> = own.map(|(&(_, face), &rows)| (face, rows)).collect();
            // Whatever is left is shown.
            wanted.push((cell.face, cell.count));
            let mut next = wanted.into_iter().filter(|&(_, rows)| rows > 0);
            let mut now = next.next();
            for &(item, count) in &cell.rows {
                let mut left = u64::from(count);
                while let Some((face, room)) = now.filter(|_| left > 0) {
                    let some = room.min(left);
                    behind[face].push((item, some as u32));
                    left -= some;
                    now = if some < room { Some((face, room - some)) } else { next.next() };
                }
            }
        }
        let mut clusters = Clusters::new(&ground.space, &ground.demands);
        let mut random = Random::new(ground.problem.seed);
        let suppressed = std::mem::take(&mut behind[SUPPRESSED]);
        for ((_, shown), rows) in self.faces.iter().zip(behind).filter(|(_, rows)| !rows.is_empty()) {
            if !ground.demands.hold_for(&rows) {
                return Ok(None);
            }
            let mut divided = Clusters::new(&ground.space, &ground.demands);
            k_member::divide(&mut divided, rows, &mut random, progress).await?;
            for cluster in divided.used() {
                let members = divided.members(cluster);
                let opened = clusters.open(members);
                for (place, &axis) in self.axes.iter().enumerate() {
                    let natural = ground.natural(members, axis);
                    let fits = |node: &NodeId| match shown[place] {
                        Some(group) => *node == group,
                        None => !self.named[place].contains(node),
                    };
                    if !fits(&natural) {
                        let region = &ground.regions[ground.region_of_cluster(&clusters, opened) as usize];
                        let Some(node) = ground.upwards(region, axis, natural).find(fits) else { return Ok(None) };
                        clusters.raise(opened, axis, ground.space.place_of(axis, node));
                    }
                }
            }
        }
        clusters.watch(&ground.targets, vec![0; ground.targets.len()]);
        // The program only says how many may have to be.
        join(ground, &mut clusters, suppressed);
        let hold = clusters.used().all(|cluster| clusters.holds(cluster));
        Ok((hold && clusters.targets_missed() == 0).then_some(clusters))
    }
}
