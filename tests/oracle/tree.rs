//! Hierarchies as `docs/spec.md` §9 has them, as lists of parents.

#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub labels: Vec<String>,
    /// The root, number 0, is its own.
    pub parents: Vec<usize>,
}

impl Tree {
    pub fn flat() -> Tree {
        Tree { labels: vec!["*".into()], parents: vec![0] }
    }

    /// Lines `leaf, group, …, root`. Empty cells are skipped, a missing root is added; a value that repeats itself where no
    /// group of its name has another value is padding.
    pub fn from_rows(rows: &[Vec<String>]) -> Tree {
        let mut lines: Vec<Vec<&str>> = rows
            .iter()
            .map(|row| {
                let cells = row.iter().enumerate().filter(|(at, cell)| *at == 0 || !cell.is_empty());
                cells.map(|(_, cell)| cell.as_str()).collect()
            })
            .collect();
        lines.sort_by_key(|line| rows.iter().position(|row| row[0] == line[0]));
        lines.dedup();
        let root = lines[0].last().copied().unwrap_or("*");
        let common = lines.iter().all(|line| line.len() > 1 && line.last() == Some(&root));
        if !common {
            lines.iter_mut().for_each(|line| line.push("*"));
        }
        let mut tree = Tree { labels: vec![if common { root } else { "*" }.to_owned()], parents: vec![0] };
        for line in &lines {
            let mut at = 0;
            for &label in line.iter().rev().skip(1) {
                at = match tree.children(at).into_iter().find(|&child| tree.labels[child] == label) {
                    Some(child) => child,
                    None => tree.add(label, at),
                };
            }
        }
        tree.without_padding()
    }

    fn without_padding(self) -> Tree {
        let is_padding = |node: usize| {
            let only = self.children(node);
            node != 0
                && only.len() == 1
                && self.is_leaf_or_padding(only[0])
                && self.labels[only[0]] == self.labels[node]
        };
        let mut tree = Tree { labels: vec![self.labels[0].clone()], parents: vec![0] };
        let mut stack = vec![(0, 0)];
        while let Some((old, new)) = stack.pop() {
            if is_padding(old) {
                continue;
            }
            for child in self.children(old) {
                let added = tree.add(&self.labels[child], new);
                stack.push((child, added));
            }
        }
        tree
    }

    fn is_leaf_or_padding(&self, node: usize) -> bool {
        match self.children(node)[..] {
            [] => true,
            [only] => self.labels[only] == self.labels[node] && self.is_leaf_or_padding(only),
            _ => false,
        }
    }

    pub fn add(&mut self, label: &str, parent: usize) -> usize {
        self.labels.push(label.to_owned());
        self.parents.push(parent);
        self.labels.len() - 1
    }

    pub fn children(&self, node: usize) -> Vec<usize> {
        (1..self.labels.len()).filter(|&child| self.parents[child] == node).collect()
    }

    pub fn is_leaf(&self, node: usize) -> bool {
        (1..self.labels.len()).all(|child| self.parents[child] != node)
    }

    /// From a node up to the root.
    pub fn path(&self, node: usize) -> Vec<usize> {
        let mut path = vec![node];
        while path[path.len() - 1] != 0 {
            path.push(self.parents[path[path.len() - 1]]);
        }
        path
    }

    pub fn depth(&self, node: usize) -> usize {
        self.path(node).len() - 1
    }

    pub fn leaves(&self) -> Vec<usize> {
        (0..self.labels.len()).filter(|&node| self.is_leaf(node)).collect()
    }

    pub fn leaves_under(&self, node: usize) -> Vec<usize> {
        self.leaves().into_iter().filter(|&leaf| self.covers(node, leaf)).collect()
    }

    /// The leaves from left to right, groups where their first value is.
    pub fn leaves_in_order(&self) -> Vec<usize> {
        let (mut order, mut stack) = (Vec::new(), vec![0]);
        while let Some(node) = stack.pop() {
            let children = self.children(node);
            if children.is_empty() {
                order.push(node);
            }
            stack.extend(children.into_iter().rev());
        }
        order
    }

    /// Whether `above` is the node or above it.
    pub fn covers(&self, above: usize, node: usize) -> bool {
        self.path(node).contains(&above)
    }

    pub fn height(&self, node: usize) -> usize {
        self.leaves_under(node).into_iter().map(|leaf| self.depth(leaf) - self.depth(node)).max().unwrap_or(0)
    }

    /// The one reading of a text: the highest node with the label.
    pub fn read(&self, label: &str) -> Option<usize> {
        let named = (0..self.labels.len()).filter(|&node| self.labels[node] == label);
        named.min_by_key(|&node| self.depth(node))
    }

    /// Where an original cell stands: the lowest node with its text.
    pub fn lowest(&self, label: &str) -> Option<usize> {
        let named = (0..self.labels.len()).filter(|&node| self.labels[node] == label);
        named.max_by_key(|&node| self.depth(node))
    }

    /// What a leaf shows on a level; shallow ones stay as they are on the levels that they lack.
    pub fn at_level(&self, leaf: usize, level: usize) -> usize {
        let path = self.path(leaf);
        let missing_levels = self.height(0) - (path.len() - 1);
        path[level.saturating_sub(missing_levels).min(path.len() - 1)]
    }

    pub fn has_labels_twice(&self) -> bool {
        (0..self.labels.len()).any(|node| self.labels[..node].contains(&self.labels[node]))
    }
}
