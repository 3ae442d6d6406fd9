//! Undo and redo: every set-up there was, each a shared value.

use std::rc::Rc;

use super::setup::Setup;

/// As many steps back as are kept.
const DEPTH: usize = 200;

#[derive(Clone, Debug, Default)]
pub struct History {
    past: Vec<Rc<Setup>>,
    present: Rc<Setup>,
    future: Vec<Rc<Setup>>,
    /// Whether the present is still being typed: its next version takes its place.
    typing: bool,
}

impl History {
    pub fn new(setup: Setup) -> Self {
        History { present: Rc::new(setup), ..History::default() }
    }

    pub fn present(&self) -> Rc<Setup> {
        self.present.clone()
    }

    pub fn push(&mut self, setup: Setup) {
        self.push_typed(setup, false);
    }

    /// Like `push`; versions that come while `typing` become one step.
    pub fn push_typed(&mut self, setup: Setup, typing: bool) {
        let replaces = std::mem::replace(&mut self.typing, typing);
        if *self.present == setup {
            return;
        }
        let before = std::mem::replace(&mut self.present, Rc::new(setup));
        self.future.clear();
        if replaces && typing {
            return;
        }
        self.past.push(before);
        if self.past.len() > DEPTH {
            self.past.remove(0);
        }
    }

    pub fn undo(&mut self) {
        self.typing = false;
        if let Some(before) = self.past.pop() {
            self.future.push(std::mem::replace(&mut self.present, before));
        }
    }

    pub fn redo(&mut self) {
        self.typing = false;
        if let Some(after) = self.future.pop() {
            self.past.push(std::mem::replace(&mut self.present, after));
        }
    }

    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(share: f64) -> Setup {
        Setup { suppression_limit: Some(share), ..Setup::default() }
    }

    #[test]
    fn what_is_typed_in_one_go_is_one_step() {
        let mut history = History::new(limited(0.0));
        for share in [0.1, 0.12, 0.125] {
            history.push_typed(limited(share), true);
        }
        // Leaving the field changes nothing but ends the step.
        history.push_typed(limited(0.125), false);
        history.push_typed(limited(0.2), true);
        history.undo();
        assert_eq!(*history.present(), limited(0.125));
        history.undo();
        assert_eq!(*history.present(), limited(0.0));
        assert!(!history.can_undo());
        history.redo();
        history.push_typed(limited(0.3), true);
        assert!(!history.can_redo());
        history.undo();
        assert_eq!(*history.present(), limited(0.125));
    }
}
