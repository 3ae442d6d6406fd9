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
}

impl History {
    pub fn new(setup: Setup) -> Self {
        History { present: Rc::new(setup), ..History::default() }
    }

    pub fn present(&self) -> Rc<Setup> {
        self.present.clone()
    }

    pub fn push(&mut self, setup: Setup) {
        if *self.present == setup {
            return;
        }
        self.past.push(std::mem::replace(&mut self.present, Rc::new(setup)));
        if self.past.len() > DEPTH {
            self.past.remove(0);
        }
        self.future.clear();
    }

    pub fn undo(&mut self) {
        if let Some(before) = self.past.pop() {
            self.future.push(std::mem::replace(&mut self.present, before));
        }
    }

    pub fn redo(&mut self) {
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
