//! Where the session's table came from and how it was read; reading it again, when a policy says another way, and its
//! digest.
//!
//! Guarantee: what is loaded or restored takes effect wholly or not at all; the table is read again only if the policy's
//! reading differs from how it was read. Complexity: that of reading the file.

use std::collections::BTreeSet;
use std::rc::Rc;

use sha2::{Digest, Sha256};

use super::{Engine, Session, missing_file, no_table};
use crate::failure::{Failure, FailureKind};
use crate::io::csv::{self, ReadOptions};
use crate::io::{MemorySource, ReadError, Source};
use crate::policy::{History, PolicyFile, Setup};
use crate::progress::{Progress, Report};
use crate::protocol::{Opened, Response, Summary, Taken};
use crate::samples;
use crate::table::Table;

/// Bytes that are read between two looks at the clock.
const PIECE: usize = 1 << 20;

/// Puts the files that came with a table on its set-up, and says what became of each.
type PutFiles<'a> = dyn FnMut(&mut Setup, &Table) -> Result<Vec<Taken>, Failure> + 'a;

/// Where a session's table came from.
pub struct Origin {
    pub summary: Summary,
    /// Taken out while it is read.
    pub source: Option<Again>,
    /// What was said of how to read it, and what came of that.
    pub asked: ReadOptions,
    pub reading: ReadOptions,
}

/// How the bytes can be had again.
pub enum Again {
    File(Box<dyn Source>),
    /// Its bytes may be many, and are made faster than kept.
    Sample {
        id: String,
        rows: u32,
        seed: u64,
    },
}

/// What undoing leads to after a table was read again. The reading before is not the history's: who shows the table
/// keeps the policy of before, and loads it.
enum Behind {
    Nothing,
    Guesses,
}

/// A table that was just read.
pub struct Fresh {
    pub table: Rc<Table>,
    pub summary: Summary,
    pub asked: ReadOptions,
    pub reading: ReadOptions,
}

impl Fresh {
    pub async fn read(source: &mut dyn Source, asked: ReadOptions, progress: &Progress<'_>) -> Result<Fresh, Failure> {
        let ingested = csv::read(source, &asked, progress).await?;
        let reading = asked.settled(&ingested);
        let summary = Summary {
            name: source.name().to_owned(),
            bytes: source.size(),
            rows: ingested.table.rows as u64,
            columns: ingested.table.summaries(),
            dialect: ingested.dialect,
            repairs: ingested.repairs,
        };
        Ok(Fresh { table: Rc::new(ingested.table), summary, asked, reading })
    }
}

impl Engine {
    /// Takes the set-up of a policy, and reads the table as it says.
    pub(super) async fn load_policy(&self, text: &str, progress: &Progress<'_>) -> Result<Response, Failure> {
        let policy = PolicyFile::parse(text)?;
        let mut put = |setup: &mut Setup, table: &Table| {
            *setup = policy.apply(table, &mut |file: &str| Err(missing_file(file)))?;
            Ok(Vec::new())
        };
        match self.read_otherwise(&policy, &mut put, progress).await? {
            Some(opened) => Ok(Response::Opened(opened)),
            None => self.change(|history, table| {
                let mut setup = Setup::clone(&history.present());
                put(&mut setup, table)?;
                history.push(setup);
                Ok(())
            }),
        }
    }

    /// Reads the table again if the policy says so, and puts files on the new set-up; `None` if it was read so already.
    pub(super) async fn read_otherwise(
        &self,
        policy: &PolicyFile,
        put: &mut PutFiles<'_>,
        progress: &Progress<'_>,
    ) -> Result<Option<Opened>, Failure> {
        let said = policy.reading()?;
        let agrees = self.session(|session| Ok(said.agree(&session.origin.asked, &session.origin.reading)))?;
        if !policy.says_reading() || agrees {
            return Ok(None);
        }
        let before = self.setup()?;
        let mut put = |setup: &mut Setup, table: &Table| {
            self.still_set_up(&before)?;
            put(setup, table)
        };
        self.read_again(said, Behind::Nothing, &mut put, progress).await.map(Some)
    }

    /// The same for a policy that was kept from an earlier visit: what of its reading does not fit this file is passed
    /// over, and so is that the repairs of that file and what was found in it were accepted. Nothing happens if the table
    /// has other columns.
    pub(super) async fn restore_policy(&self, text: &str, progress: &Progress<'_>) -> Result<Response, Failure> {
        let Ok(policy) = PolicyFile::parse(text) else { return Ok(Response::Done) };
        let policy = PolicyFile { repairs: None, accept: Vec::new(), ..policy };
        let these = |names: &[String]| {
            let names: BTreeSet<&String> = names.iter().collect();
            let needed = policy.columns.iter().filter(|(_, column)| !column.optional).map(|(name, _)| name);
            names.iter().all(|name| policy.columns.contains_key(*name))
                && needed.into_iter().all(|name| names.contains(name))
        };
        let (table, before) = (self.table()?, self.setup()?);
        let put = |setup: &mut Setup, table: &Table| {
            let names: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
            if !these(&names) {
                return Err(no_table());
            }
            *setup = policy.apply(table, &mut |file: &str| Err(missing_file(file)))?;
            Ok(Vec::new())
        };
        // What a person said of this file goes before what they said of another.
        let unsaid = self.session(|session| Ok(session.origin.asked == ReadOptions::default()))?;
        if let Ok(kept) = policy.reading()
            && policy.says_reading()
            && unsaid
        {
            let fitting = self.session(|session| match &mut session.origin.source {
                Some(Again::File(file)) => csv::fitting(file.as_mut(), &kept, &these),
                _ => Ok(None),
            })?;
            let with_kinds = fitting.unwrap_or_else(|| kept.without_structure());
            let without_kinds = with_kinds.clone().without_kinds();
            // What was set up meanwhile is kept: what was restored is a step after it, then.
            let mut put = |setup: &mut Setup, table: &Table| {
                self.still_set_up(&before)?;
                put(setup, table)
            };
            for said in [with_kinds, without_kinds] {
                if self.session(|session| Ok(said.agree(&session.origin.asked, &session.origin.reading)))? {
                    break;
                }
                match self.read_again(said, Behind::Guesses, &mut put, progress).await {
                    Ok(opened) => return Ok(Response::Opened(opened)),
                    Err(failure) if failure.kind == FailureKind::Cancelled => return Err(failure),
                    Err(_) => self.still(&table)?,
                }
            }
        }
        let names: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
        if !these(&names) {
            return Ok(Response::Done);
        }
        self.change(|history, table| {
            let mut setup = Setup::clone(&history.present());
            put(&mut setup, table)?;
            history.push(setup);
            Ok(())
        })
    }

    /// Reads the table again as somebody says; its columns keep their set-up.
    pub(super) async fn read_as(&self, mut asked: ReadOptions, progress: &Progress<'_>) -> Result<Opened, Failure> {
        let before = self.table()?;
        for column in &before.columns {
            // A kind that is also the guess corrects nothing (a policy says every kind), so that it is guessed anew. Where
            // dates can be read in two ways, it does.
            let guess = column.guessed_kind();
            if let Some(said) = asked.columns.get_mut(&column.name)
                && said.kind == Some(guess.kind.into())
                && column.kind.kind == guess.kind
                && !guess.ambiguous_date
            {
                said.kind = None;
            }
        }
        let mut put = |now: &mut Setup, table: &Table| {
            // What was set up while the file was read counts, too.
            let (carried, notes) = self.setup()?.carried(&before, table);
            *now = carried;
            let told = |(name, note)| Taken { file: name, column: None, notes: vec![note], slips: Vec::new() };
            Ok(notes.into_iter().map(told).collect())
        };
        self.read_again(asked, Behind::Nothing, &mut put, progress).await
    }

    async fn read_again(
        &self,
        asked: ReadOptions,
        behind: Behind,
        put: &mut PutFiles<'_>,
        progress: &Progress<'_>,
    ) -> Result<Opened, Failure> {
        let before = self.table()?;
        let mut source = self.take_source(&before)?;
        let read = match &mut source {
            Again::File(file) => Fresh::read(file.as_mut(), asked, progress).await,
            Again::Sample { id, rows, seed } => match samples::table(id, *rows, *seed) {
                Some(sample) => {
                    let mut source = MemorySource { name: sample.name, bytes: sample.bytes };
                    Fresh::read(&mut source, asked, progress).await
                }
                None => Err(no_table()),
            },
        };
        // What was put in this one's place has files of its own.
        self.still(&before)?;
        let read = read.and_then(|fresh| {
            let guessed = Setup::guessed(&fresh.table);
            let mut setup = guessed.clone();
            let taken = put(&mut setup, &fresh.table)?;
            Ok((fresh, guessed, setup, taken))
        });
        let (fresh, guessed, setup, taken) = match read {
            Ok(read) => read,
            Err(failure) => {
                self.put_source(&before, source)?;
                return Err(failure);
            }
        };
        let history = match behind {
            Behind::Nothing => History::new(setup),
            Behind::Guesses => {
                let mut history = History::new(guessed);
                history.push(setup);
                history
            }
        };
        Ok(self.install(fresh, source, history, taken, true))
    }

    /// Makes what was read the session's table.
    pub(super) fn install(
        &self,
        fresh: Fresh,
        source: Again,
        history: History,
        taken: Vec<Taken>,
        again: bool,
    ) -> Opened {
        let Fresh { table, summary, asked, reading } = fresh;
        let origin = Origin { summary: summary.clone(), source: Some(source), asked: asked.clone(), reading };
        let mut session =
            Session { table, history, view: None, grouped: None, run: None, prepared: None, origin, traits: None };
        let setup = session.view();
        self.session.replace(Some(session));
        Opened { table: Some(summary), setup, taken, reading: asked, again }
    }

    /// Refuses to go on for a table that is no longer the session's.
    pub(super) fn still(&self, table: &Rc<Table>) -> Result<(), Failure> {
        let another = || Failure::refused("Another table was loaded meanwhile.", "Ask again, if it is for that one.");
        self.session(|session| Rc::ptr_eq(&session.table, table).then_some(()).ok_or_else(another))
    }

    /// Refuses to replace what was set up while a file was read.
    fn still_set_up(&self, setup: &Rc<Setup>) -> Result<(), Failure> {
        let changed = || Failure::refused("The set-up was changed meanwhile.", "Load the policy again to replace it.");
        if Rc::ptr_eq(&self.setup()?, setup) { Ok(()) } else { Err(changed()) }
    }

    /// The file of a table, to be put back.
    fn take_source(&self, table: &Rc<Table>) -> Result<Again, Failure> {
        self.still(table)?;
        let being_read = || Failure::refused("The file is being read already.", "Wait until that is done.");
        self.session(|session| session.origin.source.take().ok_or_else(being_read))
    }

    /// A table that is there no longer needs no file.
    fn put_source(&self, table: &Rc<Table>, source: Again) -> Result<(), Failure> {
        self.session(|session| {
            if Rc::ptr_eq(&session.table, table) {
                session.origin.source = Some(source);
            }
            Ok(())
        })
    }

    /// The SHA-256 of the file that the table came from, read again: hashing every table at once would slow each start.
    pub(super) async fn digest_of_input(&self, table: &Rc<Table>, progress: &Progress<'_>) -> Result<String, Failure> {
        let mut source = self.take_source(table)?;
        let outcome = match &mut source {
            Again::File(file) => digest_of(file.as_mut(), progress).await,
            Again::Sample { id, rows, seed } => match samples::table(id, *rows, *seed) {
                Some(sample) => Ok(digest(&sample.bytes)),
                None => Err(no_table()),
            },
        };
        self.put_source(table, source)?;
        outcome
    }
}

/// SHA-256 in hexadecimal figures.
pub fn digest(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes).as_slice())
}

/// The same of a file.
pub async fn digest_of(source: &mut dyn Source, progress: &Progress<'_>) -> Result<String, Failure> {
    let name = source.name().to_owned();
    let (size, mut offset) = (source.size(), 0);
    let mut hash = Sha256::new();
    let mut piece = Vec::with_capacity(PIECE);
    while offset < size {
        let report = || Report {
            phase: "Reading the file again for its digest".into(),
            fraction: Some(offset as f64 / size as f64),
            detail: String::new(),
        };
        progress.checkpoint(report).await?;
        piece.clear();
        let read = source.read_full(offset, PIECE, &mut piece).map_err(|error| error.into_failure(&name))?;
        if read == 0 {
            return Err(ReadError::Vanished.into_failure(&name));
        }
        hash.update(&piece);
        offset += read as u64;
    }
    Ok(hex(hash.finalize().as_slice()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
