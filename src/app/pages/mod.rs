//! One file (or folder) a step.

pub mod audit;
mod columns;
mod data;
pub mod findings;
pub mod linkage;
pub mod policy;
pub mod results;
pub mod run;

pub use audit::AuditPage;
pub use columns::ColumnsPage;
pub use data::DataPage;
pub use linkage::LinkagePage;
pub use policy::PolicyPage;
pub use results::ResultsPage;
pub use run::RunPage;

use crate::table::{Kind, Role};

/// The roles in the order of their menus, with the page's word for each.
pub const ROLES: [(Role, &str); 4] = [
    (Role::Identifier, "identifier"),
    (Role::Quasi, "quasi"),
    (Role::Sensitive, "sensitive"),
    (Role::Insensitive, "keep"),
];

pub fn role_name(role: Role) -> &'static str {
    ROLES.iter().find(|(other, _)| *other == role).map_or("", |(_, name)| name)
}

/// The class that colours a role.
pub fn role_class(role: Role) -> &'static str {
    match role {
        Role::Identifier => "id",
        Role::Quasi => "qi",
        Role::Sensitive => "sa",
        Role::Insensitive => "",
    }
}

pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer => "whole numbers",
        Kind::Decimal => "numbers",
        Kind::Date(_) => "dates",
        Kind::Text => "text",
    }
}
