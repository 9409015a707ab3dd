//! All cells. What a family asks stands at its [`Family`](crate::Family); here are its paths.

mod beside;
mod changing;
mod hosts;
mod own;
mod routes;
mod single;

use crate::cell::Cell;
use crate::known::Known;

/// Every cell of every family, for controllers and opponents of these names.
pub fn suite(known: &Known<'_>) -> Vec<Cell> {
    let mut cells = single::one_flow();
    cells.extend(single::start(known));
    cells.extend(own::joiner());
    cells.extend(own::own_kind());
    cells.extend(beside::loss_based(known));
    cells.extend(beside::others(known));
    cells.extend(beside::inelastic());
    cells.extend(changing::random_loss());
    cells.extend(changing::steps());
    cells.extend(changing::shallow());
    cells.extend(hosts::hosts());
    cells.extend(hosts::ack_path(known));
    cells.extend(hosts::aqm(known));
    cells.extend(routes::routes());
    cells.extend(routes::application(known));
    cells.extend(single::extremes());
    cells.extend(own::starvation());
    cells
}
