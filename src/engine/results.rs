//! What the Results page asks of the last run: its classes, columns, and what an attacker makes of it.

use super::{Engine, not_sensitive};
use crate::attack::exposure::Exposure;
use crate::attack::target::{TargetView, Who};
use crate::audit::{ClassCard, ClassMap, ClassOrder, ClassesPage, ColumnChange, Listing, Rooms};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::protocol::Subject;

impl Engine {
    pub(super) async fn classes(
        &self,
        of: Subject,
        column: u32,
        listing: &Listing,
        progress: &Progress<'_>,
    ) -> Result<ClassesPage, Failure> {
        let page = match of {
            Subject::Table => {
                let (table, grouped) = (self.table()?, self.grouped(progress).await?);
                // A table as it is may keep nothing: there is no line to be just above.
                let listing = Listing { near: false, ..*listing };
                ClassesPage::of(&table, &grouped, column as usize, &listing, None)
            }
            Subject::Release | Subject::SideBySide => {
                let (table, run) = (self.table()?, self.last_run()?);
                let rooms = match listing.near || listing.order == ClassOrder::LeastRoom {
                    true => Some(Rooms::of(&table, &run, progress).await?.least(run.grouped.classes.sizes.len())),
                    false => None,
                };
                ClassesPage::of(&run.output, &run.grouped, column as usize, listing, rooms.as_deref())
            }
        };
        page.ok_or_else(not_sensitive)
    }

    pub(super) fn class_map(&self, column: u32) -> Result<ClassMap, Failure> {
        let run = self.last_run()?;
        ClassMap::of(&run.output, &run.grouped, column as usize).ok_or_else(not_sensitive)
    }

    pub(super) async fn class_card(
        &self,
        column: u32,
        class: u32,
        progress: &Progress<'_>,
    ) -> Result<ClassCard, Failure> {
        let (table, run) = (self.table()?, self.last_run()?);
        let rooms = Rooms::of(&table, &run, progress).await?;
        ClassCard::of(&table, &run, &rooms, column as usize, class).ok_or_else(|| {
            Failure::refused("There is no such class or sensitive column.", "Choose one of the release.")
        })
    }

    pub(super) fn column_change(&self, column: u32) -> Result<ColumnChange, Failure> {
        ColumnChange::of(&*self.table()?, &*self.last_run()?, column as usize)
    }

    pub(super) fn target(&self, column: Option<u32>, who: &Who) -> Result<TargetView, Failure> {
        TargetView::of(&*self.table()?, &*self.last_run()?, column.map(|column| column as usize), who)
    }

    pub(super) async fn exposure(&self, column: Option<u32>, progress: &Progress<'_>) -> Result<Exposure, Failure> {
        let (table, run) = (self.table()?, self.last_run()?);
        Exposure::of(&table, &run, column.map(|column| column as usize), progress).await
    }
}
